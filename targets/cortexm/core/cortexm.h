/* The target cortexm: cores of the M profile (ARMv6-M, ARMv7-M, ARMv8-M) behind an ADIv5 debug port. What its files
 * share; the outside uses struct pt_target_ops. Board thread only. To test a part over an array: zero the struct, set mem, found and chip.
 *
 *   ../../arm/                              the wire, the memory behind it, and what is there
 *   debug_state.c control.c reset.c         the core: its control registers, run control
 *   architecture.c                          which core it is, and what its architecture gives it
 *   registers.c fault.c
 *   breakpoints.c soft_breaks.c watchpoints.c
 *   ../vendor/                              which chip it is, its flash and its locks
 *   ../trace/ ../swo/                       sources; those of pin SWO
 *   ../cores_find.c ../cores.c              parts with several cores: which there are, what is done to all of them
 *   ../cortexm.c                            attach, detach, and the table of it all
 *   ../remote_cortexm.c                     the same behind another GDB server: memory is all that is left of it */
#ifndef PT_CORTEXM_CORTEXM_H
#define PT_CORTEXM_CORTEXM_H

#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/core/breakpoints.h"
#include "targets/cortexm/core/family.h"
#include "targets/arm/mem_ap.h"
#include "targets/cortexm/core/scs.h"
#include "targets/contract/target.h"

struct pt_mtb;	/* mtb.h */

enum { PT_CORTEXM_CORES = 4 };

/* One core. If a part has several, the first one is the target's state, with flash, locks and the chip's name. */
struct pt_cortexm {
	struct pt_target *target;	/* for leases and its probe */
	struct pt_adi adi;		/* its debug port */
	struct pt_adi *shared_port;	/* another core's debug port, by which this one is reached; NULL: its own */
	struct pt_mem_ap ap;

	/* several cores */
	unsigned number;
	struct pt_cortexm *first;	/* NULL: it is */
	struct pt_cortexm *other[PT_CORTEXM_CORES - 1];	/* only in the first one; made by attach */
	unsigned n_others;
	struct pt_adi *selected;	/* only in the first one: which of several ports of a wire is selected */
	bool known;			/* others: its ID registers were read */
	char away[120];			/* others: why it cannot be debugged now; "": it can be */
	bool in_reset;			/* away because it is in reset, and its debug registers answer */
	uint64_t looked_ns, look_again_ns;	/* away: the time it was found to be, and of the next check */

	struct pt_mem *mem;		/* &ap.mem */
	/* Behind another GDB server: see pt_cortexm_reaches(). NULL: the core is on our own wire. */
	int (*behind_reach)(struct pt_cortexm *cm, struct pt_err *err);
	struct pt_discovery found;
	const struct pt_cortexm_family *family;	/* of the chip; NULL: not known */
	struct pt_cortexm_chip chip;
	char name[72];			/* chip and core */
	bool locked;			/* secured: only the MDM-AP answers */

	/* as found at attach, to be restored at detach */
	uint32_t found_dhcsr, found_demcr;
	bool found_saved, under_reset;
	bool demcr_is_new;		/* just read: it need not be read again before it is written */

	/* run control */
	uint32_t demcr;			/* the value while proftap is attached */
	bool debug_on;			/* C_DEBUGEN is known to be set */
	bool ints_masked;		/* C_MASKINTS as last written */
	bool was_reset;			/* seen since the last status */
	unsigned power_losses;		/* losses of power of its port that were handled */
	bool halted;			/* as last seen; stop is valid then */
	bool stepped;			/* the last request was a step */
	uint64_t ran_ns;		/* it was resumed, or seen to run, at this time: the last one of which that is known */
	bool attended;			/* a debugger has halted the core, or set a breakpoint, and has not left */
	bool source_halts;		/* a trace source halts the core through EDBGRQ */
	struct pt_mtb *mtb;		/* the source that uses the MTB, for describe; NULL: none */
	struct pt_core_status stop;

	/* settings */
	bool mask_step, catch_faults, reset_pin, allow_lock;
	uint32_t swd_target;	/* TARGETSEL, from the user; 0: none */

	struct pt_cortexm_breaks breaks;
	struct pt_cortexm_flash flash_unit;
};

/* --- debug_state.c ---------------------------------------------------------------------------------------------- */
/* Call it with each DHCSR value that was read: a read clears its sticky S_RESET_ST, which must not be lost. */
void pt_cortexm_saw(struct pt_cortexm *cm, uint32_t dhcsr);
/* The earliest time at which a core that is halted now may have halted. After a breakpoint, or a halt by the program: the time
 * when it was last seen running. After a request: now_ns. */
