/* Signals: the only place where values become meaning. Values that the target wrote (memory, instrumentation ports) and
 * levels of lines come in as events; what comes out says that a task runs, that a span begins or ends, that a
 * variable changed, that a line went high.
 *
 * What a value means is a definition: which address, port or line, and how to read it. Definitions are pure data,
 * made from words (`variables=g_state,motor.mode`), from an ORTI file or an RTOS recipe before the pipeline is made,
 * and from the names of lines in a CONFIG chunk.
 *
 * Parts: a write that covers only some bytes of a definition begins, goes on with or ends a value that comes in several
 * (16 bits over an 8-bit bus): rising addresses from the first byte on make one value. One that is no such part changes
 * a value that is known already. A message of a port is a value of its own size; only where the definition was given a
 * size (port.3.2), so many shorter messages make one value. */
#ifndef PT_PROFILE_SIGNALS_H
#define PT_PROFILE_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/flow/timestamp.h"
#include "program/orti/tasks.h"
#include "trace/event.h"

enum pt_signal_kind {
	PT_SIGNAL_TASK = 1,	/* value: index in the definition's task map; from its length on those that it does not
				 * have, as they come (raw is their value); PT_SIGNAL_NONE: no task runs (idle loop,
				 * before the OS started); PT_SIGNAL_UNLISTED: more than PT_SIGNALS_UNLISTED are not in
				 * the map */
	PT_SIGNAL_ISR,		/* the same of ISR2s */
	PT_SIGNAL_SERVICE,	/* the same of services; enters: entry, else exit */
	PT_SIGNAL_SPAN,		/* value: span id; enters: begins, else what runs now again is value (0: none). Two points:
				 * id 1; it may be entered while it is open, and left while it is not: both are errors */
	PT_SIGNAL_STATE,	/* variable id has the state value from now on */
	PT_SIGNAL_VALUE,	/* variable id was written (or read) with value */
	PT_SIGNAL_LEVEL,	/* line id has level value: 0, 1, or PT_UNKNOWN */
	PT_SIGNAL_LOOK,		/* variable id was found to be value, as VALUE, TASK, ISR and SERVICE have theirs: what it
				 * was since the look before is not known */
	PT_SIGNAL_WRITTEN,	/* the same, but the user had the probe write value */
	PT_SIGNAL_GAP,		/* this source saw nothing for a while: whatever is open
				 * on its signals ended as unknown. value: enum pt_gap */
};
#define PT_SIGNAL_NONE (PT_UNKNOWN - 1)
#define PT_SIGNAL_UNLISTED (PT_UNKNOWN - 2)

struct pt_signal {
	struct pt_timestamp at;
	uint64_t ticks;		/* the source's own clock, finer and without error among signals of one source; or
				 * PT_UNKNOWN */
	uint64_t own_ns;	/* the same as a time (own_clock.h): lengths between signals are differences of these */
	uint64_t own_error_ns;	/* of that, against other signals of the same source; 0: none */
	uint64_t value;		/* VALUE, STATE: sign-extended, the bits of a float as they are */
	uint64_t raw;		/* as it was written, the whole of the definition */
	uint64_t pc;		/* the instruction that wrote it; PT_UNKNOWN */
	uint16_t id;		/* index of the definition */
	uint16_t source, core;
	uint8_t kind;		/* enum pt_signal_kind */
	bool enters;
	bool astray;		/* SPAN of two points: it ended at a value that is neither of them */
	bool read;		/* it was read, not written */
	bool torn;		/* LOOK: the value changed while it was read; it is none */
};

enum pt_signal_form {
	PT_FORM_STATE,		/* every different value is a state with a duration of its own: STATE when it changes */
	PT_FORM_REGULAR,	/* a quantity: writes, changes, least, most, rate, value
				 * over time: VALUE for each write */
	PT_FORM_EITHER,		/* VALUE for each write; who looks at it may take few different values for states */
	PT_FORM_TWO_POINT,	/* states of a signalling variable as spans (id 1):
				 * entered at one value, left at another */
	PT_FORM_NESTED,		/* bit 0 set: enter id = value >> 1; clear: back in id = value >> 1 */
	PT_FORM_TASK, PT_FORM_ISR, PT_FORM_SERVICE,
	PT_FORM_LINE,		/* an external line: level 0 or 1 */
};

