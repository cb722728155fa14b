/* The life of a pipeline, and its settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"

enum { ANALYSIS, FUNCTIONS, CLOCK, CYCLES, CORE_CLOCK, EXC_ENTRY, EXC_RETURN, TAIL_CHAIN, HISTOGRAMS };

static const struct pt_param rows[] = {
	[ANALYSIS] = { "analysis", PT_PARAM_LIST, "standard", NULL, 0, 0,
		       "what is made of the trace (names, a,b,c; standard, all)" },
	[FUNCTIONS] = { "functions", PT_PARAM_LIST, NULL, NULL, 0, 0, "show only these functions (names, a,b,c)" },
	[CLOCK] = { "clock", PT_PARAM_CHOICE, "cycles", "cycles|instructions", 0, 0,
		    "what times are counted in (where an instruction set has no cycle model: instructions)" },
	[CYCLES] = { "cycles", PT_PARAM_CHOICE, "auto", "auto|model", 0, 0,
		     "model: count cycles by a cycle model that has not been verified, where there is no other (Cortex-M4; "
		     "traces of branches only); timing rules do not use it" },
	[CORE_CLOCK] = { "core-clock", PT_PARAM_HZ, NULL, "measure", 1000, 10000000000,
			 "frequency of the core; gives seconds. measure: by a counter of the running target (Cortex-M: "
			 "SysTick)" },
	[EXC_ENTRY] = { "exception-entry", PT_PARAM_NUMBER, NULL, NULL, 0, 200,
			"cycles to enter an exception; else as the instruction set's cycle model has it" },
	[EXC_RETURN] = { "exception-return", PT_PARAM_NUMBER, NULL, NULL, 0, 200,
			 "cycles to return from an exception; else as the model has it (unverified)" },
	[TAIL_CHAIN] = { "tail-chain", PT_PARAM_NUMBER, NULL, NULL, 0, 200,
			 "cycles from one handler straight into the next; else as the model has it (unverified)" },
	[HISTOGRAMS] = { "histograms", PT_PARAM_FLAG, "on", NULL, 0, 0, "p50, p90 and p99 of each function's times" },
};

/* --- settings */

const struct pt_param *pt_pipeline_param(size_t i)
{
	if (i < PT_LEN(rows))
		return &rows[i];
	i -= PT_LEN(rows);
	if (i < pt_n_definition_params)
		return &pt_definition_params[i];
	i -= pt_n_definition_params;
	for (size_t a = 0; pt_analyses[a] != NULL; i -= pt_analyses[a++]->n_params)
		if (i < pt_analyses[a]->n_params)
			return &pt_analyses[a]->params[i];
	return NULL;
}

bool pt_pipeline_knows(const char *word)
{
	const struct pt_param *row;
	size_t len = strcspn(word, "=");

	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		if (strlen(row->key) == len && memcmp(row->key, word, len) == 0)
			return true;
	return false;
}

int pt_pipeline_add(struct pt_params *params, const char *word, struct pt_err *err)
{
	const struct pt_param *row;
	struct pt_param *all;
	size_t n = 0;
	int rc;

	while (pt_pipeline_param(n) != NULL)
		n++;
	all = pt_alloc_array(n, sizeof(*all));
	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		all[i] = *row;
	rc = pt_params_add(params, all, n, word, err);
	free(all);
	return rc;
}

bool pt_pipeline_measures(const struct pt_params *params)
{
	const char *text = pt_params_text(params, &rows[CORE_CLOCK]);

	return text != NULL && strcmp(text, "measure") == 0;
}

uint64_t pt_pipeline_core_hz(const struct pt_params *params)
{
	return pt_params_number(params, &rows[CORE_CLOCK]);
}

/* --- life */

static void set_given(const struct pt_params *params, const struct pt_param *row, uint32_t *cycles)
{
	if (pt_params_given(params, row))
		*cycles = (uint32_t)pt_params_number(params, row);
}

/* Without a program no clock is used. */
static struct pt_flow_settings settings_of(const struct pt_params *params, const struct pt_isa *isa, bool timed,
					   bool program)
{
	struct pt_flow_settings settings = pt_flow_standards(isa);

	settings.histograms = pt_params_flag(params, &rows[HISTOGRAMS]);
	if ((!timed && program) || strcmp(pt_params_text(params, &rows[CLOCK]), "cycles") != 0)
		settings.clock = PT_FLOW_INSTRUCTIONS;
	set_given(params, &rows[EXC_ENTRY], &settings.sampled_entry_cycles);
	if (!timed)
		return settings;
	set_given(params, &rows[EXC_ENTRY], &settings.exception_entry_cycles);
	set_given(params, &rows[EXC_RETURN], &settings.exception_return_cycles);
	set_given(params, &rows[TAIL_CHAIN], &settings.tail_chain_cycles);
	return settings;
}

