/* pprof's profile.proto, gzipped. A sample is a chain of calls with a place in its last function; inlined calls are
 * lines of its location. Values: entries, and time (in ns where the core clock is known). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "profile/analyses/calls/tree.h"
#include "report/text/caption.h"
#include "report/shared/gzip.h"
#include "report/shared/pool.h"
#include "report/proto/pprof.pb-c.h"
#include "report/shared/spots.h"
#include "report/shared/stacks.h"
#include "report/table/format.h"

extern const struct pt_format pt_format_pprof;

enum { MAX_FRAMES = PT_INLINE_MAX_DEPTH + 1 };

struct builder {
	struct pt_pool pool;
	const struct pt_profile *profile;
	struct pt_stacks stacks;
	struct pt_spots spots;
	const struct pt_inlines *inlines;
	struct pt_inlines *own_inlines;	/* made here, if no analysis has made them */
	struct pt_pool_map text_map, function_map, location_map;
	struct pt_pool_list texts, functions, locations, samples;
	double per_unit;		/* of time */
	uint64_t ticks;			/* of all samples so far */
	bool only_samples;
	const struct pt_stack_node *node;	/* the node whose time is being spread */
	bool counted;			/* its entries have been added to a sample */
};

/* --- texts, functions, locations */

static int64_t text(struct builder *b, const char *t)
{
	return (int64_t)pt_pool_text(&b->pool, &b->text_map, &b->texts, t != NULL ? t : "");
}

static uint64_t function(struct builder *b, const char *name, const char *linkage, const char *file, uint32_t line)
{
	uint64_t key[3] = { (uint64_t)text(b, name), (uint64_t)text(b, file), line };
	Pprof__Function *f;
	bool is_new;
	size_t n = pt_pool_number(&b->pool, &b->function_map, key, &is_new);

	f = is_new ? pt_pool_take(&b->pool, sizeof(*f)) : NULL;
	if (f != NULL) {
		pprof__function__init(f);
		f->id = n + 1;
		f->name = (int64_t)key[0];
		f->system_name = text(b, linkage != NULL ? linkage : name);
		f->filename = (int64_t)key[1];
		f->start_line = line;
		pt_pool_append(&b->pool, &b->functions, f);
	}
	return n + 1;
}

static void add_line(struct builder *b, struct pt_pool_list *lines, const struct pt_frame *frame)
{
	Pprof__Line *line = pt_pool_take(&b->pool, sizeof(*line));

	pprof__line__init(line);
	line->function_id = function(b, frame->name, frame->linkage, frame->file, frame->start_line);
	line->line = frame->line;
	pt_pool_append(&b->pool, lines, line);
}

/* The lines of an address: inlined calls, innermost first, then the function that has the symbol. */
static void add_lines(struct builder *b, Pprof__Location *location, const char *name)
{
	struct pt_frame frames[MAX_FRAMES];
	struct pt_pool_list lines = { 0 };
	size_t n = 0;

	if (b->inlines != NULL && location->address != 0)
		n = pt_inlines_frames(b->inlines, location->address, frames, MAX_FRAMES);
	for (size_t i = 0; i < n && i < MAX_FRAMES; i++)
		add_line(b, &lines, &frames[i]);
	if (n == 0)
		add_line(b, &lines, &(struct pt_frame){ .name = name });
	location->line = (Pprof__Line **)lines.item;
	location->n_line = lines.n;
}

/* The location of an address; without an address (a task), of a name. */
static uint64_t location(struct builder *b, uint64_t address, const char *name)
{
	uint64_t key[3] = { address, address == PT_UNKNOWN ? (uint64_t)text(b, name) : 0, 0 };
	Pprof__Location *l;
	bool is_new;
	size_t n = pt_pool_number(&b->pool, &b->location_map, key, &is_new);

	l = is_new ? pt_pool_take(&b->pool, sizeof(*l)) : NULL;
	if (l != NULL) {
		pprof__location__init(l);
		l->id = n + 1;
		l->mapping_id = address != PT_UNKNOWN;
		l->address = address != PT_UNKNOWN ? address : 0;
		add_lines(b, l, name);
		pt_pool_append(&b->pool, &b->locations, l);
	}
	return n + 1;
}

static uint64_t location_of_function(struct builder *b, const struct pt_stack_node *node)
{
	return location(b, node->function != NULL ? node->function->address : PT_UNKNOWN, node->name);
}

