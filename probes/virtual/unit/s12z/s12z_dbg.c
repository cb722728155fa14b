/* Registers are bytes; what a write may change depends on ARM and PTACT. Everything else here is the way from arming to
 * State0. */
#include <string.h>

#include "probes/virtual/unit/s12z/s12z_dbg_parts.h"

/* --- breakpoints and the sequencer */

/* Before the instruction for those that look at op-codes, behind it for others. */
static void breakpoint(struct pt_vs12z_dbg *dbg)
{
	if ((dbg->reg[DBGC1] & BRKCPU) == 0 || dbg->stepping)
		return;
	if (dbg->in_fetch)
		dbg->break_due = true;
	else
		dbg->chip.breakpoint(dbg->chip.arg, pt_vs12z_dbg_breaks_into_bdm(dbg));
}

bool pt_vs12z_dbg_breaks_into_bdm(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGC1] & BDMBP) != 0 && dbg->chip.bdm_allowed(dbg->chip.arg);
}

static bool breaks(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGC1] & BDMBP) == 0 || dbg->chip.bdm_allowed(dbg->chip.arg);
}

/* State0: ARM clears; a breakpoint if BRKCPU. The last line of a profile may be the one that fills the buffer. */
static void end_session(struct pt_vs12z_dbg *dbg, bool by_software)
{
	if (dbg->profiling)
		dbg_profile_end(dbg);
	if (dbg->tracing)
		dbg_trace_end(dbg);
	by_software &= !dbg->full;
	dbg->full = false;
	dbg->reg[DBGC1] &= (uint8_t)~ARM;
	dbg->state = STATE_OFF;
	dbg_listen(dbg);
	if (!by_software && breaks(dbg))
		breakpoint(dbg);
}

/* Behind whatever puts lines. */
static void end_if_full(struct pt_vs12z_dbg *dbg)
{
	if (dbg->full)
		end_session(dbg, false);
}

/* Without tracing, and with tracing that ends here, Final State leads to State0 at once. */
static void reach_final(struct pt_vs12z_dbg *dbg)
{
	bool traces = (dbg->reg[DBGTCRH] & TSOURCE) != 0;

	if (traces && dbg_align(dbg) == ALIGN_BEGIN) {
		if (dbg_profile_set(dbg) && !dbg->profiling)
			dbg_profile_begin(dbg);
		else if (!dbg_profile_set(dbg) && !dbg->tracing)
			dbg_trace_begin(dbg);
		dbg_listen(dbg);
	} else if (traces && dbg_align(dbg) == ALIGN_MID && !dbg_profile_set(dbg)) {
		dbg->after_trigger = MID_LINES;
		dbg_trace_mid(dbg);
		end_if_full(dbg);
	} else {
		end_session(dbg, false);
	}
}

void dbg_go(struct pt_vs12z_dbg *dbg, unsigned state)
{
	dbg->state = state;
	if (state == STATE_FINAL)
		reach_final(dbg);
}

/* The next state for each code of CxSC in DBGSCR1, 2 and 3; 0: none. UNVERIFIED. */
static const uint8_t next_state[3][4] = {
	{ 0, STATE_2, STATE_3, STATE_FINAL },
	{ 0, STATE_1, STATE_3, STATE_FINAL },
	{ 0, STATE_1, STATE_2, STATE_FINAL },
};

/* Several channels at once: Final State goes first, then the lower channel. */
static void sequence(struct pt_vs12z_dbg *dbg, unsigned channels)
{
	unsigned state = dbg->state, chosen = 0;

	if (state < STATE_1 || state > STATE_3)
		return;
	for (unsigned n = CHANNELS; n-- > 0;) {
		unsigned to = next_state[state - 1][dbg->reg[DBGSCR1 + state - 1] >> 2 * n & 3];

		if ((channels >> n & 1) != 0 && to != 0 && chosen != STATE_FINAL)
			chosen = to;
	}
	for (unsigned n = 0; n < CHANNELS; n++)
		if ((channels >> n & 1) != 0 &&
		    next_state[state - 1][dbg->reg[DBGSCR1 + state - 1] >> 2 * n & 3] == STATE_FINAL)
			chosen = STATE_FINAL;
	if (chosen != 0)
		dbg_go(dbg, chosen);
}

unsigned dbg_on_access(struct pt_vs12z_dbg *dbg, const struct dbg_access *access)
{
	bool event_is_3 = (dbg->reg[DBGC1] & EEVE) == EEV_CHANNEL_3;
	unsigned channels;

	if (!dbg_armed(dbg) || dbg->stepping)
		return 0;
	channels = dbg_matches(dbg, access);
	dbg->reg[DBGEFR] |= (uint8_t)channels;
	sequence(dbg, event_is_3 ? channels & ~(1u << CHANNEL_D) : channels);
	return channels;
}

