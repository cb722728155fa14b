/* Who writes a variable: a row for each instruction that did, where the source reports it. */
#include "profile/analyses/signals/data.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/times.h"
#include "base/util.h"

extern const struct pt_view pt_view_writers;

static const struct pt_column columns[] = {
	{ "name", "variable", PT_UNIT_NONE, PT_ALWAYS },
	{ "function", "written by", PT_UNIT_NONE, PT_ALWAYS },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	{ "address", "address", PT_UNIT_ADDRESS, PT_IF_ROOM },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "share", "share %", PT_UNIT_SHARE, PT_ALWAYS },	/* of the writes of this variable */
};

static const struct pt_data *data_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->data;
}

static size_t n_rows(const void *subject)
{
	const struct pt_data *data = data_of(subject);

	return data != NULL ? data->n_writers : (size_t)PT_NOT_MADE;
}

/* Where writes are missing, whose they were is not known. */
static struct pt_value share(const struct pt_data *data, const struct pt_writer *w)
{
	uint64_t all = 0;

	for (size_t i = 0; i < data->n_writers; i++)
		all += data->writer[i].variable == w->variable ? data->writer[i].count : 0;
	if (data->lost > 0 || all == 0)
		return (struct pt_value){ .f = NAN };
	return (struct pt_value){ .f = (double)w->count / (double)all, .basis = PT_BASIS_EXACT };
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_data *data = p->data;
	const struct pt_writer *w = &data->writer[i];
	bool placed = w->pc != PT_UNKNOWN && p->program != NULL;
	const struct pt_function *function = placed ? pt_program_function_at(p->program, w->pc) : NULL;
	const char *file = NULL;
	uint32_t line = 0;
	bool found = placed && pt_program_line(p->program, w->pc, &file, &line);

	*out++ = (struct pt_value){ .text = data->signals->definition[w->variable].name };
	*out++ = (struct pt_value){ .text = function != NULL	 ? function->name
					    : w->pc == PT_UNKNOWN ? "(others)"
								  : NULL };
	*out++ = (struct pt_value){ .text = found ? file : NULL };
	*out++ = (struct pt_value){ .u = found && line > 0 ? line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = w->pc, .basis = PT_BASIS_EXACT };
	*out++ = pt_count_seen(w->count, data->lost > 0);
	*out++ = share(data, w);
}

const struct pt_view pt_view_writers = {
	.name = "writers", .help = "which instructions wrote each variable, and how often (swo: data-pc=on)",
	.empty = "the source has to report the instruction of each write: --source swo --set variables=NAME --set data-pc=on",
	.empty_in_gdb = "the source has to report the instruction of each write: source=swo variables=NAME data-pc=on",
	.needs = "data", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
