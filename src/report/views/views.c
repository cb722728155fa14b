/* The list of views. To add a view: a file, and one word here. The first is the default. */
#include <string.h>

#include "report/views/views.h"

#define PT_VIEWS(X) \
	X(functions) \
	X(calls) \
	X(tree) \
	X(lines) \
	X(instructions) \
	X(inlines) \
	X(coverage) \
	X(tasks) \
	X(task_functions) \
	X(spans) \
	X(ranges) \
	X(signalled) \
	X(irqs) \
	X(exceptions) \
	X(exceptions_sum) \
	X(cof) \
	X(data) \
	X(writers) \
	X(watch) \
	X(aux) \
	X(counters) \
	X(durations) \
	X(events) \
	X(bins) \
	X(addresses) \
	X(series) \
	X(timeline) \
	X(diff) \
	X(limits) \
	X(violations) \
	X(gaps)

#define X(view) extern const struct pt_view pt_view_##view;
PT_VIEWS(X)
#undef X

const struct pt_view *const pt_views[] = {
#define X(view) &pt_view_##view,
	PT_VIEWS(X)
#undef X
	NULL,
};

const struct pt_view *pt_view_find(const char *name)
{
	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (strcmp(pt_views[i]->name, name) == 0)
			return pt_views[i];
	return NULL;
}
