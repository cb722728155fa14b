/* /metrics: the text format 0.0.4, or OpenMetrics 1.0 for those who prefer it. Names have base units; a counter never
 * falls while the daemon lives, and each cause is there from the beginning, as 0. A figure that is not known is left out.
 * Source: prometheus.io, exposition_formats; OpenMetrics 1.0, text format */
#include "web/web_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/harmless.h"
#include "base/util.h"
#include "config.h"
#include "web/rules.h"

#define OPENMETRICS "application/openmetrics-text"

struct page {
	struct pt_text out;
	bool open;			/* OpenMetrics */
	const struct pt_web *web;
	const struct pt_web_board *board;	/* that the row is of */
	const char *name;		/* of the family */
	bool counter;
};

struct family {
	const char *name, *unit, *help;	/* name without _total; unit: its end, or NULL */
	bool counter;
	void (*rows)(struct page *page);	/* of page->board; NULL: once() */
	void (*once)(struct page *page);
};

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void put_label(struct page *page, const char *key, const char *value)
{
	pt_text_add(&page->out, ",%s=\"", key);
	for (; *value != '\0'; value++) {
		if (*value == '\\' || *value == '"')
			pt_text_add(&page->out, "\\");
		pt_text_add(&page->out, "%c", *value);
	}
	pt_text_add(&page->out, "\"");
}

/* A row of the board's, up to its labels; end_row() or end_row_real() is next, after further labels. */
static void begin_row(struct page *page)
{
	pt_text_add(&page->out, "%s%s{board=\"%s\"", page->name, page->counter ? "_total" : "", page->board->name);
}

static void end_row_real(struct page *page, double value)
{
	pt_text_add(&page->out, "} %.15g\n", value);
}

static void end_row(struct page *page, uint64_t value)
{
	pt_text_add(&page->out, "} %" PRIu64 "\n", value);
}

static void put_number(struct page *page, uint64_t value)
{
	begin_row(page);
	end_row(page, value);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* --- boards ------------------------------------------------------------------------------------------------------- */

static void put_build(struct page *page)
{
	pt_text_add(&page->out, "%s{version=\"%s\"} 1\n", page->name, PACKAGE_VERSION);
}

static bool is_attached(const struct pt_web_board *board)
{
	const char *why;

	return pt_board_get_state(board->config.board, &why) == PT_BOARD_READY;
}

static void put_attached(struct page *page)
{
	put_number(page, is_attached(page->board));
}

static void put_text_label(struct page *page, const char *key, const char *value)
{
	char text[PT_WEB_LABEL_BYTES];

	snprintf(text, sizeof(text), "%s", value);
	put_label(page, key, pt_harmless(text, ""));
}

static void put_info(struct page *page)
{
	const char *probe = pt_board_probe_uri(page->board->config.board, 0), *why;

	if (pt_board_get_state(page->board->config.board, &why) != PT_BOARD_READY)
		return;
	begin_row(page);
	put_text_label(page, "target", why);
	put_text_label(page, "probe", probe != NULL ? probe : "");
	end_row(page, 1);
}

static void put_lost_probes(struct page *page)
{
	put_number(page, page->board->n_lost);
}

static void put_running(struct page *page)
{
	put_number(page, pt_session_get_state(page->board->config.session) == PT_SESSION_RUNNING);
}

static void put_profiles(struct page *page)
{
	put_number(page, pt_session_number(page->board->config.session));
}

static void put_age(struct page *page)
{
	if (page->board->totals.number == 0)
		return;
	begin_row(page);
	end_row_real(page, (double)(uv_now(page->web->loop) - page->board->taken_ms) / 1e3);
}

/* --- time and trace ----------------------------------------------------------------------------------------------- */

static void put_time(struct page *page)
{
	static const char *const states[PT_WEB_N_STATES] = {
		[PT_WEB_OBSERVED] = "observed", [PT_WEB_UNOBSERVED] = "unobserved", [PT_WEB_LOST] = "lost",
		[PT_WEB_UNDIVIDED] = "undivided"
	};
	const struct pt_web_totals *totals = &page->board->totals;

	for (size_t i = 0; i < totals->n_sources; i++) {
		for (size_t s = 0; s < PT_WEB_N_STATES; s++) {
			begin_row(page);
			put_label(page, "source", totals->source[i].name);
			put_label(page, "state", states[s]);
			end_row_real(page, seconds(totals->source[i].ns[s]));
		}
	}
}

static void put_bytes(struct page *page)
{
	const struct pt_web_totals *totals = &page->board->totals;

	for (size_t i = 0; i < totals->n_sources; i++) {
		begin_row(page);
		put_label(page, "source", totals->source[i].name);
		end_row(page, totals->source[i].bytes);
	}
}

static void put_causes(struct page *page, const uint64_t by[PT_N_LOSSES])
{
	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++) {
		if (!pt_loss_is_fault((enum pt_loss)cause))
			continue;
		begin_row(page);
		put_label(page, "cause", pt_loss_name((enum pt_loss)cause));
		end_row(page, by[cause]);
	}
}

