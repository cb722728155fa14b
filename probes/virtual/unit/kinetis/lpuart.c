/* The shifter and the transmit buffer have room for a byte each. The model keeps only the time at which both are
 * empty: a byte is logged as soon as it is written to DATA. */
#include "probes/virtual/unit/kinetis/lpuart.h"

enum { BAUD, STAT, CTRL, DATA, MATCH };	/* rows */
enum { DATA_OFFSET = 0xc, FRAME_BITS = 10 };

#define STAT_TDRE (UINT32_C(1) << 23)
#define STAT_TC (UINT32_C(1) << 22)
#define STAT_RDRF (UINT32_C(1) << 21)
#define STAT_OR (UINT32_C(1) << 19)
#define CTRL_TIE (UINT32_C(1) << 23)
#define CTRL_TCIE (UINT32_C(1) << 22)
#define CTRL_RIE (UINT32_C(1) << 21)
#define CTRL_TE (UINT32_C(1) << 19)
#define CTRL_RE (UINT32_C(1) << 18)
#define RXEMPT (UINT32_C(1) << 12)	/* in DATA */

static const struct pt_vreg rows[PT_VLPUART_REGISTERS] = {
	[BAUD] = { "BAUD", 0x00, 4, 0x0f000004, 0xffffffff, 0 },
	[STAT] = { "STAT", 0x04, 4, STAT_TDRE | STAT_TC, 0x3e000000, 0xc01fc000 },
	[CTRL] = { "CTRL", 0x08, 4, 0, 0xffffffff, 0 },
	[DATA] = { "DATA", DATA_OFFSET, 4, RXEMPT, 0, 0 },
	[MATCH] = { "MATCH", 0x10, 4, 0, 0x03ff03ff, 0 },
};

/* The module clock is taken to be the core's: FLL or IRC48M, as start-up code of the demo boards sets it. */
static uint64_t frame_cycles(const struct pt_vlpuart *uart)
{
	uint32_t sbr = uart->value[BAUD] & 0x1fff, osr = uart->value[BAUD] >> 24 & 0x1f;

	return (uint64_t)FRAME_BITS * (osr + 1) * (sbr > 0 ? sbr : 1);
}

static bool transmitter_full(const struct pt_vlpuart *uart)
{
	return pt_vwires_now(uart->wires) + frame_cycles(uart) < uart->idle_cycle;
}

static void update(struct pt_vlpuart *uart)
{
	uint32_t status = uart->value[STAT] & ~(STAT_TDRE | STAT_TC), control = uart->value[CTRL];

	if (!transmitter_full(uart))
		status |= STAT_TDRE;
	if (pt_vwires_now(uart->wires) >= uart->idle_cycle)
		status |= STAT_TC;
	uart->value[STAT] = status;
	pt_vwires_irq(uart->wires, uart->irq,
		      ((control & CTRL_TIE) != 0 && (status & STAT_TDRE) != 0) ||
			      ((control & CTRL_TCIE) != 0 && (status & STAT_TC) != 0) ||
			      ((control & CTRL_RIE) != 0 && (status & (STAT_RDRF | STAT_OR)) != 0));
}

static void send(struct pt_vlpuart *uart, uint8_t byte)
{
	uint64_t now = pt_vwires_now(uart->wires);

	if ((uart->value[CTRL] & CTRL_TE) == 0)
		return;
	if (transmitter_full(uart)) {
		uart->n_overrun++;
		return;
	}
	if (uart->n_sent < PT_VLPUART_LOG_BYTES)
		uart->log[uart->n_sent] = (char)byte;
	uart->n_sent++;
	uart->idle_cycle = (uart->idle_cycle > now ? uart->idle_cycle : now) + frame_cycles(uart);
}

size_t pt_vlpuart_log_bytes(const struct pt_vlpuart *uart)
{
	return uart->n_sent < PT_VLPUART_LOG_BYTES ? (size_t)uart->n_sent : PT_VLPUART_LOG_BYTES;
}

void pt_vlpuart_receive(struct pt_vlpuart *uart, uint8_t byte)
{
	if ((uart->value[CTRL] & CTRL_RE) == 0)
		return;
	if ((uart->value[STAT] & STAT_RDRF) != 0) {
		uart->value[STAT] |= STAT_OR;
	} else {
		uart->value[STAT] |= STAT_RDRF;
		uart->value[DATA] = byte;
	}
	update(uart);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vlpuart *uart = unit;

	update(uart);
	pt_vregs_read(&uart->regs, offset, access, value);
	if (offset != DATA_OFFSET)
		return true;
	uart->value[STAT] &= ~STAT_RDRF;
	uart->value[DATA] |= RXEMPT;
	update(uart);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vlpuart *uart = unit;

	pt_vregs_write(&uart->regs, offset, access, value);
	if (offset == DATA_OFFSET)
		send(uart, (uint8_t)value);
	update(uart);
	return true;
}

/* Only while an interrupt waits for it does the line's progress matter by itself. */
static uint64_t next_tick(void *unit)
{
	const struct pt_vlpuart *uart = unit;
	uint32_t control = uart->value[CTRL], status = uart->value[STAT];

	if ((control & CTRL_TIE) != 0 && (status & STAT_TDRE) == 0)
		return uart->idle_cycle - frame_cycles(uart);
	if ((control & CTRL_TCIE) != 0 && (status & STAT_TC) == 0)
		return uart->idle_cycle;
	return PT_VNEVER;
}

static void tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;
	update(unit);
}

static void reset(void *unit, bool power_on)
{
	struct pt_vlpuart *uart = unit;

	pt_vregs_reset(&uart->regs);
	uart->idle_cycle = 0;
	if (power_on)
		uart->n_sent = uart->n_overrun = 0;
	update(uart);
}

void pt_vlpuart_init(struct pt_vlpuart *uart, const struct pt_vwires *wires, unsigned irq)
{
	*uart = (struct pt_vlpuart){
		.wires = wires, .irq = irq, .regs = { .row = rows, .n_rows = PT_LEN(rows), .value = uart->value },
	};
	pt_vregs_reset(&uart->regs);
}

const struct pt_vunit_ops pt_vlpuart_ops = {
	.name = "LPUART", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
