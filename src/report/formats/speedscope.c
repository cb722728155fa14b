/* speedscope's JSON (its file-format-schema.json): one sampled profile, a sample per chain of calls with its own time
 * as the weight. Chains are in the order of the tree, not of time, as the profile's name says. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "base/alloc.h"
#include "profile/result/profile.h"
#include "report/text/caption.h"
#include "report/shared/json_values.h"
#include "report/shared/stacks.h"
#include "report/table/format.h"

extern const struct pt_format pt_format_speedscope;

enum { N_IDS = UINT16_MAX + 1 };

struct writer {
	const struct pt_stacks *stacks;
	uint32_t *frame;	/* by node */
	uint32_t of_id[N_IDS];	/* by function id, + 1; 0: none yet */
	json_t *frames, *samples, *weights;
	double per_unit;
};

static uint32_t new_frame(struct writer *w, const struct pt_stack_node *node)
{
	json_t *frame = json_object();

	json_object_set_new(frame, "name", pt_json_text(node->name));
	if (node->function != NULL && node->function->file != NULL) {
		json_object_set_new(frame, "file", pt_json_text(node->function->file));
		json_object_set_new(frame, "line", json_integer(node->function->line));
	}
	json_array_append_new(w->frames, frame);
	return (uint32_t)json_array_size(w->frames) - 1;
}

/* A function has one frame, from wherever it is called, so that speedscope can add it up; a task, too. */
static uint32_t frame_of(struct writer *w, const struct pt_stack_node *node)
{
	if (node->function == NULL)
		return new_frame(w, node);
	if (w->of_id[node->id] == 0)
		w->of_id[node->id] = new_frame(w, node) + 1;
	return w->of_id[node->id] - 1;
}

static void add_sample(struct writer *w, uint32_t at)
{
	uint32_t path[PT_STACKS_DEPTH];
	json_t *sample = json_array();
	size_t n = 0;

	for (uint32_t i = at; i != 0 && n < PT_STACKS_DEPTH; i = w->stacks->node[i].parent)
		path[n++] = i;
	while (n-- > 0)
		json_array_append_new(sample, json_integer(w->frame[path[n]]));
	json_array_append_new(w->samples, sample);
	json_array_append_new(w->weights, json_real((double)w->stacks->node[at].self * w->per_unit));
}

static json_t *profile_of(struct writer *w, const char *name, bool in_ns)
{
	json_t *profile = json_object();
	double all = 0;

	w->frames = json_array();
	w->samples = json_array();
	w->weights = json_array();
	for (uint32_t i = 0; i < w->stacks->n_nodes; i++) {
		if (i != 0)
			w->frame[i] = frame_of(w, &w->stacks->node[i]);
		if (w->stacks->node[i].self != 0) {
			add_sample(w, i);
			all += (double)w->stacks->node[i].self * w->per_unit;
		}
	}
	json_object_set_new(profile, "type", json_string("sampled"));
	json_object_set_new(profile, "name", pt_json_text(name));
	json_object_set_new(profile, "unit", json_string(in_ns ? "nanoseconds" : "none"));
	json_object_set_new(profile, "startValue", json_integer(0));
	json_object_set_new(profile, "endValue", json_real(all));
	json_object_set_new(profile, "samples", w->samples);
	json_object_set_new(profile, "weights", w->weights);
	return profile;
}

static int write_document(struct writer *w, const struct pt_profile *p, struct pt_text *out, struct pt_err *err)
{
	bool in_ns = p->core_hz != 0 && !p->by_instructions && w->stacks->unit[0] == 'c';
	json_t *document = json_object(), *shared = json_object();
	char name[5 * PT_CAPTION_BYTES + 80];
	struct pt_caption caption;

	w->per_unit = in_ns ? 1e9 / (double)p->core_hz : 1;
	pt_caption_make(&caption, p);
	snprintf(name, sizeof(name), "%s, %s by chain of calls (not in order of time); observed %s; %s; %s%s%s",
		 caption.line[PT_CAPTION_PROFILE], in_ns ? "time" : w->stacks->unit, caption.line[PT_CAPTION_OBSERVED],
		 caption.line[PT_CAPTION_ACCURACY], caption.line[PT_CAPTION_METHOD],
		 caption.line[PT_CAPTION_AGAIN][0] != '\0' ? "; again: " : "", caption.line[PT_CAPTION_AGAIN]);
	json_object_set_new(document, "$schema", json_string("https://www.speedscope.app/file-format-schema.json"));
	json_object_set_new(document, "exporter", json_string("proftap@" PACKAGE_VERSION));
	json_object_set_new(document, "name", pt_json_text(caption.line[PT_CAPTION_PROFILE]));
	json_object_set_new(document, "activeProfileIndex", json_integer(0));
	json_object_set_new(document, "profiles", json_pack("[o]", profile_of(w, name, in_ns)));
	json_object_set_new(shared, "frames", w->frames);
	json_object_set_new(document, "shared", shared);
	return pt_json_write(out, document, err);
}

static int write_speedscope(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			    struct pt_text *out, struct pt_err *err)
{
	struct pt_stacks stacks;
	struct writer *w;
	int rc;

	(void)view;
	(void)query;
	if (pt_stacks_make(&stacks, profile, PT_STACKS_BY_NAME, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	w = pt_alloc(sizeof(*w));
	w->frame = pt_alloc_array(stacks.n_nodes, sizeof(*w->frame));
	w->stacks = &stacks;
	rc = write_document(w, profile, out, err);
	free(w->frame);
	free(w);
	pt_stacks_free(&stacks);
	return rc;
}

const struct pt_format pt_format_speedscope = {
	.name = "speedscope", .suffix = ".speedscope.json", .help = "chains of calls for speedscope", .needs = "tree", .write = write_speedscope,
};
