/* monitor profile start, stop, status, reset, report, save, and sources: each is a request of the session. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/write.h"
#include "report/report.h"
#include "report/views/views.h"
#include "control/commands.h"
#include "pipeline/pipeline.h"

void pt_command_fit(const struct pt_command *cmd, struct pt_query *query)
{
	if (cmd->ctx->ops->fit != NULL)
		cmd->ctx->ops->fit(cmd->ctx->door, query);
}

int pt_command_take_query(struct pt_command *cmd, size_t first, struct pt_query *query, struct pt_err *err)
{
	const char *words[PT_COMMAND_WORDS];
	size_t n = 0, kept = first;

	for (size_t i = first; i < cmd->n_words; i++) {
		if (pt_query_knows(cmd->words[i]))
			words[n++] = cmd->words[i];
		else
			cmd->words[kept++] = cmd->words[i];
	}
	if (pt_query_parse(query, words, n, err) < 0)
		return err->code;
	cmd->n_words = kept;
	pt_session_default_top(cmd->ctx->session, query);
	pt_command_fit(cmd, query);
	return 0;
}

bool pt_command_is_text(struct pt_command *cmd, const struct pt_query *query)
{
	const struct pt_format *format = pt_format_find(query->format);

	if (format == NULL || !format->binary)
		return true;
	if (cmd->ctx->ops->is_single)
		pt_command_fail(cmd, PT_EARG, "%s: %s is no text; type proftap profile --for 2s --format %s -o OUT",
				cmd->row.name, query->format, query->format);
	else
		pt_command_fail(
			cmd, PT_EARG,
			"%s: %s is no text; %s profile save FILE, and then: proftap decode FILE --format %s -o OUT",
			cmd->row.name, query->format, cmd->ctx->ops->name, query->format);
	return false;
}

/* Cancels a start while the capture file is being opened: its disk may not answer. */
void pt_command_cancel_start(struct pt_command *cmd)
{
	pt_session_cancel_start(cmd->ctx->session);
}

/* --- for how long ------------------------------------------------------------------------------------------------- */

static bool looks_like_a_time(const char *word)
{
	return strncmp(word, "for=", 4) == 0 || (word[0] >= '0' && word[0] <= '9') || word[0] == '.';
}

static bool is_number(const char *word)
{
	return strspn(word, "0123456789.") == strlen(word);
}

const char *pt_command_take_time(struct pt_command *cmd)
{
	size_t i = 0, taken = 1;
	const char *time;

	while (i < cmd->n_words && !looks_like_a_time(cmd->words[i]))
		i++;
	if (i == cmd->n_words)
		return NULL;
	time = cmd->words[i] + (strncmp(cmd->words[i], "for=", 4) == 0 ? 4 : 0);
	taken += is_number(time) && i + 1 < cmd->n_words && pt_params_is_unit_of_time(cmd->words[i + 1]);
	snprintf(cmd->time, sizeof(cmd->time), "%.30s%s", time, taken > 1 ? cmd->words[i + 1] : "");
	cmd->n_words -= taken;
	memmove(cmd->words + i, cmd->words + i + taken, (cmd->n_words - i) * sizeof(cmd->words[0]));
	return cmd->time;
}

/* Adds cmd->time as the session reads it, after the other settings. */
static int put_time(struct pt_command *cmd, const char *time, struct pt_err *err)
{
	uint64_t ns;

	if (pt_params_parse_seconds(time, &ns, err) < 0)
		return pt_wrap(err, "for");
	if (ns == 0)
		return pt_fail(err, PT_EARG, "for=%.20s is no time at all; for instance: for=2s", time);
	snprintf(cmd->time, sizeof(cmd->time), "for=%" PRIu64 "ns", ns);
	cmd->words[cmd->n_words++] = cmd->time;
	return 0;
}

/* --- start and stop ------------------------------------------------------------------------------------------------ */

static void on_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	static const char itself[] =
		"it stops by itself once the core has run for so long: profile stop or report shows it";
	struct pt_command *cmd = arg;
	size_t first = 0;

	if (rc == 0 && cmd->time[0] != '\0') {
		while (first < len_bytes && text[first++] != '\n')
			;
		pt_text_bytes(&cmd->out, text, first);
		pt_command_say(cmd, "%s", itself);
	}
	pt_command_session_reply(arg, rc, text + first, len_bytes - first);
}

