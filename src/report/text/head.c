#include "report/text/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/table/facts.h"
#include "report/text/details.h"
#include "report/text/grid.h"
#include "report/text/headline.h"

/* TITLE_B: only when two profiles are compared */
enum { TITLE_A, TITLE_B, OBSERVED, ACCURACY, WARNING, N_LINES };
enum { TEXT_BYTES = 2 * PT_HEADLINE_BYTES + 32, LINE_BYTES = TEXT_BYTES + PT_LABEL_COLUMNS };

struct head { char line[N_LINES][LINE_BYTES]; };	/* with their labels; "": no such line */

static size_t columns_of(const struct pt_query *query)
{
	return query->columns != 0 ? query->columns : PT_GRID_COLUMNS;
}

static size_t rows_of(const char *line, size_t columns)
{
	struct pt_text text = { 0 };
	size_t n = 0;

	if (line[0] == '\0')
		return 0;
	pt_text_wrapped(&text, line, strlen(line), columns, PT_LABEL_COLUMNS);
	for (size_t i = 0; i < text.len_bytes; i++)
		n += text.bytes[i] == '\n';
	pt_text_free(&text);
	return n;
}

static size_t rows_of_all(const struct head *h, size_t columns)
{
	size_t n = 0;

	for (size_t i = 0; i < N_LINES; i++)
		n += rows_of(h->line[i], columns);
	return n;
}

static void print_head(const struct head *h, const struct pt_query *query, struct pt_text *out)
{
	for (size_t i = 0; i < N_LINES; i++) {
		bool loud = query->colour && i == WARNING && h->line[i][0] != '\0';

		pt_text_add(out, "%s", loud ? "\033[1;33m" : "");
		if (h->line[i][0] != '\0')
			pt_text_wrapped(out, h->line[i], strlen(h->line[i]), columns_of(query), PT_LABEL_COLUMNS);
		pt_text_add(out, "%s", loud ? "\033[0m" : "");
	}
}

/* --- what does not fit */

/* Leaves out words at the end, and also a word that is longer than a line. */
static void cut_line(char *line, size_t rows, size_t columns)
{
	static const char more[] = " ...";
	size_t len = strlen(line), most = rows * columns;

	if (rows_of(line, columns) <= rows)
		return;
	if (len > most)
		len = most;
	for (bool fits = false; !fits && len > 1; fits = rows_of(line, columns) <= rows) {
		while (--len > 1 && (line[len] != ' ' || (unsigned char)line[len - 1] >= 0x80))
			;
		snprintf(line + len, LINE_BYTES - len, "%s", more);
	}
}

/* Each line gets one row; the remaining rows go to the most important lines. */
static void cut_head(struct head *h, size_t columns)
{
	static const unsigned char by_need[] = { ACCURACY, WARNING, TITLE_A, TITLE_B, OBSERVED };
	size_t spare = PT_HEAD_ROWS, rows[N_LINES];

	for (size_t i = 0; i < N_LINES; i++)
		spare -= h->line[i][0] != '\0';
	for (size_t i = 0; i < PT_LEN(by_need); i++) {
		size_t want = rows_of(h->line[by_need[i]], columns), more = want > 1 ? want - 1 : 0;

		more = more < spare ? more : spare;
		rows[by_need[i]] = 1 + more;
		spare -= more;
	}
	for (size_t i = 0; i < N_LINES; i++)
		cut_line(h->line[i], rows[i], columns);
}

static void print_fitted(struct head *whole, struct head *brief, const struct pt_query *query, struct pt_text *out)
{
	size_t columns = columns_of(query);

	if (rows_of_all(whole, columns) <= PT_HEAD_ROWS) {
		print_head(whole, query, out);
		return;
	}
	cut_head(brief, columns);
	print_head(brief, query, out);
}

/* --- of one profile */

static void put_line(struct head *h, unsigned line, enum pt_headline_line label, const char *text)
{
	if (text[0] != '\0')
		snprintf(h->line[line], LINE_BYTES, "%-*s%s", PT_LABEL_COLUMNS, pt_headline_label(label), text);
}

static void head_of(struct head *h, const struct pt_headline *headline)
{
	memset(h, 0, sizeof(*h));
	snprintf(h->line[TITLE_A], LINE_BYTES, "%s", headline->line[PT_HEADLINE_TITLE]);
	put_line(h, OBSERVED, PT_HEADLINE_OBSERVED, headline->line[PT_HEADLINE_OBSERVED]);
	put_line(h, ACCURACY, PT_HEADLINE_ACCURACY, headline->line[PT_HEADLINE_ACCURACY]);
	put_line(h, WARNING, PT_HEADLINE_WARNING, headline->line[PT_HEADLINE_WARNING]);
}

