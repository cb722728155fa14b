/* What a core really did, for tests and bench: every executed pc, and the sums per address. It takes time; only tests
 * ask for it. */
#ifndef PT_VIRTUAL_CHIP_TRUTH_H
#define PT_VIRTUAL_CHIP_TRUTH_H

#include <stddef.h>

#include "probes/virtual/frame/cpu.h"

enum { PT_VTRUTH_SPANS = 4 };

struct pt_vtruth_at {
	uint64_t instructions;
	uint64_t cycles;	/* awake and not halted; those of an exception's entry belong to what was interrupted */
};

/* What it asks of a CPU of any kind. */
struct pt_vtruth_core {
	void *cpu;
	unsigned granule_bytes;		/* where instructions may begin: 2 for Thumb, 1 for S12Z; a power of 2 */
	uint64_t (*awake_cycles)(void *cpu);	/* neither asleep nor halted, since power-on */
	void (*add_observer)(void *cpu, struct pt_vobserver *observer);
	void (*remove_observer)(void *cpu, struct pt_vobserver *observer);
	struct { uint32_t base, size; } span[PT_VTRUTH_SPANS];	/* keep sums for these; size 0: no more */
};

struct pt_vtruth {
	struct pt_vtruth_core core;
	struct pt_vobserver observer;
	unsigned granule_shift;		/* its logarithm: one division per instruction is a tenth of a test */
	uint64_t n_cond;		/* conditional branches, decided */
	uint64_t n_jump[PT_VJUMP_RETURN + 1];	/* changes of flow by enum pt_vjump */
	struct {
		uint32_t base, size;
		struct pt_vtruth_at *at;	/* one per granule */
	} span[PT_VTRUTH_SPANS];
	size_t n_spans;
	struct pt_vtruth_at elsewhere;	/* outside all spans */
	struct pt_vtruth_at *last;	/* where the instruction under way counts */
	uint64_t awake_cycles;		/* when it began */
	uint32_t *log;			/* every pc in order, while n_logged < log_room */
	size_t log_room, n_logged;	/* n_logged goes on counting */
};

/* Listens to the core from now on, as the last of its observers; truth stays in place until pt_vtruth_fini(). log_room: in
 * pcs, 0 for none. False: no memory, nothing to undo. */
bool pt_vtruth_init(struct pt_vtruth *truth, const struct pt_vtruth_core *core, size_t log_room);
void pt_vtruth_fini(struct pt_vtruth *truth);

/* Sums of the spans' addresses in [begin, end), and of everything, up to now. */
struct pt_vtruth_at pt_vtruth_sum(struct pt_vtruth *truth, uint32_t begin, uint32_t end);
struct pt_vtruth_at pt_vtruth_total(struct pt_vtruth *truth);

#endif