static void put_lost_bytes(struct page *page)
{
	put_causes(page, page->board->totals.lost_bytes);
}

static void put_faults(struct page *page)
{
	put_causes(page, page->board->totals.faults);
}

static void put_unsized(struct page *page)
{
	put_causes(page, page->board->totals.unsized);
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static void put_function(struct page *page, const struct pt_web_share *function, double value)
{
	if (isnan(value))
		return;
	begin_row(page);
	put_label(page, "function", function->name);
	pt_text_add(&page->out, ",core=\"%u\"", function->core);
	end_row_real(page, value);
}

/* Two functions of one name (static ones) would be one series with two values: their sum has no interval. */
static bool is_first_of_name(const struct pt_web_snapshot *seen, size_t i, bool *alone)
{
	bool first = true;

	*alone = true;
	for (size_t k = 0; k < seen->n_functions; k++) {
		if (k == i || strcmp(seen->function[k].name, seen->function[i].name) != 0 ||
		    seen->function[k].core != seen->function[i].core)
			continue;
		*alone = false;
		first &= k > i;
	}
	return first;
}

static double sum_of_name(const struct pt_web_snapshot *seen, size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < seen->n_functions; k++)
		if (strcmp(seen->function[k].name, seen->function[i].name) == 0 &&
		    seen->function[k].core == seen->function[i].core)
			sum += seen->function[k].share;
	return sum;
}

static void put_shares(struct page *page)
{
	const struct pt_web_snapshot *seen = &page->board->totals.seen;
	bool alone;

	for (size_t i = 0; i < seen->n_functions; i++)
		if (is_first_of_name(seen, i, &alone))
			put_function(page, &seen->function[i], sum_of_name(seen, i));
	if (page->board->totals.number != 0 && !isnan(seen->other)) {
		begin_row(page);
		put_label(page, "function", "(other)");
		put_label(page, "core", "");
		end_row_real(page, seen->other);
	}
}

static void put_lows(struct page *page)
{
	const struct pt_web_snapshot *seen = &page->board->totals.seen;
	bool alone;

	for (size_t i = 0; i < seen->n_functions; i++)
		if (is_first_of_name(seen, i, &alone) && alone)
			put_function(page, &seen->function[i], seen->function[i].low);
}

static void put_highs(struct page *page)
{
	const struct pt_web_snapshot *seen = &page->board->totals.seen;
	bool alone;

	for (size_t i = 0; i < seen->n_functions; i++)
		if (is_first_of_name(seen, i, &alone) && alone)
			put_function(page, &seen->function[i], seen->function[i].high);
}

/* --- the daemon --------------------------------------------------------------------------------------------------- */

static void put_requests(struct page *page)
{
	for (size_t i = 0; i < page->web->n_counts; i++) {
		const struct pt_web_count *count = &page->web->count[i];

		pt_text_add(&page->out, "%s_total{path=\"%s\",code=\"%u\"} %" PRIu64 "\n", page->name, count->path,
			    count->code, count->n);
	}
}

