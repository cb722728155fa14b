/* Source: PG115 v3.2, AXI Slave Register Space (the layout is that of PG142). */
#include <string.h>

#include "probes/virtual/unit/amd/uartlite.h"

enum { RX_FIFO = 0x0, TX_FIFO = 0x4, STATUS = 0x8, CTRL = 0xc };
enum { RX_VALID = 1, RX_FULL = 2, TX_EMPTY = 4, TX_FULL = 8, INTR_ENABLED = 16 };
enum { RST_TX = 1, RST_RX = 2, ENABLE_INTR = 16 };

/* Bytes that have not left, the one on the line among them. */
static unsigned waiting(const struct pt_vuartlite *uart)
{
	uint64_t now = pt_vwires_now(uart->wires);

	if (uart->sent_cycle <= now)
		return 0;
	return (unsigned)((uart->sent_cycle - now + uart->cycles_per_byte - 1) / uart->cycles_per_byte);
}

static void drive(const struct pt_vuartlite *uart)
{
	pt_vwires_irq(uart->wires, uart->irq, uart->interrupts && uart->n_rx > 0);
}

bool pt_vuartlite_receive(struct pt_vuartlite *uart, uint8_t byte)
{
	if (uart->n_rx == PT_VUARTLITE_FIFO)
		return false;
	uart->rx[uart->n_rx++] = byte;
	drive(uart);
	return true;
}

static uint32_t status(const struct pt_vuartlite *uart)
{
	return (uart->n_rx > 0 ? RX_VALID : 0) | (uart->n_rx == PT_VUARTLITE_FIFO ? RX_FULL : 0) |
	       (waiting(uart) == 0 ? TX_EMPTY : 0) | (waiting(uart) > PT_VUARTLITE_FIFO ? TX_FULL : 0) |
	       (uart->interrupts ? INTR_ENABLED : 0);
}

static uint32_t take(struct pt_vuartlite *uart)
{
	uint8_t byte = uart->rx[0];

	if (uart->n_rx == 0)
		return 0;
	memmove(uart->rx, uart->rx + 1, --uart->n_rx);
	drive(uart);
	return byte;
}

static void send(struct pt_vuartlite *uart, uint8_t byte)
{
	uint64_t now = pt_vwires_now(uart->wires);

	if (waiting(uart) > PT_VUARTLITE_FIFO) {
		uart->n_lost++;
		return;
	}
	uart->sent_cycle = (uart->sent_cycle > now ? uart->sent_cycle : now) + uart->cycles_per_byte;
	if (uart->n_sent < PT_VUARTLITE_LOG_BYTES)
		uart->log[uart->n_sent] = (char)byte;
	uart->n_sent++;
}

uint32_t pt_vuartlite_read(struct pt_vuartlite *uart, uint32_t offset)
{
	return offset == RX_FIFO ? take(uart) : offset == STATUS ? status(uart) : 0;
}

void pt_vuartlite_write(struct pt_vuartlite *uart, uint32_t offset, uint32_t value)
{
	if (offset == TX_FIFO)
		send(uart, (uint8_t)value);
	if (offset != CTRL)
		return;
	if ((value & RST_TX) != 0)
		uart->sent_cycle = 0;
	if ((value & RST_RX) != 0)
		uart->n_rx = 0;
	uart->interrupts = (value & ENABLE_INTR) != 0;
	drive(uart);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)access;
	*value = pt_vuartlite_read(unit, offset & ~3u);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)access;
	pt_vuartlite_write(unit, offset & ~3u, value);
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vuartlite *uart = unit;

	uart->n_rx = 0;
	uart->interrupts = false;
	uart->sent_cycle = 0;
	if (power_on)
		uart->n_sent = uart->n_lost = 0;
	drive(uart);
}

void pt_vuartlite_init(struct pt_vuartlite *uart, const struct pt_vwires *wires, unsigned irq, uint32_t bps)
{
	uart->wires = wires;
	uart->irq = irq;
	uart->cycles_per_byte = bps > 0 ? wires->core_hz / bps * 10 : 0;	/* start, 8 bits, stop */
}

const struct pt_vunit_ops pt_vuartlite_ops = { .name = "UART Lite", .read = read, .write = write, .reset = reset };
