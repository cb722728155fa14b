/* The source code, file by file, with figures in the margin: how often each line ran, and for how long. name=PATTERN
 * selects files by their displayed name. A line without code has no figure; a line whose code was not seen has "#" if
 * nothing was missed, else "?". Shares from samples have their 95 % intervals. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "program/model/source.h"
#include "report/text/caption.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/views/flow_share.h"

extern const struct pt_format pt_format_annotate;

enum { MARGIN = 11, INTERVAL = 13 };	/* INTERVAL: "(100.0-100.0)" */

struct writer {
	const struct pt_profile *profile;
	const struct pt_lines *lines;
	struct pt_sources *sources;
	struct pt_text *out;
	uint64_t all;		/* ticks of everything */
	bool sampled;		/* some lines have shares of samples */
	bool has_intervals;	/* there is a column for them */
};

/* The line's entry in the bins; with several cores, of the first. NULL: nothing. */
static const struct pt_bins_line *bins_line(const struct writer *w, const struct pt_lines_line *line)
{
	const struct pt_bins *bins = w->profile->bins;
	size_t low = 0, high = bins->n_lines;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct pt_bins_line *at = &bins->line[middle];

		if (at->core > bins->core[0].core)
			high = middle;
		else if (at->file < line->file || (at->file == line->file && at->line < line->line))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == bins->n_lines || bins->line[low].file != line->file || bins->line[low].line != line->line ||
	    bins->line[low].core != bins->core[0].core)
		return NULL;
	return &bins->line[low];
}

/* The line's entry in the samples; with several cores, of the first that has only samples. NULL: nothing. */
static const struct pt_profile_place *sampled_line(const struct writer *w, const struct pt_lines_line *line)
{
	uint64_t key = ((uint64_t)line->file << 32) + line->line;
	size_t low = 0, high = w->profile->n_sampled_lines;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct pt_profile_place *at = &w->profile->sampled_line[middle];

		if (at->core == w->profile->sampled_line[0].core && at->place.key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == w->profile->n_sampled_lines || w->profile->sampled_line[low].place.key != key ||
	    w->profile->sampled_line[low].core != w->profile->sampled_line[0].core)
		return NULL;
	return &w->profile->sampled_line[low];
}

static bool was_seen(const struct writer *w, const struct pt_lines_line *line)
{
	if (w->profile->by_bins)
		return bins_line(w, line) != NULL;
	return line->instructions > 0 || line->n_observed > 0 || sampled_line(w, line) != NULL;
}

/* Whether exact bins cover the whole function of the line: then a line without hits did not run. */
static bool was_counted(const struct writer *w, const struct pt_lines_line *line)
{
	const struct pt_bins *bins = w->profile->bins;
	size_t n = 0;
	const struct pt_function *functions = pt_program_functions(w->profile->program, &n);
	const struct pt_function *f =
		line->function != PT_NO_FUNCTION && line->function <= n ? &functions[line->function - 1] : NULL;

	return bins->exact && f != NULL && f->address >= bins->low && f->address + f->size - 1 <= bins->high;
}

static bool nothing_missed(const struct writer *w, const struct pt_lines_line *line)
{
	return w->profile->by_bins ? was_counted(w, line) : pt_lines_whole(w->profile);
}

static uint64_t ticks_of(const struct writer *w, const struct pt_lines_line *line)
{
	if (w->profile->by_bins)
		return (uint64_t)llround(bins_line(w, line)->hits);
	return w->profile->by_instructions ? line->instructions : line->cycles;
}

/* Writes one column of the margin; the sign of a bound is a character of several bytes. */
static void figure_cell(struct writer *w, const char *text)
{
	int columns = 0;

	for (const char *at = text; *at != '\0'; at++)
		columns += ((unsigned char)*at & 0xc0) != 0x80;
	pt_text_add(w->out, "%*s%s ", columns < MARGIN ? MARGIN - columns : 0, "", text);
}

/* share NULL: the line has no share. */
static void cells(struct writer *w, const char *count, const char *net, const double *share, const char *interval)
{
	figure_cell(w, count);
	figure_cell(w, net);
	if (share != NULL)
		pt_text_add(w->out, "%5.1f%% ", 100.0 * *share);
	else
		pt_text_add(w->out, "%6s ", "");
	if (w->has_intervals)
		pt_text_add(w->out, "%*s ", INTERVAL, interval);
}