static void put_cpu(struct page *page)
{
	uv_rusage_t usage;

	if (uv_getrusage(&usage) == 0)
		pt_text_add(&page->out, "%s_total %.6f\n", page->name,
			    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

static void put_memory(struct page *page)
{
	size_t bytes;

	if (uv_resident_set_memory(&bytes) == 0)
		pt_text_add(&page->out, "%s %zu\n", page->name, bytes);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static const struct family families[] = {
	{ "proftap_build_info", NULL, "The version of proftap", false, NULL, put_build },
	{ "proftap_board_attached", NULL, "1: its target is attached", false, put_attached, NULL },
	{ "proftap_board_info", NULL, "What is attached, and by which probe", false, put_info, NULL },
	{ "proftap_probe_lost", NULL, "How often an attached board was lost", true, put_lost_probes, NULL },
	{ "proftap_profile_running", NULL, "1: a profile runs", false, put_running, NULL },
	{ "proftap_profiles", NULL, "Profiles started, and resets of their statistics", true, put_profiles, NULL },
	{ "proftap_snapshot_age_seconds", "seconds", "How old the figures of the profile are", false, put_age, NULL },
	{ "proftap_time_seconds", "seconds",
	  "Time of profiles. undivided: observed or unobserved, and it is not known how much of each", true, put_time, NULL },
	{ "proftap_trace_bytes", "bytes", "Trace that was read", true, put_bytes, NULL },
	{ "proftap_lost_bytes", "bytes", "Trace known to be lost to faults; what has no known size is in proftap_lost_unsized", true,
	  put_lost_bytes, NULL },
	{ "proftap_lost_unsized", NULL, "Faults that lost an unknown number of bytes", true, put_unsized, NULL },
	{ "proftap_faults", NULL, "Faults of the trace", true, put_faults, NULL },
	{ "proftap_function_share_ratio", "ratio", "Self time of a function in the present or last profile, of all time awake", false,
	  put_shares, NULL },
	{ "proftap_function_share_low_ratio", "ratio", "Lower end of its 95 % interval", false, put_lows, NULL },
	{ "proftap_function_share_high_ratio", "ratio", "Upper end of its 95 % interval", false, put_highs, NULL },
	{ "proftap_http_requests", NULL, "Requests that were answered", true, NULL, put_requests },
	{ "process_cpu_seconds", "seconds", "Processor time of the daemon", true, NULL, put_cpu },
	{ "process_resident_memory_bytes", "bytes", "Memory of the daemon", false, NULL, put_memory },
};

static void put_family(struct page *page, const struct family *family)
{
	const char *total = family->counter && !page->open ? "_total" : "";

	page->name = family->name;
	page->counter = family->counter;
	pt_text_add(&page->out, "# HELP %s%s %s.\n", family->name, total, family->help);
	pt_text_add(&page->out, "# TYPE %s%s %s\n", family->name, total, family->counter ? "counter" : "gauge");
	if (page->open && family->unit != NULL)
		pt_text_add(&page->out, "# UNIT %s %s\n", family->name, family->unit);
	if (family->once != NULL)
		family->once(page);
	for (page->board = page->web->boards; family->rows != NULL && page->board != NULL;
	     page->board = page->board->next)
		family->rows(page);
}

void pt_web_metrics(struct pt_web_request *request)
{
	const char *accept = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "Accept");
	struct page page = { .web = request->web, .open = pt_web_accepts(accept, OPENMETRICS) };

	for (size_t i = 0; i < PT_LEN(families); i++)
		put_family(&page, &families[i]);
	if (page.open)
		pt_text_add(&page.out, "# EOF\n");
	pt_web_answer_text(request,
			   page.open ? OPENMETRICS "; version=1.0.0; charset=utf-8"
				     : "text/plain; version=0.0.4; charset=utf-8",
			   &page.out);
}
