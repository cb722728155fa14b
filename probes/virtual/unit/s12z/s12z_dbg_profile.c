/* Profiling lines and their way out. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-225.
 *
 * The transmitter is only arithmetic: when it is asked, it has sent what it could since it was asked last. */
#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/unit/s12z/s12z_dbg_parts.h"

enum { STAMP_OVERFLOW = 65536, EMPTY = 1, MOST_BRANCHES_BIT = 31 };

/* --- transmission */

static bool drains(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGTCRL] & PDOE) != 0 || !dbg->quirks.pdoe_holds;
}

static unsigned bytes_of(const struct pt_vs12z_dbg *dbg, const uint8_t *line)
{
	switch (line[0] & INFO_FORMAT) {
	case PTS:
		return 4;
	case PTHF:
		return dbg->quirks.pthf_5 ? 5 : 6;
	default:
		return 8;
	}
}

static void tell(const struct pt_vs12z_dbg *dbg, unsigned n_bits)
{
	const struct pt_vpdo_listener *listener = dbg->pdo.listener;

	if (listener != NULL && (dbg->reg[DBGTCRL] & PDOE) != 0)
		listener->bits(listener->arg, dbg->tx_cycle, dbg->line[dbg->tx_line][dbg->tx_byte], n_bits);
}

static void next_byte(struct pt_vs12z_dbg *dbg)
{
	dbg->tx_cycle += PT_VPDO_BYTE_CYCLES;
	if (++dbg->tx_byte < bytes_of(dbg, dbg->line[dbg->tx_line]))
		return;
	dbg->tx_byte = 0;
	dbg->tx_line = (dbg->tx_line + 1) % PT_VS12Z_DBG_LINES;
	dbg->sending = --dbg->pending > 0;
}

uint64_t dbg_transmit(struct pt_vs12z_dbg *dbg)
{
	uint64_t now = pt_vwires_now(dbg->wires);

	while (dbg->sending && dbg->tx_cycle + PT_VPDO_BYTE_CYCLES <= now) {
		tell(dbg, 8);
		next_byte(dbg);
	}
	return dbg->sending && dbg->tx_cycle < now ? dbg->tx_cycle : now;
}

void dbg_transmit_cut(struct pt_vs12z_dbg *dbg)
{
	uint64_t now = pt_vwires_now(dbg->wires);

	dbg_transmit(dbg);
	if (dbg->sending && now >= dbg->tx_cycle)
		tell(dbg, (unsigned)(now - dbg->tx_cycle) / PT_VPDO_BIT_CYCLES);
	dbg->sending = false;
	dbg->pending = 0;
}

/* --- lines */

static void queue(struct pt_vs12z_dbg *dbg)
{
	dbg->pending++;
	if (dbg->sending || !drains(dbg))
		return;
	dbg->sending = true;
	dbg->tx_byte = 0;
	dbg->tx_cycle = pt_vwires_now(dbg->wires);
}

static uint8_t overflow_bits(const struct pt_vs12z_dbg *dbg)
{
	return (uint8_t)(INFO_TBOVF | (dbg->quirks.tbovf_alone ? 0 : INFO_TERM));
}

static void end_session(struct pt_vs12z_dbg *dbg)
{
	dbg->profiling = false;
	dbg->reg[DBGEFR] |= PTBOVF;
	dbg->full = true;
}

/* The line that makes 64 wait is the last one, and says so unless it is the last one anyway. The upper bytes of short
 * lines keep what they held. */
static void put_line(struct pt_vs12z_dbg *dbg, uint8_t info, const uint8_t upper[3])
{
	static const uint8_t nothing[3] = { 0 };
	uint8_t line[8], *old = dbg->line[dbg_next_line(dbg)];
	bool full;

	dbg_transmit(dbg);
	full = dbg->pending + 1 >= PT_VS12Z_DBG_LINES && (info & INFO_TERM) == 0;
	if (full)
		info |= overflow_bits(dbg);
	line[0] = info;
	for (unsigned i = 0; i < 4; i++)
		line[1 + i] = (uint8_t)(dbg->branches >> 8 * i);
	for (unsigned i = 0; i < 3; i++)
		line[5 + i] = upper != NULL ? upper[i] : i == 0 ? 0 : old[5 + i];
	dbg->branches = EMPTY;
	dbg->cof_cycle = pt_vwires_now(dbg->wires);
	dbg_put_line(dbg, line);
	queue(dbg);
	if (full || (info & INFO_TBOVF) != 0)
		end_session(dbg);
	else if (dbg->quirks.tbovf_ptw && dbg->pending + 1 >= PT_VS12Z_DBG_LINES)
		put_line(dbg, PTW | overflow_bits(dbg), nothing);
}

