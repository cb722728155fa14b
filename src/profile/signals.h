/* Signals: the only place where values become meaning. Values that the target wrote (memory, instrumentation ports) and
 * levels of lines come in as events; what comes out says that a task runs, that a span begins or ends, that a
 * variable changed, that a line went high.
 *
 * What a value means is a definition: which address, port or line, and how to read it. Definitions are pure data, made
 * from words (`variables=g_state,motor.mode`), from an ORTI file or an RTOS recipe before the pipeline is made. */
#ifndef PT_PROFILE_SIGNALS_H
#define PT_PROFILE_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/moment.h"
#include "trace/event.h"

enum pt_signal_kind {
	PT_SIGNAL_TASK = 1,	/* value: index in the task map, PT_NO_TASK: none (idle loop, before the OS started) */
	PT_SIGNAL_ISR,		/* value: index in the map of ISR2s, PT_NO_TASK: none */
	PT_SIGNAL_SERVICE,	/* value: the service's id; enters says entry or exit */
	PT_SIGNAL_SPAN,		/* value: span id; enters: begins, else what runs now again is value (0: none) */
	PT_SIGNAL_STATE,	/* variable id has the state value from now on */
	PT_SIGNAL_VALUE,	/* variable id was written */
	PT_SIGNAL_LEVEL,	/* line id has level value */
	PT_SIGNAL_GAP,		/* this source saw nothing for a while: whatever is open on its signals ended as unknown */
};

struct pt_signal {
	struct pt_moment at;
	uint64_t ticks;		/* the source's own clock, finer and without error among signals of one source; or
				 * PT_UNKNOWN */
	uint64_t value;
	uint64_t pc;		/* the instruction that wrote it; PT_UNKNOWN */
	uint16_t id;		/* index of the definition */
	uint16_t source, core;
	uint8_t kind;		/* enum pt_signal_kind */
	bool enters;
};

enum pt_signal_form {
	PT_FORM_STATE,		/* every different value is a state with a duration of its own */
	PT_FORM_REGULAR,	/* a quantity: writes, changes, least, most, rate, value over time */
	PT_FORM_TWO_POINT,	/* states of a signalling variable as spans: entered at one value, left at another */
	PT_FORM_NESTED,		/* bit 0 set: enter id = value >> 1; clear: back in id = value >> 1 (profiling.md 3) */
	PT_FORM_TASK, PT_FORM_ISR, PT_FORM_SERVICE,
	PT_FORM_LINE,		/* an external line: level 0 or 1 */
};

struct pt_value_name { uint64_t value; const char *name; };

/* One definition. Texts and arrays live as long as whoever made the set says, at least as long as the pipeline. */
struct pt_signal_definition {
	const char *name;	/* "motor.mode", or the line's */
	enum pt_signal_form form;
	enum pt_value_space space;
	uint64_t at;		/* address, port or line number */
	uint32_t size_bytes;	/* 1..8; several smaller writes inside it, to rising addresses, make one value */
	bool is_signed, is_float;
	uint16_t core;		/* or PT_ANY_CORE */
	uint64_t enter, leave;	/* TWO_POINT: values */
	const struct pt_value_name *values;	/* enumerators, tasks, services; may be NULL */
	size_t n_values;
	const bool *is_none;	/* TASK, ISR: per value, whether it means that none runs; NULL: none does */
};
enum { PT_ANY_CORE = UINT16_MAX, PT_SIGNALS_MAX = 256 };

struct pt_signal_set {
	const struct pt_signal_definition *definition;
	size_t n_definitions;
};

struct pt_signals;

/* set is the caller's and outlives it. NULL: out of memory. */
struct pt_signals *pt_signals_new(const struct pt_signal_set *set);
void pt_signals_free(struct pt_signals *signals);

/* Append what an event means to out, at most one signal per definition that it concerns; others are none. out has room
 * for PT_SIGNALS_ROOM. Returns how many. at: the event's moment. */
enum { PT_SIGNALS_ROOM = 8 };
size_t pt_signals_take(struct pt_signals *signals, const struct pt_event *event, struct pt_moment at,
		       struct pt_signal *out);

#endif
