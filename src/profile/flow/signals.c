#include "profile/flow/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { VALUE_BYTES = 8 };

struct state {			/* of one definition */
	uint8_t bytes[VALUE_BYTES];	/* as memory has them, from the first address on */
	uint8_t part[VALUE_BYTES];	/* a value in the making */
	uint32_t part_bytes;	/* of it, from the first on; 0: none */
	uint8_t widest_bytes;	/* of the messages so far */
	bool known;		/* bytes are */
	bool told;		/* value went out */
	bool open;		/* TWO_POINT: entered */
	bool entered, astray;	/* TWO_POINT: it was, since the gap; a value that is neither of the two ended it */
	uint64_t value;		/* that went out last */
	uint16_t source;	/* where values came from last */
	uint64_t *unlisted;	/* values that a task map does not have, PT_SIGNALS_UNLISTED of them; NULL: none yet */
	size_t n_unlisted;
};

struct pt_signals {
	const struct pt_signal_set *set;
	struct { uint64_t pc; uint16_t source, core; } writer;	/* of the VALUE that comes next */
	uint64_t incomplete;
	struct state state[PT_SIGNALS_MAX];
};

struct pt_signals *pt_signals_new(const struct pt_signal_set *set)
{
	struct pt_signals *s = pt_alloc(sizeof(*s));

	s->set = set;
	s->writer.pc = PT_UNKNOWN;
	return s;
}

void pt_signals_free(struct pt_signals *s)
{
	for (size_t i = 0; s != NULL && i < PT_SIGNALS_MAX; i++)
		free(s->state[i].unlisted);
	free(s);
}

uint64_t pt_signals_incomplete(const struct pt_signals *s)
{
	return s->incomplete;
}

unsigned pt_signals_widest(const struct pt_signals *s, size_t definition)
{
	return s->state[definition].widest_bytes;
}

/* --- bytes to values */

static uint64_t number(const uint8_t *bytes, uint32_t n, bool big_endian)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < n; i++)
		v |= (uint64_t)bytes[i] << (8 * (big_endian ? n - 1 - i : i));
	return v;
}

static uint8_t byte_of(const struct pt_event *e, uint32_t i, bool big_endian)	/* at the i-th address of the write */
{
	return (uint8_t)(e->value.value >> (8 * (big_endian ? e->n - 1u - i : i)));
}

/* Bytes from the offset on were written. True: there is a whole value, in st->bytes. */
static bool put_bytes(struct pt_signals *s, struct state *st, uint32_t size, const uint8_t *bytes, uint32_t offset,
		      uint32_t n)
{
	bool goes_on = st->part_bytes > 0 && offset == st->part_bytes;

	if (st->part_bytes > 0 && !goes_on) {
		s->incomplete++;
		st->part_bytes = 0;
	}
	if (goes_on || (offset == 0 && n < size)) {
		memcpy(st->part + offset, bytes, n);
		st->part_bytes = offset + n;
		if (st->part_bytes < size)
			return false;
		memcpy(st->bytes, st->part, size);
		st->part_bytes = 0;
		return true;
	}
	if (n < size && !st->known) {
		s->incomplete++;
		return false;
	}
	memcpy(st->bytes + offset, bytes, n);
	return true;
}

static bool put_memory(struct pt_signals *s, struct state *st, const struct pt_signal_definition *d,
		       const struct pt_event *e)
{
	uint64_t behind = e->value.at - d->at;	/* of the definition's start; huge: before it */
	uint32_t offset = behind < d->size_bytes ? (uint32_t)behind : 0;
	uint32_t skip = behind < d->size_bytes ? 0 : (uint32_t)-behind;	/* below e->n, as concerns() has seen */
	uint32_t n = e->n - skip < d->size_bytes - offset ? e->n - skip : d->size_bytes - offset;
	uint8_t bytes[VALUE_BYTES];

	for (uint32_t i = 0; i < n; i++)
		bytes[i] = byte_of(e, skip + i, d->big_endian);
	return put_bytes(s, st, d->size_bytes, bytes, offset, n);
}

