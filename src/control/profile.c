/* monitor profile start, stop, status, reset, report, save, and sources: the session's requests, one to one. */
#include <string.h>

#include "capture/write.h"
#include "gdbstub/packets/rights.h"
#include "report/report.h"
#include "report/views/views.h"
#include "session/recorder.h"
#include "pipeline/pipeline.h"

static bool no_words(struct pt_monitor_call *call)
{
	if (call->n_words == 0)
		return true;
	pt_monitor_fail(call, PT_EARG, "%s takes no words: \"%.40s\"", call->word->name, call->words[0]);
	return false;		/* the call is gone */
}

int pt_monitor_take_query(struct pt_monitor_call *call, size_t first, struct pt_query *query, struct pt_err *err)
{
	const struct pt_gdbstub *stub = call->client->stub;
	const char *words[PT_MONITOR_MAX_WORDS];
	size_t n = 0, kept = first;

	for (size_t i = first; i < call->n_words; i++) {
		if (pt_query_knows(call->words[i]))
			words[n++] = call->words[i];
		else
			call->words[kept++] = call->words[i];
	}
	if (pt_query_parse(query, words, n, err) < 0)
		return err->code;
	call->n_words = kept;
	if (!query->top_given && stub->top_given) {
		query->top = stub->top;
		query->top_given = true;
	}
	return 0;
}

/* top=N is for the reports that come. */
static void start(struct pt_monitor_call *call)
{
	struct pt_gdbstub *stub = call->client->stub;
	struct pt_query query;
	struct pt_err err;

	stub->top_given = false;
	if (pt_monitor_take_query(call, 0, &query, &err) < 0) {
		pt_monitor_fail(call, PT_EARG, "profile start: %s", err.msg);
		return;
	}
	if (!pt_monitor_name_files(call))
		return;
	stub->top = query.top;
	stub->top_given = query.top_given;
	pt_recorder_start_profile(stub, call->words, call->n_words, pt_monitor_session_reply, call);
}

static void stop(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_recorder_stop_profile(call->client->stub, pt_monitor_session_reply, call);
}

static void on_summary(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_monitor_call *call = arg;

	if (rc == 0)		/* else there is nothing to sum up, and the status has said so */
		pt_text_bytes(&call->out, text, len_bytes);
	pt_monitor_done(call, 0, NULL);
}

static void on_status(void *arg, int rc, const char *text, size_t len_bytes)
{
	static const char *const words[] = { "format=summary" };
	struct pt_monitor_call *call = arg;
	struct pt_session *session = pt_monitor_session(call);
	struct pt_query query;
	struct pt_err err;

	if (rc < 0 || pt_session_get_state(session) == PT_SESSION_STARTING ||
	    pt_query_parse(&query, words, 1, &err) < 0) {
		pt_monitor_session_reply(arg, rc, text, len_bytes);
		return;
	}
	pt_text_bytes(&call->out, text, len_bytes);
	if (len_bytes > 0 && text[len_bytes - 1] != '\n')
		pt_text_add(&call->out, "\n");
	pt_session_report(session, &query, on_summary, call);
}

void pt_monitor_profile_status(struct pt_monitor_call *call)
{
	pt_session_status(pt_monitor_session(call), on_status, call);
}

static void status(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_monitor_profile_status(call);
}

static void reset(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_reset(pt_monitor_session(call), pt_monitor_session_reply, call);
}

static bool is_binary(const char *name)
{
	const struct pt_format *format = pt_format_find(name);

	return format != NULL && format->binary;
}

static void report(struct pt_monitor_call *call)
{
	struct pt_query query = { 0 };
	struct pt_err err;

	if (pt_monitor_take_query(call, 0, &query, &err) < 0 ||
	    (call->n_words > 0 && pt_query_parse(&query, call->words, call->n_words, &err) < 0))
		pt_monitor_fail(call, PT_EARG, "profile report: %s", err.msg);
	else if (is_binary(query.format))
		pt_monitor_fail(call, PT_EARG,
				"profile report: %s is no text; monitor profile save FILE, and then: proftap "
				"decode FILE --format %s -o OUT",
				query.format, query.format);
	else
		pt_session_report(pt_monitor_session(call), &query, pt_monitor_session_reply, call);
}

static void say_line(void *arg, const char *line)
{
	pt_monitor_say(arg, "%s", line);
}

static void start_details(struct pt_monitor_call *call)
{
	pt_monitor_say(call, "keys of every profile (monitor sources: those of each source):");
	for (size_t i = 0; pt_pipeline_param(i) != NULL; i++)
		pt_params_help(pt_pipeline_param(i), 1, say_line, call);
	pt_params_help(pt_capture_params, pt_n_capture_params, say_line, call);
}

static void report_details(struct pt_monitor_call *call)
{
	pt_monitor_say(call, "views:");
	for (size_t i = 0; pt_views[i] != NULL; i++)
		pt_monitor_say(call, "  %-12s %s%s", pt_views[i]->name, pt_views[i]->help, i == 0 ? " (standard)" : "");
	pt_monitor_say(call, "formats (format=NAME):");
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		pt_monitor_say(call, "  %-12s %s%s", pt_formats[i]->name, pt_formats[i]->help,
			       i == 0 ? " (standard)" : "");
	pt_monitor_say(call, "sort=KEY: a column, such as net, gross, count, max, name; top=0: all rows");
}

static void save(struct pt_monitor_call *call)
{
	const char *name;

	if (call->n_words != 1) {
		pt_monitor_fail(call, PT_EARG, "profile save FILE: one name, of a file on the host where proftap runs");
		return;
	}
	name = pt_monitor_name_file(call, call->words[0]);
	if (name != NULL)
		pt_session_save(pt_monitor_session(call), name, pt_monitor_session_reply, call);
}

static void sources(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_sources(pt_monitor_session(call), pt_monitor_session_reply, call);
}

const struct pt_monitor_word pt_monitor_profile_words[] = {
	{ "profile start", "[source=NAME] [mode=NAME] [KEY=VALUE...] [top=N]",
	  "profile from here on; continue lets the core run (keys: help profile start)", start, start_details,
	  PT_MONITOR_CHANGES },
	{ "profile stop", "", "stop profiling; the result stays", stop, NULL, PT_MONITOR_CHANGES },
	{ "profile status", "", "what is being profiled, and how much was seen and lost", status, NULL, 0 },
	{ "profile reset", "", "forget the statistics, go on profiling", reset, NULL, PT_MONITOR_CHANGES },
	{ "profile report", "[VIEW] [sort=KEY] [top=N] [format=NAME]",
	  "print a table: of functions, or another view (help profile report lists them)", report, report_details, 0 },
	{ "profile save", "FILE", "write the trace so far to FILE, for proftap decode", save, NULL, 0 },
	{ "sources", "", "what this chip can be profiled by, with the settings", sources, NULL, 0 },
	{ 0 },
};
