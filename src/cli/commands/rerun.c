#include "cli/commands/rerun.h"
#include "cli/commands/synchronise.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "session/head.h"
#include "probes/virtual/boards.h"
#include "host/log.h"
#include "program/model/settings.h"
#include "profile/result/profile.h"
#include "report/table/facts.h"
#include "trace/config.h"
#include "trace/formats.h"
#include "base/util.h"
#include "cli/output.h"
#include "cli/waiting.h"

static void on_note(void *arg, const char *text)
{
	struct pt_rerun *r = arg;

	pt_warn("%s: %s", r->name, text);
}

struct pt_inputs_set *pt_rerun_open(const struct pt_rerun *r, pt_input_note note, void *arg, struct pt_err *err)
{
	struct pt_inputs_set *set = pt_inputs_new(note, arg);

	for (size_t i = 0; i < r->n_files; i++)
		if (pt_inputs_add(set, r->files[i], r->options->words, r->options->n_words, err) < 0) {
			pt_inputs_free(set);
			return NULL;
		}
	return set;
}

static bool is_symbols_word(const char *word)
{
	for (size_t i = 0; i < PT_N_PROGRAM_PARAMS; i++) {
		size_t len = strlen(pt_program_params[i].key);

		if (strncmp(word, pt_program_params[i].key, len) == 0 && (word[len] == '=' || word[len] == '\0'))
			return true;
	}
	return false;
}

static int take_words(struct pt_rerun *r, struct pt_err *err)
{
	const struct pt_options *o = r->options;

	for (size_t i = 0; i < o->n_words; i++) {
		bool of_elf = is_symbols_word(o->words[i]);

		if (of_elf && pt_params_add(r->symbols, pt_program_params, PT_N_PROGRAM_PARAMS, o->words[i], err) < 0)
			return err->code;
		if (of_elf && !pt_pipeline_knows(o->words[i]))
			continue;
		if (pt_inputs_know(o->words[i]) && !pt_pipeline_knows(o->words[i])) {
			if (pt_inputs_take(r->inputs, o->words[i], err) < 0)
				return err->code;
			continue;
		}
		if (pt_pipeline_add(r->settings, o->words[i], err) < 0)
			return err->code;
	}
	return 0;
}

/* Merges the settings of the capture with those of the command line, which win, then adds what the report needs. */
static int settle(struct pt_rerun *r, struct pt_err *err)
{
	const struct pt_param *analysis = pt_pipeline_param(0);
	size_t len_bytes;
	const char *lines = pt_inputs_lines(r->inputs, &len_bytes);
	char *word;
	int rc = 0;

	r->settings = pt_params_new();
	r->symbols = pt_params_new();
	if (lines != NULL)
		pt_capture_head_settings(lines, len_bytes, r->settings, r->symbols, on_note, r);
	word = pt_output_analyses(&r->query, r->options,
				  pt_params_given(r->settings, analysis) ? pt_params_text(r->settings, analysis)
									 : NULL);
	if (take_words(r, err) < 0)
		rc = err->code;
	else if (word != NULL)
		rc = pt_pipeline_add(r->settings, word, err);
	free(word);
	return rc;
}

/* The demo firmware of a virtual board. */
static const uint8_t *demo_firmware(size_t i, size_t *len_bytes)
{
	return i < pt_n_vboards ? pt_vboards[i]->demo(len_bytes) : NULL;
}

static int open_program(struct pt_rerun *r, struct pt_err *err)
{
	const struct pt_capture_elf elf = { r->options->elf, r->symbols, demo_firmware };
	size_t len_bytes;
	const char *lines = pt_inputs_lines(r->inputs, &len_bytes);

	if (pt_capture_head_program(lines != NULL ? lines : "", len_bytes, &elf, &r->program, on_note, r, err) < 0)
		return err->code;
	if (r->program != NULL && pt_program_warning(r->program) != NULL)
		pt_warn("elf: %s", pt_program_warning(r->program));
	for (size_t i = 0; r->program == NULL && i < r->options->n_words; i++)
		if (is_symbols_word(r->options->words[i]))
			return pt_fail(err, PT_EARG,
				       "%.60s is a setting for an ELF, and none is known; give it with "
				       "--elf",
				       r->options->words[i]);
	return 0;
}

/* --- the way through ---------------------------------------------------------------------------------------------- */

/* Of several files the one that was captured from a target knows; its CONFIG need not be the first. */
void pt_rerun_set_isa(const struct pt_rerun *r, struct pt_pipeline *pipeline)
{
	size_t len_bytes;
	const char *lines = pt_inputs_lines(r->inputs, &len_bytes);
	const char *value;
	char isa[24];
	int len = lines != NULL ? pt_config_look_up(lines, len_bytes, "isa", &value) : -1;

	if (len > 0 && (size_t)len < sizeof(isa)) {
		snprintf(isa, sizeof(isa), "%.*s", len, value);
		pt_pipeline_set_isa(pipeline, isa);
	}
}

