/* proftap decode FILE...: the analyses again, over what was captured, or what other instruments wrote; no hardware. With
 * the settings and the ELF of the capture's HEAD the report is the live one, byte for byte; what the command line says
 * goes before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture_head.h"
#include "configs.h"
#include "inputs/inputs.h"
#include "log.h"
#include "pipeline.h"
#include "profile/limits.h"
#include "profile/profile.h"
#include "rig.h"
#include "util.h"
#include "verbs/output.h"
#include "verbs/verdict.h"
#include "verbs/verbs.h"

struct decode {
	const struct pt_options *options;
	struct pt_query query;
	const char *files[PT_MAX_REST], *words[PT_MAX_REST];	/* words of the query */
	size_t n_files, n_words;
	struct pt_inputs_set *inputs;
	struct pt_params *settings;
	struct pt_program *program;
	struct pt_pipeline *pipeline;
	struct pt_configs configs;	/* for a reset */
	bool failed;			/* a file could not be read to its end */
};

static void on_note(void *arg, const char *text)
{
	(void)arg;
	pt_warn("decode: %s", text);
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int sort_rest(struct decode *d, struct pt_err *err)
{
	const struct pt_options *o = d->options;

	for (size_t i = 0; i < o->n_rest; i++) {
		if (pt_output_is_query(o->rest[i]) && access(o->rest[i], F_OK) != 0)
			d->words[d->n_words++] = o->rest[i];
		else
			d->files[d->n_files++] = o->rest[i];
	}
	if (d->n_files == 0)
		return pt_fail(err, PT_EARG, "decode needs a capture file: proftap decode FILE...");
	return pt_output_query(&d->query, o, d->words, d->n_words, err);
}

static int open_inputs(struct decode *d, struct pt_err *err)
{
	d->inputs = pt_inputs_new(on_note, d);
	if (d->inputs == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	for (size_t i = 0; i < d->n_files; i++)
		if (pt_inputs_add(d->inputs, d->files[i], d->options->words, d->options->n_words, err) < 0)
			return err->code;
	return 0;
}

static int take_words(struct decode *d, struct pt_err *err)
{
	const struct pt_options *o = d->options;

	for (size_t i = 0; i < o->n_words; i++) {
		if (pt_inputs_know(o->words[i]) && !pt_pipeline_knows(o->words[i]))
			continue;
		if (pt_pipeline_add(d->settings, o->words[i], err) < 0)
			return err->code;
	}
	return 0;
}

/* The settings of the capture, then those of the command line, then what the report is made of. */
static int settle(struct decode *d, struct pt_err *err)
{
	const struct pt_param *analysis = pt_pipeline_param(0);
	size_t len_bytes;
	const char *lines = pt_inputs_lines(d->inputs, &len_bytes);
	char *word;
	int rc = 0;

	d->settings = pt_params_new();
	if (d->settings == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	if (lines != NULL)
		pt_capture_head_settings(lines, len_bytes, d->settings, on_note, d);
	word = pt_output_analyses(&d->query, d->options,
				  pt_params_given(d->settings, analysis) ? pt_params_text(d->settings, analysis) : NULL);
	if (take_words(d, err) < 0)
		rc = err->code;
	else if (word != NULL)
		rc = pt_pipeline_add(d->settings, word, err);
	free(word);
	return rc;
}

static int open_program(struct decode *d, struct pt_err *err)
{
	size_t len_bytes;
	const char *lines = pt_inputs_lines(d->inputs, &len_bytes);

	if (pt_capture_head_program(lines != NULL ? lines : "", len_bytes, d->options->elf, &d->program, on_note, d, err) < 0)
		return err->code;
	if (d->program == NULL)
		pt_warn("decode: no ELF is known, so there are no names; give it with --elf");
	else if (pt_program_warning(d->program) != NULL)
		pt_warn("elf: %s", pt_program_warning(d->program));
	return 0;
}

/* --- the way through ---------------------------------------------------------------------------------------------- */

static int begin(struct decode *d, struct pt_err *err)
{
	pt_pipeline_free(d->pipeline);
	d->pipeline = pt_pipeline_new(d->program, d->settings, err);
	if (d->pipeline != NULL)
		pt_configs_feed(&d->configs, d->pipeline);
	return d->pipeline != NULL ? 0 : err->code;
}

static int run_through(struct decode *d, struct pt_err *err)
{
	const struct pt_chunk *chunk = NULL;
	struct pt_err bad;
	int item;

	while ((item = pt_inputs_next(d->inputs, &chunk, &bad)) != PT_INPUT_END) {
		if (item < 0) {		/* what came before is worth a report */
			pt_error("%s", bad.msg);
			d->failed = true;
		} else if (item == PT_INPUT_RESET) {
			if (begin(d, err) < 0)
				return err->code;
		} else {
			pt_configs_keep(&d->configs, chunk);
			pt_pipeline_feed(d->pipeline, chunk);
		}
	}
	return 0;
}

static int write_one(const struct pt_profile *profile, const struct pt_query *query, const char *path, struct pt_err *err)
{
	struct pt_text text = { .bytes = NULL };
	int status = PT_EXIT_USAGE;

	if (pt_report_render(profile, query, &text, err) < 0)
		pt_error("%s", err->msg);
	else
		status = pt_output_write(query, path, text.bytes != NULL ? text.bytes : "", text.len_bytes);
	pt_text_free(&text);
	return status;
}

static int report(struct decode *d, struct pt_err *err)
{
	static const struct pt_query junit = { .format = "junit" };
	const struct pt_profile *profile = pt_pipeline_profile(d->pipeline);
	int status = write_one(profile, &d->query, d->options->output, err);

	if (status == PT_EXIT_DONE && d->options->junit != NULL)
		status = write_one(profile, &junit, d->options->junit, err);
	if (status == PT_EXIT_DONE && profile->limits != NULL)
		status = pt_verdict_status(d->options, profile->limits->n_failed, profile->limits->n_undecided);
	if (status == PT_EXIT_DONE && d->failed)
		return PT_EXIT_USAGE;
	if (status == PT_EXIT_DONE && d->options->max_loss >= 0.0 && pt_profile_lost_share(profile) > d->options->max_loss)
		return PT_EXIT_LOSS;
	return status;
}

static void drop(struct decode *d)
{
	pt_pipeline_free(d->pipeline);
	pt_program_unref(d->program);
	pt_params_free(d->settings);
	pt_inputs_free(d->inputs);
	pt_configs_fini(&d->configs);
}

static int run_decode(const struct pt_options *options)
{
	struct decode d = { .options = options };
	struct pt_err err = { 0 };
	int status = PT_EXIT_USAGE;

	if (sort_rest(&d, &err) < 0)
		pt_error("%s", err.msg);
	else
		status = pt_output_try(&d.query, options->output);
	if (status != PT_EXIT_DONE)
		return status;
	if (open_inputs(&d, &err) < 0 || settle(&d, &err) < 0 || open_program(&d, &err) < 0 ||
	    begin(&d, &err) < 0 || run_through(&d, &err) < 0) {
		pt_error("%s", err.msg);
		status = PT_EXIT_USAGE;
	} else {
		status = report(&d, &err);
	}
	drop(&d);
	return status;
}

const struct pt_verb pt_verb_decode = {
	"decode", "FILE... [VIEW] [sort=KEY] [top=N]", "run the analyses again on captures and files of other instruments",
	run_decode
};
