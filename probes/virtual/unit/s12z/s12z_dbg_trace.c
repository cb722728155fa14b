/* The trace modes. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 213-220. */
#include <string.h>

#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/unit/s12z/s12z_dbg_parts.h"

enum { CET_NONE = 0x00, CET_VECTOR = 0x40, CET_SOURCE = 0x80, CET_TARGET = 0xc0, CTI = 0x08, EEVI = 0x04, TOVF = 0x01 };
enum { CRW = 0x20, TS_PC = 0x04, TS_MARK = 0x02 };
enum { MAT = 0x80, PURE_BYTES = 7, BASE_BYTES = 3 };

void dbg_trace_begin(struct pt_vs12z_dbg *dbg)
{
	dbg->tracing = true;
	dbg->entry_cycle = pt_vwires_now(dbg->wires);
	dbg->last_source = UINT32_MAX;
	dbg->data_pc = UINT32_MAX;
	memset(&dbg->pure, 0, sizeof(dbg->pure));
}

static void put_address(uint8_t *at, uint32_t address)
{
	at[0] = (uint8_t)address;
	at[1] = (uint8_t)(address >> 8);
	at[2] = (uint8_t)(address >> 16);
}

/* Cycles since the last entry into b7 and b6. Returns TOVF, or 0. */
static uint8_t put_stamp(struct pt_vs12z_dbg *dbg, uint8_t line[8])
{
	uint64_t now = pt_vwires_now(dbg->wires), since = now - dbg->entry_cycle;

	dbg->entry_cycle = now;
	line[7] = (uint8_t)(since >> 8);
	line[6] = (uint8_t)since;
	return since > UINT16_MAX ? TOVF : 0;
}

/* --- Normal and Loop1 */

static void entry(struct pt_vs12z_dbg *dbg, uint8_t cinf, uint32_t pc)
{
	uint8_t line[8] = { 0 };

	put_address(line, pc);
	line[3] = cinf;
	if ((dbg->reg[DBGTCRL] & STAMP) != 0) {
		line[3] |= put_stamp(dbg, line);
		dbg_put_line(dbg, line);
	} else {
		dbg_put_half(dbg, line);
	}
}

void dbg_trace_extra(struct pt_vs12z_dbg *dbg, uint32_t pc, bool event)
{
	if (dbg_mode(dbg) == MODE_NORMAL || dbg_mode(dbg) == MODE_LOOP1)
		entry(dbg, CET_NONE | (event ? EEVI : CTI), pc);
}

/* Loop1 leaves out a source that is the same as the entry before. */
static void branch(struct pt_vs12z_dbg *dbg, uint32_t from)
{
	if (dbg_mode(dbg) == MODE_LOOP1 && from == dbg->last_source)
		return;
	dbg->last_source = from;
	entry(dbg, CET_SOURCE, from);
}

void dbg_trace_jump(struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	if ((dbg->reg[DBGC1] & EEVE) == EEV_GATE && !dbg->event_level)
		return;
	if (how == PT_VJUMP_BRANCH) {
		branch(dbg, from);
	} else if (how == PT_VJUMP_EXCEPTION) {
		dbg->last_source = UINT32_MAX;
		entry(dbg, CET_VECTOR, to);
	} else if (dbg_is_indirect(dbg, how, detail)) {
		dbg->last_source = UINT32_MAX;
		entry(dbg, CET_TARGET, to);
	}
}

/* --- Detail */

static bool in_range(const struct pt_vs12z_dbg *dbg, uint32_t addr)
{
	uint32_t c = dbg_comparator_address(dbg, CHANNEL_C), d = dbg_comparator_address(dbg, CHANNEL_D);

	switch ((dbg->reg[DBGTCRH] & TRANGE) >> 4) {
	case TRACE_TO_D:
		return addr <= d;
	case TRACE_FROM_C:
		return addr >= c;
	case TRACE_C_TO_D:
		return addr >= c && addr <= d;
	default:
		return true;
	}
}