static void start_now(struct pt_command *cmd)
{
	cmd->cancel = pt_command_cancel_start;
	pt_recorder_start_profile(cmd->ctx->recorder, cmd->words, cmd->n_words, on_started, cmd);
}

/* top=N is kept for later reports. */
static void start(struct pt_command *cmd)
{
	const char *time = pt_command_take_time(cmd);
	struct pt_query query = { 0 };
	struct pt_err err;

	if (cmd->ctx->ops->is_single && time == NULL) {
		pt_command_fail(cmd, PT_EARG,
				"profile start: the profile would end with this command; %s profile run 2s "
				"profiles for 2 s and reports",
				cmd->ctx->ops->name);
		return;
	}
	if (cmd->ctx->ops->is_single) {
		pt_command_run_for(cmd, time);
		return;
	}
	pt_session_set_top(cmd->ctx->session, &query);	/* none */
	if ((time != NULL && put_time(cmd, time, &err) < 0) || pt_command_take_query(cmd, 0, &query, &err) < 0) {
		pt_command_fail(cmd, PT_EARG, "profile start: %s", err.msg);
		return;
	}
	if (!pt_command_name_files(cmd))
		return;
	pt_session_set_top(cmd->ctx->session, &query);
	pt_command_find_program(cmd, start_now);
}

static void on_first_rows(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;

	if (rc == 0)		/* otherwise the profile has stopped too, and profile report gives the reason */
		pt_text_bytes(&cmd->out, text, len_bytes);
	pt_command_done(cmd, 0, NULL);
}

/* Adds the report: most users ask for it next. */
static void on_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;
	struct pt_query query = { 0 };

	if (rc < 0) {
		pt_command_session_reply(arg, rc, text, len_bytes);
		return;
	}
	pt_text_bytes(&cmd->out, text, len_bytes);
	if (len_bytes > 0 && text[len_bytes - 1] != '\n')
		pt_text_add(&cmd->out, "\n");
	pt_session_default_top(cmd->ctx->session, &query);
	pt_command_fit(cmd, &query);
	query.first = PT_COMMAND_FIRST_ROWS;
	pt_session_report(cmd->ctx->session, &query, on_first_rows, cmd);
}

/* At a door where each command has its own session there is no earlier profile. */
static bool has_session(struct pt_command *cmd)
{
	const char *door = cmd->ctx->ops->name, *first = cmd->n_words > 0 ? cmd->words[0] : "";
	bool saves = strcmp(cmd->row.name, "profile save") == 0;

	if (!cmd->ctx->ops->is_single)
		return true;
	if (saves)
		pt_command_fail(
			cmd, PT_ESTATE,
			"profile save: each %s command is a session of its own, and this one has profiled nothing; "
			"type proftap profile --for 2s --capture %s",
			door, first[0] != '\0' ? first : "FILE");
	else
		pt_command_fail(cmd, PT_ESTATE,
				"%s: each %s command is a session of its own, and this one has profiled nothing; type "
				"%s profile run 2s%s%s",
				cmd->row.name, door, door, first[0] != '\0' ? " " : "", first);
	return false;
}

static void stop(struct pt_command *cmd)
{
	if (pt_command_no_words(cmd) && has_session(cmd))
		pt_recorder_stop_profile(cmd->ctx->recorder, on_stopped, cmd);
}

static void on_summary(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;

	if (rc == 0)		/* otherwise nothing can be summed up, and the status says so */
		pt_text_bytes(&cmd->out, text, len_bytes);
	pt_command_done(cmd, 0, NULL);
}

static void on_status(void *arg, int rc, const char *text, size_t len_bytes)
{
	static const char *const words[] = { "format=summary" };
	struct pt_command *cmd = arg;
	struct pt_session *session = cmd->ctx->session;
	struct pt_query query;
	struct pt_err err;

	if (rc < 0 || pt_session_get_state(session) == PT_SESSION_STARTING ||
	    pt_query_parse(&query, words, 1, &err) < 0) {
		pt_command_session_reply(arg, rc, text, len_bytes);
		return;
	}
	pt_text_bytes(&cmd->out, text, len_bytes);
	if (len_bytes > 0 && text[len_bytes - 1] != '\n')
		pt_text_add(&cmd->out, "\n");
	pt_command_fit(cmd, &query);
	pt_session_report(session, &query, on_summary, cmd);
}

