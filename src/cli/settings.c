#include "cli/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/params.h"
#include "capture/write.h"
#include "pipeline/pipeline.h"
#include "probes/registry.h"
#include "probes/wires/jtag_chain.h"
#include "program/model/settings.h"
#include "targets/registry.h"

struct asked {
	const char *key, *word;
	bool known, taken;
	struct pt_err why;		/* of the last that refused it */
};

static void ask(struct asked *a, const struct pt_param *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		struct pt_params *scratch;

		if (strcmp(rows[i].key, a->key) != 0)
			continue;
		scratch = pt_params_new();
		a->known = true;
		a->taken |= pt_params_add(scratch, &rows[i], 1, a->word, &a->why) == 0;
		pt_params_free(scratch);
	}
}

int pt_setting_check(const char *key, const char *value, bool *known, struct pt_err *err)
{
	char word[300];
	struct asked a = { .key = key, .word = word };
	const struct pt_param *row;

	if ((size_t)snprintf(word, sizeof(word), "%s=%s", key, value) >= sizeof(word))
		snprintf(word, sizeof(word), "%s=", key);	/* longer than any that is looked at here: a list of names */
	ask(&a, pt_probe_params, pt_n_probe_params);
	ask(&a, pt_jtag_params, pt_n_jtag_params);
	ask(&a, pt_program_params, PT_N_PROGRAM_PARAMS);
	ask(&a, pt_capture_params, pt_n_capture_params);
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		ask(&a, pt_probe_drivers[i]->params, pt_probe_drivers[i]->n_params);
	for (size_t i = 0; i < pt_n_targets; i++)
		ask(&a, pt_targets[i]->params, pt_targets[i]->n_params);
	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		ask(&a, row, 1);
	if (known != NULL)
		*known = a.known;
	if (!a.known || a.taken || strlen(key) + strlen(value) + 1 >= sizeof(word))
		return 0;
	*err = a.why;
	return a.why.code;
}
