/* A synthetic firmware and the branch trace of its execution: real Thumb encodings, some 2,000 functions of every
 * size up to 800 bytes, calls direct and through pointers, loops, early returns and interrupts. The generator keeps
 * the truth about every function, in instructions and in modelled cycles. */
#ifndef PT_BENCH_SYNTHETIC_H
#define PT_BENCH_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/model/program.h"

enum {
	SYNTH_BASE = 0x40000,		/* a multiple of its size */
	SYNTH_BYTES = 256 * 1024,
	SYNTH_UNITS = SYNTH_BYTES / 2,
	SYNTH_FUNCTIONS = 2000,
	SYNTH_LEVELS = 12,		/* the longest chain of calls */
	SYNTH_HANDLERS = 4,		/* functions 1..4 are interrupt handlers; function 0 never returns */
};

enum synth_kind { SYNTH_PLAIN, SYNTH_JUMP, SYNTH_JUMP_IF, SYNTH_CALL, SYNTH_RETURN, SYNTH_HANDLER_RETURN };
enum synth_clock { SYNTH_INSTRUCTIONS, SYNTH_CYCLES, SYNTH_CLOCKS };

struct synth_unit {			/* one halfword; len 0: not the start of an instruction */
	uint32_t target;		/* index; of calls through a pointer UINT32_MAX */
	uint32_t instructions;		/* before this one, running straight from the base */
	uint32_t cycles;
	uint16_t function;		/* from 0 */
	uint8_t kind, len;
};

struct synth_stat { uint64_t n, total, min, max; };

struct synth_truth {
	uint64_t entries;
	struct synth_stat net[SYNTH_CLOCKS], gross[SYNTH_CLOCKS], call[SYNTH_CLOCKS], period[SYNTH_CLOCKS];
};

struct synth {
	uint64_t random;
	struct synth_unit unit[SYNTH_UNITS + 1];
	uint32_t next_site[SYNTH_UNITS];	/* the first instruction that can branch, from here on */
	uint32_t start[SYNTH_FUNCTIONS + 1];
	uint16_t op[SYNTH_UNITS];
	unsigned level[SYNTH_FUNCTIONS];
	uint16_t member[SYNTH_LEVELS][SYNTH_FUNCTIONS];	/* functions that may be called, by level */
	unsigned n_members[SYNTH_LEVELS];
	unsigned n_functions;
	struct synth_truth truth[SYNTH_FUNCTIONS];
};

/* The same image and the same trace for the same seed. The caller frees it. */
struct synth *synth_new(uint64_t seed);
struct pt_program *synth_program(const struct synth *synth);

/* Execute and record n_packets packets of 8 bytes. Cycles of exceptions as flow would add them. Returns bytes. */
size_t synth_trace(struct synth *synth, uint8_t *out, size_t n_packets, unsigned entry_cycles, unsigned return_cycles);

/* The same piece by piece, without end. begin: NULL, no memory; the caller frees it. more: at most n_packets, and no
 * more than one fewer; where the last piece ends, truth and trace agree. */
struct synth_run *synth_begin(struct synth *synth, unsigned entry_cycles, unsigned return_cycles);
size_t synth_more(struct synth_run *run, uint8_t *out, size_t n_packets);

#endif
