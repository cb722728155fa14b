/* The analyses of one profile: which settings select which, and which events each gets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "pipeline/pipeline_parts.h"

static bool is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

/* Whether list has name, or includes it by "standard" or "all". */
static bool has(const char *list, const char *name, bool standard)
{
	for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (is(list, len, name) || is(list, len, "all") || (standard && is(list, len, "standard")))
			return true;
	}
	return false;
}

static bool is_analysis(const char *word, size_t len)
{
	bool found = is(word, len, "execution") || is(word, len, "standard") || is(word, len, "all") ||
		     is(word, len, "none");

	for (size_t i = 0; pt_analyses[i] != NULL; i++)
		found |= is(word, len, pt_analyses[i]->name);
	return found;
}

static int check(const char *list, struct pt_err *err)
{
	char names[300], one[PT_NEAREST_BYTES];
	struct pt_question question;
	size_t at, len;

	for (; *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == 0 || is_analysis(list, len))
			continue;
		snprintf(one, sizeof(one), "%.*s", (int)len, list);
		at = (size_t)snprintf(names, sizeof(names), "standard all none execution");
		for (size_t i = 0; pt_analyses[i] != NULL && at < sizeof(names); i++)
			at += (size_t)snprintf(names + at, sizeof(names) - at, " %s", pt_analyses[i]->name);
		return pt_fail(err, PT_EARG, "analysis: there is no '%.*s'%sthere are: %s", len > 40 ? 40 : (int)len,
			       list, pt_did_you_mean(one, names, &question), names);
	}
	return 0;
}

static struct pt_analysis_setup setup_of(const struct pt_pipeline *p)
{
	return (struct pt_analysis_setup){
		.program = p->program, .map = p->map, .n_functions = p->n_ids, .words = p->words,
		.signals = pt_definitions_set(p->definitions), .sync = p->sync,
		.flow = &p->settings, .by_instructions = p->settings.clock == PT_FLOW_INSTRUCTIONS,
	};
}

static int open_one(struct pt_pipeline *p, const struct pt_analysis *ops, struct pt_err *err)
{
	struct pt_analysis_setup setup = setup_of(p);
	void *analysis = p->n_selected < PT_SELECTED ? ops->open(&setup, err) : NULL;
	bool steps;

	if (analysis == NULL)
		return pt_wrap(err, "analysis %s", ops->name);
	steps = ops->steps != NULL && (ops->wants_steps == NULL || ops->wants_steps(analysis));
	p->selected[p->n_selected++] = (struct pt_selected){ ops, analysis, steps };
	p->wants_runs |= ops->runs != NULL;
	p->wants_steps |= steps;
	p->wants_signals |= ops->signals != NULL;
	p->wants_events |= ops->events != NULL;
	p->wants_values |= ops->takes_values;
	return 0;
}

/* Whether the user gave a setting of this analysis: this selects it. */
static bool is_told(const struct pt_pipeline *p, const struct pt_analysis *ops)
{
	for (size_t i = 0; i < ops->n_params; i++)
		if (pt_params_given(p->words, &ops->params[i]))
			return true;
	return false;
}

int pt_selection_open(struct pt_pipeline *p, const char *list, struct pt_err *err)
{
	if (check(list, err) < 0)
		return PT_EARG;
	for (size_t i = 0; pt_analyses[i] != NULL; i++)
		if ((has(list, pt_analyses[i]->name, pt_analyses[i]->standard) || is_told(p, pt_analyses[i])) &&
		    open_one(p, pt_analyses[i], err) < 0)
			return PT_EARG;
	p->executes = has(list, "execution", true) || p->wants_steps;
	return 0;
}

int pt_selection_add(struct pt_pipeline *p, const struct pt_analysis *ops, struct pt_err *err)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops == ops)
			return 0;
	return open_one(p, ops, err);
}

bool pt_selection_records(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops == &pt_analysis_history)
			return true;
	return false;
}

/* Its entry among the selected analyses, which may be new; NULL: all are used. */
static struct pt_selected *place_of(struct pt_pipeline *p, const struct pt_analysis *ops)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops == ops)
			return &p->selected[i];
	if (p->n_selected == PT_SELECTED)
		return NULL;
	p->selected[p->n_selected] = (struct pt_selected){ .ops = ops };
	return &p->selected[p->n_selected++];
}

/* Reports the core clock to an analysis that was selected after CONFIG. */
static void tell_core_clock(const struct pt_pipeline *p, const struct pt_selected *c)
{
	char text[40];
	int len = snprintf(text, sizeof(text), "core_hz=%" PRIu64 "\n", p->profile.core_hz);
	struct pt_config config;

	if (p->profile.core_hz == 0 || !pt_config_init(&config, text, (size_t)len))
		return;
	c->ops->config(c->analysis, 0, &config);
	pt_config_fini(&config);
}

static void replace(struct pt_pipeline *p, struct pt_selected *c, void *analysis)
{
	if (c->analysis != NULL)
		c->ops->close(c->analysis);
	c->analysis = analysis;
	c->steps = c->ops->wants_steps(analysis);
	p->wants_steps = false;
	for (size_t i = 0; i < p->n_selected; i++)
		p->wants_steps |= p->selected[i].steps;
	p->executes |= p->wants_steps;
}

