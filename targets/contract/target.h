/* A target: what a kind of chip can do through its wire. Control, registers, memory, breakpoints, flash, sources.
 * Board thread only. To add one: a folder with a struct pt_target_ops, one word in PT_TARGETS (targets/registry.h). */
#ifndef PT_TARGETS_TARGET_H
#define PT_TARGETS_TARGET_H

#include "base/arch.h"
#include "base/count_rate.h"
#include "base/error.h"
#include "base/params.h"
#include "probes/wires/probe.h"
#include "targets/contract/host_call.h"
#include "targets/contract/mem.h"
#include "targets/contract/pending.h"
#include "targets/contract/progress.h"
#include "targets/contract/source.h"

struct pt_target;

enum pt_run_state {
	PT_RUNNING = 1,
	PT_HALTED,
	PT_SLEEPING,		/* runs, but waits for an event: a state, not an error */
	PT_IN_RESET,		/* held in reset, or unpowered as far as it can be seen */
	PT_LOCKED_UP,		/* v6-M lockup: can be halted */
	PT_LOST,		/* the probe or the power is gone */
};

/* Of a core of several: what it is called, and why it cannot be debugged now. */
struct pt_core_about {
	char name[32];		/* "Cortex-M0+"; "": it has no name of its own */
	/* "held in reset", "its access port 3 is closed: ...": it is away, and no thread; status says PT_IN_RESET, and
	 * what else is asked of it is PT_ESTATE. NULL: it is there. Until the next call. */
	const char *away;
};

enum pt_halt_reason {
	PT_HALT_REQUEST = 1,	/* we asked */
	PT_HALT_STEP,
	PT_HALT_BREAK_SW, PT_HALT_BREAK_HW,	/* one of ours; addr says where */
	PT_HALT_WATCH_READ, PT_HALT_WATCH_WRITE, PT_HALT_WATCH_ACCESS,	/* addr: the watched address */
	PT_HALT_BKPT,		/* a BKPT of the program itself */
	PT_HALT_VECTOR_CATCH,	/* fault or reset catch */
	PT_HALT_TRACE,		/* a trace buffer is full: the source's business, not the user's */
	PT_HALT_EXTERNAL,
};

struct pt_core_status {
	enum pt_run_state state;
	enum pt_halt_reason reason;	/* when halted */
	uint64_t addr;			/* of the break- or watchpoint; else PT_UNKNOWN */
	bool was_reset;			/* went through a reset since the last status */
	uint32_t resumes;		/* by others, where that is known: another number than before is another run */
};

/* init: halt, with what `monitor reset init` promises */
enum pt_reset_kind { PT_RESET_RUN, PT_RESET_HALT, PT_RESET_INIT };

/* --- registers --------------------------------------------------------------------------------------------------- */

struct pt_register {		/* one row gives target XML, g/p packets and print-outs */
	const char *name;	/* GDB's */
	const char *feature;	/* "org.gnu.gdb.arm.m-profile" */
	const char *type;	/* GDB's type, or NULL for int */
	const char *group;	/* or NULL */
	uint16_t gdb_number, bits;
	uint16_t id;		/* the target's own: REGSEL, PMR number, ... */
};

struct pt_field { const char *name; uint8_t lsb, bits; const char *meaning; };
uint32_t pt_field_get(const struct pt_field *field, uint32_t value);

/* --- breakpoints and memory map ---------------------------------------------------------------------------------- */

/* as RSP's Z0..Z4 */
enum pt_break_kind { PT_BREAK_SW = 0, PT_BREAK_HW, PT_WATCH_WRITE, PT_WATCH_READ, PT_WATCH_ACCESS };

struct pt_break {
	enum pt_break_kind kind;
	uint64_t addr;
	uint32_t len;		/* bytes watched; for a breakpoint the length of the instruction */
};

enum pt_region_kind { PT_REGION_RAM = 1, PT_REGION_ROM, PT_REGION_FLASH, PT_REGION_IO };

struct pt_region {
	enum pt_region_kind kind;
	uint64_t addr, size;
	uint32_t block_bytes;	/* flash: erase unit */
};

/* A command that only some targets have ("bdccsr", which GDB's own commands ask for). It changes nothing, unless it says so;
 * then it puts all back. */
struct pt_target_word {
	const char *name;
	const char *usage, *help;	/* the words behind it, as help shows them: "" takes none; what it prints */
	bool changes;			/* it uses a unit of the chip meanwhile */
	bool needs_no_target;		/* state is NULL, and any thread may ask */
	bool names_code;		/* "<0x1234>" in its lines is an address of code: what shows them adds where in
					 * the program that is, and drops the brackets */
	/* Calls say with each line. PT_EARG: the words make no sense, and the sentence has right ones. */
	int (*print)(void *state, const char *const *words, size_t n_words, void (*say)(void *arg, const char *line),
		     void *arg, struct pt_err *err);
};

