/* The code map: what following the flow needs of every instruction, in flat arrays indexed by (address - base) /
 * smallest instruction, with running sums. The cost of a straight run is then one subtraction, and decoding a branch
 * takes a few loads. Built once per program (and image); constant afterwards. */
#ifndef PT_PROGRAM_CODEMAP_H
#define PT_PROGRAM_CODEMAP_H

#include "program/model/program.h"

/* Function ids are index + 1; functions beyond PT_MAX_FUNCTIONS have none, and the program's warning says so. */
enum { PT_NO_FUNCTION = 0, PT_MAX_FUNCTIONS = UINT16_MAX - 1 };

/* Sums of what lies before an address in its span, packed so that one subtraction gives all of a straight run, and one
 * addition adds it up: modelled cycles in bits 0-23, every conditional branch counted as not taken; instructions in
 * bits 24-39; and breaks in bits 40-55 (places that no straight run can pass: unconditional branches, data). The fields
 * carry into one another, but a difference is correct if the run has less than 65536 units, since no unit has more than
 * 255 cycles.
 *
 * Bits 56-63 are not a sum but the unit's reach: the largest distance in units to the last instruction of a short run
 * from here. It is in the same function, with nothing in between that breaks the flow. The sums of PT_SHORT_RUNS short
 * runs, each with a branch at its end, do not carry. */
enum { PT_SUM_INSTRUCTIONS = 24, PT_SUM_BREAKS = 40, PT_SUM_REACH = 56 };
enum { PT_MOST_REACH = 254, PT_SHORT_RUNS = 256 };
#define PT_SUM_CYCLES_MASK UINT32_C(0xffffff)

static inline uint32_t pt_sum_cycles(uint64_t difference)
{
	return (uint32_t)difference & PT_SUM_CYCLES_MASK;
}

static inline uint32_t pt_sum_instructions(uint64_t difference)
{
	return (uint16_t)(difference >> PT_SUM_INSTRUCTIONS);
}

static inline unsigned pt_sum_breaks(uint64_t difference)
{
	return (uint16_t)(difference >> PT_SUM_BREAKS);
}

struct pt_code_unit {		/* one entry per isa->unit_bytes; 16 bytes, four in a cache line */
	uint64_t sums;		/* and reach */
	uint32_t target;	/* of a direct branch, inside this span: 1 + bytes from base; or as below. In the second
				 * unit of a direct call PT_CALL_SITE + the call's number */
	uint16_t function;	/* id, or PT_NO_FUNCTION */
	uint8_t flow : 4;	/* enum pt_flow_class; INVALID inside an instruction and in data */
	uint8_t len_units : 4;	/* 0: no instruction begins here */
	uint8_t leave_cycles : 6;	/* of this instruction when it branches */
	uint8_t plain : 1;	/* an instruction begins here, and no exception handler */
	uint8_t departs : 1;	/* calls, returns, jumps to another function, or to a place that is not known */
};
#define PT_ANY_TARGET UINT32_MAX	/* target in a register: "negative" */
#define PT_FAR_TARGET 0			/* out of this span (pt_codemap_target() has it), or not a branch */
#define PT_CALL_SITE UINT32_C(0x40000000)	/* above any target */
enum { PT_CALL_SITES = 65536 };		/* numbers from 0 on; further calls have none */

/* For each unit, to follow code when not every branch is reported: the distance in units to the next instruction that
 * does not simply continue (0: here), or to a place on the way to it, and whether that is doubtful. */
enum { PT_WAY = 0x7fff, PT_WAY_DOUBTFUL = 0x8000 };

struct pt_code_span {		/* one contiguous piece of code */
	uint64_t base, end;
	struct pt_code_unit *code;	/* (end - base) / unit + 1 entries, the last holds the sums at the end; behind
					 * them at least PT_CODEMAP_PAD that are no code, and up to offset_mask, so that
					 * a walk need not look ahead */
	/* one for each unit, and 0 at the end; NULL: the ISA has no traces that need it */
	uint16_t *way;
	uint32_t offset_mask;		/* 2^n - 1, not below end - base */
};
enum { PT_CODEMAP_PAD = 32768 };	/* units; memory that is never touched */

struct pt_codemap {
	struct pt_kept kept;		/* free NULL: not the program's own map (pt_codemap_of()) */
	const struct pt_isa *isa;
	const struct pt_program *program;	/* referenced, except in the program's own map */
	struct pt_code_span *span;	/* by address */
	size_t n_spans;
	uint32_t n_sites;		/* calls that have a number */
	uint64_t *wait;			/* addresses of instructions that wait for an interrupt, ascending; the first */
	size_t n_waits;			/* PT_CODEMAP_WAITS of them */
	struct pt_landing *landing;	/* landings.h */
	size_t n_landings;
};
enum { PT_CODEMAP_WAITS = 4096 };

/* program may be NULL (an empty map: every address is outside code). With pt_isa_none the map is empty, too. Fails only
 * for lack of memory. */
struct pt_codemap *pt_codemap_new(const struct pt_program *program, const struct pt_isa *isa);
void pt_codemap_free(struct pt_codemap *map);
/* The program's own map, made at the first call and freed with the program. isa: must be the same in all calls. Any
 * thread. NULL: out of memory. */
struct pt_codemap *pt_codemap_of(struct pt_program *program, const struct pt_isa *isa);
/* For codemap.c: fills wait. False: out of memory. (waits.c) */
void pt_codemap_find_waits(struct pt_codemap *map);

/* The target of the direct branch at addr; PT_UNKNOWN: there is none. Works for any span; the hot path reads target
 * directly. */
uint64_t pt_codemap_target(const struct pt_codemap *map, uint64_t addr);

/* In units. */
static inline unsigned pt_codemap_reach(const struct pt_code_unit *unit)
{
	return (unsigned)(unit->sums >> PT_SUM_REACH);
}

/* The entry of addr, or NULL outside code. */
static inline const struct pt_code_unit *pt_codemap_at(const struct pt_codemap *map, uint64_t addr)
{
	for (size_t i = 0; i < map->n_spans; i++)
		if (addr - map->span[i].base < map->span[i].end - map->span[i].base)
			return map->span[i].code + (addr - map->span[i].base) / map->isa->unit_bytes;
	return NULL;
}

/* The function at addr, as an id. in_code: whether the program has code there. Also works for a program that cannot be
 * decoded (pt_isa_none), for which the map has no entries. */
uint16_t pt_codemap_function(const struct pt_codemap *map, uint64_t addr, bool *in_code);

/* The first instruction of the handler of an exception that entered the code at addr. If vectors are code, the entry is
 * a jump in a table that belongs to some symbol: the handler is the function that it jumps to. Else addr itself. */
uint64_t pt_codemap_handler(const struct pt_codemap *map, uint64_t addr);

#endif