/* Messages have no address: each is the next part. */
static bool put_message(struct pt_signals *s, struct state *st, const struct pt_signal_definition *d,
			const struct pt_event *e)
{
	uint32_t size = d->size_bytes, n = e->n < size ? e->n : size;
	uint8_t bytes[VALUE_BYTES];

	if (d->own_size) {
		for (uint32_t i = 0; i < size; i++)
			st->bytes[i] = i < n ? byte_of(e, i, false) : 0;
		return true;
	}
	/* longer than can be: take what belongs to it */
	if (n < e->n || (n < size && st->part_bytes + n > size)) {
		s->incomplete += st->part_bytes > 0;
		st->part_bytes = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(e->value.value >> (8 * (d->big_endian ? n - 1 - i : i)));
	return put_bytes(s, st, size, bytes, n < size ? st->part_bytes : 0, n);
}

static uint64_t extend(const struct pt_signal_definition *d, uint64_t raw)
{
	unsigned bits = d->n_bits > 0 ? d->n_bits : d->size_bytes * 8;
	uint64_t v = d->n_bits > 0 && d->first_bit < 64 ? raw >> d->first_bit : raw;

	if (bits >= 64)
		return v;
	v &= (UINT64_C(1) << bits) - 1;
	if (d->is_signed && !d->is_float && (v >> (bits - 1) & 1) != 0)
		v |= ~((UINT64_C(1) << bits) - 1);
	return v;
}

/* --- values to signals */

static uint64_t number_unlisted(struct state *st, uint64_t raw, size_t first)
{
	size_t i = 0;

	if (st->unlisted == NULL)
		st->unlisted = pt_alloc_array(PT_SIGNALS_UNLISTED, sizeof(*st->unlisted));
	while (i < st->n_unlisted && st->unlisted[i] != raw)
		i++;
	if (i == PT_SIGNALS_UNLISTED)
		return PT_SIGNAL_UNLISTED;
	if (i == st->n_unlisted)
		st->unlisted[st->n_unlisted++] = raw;
	return first + i;
}

static uint64_t task_of(struct state *st, const struct pt_signal_definition *d, const struct pt_task_entry *entry,
			uint64_t raw)
{
	if (entry == NULL)
		return number_unlisted(st, raw, d->tasks->n_tasks);
	return entry->none ? PT_SIGNAL_NONE : (uint64_t)(entry - d->tasks->task);
}

/* The task, ISR or service that a number is. */
static uint64_t system_value(struct state *st, const struct pt_signal_definition *d, uint64_t raw, bool *enters)
{
	if (d->tasks == NULL)
		return raw != 0 ? number_unlisted(st, raw, 0) : PT_SIGNAL_NONE;
	if (d->form == PT_FORM_SERVICE)
		return task_of(st, d, pt_task_map_service(d->tasks, raw, enters), raw & ~UINT64_C(1));
	return task_of(st, d, pt_task_map_find(d->tasks, raw), raw);
}

/* Tasks, ISRs, services. False: nothing changed. */
static bool of_system(struct state *st, const struct pt_signal_definition *d, struct pt_signal *out)
{
	static const uint8_t kinds[] = {
		[PT_FORM_TASK] = PT_SIGNAL_TASK, [PT_FORM_ISR] = PT_SIGNAL_ISR, [PT_FORM_SERVICE] = PT_SIGNAL_SERVICE,
	};
	bool again = st->told && st->value == out->raw;

	out->kind = kinds[d->form];
	out->enters = true;
	out->value = system_value(st, d, out->raw, &out->enters);
	st->value = out->raw;
	return !again || (d->tasks != NULL && !d->tasks->rewritten && !out->read);
}

/* Each write of the enter value begins the span anew, one that is open or not. Any other value ends what is open. The
 * leave value while nothing is open is an exit without an entry, unless it was written before, or may have been. */
static bool two_point(struct state *st, const struct pt_signal_definition *d, struct pt_signal *out)
{
	bool was = st->open, leaves = out->value == d->leave, again = !st->told || st->value == out->value;

	if (out->read)
		return false;
	st->value = out->value;
	st->open = out->value == d->enter;
	out->kind = PT_SIGNAL_SPAN;
	out->enters = st->open;
	out->astray = was && !st->open && !leaves;
	out->value = st->open ? 1 : 0;
	st->entered |= st->open;
	if (st->open || was)
		st->astray = out->astray;
	return st->open || was || (leaves && st->entered && !again && !st->astray);
}

static bool changed(struct state *st, uint64_t value)
{
	bool same = st->told && st->value == value;

	st->value = value;
	return !same;
}

/* out has moment, value and raw. False: it means nothing new. */
static bool mean(struct state *st, const struct pt_signal_definition *d, struct pt_signal *out)
{
	switch (d->form) {
	case PT_FORM_STATE:
		out->kind = PT_SIGNAL_STATE;
		return changed(st, out->value);
	case PT_FORM_REGULAR:
	case PT_FORM_EITHER:
		out->kind = PT_SIGNAL_VALUE;
		return true;
	case PT_FORM_TWO_POINT:
		return two_point(st, d, out);
	case PT_FORM_NESTED:
		out->kind = PT_SIGNAL_SPAN;
		out->enters = (out->raw & 1) != 0;
		out->value = out->raw >> 1;
		return !out->read;
	case PT_FORM_TASK:
	case PT_FORM_ISR:
	case PT_FORM_SERVICE:
		return of_system(st, d, out);
	case PT_FORM_LINE:
		out->kind = PT_SIGNAL_LEVEL;
		if (out->value != PT_UNKNOWN)
			out->value = out->value != 0;
		return changed(st, out->value);
	}
	return false;
}

/* READY_AFTER_WAIT and READY may both be called READY. */
static uint64_t first_of_name(const struct pt_signal_definition *d, uint64_t value)
{
	const char *name = d->synonyms ? pt_signal_value_name(d, value) : NULL;

	for (size_t i = 0; name != NULL && i < d->n_values; i++)
		if (strcmp(d->values[i].name, name) == 0)
			return d->values[i].value;
	return value;
}

static uint64_t meant(const struct pt_signal_definition *d, uint64_t raw)
{
	return first_of_name(d, extend(d, raw));
}

/* --- events */

static bool concerns(const struct pt_signal_definition *d, const struct pt_event *e)
{
	if (d->space != pt_value_space(e) || (d->source != PT_ANY_SOURCE && d->source != e->source) ||
	    (d->core != PT_ANY_CORE && d->core != e->core) || d->size_bytes == 0 || d->size_bytes > VALUE_BYTES)
		return false;
	if (d->space != PT_SPACE_MEMORY)
		return e->value.at == d->at;
	return e->n >= 1 && e->n <= VALUE_BYTES && e->value.at - d->at + e->n - 1 < d->size_bytes + (uint64_t)e->n - 1;
}

static bool whole(struct pt_signals *s, struct state *st, const struct pt_signal_definition *d,
		  const struct pt_event *e)
{
	st->widest_bytes = e->n > st->widest_bytes && e->n <= VALUE_BYTES ? (uint8_t)e->n : st->widest_bytes;
	if (d->space == PT_SPACE_MEMORY)
		return put_memory(s, st, d, e);
	if (d->space == PT_SPACE_PORT)
		return e->n >= 1 && e->n <= VALUE_BYTES && put_message(s, st, d, e);
	for (uint32_t i = 0; i < d->size_bytes; i++)
		st->bytes[i] = byte_of(e, i, false);
	return true;
}

static size_t value_event(struct pt_signals *s, const struct pt_event *e, struct pt_timestamp at, struct pt_signal *out)
{
	bool has_pc = s->writer.pc != PT_UNKNOWN && s->writer.source == e->source && s->writer.core == e->core;
	size_t n = 0;

	for (size_t i = 0; i < s->set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		const struct pt_signal_definition *d = &s->set->definition[i];
		struct state *st = &s->state[i];

		if (!concerns(d, e) || !whole(s, st, d, e))
			continue;
		if (n == PT_SIGNALS_ROOM) {
			s->incomplete++;
			continue;
		}
		st->known = true;
		st->source = e->source;
		out[n] = (struct pt_signal){
			.at = at, .ticks = e->ticks, .raw = number(st->bytes, d->size_bytes, d->big_endian),
			.id = (uint16_t)i,
			.pc = has_pc ? s->writer.pc : PT_UNKNOWN, .source = e->source, .core = e->core,
			.read = (e->cause & 1) == 0,
		};
		out[n].value = d->space == PT_SPACE_LINE && e->n == 0 ? PT_UNKNOWN : meant(d, out[n].raw);
		n += mean(st, d, &out[n]);
		st->told = true;
	}
	s->writer.pc = PT_UNKNOWN;
	return n;
}

static bool holds(const struct pt_signal_definition *d, const struct pt_event *e)
{
	uint64_t behind = d->at - e->value.at;

	return d->space == PT_SPACE_MEMORY && (d->source == PT_ANY_SOURCE || d->source == e->source) &&
	       d->size_bytes >= 1 && e->n <= VALUE_BYTES && behind < e->n && d->size_bytes <= e->n - behind;
}

/* Changes nothing of what is known from writes. */
static size_t look_event(struct pt_signals *s, const struct pt_event *e, struct pt_timestamp at, struct pt_signal *out)
{
	uint8_t bytes[VALUE_BYTES];
	size_t n = 0;

	for (uint32_t i = 0; i < VALUE_BYTES; i++)
		bytes[i] = (uint8_t)(e->value.value >> 8 * i);
	for (size_t i = 0; i < s->set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		const struct pt_signal_definition *d = &s->set->definition[i];
		bool enters = true;

		if (!holds(d, e))
			continue;
		if (n == PT_SIGNALS_ROOM) {
			s->incomplete++;
			continue;
		}
		out[n] = (struct pt_signal){
			.kind = e->cause == PT_LOOK_WRITTEN ? PT_SIGNAL_WRITTEN : PT_SIGNAL_LOOK, .at = at, .ticks = e->ticks, .id = (uint16_t)i, .pc = PT_UNKNOWN,
			.source = e->source, .core = e->core, .read = true, .torn = e->cause == PT_LOOK_TORN,
			.raw = number(bytes + (d->at - e->value.at), d->size_bytes, d->big_endian),
		};
		out[n].value = pt_signal_of_system(d) ? system_value(&s->state[i], d, out[n].raw, &enters)
						      : meant(d, out[n].raw);
		n++;
	}
	return n;
}

/* What is half made is dropped, what is known is known no more. */
static size_t gap_event(struct pt_signals *s, const struct pt_event *e, struct pt_timestamp at, struct pt_signal *out)
{
	for (size_t i = 0; i < s->set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		struct state *st = &s->state[i];

		if (st->source != e->source)
			continue;
		s->incomplete += st->part_bytes > 0;
		st->part_bytes = 0;
		st->known = st->told = st->open = st->entered = st->astray = false;
	}
	s->writer.pc = PT_UNKNOWN;
	*out = (struct pt_signal){
		.kind = PT_SIGNAL_GAP, .at = at, .ticks = e->ticks, .value = e->cause, .pc = PT_UNKNOWN, .source = e->source,
		.core = e->core,
		.id = UINT16_MAX,
	};
	return 1;
}

size_t pt_signals_take(struct pt_signals *s, const struct pt_event *e, struct pt_timestamp at, struct pt_signal *out)
{
	if (e->kind == PT_EV_VALUE)
		return value_event(s, e, at, out);
	if (e->kind == PT_EV_LOOK)
		return look_event(s, e, at, out);
	if (e->kind == PT_EV_GAP)
		return gap_event(s, e, at, out);
	if (e->kind == PT_EV_VALUE_PC) {
		s->writer.pc = e->branch.to;
		s->writer.source = e->source;
		s->writer.core = e->core;
	}
	return 0;
}

/* --- what values are called */

const char *pt_signal_value_name(const struct pt_signal_definition *d, uint64_t value)
{
	if (pt_signal_of_system(d) && value >= PT_SIGNAL_UNLISTED)
		return value == PT_SIGNAL_NONE ? "(none)" : "(others)";
	if (d->tasks != NULL)
		return value < d->tasks->n_tasks ? d->tasks->task[value].name : NULL;
	for (size_t i = 0; i < d->n_values; i++)
		if (d->values[i].value == value)
			return d->values[i].name;
	return NULL;
}

void pt_signal_print(const struct pt_signal_definition *d, uint64_t value, char *out, size_t room)
{
	if (d->is_float)
		snprintf(out, room, "%g", pt_signal_real(d, value));
	else if (d->is_signed)
		snprintf(out, room, "%" PRId64, (int64_t)value);
	else
		snprintf(out, room, "%" PRIu64, value);
}

double pt_signal_real(const struct pt_signal_definition *d, uint64_t value)
{
	uint32_t low = (uint32_t)value;
	float single;
	double real;

	if (d->is_float && d->size_bytes == sizeof(single)) {
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	if (d->is_float && d->size_bytes == sizeof(real)) {
		memcpy(&real, &value, sizeof(real));
		return real;
	}
	return d->is_signed ? (double)(int64_t)value : (double)value;
}
