/* Reports: the words of a query are those of monitor profile report, in whatever order; the analysis thread renders them. */
#include "web/web_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "report/report.h"

enum { MOST_WORDS = 16, WORD_BYTES = 128 };

struct words {
	char text[MOST_WORDS][WORD_BYTES];
	const char *word[MOST_WORDS];
	size_t n;
	bool too_many;
};

/* view=functions is the word functions. */
static enum MHD_Result take_word(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct words *words = arg;
	char *out;
	int n;

	(void)kind;
	if (words->n == MOST_WORDS) {
		words->too_many = true;
		return MHD_NO;
	}
	out = words->text[words->n];
	if (strcmp(key, "view") == 0 && value != NULL)
		n = snprintf(out, WORD_BYTES, "%s", value);
	else
		n = snprintf(out, WORD_BYTES, "%s%s%s", key, value != NULL ? "=" : "", value != NULL ? value : "");
	words->too_many |= n >= WORD_BYTES;
	words->word[words->n++] = out;
	return words->too_many ? MHD_NO : MHD_YES;
}

/* PT_EARG: a word is wrong. */
static int take_query(struct pt_web_request *request, struct pt_query *query, struct pt_err *err)
{
	struct words *words = pt_alloc(sizeof(*words));
	int rc;

	memset(query, 0, sizeof(*query));
	MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, take_word, words);
	rc = words->too_many ? pt_fail(err, PT_EARG, "a query has at most %d words of %d characters", MOST_WORDS,
				       WORD_BYTES - 1)
			     : pt_query_parse(query, words->word, words->n, err);
	free(words);
	return rc;
}

/* What a browser may show by itself. All else is for a file, and no page may be made of it here. */
static const char *type_of(const struct pt_format *format, bool *shown)
{
	static const struct { const char *format, *type; bool shown; } types[] = {
		{ "json", "application/json", true },	   { "csv", "text/csv; charset=utf-8", true },
		{ "html", "text/html; charset=utf-8", false }, { "svg", "image/svg+xml", false },
		{ "junit", "application/xml", false },	   { "osdata", "application/xml", false },
		{ "speedscope", "application/json", false },
	};

	for (size_t i = 0; i < PT_LEN(types); i++) {
		if (strcmp(types[i].format, format->name) == 0) {
			*shown = types[i].shown;
			return types[i].type;
		}
	}
	*shown = !format->binary && !format->folder;
	return *shown ? "text/plain; charset=utf-8" : "application/octet-stream";
}

struct report {
	struct pt_web_request *request;
	const struct pt_format *format;
	char file[96];			/* its name; "": it is shown */
};

static void add_file_name(struct report *report)
{
	char value[160];

	snprintf(value, sizeof(value), "attachment; filename=\"%s\"", report->file);
	pt_web_header(report->request, "Content-Disposition", value);
}

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct report *report = arg;
	struct pt_web_request *request = report->request;
	bool shown;
	const char *type = type_of(report->format, &shown);

	if (pt_web_done(request)) {
		if (rc < 0) {
			pt_web_fail(request, rc, text);
		} else {
			if (report->file[0] == '\0' && !shown)
				snprintf(report->file, sizeof(report->file), "profile%s",
					 report->format->suffix != NULL ? report->format->suffix : "");
			pt_web_answer(request, MHD_HTTP_OK, type, text, len_bytes);
			if (report->file[0] != '\0')
				add_file_name(report);
		}
	}
	free(report);
}

static void render(struct pt_web_request *request, struct pt_query *query, const char *file)
{
	struct pt_session *session = request->board->config.session;
	struct report *report;

	if (!pt_web_wait(request))
		return;
	report = pt_alloc(sizeof(*report));
	report->request = request;
	report->format = query->format[0] != '\0' ? pt_format_find(query->format) : pt_formats[0];
	snprintf(report->file, sizeof(report->file), "%s", file);
	pt_session_default_top(session, query);
	pt_session_report(session, query, on_report, report);
}

void pt_web_report(struct pt_web_request *request)
{
	struct pt_query query;
	struct pt_err err;

	if (take_query(request, &query, &err) < 0)
		pt_web_fail(request, PT_EARG, err.msg);
	else
		render(request, &query, "");
}

/* profile.SUFFIX or profile.FORMAT */
void pt_web_download(struct pt_web_request *request)
{
	const struct pt_format *format = pt_format_find(request->rest);
	struct pt_query query;
	struct pt_err err;
	char file[96];

	snprintf(file, sizeof(file), "profile.%.60s", request->rest);
	if (format == NULL)
		format = pt_format_of_file(file);
	if (take_query(request, &query, &err) < 0) {
		pt_web_fail(request, PT_EARG, err.msg);
	} else if (format == NULL) {
		pt_web_refuse(request, MHD_HTTP_NOT_FOUND, "no format is called %.40s, and no format's files end so",
			      request->rest);
	} else if (query.format[0] != '\0') {
		pt_web_refuse(request, MHD_HTTP_BAD_REQUEST, "the name of the file says the format: leave out format=");
	} else {
		snprintf(query.format, sizeof(query.format), "%s", format->name);
		if (strspn(request->rest, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(request->rest))
			snprintf(file, sizeof(file), "profile");
		render(request, &query, file);
	}
}
