/* monitor profile start, stop, status, reset, report, and sources: the session's requests, one to one. */
#include <string.h>

#include "gdbstub/monitor.h"

static bool no_words(struct pt_monitor_call *call)
{
	if (call->n_words == 0)
		return true;
	pt_monitor_fail(call, PT_EARG, "%s takes no words: \"%.40s\"", call->word->name, call->words[0]);
	return false;		/* the call is gone */
}

static void start(struct pt_monitor_call *call)
{
	pt_session_start(pt_monitor_session(call), call->words, call->n_words, pt_monitor_session_reply, call);
}

static void stop(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_stop(pt_monitor_session(call), pt_monitor_session_reply, call);
}

static void status(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_status(pt_monitor_session(call), pt_monitor_session_reply, call);
}

static void reset(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_reset(pt_monitor_session(call), pt_monitor_session_reply, call);
}

static void report(struct pt_monitor_call *call)
{
	struct pt_query query = { 0 };
	struct pt_err err;

	if (pt_query_parse(&query, call->words, call->n_words, &err) < 0)
		pt_monitor_fail(call, PT_EARG, "profile report: %s", err.msg);
	else
		pt_session_report(pt_monitor_session(call), &query, pt_monitor_session_reply, call);
}

static void sources(struct pt_monitor_call *call)
{
	if (no_words(call))
		pt_session_sources(pt_monitor_session(call), pt_monitor_session_reply, call);
}

const struct pt_monitor_word pt_monitor_profile_words[] = {
	{ "profile start", "[source=NAME] [mode=NAME] [KEY=VALUE...]", "profile from here on; continue lets the core run",
	  start },
	{ "profile stop", "", "stop profiling; the result stays", stop },
	{ "profile status", "", "what is being profiled, and how much was seen and lost", status },
	{ "profile reset", "", "forget the statistics, go on profiling", reset },
	{ "profile report", "[VIEW] [sort=KEY] [top=N]", "print a table: functions (default), calls", report },
	{ "sources", "", "what this chip can be profiled by, with the settings", sources },
	{ 0 },
};
