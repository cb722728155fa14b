#include "cli/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "capture/write.h"
#include "pipeline/pipeline.h"
#include "probes/registry.h"
#include "probes/wires/jtag_chain.h"
#include "program/model/settings.h"
#include "session/session.h"
#include "targets/registry.h"

struct giver { pt_setting_fn *each; void *arg; };

static void give_rows(const struct giver *give, const char *kind, const char *name, const struct pt_param *rows,
		      size_t n_rows)
{
	char whose[80];

	snprintf(whose, sizeof(whose), "%s%s%s", kind, name[0] != '\0' ? " " : "", name);
	for (size_t i = 0; i < n_rows; i++)
		give->each(give->arg, whose, &rows[i]);
}

/* A source of several targets is listed with the first of them. */
static bool is_of_earlier_target(size_t target, const struct pt_source_ops *source)
{
	for (size_t t = 0; t < target; t++) {
		size_t n;
		const struct pt_source_ops *const *sources = pt_targets[t]->sources(NULL, &n);

		for (size_t i = 0; i < n; i++)
			if (sources[i] == source)
				return true;
	}
	return false;
}

static void give_sources(const struct giver *give)
{
	for (size_t t = 0; t < pt_n_targets; t++) {
		size_t n;
		const struct pt_source_ops *const *sources = pt_targets[t]->sources(NULL, &n);

		for (size_t i = 0; i < n; i++) {
			char whose[60];

			if (is_of_earlier_target(t, sources[i]))
				continue;
			snprintf(whose, sizeof(whose), "%s of target %s", sources[i]->name, pt_targets[t]->name);
			give_rows(give, "source", whose, sources[i]->params, sources[i]->n_params);
		}
	}
}

void pt_settings_each(pt_setting_fn *each, void *arg)
{
	const struct giver give = { each, arg };
	const struct pt_param *row;

	for (size_t i = 0; (row = pt_session_param(i)) != NULL; i++)
		give_rows(&give, "every profile", "", row, 1);
	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		give_rows(&give, "every profile", "", row, 1);
	give_rows(&give, "captures", "", pt_capture_params, pt_n_capture_params);
	give_rows(&give, "the program", "", pt_program_params, PT_N_PROGRAM_PARAMS);
	give_sources(&give);
	for (size_t i = 0; i < pt_n_targets; i++)
		give_rows(&give, "target", pt_targets[i]->name, pt_targets[i]->params, pt_targets[i]->n_params);
	give_rows(&give, "any probe", "", pt_probe_params, pt_n_probe_params);
	give_rows(&give, "JTAG", "", pt_jtag_params, pt_n_jtag_params);
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		give_rows(&give, "probe", pt_probe_drivers[i]->name, pt_probe_drivers[i]->params,
			  pt_probe_drivers[i]->n_params);
}

struct asked {
	const char *key, *word;
	bool known, taken;
	struct pt_err why;		/* of the last table that refused it */
	struct pt_nearest near;
};

static void ask(void *arg, const char *whose, const struct pt_param *row)
{
	struct asked *a = arg;
	struct pt_params *scratch;

	(void)whose;
	pt_nearest_offer(&a->near, row->key);
	if (strcmp(row->key, a->key) != 0)
		return;
	scratch = pt_params_new();
	a->known = true;
	a->taken |= pt_params_add(scratch, row, 1, a->word, &a->why) == 0;
	pt_params_free(scratch);
}

int pt_setting_check(const char *key, const char *value, struct pt_err *err)
{
	char word[300], question[PT_NEAREST_QUESTION];
	struct asked a = { .key = key, .word = word };

	if ((size_t)snprintf(word, sizeof(word), "%s=%s", key, value) >= sizeof(word))
		snprintf(word, sizeof(word), "%s=", key);	/* a longer key is a list of names */
	pt_nearest_init(&a.near, key, strlen(key));
	pt_settings_each(ask, &a);
	if (!a.known)
		return pt_fail(err, PT_EARG,
			       "there is no option or setting '%.60s'%s`proftap manual settings` lists them", key,
			       pt_nearest_question(&a.near, question, sizeof(question)));
	if (a.taken || strlen(key) + strlen(value) + 1 >= sizeof(word))
		return 0;
	*err = a.why;
	return a.why.code;
}
