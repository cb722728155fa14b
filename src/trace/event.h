/* The second waist: a fact as the hardware reported it. Fixed size, in batches.
 * Made by decoders, which see bytes and their own state, never the ELF; consumed by flow, merge and signals. */
#ifndef PT_TRACE_EVENT_H
#define PT_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_event_kind {
	PT_EV_START = 1,	/* flow begins at branch.to, or PT_UNKNOWN */
	PT_EV_BRANCH,		/* branch.from went to branch.to; cause is enum pt_by; each may be PT_UNKNOWN. By
				 * instruction to PT_UNKNOWN: a direct branch that was taken, as PT_ATOMS_TAKEN says;
				 * from there: the next branch that always jumps, as PT_ATOMS_CONDITIONAL has it, but
				 * told; by exception from there: as VECTOR, but the handler is told */
	PT_EV_ATOMS,		/* n direct branches, taken or not */
	PT_EV_INDIRECT,		/* the next indirect branch went to branch.to */
	PT_EV_VECTOR,		/* exception value.at was entered; value.value: return address, or PT_UNKNOWN: somewhere
				 * from the last atom on, before another atom or indirect branch; where it returns to
				 * tells */
	PT_EV_STOP,		/* flow ends before branch.to is executed, or PT_UNKNOWN. PT_ATOMS_TAKEN: n is 1 if one
				 * instruction has run since START, or one exception was entered; 0: not known. A START
				 * at the same place goes on there; between the two nothing ran. PT_ATOMS_ALL, and n is
				 * PT_STOP_ASLEEP: it ended behind the wait that straight code leads to from here */
	PT_EV_VALUE,		/* n bytes written or read; cause is enum pt_value_space * 2 + (1: written, 0: read), and
				 * what pt_value_comparator() and pt_value_matched() take out of it; n = 0: the value, or
				 * the line's level, is not known, value is PT_UNKNOWN */
	PT_EV_SAMPLE,		/* branch.to was being executed; PT_UNKNOWN: the core slept */
	PT_EV_EXCEPTION,	/* value.at: number; cause: enum pt_exception_step */
	PT_EV_BIN,		/* count hits in [begin, begin + the bin size of CONFIG);
				 * 0: a reading of all bins ends here */
	PT_EV_COUNTER,		/* counter.count more of counter.id, enum pt_counter; PT_UNKNOWN: nobody can say how
				 * many; cause is enum pt_counting */
	PT_EV_GAP,		/* what ran here is not known; cause is enum pt_gap */
	PT_EV_VALUE_PC,		/* the instruction at branch.to made the VALUE that comes next */
	PT_EV_EXECUTED,		/* the instruction at branch.to ran, behind the one that was reported before */
	PT_EV_SINCE,		/* value.value ticks of the target's own time stamps since the last change of flow that
				 * was recorded, when exception value.at was entered (PT_UNKNOWN: none was, it is a
				 * stamp and no more); cause is enum pt_since_cause */
	PT_EV_LOOK,		/* n bytes of memory at value.at were value.value when the probe read them, the first of
				 * them lowest; what they were since the look before is not known. cause is enum
				 * pt_look */
};

enum pt_look {
	PT_LOOK_FOUND,
	PT_LOOK_TORN,		/* they changed between the accesses that they take */
	PT_LOOK_WRITTEN,	/* the user had the probe write them */
};

enum pt_since_cause {
	PT_SINCE_EXACTLY,
	PT_SINCE_AT_LEAST,
	PT_SINCE_GOES_ON,	/* so many so far, and the change of flow that ends it has not come */
};

enum pt_by {
	PT_BY_INSTRUCTION,	/* branch.from is the instruction that branched */
	PT_BY_EXCEPTION,	/* branch.from is the return address: the instruction there did not run */
	PT_BY_EXCEPTION_RETURN,	/* branch.from is the returning instruction; branch.to where execution goes on */
	PT_BY_DEBUG,		/* the debugger moved the pc; branch.from did not run */
	PT_BY_HALT,		/* stopped and resumed by the debugger without a change of pc */
	PT_BY_TAIL_CHAIN,	/* branch.from is the returning instruction; branch.to the handler entered instead */
};