/* Behind another GDB server a debugger's packets go straight to it (src/board/upstream.h), but for what the target
 * adds. */
struct pt_target_upstream {
	const char *description;	/* all of target.xml, without includes; NULL: the server's own is passed on */
	const char *architecture;	/* GDB's name for it, as the server reports it; "" where it does not */
	bool big_endian;
	uint16_t own_from, own_end;	/* GDB's numbers of the registers that the target answers; equal: none */
	/* The core of a thread as the server names it ("1", "p1.2"); of "0", any, the first. -1: none that is known. */
	int (*core_of)(void *state, const char *thread);
};

/* --- the contract ------------------------------------------------------------------------------------------------ */

struct pt_target_ops {
	const char *name;		/* "cortexm" */
	const char *help;
	size_t state_bytes;
	const struct pt_param *params;	/* "core-clock", "connect=under-reset", and what manuals leave open */
	size_t n_params;
	const char *architecture;	/* GDB's: "arm" */
	struct pt_arch arch;		/* of its cores; machine 0: of any kind */
	bool (*is_big_endian)(void *state);	/* where it is not the same for all of the kind; NULL: arch's */
	uint8_t (*cpu_arch)(void *state);	/* of an Arm's core, enum pt_arm_arch; NULL: arch's */
	uint64_t (*core_hz)(void *state);	/* of its cores, as its settings say; 0: they do not; NULL: never */
	/* How fast a counter of the running core counts, beside the program; is_core: it is the core's clock that it
	 * counts, else one that is no faster. Takes a moment; asked: longer, and it may do what a program could notice,
	 * as the documentation says. PT_ESTATE: the core does not run; PT_EUNSUPPORTED: it has no such counter. NULL:
	 * never, and clock_hint says what to do instead (NULL: core-clock=HZ). */
	int (*clock_rate)(void *state, bool asked, struct pt_count_rate *rate, bool *is_core, struct pt_err *err);
	const char *clock_hint;
	bool fixed_registers;		/* GDB has a layout of its own for them, and warns of a description */

	/* Find out what is there, without halting it. target->state is zeroed, target->probe is open; chip and the
	 * lists below are known afterwards. Errors: PT_EIO, PT_EPROTO (nothing answers on the wire), PT_EUNSUPPORTED:
	 * then it has undone its own work. PT_ESTATE: the chip is locked (the sentence has the advice); of all calls
	 * only chip, describe, mass_erase and detach work from here on. */
	int (*attach)(struct pt_target *target, const struct pt_params *settings, struct pt_err *err);
	/* Put everything back as it was found: breakpoints out, catches off, halting debug off if it was off, the core
	 * running if resume. Works as far as the probe still does. */
	int (*detach)(void *state, bool resume, struct pt_err *err);
	/* No client debugs any more, though the board stays open: a core that runs goes on as it was found, halting
	 * debug and catches off, but for what a source at work needs. A halted one stays in debug. What was noted for
	 * the flash and not done is forgotten. NULL: nothing to do. */
	int (*leave)(void *state, struct pt_err *err);
	const char *(*chip)(void *state);	/* "MKL27Z256 (Cortex-M0+ r0p1)" */
	/* What was found and what we changed, line by line, for `monitor status`. */
	void (*describe)(void *state, void (*say)(void *arg, const char *line), void *arg);

	unsigned (*n_cores)(void *state);
	/* As its last status said; asks nothing of the wire. NULL: all of them are there, and have no names. */
	void (*about_core)(void *state, unsigned core, struct pt_core_about *out);
	int (*status)(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err);
	int (*halt)(void *state, unsigned core, struct pt_err *err);	/* returns when halted, or PT_ETIMEOUT */
	int (*resume)(void *state, unsigned core, struct pt_err *err);
	int (*step)(void *state, unsigned core, struct pt_err *err);	/* one instruction; halted again on return */
	int (*reset)(void *state, enum pt_reset_kind kind, struct pt_err *err);

	const struct pt_register *(*registers)(void *state, size_t *n);	/* in GDB's order */
	/* rows: indices into registers(). Only while halted: else PT_ESTATE. As few round trips as possible. */
	int (*read_registers)(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			      struct pt_err *err);
	int (*write_registers)(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			       struct pt_err *err);
	int (*pc)(void *state, unsigned core, uint64_t *pc, struct pt_err *err);	/* halted */

	struct pt_mem *(*mem)(void *state, unsigned core);
	/* Ascending, apart from each other. RAM and ROM only where the chip is known to have them, FLASH also where it
	 * may lie on an unknown chip (flash_erase() then says that it cannot); the rest of what may
	 * be accessed is IO. */
	const struct pt_region *(*regions)(void *state, size_t *n);