static void sampled_cells(struct writer *w, const struct pt_place *place)
{
	char samples[32], interval[PT_CELL_BYTES];

	snprintf(samples, sizeof(samples), "%" PRIu64 " sample%s", place->samples, place->samples == 1 ? "" : "s");
	snprintf(interval, sizeof(interval), "(%.1f-%.1f)", 100.0 * place->share.lo, 100.0 * place->share.hi);
	cells(w, "", samples, &place->share.share, interval);
}

/* Bins count no executions. */
static void cells_of_bins(struct writer *w, const struct pt_lines_line *line)
{
	static const struct pt_column ticks = { "", "", PT_UNIT_TICKS, true };
	double share = (double)ticks_of(w, line) / (double)(w->all != 0 ? w->all : 1);
	char net[PT_CELL_BYTES];

	pt_print_cell(net, sizeof(net), w->profile, &ticks, &(struct pt_value){ .u = ticks_of(w, line) });
	cells(w, "", net, &share, "");
}

/* As in the table of lines: estimates have their intervals; tallies are lower bounds without shares. */
static void counted_cells(struct writer *w, const struct pt_lines_line *line)
{
	static const struct pt_column counts = { "", "", PT_UNIT_COUNT, PT_ALWAYS },
				      ticks = { "", "", PT_UNIT_TICKS, PT_ALWAYS },
				      shares = { "", "", PT_UNIT_SHARE, PT_ALWAYS };
	const struct pt_profile *p = w->profile;
	uint16_t core = w->lines->core;
	struct pt_value n = pt_flow_count(p, core, line->count, &line->executed),
			t = pt_flow_ticks_of(p, core, ticks_of(w, line), &line->share),
			s = pt_flow_share(p, core, ticks_of(w, line), w->all, &line->share);
	char count[PT_CELL_BYTES], net[PT_CELL_BYTES], limits[PT_CELL_BYTES], interval[PT_CELL_BYTES + 2] = "";

	n.interval_beside = true;
	if (n.basis == PT_BASIS_ESTIMATED || n.u == PT_UNKNOWN)
		pt_print_figure(count, sizeof(count), p, &counts, &n);
	else
		pt_print_scaled(count, sizeof(count), (double)n.u, "", "");
	pt_print_figure(net, sizeof(net), p, &ticks, &t);
	pt_print_interval(limits, sizeof(limits), &shares, &s);
	if (limits[0] != '\0')
		snprintf(interval, sizeof(interval), "(%s)", limits);
	cells(w, count, net, isnan(s.f) ? NULL : &s.f, interval);
}

static void margin(struct writer *w, const struct pt_lines_line *line)
{
	if (line == NULL)
		cells(w, "", "", NULL, "");
	else if (sampled_line(w, line) != NULL)
		sampled_cells(w, &sampled_line(w, line)->place);
	else if (!was_seen(w, line))
		cells(w, nothing_missed(w, line) ? "#" : "?", "", NULL, "");
	else if (w->profile->by_bins)
		cells_of_bins(w, line);
	else
		counted_cells(w, line);
}

/* Replaces control characters: the source file may come from outside. */
static void source(struct writer *w, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		pt_text_bytes(w->out, (unsigned char)text[i] < ' ' && text[i] != '\t' ? " " : text + i, 1);
}

static void one_line(struct writer *w, const struct pt_source_file *file, uint32_t number,
		     const struct pt_lines_line *line)
{
	size_t len = 0;
	const char *text = pt_source_line(w->sources, file->path, number, &len);

	margin(w, line);
	pt_text_add(w->out, "%5" PRIu32 "  ", number);
	if (text != NULL)
		source(w, text, len);
	pt_text_add(w->out, "\n");
}

