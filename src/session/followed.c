/* Variables that a recording follows, copied before the analysis thread owns the pipeline: the user may write these. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "session/session_parts.h"

static struct pt_value_name *copy_values(const struct pt_signal_definition *d)
{
	struct pt_value_name *values = d->n_values > 0 ? pt_alloc_array(d->n_values, sizeof(*values)) : NULL;

	for (size_t i = 0; i < d->n_values; i++)
		values[i] = (struct pt_value_name){ d->values[i].value, pt_strdup(d->values[i].name) };
	return values;
}

void pt_recording_follow(struct recording *recording, const struct pt_signal_set *set)
{
	recording->followed = pt_alloc_array(set->n_definitions + 1, sizeof(*recording->followed));
	for (size_t i = 0; i < set->n_definitions; i++) {
		struct pt_signal_definition *d = &recording->followed[recording->n_followed];

		if (set->definition[i].space != PT_SPACE_MEMORY || pt_signal_of_system(&set->definition[i]))
			continue;
		*d = set->definition[i];
		d->name = pt_strdup(d->name);
		d->values = copy_values(d);
		d->tasks = NULL;
		recording->n_followed++;
	}
}

void pt_recording_unfollow(struct recording *recording)
{
	for (size_t i = 0; i < recording->n_followed; i++) {
		const struct pt_signal_definition *d = &recording->followed[i];

		for (size_t k = 0; k < d->n_values; k++)
			free((char *)(uintptr_t)d->values[k].name);
		free((void *)(uintptr_t)d->values);
		free((char *)(uintptr_t)d->name);
	}
	free(recording->followed);
}

const struct pt_signal_definition *pt_recording_followed(const struct recording *recording, const char *name,
							 struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < recording->n_followed; i++) {
		if (strcmp(recording->followed[i].name, name) == 0)
			return &recording->followed[i];
		pt_nearest_offer(&near, recording->followed[i].name);
	}
	pt_fail(err, PT_EARG, "%.80s is not followed by this profile%sstart it with variables=%.80s", name,
		pt_nearest_question(&near, question, sizeof(question)), name);
	return NULL;
}
