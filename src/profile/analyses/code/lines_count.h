/* The counters behind lines.h, shared by its two halves: what every run touches (lines.c), and what is made of it for
 * a report (lines_settle.c). No other file includes this. */
#ifndef PT_PROFILE_LINES_COUNT_H
#define PT_PROFILE_LINES_COUNT_H

#include "profile/result/analysis.h"
#include "profile/analyses/code/lines.h"

/* Per code unit. A run [begin, end) is one begin and one end; how often an instruction was executed is the sum of
 * begins less ends up to it. What belongs to the run's last instruction lies at end, where it is known without looking
 * for it. */
struct pt_unit_count {
	uint64_t begins, ends;
	uint64_t left;		/* of the runs that ended here: by their own instruction */
	uint64_t extra;		/* cycles beyond passing straight on; wraps, sums do not */
};

/* Plain branches (branch_block.h): how often the instruction at a unit was left by its own branch, and how often a
 * departure arrived there: where any other branch goes, the code says. All that pt_unit_count has of such runs follows
 * from that. As small as can be, since all of it is in use all the time: what overflows is moved over. */
struct pt_lines_passed { uint8_t *left, *arrived; };	/* by unit; one memory, left first */
enum { PT_LINES_FULL = 256 };	/* so many of either are 0 */

struct pt_span_count {
	const struct pt_code_span *span;
	struct pt_lines_passed passed;	/* NULL: the span has no pieces */
	struct pt_unit_count *unit;	/* one more than the span has units */
	size_t n_units;
};

struct pt_lines_count {		/* of one core, or of all of them together */
	struct pt_lines result;
	const struct pt_codemap *map;
	const struct pt_flow_settings *flow;
	const struct pt_program *program;
	struct pt_span_count *span;
	size_t last;			/* the span of the run before */
	bool ran;
	const struct pt_inlines *inlines;
	unsigned shift;			/* of bytes to units */
	/* counters may be of weighted windows: what they stand for, and the counters of what was seen (NULL: these) */
	double scale;
	const struct pt_lines_count *as_seen;
	/* results, made anew each time */
	struct pt_lines_insn *insn;	/* room for n_insns: all of the code map */
	size_t n_insns;
	struct pt_lines_line *line;
	uint32_t *seen;
	struct pt_lines_inline *inlined;
	struct pt_lines_function *function;
};

/* NULL: no memory. */
struct pt_lines_count *pt_lines_count_new(const struct pt_analysis_setup *setup, const struct pt_inlines *inlines);
void pt_lines_count_free(struct pt_lines_count *c);
/* Each run counts `times`. */
void pt_lines_count_runs(struct pt_lines_count *c, const struct pt_run *run, size_t n, uint64_t times);
/* Calls visit for each instruction that the run executed, with what it took of the run's cycles; the first of the
 * handler that the run went to has the cycles of entering it, and no instruction. */
void pt_lines_spread(struct pt_lines_count *c, const struct pt_run *run,
		     void (*visit)(void *arg, size_t span, size_t unit, uint64_t instructions, uint64_t cycles),
		     void *arg);
/* n more runs, that were left by their last instruction's own branch, ended with the one at unit u; where that is no
 * departure, as many began where it goes. */
void pt_lines_left(const struct pt_span_count *s, size_t u, uint64_t n);
/* What passed says, to unit. */
void pt_lines_move_passed(struct pt_lines_count *c);
/* What from counted, added to what to did. */
void pt_lines_sum(struct pt_lines_count *to, const struct pt_lines_count *from);
/* Fill result from the counters. What does not fit into memory is missing from it. */
void pt_lines_settle(struct pt_lines_count *c);

#endif