enum pt_gap {
	PT_GAP_RESTART = 1,	/* tracing was (re)started: nothing is known of what ran before */
	PT_GAP_DAMAGED,		/* the bytes made no sense */
	PT_GAP_LOSS,		/* a LOSS chunk is here; gap.ns and gap.bytes from it */
	PT_GAP_OVERFLOW,	/* the chip's own trace FIFO was full: it dropped trace, and says so in the stream */
};

/* Cause of START, ATOMS, INDIRECT, VECTOR and STOP: which direct branches their format has atoms for. */
enum pt_atoms {
	PT_ATOMS_ALL,		/* every direct branch, calls too */
	PT_ATOMS_CONDITIONAL,	/* conditional ones; the others leave nothing, the code walker follows them */
	/* none: conditional ones that are taken are BRANCHes; those passed on the way were not */
	PT_ATOMS_TAKEN,
};

enum { PT_STOP_ASLEEP = 2 };

enum pt_exception_step { PT_EXC_ENTER = 1, PT_EXC_EXIT, PT_EXC_RETURN };
enum pt_value_space { PT_SPACE_MEMORY, PT_SPACE_PORT, PT_SPACE_LINE };

enum pt_counter {
	PT_COUNTER_REFUSED = 1,	/* samples that the chip did not give: halted, or not permitted */
	PT_COUNTER_NAMED = 256,	/* and up: number 0 and up of those that CONFIG names (formats.h) */
};
enum pt_counting {
	PT_COUNTING_GOES_ON,
	PT_COUNTING_BEGINS,	/* the first reading, here or behind a gap */
	PT_COUNTING_RESUMES,	/* the counter did not count since its reading before: others had its place */
	PT_COUNTING_LEAST, PT_COUNTING_MOST,	/* no count: the least, or the most, of something so far */
};

struct pt_event {
	uint64_t ticks;		/* on the source's clock, or PT_UNKNOWN */
	uint16_t source, core;
	uint8_t kind, cause;
	uint16_t n;		/* atoms: how many, 1..64; value: bytes */
	union {
		struct { uint64_t from, to; } branch;
		struct { uint64_t bits; } atoms;	/* oldest in the highest used bit, 1 = taken */
		struct { uint64_t at, value; } value;
		struct { uint64_t begin, count; } bin;
		struct { uint32_t id, error_ns; uint64_t count; } counter;	/* error: of the moment, at worst */
		struct { uint64_t ns, bytes; } gap;
	};
};

/* In the cause of a VALUE of memory: the number of the DWT's comparator that saw it, and whether that said no more than that it
 * matched: neither what was accessed nor whether it was written. */
enum { PT_VALUE_MATCHED = 1 << 3, PT_VALUE_COMPARATOR = 1 << 4, PT_NO_COMPARATOR = -1 };

static inline enum pt_value_space pt_value_space(const struct pt_event *e)
{
	return (enum pt_value_space)(e->cause >> 1 & 3);
}

static inline bool pt_value_matched(const struct pt_event *e)
{
	return (e->cause & PT_VALUE_MATCHED) != 0;
}

static inline int pt_value_comparator(const struct pt_event *e)	/* or PT_NO_COMPARATOR */
{
	return e->cause / PT_VALUE_COMPARATOR - 1;
}

static inline unsigned pt_value_by(unsigned comparator)
{
	return (comparator + 1) * PT_VALUE_COMPARATOR;
}

enum { PT_BATCH_EVENTS = 256 };	/* 8 KiB: events and the runs made of them stay in the first-level cache */

struct pt_batch {
	struct pt_event event[PT_BATCH_EVENTS];
	size_t n_events;
};

/* Bytes of from and to of a branch where a format is no more than pairs of them, 32 bits each. */
enum { PT_PAIR_BYTES = 8 };

bool pt_event_eq(const struct pt_event *a, const struct pt_event *b);	/* the fields that the kind uses */
/* One line without newline, as golden files hold it; cut at size. Returns line. */
char *pt_event_print(const struct pt_event *event, char *line, size_t size);

#endif