void pt_head_write(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out)
{
	struct pt_headline headline;
	struct head whole, brief;

	pt_headline_make(&headline, profile);
	head_of(&whole, &headline);
	pt_headline_make_brief(&headline, profile);
	head_of(&brief, &headline);
	print_fitted(&whole, &brief, query, out);
}

void pt_head_write_facts(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out)
{
	struct pt_headline headline;
	struct head h;

	pt_headline_make(&headline, profile);
	headline.line[PT_HEADLINE_WARNING][0] = '\0';
	head_of(&h, &headline);
	print_head(&h, query, out);
}

/* --- of two */

/* The data from which a profile's shares are computed. */
static void looks_of(const struct pt_profile *p, char *out, size_t room)
{
	bool sampled = p->samples > 0 && !p->windowed;

	for (size_t i = 0; i < p->n_cores; i++)
		sampled |= p->core[i].calibration != NULL;
	if (p->shares == PT_BASIS_NONE)
		snprintf(out, room, "none (%s)", pt_no_shares_reason(p));
	else if (p->by_bins)
		snprintf(out, room, "time in bins");
	else if (sampled)
		snprintf(out, room, "%" PRIu64 " samples, 95 %% interval",
			 p->samples - (p->sleep_counted ? 0 : p->samples_asleep));
	else if (p->windowed)
		snprintf(out, room, "%" PRIu64 " of %" PRIu64 " bursts, 95 %% interval", p->bursts_used, p->bursts);
	else
		snprintf(out, room, p->shares == PT_BASIS_ESTIMATED ? "most of the run, with bounds" : "all that ran");
}

static void pair_warning(struct head *h, const struct pt_headline *a, const struct pt_headline *b)
{
	const char *of_a = a->line[PT_HEADLINE_WARNING], *of_b = b->line[PT_HEADLINE_WARNING];
	char text[TEXT_BYTES];

	if (strcmp(of_a, of_b) == 0)
		snprintf(text, sizeof(text), "%s%s", of_a[0] != '\0' ? "A and B: " : "", of_a);
	else
		snprintf(text, sizeof(text), "%s: %s%s", of_a[0] != '\0' ? "A" : "B", of_a[0] != '\0' ? of_a : of_b,
			 of_a[0] != '\0' && of_b[0] != '\0' ? " B has others." : "");
	put_line(h, WARNING, PT_HEADLINE_WARNING, text);
}

/* title_a, title_b: headlines from which the titles are taken. The other lines are always brief, because two profiles
 * share each. */
static void pair_of(struct head *h, const struct pt_headline *title_a, const struct pt_headline *title_b,
		    const struct pt_profile *a, const struct pt_profile *b)
{
	struct pt_headline of_a, of_b;
	char text[TEXT_BYTES], looks_a[80], looks_b[80];

	memset(h, 0, sizeof(*h));
	pt_headline_make_brief(&of_a, a);
	pt_headline_make_brief(&of_b, b);
	snprintf(h->line[TITLE_A], LINE_BYTES, "A: %s", title_a->line[PT_HEADLINE_TITLE]);
	snprintf(h->line[TITLE_B], LINE_BYTES, "B: %s", title_b->line[PT_HEADLINE_TITLE]);
	snprintf(text, sizeof(text), "A %s; B %s", of_a.line[PT_HEADLINE_OBSERVED], of_b.line[PT_HEADLINE_OBSERVED]);
	put_line(h, OBSERVED, PT_HEADLINE_OBSERVED, text);
	looks_of(a, looks_a, sizeof(looks_a));
	looks_of(b, looks_b, sizeof(looks_b));
	snprintf(text, sizeof(text), "share A: %s; share B: %s", looks_a, looks_b);
	put_line(h, ACCURACY, PT_HEADLINE_ACCURACY, text);
	pair_warning(h, &of_a, &of_b);
}

void pt_head_write_pair(const struct pt_profile *a, const struct pt_profile *b, const struct pt_query *query,
			struct pt_text *out)
{
	struct pt_headline of_a, of_b;
	struct head whole, brief;

	pt_headline_make(&of_a, a);
	pt_headline_make(&of_b, b);
	pair_of(&whole, &of_a, &of_b, a, b);
	pt_headline_make_brief(&of_a, a);
	pt_headline_make_brief(&of_b, b);
	pair_of(&brief, &of_a, &of_b, a, b);
	print_fitted(&whole, &brief, query, out);
}