static int show(struct pt_pipeline *p, const char *name, size_t len, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;
	bool found = false;

	pt_nearest_init(&near, name, len);
	for (size_t i = 0; i < p->n_functions; i++) {
		pt_nearest_offer(&near, p->functions[i].name);
		if (pt_function_is(&p->functions[i], name, len) && i + 1 < p->n_ids)
			p->shown[i + 1] = found = true;
	}
	if (found)
		return 0;
	return pt_fail(err, PT_EARG,
		       "functions: the program has no function '%.*s'%sthe view functions with top=0 lists them",
		       len > 60 ? 60 : (int)len, name, pt_nearest_question(&near, question, sizeof(question)));
}

static int choose_shown(struct pt_pipeline *p, const char *list, struct pt_err *err)
{
	p->all_shown = list == NULL;
	for (size_t i = 0; i < p->n_ids; i++)
		p->shown[i] = p->all_shown;
	while (list != NULL && *list != '\0') {
		size_t len = pt_function_list_first(list);

		if (len > 0 && show(p, list, len, err) < 0)
			return err != NULL ? err->code : PT_EARG;
		list += len + (list[len] == ',');
	}
	return 0;
}

static const struct pt_isa *isa_of(const struct pt_program *program)
{
	return program != NULL ? pt_program_isa(program) : &pt_isa_none;
}

static void make_room(struct pt_pipeline *p)
{
	p->shown = pt_alloc_array(p->n_ids, sizeof(*p->shown));
	p->by_id = pt_alloc_array(p->n_ids, sizeof(*p->by_id));
	pt_snapshot_make_room(p, p->n_ids);
}

/* Sets up all that depends on the instruction set. */
static int set_up(struct pt_pipeline *p, const struct pt_isa *isa, struct pt_err *err)
{
	const struct pt_isa *as = p->opt_in_model ? pt_isa_with_model(isa, pt_program_arch(p->program)) : NULL;
	bool own;

	p->isa = isa;
	p->opt_in_model = as != NULL;
	isa = as != NULL ? as : isa;
	own = p->program != NULL && isa == pt_program_isa(p->program);
	p->timing = p->untimed ? NULL : isa->timing;
	p->settings = settings_of(p->words, isa, p->timing != NULL, p->program != NULL);
	p->map = own ? pt_codemap_of(p->program, isa) : pt_codemap_new(p->program, isa);
	if (p->map == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory for a profile of %zu functions", p->n_functions);
	pt_core_profile_init(p);
	return pt_selection_open(p, pt_params_text(p->words, &rows[ANALYSIS]), err);
}

static void tear_down(struct pt_pipeline *p)
{
	pt_selection_close(p);
	pt_core_profile_fini(p);
	pt_entered_free(p->entered);
	if (p->map != NULL && p->map->kept.free == NULL)
		pt_codemap_free(p->map);
	p->map = NULL;
}

/* If neither the new nor the old instruction set can be set up, memory has run out, and the profile cannot go on. */
static void change_isa(struct pt_pipeline *p, const struct pt_isa *isa)
{
	const struct pt_isa *before = p->isa;
	bool records = pt_selection_records(p);
	struct pt_err unheard;

	tear_down(p);
	if (set_up(p, isa, NULL) < 0) {
		tear_down(p);
		if (set_up(p, before, NULL) < 0)
			pt_out_of_memory(1, sizeof(*p));
	}
	if (records)
		pt_pipeline_record(p, NULL);
	if (p->sync != NULL)
		pt_pipeline_synchronise(p, p->sync, &unheard);
}

void pt_pipeline_set_isa(struct pt_pipeline *p, const char *name)
{
	const struct pt_arch *arch = p->program != NULL ? pt_program_arch(p->program) : NULL;
	const struct pt_isa *isa = pt_isa_named(name);

	if (p->n_ctx > 0 || isa == NULL || isa == p->isa)
		return;
	if (arch == NULL ||
	    (arch->elf_machine == isa->elf_machine && (!pt_arch_decides(arch) || pt_isa_has_no_model(isa, p->isa))))
		change_isa(p, isa);
}

static bool wants_model(const struct pt_params *params)
{
	return strcmp(pt_params_text(params, &rows[CYCLES]), "model") == 0;
}

/* If the cycle model needs timestamps (isa.h), a trace without them counts in instructions. A model that the user chose
 * is used for traces of branches only: corrections of samples need a verified one. */
void pt_pipeline_choose_clock(struct pt_pipeline *p, const struct pt_config *config)
{
	char format[32];
	const struct pt_decoder *decoder = pt_decoder_find(pt_config_text(config, "format", format, sizeof(format)));
	bool untimed = decoder != NULL && p->map->isa->time_by_stamps &&
		       (decoder->gives & (PT_GIVES_FLOW | PT_GIVES_FLOW_TIME)) == PT_GIVES_FLOW;
	bool model = decoder != NULL && p->program != NULL && wants_model(p->words) &&
		     (decoder->gives & (PT_GIVES_FLOW | PT_GIVES_SAMPLES)) == PT_GIVES_FLOW;

	if (p->n_ctx > 0 || (untimed == p->untimed && model == p->opt_in_model))
		return;
	p->untimed = untimed;
	p->opt_in_model = model;
	change_isa(p, p->isa);
}

/* PT_EARG: cycles= asks for cycles, and nothing can count them. */
static int check_cycles(const struct pt_program *program, const struct pt_params *params, struct pt_err *err)
{
	bool has_opt_in = program != NULL && pt_isa_with_model(isa_of(program), pt_program_arch(program)) != NULL;

	if (program == NULL || isa_of(program)->timing != NULL)
		return 0;
	if (wants_model(params) && !has_opt_in)
		return pt_fail(
			err, PT_EARG,
			"cycles=model: there is no cycle model of this program's instruction set (%s), not even one "
			"that is not verified; leave it out, and times are counted in instructions",
			isa_of(program)->name);
	if (!wants_model(params) && pt_params_given(params, &rows[CLOCK]) &&
	    strcmp(pt_params_text(params, &rows[CLOCK]), "cycles") == 0)
		return pt_fail(err, PT_EARG,
			       "clock=cycles: there is no cycle model of this program's instruction set (%s); "
			       "clock=instructions works%s",
			       isa_of(program)->name,
			       has_opt_in ? ", and cycles=model takes a model that is not verified" : "");
	return 0;
}

/* Stores the given settings, for the command that repeats the profile. A long text, or one of several lines, comes from
 * a file. */
static void note_given(struct pt_pipeline *p)
{
	enum { MOST = 200 };
	const struct pt_param *row;

	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++) {
		const char *value = pt_params_given(p->words, row) ? pt_params_text(p->words, row) : NULL;

		if (value != NULL)
			pt_text_add(&p->given, "%s=%s\n", row->key,
				    strlen(value) > MOST || strchr(value, '\n') != NULL ? "FILE" : value);
	}
	p->profile.settings = p->given.bytes;
}

