/* proftap diff A B: compares two captures. Each has a pipeline; the report is that of B, with the view diff, which
 * compares it with A. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "profile/diff.h"
#include "profile/result/profile.h"
#include "report/report.h"
#include "report/text/headline.h"
#include "cli/app.h"
#include "base/util.h"
#include "cli/output.h"
#include "cli/commands/rerun.h"
#include "cli/subcommands.h"

static const char threshold[] = "threshold=";	/* smaller changes, as a share of the time, are not shown */

struct pair { struct pt_rerun a, b; double threshold; };

/* --- what is asked for */

static int take_threshold(struct pair *p, const char *word, struct pt_err *err)
{
	const char *value = word + strlen(threshold);
	char *end;

	p->threshold = strtod(value, &end) / 100;
	if (end == value || strcmp(end, "%") != 0 || !(p->threshold >= 0))
		return pt_fail(err, PT_EARG, "threshold takes a percentage, such as 1%%, not %.20s", value);
	return 0;
}

static int sort_rest(struct pair *p, const struct pt_options *o, struct pt_err *err)
{
	const char *files[PT_MAX_REST], *words[PT_MAX_REST + 1] = { "diff" };
	size_t n_files = 0, n_words = 1;

	for (size_t i = 0; i < o->n_rest; i++) {
		if (strncmp(o->rest[i], threshold, strlen(threshold)) == 0) {
			if (take_threshold(p, o->rest[i], err) < 0)
				return err->code;
		} else if (pt_query_knows(o->rest[i])) {
			words[n_words++] = o->rest[i];
		} else {
			files[n_files++] = o->rest[i];
		}
	}
	if (n_files != 2)
		return pt_fail(err, PT_EARG, "diff compares two captures: proftap diff A B");
	p->a.files[0] = files[0];
	p->b.files[0] = files[1];
	p->a.n_files = p->b.n_files = 1;
	if (pt_output_query(&p->b.query, o, words, n_words, err) < 0)
		return err->code;
	p->a.query = p->b.query;
	return 0;
}

/* --- the comparison */

static void say_side(const char *side, const struct pt_profile *p)
{
	struct pt_headline headline;

	pt_headline_make(&headline, p);
	pt_info("%s: %s", side, headline.line[PT_HEADLINE_TITLE]);
	pt_info("   observed %s", headline.line[PT_HEADLINE_OBSERVED]);
	pt_info("   accuracy %s", headline.line[PT_HEADLINE_ACCURACY]);
	if (headline.line[PT_HEADLINE_WARNING][0] != '\0')
		pt_warn("%s: %s", side, headline.line[PT_HEADLINE_WARNING]);
}

/* The text format shows its sides itself. */
static void say_sides(const struct pt_profile *a, const struct pt_profile *b, const struct pt_diff *diff, bool is_text)
{
	if (!is_text) {
		say_side("A", a);
		say_side("B", b);
	}
	if (diff->different_clocks)
		pt_warn("diff: A and B count different clocks; times are not compared");
	if (a->core_hz != b->core_hz)
		pt_warn("diff: A and B have different core clocks; times are compared in cycles");
	pt_info("%zu slower, %zu faster, of %zu functions", diff->n_slower, diff->n_faster, diff->n_functions);
}

static int report(struct pair *p, struct pt_err *err)
{
	const struct pt_profile *a = pt_pipeline_profile(p->a.pipeline);
	struct pt_profile b = *pt_pipeline_profile(p->b.pipeline);
	struct pt_diff *diff = pt_diff_new(a, &b, p->threshold, err);
	struct pt_text text = { .bytes = NULL };
	int status = PT_EXIT_USAGE;

	if (diff != NULL) {
		say_sides(a, &b, diff, strcmp(p->b.query.format, "text") == 0);
		b.diff = diff;
		if (pt_report_render(&b, &p->b.query, &text, err) == 0)
			status = pt_output_write(&p->b.query, p->b.options->output, text.bytes, text.len_bytes);
	}
	if (err->code != 0)
		pt_error("%s", err->msg);
	pt_text_free(&text);
	pt_diff_free(diff);
	return status != PT_EXIT_DONE || p->a.failed || p->b.failed ? PT_EXIT_USAGE : PT_EXIT_DONE;
}

static int run_diff(const struct pt_options *options)
{
	struct pair p = { .a = { .name = "A", .options = options }, .b = { .name = "B", .options = options },
			  .threshold = 0.01 };
	struct pt_err err = { 0 };
	int status = PT_EXIT_USAGE;

	if (sort_rest(&p, options, &err) < 0)
		pt_error("%s", err.msg);
	else
		status = pt_output_try(&p.b.query, options);
	if (status != PT_EXIT_DONE)
		return status;
	if (pt_rerun(&p.a, &err) < 0 || pt_rerun(&p.b, &err) < 0) {
		pt_error("%s", err.msg);
		status = PT_EXIT_USAGE;
	} else {
		status = report(&p, &err);
	}
	pt_rerun_drop(&p.a);
	pt_rerun_drop(&p.b);
	return status;
}

const struct pt_subcommand pt_subcommand_diff = { "diff", "A B [threshold=1%] [sort=KEY]",
				      "compare two captures, function by function, with significance",
	"proftap diff before.ptcap after.ptcap --elf fw.elf\n"
	"    what became slower or faster, beyond what chance explains\n"
	"proftap diff before.ptcap after.ptcap threshold=5%\n"
	"    only changes of more than 5 %\n",
	run_diff };
