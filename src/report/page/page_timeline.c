/* The timeline as packed arrays of small numbers: a million events take some MB of the page. "dt", "track" and "what"
 * are LEB128, gzipped, in base64; dt is the time since the previous event. "what" depends on the kind of track:
 *   stack            name * 4 + code; codes: 0 begins, 1 was running already, 2 ends, 3 its end was not seen. For each
 *                    end "call" has the duration of the call on the profile's clock, in ticks, + 1; 0: unknown
 *   looks            like variable: the value found at that moment; until the next look it is unknown
 *   states, line, variable   an index into "values"; 0: unknown
 * "gaps" are the times in which a core was not observed, as columns; in one without length an unknown amount is
 * missing. cause is an index into "causes", or -1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/result/profile.h"
#include "report/page/page_data.h"
#include "report/shared/gzip.h"
#include "report/shared/json_values.h"
#include "report/shared/slices.h"
#include "report/table/names.h"

enum { DT, TRACK, WHAT, CALL, COLUMNS };
enum { BEGINS, WAS_RUNNING, ENDS, WAS_CUT, CODES };

struct writer {
	const struct pt_profile *profile;
	struct pt_page_names *names;
	struct pt_slices slices;
	json_t *tracks, *values, *gap_from, *gap_to, *gap_cause, *gap_core;
	struct pt_pool_map value_map;
	struct pt_text column[COLUMNS];
	uint64_t from, last, count, calls;
	uint64_t blind_from, blind_to;	/* the last stretch that was not observed */
};

static void put_number(struct pt_text *out, uint64_t n)
{
	uint8_t bytes[10];
	size_t len = 0;

	for (; n > 127; n >>= 7)
		bytes[len++] = (uint8_t)(n & 127) | 128;
	bytes[len++] = (uint8_t)n;
	pt_text_bytes(out, bytes, len);
}

static void put_event(struct writer *w, const struct pt_slice *slice, uint64_t what)
{
	if (w->count++ == 0)
		w->last = w->from = slice->time;
	put_number(&w->column[DT], slice->time - w->last);
	put_number(&w->column[TRACK], slice->track);
	put_number(&w->column[WHAT], what);
	w->last = slice->time;
}

/* --- tracks */

static const char *stack_name(const struct writer *w, const struct pt_track *t, char *name, size_t size)
{
	char own[PT_OWN_TASK_BYTES];

	if (t->task != PT_NO_TASK)
		snprintf(name, size, "%s", pt_name_of_task(w->profile, t->task, own));
	else
		snprintf(name, size, t->number == 0 ? "functions" : "stack %u", t->number);
	return name;
}

static const char *kind_of(const struct pt_track *t, const struct pt_slice *slice)
{
	switch (t->kind) {
	case PT_TRACK_STATES:
		return "states";
	case PT_TRACK_COUNTER:
		return slice->event->signal == PT_SIGNAL_LEVEL	? "line"
		       : slice->event->signal == PT_SIGNAL_LOOK ? "looks"
								: "variable";
	default:
		return "stack";
	}
}

static void describe_tracks(struct writer *w, const struct pt_slice *slice)
{
	for (size_t i = json_array_size(w->tracks); i < w->slices.n_tracks; i++) {
		const struct pt_track *t = &w->slices.track[i];
		char name[64];

		json_array_append_new(w->tracks,
				      json_pack("{s:s, s:o, s:i}", "kind", kind_of(t, slice), "name",
						pt_json_text(t->name != NULL ? t->name
									     : stack_name(w, t, name, sizeof(name))),
						"core", (int)t->core));
	}
}

/* --- events */

/* The value of a state is its name by the definition. */
static uint64_t value_of(struct writer *w, const struct pt_slice *slice)
{
	bool named = slice->name != NULL;
	uint64_t key[3] = { named ? 1u + slice->event->id : 0, slice->event->value, named };
	bool is_new;
	size_t n;

	if (!named)
		memcpy(&key[1], &slice->real, sizeof(key[1]));
	n = pt_pool_number(&w->names->pool, &w->value_map, key, &is_new);
	if (is_new)
		json_array_append_new(w->values, named ? pt_json_text(slice->name) : pt_json_real(slice->real));
	return n + 1;		/* 0 is not known */
}

static uint64_t span_name(struct writer *w, const struct pt_slice *slice)
{
	char text[32], *copy;

	if (slice->name != NULL)
		return pt_page_name(w->names, slice->name, slice->exception);
	snprintf(text, sizeof(text), "%.15g", slice->real);
	copy = pt_pool_take(&w->names->pool, sizeof(text));
	memcpy(copy, text, sizeof(text));
	return pt_page_name(w->names, copy, false);
}

static void put_frame(struct writer *w, const struct pt_slice *slice, bool is_function)
{
	const struct pt_timeline_event *event = slice->event;
	bool timed = is_function && event->kind == PT_TIMELINE_LEAVE && event->value != PT_UNKNOWN;

	if (slice->kind == PT_SLICE_BEGIN) {
		put_event(w, slice, CODES * span_name(w, slice) + (slice->unseen ? WAS_RUNNING : BEGINS));
		return;
	}
	put_event(w, slice, slice->unseen ? WAS_CUT : ENDS);
	if (slice->unseen)
		return;
	put_number(&w->column[CALL], timed ? event->value + 1 : 0);
	w->calls++;
}

