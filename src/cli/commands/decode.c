/* proftap decode FILE...: analyses captures, or files of other instruments, without hardware. With the settings and the
 * ELF of the capture's HEAD the report equals the live one byte for byte; settings of the command line override
 * them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "host/log.h"
#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/commands/rerun.h"
#include "cli/verdict.h"
#include "cli/subcommands.h"
#include "report/laws/laws.h"
#include "report/report.h"

/* A word after the file that is not a file itself is taken for the name of a view, so that the error lists the
 * views. */
static bool is_word(const struct pt_rerun *r, const char *text)
{
	return pt_query_knows(text) || (r->n_files > 0 && strcmp(text, "-") != 0 && strpbrk(text, "./?") == NULL);
}

static int sort_rest(struct pt_rerun *r, struct pt_err *err)
{
	const struct pt_options *o = r->options;
	const char *words[PT_MAX_REST];
	size_t n_words = 0;

	for (size_t i = 0; i < o->n_rest; i++) {
		if (is_word(r, o->rest[i]) && access(o->rest[i], F_OK) != 0)
			words[n_words++] = o->rest[i];
		else
			r->files[r->n_files++] = o->rest[i];
	}
	if (r->n_files == 0)
		return pt_fail(err, PT_EARG, "%s needs a capture file: proftap %s FILE...", r->name, r->name);
	return pt_output_query(&r->query, o, words, n_words, err);
}

/* Several files are what several instruments recorded of one run. Rules would be judged by one of two recordings, or by
 * what both are together. */
static int refuse_recordings(const struct pt_rerun *r, struct pt_err *err)
{
	const char *captures[2] = { NULL, NULL };
	size_t n = 0;

	for (size_t i = 0; i < r->n_files; i++)
		if (pt_output_is_capture(r->files[i]) && n < PT_LEN(captures))
			captures[n++] = r->files[i];
	if (n < 2)
		return 0;
	return pt_fail(err, PT_EARG,
		       "%.120s and %.120s are two recordings: rules are judged by one, so check each by itself (beside "
		       "it there may be files of other instruments)",
		       captures[0], captures[1]);
}

/* Both would be judged by the first. */
static int refuse_second_trace(const struct pt_rerun *r, const struct pt_profile *profile)
{
	for (size_t i = 0; r->options->limits != NULL && r->n_files > 1 && i < profile->n_sources; i++)
		if (profile->sources[i].ignored == PT_SOURCE_SECOND) {
			pt_error(
				"%s: the files have two traces of core %u, and rules are judged by one: name one of them",
				r->name, profile->sources[i].core);
			return PT_EXIT_USAGE;
		}
	return PT_EXIT_DONE;
}

static int write_one(const struct pt_profile *profile, const struct pt_query *query, const char *path,
		     struct pt_err *err)
{
	struct pt_text text = { .bytes = NULL };
	int status = PT_EXIT_USAGE;

	if (pt_report_render(profile, query, &text, err) < 0)
		pt_error("%s", err->msg);
	else
		status = pt_output_write(query, path, text.bytes != NULL ? text.bytes : "", text.len_bytes);
	pt_text_free(&text);
	return status;
}

static int report(struct pt_rerun *r, struct pt_err *err)
{
	const struct pt_query junit = { .format = "junit", .lenient = r->options->lenient };
	const struct pt_profile *profile = pt_pipeline_profile(r->pipeline);
	int status = refuse_second_trace(r, profile);

	if (status == PT_EXIT_DONE)
		status = write_one(profile, &r->query, r->options->output, err);

	if (status == PT_EXIT_DONE && r->options->junit != NULL)
		status = write_one(profile, &junit, r->options->junit, err);
	if (status == PT_EXIT_DONE && profile->limits != NULL)
		status = pt_verdict_status(r->options, profile->limits->n_failed, profile->limits->n_undecided);
	if (status == PT_EXIT_DONE && r->failed)
		return PT_EXIT_USAGE;
	return status == PT_EXIT_DONE ? pt_verdict_of_loss(r->options, pt_profile_lost_share(profile)) : status;
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

struct laws { struct pt_text text; enum pt_law said; };

static void say_law(void *arg, enum pt_law law, const char *sentence, const char *excepted)
{
	struct laws *laws = arg;

	for (; laws->said < law; laws->said++)
		pt_text_add(&laws->text, "%-8s holds\n", pt_law_name(laws->said));
	laws->said = law + 1;
	pt_text_add(&laws->text, "%-8s %s: %s%s%s\n", pt_law_name(law), excepted != NULL ? "excepted" : "violated",
		    sentence, excepted != NULL ? "; " : "", excepted != NULL ? excepted : "");
}

static int self_check(struct pt_rerun *r)
{
	struct laws laws = { .said = PT_LAW_SUMS };
	size_t n = pt_laws_check(pt_pipeline_profile(r->pipeline), r->clock, say_law, &laws);
	int status;

	n += pt_laws_check_halves(pt_pipeline_profile(r->halves->pipeline[0]),
				  pt_pipeline_profile(r->halves->pipeline[1]), say_law, &laws);
	for (; laws.said < PT_N_LAWS; laws.said++)
		pt_text_add(&laws.text, "%-8s holds\n", pt_law_name(laws.said));
	status = pt_output_write(&r->query, r->options->output, laws.text.bytes, laws.text.len_bytes);
	pt_text_free(&laws.text);
	return status == PT_EXIT_DONE && n > 0 ? PT_EXIT_CHECK_FAILED : status;
}

int pt_decode_as(const char *subcommand, const struct pt_options *options)
{
	struct pt_law_clock clock = { 0 };
	struct pt_halves halves = { 0 };
	struct pt_rerun r = { .name = subcommand, .options = options, .clock = &clock };
	struct pt_err err = { 0 };
	int status = PT_EXIT_USAGE;

	if (sort_rest(&r, &err) < 0)
		pt_error("%s", err.msg);
	else
		status = pt_output_try(&r.query, options);
	if (status != PT_EXIT_DONE)
		return status;
	if (options->limits != NULL && refuse_recordings(&r, &err) < 0) {
		pt_error("%s", err.msg);
		return PT_EXIT_USAGE;
	}
	if (options->self_check)
		r.halves = &halves;
	if (pt_rerun(&r, &err) < 0) {
		pt_error("%s", err.msg);
		status = PT_EXIT_USAGE;
	} else {
		status = options->self_check ? self_check(&r) : report(&r, &err);
	}
	pt_halves_fini(&halves);
	pt_rerun_drop(&r);
	return status;
}

static int run_decode(const struct pt_options *options)
{
	struct pt_options all = *options;

	if (options->self_check && options->analysis == NULL)
		all.analysis = "all";
	if (options->self_check)
		return pt_decode_as("decode", &all);
	return pt_decode_as("decode", options);
}

const struct pt_subcommand pt_subcommand_decode = { "decode", "FILE... [VIEW] [sort=KEY] [top=N]",
					"report on captures and files of other instruments",

	"proftap decode run.ptcap calls top=10 --elf fw.elf\n"
	"    who calls what, from what profile --capture run.ptcap wrote\n"
	"proftap decode trace.swo exceptions --set input=swo --set swo-clock=168M\n"
	"    what another program received from pin SWO\n",
	run_decode };