/* Where node's caller was: inside the call instruction, which ends at the return address. */
static uint64_t location_of_call(struct builder *b, const struct pt_stack_node *node)
{
	const struct pt_stack_node *caller = &b->stacks.node[node->parent];

	if (node->site == PT_UNKNOWN || caller->function == NULL ||
	    node->site - 1 - caller->function->address >= caller->function->size)
		return location_of_function(b, caller);
	return location(b, node->site - 1, caller->name);
}

/* --- samples */

static void add_label(struct builder *b, struct pt_pool_list *labels, const char *key, const char *value,
		      int64_t number)
{
	Pprof__Label *label = pt_pool_take(&b->pool, sizeof(*label));

	pprof__label__init(label);
	label->key = text(b, key);
	label->str = value != NULL ? text(b, value) : 0;
	label->num = number;
	pt_pool_append(&b->pool, labels, label);
}

static void add_labels(struct builder *b, Pprof__Sample *sample, const struct pt_stack_node *node)
{
	const struct pt_stack_node *base = node;
	struct pt_pool_list labels = { 0 };

	while (base->depth > 1)
		base = &b->stacks.node[base->parent];
	if (base->exception)
		add_label(b, &labels, "irq", base->name, 0);
	else if (base->task != PT_NO_TASK && base->function == NULL)
		add_label(b, &labels, "task", base->name, 0);
	if (node->core != 0)
		add_label(b, &labels, "core", NULL, node->core);
	sample->label = (Pprof__Label **)labels.item;
	sample->n_label = labels.n;
}

static void add_chain(struct builder *b, Pprof__Sample *sample, uint64_t leaf)
{
	const struct pt_stack_node *node = b->node;
	size_t n = 0;

	sample->location_id = pt_pool_take(&b->pool, (node->depth + 1) * sizeof(*sample->location_id));
	sample->location_id[n++] = leaf;
	for (; node->depth > 1; node = &b->stacks.node[node->parent])
		sample->location_id[n++] = location_of_call(b, node);
	sample->n_location_id = n;
}

/* In whole units, rounded so that they add up to all ticks. */
static int64_t time_of(struct builder *b, uint64_t ticks)
{
	int64_t before = llround((double)b->ticks * b->per_unit);

	b->ticks += ticks;
	return llround((double)b->ticks * b->per_unit) - before;
}

static void add_sample(struct builder *b, uint64_t leaf, uint64_t ticks)
{
	Pprof__Sample *sample = pt_pool_take(&b->pool, sizeof(*sample));
	int64_t *value = pt_pool_take(&b->pool, 2 * sizeof(*value));

	pprof__sample__init(sample);
	add_chain(b, sample, leaf);
	add_labels(b, sample, b->node);
	value[0] = b->only_samples ? (int64_t)ticks : b->counted ? 0 : (int64_t)b->node->count;
	value[1] = time_of(b, ticks);
	b->counted = true;
	sample->value = value;
	sample->n_value = b->only_samples ? 1 : 2;
	pt_pool_append(&b->pool, &b->samples, sample);
}

static void add_part(void *arg, uint64_t address, uint64_t ticks)
{
	struct builder *b = arg;

	if (ticks > 0)
		add_sample(b, location(b, address, b->node->name), ticks);
}

static void add_samples(struct builder *b)
{
	for (size_t i = 1; i < b->stacks.n_nodes; i++) {
		b->node = &b->stacks.node[i];
		b->counted = false;
		if (b->node->self > 0 && !pt_spots_spread(&b->spots, b->node->id, b->node->self, add_part, b))
			add_sample(b, location_of_function(b, b->node), b->node->self);
		if (!b->counted && b->node->count > 0)
			add_sample(b, location_of_function(b, b->node), 0);
	}
}

/* --- the profile */

static Pprof__ValueType *type(struct builder *b, const char *what, const char *unit)
{
	Pprof__ValueType *t = pt_pool_take(&b->pool, sizeof(*t));

	pprof__value_type__init(t);
	t->type = text(b, what);
	t->unit = text(b, unit);
	return t;
}

static void add_types(struct builder *b, Pprof__Profile *out)
{
	bool in_ns = b->profile->core_hz != 0 && !b->profile->by_instructions;
	struct pt_pool_list types = { 0 };
	const char *unit = in_ns ? "nanoseconds" : b->stacks.unit;

	if (b->only_samples) {
		pt_pool_append(&b->pool, &types, type(b, "samples", "count"));
	} else {
		pt_pool_append(&b->pool, &types, type(b, "entries", "count"));
		pt_pool_append(&b->pool, &types, type(b, in_ns ? "cpu" : unit, unit));
	}
	out->sample_type = (Pprof__ValueType **)types.item;
	out->n_sample_type = types.n;
	if (types.n > 0)
		out->default_sample_type = out->sample_type[types.n - 1]->type;
}