void pt_vs12z_dbg_event(struct pt_vs12z_dbg *dbg, bool level)
{
	bool rises = level && !dbg->event_level;

	dbg->event_level = level;
	if (!rises || !dbg_armed(dbg))
		return;
	dbg->reg[DBGEFR] |= EEVF;
	if ((dbg->reg[DBGC1] & EEVE) == EEV_CHANNEL_3)
		sequence(dbg, 1u << CHANNEL_D);
	else if ((dbg->reg[DBGC1] & EEVE) == EEV_ENTRY && dbg->tracing)
		dbg_trace_extra(dbg, dbg->chip.pc(dbg->chip.arg), true);
	end_if_full(dbg);
}

void pt_vs12z_dbg_stepping(struct pt_vs12z_dbg *dbg, bool stepping)
{
	dbg->stepping = stepping;
}

bool pt_vs12z_dbg_fetch(struct pt_vs12z_dbg *dbg, uint32_t pc)
{
	const struct dbg_access access = { .look = LOOK_FETCH, .addr = pc, .size_bytes = 1 };
	unsigned channels;

	dbg->in_fetch = true;
	dbg->break_due = false;
	channels = dbg_on_access(dbg, &access);
	if ((channels >> CHANNEL_D & 1) != 0 && (dbg->reg[DBGTCRL] & DSTAMP) != 0 && dbg->tracing)
		dbg_trace_extra(dbg, pc, false);
	end_if_full(dbg);
	dbg->in_fetch = false;
	return dbg->break_due;
}

/* --- arming */

static bool transmits(struct pt_vs12z_dbg *dbg)
{
	dbg_transmit(dbg);
	return dbg->sending;
}

static void arm(struct pt_vs12z_dbg *dbg)
{
	bool traces = (dbg->reg[DBGTCRH] & TSOURCE) != 0, waits = dbg_align(dbg) == ALIGN_BEGIN;

	dbg->reg[DBGC1] |= ARM;
	dbg->reg[DBGEFR] = 0;
	dbg->half_lines = 0;
	dbg->tbf = dbg->unlocked = false;
	dbg->after_trigger = 0;
	dbg->state = STATE_1;
	if (traces && !waits && dbg_profile_set(dbg))
		dbg_profile_begin(dbg);
	else if (traces && !waits)
		dbg_trace_begin(dbg);
	dbg_listen(dbg);
}

static void trigger(struct pt_vs12z_dbg *dbg)
{
	dbg->reg[DBGEFR] |= TRIGF;
	if (dbg_armed(dbg))
		dbg_go(dbg, STATE_FINAL);
	else if (breaks(dbg))
		breakpoint(dbg);
}

/* Bits 5:0 are locked while ARM is set, also in the write that clears it. */
static void write_c1(struct pt_vs12z_dbg *dbg, uint8_t value)
{
	bool was_armed = dbg_armed(dbg);

	if (!was_armed && !transmits(dbg))
		dbg->reg[DBGC1] = value & (BDMBP | BRKCPU | EEVE);
	if (was_armed && (value & ARM) == 0)
		end_session(dbg, true);
	else if (!was_armed && (value & ARM) != 0 && !transmits(dbg))
		arm(dbg);
	if ((value & TRIG) != 0)
		trigger(dbg);
}

/* --- the observer */

static void on_insn(void *arg, uint32_t pc)
{
	dbg_trace_insn(arg, pc);
	end_if_full(arg);
}

static void on_cond(void *arg, uint32_t from, bool taken, uint32_t to)
{
	(void)from, (void)to;
	dbg_profile_cond(arg, taken);
	end_if_full(arg);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	struct pt_vs12z_dbg *dbg = arg;

	if (dbg->profiling)
		dbg_profile_jump(dbg, how, detail, to);
	else if (dbg->tracing)
		dbg_trace_jump(dbg, how, from, detail, to);
	end_if_full(dbg);
}

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	struct pt_vs12z_dbg *dbg = arg;
	const struct dbg_access access = { write ? LOOK_WRITE : LOOK_READ, addr, size_bytes, value };
	bool matched_d = (dbg_matches(dbg, &access) >> CHANNEL_D & 1) != 0 && (dbg->reg[DBGTCRL] & DSTAMP) != 0;

	if (dbg->tracing && dbg_mode(dbg) == MODE_DETAIL)
		dbg_trace_access(dbg, &access, pc, matched_d);
	else if (dbg->tracing && matched_d)
		dbg_trace_extra(dbg, pc, false);
	end_if_full(dbg);
	dbg_on_access(dbg, &access);
}

void dbg_listen(struct pt_vs12z_dbg *dbg)
{
	bool armed = dbg_armed(dbg), traces = dbg->tracing, detail = traces && dbg_mode(dbg) == MODE_DETAIL;
	bool pure = traces && dbg_mode(dbg) == MODE_PURE_PC;

	dbg->observer.insn = pure ? on_insn : NULL;
	dbg->observer.cond = dbg->profiling ? on_cond : NULL;
	dbg->observer.jump = dbg->profiling || (traces && !detail && !pure) ? on_jump : NULL;
	dbg->observer.data = detail || (armed && dbg_looks_at(dbg, false)) ? on_data : NULL;
	dbg->chip.watch(dbg->chip.arg, armed && dbg_looks_at(dbg, true));
	pt_vwires_taps_changed(dbg->wires);
	pt_vbus_reschedule(dbg->wires->bus);
}

