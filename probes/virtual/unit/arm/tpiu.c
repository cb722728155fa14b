/* The line is worked out byte by byte: each begins when the one before is through and there is one to send. */
#include "probes/virtual/unit/arm/tpiu.h"

#include "base/util.h"

enum { IDS = 0xfb8, UART_BITS = 10, GROUP_BYTES = 8 };
enum { SPPR_MANCHESTER = 1, SPPR_UART = 2, FFCR_ENFTC = 1, FFCR_ENFCONT = 2 };
#define FRACTION 65536u			/* of a cycle */
#define PS_PER_S UINT64_C(1000000000000)

/* FFSR: the formatter has stopped and is not there to be flushed. TYPE: no parallel port, SWO as UART and Manchester. */
enum { SSPSR, CSPSR, ACPR, SPPR, FFSR, FFCR, TYPE };
static const struct pt_vreg rows[] = {
	[SSPSR] = { "SSPSR", 0x000, 4, 0x00000001, 0, 0 },
	[CSPSR] = { "CSPSR", 0x004, 4, 0x00000001, 0xffffffff, 0 },
	[ACPR] = { "ACPR", PT_VTPIU_ACPR, 4, 0, 0x00001fff, 0 },
	[SPPR] = { "SPPR", PT_VTPIU_SPPR, 4, 0x00000001, 0x00000003, 0 },
	[FFSR] = { "FFSR", 0x300, 4, 0x00000008, 0, 0 },
	[FFCR] = { "FFCR", PT_VTPIU_FFCR, 4, 0x00000102, 0x00000103, 0 },
	[TYPE] = { "TYPE", 0xfc8, 4, 0x00000ca1, 0, 0 },
};
_Static_assert(PT_LEN(rows) <= PT_VTPIU_REGISTERS, "there is room for them");

/* --- the line */

static bool is_manchester(const struct pt_vtpiu *tpiu)
{
	return tpiu->value[SPPR] == SPPR_MANCHESTER;
}

/* ACPR divides for a bit of UART, and for half a bit of Manchester. */
static uint64_t clocks_per_bit(const struct pt_vtpiu *tpiu)
{
	return (uint64_t)(tpiu->value[ACPR] + 1) * (is_manchester(tpiu) ? 2 : 1);
}

static uint64_t in_cycles(const struct pt_vtpiu *tpiu, uint64_t clocks)
{
	return clocks * tpiu->wires->core_hz * FRACTION / tpiu->trace_hz;
}

static uint64_t in_ns(const struct pt_vtpiu *tpiu, uint64_t at)
{
	double hz = tpiu->wires->core_hz * (1.0 + tpiu->wires->drift_ppm * 1e-6);

	return tpiu->origin_ns + (uint64_t)((double)at / FRACTION * 1e9 / hz + 0.5);
}

/* A byte that was on the line while the clock stopped is longer. Which of its bits was is not said: all of them are. */
static uint64_t real_bit_ps(const struct pt_vtpiu *tpiu)
{
	const struct pt_vtpiu_byte *out = &tpiu->out;
	uint64_t stood = (tpiu->stopped - out->stopped) * FRACTION;
	double length = (double)(out->end - out->begin);

	return stood == 0 ? out->bit_ps : (uint64_t)((double)out->bit_ps * (length + (double)stood) / length);
}

static void count_bytes(struct pt_vtpiu *tpiu, uint64_t n)
{
	*(tpiu->unrouted ? &tpiu->n_unrouted : &tpiu->n_bytes) += n;
}

static bool hears(const struct pt_vswo_listener *listener)
{
	return listener != NULL && listener->byte != NULL;
}

static bool is_heard(const struct pt_vtpiu *tpiu)
{
	return !tpiu->unrouted && (hears(tpiu->pin.listener) || hears(tpiu->pin.log));
}

static void deliver(struct pt_vtpiu *tpiu)
{
	const struct pt_vtpiu_byte *out = &tpiu->out;
	const struct pt_vswo_byte byte = {
		in_ns(tpiu, out->begin + out->stopped * FRACTION), real_bit_ps(tpiu), out->coding, out->byte,
	};

	tpiu->out.on = false;
	count_bytes(tpiu, 1);
	if (!is_heard(tpiu))
		return;
	if (hears(tpiu->pin.log))
		tpiu->pin.log->byte(tpiu->pin.log->arg, &byte);
	if (hears(tpiu->pin.listener))
		tpiu->pin.listener->byte(tpiu->pin.listener->arg, &byte);
}