struct pt_value_name { uint64_t value; const char *name; };

/* One definition. Texts and arrays live as long as the maker of the set says, at least as long as the pipeline. */
struct pt_signal_definition {
	const char *name;	/* "motor.mode", or the line's */
	enum pt_signal_form form;
	enum pt_value_space space;
	uint64_t at;		/* address, port or line number */
	uint32_t size_bytes;	/* 1..8 */
	bool own_size;		/* PORT: each message is a value, of whatever size; size_bytes is the most */
	uint8_t first_bit, n_bits;	/* a bit-field inside; n_bits 0: all of it */
	bool is_signed, is_float;
	bool big_endian;	/* memory: of the target; port: the first of several messages is the highest */
	uint16_t source;	/* or PT_ANY_SOURCE */
	uint16_t core;		/* or PT_ANY_CORE */
	uint64_t enter, leave;	/* TWO_POINT: values */
	const struct pt_value_name *values;	/* enumerators; may be NULL */
	size_t n_values;
	bool synonyms;		/* several of them may have one name: the first one's value is meant */
	const char *task;	/* STATE: the task of the OS whose state it is; else NULL */
	const struct pt_task_map *tasks;	/* TASK, ISR, SERVICE */
};

/* Whether its values are of the OS: numbers of a task map, PT_SIGNAL_NONE, PT_SIGNAL_UNLISTED. */
static inline bool pt_signal_of_system(const struct pt_signal_definition *d)
{
	return d->form == PT_FORM_TASK || d->form == PT_FORM_ISR || d->form == PT_FORM_SERVICE;
}
enum { PT_ANY_CORE = UINT16_MAX, PT_ANY_SOURCE = UINT16_MAX, PT_SIGNALS_MAX = 256, PT_SIGNALS_UNLISTED = 64,
       PT_SIGNAL_SOURCES = 64 };

/* May grow while it is used (never beyond PT_SIGNALS_MAX); what is in it stays where it is. */
struct pt_signal_set {
	const struct pt_signal_definition *definition;
	size_t n_definitions;
};

/* Times that signals of a source may be missing, by its number: for analyses. */
struct pt_signal_gaps { uint64_t n[PT_SIGNAL_SOURCES]; };

/* known: something came of the source. A fresh start before that is none. */
static inline void pt_signal_gaps_take(struct pt_signal_gaps *gaps, const struct pt_signal *gap, bool known)
{
	if (gap->source < PT_SIGNAL_SOURCES && (known || gap->value != PT_GAP_RESTART))
		gaps->n[gap->source]++;
}

static inline uint64_t pt_signal_gaps_of(const struct pt_signal_gaps *gaps, uint16_t source)
{
	return source < PT_SIGNAL_SOURCES ? gaps->n[source] : 0;
}

struct pt_signals;

/* set is the caller's and outlives it. */
struct pt_signals *pt_signals_new(const struct pt_signal_set *set);
void pt_signals_free(struct pt_signals *signals);

/* What an event (VALUE, VALUE_PC, LOOK, GAP; others are none) means: at most one signal per definition that it concerns,
 * and at most PT_SIGNALS_ROOM, which out has room for. Returns how many. at: the event's moment. */
enum { PT_SIGNALS_ROOM = 8 };
size_t pt_signals_take(struct pt_signals *signals, const struct pt_event *event, struct pt_timestamp at,
		       struct pt_signal *out);

/* Parts of values that were never made whole, and signals beyond PT_SIGNALS_ROOM. */
uint64_t pt_signals_incomplete(const struct pt_signals *signals);

/* Bytes of the widest message that concerned a definition; 0: there was none. */
unsigned pt_signals_widest(const struct pt_signals *signals, size_t definition);

/* The enumerator's or task's name for a value of a definition's signals; NULL: it has none. */
const char *pt_signal_value_name(const struct pt_signal_definition *definition, uint64_t value);
/* The value itself, for people. */
void pt_signal_print(const struct pt_signal_definition *definition, uint64_t value, char *out, size_t room);
/* A value as a number: floats from their bits, signed ones as such. */
double pt_signal_real(const struct pt_signal_definition *definition, uint64_t value);

#endif
