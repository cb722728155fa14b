/* The debug module DBG: its registers, who has it, and how it was found. Breakpoints, profiling and tracing need one
 * and the same ARM bit, so the module is leased as a whole ("dbg"): while it records no comparator can be set, and
 * the other way round. Could they not share it? A comparator's match would end the recording, which is what a user
 * wants; but BRKCPU, which makes a match stop the core, also makes the profiler's full buffer stop it (ZVHY 6.4.7),
 * and a snapshot is disarmed most of the time. A trace of the last changes of flow has neither trouble, so
 * breakpoints can record one (pt_breaks_s12z_record()).
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

/* Codes of fields that could not be read in the manual (UNVERIFIED: the same as in the S12 and S12X DBG): each is a
 * setting of the target (s12z.c), so that a correction is a word. */
struct pt_dbg_codes {
	uint8_t trcmod[PT_DBG_MODES];		/* DBGTCRH.TRCMOD */
	uint8_t align_end, align_begin;		/* DBGTCRH.TALIGN */
	uint8_t to_final;			/* DBGSCR1.CxSC: State1 to Final State */
	uint8_t inside;				/* DBGC2.ABCM and CDCM: a match inside the range of the pair */
	uint8_t rw_read, rw_write;		/* DBGxCTL.RW */
};

enum pt_dbg_kind {
	PT_DBG_UNKNOWN,		/* it was armed, or out of reach, when we came, so it could not be read */
	PT_DBG_NONE,
	PT_DBG_LITE,		/* S12ZDBGV3, "DebugLite": comparators A, B, D and breakpoints only (ZVMB) */
	PT_DBG_TRACE,		/* a trace buffer, but no profiling (ZVL) */
	PT_DBG_PROFILE,		/* S12ZDBGV2 with profiling (ZVM, ZVHY) */
};

struct pt_dbg {
	enum pt_dbg_kind kind;
	struct pt_dbg_codes codes;
	uint8_t found[DBG_END - DBG_C1], now[DBG_END - DBG_C1];	/* registers as found, and as we wrote them last */
	bool saved;			/* found is valid, and what differs from it is to be put back */
	bool armed;			/* by us, for breakpoints */
	bool owed;			/* given up while the core slept too deep to be
					 * reached: put back when it wakes */
};

/* A row of byte-wide writes, one batch on the wire. */
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

/* What the module can do. Writes a bit to DBGTCRH and DBGTCRL and takes it back, but only while the module is not
 * armed. Source of the method: READ_DBGTB and the bits that stay, facts of ZVM p.165 and of the device headers. */
int pt_dbg_discover(struct pt_s12z *z, struct pt_err *err);
const char *pt_dbg_kind_name(enum pt_dbg_kind kind);
/* 0, also where it is not known; or PT_EUNSUPPORTED with why there is no profiling, or no trace. */
int pt_dbg_needs(struct pt_s12z *z, enum pt_dbg_kind least, struct pt_err *err);

/* Take the module: lease it and keep what its registers are, once. PT_EBUSY: another has it, or the application
 * itself has armed it (then nothing is touched, unless dbg-take=on). */
int pt_dbg_take(struct pt_s12z *z, const char *owner, struct pt_err *err);
/* Disarm, put every register back as it was found, give up the lease. In STOP mode nothing can be written: that is
 * told, and done when the core is seen awake (pt_dbg_pay()), or is left to the next who takes the module. */
int pt_dbg_give_back(struct pt_s12z *z, const char *owner, struct pt_err *err);
/* What is owed, if anything is. PT_EFAULT: it sleeps still. */
int pt_dbg_pay(struct pt_s12z *z, struct pt_err *err);
/* A reset has cleared the registers: there is nothing to put back any more. The lease stays. */
void pt_dbg_was_reset(struct pt_s12z *z);
/* Were these read of DBGC1 and DBGTCRH, or of DBGSR? Ones, or 0xee, in bits that are always 0 are no values but the
 * lack of an answer: PT_EPROTO, or PT_EFAULT where the target is there, but the bus behind its BDC is not (STOP mode,
 * on a probe that cannot tell; then wire.asleep is set). */
int pt_dbg_believe(struct pt_s12z *z, uint8_t c1, uint8_t tcrh, struct pt_err *err);
int pt_dbg_believe_sr(struct pt_s12z *z, uint32_t sr, struct pt_err *err);
/* ARM = 0, and wait until PTACT = 0: only then may the rest be written (ZVHY 6.3.2.7). */
int pt_dbg_disarm(struct pt_s12z *z, struct pt_err *err);
/* Registers that differ from how they were found. */
void pt_dbg_describe(const struct pt_s12z *z, void (*say)(void *arg, const char *line), void *arg);

#endif