static void put24(const struct pt_vs12z_dbg *dbg, uint8_t at[3], uint32_t address)
{
	for (unsigned i = 0; i < 3; i++)
		at[dbg->quirks.swap24 ? 2 - i : i] = (uint8_t)(address >> 8 * i);
}

/* Vector or 0, then the stamp: low byte first, or the other way round as addresses are. */
static void put_timed(struct pt_vs12z_dbg *dbg, uint8_t info, uint8_t vector)
{
	uint64_t since = pt_vwires_now(dbg->wires) - dbg->cof_cycle;
	unsigned low = dbg->quirks.swap24 ? 2 : 1;
	uint8_t upper[3] = { vector };

	upper[low] = (uint8_t)since;
	upper[3 - low] = (uint8_t)(since >> 8);

	put_line(dbg, info, upper);
}

void dbg_profile_begin(struct pt_vs12z_dbg *dbg)
{
	uint8_t *line = dbg->line[dbg_next_line(dbg)], start[8];

	dbg->profiling = true;
	dbg->pending = 0;
	dbg->tx_line = dbg_next_line(dbg);
	dbg->branches = EMPTY;
	dbg->cof_cycle = pt_vwires_now(dbg->wires);
	start[0] = PTS;
	put24(dbg, start + 1, dbg->chip.pc(dbg->chip.arg));
	for (unsigned i = 4; i < 8; i++)
		start[i] = line[i];
	dbg_put_line(dbg, start);
	queue(dbg);
}

void dbg_profile_end(struct pt_vs12z_dbg *dbg)
{
	put_timed(dbg, PTW | INFO_TERM, 0);
	dbg->profiling = false;
}

/* --- events */

bool dbg_is_indirect(const struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t detail)
{
	switch (how) {
	case PT_VJUMP_RETURN:
	case PT_VJUMP_EXC_RETURN:
		return true;
	case PT_VJUMP_GOTO_OPERAND:
	case PT_VJUMP_CALL_OPERAND:
		if (detail == PT_VS12Z_AT_EXTENDED)
			return dbg->quirks.extended_indirect;
		return detail != PT_VS12Z_AT_PC || !dbg->quirks.pc_relative_direct;
	default:
		return false;
	}
}

static void changed_flow(struct pt_vs12z_dbg *dbg)
{
	if (!dbg->quirks.stamp_by_line)
		dbg->cof_cycle = pt_vwires_now(dbg->wires);
	pt_vbus_reschedule(dbg->wires->bus);
}

void dbg_profile_cond(struct pt_vs12z_dbg *dbg, bool taken)
{
	dbg->branches = dbg->branches << 1 | taken;
	changed_flow(dbg);
	if ((dbg->branches >> MOST_BRANCHES_BIT) != 0)
		put_line(dbg, PTHF, NULL);
}

/* Bits 8:1 of the vector's address. */
static void vector(struct pt_vs12z_dbg *dbg, uint32_t entry)
{
	unsigned n = (0x1fc - (entry & 0x1fc)) / 4;

	if (n > PT_VS12Z_MACHINE || !dbg->quirks.software_silent)
		put_timed(dbg, PTVB, (uint8_t)(entry >> 1));
}

void dbg_profile_jump(struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t detail, uint32_t to)
{
	uint8_t upper[3];

	if (how == PT_VJUMP_EXCEPTION) {
		vector(dbg, detail);
	} else if (dbg_is_indirect(dbg, how, detail)) {
		put24(dbg, upper, to);
		put_line(dbg, PTIB, upper);
	}
}

/* 65536 cycles without a change of flow. */
uint64_t dbg_profile_next_tick(const struct pt_vs12z_dbg *dbg)
{
	return dbg->profiling ? dbg->cof_cycle + STAMP_OVERFLOW : PT_VNEVER;
}

void dbg_profile_tick(struct pt_vs12z_dbg *dbg, uint64_t now_cycle)
{
	(void)now_cycle;
	if (dbg->profiling)
		put_timed(dbg, PTW | INFO_TSOVF, 0);
}
