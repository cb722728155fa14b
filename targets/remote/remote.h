/* Common to targets behind another GDB server: run control, registers, memory and breakpoints through the wire rsp.
 *
 * `remote` is the target that has only the server. A target with more (microblaze, e500) has a struct pt_remote as the
 * FIRST member of its state, calls pt_remote_open() in its attach, and uses the pt_remote_* functions below in its
 * struct pt_target_ops unless it has its own. It adds rows for a server without a description, its own registers, and
 * sources. Board thread only.
 *
 * Most servers stop the target when a client connects; `monitor status` reports that. */
#ifndef PT_TARGETS_REMOTE_H
#define PT_TARGETS_REMOTE_H

#include "probes/wires/rsp.h"
#include "targets/contract/target.h"

enum { PT_REMOTE_MAX_REGISTERS = 512, PT_REMOTE_MAX_CORES = PT_RSP_CORES, PT_REMOTE_MAX_BREAKS = 64 };

/* What a target adds to the server's description. Everything may be zero. */
struct pt_remote_kind {
	const char *name;		/* "remote", "microblaze" */
	/* For a server without a description: the registers in the order of the g packet. gdb_number counts from 0 in
	 * that order. A shorter g packet has the first of them; a server without p then has no others. */
	const struct pt_register *layout;
	size_t n_layout;
	const char *architecture;	/* of the description made from layout; NULL: none is made */
	const char *pc;			/* name of the pc: "rpc"; NULL: "pc", "rip", "eip" or "rpc" */
	uint64_t steady_addr;		/* address of a word that never changes, to compare two channels; 0: none */
	/* Registers that the target implements and the server lacks: separate features in the description. gdb_number
	 * is ignored: they get numbers above the server's, from first_own up. */
	const struct pt_register *own;
	size_t n_own;
	uint16_t first_own;		/* lowest number; 0: any free one */
	/* rows: indices into own. As in struct pt_target_ops; state is the target's. NULL: not writable. */
	int (*read_own)(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			struct pt_err *err);
	int (*write_own)(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			 struct pt_err *err);
};

struct pt_remote_core { char thread[PT_RSP_THREAD_BYTES]; };	/* the server's name: "1", "p1.2" */

struct pt_remote {
	struct pt_target *target;
	const struct pt_remote_kind *kind;
	const struct pt_rsp_ops *rsp;
	void *wire;
	struct pt_rsp_facts facts;
	char chip[112];			/* "arm behind QEMU at 127.0.0.1:1234" */
	char architecture[64];		/* from the server; "" if not given */
	bool big_endian;
	/* registers: first the server's, in the order of their numbers, then own. Names live in `names`. */
	struct pt_register *rows;
	uint32_t *offset;		/* byte offset of each server register in the g packet; UINT32_MAX: not in it */
	size_t n_rows, n_server;
	uint16_t pc_row;		/* UINT16_MAX: none */
	char *names;
	char *description;		/* with our registers added; NULL: GDB gets the server's unchanged */
	struct pt_remote_core core[PT_REMOTE_MAX_CORES];
	unsigned n_cores;
	bool has_tasks;			/* the server has threads besides the cores: select the core before register
					 * accesses */
	enum pt_halt_reason reason;	/* of the last halt that we requested */
	struct pt_mem mem;
	bool answers_running;		/* memory was read or written while the target ran */
	bool deaf_running;		/* such an access was not answered, nor any before: not tried again */
	struct pt_tcl *tcl;		/* mem uses it; NULL: mem uses the GDB connection */
	struct pt_break breaks[PT_REMOTE_MAX_BREAKS];
	size_t n_breaks;
	struct pt_target_upstream upstream;
	bool no_p;			/* set while g is tried instead */
	struct pt_region region;	/* the whole address space: the server checks accesses */
	bool was_running;		/* at attach */
};

/* Parameters that a target with a pt_remote must have: put PT_REMOTE_PARAMS first in its table (struct
 * pt_target_ops.params). */
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

/* Asks the server for its description (with includes), threads and state. Reads no memory, resumes nothing.
 * PT_EUNSUPPORTED: the probe does not offer the wire. Else as of struct pt_target_ops.attach. */
int pt_remote_open(struct pt_remote *remote, struct pt_target *target, const struct pt_remote_kind *kind,
		   const struct pt_params *settings, struct pt_err *err);
void pt_remote_close(struct pt_remote *remote);		/* frees what open allocated; sends nothing */

/* Sends one packet; the answer is NUL-terminated text. PT_EFAULT: an error reply (in the message), PT_EUNSUPPORTED: an
 * empty reply. Else as of struct pt_rsp_ops.ask. Returns its length. */
int pt_remote_ask(struct pt_remote *remote, const char *packet, char *answer, size_t room_bytes, struct pt_err *err);
/* Executes `monitor LINE` of the server; text: its output. */
int pt_remote_monitor(struct pt_remote *remote, const char *line, char *text, size_t room_bytes, struct pt_err *err);

/* For a target that holds the connection for several requests. */
/* Selects the core for the following requests; does nothing if there is only one. */
int pt_remote_choose(struct pt_remote *remote, unsigned core, struct pt_err *err);
/* Accesses several server registers of the selected, halted core in one packet if the g packet has them. The block
 * keeps the packet's text, so that writing them back takes one more packet. All zero before the first read; for a
 * server without G each register is written separately. Errors as of struct pt_target_ops.read_registers. */
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
/* while_running is true if the server is known to answer while the target runs (non-stop, OpenOCD, or the setting), or
 * if memory uses OpenOCD's TCL port. If the setting is wrong (the first access while the target runs is not answered),
 * that access fails with PT_EUNSUPPORTED, and while_running is false until the next attach. */
struct pt_mem *pt_remote_mem(void *state, unsigned core);
/* Why while_running is false, and what to do: "the GDB server ...". */
const char *pt_remote_why_halted_only(const struct pt_remote *r);
const struct pt_region *pt_remote_regions(void *state, size_t *n);
int pt_remote_break_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_remote_break_remove(void *state, const struct pt_break *at, struct pt_err *err);
int pt_remote_flash_erase(void *state, uint64_t addr, uint64_t size, struct pt_err *err);
int pt_remote_flash_write(void *state, uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);
int pt_remote_flash_done(void *state, struct pt_progress *progress, struct pt_err *err);
int pt_remote_mass_erase(void *state, struct pt_err *err);
/* For struct pt_target_ops.upstream: what GDB gets instead of the server's replies, see targets/contract/target.h. */
const struct pt_target_upstream *pt_remote_upstream(void *state);

/* Members of struct pt_target_ops that are the same for all targets behind a server. */
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
