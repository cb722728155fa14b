#include "probes/virtual/unit/arm/cmsdk_uart.h"

enum { DATA = 0x0, STATE = 0x4, CTRL = 0x8, BAUDDIV = 0x10 };
enum { TX_FULL = 1, TX_ENABLE = 1, CTRL_BITS = 0x7f, DIVIDER_BITS = 0xfffff, LEAST_DIVIDER = 16, FRAME_BITS = 10 };

/* One sample of the line per clock of the divider, BAUDDIV clocks a bit. */
static uint64_t frame_cycles(const struct pt_vcmsdk_uart *uart)
{
	return (uint64_t)FRAME_BITS * (uart->divider >= LEAST_DIVIDER ? uart->divider : LEAST_DIVIDER);
}

/* One byte in the shifter, one in front of it. */
static bool is_full(const struct pt_vcmsdk_uart *uart)
{
	return pt_vwires_now(uart->wires) + frame_cycles(uart) < uart->idle_cycle;
}

static void send(struct pt_vcmsdk_uart *uart, uint8_t byte)
{
	uint64_t now = pt_vwires_now(uart->wires);

	if ((uart->ctrl & TX_ENABLE) == 0)
		return;
	if (is_full(uart)) {
		uart->n_overrun++;
		return;
	}
	if (uart->n_sent < PT_VCMSDK_UART_LOG_BYTES)
		uart->log[uart->n_sent] = (char)byte;
	uart->n_sent++;
	uart->idle_cycle = (uart->idle_cycle > now ? uart->idle_cycle : now) + frame_cycles(uart);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vcmsdk_uart *uart = unit;

	(void)access;
	switch (offset) {
	case STATE: *value = is_full(uart) ? TX_FULL : 0; break;
	case CTRL: *value = uart->ctrl; break;
	case BAUDDIV: *value = uart->divider; break;
	default: *value = 0; break;
	}
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vcmsdk_uart *uart = unit;

	(void)access;
	switch (offset) {
	case DATA: send(uart, (uint8_t)value); break;
	case CTRL: uart->ctrl = value & CTRL_BITS; break;
	case BAUDDIV: uart->divider = value & DIVIDER_BITS; break;
	}
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vcmsdk_uart *uart = unit;

	uart->ctrl = uart->divider = 0;
	uart->idle_cycle = 0;
	if (power_on)
		uart->n_sent = uart->n_overrun = 0;
}

void pt_vcmsdk_uart_init(struct pt_vcmsdk_uart *uart, const struct pt_vwires *wires)
{
	*uart = (struct pt_vcmsdk_uart){ .wires = wires };
}

const struct pt_vunit_ops pt_vcmsdk_uart_ops = { .name = "CMSDK UART", .read = read, .write = write, .reset = reset };
