/* What targets behind another GDB server share: control, registers, memory and breakpoints through the wire rsp.
 *
 * `remote` is the target that knows nothing but the server. One that knows more (microblaze, e500) has a struct
 * pt_remote as the FIRST member of its state, calls pt_remote_open() in its attach, and puts the pt_remote_* functions
 * below into its struct pt_target_ops wherever it has nothing better. It brings: rows for a server without a
 * description, registers of its own, sources. Board thread only.
 *
 * Most servers stop the target when a client connects; that is their doing, and `monitor status` says so. */
#ifndef PT_TARGETS_REMOTE_H
#define PT_TARGETS_REMOTE_H

#include "probes/wires/rsp.h"
#include "targets/contract/target.h"

enum { PT_REMOTE_MAX_REGISTERS = 512, PT_REMOTE_MAX_CORES = PT_RSP_CORES, PT_REMOTE_MAX_BREAKS = 64 };

/* What a target adds to what the server says. All of it may be zero. */
struct pt_remote_kind {
	const char *name;		/* "remote", "microblaze" */
	/* For a server that has no description: the g packet, in the order in which it has them. gdb_number counts from
	 * 0 in that order. A g packet that is shorter has the first of them, and a server without p has no more. */
	const struct pt_register *layout;
	size_t n_layout;
	const char *architecture;	/* of the description that is made of layout; NULL: none is made */
	const char *pc;			/* its name: "rpc"; NULL: "pc", "rip", "eip" or "rpc" */
	uint64_t steady_addr;		/* a word that never changes, to compare two channels by; 0: there is none */
	/* Registers that the server does not have and the target answers for: features of their own in the description.
	 * gdb_number is ignored: they get numbers above all of the server's, from first_own up. */
	const struct pt_register *own;
	size_t n_own;
	uint16_t first_own;		/* at least; 0: whatever is free */
	/* rows: indices into own. As in struct pt_target_ops; state is the target's. NULL: they cannot be written. */
	int (*read_own)(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			struct pt_err *err);
	int (*write_own)(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			 struct pt_err *err);
};

struct pt_remote_core { char thread[PT_RSP_THREAD_BYTES]; };	/* as the server names it: "1", "p1.2" */

struct pt_remote {
	struct pt_target *target;
	const struct pt_remote_kind *kind;
	const struct pt_rsp_ops *rsp;
	void *wire;
	struct pt_rsp_facts facts;
	char chip[112];			/* "arm behind QEMU at 127.0.0.1:1234" */
	char architecture[64];		/* as the server tells it; "" where it does not */
	bool big_endian;
	/* registers: first the server's, in the order of their numbers, then own. Names live in `names`. */
	struct pt_register *rows;
	uint32_t *offset;		/* of each of the server's in the g packet, bytes; UINT32_MAX: not in it */
	size_t n_rows, n_server;
	uint16_t pc_row;		/* UINT16_MAX: there is none */
	char *names;
	char *description;		/* with own added; NULL: GDB gets the server's unchanged */
	struct pt_remote_core core[PT_REMOTE_MAX_CORES];
	unsigned n_cores;
	bool has_tasks;			/* the server has threads beside the cores: registers are asked for by core */
	enum pt_halt_reason reason;	/* of the last halt, as far as we asked for it */
	struct pt_mem mem;
	bool answers_running;		/* memory was read or written while the target ran */
	bool deaf_running;		/* one such access was never answered, nor any before: no more of them */
	struct pt_tcl *tcl;		/* mem goes by it; NULL: through the connection itself */
	struct pt_break breaks[PT_REMOTE_MAX_BREAKS];
	size_t n_breaks;
	struct pt_target_upstream upstream;
	bool no_p;			/* while g is tried instead */
	struct pt_region region;	/* all of it: the server says what may be accessed */
	bool was_running;		/* when we came */
};

/* Rows that a target with a pt_remote has to have among its params (struct pt_target_ops.params): put
 * PT_REMOTE_PARAMS in its table, first. */
enum { PT_REMOTE_MEMORY, PT_REMOTE_ENDIAN, PT_REMOTE_TCL, PT_REMOTE_TCL_TARGET, PT_REMOTE_N_PARAMS };
#define PT_REMOTE_PARAMS \
	[PT_REMOTE_MEMORY] = { "upstream-memory", PT_PARAM_CHOICE, "auto", "auto|halted|running", 0, 0, \
		"behind another GDB server: whether memory can be read while the target runs; auto: where that is " \
		"known" }, \
	[PT_REMOTE_ENDIAN] = { "upstream-endian", PT_PARAM_CHOICE, "auto", "auto|little|big", 0, 0, \
		"byte order behind another GDB server; auto: by its architecture" }, \
	[PT_REMOTE_TCL] = { "upstream-tcl", PT_PARAM_TEXT, NULL, NULL, 0, 0, \
		"behind OpenOCD: read and write memory by its TCL port, HOST:PORT, also while the target runs" }, \
	[PT_REMOTE_TCL_TARGET] = { "upstream-tcl-target", PT_PARAM_TEXT, NULL, NULL, 0, 0, \
		"which of OpenOCD's targets that is; else the one it has chosen itself (targets)" }