/* Of Manchester up to eight bytes follow a start bit, and behind them is a bit of silence. */
static void shift_manchester(struct pt_vtpiu *tpiu, uint64_t at, uint64_t bit)
{
	bool first = tpiu->group == 0 || tpiu->group == GROUP_BYTES || at > tpiu->free_at;

	if (first && at < tpiu->free_at + bit)
		at = tpiu->free_at + bit;
	tpiu->out.begin = at;
	tpiu->out.end = at + (first ? 9 : 8) * bit;
	tpiu->group = first ? 1 : tpiu->group + 1;
}

static void shift(struct pt_vtpiu *tpiu, uint64_t at, uint8_t byte)
{
	uint64_t ps = clocks_per_bit(tpiu) * PS_PER_S / tpiu->trace_hz;
	uint32_t ppm = tpiu->wires->drift_ppm;

	tpiu->out = (struct pt_vtpiu_byte){
		.on = true, .byte = byte, .coding = is_manchester(tpiu) ? PT_VSWO_MANCHESTER : PT_VSWO_UART,
		.begin = at, .end = at + in_cycles(tpiu, UART_BITS * clocks_per_bit(tpiu)), .stopped = tpiu->stopped,
		.bit_ps = ps - (uint64_t)((double)ps * ppm / (1e6 + ppm) + 0.5),
	};
	if (is_manchester(tpiu))
		shift_manchester(tpiu, at, in_cycles(tpiu, clocks_per_bit(tpiu)));
	tpiu->free_at = tpiu->out.end;
}

/* The byte on the line is through; false: not by then. */
static bool finish(struct pt_vtpiu *tpiu, uint64_t to)
{
	if (!tpiu->out.on)
		return true;
	if (tpiu->out.end > to)
		return false;
	deliver(tpiu);
	return true;
}

/* Time in which there was a clock, of a cycle that is not before its last stop. */
static uint64_t clocked(const struct pt_vtpiu *tpiu, uint64_t cycle)
{
	return cycle > tpiu->stopped ? (cycle - tpiu->stopped) * FRACTION : 0;
}

static uint64_t cycle_at(const struct pt_vtpiu *tpiu, uint64_t at)
{
	return at / FRACTION + tpiu->stopped;
}

static uint64_t data_at(const struct pt_vtpiu *tpiu, size_t n_bytes)
{
	uint64_t since = tpiu->input.since(tpiu->input.arg, n_bytes);

	return since == PT_VNEVER ? PT_VNEVER : clocked(tpiu, since);
}

static bool send_plain(struct pt_vtpiu *tpiu, uint64_t to)
{
	uint64_t at = data_at(tpiu, 1);

	if (at < tpiu->free_at)
		at = tpiu->free_at;
	if (at == PT_VNEVER || at > to)
		return false;
	shift(tpiu, at, tpiu->input.take(tpiu->input.arg, cycle_at(tpiu, at)));
	return true;
}

/* Nothing but synchronisation packets, and nothing that listens: all but the last are counted, not sent. */
static void skip_syncs(struct pt_vtpiu *tpiu, uint64_t to)
{
	uint64_t packet = in_cycles(tpiu, 4 * UART_BITS * clocks_per_bit(tpiu)), data = data_at(tpiu, 1), n;

	if (data < to)
		to = data;
	if (is_manchester(tpiu) || is_heard(tpiu) || !pt_vtpiu_frame_is_whole(&tpiu->frame) ||
	    to <= tpiu->free_at + packet)
		return;
	n = (to - tpiu->free_at) / packet - 1;
	tpiu->free_at += n * packet;
	count_bytes(tpiu, 4 * n);
}

static bool send_framed(struct pt_vtpiu *tpiu, uint64_t to)
{
	if (!tpiu->begun)
		return false;
	skip_syncs(tpiu, to);
	if (tpiu->free_at > to)
		return false;
	shift(tpiu, tpiu->free_at,
	      pt_vtpiu_frame_byte(&tpiu->frame, &tpiu->input, cycle_at(tpiu, tpiu->free_at), true));
	return true;
}

