/* The debug module DBG: its registers, its owner, and its state as found. Breakpoints, profiling and tracing need the
 * same ARM bit, so the module is leased as a whole ("dbg"): while it records no comparator can be set, and vice versa.
 * Why they do not share it: a comparator's match would end the recording, as a user wants. But BRKCPU, by which a match
 * stops the core, also lets the profiler's full buffer stop it (ZVHY 6.4.7), and for snapshots the module is disarmed
 * most of the time. A trace of the last changes of flow has neither problem, so breakpoints can record one
 * (pt_breaks_s12z_record()).
 *
 * Source: ZVHY, chapter 6 (S12ZDBGV2); places of registers and bits: the vendor's device headers for S12ZVHY64 and
 * S12ZVML128; banks B and C and the address of D by the regular distance of the banks. */
#ifndef PT_S12Z_DBG_H
#define PT_S12Z_DBG_H

#include <stdbool.h>
#include <stdint.h>

#include "targets/contract/target.h"

struct pt_s12z;

enum {
	DBG_C1 = 0x100,
	DBG_C2,
	DBG_TCRH,
	DBG_TCRL,
	DBG_TB,
	DBG_CNT = 0x106,
	DBG_SCR1,
	DBG_SCR2,
	DBG_SCR3,
	DBG_EFR,
	DBG_SR,
	DBG_ACTL = 0x110,
	DBG_BANK = 0x10, /* distance of the banks of comparators A, B, C, D */
	DBG_END = 0x148,
};
/* In a bank: control, address (3 bytes), data (4), mask of the data (4); B and D have no data. */
enum { DBG_CTL = 0x0, DBG_ADDR = 0x5, DBG_DATA = 0x8, DBG_MASK = 0xc };

enum { C1_ARM = 0x80, C1_TRIG = 0x40, C1_BDMBP = 0x10, C1_BRKCPU = 0x08, C1_ZERO = 0x24 };	/* ZERO: always 0 */
enum { TCRH_TSOURCE = 0x40, TCRH_ZERO = 0x80 };
enum { TCRL_DSTAMP = 0x08, TCRL_PDOE = 0x04, TCRL_PROFILE = 0x02, TCRL_STAMP = 0x01 };
enum { CTL_INST = 0x20, CTL_RW = 0x08, CTL_RWE = 0x04, CTL_COMPE = 0x01 };
enum { EFR_PTBOVF = 0x80, SR_TBF = 0x80, SR_PTACT = 0x10, SR_ZERO = 0x68 };

enum { PT_DBG_COMPS = 4 };
enum pt_dbg_mode { PT_DBG_NORMAL, PT_DBG_LOOP1, PT_DBG_DETAIL, PT_DBG_PURE_PC, PT_DBG_MODES };

/* Codes of fields whose documentation was not available (UNVERIFIED: assumed to be as in the S12 and S12X DBG). Each is
 * a setting of the target (s12z.c), so that the user can correct it. */
struct pt_dbg_codes {
	uint8_t trcmod[PT_DBG_MODES];		/* DBGTCRH.TRCMOD */
	uint8_t align_end, align_begin;		/* DBGTCRH.TALIGN */
	uint8_t to_final;			/* DBGSCR1.CxSC: State1 to Final State */
	uint8_t inside;				/* DBGC2.ABCM and CDCM: a match inside the range of the pair */
	uint8_t rw_read, rw_write;		/* DBGxCTL.RW */
};

enum pt_dbg_kind {
	PT_DBG_UNKNOWN,		/* it was armed or not accessible at attach, so it could not be tested */
	PT_DBG_NONE,
	PT_DBG_LITE,		/* S12ZDBGV3, "DebugLite": comparators A, B, D and breakpoints only (ZVMB) */
	PT_DBG_TRACE,		/* a trace buffer, but no profiling (ZVL) */
	PT_DBG_PROFILE,		/* S12ZDBGV2 with profiling (ZVM, ZVHY) */
};

struct pt_dbg {
	enum pt_dbg_kind kind;
	struct pt_dbg_codes codes;
	uint8_t found[DBG_END - DBG_C1], now[DBG_END - DBG_C1];	/* registers as found, and as last written by us */
	bool saved;			/* found is valid; differing registers must be restored */
	bool armed;			/* by us, for breakpoints */
	bool owed;			/* given up while the core was in STOP mode: restored when it wakes */
};

/* A list of byte writes, one batch on the wire. */
enum { PT_DBG_BATCH = 48 };
struct pt_dbg_writes {
	struct { uint16_t addr; uint8_t value; } write[PT_DBG_BATCH];
	unsigned n;
};

static inline void pt_dbg_put(struct pt_dbg_writes *w, unsigned addr, unsigned value)
{
	w->write[w->n].addr = (uint16_t)addr;
	w->write[w->n++].value = (uint8_t)value;
}

void pt_dbg_put_addr(struct pt_dbg_writes *w, unsigned bank, uint32_t addr);
int pt_dbg_write(struct pt_s12z *z, const struct pt_dbg_writes *w, struct pt_err *err);

/* Finds out what the module can do. Sets a bit in DBGTCRH and DBGTCRL and clears it again, only while the module is not
 * armed. Source of the method: ZVM p.165 (READ_DBGTB) and the device headers (bits that can be set). */
int pt_dbg_discover(struct pt_s12z *z, struct pt_err *err);
const char *pt_dbg_kind_name(enum pt_dbg_kind kind);
/* 0, also if the kind is unknown; or PT_EUNSUPPORTED with the reason why there is no profiling or trace. */
int pt_dbg_needs(struct pt_s12z *z, enum pt_dbg_kind least, struct pt_err *err);

/* Takes the module: leases it, and saves its registers, once. PT_EBUSY: it has another owner, or the application itself
 * has armed it (then nothing is written, unless dbg-take=on). */
int pt_dbg_take(struct pt_s12z *z, const char *owner, struct pt_err *err);
/* Disarms, restores every register, gives up the lease. In STOP mode nothing can be written: a warning is logged, and
 * the restore is done when the core is awake (pt_dbg_pay()), or by the next owner of the module. */
int pt_dbg_give_back(struct pt_s12z *z, const char *owner, struct pt_err *err);
/* Does a pending restore, if there is one. PT_EFAULT: the core still sleeps. */
int pt_dbg_pay(struct pt_s12z *z, struct pt_err *err);
/* A reset has cleared the registers: nothing is left to restore. The lease stays. */
void pt_dbg_was_reset(struct pt_s12z *z);
/* Checks values read from DBGC1 and DBGTCRH, or from DBGSR. Ones, or 0xee, in bits that are always 0 mean that there
 * was no answer: PT_EPROTO, or PT_EFAULT if the target answers, but not the bus behind its BDC (STOP mode, with a probe
 * that cannot detect it; then wire.asleep is set). */
int pt_dbg_believe(struct pt_s12z *z, uint8_t c1, uint8_t tcrh, struct pt_err *err);
int pt_dbg_believe_sr(struct pt_s12z *z, uint32_t sr, struct pt_err *err);
/* Clears ARM, and waits until PTACT is 0: only then may the other registers be written (ZVHY 6.3.2.7). */
int pt_dbg_disarm(struct pt_s12z *z, struct pt_err *err);
/* Lists registers that differ from their values as found. */
void pt_dbg_describe(const struct pt_s12z *z, void (*say)(void *arg, const char *line), void *arg);

#endif