/* Ask the server for its description (with what that includes), threads and state. Reads no memory, resumes nothing.
 * PT_EUNSUPPORTED: the probe does not offer the wire. Else as of struct pt_target_ops.attach. */
int pt_remote_open(struct pt_remote *remote, struct pt_target *target, const struct pt_remote_kind *kind,
		   const struct pt_params *settings, struct pt_err *err);
void pt_remote_close(struct pt_remote *remote);		/* frees what open made; sends nothing */

/* One packet and its answer as text: the answer is NUL-terminated. PT_EFAULT: it was an error (the sentence has it),
 * PT_EUNSUPPORTED: it was empty. Else as of struct pt_rsp_ops.ask. Returns its length. */
int pt_remote_ask(struct pt_remote *remote, const char *packet, char *answer, size_t room_bytes, struct pt_err *err);
/* `monitor LINE` of the server: its text. */
int pt_remote_monitor(struct pt_remote *remote, const char *line, char *text, size_t room_bytes, struct pt_err *err);

/* For a target that does more within one hold. */
/* Chooses the core for what follows; nothing where there is but one. */
int pt_remote_choose(struct pt_remote *remote, unsigned core, struct pt_err *err);
/* Several of the server's registers of the chosen core, which stands, in one packet where the g packet has them: the
 * text of that is kept in the block, so that writing them back takes another one. All zero before the first read; a
 * server that does not know G is told each register that is written by itself. Errors as of
 * struct pt_target_ops.read_registers. */
struct pt_remote_block {
	char *text;			/* "G" and the digits of the last g */
	size_t n_digits;
	bool no_g;
};
int pt_remote_block_read(struct pt_remote *remote, struct pt_remote_block *block, const uint16_t *rows, size_t n,
			 uint64_t *values, struct pt_err *err);
int pt_remote_block_write(struct pt_remote *remote, struct pt_remote_block *block, const uint16_t *rows, size_t n,
			  const uint64_t *values, struct pt_err *err);
void pt_remote_block_free(struct pt_remote_block *block);

/* For struct pt_target_ops; state begins with a struct pt_remote. */
int pt_remote_detach(void *state, bool resume, struct pt_err *err);	/* closes, too */
bool pt_remote_is_big_endian(void *state);
const char *pt_remote_chip(void *state);
void pt_remote_describe(void *state, void (*say)(void *arg, const char *line), void *arg);
unsigned pt_remote_n_cores(void *state);
int pt_remote_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err);
int pt_remote_halt(void *state, unsigned core, struct pt_err *err);
int pt_remote_resume(void *state, unsigned core, struct pt_err *err);
int pt_remote_step(void *state, unsigned core, struct pt_err *err);
int pt_remote_reset(void *state, enum pt_reset_kind kind, struct pt_err *err);	/* monitor reset [halt|init|run] */
const struct pt_register *pt_remote_registers(void *state, size_t *n);
int pt_remote_read_registers(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			     struct pt_err *err);
int pt_remote_write_registers(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			      struct pt_err *err);
int pt_remote_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err);
/* while_running is true where the server is known to answer while the target runs: non-stop, OpenOCD, or the
 * setting; or memory goes by OpenOCD's TCL port. Where the setting turns out to be wrong (the first access while the
 * target runs is not answered) it is false from then on, until the server is attached anew, and that access fails with
 * PT_EUNSUPPORTED. */
struct pt_mem *pt_remote_mem(void *state, unsigned core);
/* Why it is false, and what to do: "the GDB server ...". */
const char *pt_remote_why_halted_only(const struct pt_remote *r);
const struct pt_region *pt_remote_regions(void *state, size_t *n);
int pt_remote_break_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_remote_break_remove(void *state, const struct pt_break *at, struct pt_err *err);
int pt_remote_flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err);
int pt_remote_flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
int pt_remote_flash_done(void *state, struct pt_progress *progress, struct pt_err *err);
int pt_remote_mass_erase(void *state, struct pt_err *err);
/* For struct pt_target_ops.upstream: what GDB is to get instead of the server's own, see targets/contract/target.h. */
const struct pt_target_upstream *pt_remote_upstream(void *state);

/* The rows of struct pt_target_ops that no target behind a server has anything better for. */
#define PT_REMOTE_CONTROL \
	.n_cores = pt_remote_n_cores, \
	.halt = pt_remote_halt, \
	.registers = pt_remote_registers, \
	.read_registers = pt_remote_read_registers, \
	.write_registers = pt_remote_write_registers, \
	.pc = pt_remote_pc, \
	.break_insert = pt_remote_break_insert, \
	.break_remove = pt_remote_break_remove, \
	.flash_erase = pt_remote_flash_erase, \
	.flash_write = pt_remote_flash_write, \
	.flash_done = pt_remote_flash_done, \
	.mass_erase = pt_remote_mass_erase, \
	.upstream = pt_remote_upstream

extern const struct pt_source_ops pt_source_remote_pc;	/* pc-sampling: halt, read the pc, resume */

#endif
