/* The timeline as BTF (Best Trace Format 2.1), which tools for the timing of AUTOSAR systems read: a line of
 * comma-separated columns for each event. Tasks and ISR2s come from the signals of the OS; exceptions become ISRs,
 * functions runnables, values of variables signals.
 *
 * The signal of the running task does not tell why a task stopped: its first slice begins with start, later ones with
 * resume, all end with preempt; no task terminates. Unobserved time becomes a comment. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "base/alloc.h"
#include "base/harmless.h"
#include "report/shared/slices.h"
#include "report/table/format.h"
#include "report/text/caption.h"

extern const struct pt_format pt_format_btf;

enum { NAMES = 1 << 14, NAME_BYTES = 100, LAST_LINES = PT_CAPTION_LINES };

enum type { TASK, ISR, RUNNABLE, SIGNAL };

/* n: number of instances that have begun */
struct entity { const char *name; uint16_t core; uint8_t type; uint64_t n; };

/* of one track */
struct open { struct entity *of[PT_SLICE_DEPTH]; uint64_t instance[PT_SLICE_DEPTH]; unsigned depth; };

struct btf {
	struct pt_text *out;
	struct pt_slices slices;
	struct entity *entities;	/* by hash */
	size_t n_entities;
	struct open *track[PT_TRACKS];	/* NULL: no slice has begun on it yet */
	const struct entity *left;	/* a task whose slice has ended, but this was not written yet; NULL: none */
	uint64_t left_at;
};

/* Replaces commas and line ends, which separate columns and lines. */
static const char *column(const char *name, char *out)
{
	snprintf(out, NAME_BYTES, "%s", name != NULL && name[0] != '\0' ? name : "unknown");
	for (char *c = out; *c != '\0'; c++)
		*c = *c == ',' ? ';' : *c;
	return pt_harmless(out, "");
}

/* NULL: too many entities. */
static struct entity *entity_of(struct btf *b, enum type type, uint16_t core, const char *name)
{
	size_t at = (((uintptr_t)name >> 3) * 2654435761u ^ (size_t)core << 7 ^ type) % NAMES;

	for (; b->entities[at].name != NULL; at = (at + 1) % NAMES)
		if (b->entities[at].name == name && b->entities[at].core == core && b->entities[at].type == type)
			return &b->entities[at];
	if (name == NULL || ++b->n_entities > NAMES / 2)
		return NULL;
	b->entities[at] = (struct entity){ name, core, (uint8_t)type, 0 };
	return &b->entities[at];
}

static void put_event(struct btf *b, uint64_t time, const struct entity *e, uint64_t instance, const char *event)
{
	static const char *const types[] = { "T", "I", "R", "SIG" };
	char name[NAME_BYTES];

	pt_text_add(b->out, "%" PRIu64 ",Core_%u,0,%s,%s,%" PRIu64 ",%s\n", time, e->core, types[e->type],
		    column(e->name, name), instance, event);
}

/* Writes that the last task stopped. Not if its next slice begins at the same time. */
static void leave(struct btf *b, const struct entity *next, uint64_t time)
{
	if (b->left != NULL && (b->left != next || b->left_at != time))
		put_event(b, b->left_at, b->left, 0, "preempt");
}

/* A task has one instance, which is activated once. */
static void begin(struct btf *b, uint64_t time, struct entity *e)
{
	bool goes_on = e->type == TASK && b->left == e && b->left_at == time;

	leave(b, e, time);
	b->left = NULL;
	if (goes_on)
		return;
	if (e->type == TASK && e->n++ > 0) {
		put_event(b, time, e, 0, "resume");
		return;
	}
	if (e->type != RUNNABLE)
		put_event(b, time, e, e->type == TASK ? 0 : e->n, "activate");
	put_event(b, time, e, e->type == TASK ? 0 : e->n++, "start");
}

static const struct pt_signal_definition *definition_of(const struct btf *b, const struct pt_track *track)
{
	const struct pt_signal_set *set = b->slices.profile->timeline->signals;

	return track->kind != PT_TRACK_STACK && set != NULL && track->number < set->n_definitions
		       ? &set->definition[track->number]
		       : NULL;
}

/* The type of entity of a slice; false: the slice is a value of a variable. */
static bool type_of(const struct btf *b, const struct pt_track *track, const struct pt_slice *slice, enum type *type)
{
	const struct pt_signal_definition *d = definition_of(b, track);

	*type = slice->exception || (d != NULL && d->form == PT_FORM_ISR) ? ISR
		: d != NULL && d->form == PT_FORM_TASK			  ? TASK
									  : RUNNABLE;
	return track->kind == PT_TRACK_STACK || track->kind == PT_TRACK_SPANS || *type != RUNNABLE;
}

static void put_value(struct btf *b, const struct pt_track *track, const struct pt_slice *slice)
{
	char name[NAME_BYTES], value[NAME_BYTES];

	snprintf(value, sizeof(value), "%.15g", slice->real);
	pt_text_add(b->out, "%" PRIu64 ",Core_%u,0,SIG,%s,0,write,", slice->time, track->core,
		    column(track->name, name));
	pt_text_add(b->out, "%s\n",
		    slice->kind == PT_SLICE_BEGIN && slice->name != NULL ? column(slice->name, value) : value);
}