/* --- registers */

/* Bits of each register that can be written while neither ARM nor PTACT is set; DBGC1 and DBGTB have rules of their
 * own. */
static uint8_t writable(const struct pt_vs12z_dbg *dbg, uint32_t at)
{
	static const uint8_t control[CHANNELS] = {
		NDB | INST | RW | RWE | COMPE, INST | RW | RWE | COMPE, NDB | INST | RW | RWE | COMPE,
		INST | RW | RWE | COMPE,
	};
	unsigned channel = (at - DBGXCTL) / COMPARATOR_BYTES, offset = at & 0xf;
	bool has_data = channel == CHANNEL_A || channel == CHANNEL_C;

	switch (at) {
	case DBGC2:
		return 0x0f;
	case DBGTCRH:
		return dbg->quirks.no_trace ? 0 : dbg->chip.secured(dbg->chip.arg) ? 0x3f : 0x7f;
	case DBGTCRL:
		return dbg->quirks.no_trace ? 0 : 0x0f;
	case DBGSCR1:
	case DBGSCR1 + 1:
	case DBGSCR3:
		return 0xff;
	default:
		break;
	}
	if (at < DBGXCTL || channel >= CHANNELS || (dbg->quirks.no_trace && channel == CHANNEL_C))
		return 0;
	if (offset == 0)
		return control[channel];
	return (offset >= 5 && offset <= 7) || (offset >= 8 && has_data) ? 0xff : 0;
}

static void write_byte(struct pt_vs12z_dbg *dbg, uint32_t at, uint8_t value)
{
	uint8_t bits = writable(dbg, at);

	if (at == DBGC1)
		write_c1(dbg, value);
	else if (bits != 0 && !dbg_armed(dbg) && !transmits(dbg))
		dbg->reg[at] = (uint8_t)((dbg->reg[at] & ~bits) | (value & bits));
}

static uint8_t read_byte(struct pt_vs12z_dbg *dbg, uint32_t at)
{
	switch (at) {
	case DBGTB:
	case DBGTB + 1:
		return ERROR_BYTE;
	case DBGCNT:
		return dbg_count(dbg);
	case DBGSR:
		return (uint8_t)((dbg->tbf && !(dbg->quirks.cnt_pending && dbg_profile_set(dbg)) ? TBF : 0) |
				 (transmits(dbg) ? PTACT : 0) | dbg->state);
	default:
		return at < PT_VS12Z_DBG_BYTES ? dbg->reg[at] : 0;
	}
}

/* The bus brings bytes and aligned words; the window is there for words only. */
static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vs12z_dbg *dbg = unit;

	*value = 0;
	if (offset == DBGTB && access->size_bytes == 2) {
		*value = dbg_read_word(dbg);
		return true;
	}
	for (unsigned i = 0; i < access->size_bytes; i++)
		*value = *value << 8 | read_byte(dbg, offset + i);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vs12z_dbg *dbg = unit;

	if (offset == DBGTB && access->size_bytes == 2)
		dbg_unlock(dbg);
	for (unsigned i = 0; i < access->size_bytes && offset != DBGTB; i++)
		write_byte(dbg, offset + i, (uint8_t)(value >> 8 * (access->size_bytes - 1 - i)));
	return true;
}

static uint64_t next_tick(void *unit)
{
	return dbg_profile_next_tick(unit);
}

static void tick(void *unit, uint64_t now_cycle)
{
	dbg_profile_tick(unit, now_cycle);
	end_if_full(unit);
}

/* Trace RAM and DBGCNT live through all but power-on, after which the RAM holds anything; the same anything each
 * time. */
static void reset(void *unit, bool power_on)
{
	struct pt_vs12z_dbg *dbg = unit;
	uint32_t noise = 0x9e3779b9;

	dbg_transmit_cut(dbg);
	memset(dbg->reg, 0, sizeof(dbg->reg));
	dbg->state = STATE_OFF;
	dbg->tracing = dbg->profiling = dbg->full = dbg->unlocked = dbg->stepping = false;
	if (power_on) {
		dbg->half_lines = 0;
		dbg->tbf = false;
		dbg->n_lines = 0;
		for (size_t i = 0; i < sizeof(dbg->line); i++) {
			noise = noise * 1664525 + 1013904223;
			((uint8_t *)dbg->line)[i] = (uint8_t)(noise >> 24);
		}
	}
	dbg_listen(dbg);
}

static uint64_t settle(void *unit)
{
	return dbg_transmit(unit);
}

void pt_vs12z_dbg_init(struct pt_vs12z_dbg *dbg, const struct pt_vwires *wires, const struct pt_vs12z_dbg_chip *chip,
		       const struct pt_vs12z_dbg_quirks *quirks)
{
	*dbg = (struct pt_vs12z_dbg){
		.wires = wires, .chip = *chip, .quirks = *quirks, .observer = { .arg = dbg },
		.pdo = { .bus_hz = wires->core_hz, .unit = dbg, .settle = settle },
	};
}

const struct pt_vunit_ops pt_vs12z_dbg_ops = {
	.name = "DBG", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