/* EnFTC alone: frames without synchronisation packets, which wait for data. */
static bool send_waiting_frame(struct pt_vtpiu *tpiu, uint64_t to)
{
	size_t needs = pt_vtpiu_frame_needs(&tpiu->frame);
	uint64_t at = needs > 0 ? data_at(tpiu, needs) : 0;

	if (at < tpiu->free_at)
		at = tpiu->free_at;
	if (at == PT_VNEVER || at > to)
		return false;
	shift(tpiu, at, pt_vtpiu_frame_byte(&tpiu->frame, &tpiu->input, cycle_at(tpiu, at), false));
	return true;
}

static bool send(struct pt_vtpiu *tpiu, uint64_t to)
{
	if ((tpiu->value[FFCR] & FFCR_ENFCONT) != 0)
		return send_framed(tpiu, to);
	return (tpiu->value[FFCR] & FFCR_ENFTC) != 0 ? send_waiting_frame(tpiu, to) : send_plain(tpiu, to);
}

static void discard(struct pt_vtpiu *tpiu)
{
	const struct pt_vtpiu_input *input = &tpiu->input;
	uint64_t since;

	while ((since = input->since(input->arg, 1)) != PT_VNEVER)
		input->take(input->arg, since);
}

/* The line is at rest until this cycle. */
static void rest_until(struct pt_vtpiu *tpiu, uint64_t cycle)
{
	if (tpiu->free_at < clocked(tpiu, cycle))
		tpiu->free_at = clocked(tpiu, cycle);
	tpiu->group = 0;
}

static void begin(struct pt_vtpiu *tpiu)
{
	uint64_t since = tpiu->input.since(tpiu->input.arg, 1);

	if (tpiu->begun || since == PT_VNEVER)
		return;
	rest_until(tpiu, since);
	tpiu->begun = true;
}

void pt_vtpiu_run(struct pt_vtpiu *tpiu, uint64_t to_cycle)
{
	uint64_t to = clocked(tpiu, to_cycle);
	bool on_pin = tpiu->value[SPPR] == SPPR_MANCHESTER || tpiu->value[SPPR] == SPPR_UART;

	begin(tpiu);
	while (finish(tpiu, to) && on_pin && send(tpiu, to))
		;
	if (!on_pin)
		discard(tpiu);
}

void pt_vtpiu_stop_clock(struct pt_vtpiu *tpiu, uint64_t n_cycles)
{
	tpiu->stopped += n_cycles;
}

void pt_vtpiu_synchronise(struct pt_vtpiu *tpiu)
{
	tpiu->frame.sync_wanted = true;
}

/* --- the unit */

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vtpiu *tpiu = unit;

	*value = 0;
	if (!pt_vregs_read(&tpiu->regs, offset, access, value) && offset >= IDS)
		*value = pt_vcoresight_read(&tpiu->ids, offset);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vtpiu *tpiu = unit;

	tpiu->input.advance(tpiu->input.arg, pt_vwires_now(tpiu->wires));
	if (!pt_vregs_write(&tpiu->regs, offset, access, value))
		return true;
	if (!tpiu->has_enftc)
		tpiu->value[FFCR] &= ~(uint32_t)FFCR_ENFTC;
	tpiu->begun = true;
	rest_until(tpiu, pt_vwires_now(tpiu->wires));
	if ((tpiu->value[FFCR] & (FFCR_ENFTC | FFCR_ENFCONT)) == 0)
		tpiu->frame = (struct pt_vtpiu_frame){ 0 };
	return true;
}

/* Its registers outlive a system reset. */
static void reset(void *unit, bool power_on)
{
	struct pt_vtpiu *tpiu = unit;

	if (!power_on)
		return;
	pt_vregs_reset(&tpiu->regs);
	tpiu->begun = tpiu->out.on = false;
	tpiu->free_at = tpiu->stopped = 0;
	tpiu->group = 0;
	tpiu->frame = (struct pt_vtpiu_frame){ 0 };
}

void pt_vtpiu_init(struct pt_vtpiu *tpiu, const struct pt_vwires *wires, uint32_t trace_hz)
{
	*tpiu = (struct pt_vtpiu){
		.wires = wires, .trace_hz = trace_hz != 0 ? trace_hz : wires->core_hz,
		.regs = { .row = rows, .n_rows = PT_LEN(rows), .value = tpiu->value },
		.ids = { .pidr4 = 0x04, .part = 0x9a1, .jep106 = 0x3b, .class = 0x9, .devtype = 0x11 },
	};
	pt_vregs_reset(&tpiu->regs);
}

const struct pt_vunit_ops pt_vtpiu_ops = {
	.name = "TPIU", .read = read, .write = write, .reset = reset, .reads_are_quiet = true,
};