static void put_access(struct pt_vs12z_dbg *dbg, const struct dbg_access *access)
{
	uint8_t line[8] = { 0 };

	put_address(line, access->addr);
	line[3] = (uint8_t)((access->size_bytes - 1) << 6 | (access->look == LOOK_READ ? CRW : 0));
	for (unsigned i = 0; i < access->size_bytes; i++)
		line[7 - ((access->addr + i) & 3)] = (uint8_t)(access->value >> 8 * (access->size_bytes - 1 - i));
	dbg_put_line(dbg, line);
}

/* The second line; an access back to back with the one before has none. */
static void put_when(struct pt_vs12z_dbg *dbg, uint32_t pc, bool matched_d)
{
	uint8_t line[8] = { 0 };
	bool back_to_back = dbg->data_pc == pc && dbg->data_cycle == pt_vwires_now(dbg->wires);

	dbg->data_pc = pc;
	dbg->data_cycle = pt_vwires_now(dbg->wires);
	if (back_to_back || !dbg->tracing)
		return;
	put_address(line, pc);
	line[3] = (uint8_t)(TS_PC | TS_MARK | (matched_d ? CTI : 0) | put_stamp(dbg, line));
	dbg_put_line(dbg, line);
}

void dbg_trace_access(struct pt_vs12z_dbg *dbg, const struct dbg_access *access, uint32_t pc, bool matched_d)
{
	if (!in_range(dbg, access->addr))
		return;
	put_access(dbg, access);
	if ((dbg->reg[DBGTCRL] & STAMP) != 0)
		put_when(dbg, pc, matched_d);
}

/* --- Pure PC. An address is kept back until the next one is known: it goes in as one byte if that has the same upper
 * 16 bits and a base still fits behind it, else as a base, whose upper bits count for the short ones before it. */

static void end_line(struct pt_vs12z_dbg *dbg, uint8_t mat)
{
	uint8_t bases = dbg->quirks.base_bits_off ? 0 : dbg->pure.bases;

	dbg->pure.bytes[PURE_BYTES] = (uint8_t)(mat | dbg->pure.used << 4 | bases);
	dbg->pure.used = 0;
	dbg->pure.bases = 0;
	dbg_put_line(dbg, dbg->pure.bytes);
}

static void put_base(struct pt_vs12z_dbg *dbg, uint32_t pc)
{
	put_address(dbg->pure.bytes + dbg->pure.used, pc);
	dbg->pure.bases |= (uint8_t)(1u << dbg->pure.used & 0xf);
	dbg->pure.used += BASE_BYTES;
}

void dbg_trace_insn(struct pt_vs12z_dbg *dbg, uint32_t pc)
{
	uint32_t last = dbg->pure.pending;
	bool fits = dbg->pure.used + 1 + BASE_BYTES <= PURE_BYTES, had = dbg->pure.has_pending;

	dbg->pure.pending = pc;
	dbg->pure.has_pending = true;
	if (!had)
		return;
	if (fits && last >> 8 == pc >> 8) {
		dbg->pure.bytes[dbg->pure.used++] = (uint8_t)last;
		return;
	}
	put_base(dbg, last);
	if (dbg->pure.used + BASE_BYTES > PURE_BYTES)
		end_line(dbg, 0);
}

static void flush(struct pt_vs12z_dbg *dbg, uint8_t mat)
{
	if (!dbg->pure.has_pending)
		return;
	dbg->pure.has_pending = false;
	put_base(dbg, dbg->pure.pending);
	end_line(dbg, mat);
}

/* The trigger ends the line, and marks it. */
void dbg_trace_mid(struct pt_vs12z_dbg *dbg)
{
	if (dbg_mode(dbg) == MODE_PURE_PC)
		flush(dbg, MAT);
}

void dbg_trace_end(struct pt_vs12z_dbg *dbg)
{
	dbg->tracing = false;
	if (dbg_mode(dbg) == MODE_PURE_PC)
		flush(dbg, 0);
}