uint64_t pt_cortexm_halted_since(const struct pt_cortexm *cm, uint64_t now_ns);
int pt_cortexm_read_dhcsr(struct pt_cortexm *cm, uint32_t *dhcsr, struct pt_err *err);
int pt_cortexm_write_dhcsr(struct pt_cortexm *cm, uint32_t bits, struct pt_err *err);	/* with its key */
int pt_cortexm_enable_debug(struct pt_cortexm *cm, struct pt_err *err);	/* C_DEBUGEN, without halting */
int pt_cortexm_set_demcr(struct pt_cortexm *cm, uint32_t set, uint32_t clear, struct pt_err *err);
/* The same for a caller with a list of accesses. 1: *demcr must be written, and counts as written; 0: it has the value
 * already. */
int pt_cortexm_plan_demcr(struct pt_cortexm *cm, uint32_t set, uint32_t clear, uint32_t *demcr, struct pt_err *err);
void pt_cortexm_wrote_demcr(struct pt_cortexm *cm, uint32_t demcr);
int pt_cortexm_save(struct pt_cortexm *cm, struct pt_err *err);	/* reads the original values */
/* The name of a unit of this core, for leases and restoring: "dwt.pcsr", of another core "core1.dwt.pcsr". Returns
 * unit. */
const char *pt_cortexm_unit(const struct pt_cortexm *cm, char unit[PT_PENDING_UNIT], const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* the bits of DEMCR that catch-faults sets on this core */
uint32_t pt_cortexm_vector_catch(const struct pt_cortexm *cm);

/* --- control.c ---------------------------------------------------------------------------------------------------- */
int pt_cortexm_restore(struct pt_cortexm *cm, bool resume, struct pt_err *err);
int pt_cortexm_leave(void *state, struct pt_err *err);
/* a source samples the core, or reads its cycle counter */
bool pt_cortexm_is_counted(const struct pt_cortexm *cm);
int pt_cortexm_clock_rate(void *state, bool asked, struct pt_count_rate *rate, bool *is_core, struct pt_err *err);
int pt_cortexm_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err);
int pt_cortexm_halt(void *state, unsigned core, struct pt_err *err);
int pt_cortexm_resume(void *state, unsigned core, struct pt_err *err);
int pt_cortexm_step(void *state, unsigned core, struct pt_err *err);

/* --- reset.c ------------------------------------------------------------------------------------------------------ */
int pt_cortexm_reset(void *state, enum pt_reset_kind kind, struct pt_err *err);
/* Before the wire is connected: holds the chip in reset. Afterwards: makes the core stop at its reset vector, then
 * releases reset. */
int pt_cortexm_hold_reset(struct pt_cortexm *cm, struct pt_err *err);
int pt_cortexm_catch_reset_vector(struct pt_cortexm *cm, struct pt_err *err);
int pt_cortexm_release_reset(struct pt_cortexm *cm, struct pt_err *err);

/* --- registers.c -------------------------------------------------------------------------------------------------- */
const struct pt_register *pt_cortexm_registers(void *state, size_t *n);
int pt_cortexm_read_registers(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			      struct pt_err *err);
int pt_cortexm_write_registers(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			       struct pt_err *err);
int pt_cortexm_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err);
/* indices into the rows */
enum { PT_ROW_R0 = 0, PT_ROW_SP = 13, PT_ROW_LR, PT_ROW_PC, PT_ROW_XPSR, PT_ROW_MSP, PT_ROW_PSP };

/* --- several cores ------------------------------------------------------------------------------------------------ */
static inline unsigned pt_cortexm_n_cores(const struct pt_cortexm *first)
{
	return 1 + first->n_others;
}

static inline struct pt_cortexm *pt_cortexm_core(struct pt_cortexm *first, unsigned core)
{
	return core == 0 || core > first->n_others ? first : first->other[core - 1];
}

static inline struct pt_cortexm *pt_cortexm_first(struct pt_cortexm *cm)
{
	return cm->first != NULL ? cm->first : cm;
}

static inline struct pt_adi *pt_cortexm_port(struct pt_cortexm *cm)
{
	return cm->shared_port != NULL ? cm->shared_port : &cm->adi;
}

/* Whether its power was lost since the last status. */
static inline bool pt_cortexm_lost_power(struct pt_cortexm *cm)
{
	return cm->power_losses != pt_cortexm_port(cm)->power_losses;
}

/* --- reach ------------------------------------------------------------------------------------------------------- */
/* The first core of a target of this family. Behind another GDB server (remote_cortexm.c) there are no adi, ap and run
 * control, only mem, found and chip. */
static inline struct pt_cortexm *pt_cortexm_of(const struct pt_target *target)
{
	return target->family != NULL ? target->family : target->state;
}

/* Whether a source can access the units. PT_EUNSUPPORTED: the server does not read memory while the core runs. */
static inline int pt_cortexm_reaches(const struct pt_target *target, struct pt_err *err)
{
	struct pt_cortexm *cm = pt_cortexm_of(target);

	return cm->behind_reach != NULL ? cm->behind_reach(cm, err) : 0;
}

static inline uint64_t pt_cortexm_reg(const struct pt_cortexm *cm, uint32_t offset)
{
	return cm->found.unit[PT_UNIT_SCS] + (uint64_t)offset;
}

#endif