/* first: index of the file's first line with code; returns that of the next file. */
static size_t one_file(struct writer *w, const struct pt_source_file *file, size_t first)
{
	const struct pt_lines_line *line = &w->lines->line[first];
	uint32_t last = pt_source_n_lines(w->sources, file->path), number = 1;
	const char *missing = pt_source_missing(w->sources, file->path);
	size_t i = first;

	pt_text_add(w->out, "\n%s\n%*s %*s %6s ", file->path, MARGIN, "count", MARGIN, "self", "self %");
	if (w->has_intervals)
		pt_text_add(w->out, "%*s ", INTERVAL, "95 %");
	pt_text_add(w->out, "%5s\n", "line");
	if (missing != NULL)
		pt_text_add(w->out, "%s\n", missing);
	for (; i < w->lines->n_lines && w->lines->line[i].file == line->file; i++) {
		for (; missing == NULL && number < w->lines->line[i].line && number <= last; number++)
			one_line(w, file, number, NULL);
		one_line(w, file, w->lines->line[i].line, &w->lines->line[i]);
		number = w->lines->line[i].line + 1;
	}
	for (; missing == NULL && number <= last; number++)
		one_line(w, file, number, NULL);
	return i;
}

static bool wanted(const struct writer *w, const struct pt_query *query, const struct pt_source_file *file,
		   size_t first)
{
	uint32_t of = w->lines->line[first].file;

	if (query->name[0] != '\0')
		return fnmatch(query->name, file->name, 0) == 0 || fnmatch(query->name, file->path, 0) == 0;
	for (size_t i = first; i < w->lines->n_lines && w->lines->line[i].file == of; i++)
		if (was_seen(w, &w->lines->line[i]))
			return true;
	return false;
}

static void files(struct writer *w, const struct pt_query *query)
{
	size_t n = 0, next;
	const struct pt_source_file *all = pt_program_files(w->profile->program, &n);

	for (size_t i = 0; i < w->lines->n_lines; i = next) {
		uint32_t file = w->lines->line[i].file;

		if (file < n && wanted(w, query, &all[file], i)) {
			next = one_file(w, &all[file], i);
			continue;
		}
		for (next = i; next < w->lines->n_lines && w->lines->line[next].file == file; next++)
			;
	}
}

/* Whether shares have intervals, from windows or as bounds. */
static bool has_estimates(const struct pt_profile *p)
{
	bool any = p->shares == PT_BASIS_ESTIMATED;

	for (size_t i = 0; i < p->n_cores; i++)
		any |= p->core[i].windowed;
	return any;
}

/* With several cores: their sum if all was seen; estimates and tallies cannot be added, so only the first core. */
static const struct pt_lines *lines_to_show(const struct pt_profile *p)
{
	bool whole = true;

	for (size_t i = 0; i < p->n_cores; i++)
		whole &= !p->core[i].windowed && !p->core[i].tallied;
	return whole || p->lines == NULL || p->lines->n_cores < 2 ? p->lines : p->lines->cores[0];
}

static int write_annotate(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			  struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .profile = profile, .lines = lines_to_show(profile), .out = out,
			    .sampled = !profile->by_bins && profile->n_sampled_lines > 0 };
	struct pt_caption caption;

	(void)view;
	if (pt_report_needs_code(profile, err) < 0)
		return PT_ESTATE;
	if (profile->lines == NULL)
		return pt_report_lacks("annotate", "lines", err);
	w.all = w.lines == profile->lines ? profile->ticks : pt_profile_ticks(profile, w.lines->core);
	w.has_intervals = w.sampled || (!profile->by_bins && has_estimates(profile));
	if (profile->program == NULL || profile->lines->n_lines == 0)
		return pt_fail(err, PT_ESTATE, "annotate needs an ELF with lines (compiled with -g)");
	w.sources = pt_sources_of(profile->program, err);
	if (w.sources == NULL)
		return err != NULL ? err->code : PT_EARG;
	pt_caption_make(&caption, profile);
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++)
		if (caption.line[i][0] != '\0')
			pt_text_add(out, "%s: %s\n", pt_caption_key(i), caption.line[i]);
	if (profile->by_bins && profile->n_cores > 1)
		pt_text_add(out, "core %u of %zu\n", profile->bins->core[0].core, profile->n_cores);
	else if (w.lines != profile->lines)
		pt_text_add(out, "core %u of %zu\n", w.lines->core, profile->n_cores);
	else if (w.sampled && profile->n_cores > 1)
		pt_text_add(out, "samples are of core %u of %zu\n", profile->sampled_line[0].core, profile->n_cores);
	files(&w, query);
	pt_sources_free(w.sources);
	return 0;
}

const struct pt_format pt_format_annotate = {
	.name = "annotate", .help = "the source with counts and time in the margin", .needs = "lines",
	.write = write_annotate,
};
