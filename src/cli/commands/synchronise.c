#include "cli/commands/synchronise.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "profile/analyses/signals/synchronise.h"
#include "profile/result/profile.h"
#include "report/table/units.h"

/* One reading of all files. */
struct ahead {
	struct pt_inputs_set *inputs;
	struct pt_pipeline *pipeline;
	uint64_t from_ns[PT_INPUTS_MOST], to_ns[PT_INPUTS_MOST];	/* of each file; to 0: nothing came */
};

/* Errors are for the reading that follows. */
static void read_ahead(struct ahead *a)
{
	const struct pt_chunk *chunk;
	struct pt_err unheard;
	int item;

	while ((item = pt_inputs_next(a->inputs, &chunk, &unheard)) != PT_INPUT_END) {
		size_t file = item == PT_INPUT_CHUNK ? pt_inputs_file_of(a->inputs, chunk->source) : PT_INPUTS_MOST;

		if (item == PT_INPUT_CHUNK)
			pt_pipeline_feed(a->pipeline, chunk);
		if (file >= pt_inputs_count(a->inputs))
			continue;
		if (a->to_ns[file] == 0)
			a->from_ns[file] = chunk->from_ns;
		a->to_ns[file] = chunk->to_ns > a->to_ns[file] ? chunk->to_ns : a->to_ns[file];
	}
	pt_pipeline_over(a->pipeline);
}

/* The settings of the profile, without its analyses. */
static int open_ahead(const struct pt_rerun *r, struct ahead *a, const char *text, struct pt_err *err)
{
	struct pt_params *settings = pt_params_copy(r->settings);

	a->inputs = pt_rerun_open(r, NULL, NULL, err);
	if (a->inputs != NULL && pt_pipeline_add(settings, "analysis=none", err) == 0)
		a->pipeline = pt_pipeline_new(r->program, settings, err);
	pt_params_free(settings);
	if (a->pipeline == NULL)
		return err->code;
	pt_rerun_set_isa(r, a->pipeline);
	return pt_pipeline_synchronise(a->pipeline, text, err);
}

/* Which file has the line: one alone, and not the first one, whose clock is everybody's. */
static int find_file(const struct ahead *a, const struct pt_sync *sync, const struct pt_inputs_sync *wanted,
		     size_t named, size_t *file, struct pt_err *err)
{
	*file = sync->has_line ? pt_inputs_file_of(a->inputs, sync->source) : pt_inputs_count(a->inputs);
	if (*file == pt_inputs_count(a->inputs) || (wanted->own && *file != named))
		return pt_fail(err, PT_EARG, "%s has a line '%.80s'",
			       wanted->own ? "another file" : "no file of several", sync->line);
	if (sync->several)
		return pt_fail(err, PT_EARG, "several sources have a line '%.80s'; lines= at a file chooses",
			       sync->line);
	if (*file == 0)
		return pt_fail(
			err, PT_EARG,
			"the line '%.80s' is in the first file, whose clock is everybody's; name the trace first, "
			"then the file of lines",
			sync->line);
	return 0;
}

static const char *print_delay(double ns, char *out, size_t room)
{
	char text[32];

	pt_print_ns(text, sizeof(text), (uint64_t)(ns < 0 ? -ns : ns), " ");
	snprintf(out, room, "%s%s", ns < 0 ? "-" : "", text);
	return out;
}

static void describe(const struct pt_inputs_set *inputs, size_t file, const struct pt_sync *sync,
		     const struct pt_clock_fit *fit, bool has_delay, struct pt_text *out)
{
	double error =
		fit->anchor[0].error_ns > fit->anchor[1].error_ns ? fit->anchor[0].error_ns : fit->anchor[1].error_ns;
	char least[40], most[40], within[40];
	const char *path = strrchr(pt_inputs_path(inputs, file), '/');

	path = path != NULL ? path + 1 : pt_inputs_path(inputs, file);
	pt_text_add(out, "%.60s: offset %.3f us at its beginning, +- %s, drift %+.3f +- %.3f ppm: ", path,
		    fit->anchor[0].offset_ns / 1e3, print_delay(error, within, sizeof(within)), fit->ppm,
		    fit->ppm_error);
	pt_text_add(out, "%zu edges of %.60s belong to entries of %.60s, which come %s to %s after them", fit->n_pairs,
		    sync->line, sync->function, print_delay(fit->least_ns, least, sizeof(least)),
		    print_delay(fit->most_ns, most, sizeof(most)));
	if (!has_delay)
		pt_text_add(out, " (as far as the next edge; sync-delay=MIN..MAX says it better)");
	if (fit->n_alone > 0)
		pt_text_add(out, "; %zu edges between them have no entry", fit->n_alone);
}

static int fit_clock(struct pt_rerun *r, const struct ahead *a, const struct pt_inputs_sync *wanted, size_t named,
		     struct pt_err *err)
{
	const struct pt_sync *sync = pt_pipeline_profile(a->pipeline)->sync;
	struct pt_clock_fit fit;
	struct pt_text said = { .bytes = NULL };
	size_t file;

	if (find_file(a, sync, wanted, named, &file, err) < 0)
		return err->code;
	const struct pt_fit_wanted marks = { sync->edge, sync->entry, sync->n_edges, sync->n_entries,
					     a->from_ns[file], a->to_ns[file], wanted->has_delay, wanted->least_ns,
					     wanted->most_ns };

	if (pt_clock_fit(&marks, &fit, err) < 0)
		return err->code;
	describe(a->inputs, file, sync, &fit, wanted->has_delay, &said);
	pt_info("%s: sync: %s", r->name, said.bytes);
	pt_inputs_set_clock(r->inputs, file,
			    &(struct pt_inputs_clock){ { fit.anchor[0].at_ns, fit.anchor[1].at_ns },
						       { fit.anchor[0].offset_ns, fit.anchor[1].offset_ns },
						       { fit.anchor[0].error_ns, fit.anchor[1].error_ns } },
			    said.bytes);
	pt_text_free(&said);
	return 0;
}

static int synchronise(struct pt_rerun *r, const struct pt_inputs_sync *wanted, size_t named, struct pt_err *err)
{
	struct ahead a = { .inputs = NULL };
	int rc = open_ahead(r, &a, wanted->text, err);

	if (rc == 0) {
		read_ahead(&a);
		rc = fit_clock(r, &a, wanted, named, err);
	}
	pt_pipeline_free(a.pipeline);
	pt_inputs_free(a.inputs);
	return rc < 0 ? pt_wrap(err, "sync=%.80s", wanted->text) : 0;
}

/* A word for all files is one wish. */
int pt_synchronise(struct pt_rerun *r, struct pt_err *err)
{
	struct pt_inputs_sync wanted;
	bool general = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n_files; i++) {
		if (!pt_inputs_sync(r->inputs, i, &wanted) || (!wanted.own && general))
			continue;
		general |= !wanted.own;
		if (strcmp(r->files[i], "-") == 0)
			return pt_fail(err, PT_EARG,
				       "sync= reads the files twice, which standard input does not allow");
		rc = synchronise(r, &wanted, i, err);
	}
	return rc;
}
