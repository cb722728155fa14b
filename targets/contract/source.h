/* A source: what fetches trace out of a chip while it runs, one file each in its target's folder.
 * It names the format of its bytes (trace/formats.h), not a decoder; takes numbers, no ELF; makes chunks.
 * Board thread only. To add one: a file with a struct pt_source_ops, one word in the target's list. */
#ifndef PT_TARGETS_SOURCE_H
#define PT_TARGETS_SOURCE_H

#include "base/params.h"
#include "targets/contract/mem.h"
#include "trace/chunk.h"

struct pt_target;

/* What the session found out and a source may need: plain numbers. */
struct pt_source_setup {
	const struct pt_params *settings;	/* words checked against the source's own rows */
	uint16_t source, core;		/* numbers to put into chunks */
	struct pt_sink *sink;
	/* RAM the program leaves alone, largest first: the chip's RAM less every section and the span from the end of
	 * .bss to the initial stack pointer. Empty, with why saying so, when unknown. */
	const struct pt_span { uint64_t addr, size; } *free_ram;
	size_t n_free_ram;
	const char *why_no_ram;
	struct pt_span code;		/* where the program's functions are, the largest
					 * part of them; size 0: not known */
	/* Variables in memory that the profile follows: a source that can watch some sends their values. They live as long as
	 * the profile. */
	const struct pt_source_place {
		uint64_t addr;
		uint32_t size_bytes;	/* 1 and up */
		bool task;		/* it says which task runs */
		bool named;		/* its value is asked for, not only what it signals */
		bool spare;		/* it is left out where that takes hardware, or there are too many */
	} *places;
	size_t n_places;
	uint64_t seed;			/* for jitter; the same seed gives the same run on a virtual clock */
	/* "key=value\n" lines that the session adds to every CONFIG (target, probe, virtual, core_hz, ...) */
	const char *config;
	const struct pt_source_ops *beside;	/* with_watch.h */
	bool shares_link;		/* others use the link meanwhile: no delay runs in the probe that could be a rest */
};

struct pt_source_ops {
	const char *name;		/* "mtb" */
	const char *format;		/* PT_FORMAT_MTB */
	const char *modes;		/* "burst|stream|halt", the first is the default */
	const char *titles;		/* what reports call each of the modes: "MTB bursts|MTB stream|MTB, halting" */
	const char *recorder;		/* the mode that keeps the last branches and gives them at a halt, for a
					 * debugger that goes back in time; NULL: none */
	const char *holds;		/* the mode in which it holds the core between two drains; NULL: none */
	const char *help;		/* one line */
	bool flow;			/* it traces branches: of use only where the code between them can be walked */
	bool of_places;			/* it shows the variables that are named, and nothing of what ran: never chosen, unless
					 * by source= */
	bool of_writes;			/* it sees the program write the variables that are named */
	bool only_by_name;		/* it disturbs the program: never chosen, unless by source= */
	size_t state_bytes;
	const struct pt_param *params;
	size_t n_params;
	/* It is made of these, ends with NULL (shared_link.h): settings of any but their modes are its own, too. */
	const struct pt_source_ops *const *members;
	/* Can this chip do it? 0, or PT_EUNSUPPORTED with the reason, for `monitor sources`. A unit that is not in use
	 * may be tried out for that, and is left as it was. */
	int (*available)(struct pt_target *target, struct pt_err *err);
	/* What it is to the program here, where that depends: "each sample halts the core". NULL: help says it. */
	void (*cost)(struct pt_target *target, char *line, size_t room);
	/* Calls each with every name that values of its settings may have (events), and what it means. NULL: none. */
	void (*explain)(void (*each)(void *arg, const char *name, const char *meaning), void *arg);
	/* Save what it will change, program the unit, emit CONFIG. Undoes its own work on failure. PT_EBUSY when the
	 * unit is leased to another (the sentence names the owner). */
	int (*start)(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err);
	/* One step, as long as the link is best used: on one of 1 ms a packet 35 ms, because every step takes a
	 * turn-around (10 ms steps would use 89 % of the packet slots, 35 ms 97 %). Resumable: an interrupt cuts it
	 * short, and a job that wants the wire waits for what is in flight, 10 ms at most, or 20 while a delay runs in
	 * the probe. Returns 0 = again at once, or > 0: nothing to do for that many microseconds; PT_EINTERRUPTED is
	 * fine: call again. Other errors: the source is dead, END was emitted. */
	int (*drain)(void *state, struct pt_err *err);
	/* This core of the target stopped, or was resumed or reset by a client: emit STATE, re-arm what a reset
	 * cleared. Where several of them stop together it is called for each, those that the source has nothing of
	 * included. A client waits for the news of a stop: what takes the wire long then is left to the next
	 * drain. */
	int (*on_state)(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err);
	/* The core is halted, and what was recorded before has not been fetched yet: before the core is resumed, call
	 * drain until this is false, for on_state would fetch it in one go. NULL: never. */
	bool (*behind)(const void *state);
	/* The user wants these bytes to be at addr: one write, which the trace says with its moment. NULL: it writes
	 * nothing. 0, or the memory's error: nothing else has changed. */
	int (*write)(void *state, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err);
	/* Fetch what is left, restore every register, emit END. Also after an error or with the probe gone: then only
	 * what needs no probe. Always releases; returns what went wrong. */
	int (*stop)(void *state, struct pt_err *err);
};

#endif
