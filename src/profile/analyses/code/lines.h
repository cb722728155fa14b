/* Lines, instructions, inlined calls and coverage, from runs: how often each instruction was executed, and what it
 * took.
 *
 * Per instruction all figures are exact sums over the runs that were seen; they add up to the function table: the
 * cycles of entering an exception belong to the handler's first instruction, those of returning to the returning one.
 * A line's count is that of its most executed statement in each place where it was compiled to (function, inlined
 * call), added up over the places: a loop's head counts each turn, a call of an inlined function each call.
 * Of a windowed core (profile.h) figures are estimates for the whole profile, and only what was observed is as it was.
 * Each core has counts of its own; those of all cores together are what coverage and annotated sources are made of.
 * "Observed" is not "covered": what has no count is "not observed", and "not executed" only where nothing was missed
 * from reset on. */
#ifndef PT_PROFILE_LINES_H
#define PT_PROFILE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/dwarf/inlines.h"
#include "profile/stats/estimate.h"
#include "program/model/linetable.h"

struct pt_lines_insn {		/* an instruction that was executed */
	uint64_t address;
	uint64_t count;
	uint64_t left;		/* out of them: left the straight line by itself: jumped, called, returned */
	uint64_t cycles;	/* modelled, all of them */
	struct pt_share share;	/* of a windowed core */
	struct pt_estimate executed;	/* likewise: count with its interval; value NAN: too few windows, or none has it */
	uint16_t function;	/* id */
};

struct pt_lines_line {		/* a line that has code */
	uint32_t file;		/* pt_program_files() */
	uint32_t line;
	uint16_t function;	/* id; where it has code first, by address */
	uint32_t n_insns, n_observed;	/* its instructions, and how many of them were seen executing */
	uint64_t count, instructions, cycles;
	struct pt_share share;	/* of a windowed core */
	struct pt_estimate executed;	/* likewise: instructions with their interval; value NAN: as above */
};

struct pt_lines_inline {	/* an inlined call that was seen executing */
	uint32_t id;		/* pt_inlines_calls() */
	uint16_t function;	/* id of the function whose code it is in */
	uint64_t count;		/* how often it was entered from outside itself */
	uint64_t instructions, cycles;	/* of its own, without inlined calls inside it */
	uint64_t cycles_inside;	/* with them */
	/* of a windowed core: of its own, the limits at worst; instructions likewise, value NAN: none */
	struct pt_share share;
	struct pt_estimate executed;
};

struct pt_lines_function {	/* coverage of one; by id */
	uint32_t n_insns, n_observed, n_lines, n_lines_observed;
	uint32_t n_branches, n_ways_observed;	/* conditional branches; out of two ways each */
};

struct pt_lines {
	const struct pt_lines_insn *insn;	/* by address */
	const struct pt_lines_line *line;	/* by file and line */
	const struct pt_lines_inline *inlined;	/* by id */
	const struct pt_lines_function *function;
	size_t n_insns, n_lines, n_inlined, n_functions;
	const uint32_t *seen;		/* indices of the lines that were seen executing */
	size_t n_seen;
	const struct pt_inlines *inlines;
	const struct pt_codemap *map;
	uint64_t elsewhere;	/* runs outside the program's code: in no figure here */
	uint16_t core;		/* of one of those below */
	const struct pt_lines *const *cores;	/* all of this by core, by number; n_cores < 2: this is all there is */
	size_t n_cores;
};

struct pt_profile;
/* Nothing that ran since reset was missed: what has no count was not executed. Without it, it was not observed. */
bool pt_lines_whole(const struct pt_profile *profile);

/* The instruction at address; NULL: it was not seen executing. */
const struct pt_lines_insn *pt_lines_insn_at(const struct pt_lines *lines, uint64_t address);
/* The line of a file; NULL: it has no code. */
const struct pt_lines_line *pt_lines_line_at(const struct pt_lines *lines, uint32_t file, uint32_t line);

#endif
