/* What the files of the DBG model share; not for others. Offsets are from 0x100. Source: S12ZVHY/S12ZVHL RM Rev. 1.05,
 * chapter 6. */
#ifndef PT_VIRTUAL_UNIT_S12Z_DBG_PARTS_H
#define PT_VIRTUAL_UNIT_S12Z_DBG_PARTS_H

#include "probes/virtual/unit/s12z/s12z_dbg.h"

enum {
	DBGC1 = 0x00, DBGC2 = 0x01, DBGTCRH = 0x02, DBGTCRL = 0x03, DBGTB = 0x04, DBGCNT = 0x06, DBGSCR1 = 0x07,
	DBGSCR3 = 0x09,
	DBGEFR = 0x0a, DBGSR = 0x0b, DBGXCTL = 0x10, COMPARATOR_BYTES = 0x10,
};

enum { ARM = 0x80, TRIG = 0x40, BDMBP = 0x10, BRKCPU = 0x08, EEVE = 0x03 };		/* DBGC1 */
enum { TSOURCE = 0x40, TRANGE = 0x30, TRCMOD = 0x0c, TALIGN = 0x03 };			/* DBGTCRH */
enum { DSTAMP = 0x08, PDOE = 0x04, PROFILE = 0x02, STAMP = 0x01 };			/* DBGTCRL */
enum { PTBOVF = 0x80, TRIGF = 0x40, EEVF = 0x10 };					/* DBGEFR */
enum { TBF = 0x80, PTACT = 0x10 };							/* DBGSR */
enum { NDB = 0x40, INST = 0x20, RW = 0x08, RWE = 0x04, COMPE = 0x01 };			/* DBGXCTL */

/* Codes that are UNVERIFIED, all of them. */
enum { EEV_OFF, EEV_ENTRY, EEV_CHANNEL_3, EEV_GATE };		/* EEVE */
enum { RANGE_OFF, RANGE_INSIDE, RANGE_OUTSIDE };		/* ABCM, CDCM */
enum { TRACE_ALL, TRACE_TO_D, TRACE_FROM_C, TRACE_C_TO_D };	/* TRANGE */
enum { MODE_NORMAL, MODE_LOOP1, MODE_DETAIL, MODE_PURE_PC };	/* TRCMOD */
enum { ALIGN_END, ALIGN_BEGIN, ALIGN_MID };			/* TALIGN */
enum { ERROR_BYTE = 0xee };					/* reads of DBGTB that are not allowed */
enum { STATE_OFF, STATE_1, STATE_2, STATE_3, STATE_FINAL };	/* SSF */
enum { MID_LINES = 32 };

enum { CHANNELS = 4, CHANNEL_A = 0, CHANNEL_B, CHANNEL_C, CHANNEL_D };

/* Profiling. Source: 2.3 */
enum { PTS = 0, PTIB = 1, PTHF = 2, PTVB = 3, PTW = 7, INFO_FORMAT = 0x0f };
enum { INFO_TERM = 0x10, INFO_TBOVF = 0x20, INFO_TSOVF = 0x40 };

static inline unsigned dbg_mode(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGTCRH] & TRCMOD) >> 2;
}

static inline unsigned dbg_align(const struct pt_vs12z_dbg *dbg)
{
	return dbg->reg[DBGTCRH] & TALIGN;
}

static inline bool dbg_armed(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGC1] & ARM) != 0;
}

static inline bool dbg_profile_set(const struct pt_vs12z_dbg *dbg)
{
	return (dbg->reg[DBGTCRL] & PROFILE) != 0;
}

/* s12z_dbg.c */
void dbg_go(struct pt_vs12z_dbg *dbg, unsigned state);		/* the sequencer enters a state */
void dbg_listen(struct pt_vs12z_dbg *dbg);			/* the observer hears what is needed, no more */

/* s12z_dbg_match.c */
enum dbg_look { LOOK_FETCH, LOOK_READ, LOOK_WRITE };
struct dbg_access { enum dbg_look look; uint32_t addr; unsigned size_bytes; uint32_t value; };
/* Bits of the channels that match. */
unsigned dbg_matches(const struct pt_vs12z_dbg *dbg, const struct dbg_access *access);
bool dbg_looks_at(const struct pt_vs12z_dbg *dbg, bool fetches);	/* any comparator that does */
uint32_t dbg_comparator_address(const struct pt_vs12z_dbg *dbg, unsigned channel);
/* The same, and they move the sequencer. */
unsigned dbg_on_access(struct pt_vs12z_dbg *dbg, const struct dbg_access *access);

/* s12z_dbg_buffer.c */
unsigned dbg_next_line(const struct pt_vs12z_dbg *dbg);
/* A line, or half of one, goes in at dbg_next_line(). Where alignment says that it was the last (not in profiling),
 * full is set and nothing more goes in. */
void dbg_put_line(struct pt_vs12z_dbg *dbg, const uint8_t line[8]);
void dbg_put_half(struct pt_vs12z_dbg *dbg, const uint8_t half[4]);
uint16_t dbg_read_word(struct pt_vs12z_dbg *dbg);
void dbg_unlock(struct pt_vs12z_dbg *dbg);
uint8_t dbg_count(const struct pt_vs12z_dbg *dbg);		/* DBGCNT as it reads */

/* s12z_dbg_trace.c */
void dbg_trace_begin(struct pt_vs12z_dbg *dbg);
void dbg_trace_end(struct pt_vs12z_dbg *dbg);
void dbg_trace_listen(struct pt_vs12z_dbg *dbg);
/* An entry because of an event, or of comparator D. */
void dbg_trace_extra(struct pt_vs12z_dbg *dbg, uint32_t pc, bool event);
void dbg_trace_access(struct pt_vs12z_dbg *dbg, const struct dbg_access *access, uint32_t pc, bool matched_d);
void dbg_trace_insn(struct pt_vs12z_dbg *dbg, uint32_t pc);
void dbg_trace_jump(struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to);
void dbg_trace_mid(struct pt_vs12z_dbg *dbg);			/* Pure PC: the trigger of a Mid-aligned trace */

/* s12z_dbg_profile.c */
bool dbg_is_indirect(const struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t detail);
void dbg_profile_begin(struct pt_vs12z_dbg *dbg);
void dbg_profile_end(struct pt_vs12z_dbg *dbg);			/* the line with TERM */
void dbg_profile_cond(struct pt_vs12z_dbg *dbg, bool taken);
void dbg_profile_jump(struct pt_vs12z_dbg *dbg, enum pt_vjump how, uint32_t detail, uint32_t to);
uint64_t dbg_profile_next_tick(const struct pt_vs12z_dbg *dbg);
void dbg_profile_tick(struct pt_vs12z_dbg *dbg, uint64_t now_cycle);
uint64_t dbg_transmit(struct pt_vs12z_dbg *dbg);		/* what is through by now; see pt_vpdo.settle */
void dbg_transmit_cut(struct pt_vs12z_dbg *dbg);		/* a reset */

#endif
