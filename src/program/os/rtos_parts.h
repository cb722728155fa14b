/* What a recipe is, and what recipes share. */
#ifndef PT_PROGRAM_RTOS_PARTS_H
#define PT_PROGRAM_RTOS_PARTS_H

#include "program/os/rtos.h"
#include "base/util.h"

#define PT_RTOSES(X) X(freertos) X(zephyr) X(threadx) X(rtx5) X(ucos3)	/* tried in this order */

enum { PT_RTOS_MAX_OFFSETS = 24 };

struct pt_rtos_ops;

struct pt_rtos {
	const struct pt_rtos_ops *ops;
	struct pt_types *types;
	struct pt_rtos_running running[PT_RTOS_MAX_CORES];
	unsigned n_cores;
	uint64_t offset[PT_RTOS_MAX_OFFSETS];	/* the recipe's rows; PT_UNKNOWN: it has none */
	bool sure[PT_RTOS_MAX_OFFSETS];		/* the program itself says it, not what its sources have by default */
	uint64_t size[PT_RTOS_MAX_OFFSETS];	/* bytes of the member; the row's where DWARF says nothing */
};

struct pt_rtos_walk {
	const struct pt_rtos *rtos;
	const struct pt_reader *reader;
	struct pt_rtos_threads *threads;
	bool torn;				/* what was read does not go together: try again */
	struct pt_err *err;			/* of a read that failed */
};

/* A way to save a task's registers: what lies from the place on, low to high, a word each. "exc" is EXC_RETURN, whose
 * bits show whether a way can be the right one; names that GDB does not have are passed over. Behind it lies what the
 * hardware stacked, if the way is not the whole of it. Sources: rtos_NAME.c. */
enum { PT_RTOS_BASELINE = 1, PT_RTOS_MAINLINE = 2, PT_RTOS_WHOLE = 4 };	/* cores of that profile alone; see above */
struct pt_rtos_frame { const char *words, *words_fp; unsigned flags; };	/* words_fp: with FP context; NULL: has none */
struct pt_rtos_place {
	uint64_t sp;			/* PT_UNKNOWN: the OS does not say */
	uint64_t exc_return;		/* where the control block has it; else PT_UNKNOWN */
	uint64_t callee, callee_fp;	/* r4-r11 and s16-s31 lie there, and not on the stack; else PT_UNKNOWN */
	const struct pt_rtos_frame *frames;	/* the recipe's, or others */
	uint64_t stub, stub_pc;		/* a saved pc that is stub stands for the word at stub_pc; or PT_UNKNOWN */
};

/* Where a control block says what state its task is in, and what its values mean, in the words of program/orti/tasks.h. */
struct pt_rtos_states {
	unsigned row, inner;	/* rows of its offset; inner: in that, or the same */
	const char *c_type;	/* of the values */
	struct { const char *word; uint64_t value; } words[20];	/* up to one without a word */
	/* Adds further values; false: their places are not known. NULL: there are none */
	bool (*more)(const struct pt_rtos *rtos, struct pt_orti_attr *attr);
	const char *build;	/* what to build with, where the offsets are not known */
};

struct pt_rtos_ops {
	const char *name;
	const char *none; /* what 0 in the running-task variable is called: "idle" where the OS has no idle task */
	bool rewritten;		/* see struct pt_task_map */
	/* Is it this OS? Fills running, n_cores, offset and size. */
	bool (*find)(struct pt_rtos *rtos);
	/* threads->started, from threads->current. Returns 0, or the code of w->err; so do the others. */
	int (*started)(struct pt_rtos_walk *w);
	/* Adds what there is; threads->current is known. */
	int (*walk)(struct pt_rtos_walk *w);
	const struct pt_rtos_frame *frames;	/* tried in this order, up to one without words */
	int (*place)(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at);
	const struct pt_rtos_states *states;
};
#define X(os) extern const struct pt_rtos_ops pt_rtos_##os##_ops;
PT_RTOSES(X)
#undef X

/* Where a member is: types and paths ("base.prio") are tried in order, up to NULL; else fallback. */
struct pt_rtos_row { const char *type[3], *path[3]; uint64_t fallback; uint32_t size_bytes; };
void pt_rtos_rows(struct pt_rtos *rtos, const struct pt_rtos_row *rows, size_t n_rows);

bool pt_rtos_symbol(const struct pt_rtos *rtos, const char *name, uint64_t *addr, uint64_t *size);
/* Adds a running-task variable; written: how an expression names it where there is DWARF, else it is an address. */
void pt_rtos_add_running(struct pt_rtos *rtos, const char *written, uint64_t addr);

/* Reading. Those that return int return 0 or the code of w->err. */
int pt_rtos_number(struct pt_rtos_walk *w, uint64_t addr, uint64_t size_bytes, uint64_t *value);
int pt_rtos_pointer(struct pt_rtos_walk *w, uint64_t addr, uint64_t *value);
/* The value of a variable by its symbol; *known: there is such a symbol. */
int pt_rtos_variable(struct pt_rtos_walk *w, const char *symbol, uint64_t *value, bool *known);
/* Text of at most n_bytes, what cannot be printed as '?'. */
int pt_rtos_text(struct pt_rtos_walk *w, uint64_t addr, size_t n_bytes, char text[PT_RTOS_NAME_BYTES]);
/* Can a control block be there? */
bool pt_rtos_can_be(const struct pt_rtos_walk *w, uint64_t addr);
bool pt_rtos_is_current(const struct pt_rtos_walk *w, uint64_t tcb);
/* A new thread at tcb; NULL: it is there already, or there are too many. */
struct pt_rtos_thread *pt_rtos_add(struct pt_rtos_walk *w, uint64_t tcb);
/* A sentence for threads->note, the first one counts. */
void pt_rtos_note(struct pt_rtos_walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int64_t pt_rtos_signed(uint64_t value, uint64_t size_bytes);

#endif
