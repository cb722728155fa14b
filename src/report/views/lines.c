/* One row per source line that was seen executing. */
#include <math.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/core_rows.h"
#include "report/views/flow_share.h"
#include "report/views/sampled_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_lines;

static const struct pt_column columns[] = {
	{ "file", "file", PT_UNIT_NONE, PT_ALWAYS },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	{ "function", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "samples", "samples", PT_UNIT_COUNT, PT_ALWAYS },
	{ "instructions", "instructions", PT_UNIT_INSTRUCTIONS, PT_IF_MUCH_ROOM },
	{ "net", "self", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "code.instructions", "code", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "code.observed", "code seen", PT_UNIT_COUNT, PT_IF_WIDE },
	PT_CORE_COLUMN,
};

/* A row from bins, which do not count executions. */
static void row_of_bins(const struct pt_profile *p, const struct pt_bins_line *line, struct pt_value *out)
{
	struct pt_share share = { .share = line->hits / (double)pt_bins_core_hits(p->bins, line->core) };
	bool estimated = !p->bins->exact || p->bins->apart || line->split > 0;
	enum pt_basis basis = estimated ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT;
	uint64_t hits = (uint64_t)llround(line->hits);
	size_t n = 0;
	const struct pt_source_file *files = pt_program_files(p->program, &n);

	*out++ = (struct pt_value){ .text = line->file < n ? files[line->file].path : NULL };
	*out++ = (struct pt_value){ .u = line->line, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, line->function) };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = p->by_instructions ? hits : PT_UNKNOWN,
				    .basis = p->by_instructions ? basis : PT_BASIS_NONE };
	*out++ = (struct pt_value){ .u = hits, .basis = basis };
	share = pt_bins_bounded(p->bins, line->core, share);
	*out++ = (struct pt_value){ .f = share.share, .lo = share.lo, .hi = share.hi, .basis = basis };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_core_value(p->bins->n_cores, line->core);
}

/* A row from samples, which has only a share. */
static void row_of_samples(const struct pt_profile *p, const struct pt_profile_place *at, struct pt_value *out)
{
	size_t n = 0, file = (size_t)(at->place.key >> 32);
	const struct pt_source_file *files = pt_program_files(p->program, &n);

	*out++ = (struct pt_value){ .text = file < n ? files[file].path : NULL };
	*out++ = (struct pt_value){ .u = (uint32_t)at->place.key, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, at->function) };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = at->place.samples, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_sampled_share(at);
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_core_value(p->n_cores, at->core);
}

static size_t n_seen(const struct pt_lines *lines)
{
	return lines->n_seen;
}

static size_t n_rows(const void *subject)
{
	const struct pt_profile *p = subject;
	const struct pt_lines *lines = p->lines;

	if (p->by_bins)
		return p->bins->n_lines;
	return lines != NULL ? pt_core_rows(lines, n_seen) + p->n_sampled_lines : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_lines_line *line;
	const struct pt_lines *lines;
	uint64_t ticks, all;
	size_t n = 0;
	const struct pt_source_file *files = pt_program_files(p->program, &n);

	if (p->by_bins) {
		row_of_bins(p, &p->bins->line[i], out);
		return;
	}
	if (i < p->n_sampled_lines) {
		row_of_samples(p, &p->sampled_line[i], out);
		return;
	}
	i -= p->n_sampled_lines;
	lines = pt_core_row(p->lines, n_seen, &i);
	line = &lines->line[lines->seen[i]];
	all = pt_profile_ticks(p, lines->core);
	ticks = p->by_instructions ? line->instructions : line->cycles;

	*out++ = (struct pt_value){ .text = line->file < n ? files[line->file].path : NULL };
	*out++ = (struct pt_value){ .u = line->line, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, line->function) };
	*out++ = pt_flow_count(p, lines->core, line->count, &line->executed);
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_flow_count(p, lines->core, line->instructions, &line->executed);
	*out++ = pt_flow_ticks_of(p, lines->core, ticks, &line->share);
	*out++ = pt_flow_share(p, lines->core, ticks, all, &line->share);
	*out++ = (struct pt_value){ .u = line->n_insns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = line->n_observed, .basis = p->counts };
	*out++ = pt_core_value(p->lines->n_cores, lines->core);
}

const struct pt_view pt_view_lines = {
	.name = "lines", .help = "source lines: how often, how long", .needs = "lines", .sort = "net_share",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
