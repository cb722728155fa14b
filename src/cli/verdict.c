#include "cli/verdict.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"

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

int pt_verdict_of_loss(const struct pt_options *options, double lost)
{
	if (options->max_loss < 0.0 || lost <= options->max_loss)
		return PT_EXIT_DONE;
	if (lost >= 1)
		pt_error("--max-loss %.4g %%: all of the trace may be missing; report details has the causes",
			 options->max_loss * 100);
	else
		pt_error("--max-loss %.4g %%: %.4g %% of the trace was lost; report details has the causes",
			 options->max_loss * 100, lost * 100);
	return PT_EXIT_LOSS;
}

static bool is_plain(const struct pt_options *options)
{
	struct stat there;

	return options->junit != NULL && stat(options->junit, &there) == 0 && S_ISREG(there.st_mode) &&
	       (options->replace || !pt_output_is_capture(options->junit));
}

void pt_verdict_forget(const struct pt_options *options)
{
	if (is_plain(options))
		unlink(options->junit);
}

static bool is_there(const char *path)
{
	struct stat there;

	return stat(path, &there) == 0;
}

int pt_verdict_end(const struct pt_options *options, int status)
{
	static const char counts[] = "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\"";
	FILE *out;

	if (options->junit == NULL || strcmp(options->junit, "-") == 0 ||
	    (status != PT_EXIT_USAGE && status != PT_EXIT_DEVICE) || (is_there(options->junit) && !is_plain(options)))
		return status;
	out = fopen(options->junit, "wb");
	if (out == NULL)
		return status;		/* that was the error, and is said */
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite name=\"timing\" %s>\n"
		"    <testcase classname=\"timing.profile\" name=\"proftap\" time=\"0\">\n"
		"      <error message=\"proftap ended with exit status %d: %s; no rule is decided\" type=\"error\">Its messages "
		"on standard error say why.</error>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
		counts, counts, status, status == PT_EXIT_DEVICE ? "probe or target failed" : "wrong usage or input");
	fclose(out);
	return status;
}