static int begin(struct pt_rerun *r, struct pt_err *err)
{
	pt_pipeline_free(r->pipeline);
	r->pipeline = pt_pipeline_new(r->program, r->settings, err);
	if (r->pipeline == NULL)
		return err->code;
	pt_rerun_set_isa(r, r->pipeline);
	pt_configs_feed(&r->configs, r->pipeline);
	if (r->halves == NULL)
		return 0;
	pt_halves_fini(r->halves);
	if (pt_halves_init(r->halves, r->program, r->settings, err) < 0)
		return err->code;
	for (unsigned i = 0; i < PT_HALVES; i++) {
		pt_rerun_set_isa(r, r->halves->pipeline[i]);
		pt_configs_feed(&r->configs, r->halves->pipeline[i]);
	}
	return 0;
}

/* Written by who reads, read by who tells of it. */
struct reading {
	const char *name;
	uint64_t since_ns;
	_Atomic uint64_t n_chunks, from_ns, to_ns;	/* of the file's clock */
};

static void count(struct reading *reading, const struct pt_chunk *chunk)
{
	if (atomic_fetch_add(&reading->n_chunks, 1) == 0)
		atomic_store(&reading->from_ns, chunk->from_ns);
	atomic_store(&reading->to_ns, chunk->to_ns);
}

/* A file may be silent for long: then there is nothing to tell but that it is read. */
static void say_progress(void *arg)
{
	struct reading *reading = arg;
	uint64_t from_ns = atomic_load(&reading->from_ns), to_ns = atomic_load(&reading->to_ns);

	pt_progress("%s: %.0f s at work, %.3g s of the recording read, %llu pieces of trace; Ctrl-C ends it",
		    reading->name, (double)(uv_hrtime() - reading->since_ns) / 1e9,
		    to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0.0,
		    (unsigned long long)atomic_load(&reading->n_chunks));
}

static int read_all(struct pt_rerun *r, struct reading *reading, struct pt_err *err)
{
	const struct pt_chunk *chunk = NULL;
	struct pt_err bad;
	int item;

	while ((item = pt_inputs_next(r->inputs, &chunk, &bad)) != PT_INPUT_END) {
		if (item < 0) {		/* what came before is worth a report */
			pt_error("%s", bad.msg);
			r->failed = true;
			pt_pipeline_cut(r->pipeline);
		} else if (item == PT_INPUT_RESET) {
			if (begin(r, err) < 0)
				return err->code;
			if (r->clock != NULL)
				*r->clock = (struct pt_law_clock){ 0 };
		} else {
			pt_configs_keep(&r->configs, chunk);
			if (r->clock != NULL)
				pt_law_clock_take(r->clock, chunk);
			pt_pipeline_feed(r->pipeline, chunk);
			if (r->halves != NULL)
				pt_halves_feed(r->halves, chunk);
			count(reading, chunk);
		}
	}
	pt_pipeline_over(r->pipeline);
	return 0;
}

static int open_and_read(struct pt_rerun *r, struct reading *reading, struct pt_err *err)
{
	r->inputs = pt_rerun_open(r, on_note, r, err);
	if (r->inputs == NULL || settle(r, err) < 0 || open_program(r, err) < 0 || pt_synchronise(r, err) < 0 ||
	    begin(r, err) < 0)
		return err->code;
	return read_all(r, reading, err);
}

/* Whether some source tells of code. */
static bool wants_names(const struct pt_rerun *r)
{
	const struct pt_profile *profile = pt_pipeline_profile(r->pipeline);
	static const char *const others[] = { PT_FORMAT_LINES, PT_FORMAT_VALUES, PT_FORMAT_COUNTERS };
	size_t n_others = 0;

	for (size_t i = 0; i < profile->n_sources; i++)
		for (size_t k = 0; k < PT_LEN(others); k++)
			n_others += strcmp(profile->sources[i].format, others[k]) == 0;
	return n_others < profile->n_sources;
}

/* A trace that could not be read is an error, though there is a report. */
static void tell_of_unread(struct pt_rerun *r)
{
	const struct pt_profile *profile = pt_pipeline_profile(r->pipeline);
	char text[300];

	for (size_t i = 0; i < profile->n_sources; i++)
		if (profile->sources[i].ignored == PT_SOURCE_NO_ISA &&
		    pt_ignored_reason(profile, &profile->sources[i], text, sizeof(text))) {
			pt_error("%s: %s", r->name, text);
			r->failed = true;
		}
}

int pt_rerun(struct pt_rerun *r, struct pt_err *err)
{
	struct reading reading = { .name = r->name, .since_ns = uv_hrtime() };
	struct pt_at_work work;
	int rc;

	pt_at_work_begin(&work, say_progress, &reading);
	rc = open_and_read(r, &reading, err);
	pt_at_work_end(&work);
	if (rc < 0)
		return rc;
	if (r->program == NULL && wants_names(r))
		pt_warn("%s: no ELF is known, so there are no names; give it with --elf", r->name);
	tell_of_unread(r);
	return 0;
}

void pt_rerun_drop(struct pt_rerun *r)
{
	pt_pipeline_free(r->pipeline);
	pt_program_unref(r->program);
	pt_params_free(r->settings);
	pt_params_free(r->symbols);
	pt_inputs_free(r->inputs);
	pt_configs_fini(&r->configs);
}
