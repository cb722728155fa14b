#include "cli/verdict.h"

#include "host/log.h"
#include "cli/app.h"

int pt_verdict_status(const struct pt_options *options, size_t failed, size_t undecided)
{
	if (options->limits == NULL)
		return PT_EXIT_DONE;
	if (undecided > 0)
		pt_warn("limits: %zu cannot be decided by what was seen; the view limits says why", undecided);
	if (failed > 0)
		pt_error("limits: %zu violated; the view violations says when, and by which calls", failed);
	return failed > 0 || (undecided > 0 && !options->lenient) ? PT_EXIT_CHECK_FAILED : PT_EXIT_DONE;
}