static void put_gap(struct writer *w, uint16_t core, uint64_t from, uint64_t to, int cause)
{
	json_array_append_new(w->gap_from, pt_json_number(from));
	json_array_append_new(w->gap_to, pt_json_number(to));
	json_array_append_new(w->gap_cause, json_integer(cause));
	json_array_append_new(w->gap_core, json_integer(core));
}

/* Omits a gap inside a stretch that was not observed: the stretch shows it already. */
static void take_gap(struct writer *w, const struct pt_slice *slice)
{
	if (slice->kind == PT_SLICE_GAP && (slice->time < w->blind_from || slice->time > w->blind_to))
		put_gap(w, slice->core, slice->time, slice->time, -1);
	else if (slice->kind == PT_SLICE_BEGIN)
		w->blind_from = slice->time;
	else if (slice->kind == PT_SLICE_END)
		put_gap(w, slice->core, w->blind_from, w->blind_to = slice->time, slice->event->id);
}

static void take_slice(struct writer *w, const struct pt_slice *slice)
{
	const struct pt_track *t = &w->slices.track[slice->track];

	describe_tracks(w, slice);
	if (slice->kind == PT_SLICE_GAP || t->kind == PT_TRACK_BLIND)
		take_gap(w, slice);
	else if (t->kind == PT_TRACK_STACK || t->kind == PT_TRACK_SPANS)
		put_frame(w, slice, t->kind == PT_TRACK_STACK);
	else
		put_event(w, slice, slice->kind == PT_SLICE_END ? 0 : value_of(w, slice));
}

/* --- the whole */

static json_t *packed(const struct pt_text *column)
{
	static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct pt_text zip = { 0 }, text = { 0 };
	json_t *string;

	pt_gzip(&zip, (const uint8_t *)column->bytes, column->len_bytes, NULL);
	for (size_t i = 0; i < zip.len_bytes; i += 3) {
		const uint8_t *in = (const uint8_t *)zip.bytes + i;
		size_t n = zip.len_bytes - i < 3 ? zip.len_bytes - i : 3;
		unsigned bits = in[0] << 16 | (n > 1 ? in[1] << 8 : 0) | (n > 2 ? in[2] : 0);
		const char out[4] = { letter[bits >> 18], letter[bits >> 12 & 63], n > 1 ? letter[bits >> 6 & 63] : '=',
				      n > 2 ? letter[bits & 63] : '=' };

		pt_text_bytes(&text, out, sizeof(out));
	}
	string = json_stringn(text.bytes != NULL ? text.bytes : "", text.len_bytes);
	pt_text_free(&zip);
	pt_text_free(&text);
	return string;
}

static json_t *causes(void)
{
	json_t *array = json_array();

	for (unsigned cause = 0; cause < PT_N_LOSSES; cause++)
		json_array_append_new(array, json_pack("{s:s, s:s}", "name", pt_loss_name((enum pt_loss)cause), "kind",
						       pt_page_loss_kind((enum pt_loss)cause)));
	return array;
}

static json_t *object_of(struct writer *w)
{
	static const char *const clocks[] = {
		[PT_SLICES_NS] = "ns", [PT_SLICES_FROM_BEGIN] = "ns", [PT_SLICES_CYCLES] = "cycles",
		[PT_SLICES_INSTRUCTIONS] = "instructions",
	};
	const struct pt_timeline *t = w->profile->timeline;
	json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "unit", clocks[w->slices.clock], "from",
				   (json_int_t)w->from, "to", (json_int_t)w->slices.time, "all", (json_int_t)t->seen,
				   "kept", (json_int_t)t->n, "count", (json_int_t)w->count);
	static const char *const keys[COLUMNS] = { "dt", "track", "what", "call" };

	json_object_set_new(object, "calls", json_integer((json_int_t)w->calls));
	for (size_t i = 0; i < COLUMNS; i++)
		json_object_set_new(object, keys[i], packed(&w->column[i]));
	json_object_set(object, "tracks", w->tracks);
	json_object_set(object, "values", w->values);
	json_object_set_new(object, "causes", causes());
	json_object_set_new(object, "gaps",
			    json_pack("{s:O, s:O, s:O, s:O}", "from", w->gap_from, "to", w->gap_to, "cause",
				      w->gap_cause, "core", w->gap_core));
	return object;
}

static json_t *written(struct writer *w)
{
	json_t *const arrays[] = { w->tracks = json_array(), w->values = json_array(), w->gap_from = json_array(),
				   w->gap_to = json_array(), w->gap_cause = json_array(), w->gap_core = json_array() };
	struct pt_slice slice;
	json_t *object;

	json_array_append_new(w->values, json_null());
	while (pt_slices_next(&w->slices, &slice))
		take_slice(w, &slice);
	object = object_of(w);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		json_decref(arrays[i]);
	for (size_t i = 0; i < COLUMNS; i++)
		pt_text_free(&w->column[i]);
	return object;
}

json_t *pt_page_timeline(const struct pt_profile *p, struct pt_page_names *names)
{
	struct writer w = { .profile = p, .names = names, .blind_to = 0, .blind_from = UINT64_MAX };
	struct pt_err err = { 0 };
	json_t *object;

	if (p->timeline == NULL || p->timeline->n == 0)
		return json_pack("{s:s}", "missing", "No timeline was recorded: analysis=timeline does.");
	if (pt_slices_begin(&w.slices, p, &err) < 0)
		return json_pack("{s:o}", "missing", pt_json_text(err.msg));
	object = written(&w);
	pt_slices_end(&w.slices);
	return object;
}