void pt_command_profile_status(struct pt_command *cmd)
{
	pt_session_status(cmd->ctx->session, on_status, cmd);
}

static void status(struct pt_command *cmd)
{
	if (pt_command_no_words(cmd))
		pt_command_profile_status(cmd);
}

static void reset(struct pt_command *cmd)
{
	if (pt_command_no_words(cmd) && has_session(cmd))
		pt_session_reset(cmd->ctx->session, pt_command_session_reply, cmd);
}

static void report(struct pt_command *cmd)
{
	struct pt_query query = { 0 };
	struct pt_err err;

	if (pt_query_parse(&query, cmd->words, cmd->n_words, &err) < 0) {
		pt_command_fail(cmd, PT_EARG, "profile report: %s", err.msg);
		return;
	}
	if (!has_session(cmd))
		return;
	pt_session_default_top(cmd->ctx->session, &query);
	pt_command_fit(cmd, &query);
	if (pt_command_is_text(cmd, &query))
		pt_session_report(cmd->ctx->session, &query, pt_command_session_table, cmd);
}

const struct pt_param *pt_command_start_param(size_t i)
{
	size_t n = 0;

	while (pt_pipeline_param(n) != NULL)
		n++;
	return i < n ? pt_pipeline_param(i) : i - n < pt_n_capture_params ? &pt_capture_params[i - n] : NULL;
}

void pt_command_start_details(struct pt_command *cmd)
{
	pt_command_say(cmd, "keys of every profile (%s sources: those of each source):", cmd->ctx->ops->name);
}

static void report_details(struct pt_command *cmd)
{
	pt_command_say(cmd, "views:");
	for (size_t i = 0; pt_views[i] != NULL; i++)
		pt_command_say(cmd, "  %-12s %s%s", pt_views[i]->name, pt_views[i]->help, i == 0 ? " (default)" : "");
	pt_command_say(cmd, "formats (format=NAME):");
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		pt_command_say(cmd, "  %-12s %s%s", pt_formats[i]->name, pt_formats[i]->help,
			       i == 0 ? " (default)" : "");
	pt_command_say(cmd,
		       "sort=KEY: the heading of a column, such as self, total, count, max, function; top=0: all rows");
}

static void save(struct pt_command *cmd)
{
	const char *name;
	bool replace = cmd->n_words == 2 && strcmp(cmd->words[1], "replace") == 0;

	if (cmd->n_words != 1 && !replace) {
		pt_command_fail(cmd, PT_EARG,
				"profile save FILE [replace]: one name, of a file on the host where proftap runs");
		return;
	}
	if (!has_session(cmd))
		return;
	name = pt_command_name_file(cmd, cmd->words[0]);
	if (name != NULL)
		pt_session_save(cmd->ctx->session, name, replace, pt_command_session_reply, cmd);
}

static void sources(struct pt_command *cmd)
{
	if (pt_command_no_words(cmd))
		pt_session_sources(cmd->ctx->session, pt_command_session_reply, cmd);
}

const struct pt_command_row pt_commands_profile[] = {
	{ .name = "profile start", .usage = "[for=TIME] [source=NAME] [mode=NAME] [KEY=VALUE...] [top=N]",
	  .help = "profile from here on; continue lets the core run (keys: help profile start)",
	  .flags = PT_COMMAND_CHANGES | PT_COMMAND_NAMES_FILE, .param = pt_command_start_param, .run = start,
	  .details = pt_command_start_details },
	{ .name = "profile stop", .usage = "", .help = "stop profiling, print the first ten rows; the result stays",
	  .flags = PT_COMMAND_CHANGES, .run = stop },
	{ .name = "profile status", .usage = "", .help = "what is being profiled, and how much was seen and lost",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = status },
	{ .name = "profile reset", .usage = "", .help = "forget the statistics, go on profiling",
	  .flags = PT_COMMAND_CHANGES, .run = reset },
	{ .name = "profile report", .usage = "[VIEW] [sort=KEY] [top=N] [format=NAME]",
	  .help = "print a table: of functions, or another view (help profile report lists them)",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = report, .details = report_details },
	{ .name = "profile save", .usage = "FILE [replace]", .help = "write the trace so far to FILE, for proftap decode",
	  .flags = PT_COMMAND_NAMES_FILE, .run = save },
	{ .name = "sources", .usage = "", .help = "what this chip can be profiled by, with the settings",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = sources },
	{ 0 },
};
