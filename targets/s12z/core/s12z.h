/* The target s12z: Freescale/NXP S12Z (MagniV), accessed by the single wire of its background debug controller. This
 * header is shared by its files; others use struct pt_target_ops. Board thread only. To test a part over a fake wire:
 * zero the struct, set target, and call pt_s12z_wire_init().
 *
 *   wire.c                             the BDC: ENBDC, flags, faults, batches
 *   mem.c                              memory through it
 *   chips.c security.c                 what is there
 *   control.c registers.c reset.c      the core
 *   dbg.c breakpoints.c                the DBG module: who has it, its comparators
 *   flash.c flash_ftmrz.c              programming
 *   source_*.c                         trace
 *   s12z.c                             attach, detach, and the table of it all
 *
 * Manuals: "ZVHY" is the S12ZVHY/S12ZVHL Family Reference Manual Rev. 1.05, "ZVM" the MC9S12ZVM Family Reference
 * Manual Rev. 1.3. What is said to be UNVERIFIED could not be read there, and is a setting, or nothing rests on it:
 *
 *   what could not be read                        setting (standard), or why there is none
 *   places of bits in BDCCSR                      bdccsr (BDCCIS 13, STEAL 11, flags 7 to 0 as in bdccsr.h)
 *   BDCCSR behind a reset                         none: it is read
 *   what CLKSW selects                            none: left as found, and the clock is measured again behind a reset
 *   which commands need ENBDC and no security     none: ENBDC is set before the first of them; a refusal says why
 *   pc behind a BGND                              bgnd-pc (learn)
 *   DBGTCRH.TRCMOD, TALIGN; DBGSCR1.CxSC          dbg-trcmod (0123), dbg-talign (01), dbg-final (3)
 *   DBGC2.ABCM, CDCM; DBGxCTL.RW                  dbg-inside (1), dbg-rw-read (1)
 *   DBGC1.EEVE, DBGTCRH.TRANGE, SSF, State2, 3    none: written as 0, or not used
 *   when registers of the DBG are locked          none: ARM and PTACT are 0 before any is written, DBGC1 is written
 *                                                 twice
 *   what clears PTBOVF; DBGCNT in profiling       none: lines tell where a session is (pt_s12z_locate)
 *   reading the buffer: PROFILE = 0, unlocking    profile-clear (on), unlock (on)
 *   value of a refused read of the buffer         none: no line begins so
 *   PDOE = 0: does the buffer drain               pdoe0-drains (learn)
 *   edges of PDOCLK, bytes of PTHF                edge (both), pthf-bytes (6; 5 is recognised)
 *   pins of PDO and PDOCLK, the bus clock         pdo, pdoclk (names of the capture's channels), bus-clock, sample-rate
 *   order of bytes in addresses and stamps        swap24 (off)
 *   stamps from the change of flow or the line    stamp-from (cof)
 *   TERM beside TBOVF                             none: both are read
 *   SWI, SYS, TRAP make a PTVB                    none: one is taken where it comes; where none does, flow is lost and
 *                                                 says so
 *   JMP, JSR with a fixed or pc-relative operand  none: what comes in the trace decides, and reports count which it was
 *   pc that an operand is relative to             none: that of the instruction or of the next, whichever the trace
 *                                                 names
 *   place of the handler in a vector              vector-offset (1; of the ELF, src/program/model/settings.h)
 *   NB bits of Pure PC                            nb (off)
 *   clock of the flash controller                 flash-clock (6.25 MHz)
 *   order of an exception's frame                 none here: only the virtual core makes one */
#ifndef PT_S12Z_S12Z_H
#define PT_S12Z_S12Z_H

#include "targets/s12z/core/breakpoints.h"
#include "targets/s12z/core/chips.h"
#include "targets/s12z/core/dbg.h"
#include "targets/s12z/core/flash_notes.h"
#include "targets/s12z/core/wire.h"
#include "targets/contract/target.h"

