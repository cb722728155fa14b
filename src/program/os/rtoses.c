/* The list of recipes, and which of them fits a program. To add one: a file, and one word in PT_RTOSES
 * (rtos_parts.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/os/rtos_parts.h"

static const struct pt_rtos_ops *const recipes[] = {
#define X(os) &pt_rtos_##os##_ops,
	PT_RTOSES(X)
#undef X
};

struct pt_rtos *pt_rtos_detect(struct pt_types *types, struct pt_err *err)
{
	struct pt_rtos *rtos = pt_alloc(sizeof(*rtos));
	char names[160] = "";

	for (size_t i = 0; i < PT_LEN(recipes); i++) {
		size_t len = strlen(names);

		*rtos = (struct pt_rtos){ .ops = recipes[i], .types = types };
		if (recipes[i]->find(rtos) && rtos->n_cores > 0)
			return rtos;
		snprintf(names + len, sizeof(names) - len, "%s%s", len > 0 ? ", " : "", recipes[i]->name);
	}
	free(rtos);
	pt_fail(err, PT_EARG,
		"the symbols of the ELF are of no operating system known here (%s); an ORTI file describes "
		"any",
		names);
	return NULL;
}