struct pt_pipeline *pt_pipeline_new(struct pt_program *program, const struct pt_params *params, struct pt_err *err)
{
	struct pt_pipeline *p;

	if (check_cycles(program, params, err) < 0)
		return NULL;
	p = pt_alloc(sizeof(*p));
	p->program = program != NULL ? pt_program_ref(program) : NULL;
	p->functions = program != NULL ? pt_program_functions(program, &p->n_functions) : NULL;
	p->n_ids = p->n_functions < UINT16_MAX ? p->n_functions + 1 : UINT16_MAX;
	p->given_hz = pt_pipeline_core_hz(params);
	p->words = pt_params_copy(params);
	note_given(p);
	make_room(p);
	p->definitions = pt_definitions_new(program, params, err);
	p->signals = p->definitions != NULL ? pt_signals_new(pt_definitions_set(p->definitions)) : NULL;
	if (p->definitions != NULL && choose_shown(p, pt_params_text(params, &rows[FUNCTIONS]), err) == 0 &&
	    set_up(p, isa_of(program), err) == 0)
		return p;
	pt_pipeline_free(p);
	return NULL;
}

const struct pt_signal_set *pt_pipeline_follows(const struct pt_pipeline *p)
{
	return pt_definitions_set(p->definitions);
}

void pt_pipeline_free(struct pt_pipeline *p)
{
	if (p == NULL)
		return;
	tear_down(p);
	pt_signals_free(p->signals);
	pt_definitions_free(p->definitions);
	pt_merge_free(p->merge);
	for (size_t i = 0; i < p->n_ctx; i++) {
		free(p->ctx[i]->state);
		pt_stream_part_free(p->ctx[i]->stream);
		free(p->ctx[i]);
	}
	free(p->bin_runs);
	free(p->shown);
	free(p->rows);
	free(p->by_id);
	free(p->irqs);
	free(p->edges);
	pt_snapshot_free_bins(p);
	free(p->line_places);
	free(p->insn_places);
	pt_text_free(&p->given);
	pt_params_free(p->words);
	pt_program_unref(p->program);
	free(p);
}

/* --- changes while it runs */

int pt_pipeline_record(struct pt_pipeline *p, struct pt_err *err)
{
	return pt_selection_add(p, &pt_analysis_history, err);
}

int pt_pipeline_synchronise(struct pt_pipeline *p, const char *text, struct pt_err *err)
{
	p->sync = text;
	if (pt_selection_add(p, &pt_analysis_synchronise, err) < 0)
		return err->code;
	p->executes |= p->wants_steps;
	return 0;
}

int pt_pipeline_set_limits(struct pt_pipeline *p, const char *word, struct pt_err *err)
{
	struct pt_params *words = pt_params_copy(p->words);
	int rc;

	rc = pt_pipeline_add(words, word, err);
	if (rc == 0)
		rc = pt_selection_replace(p, &pt_analysis_limits, words, err);
	pt_params_free(words);		/* the analysis itself has the rules now */
	if (rc < 0)
		return rc;
	if (p->n_ctx == 0)
		pt_pipeline_add(p->words, word, NULL);	/* an analysis that is opened again gets it, too */
	p->profile.limits = NULL;	/* until the next snapshot */
	pt_core_profile_steps(p);
	return 0;
}