static void begin_slice(struct btf *b, const struct pt_slice *slice)
{
	const struct pt_track *track = &b->slices.track[slice->track];
	struct open *open = b->track[slice->track];
	struct entity *e = NULL;
	enum type type;

	if (open == NULL)
		open = b->track[slice->track] = pt_alloc(sizeof(*open));
	if (track->kind == PT_TRACK_BLIND)
		pt_text_add(b->out, "# %" PRIu64 ": Core_%u is not observed: %s\n", slice->time, track->core,
			    slice->name);
	else if (!type_of(b, track, slice, &type))
		put_value(b, track, slice);
	else
		e = entity_of(b, type, track->core, slice->name);
	if (e != NULL && definition_of(b, track) != NULL && slice->event->value == PT_SIGNAL_NONE)
		e = NULL;	/* no task runs, or no ISR2 */
	if (e != NULL)
		begin(b, slice->time, e);
	if (open->depth < PT_SLICE_DEPTH) {
		open->of[open->depth] = e;
		open->instance[open->depth] = e != NULL && e->type != TASK && e->n > 0 ? e->n - 1 : 0;
	}
	open->depth++;
}

static void end_slice(struct btf *b, const struct pt_slice *slice)
{
	struct open *open = b->track[slice->track];
	const struct entity *e;

	if (open == NULL || open->depth == 0)
		return;
	open->depth--;
	e = open->depth < PT_SLICE_DEPTH ? open->of[open->depth] : NULL;
	if (b->slices.track[slice->track].kind == PT_TRACK_BLIND)
		pt_text_add(b->out, "# %" PRIu64 ": Core_%u is observed again\n", slice->time, slice->core);
	if (e != NULL && e->type == TASK) {
		b->left = e;
		b->left_at = slice->time;
	} else if (e != NULL) {
		put_event(b, slice->time, e, open->instance[open->depth], "terminate");
	}
}

static void put_slice(struct btf *b, const struct pt_slice *slice)
{
	if (b->left != NULL && slice->time != b->left_at) {
		leave(b, NULL, slice->time);
		b->left = NULL;
	}
	if (slice->kind == PT_SLICE_GAP)
		pt_text_add(b->out,
			    "# %" PRIu64 ": a gap on Core_%u: what comes is not measured from what came before\n",
			    slice->time, slice->core);
	else if (slice->kind == PT_SLICE_COUNTER)
		put_value(b, &b->slices.track[slice->track], slice);
	else if (slice->kind == PT_SLICE_BEGIN)
		begin_slice(b, slice);
	else
		end_slice(b, slice);
}

static void put_head(struct btf *b)
{
	static const char *const clocks[] = {
		[PT_SLICES_NS] = "times are of the probe's clock",
		[PT_SLICES_FROM_BEGIN] = "times are since the first event, without gaps",
		[PT_SLICES_CYCLES] = "1 ns is one cycle, as the core clock is not known; gaps have no time",
		[PT_SLICES_INSTRUCTIONS] = "1 ns is one instruction; gaps have no time",
	};
	const struct pt_timeline *timeline = b->slices.profile->timeline;
	struct pt_caption *caption = pt_alloc(sizeof(*caption));

	pt_text_add(b->out, "#version 2.1.3\n#creator proftap %s\n#timeScale ns\n", PACKAGE_VERSION);
	pt_caption_make(caption, b->slices.profile);
	for (int line = 0; line < LAST_LINES; line++)
		if (caption->line[line][0] != '\0')
			pt_text_add(b->out, "# %s: %s\n", pt_caption_key((enum pt_caption_line)line),
				    caption->line[line]);
	pt_text_add(b->out, "# clock: %s\n", clocks[b->slices.clock]);
	if (timeline->seen > timeline->n)
		pt_text_add(b->out, "# events: the last %zu of %" PRIu64 "; timeline=N keeps more\n", timeline->n,
			    timeline->seen);
	free(caption);
}

static int write_btf(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	struct btf *b = pt_alloc(sizeof(*b));
	struct pt_slice slice;
	int rc;

	(void)view;
	(void)query;
	b->out = out;
	b->entities = pt_alloc_array(NAMES, sizeof(*b->entities));
	rc = pt_slices_begin(&b->slices, profile, err);
	if (rc == 0)
		put_head(b);
	while (rc == 0 && pt_slices_next(&b->slices, &slice))
		put_slice(b, &slice);
	leave(b, NULL, 0);
	pt_slices_end(&b->slices);
	for (size_t i = 0; i < PT_TRACKS; i++)
		free(b->track[i]);
	free(b->entities);
	free(b);
	return rc;
}

const struct pt_format pt_format_btf = {
	.name = "btf", .suffix = ".btf", .help = "the timeline of tasks, ISRs and functions, for tools of AUTOSAR timing", .needs = "timeline",
	.write = write_btf,
};
