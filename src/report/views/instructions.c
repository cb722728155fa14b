/* One row per instruction that was seen executing, by address. */
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/core_rows.h"
#include "report/views/flow_share.h"
#include "report/views/sampled_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_instructions;

static const struct pt_column columns[] = {
	{ "address", "address", PT_UNIT_ADDRESS, PT_ALWAYS },
	{ "function", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "samples", "samples", PT_UNIT_COUNT, PT_ALWAYS },
	{ "jumped", "jumped", PT_UNIT_COUNT, PT_IF_ROOM },
	{ "net", "self", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_insns(const struct pt_lines *lines)
{
	return lines->n_insns;
}

static size_t n_rows(const void *subject)
{
	const struct pt_profile *p = subject;

	return p->lines != NULL ? pt_core_rows(p->lines, n_insns) + p->n_sampled_insns : (size_t)PT_NOT_MADE;
}

/* Two columns: file and line. Returns behind them. */
static struct pt_value *source_of(const struct pt_profile *p, uint64_t address, struct pt_value *out)
{
	const struct pt_line_range *range = p->program != NULL ? pt_program_line_at(p->program, address) : NULL;
	bool known = range != NULL && range->line != 0;
	size_t n;

	*out++ = (struct pt_value){ .text = known ? pt_program_files(p->program, &n)[range->file].path : NULL };
	*out++ = (struct pt_value){ .u = known ? range->line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	return out;
}

/* A row from samples, which has only a share. */
static void row_of_samples(const struct pt_profile *p, const struct pt_profile_place *at, struct pt_value *out)
{
	*out++ = (struct pt_value){ .u = at->place.key, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, at->function) };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = at->place.samples, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_sampled_share(at);
	out = source_of(p, at->place.key, out);
	*out++ = pt_core_value(p->n_cores, at->core);
}

/* In the unseen time a conditional branch may have been taken at each execution, or never. */
static struct pt_value jumped_of(const struct pt_profile *p, uint16_t core, const struct pt_lines_insn *insn)
{
	struct pt_value v = pt_flow_count(p, core, insn->left, &insn->executed);

	if (pt_profile_windowed(p, core) == NULL || v.u == PT_UNKNOWN || insn->left == insn->count)
		return v;
	v.lo = 0;
	v.hi = insn->executed.hi;
	return v;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_lines *lines;
	const struct pt_lines_insn *insn;
	uint64_t ticks, all;

	if (i < p->n_sampled_insns) {
		row_of_samples(p, &p->sampled_insn[i], out);
		return;
	}
	i -= p->n_sampled_insns;
	lines = pt_core_row(p->lines, n_insns, &i);
	insn = &lines->insn[i];
	ticks = p->by_instructions ? insn->count : insn->cycles;
	all = pt_profile_ticks(p, lines->core);
	*out++ = (struct pt_value){ .u = insn->address, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, insn->function) };
	*out++ = pt_flow_count(p, lines->core, insn->count, &insn->executed);
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = jumped_of(p, lines->core, insn);
	*out++ = pt_flow_ticks_of(p, lines->core, ticks, &insn->share);
	*out++ = pt_flow_share(p, lines->core, ticks, all, &insn->share);
	out = source_of(p, insn->address, out);
	*out++ = pt_core_value(p->lines->n_cores, lines->core);
}

const struct pt_view pt_view_instructions = {
	.name = "instructions", .help = "instructions: how often each ran, and how often it jumped", .needs = "lines",
	.bulky = true, .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