static void add_mapping(struct builder *b, Pprof__Profile *out)
{
	const struct pt_program *program = b->profile->program;
	Pprof__Mapping *mapping = pt_pool_take(&b->pool, sizeof(*mapping)),
		       **list = pt_pool_take(&b->pool, sizeof(*list));
	const struct pt_segment *segment;
	size_t n = 0;

	if (program == NULL)
		return;
	pprof__mapping__init(mapping);
	mapping->id = 1;
	mapping->memory_start = UINT64_MAX;
	segment = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++) {
		if (!segment[i].code)
			continue;
		if (segment[i].run < mapping->memory_start)
			mapping->memory_start = segment[i].run;
		if (segment[i].run + segment[i].size > mapping->memory_limit)
			mapping->memory_limit = segment[i].run + segment[i].size;
	}
	mapping->filename = text(b, pt_program_shown_path(program));
	mapping->build_id = text(b, pt_program_build_id(program));
	mapping->has_functions = mapping->has_filenames = mapping->has_line_numbers = mapping->has_inline_frames = true;
	list[0] = mapping;
	out->mapping = list;
	out->n_mapping = 1;
}

static void add_comments(struct builder *b, Pprof__Profile *out, const struct pt_caption *caption)
{
	out->comment = pt_pool_take(&b->pool, (PT_CAPTION_LINES + 1) * sizeof(*out->comment));
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++)
		if (caption->line[i][0] != '\0')
			out->comment[out->n_comment++] = text(b, caption->line[i]);
	if (b->profile->lines != NULL)
		out->comment[out->n_comment++] =
			text(b, "time within a function is spread over its lines in proportion to "
				"all of its calls");
}

/* The duration that the samples represent; 0: unknown. */
static uint64_t duration_of(const struct pt_profile *p)
{
	if (p->windowed)
		return pt_profile_run_ns(p);
	return p->observed_is_bound || p->no_clock || p->n_sources > 1 ? 0 : p->loss.observed_ns;
}

static int write_out(struct builder *b, uint64_t began_ns, struct pt_text *out, struct pt_err *err)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	struct pt_caption caption;
	uint8_t *bytes;
	size_t len;

	text(b, "");		/* the empty string must be the first */
	pt_caption_make(&caption, b->profile);
	add_types(b, &profile);
	add_mapping(b, &profile);
	add_samples(b);
	add_comments(b, &profile, &caption);
	profile.time_nanos = (int64_t)began_ns;
	profile.duration_nanos = (int64_t)duration_of(b->profile);
	profile.sample = (Pprof__Sample **)b->samples.item;
	profile.n_sample = b->samples.n;
	profile.location = (Pprof__Location **)b->locations.item;
	profile.n_location = b->locations.n;
	profile.function = (Pprof__Function **)b->functions.item;
	profile.n_function = b->functions.n;
	profile.string_table = (char **)b->texts.item;
	profile.n_string_table = b->texts.n;
	len = pprof__profile__get_packed_size(&profile);
	bytes = pt_pool_take(&b->pool, len + 1);
	return pt_gzip(out, bytes, pprof__profile__pack(&profile, bytes), err);
}

static int write_pprof(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		       struct pt_text *out, struct pt_err *err)
{
	struct builder b = { .profile = profile, .only_samples = pt_profile_by_samples(profile), .per_unit = 1 };
	int rc;

	(void)view;
	rc = pt_stacks_make(&b.stacks, profile, PT_STACKS_BY_SITE, err);
	if (rc < 0)
		return rc;
	if (profile->core_hz != 0 && !profile->by_instructions)
		b.per_unit = 1e9 / (double)profile->core_hz;
	b.inlines =
		profile->lines != NULL ? profile->lines->inlines : (b.own_inlines = pt_inlines_new(profile->program));
	pt_spots_make(&b.spots, profile);
	rc = write_out(&b, query->began_ns, out, err);
	pt_spots_free(&b.spots);
	pt_inlines_free(b.own_inlines);
	pt_stacks_free(&b.stacks);
	pt_pool_free(&b.pool);
	return rc;
}

const struct pt_format pt_format_pprof = {
	.name = "pprof", .suffix = ".pb.gz", .help = "chains of calls for pprof (profile.proto, gzipped)", .needs = "tree,lines",
	.binary = true,
	.write = write_pprof,
};