	/* Has the program on this halted core asked its debugger for something (semihosting)? 1 with the call, 0, or
	 * an error. Then the answer: *pc is where the core goes on. NULL: its programs have no way to ask. */
	int (*host_call)(void *state, unsigned core, struct pt_host_call *call, struct pt_err *err);
	int (*host_answer)(void *state, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err);

	/* Idempotent. PT_EUNSUPPORTED: never on this chip; PT_EBUSY: none free (the sentence names the owners). */
	int (*break_insert)(void *state, const struct pt_break *at, struct pt_err *err);
	int (*break_remove)(void *state, const struct pt_break *at, struct pt_err *err);

	/* Why nothing here can be flashed or erased, as a sentence: then the next five are NULL.
	 * NULL: they are there. */
	const char *no_flash;
	/* Flash, as RSP's vFlash: erase whole blocks, write, done (verify; progress may be NULL). The core is halted.
	 * PT_EARG outside flash, PT_EUNSUPPORTED on a chip without a flash row (the sentence names the chip), PT_EPERM
	 * what would lock it. */
	int (*flash_erase)(void *state, uint64_t addr, uint64_t size, struct pt_err *err);
	int (*flash_write)(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
	int (*flash_done)(void *state, struct pt_progress *progress, struct pt_err *err);
	void (*flash_forget)(void *state);	/* what erase and write noted and has not been
						 * done; NULL: nothing is noted */
	int (*mass_erase)(void *state, struct pt_err *err);

	/* state NULL: all that a target of this kind may have */
	const struct pt_source_ops *const *(*sources)(void *state, size_t *n);
	/* Calls say with the chips that it identifies, and with the documents that each row is from. Any thread; needs no
	 * target. NULL: it identifies none. */
	void (*chips)(void (*say)(void *arg, const char *line), void *arg);
	const struct pt_target_word *words;	/* ended by one without a name; NULL: none */
	/* Names of what the program may have for this target, ended by NULL, and where one of them is: told when
	 * program and target are known, be it again, and before a profile. PT_UNKNOWN: the program has none of that
	 * name, or none is known. NULL: none are wanted. */
	const char *const *symbols;
	void (*symbol)(void *state, unsigned i, uint64_t addr);
	/* The byte order of the program that is known, given with the symbols, for a target that comes in both. NULL:
	 * it is no question. */
	void (*program_order)(void *state, bool big_endian);
	const struct pt_target_upstream *(*upstream)(void *state);	/* NULL: it is not behind another GDB server */
	/* Registers of kind PT_PENDING_REG, n rows of one core: what they hold, and write them; those of
	 * PT_PENDING_STOP are only written. NULL: there are none. */
	int (*pending_read)(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values,
			    struct pt_err *err);
	int (*pending_write)(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			     struct pt_err *err);
	/* Of a row of PT_PENDING_OWN: what was cut short is put back. as_before: all is as it was; else the target is
	 * not as it was left, and is left alone. NULL: there are none. */
	int (*pending_mend)(void *state, const struct pt_pending_row *row, bool *as_before, struct pt_err *err);
	/* What an earlier process had changed has been put back: as it is now, it was found. NULL: nothing was kept. */
	int (*look_again)(void *state, struct pt_err *err);
	/* From here on pt_pending_note() is kept: what attach has changed already is noted. NULL: it changes
	 * nothing. */
	void (*note_changes)(void *state);
};

/* A target at work: what the board holds. ops and state are open so that sources and tests reach them. */
struct pt_target {
	const struct pt_target_ops *ops;
	void *state;
	void *family;			/* set by attach: the part of state that its family's sources take; NULL: all */
	struct pt_probe *probe;		/* NULL in tests over an array */
	bool by_name;			/* the user asked for this one: what cannot be found out is as he says */
	struct pt_lease *leases;	/* of its hardware units, see below */
	struct pt_pending *pending;	/* what is to be put back, the board's; NULL: it is not kept (pending.h) */
};

struct pt_core_about pt_target_about_core(const struct pt_target *target, unsigned core);
bool pt_target_is_big_endian(const struct pt_target *target);
struct pt_arch pt_target_arch(const struct pt_target *target);	/* as far as it is known */

/* A hardware unit has one owner at a time: "mtb", "bpu.0", "dwt.1". PT_EBUSY names the owner. */
int pt_lease_take(struct pt_target *target, const char *unit, const char *owner, struct pt_err *err);
void pt_lease_drop(struct pt_target *target, const char *unit, const char *owner);
bool pt_lease_held(const struct pt_target *target, const char *unit);	/* by anybody */

#endif