/* Where the pc is after a BGND has stopped the core. UNVERIFIED: learned by observation. */
enum pt_bgnd_pc { PT_BGND_UNKNOWN, PT_BGND_AT, PT_BGND_BEHIND };

struct pt_s12z {
	struct pt_target *target;	/* for leases and its probe */
	struct pt_wire_s12z wire;
	struct pt_mem mem;
	struct pt_chip_s12z chip;
	char name[96];			/* chip and module versions */
	bool locked;			/* secured: only the always available commands work */

	uint16_t found_csr;		/* BDCCSR as found at attach */
	bool found_saved;

	/* run control */
	bool was_reset;			/* a reset was seen since the last status */
	bool halted;			/* as last seen; then stop is valid */
	bool asked, stepped;		/* our last command was a halt, or a step */
	struct pt_core_status stop;
	enum pt_bgnd_pc bgnd_pc;

	/* settings */
	bool under_reset, allow_lock, dbg_take;
	struct pt_bdccsr bits;
	uint32_t flash_bus_hz;		/* the bus clock after a reset, for the flash's divider */

	struct pt_dbg dbg;
	struct pt_breaks_s12z breaks;
	struct pt_flash_s12z flash;
	unsigned n_sources;		/* active sources, which need ENBDC */
};

/* --- mem.c -------------------------------------------------------------------------------------------------------- */
void pt_s12z_mem_init(struct pt_s12z *z);
/* Access to one byte-wide register. */
int pt_s12z_get8(struct pt_s12z *z, uint32_t addr, uint8_t *value, struct pt_err *err);
int pt_s12z_put8(struct pt_s12z *z, uint32_t addr, uint8_t value, struct pt_err *err);

/* --- control.c ---------------------------------------------------------------------------------------------------- */
int pt_s12z_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err);
int pt_s12z_halt(void *state, unsigned core, struct pt_err *err);
int pt_s12z_resume(void *state, unsigned core, struct pt_err *err);
int pt_s12z_step(void *state, unsigned core, struct pt_err *err);
int pt_s12z_leave(void *state, struct pt_err *err);
/* restores BDCCSR and the core as found */
int pt_s12z_restore(struct pt_s12z *z, bool resume, struct pt_err *err);
/* for BDCCSR as an earlier process found it, noted by wire.c */
int pt_s12z_pending_read(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values,
			 struct pt_err *err);
int pt_s12z_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			  struct pt_err *err);

/* --- reset.c ------------------------------------------------------------------------------------------------------ */
int pt_s12z_reset(void *state, enum pt_reset_kind kind, struct pt_err *err);
/* After any reset, which has cleared everything that we wrote. Restores clock, ENBDC and breakpoints. */
int pt_s12z_after_reset(struct pt_s12z *z, struct pt_err *err);

/* --- registers.c -------------------------------------------------------------------------------------------------- */
enum {
	PT_S12Z_ROW_D0 = 0,
	PT_S12Z_ROW_S = 10,
	PT_S12Z_ROW_P,
	PT_S12Z_ROW_CCW,
	PT_S12Z_ROWS
}; /* = CRN = GDB's numbers */
const struct pt_register *pt_s12z_registers(void *state, size_t *n);
int pt_s12z_read_registers(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			   struct pt_err *err);
int pt_s12z_write_registers(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			    struct pt_err *err);
int pt_s12z_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err);

/* --- security.c --------------------------------------------------------------------------------------------------- */
/* PT_ESTATE: the part is secured; the message says what to do. */
int pt_s12z_check_security(struct pt_s12z *z, struct pt_err *err);
int pt_s12z_mass_erase(void *state, struct pt_err *err);

/* --- sources, each in its file ------------------------------------------------------------------------------------ */
struct pt_emit;
/* Handles a source's batch that failed with rc: like pt_emit_failed(), but waits for a core in STOP mode. */
int pt_source_s12z_failed(struct pt_s12z *z, struct pt_emit *out, int rc);
extern const struct pt_source_ops pt_source_s12z_profile, pt_source_s12z_pc, pt_source_s12z_trace, pt_source_s12z_both;

#endif
