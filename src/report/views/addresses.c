/* The histogram over code, by address, for annotated listings. */
#include "profile/analyses/code/bins.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "base/util.h"

extern const struct pt_view pt_view_addresses;

static const struct pt_column columns[] = {
	{ "address", "address", PT_UNIT_ADDRESS, PT_ALWAYS },
	{ "bytes", "bytes", PT_UNIT_BYTES, PT_ALWAYS },
	{ "hits", "hits", PT_UNIT_COUNT, PT_ALWAYS },
	{ "share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "region", "memory", PT_UNIT_NONE, PT_ALWAYS },
	{ "function", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static const struct pt_bins *bins_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->bins;
}

/* The kind of memory at an address without a name. */
static const char *region_of(const struct pt_profile *p, uint64_t address)
{
	for (size_t i = 0; p->program == NULL && i < p->n_regions; i++)
		if (address - p->region[i].addr < p->region[i].size)
			return p->region[i].kind;
	return NULL;
}

static size_t n_rows(const void *subject)
{
	const struct pt_bins *bins = bins_of(subject);

	return bins != NULL ? bins->n_addresses : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_bins *bins = p->bins;
	const struct pt_bins_address *a = &bins->address[i];
	const char *file = NULL;
	uint32_t line = 0;
	bool found = p->program != NULL && pt_program_line(p->program, a->address, &file, &line);

	*out++ = (struct pt_value){ .u = a->address, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = a->bytes, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = a->hits, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = a->share.share, .lo = a->share.lo, .hi = a->share.hi,
				    .basis = bins->exact && !bins->apart ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED };
	*out++ = (struct pt_value){ .text = region_of(p, a->address) };
	*out++ = (struct pt_value){ .text = p->program != NULL ? pt_name_of_function(p, a->function) : NULL };
	*out++ = (struct pt_value){ .text = found ? file : NULL };
	*out++ = (struct pt_value){ .u = found && line > 0 ? line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = pt_core_value(bins->n_cores, a->core);
}

const struct pt_view pt_view_addresses = {
	.name = "addresses", .help = "where the core was found, by address", .needs = "bins", .sort = "hits",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