int pt_selection_replace(struct pt_pipeline *p, const struct pt_analysis *ops, const struct pt_params *words,
			 struct pt_err *err)
{
	struct pt_analysis_setup setup = setup_of(p);
	struct pt_selected *place;
	void *analysis;

	setup.words = words;
	setup.late = p->n_ctx > 0;
	analysis = ops->open(&setup, err);
	if (analysis == NULL)
		return err->code;
	place = place_of(p, ops);
	if (place == NULL) {
		ops->close(analysis);
		return pt_fail(err, PT_ENOMEM, "too many analyses");
	}
	replace(p, place, analysis);
	tell_core_clock(p, place);
	return 0;
}

void pt_selection_close(struct pt_pipeline *p)
{
	while (p->n_selected > 0) {
		p->n_selected--;
		p->selected[p->n_selected].ops->close(p->selected[p->n_selected].analysis);
	}
	p->wants_runs = p->wants_steps = p->wants_signals = p->wants_events = p->wants_values = false;
}

void pt_selection_config(struct pt_pipeline *p, uint16_t source, const struct pt_config *config)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->config != NULL)
			p->selected[i].ops->config(p->selected[i].analysis, source, config);
}

void pt_selection_runs(struct pt_pipeline *p, const struct pt_run *run, size_t n, uint16_t core,
		       struct pt_timestamp from)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->runs != NULL)
			p->selected[i].ops->runs(p->selected[i].analysis, run, n, core, from);
}

void pt_selection_window(struct pt_pipeline *p, uint16_t core, const struct pt_time_window *window)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->window != NULL)
			p->selected[i].ops->window(p->selected[i].analysis, core, window);
}

void pt_selection_steps(struct pt_pipeline *p, const struct pt_call_event *step, size_t n)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].steps)
			p->selected[i].ops->steps(p->selected[i].analysis, step, n);
}

/* --- compact runs go to the analyses that take them; the others get each run */

void pt_selection_piece(struct pt_pipeline *p, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from)
{
	struct pt_run run[PT_PIECE_PAIRS];
	bool made = false;

	for (size_t i = 0; i < p->n_selected; i++) {
		const struct pt_selected *c = &p->selected[i];

		if (c->ops->piece != NULL) {
			c->ops->piece(c->analysis, piece, core, from);
		} else if (c->ops->runs != NULL) {
			if (!made)
				pt_piece_runs(piece, run);
			made = true;
			c->ops->runs(c->analysis, run, piece->n_pairs, core, from);
		}
	}
}

void pt_selection_compact(struct pt_pipeline *p, const struct pt_compact_batch *batch)
{
	struct pt_call_event step[PT_BATCH_COMPACT];
	bool made = false;

	for (size_t i = 0; i < p->n_selected; i++) {
		const struct pt_selected *c = &p->selected[i];

		if (!c->steps)
			continue;
		if (c->ops->compact != NULL) {
			c->ops->compact(c->analysis, batch);
			continue;
		}
		for (size_t k = 0; k < batch->n_compact && !made; k++)
			step[k] = pt_compact_call_event(batch, k);
		made = true;
		c->ops->steps(c->analysis, step, batch->n_compact);
	}
}

void pt_selection_signals(struct pt_pipeline *p, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->signals != NULL)
			p->selected[i].ops->signals(p->selected[i].analysis, signal, n);
}

void pt_selection_event(struct pt_pipeline *p, const struct pt_event *event, const struct pt_timestamp *at)
{
	bool of_value = event->kind == PT_EV_VALUE || event->kind == PT_EV_VALUE_PC;

	if (of_value ? !p->wants_values : !p->wants_events)
		return;
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->events != NULL && (!of_value || p->selected[i].ops->takes_values))
			p->selected[i].ops->events(p->selected[i].analysis, event, at, 1);
}

void pt_selection_batch_end(struct pt_pipeline *p, uint16_t source)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->batch_end != NULL)
			p->selected[i].ops->batch_end(p->selected[i].analysis, source);
}

void pt_selection_blind(struct pt_pipeline *p, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->blind != NULL)
			p->selected[i].ops->blind(p->selected[i].analysis, core, cause, from_ns, to_ns);
}

void pt_selection_seen(struct pt_pipeline *p, uint16_t source, uint64_t upto_ns)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->seen != NULL)
			p->selected[i].ops->seen(p->selected[i].analysis, source, upto_ns);
}

void pt_selection_begins(struct pt_pipeline *p, uint16_t source, uint64_t from_ns)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops->begins != NULL)
			p->selected[i].ops->begins(p->selected[i].analysis, source, from_ns);
}

void pt_selection_result(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_selected; i++)
		p->selected[i].ops->result(p->selected[i].analysis, &p->profile);
}

void pt_selection_result_of(struct pt_pipeline *p, const struct pt_analysis *ops)
{
	for (size_t i = 0; i < p->n_selected; i++)
		if (p->selected[i].ops == ops)
			ops->result(p->selected[i].analysis, &p->profile);
}
