/* gmon.out, for GNU gprof (gmon_out.h, hist.c): a histogram of the program counter, and call arcs where calls were seen.
 * In the byte order and address size of the ELF. Bins are 2 bytes wide and hold 16 bits: what has more is written in
 * several records over the same range, which gprof adds up; beyond MOST_RECORDS of them a tick stands for more time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/lines.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/stacks.h"

extern const struct pt_format pt_format_gmon;

enum { BIN_BYTES = 2, BIN_MAX = 65535, MOST_RECORDS = 16, DIMENSION_BYTES = 15, VERSION = 1, SPARE_BYTES = 12, TAG_HISTOGRAM = 0, TAG_ARC = 1 };

struct writer {
	const struct pt_profile *profile;
	struct pt_text *out;
	bool big_endian;
	unsigned address_bytes;
	uint64_t ticks_per_count;	/* of the profile's clock; a power of ten */
	uint32_t rate;			/* counts in one of the dimension */
	const char *dimension;
};

/* --- numbers */

static void put(struct writer *w, uint64_t value, unsigned size)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[w->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	pt_text_bytes(w->out, bytes, size);
}

/* --- the histogram */

static uint64_t ticks_of(const struct writer *w, const struct pt_lines_insn *insn)
{
	return w->profile->by_instructions ? insn->count : insn->cycles;
}

static void choose_scale(struct writer *w)
{
	static const char *const cycles[] = { "cycles", "kcycles", "Mcycles", "Gcycles", "Tcycles", "Pcycles" };
	static const char *const instructions[] = { "instrs", "kinstrs", "Minstrs", "Ginstrs", "Tinstrs", "Pinstrs" };
	bool in_seconds = w->profile->core_hz != 0 && !w->profile->by_instructions;
	uint64_t most = 0;
	size_t thousands = 0;

	for (size_t i = 0; i < w->profile->lines->n_insns; i++)
		if (ticks_of(w, &w->profile->lines->insn[i]) > most)
			most = ticks_of(w, &w->profile->lines->insn[i]);
	for (w->ticks_per_count = 1; most / w->ticks_per_count > (uint64_t)BIN_MAX * MOST_RECORDS; thousands++)
		w->ticks_per_count *= 1000;
	while (in_seconds && w->profile->core_hz / w->ticks_per_count > UINT32_MAX)
		w->ticks_per_count *= 10;
	w->rate = in_seconds ? (uint32_t)llround((double)w->profile->core_hz / (double)w->ticks_per_count) : 1;
	w->dimension = in_seconds ? "seconds" : w->profile->by_instructions ? instructions[thousands] : cycles[thousands];
}

static void one_record(struct writer *w, const struct pt_code_span *span, const uint64_t *count, size_t n_bins,
		       unsigned record)
{
	char dimension[DIMENSION_BYTES + 1] = "";

	put(w, TAG_HISTOGRAM, 1);
	put(w, span->base, w->address_bytes);
	put(w, span->base + n_bins * BIN_BYTES, w->address_bytes);
	put(w, n_bins, 4);
	put(w, w->rate, 4);
	strncpy(dimension, w->dimension, DIMENSION_BYTES);
	dimension[DIMENSION_BYTES] = w->dimension[0];
	pt_text_bytes(w->out, dimension, sizeof(dimension));
	for (size_t i = 0; i < n_bins; i++) {
		uint64_t before = (uint64_t)record * BIN_MAX, left = count[i] > before ? count[i] - before : 0;

		put(w, left < BIN_MAX ? left : BIN_MAX, 2);
	}
}

/* What is rounded off one bin goes to the next, so that the sum stays right. */
static uint64_t fill(struct writer *w, const struct pt_code_span *span, uint64_t *count, size_t n_bins)
{
	const struct pt_lines *lines = w->profile->lines;
	uint64_t rest = w->ticks_per_count / 2, most = 0;

	for (size_t i = 0; i < lines->n_insns; i++) {
		size_t bin = (size_t)((lines->insn[i].address - span->base) / BIN_BYTES);

		if (lines->insn[i].address < span->base || bin >= n_bins)
			continue;
		rest += ticks_of(w, &lines->insn[i]);
		count[bin] += rest / w->ticks_per_count;
		rest %= w->ticks_per_count;
		if (count[bin] > most)
			most = count[bin];
	}
	return most;
}

static int histogram(struct writer *w, const struct pt_code_span *span, struct pt_err *err)
{
	size_t n_bins = (size_t)((span->end - span->base + BIN_BYTES - 1) / BIN_BYTES);
	uint64_t *count = calloc(n_bins + 1, sizeof(*count)), most;

	if (count == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory for a histogram of %zu bins", n_bins);
	most = fill(w, span, count, n_bins);
	for (unsigned record = 0; (uint64_t)record * BIN_MAX < most; record++)
		one_record(w, span, count, n_bins, record);
	free(count);
	return 0;
}

/* --- arcs */

static void arc(struct writer *w, uint64_t from, uint64_t to, uint64_t count)
{
	for (uint64_t part; count > 0; count -= part) {
		part = count < UINT32_MAX ? count : UINT32_MAX;
		put(w, TAG_ARC, 1);
		put(w, from, w->address_bytes);
		put(w, to, w->address_bytes);
		put(w, part, 4);
	}
}

/* Any address in a function will do: the second byte, for a gprof that keeps bit 0 of a Thumb symbol takes the first for
 * the function before. */
static uint64_t inside(const struct pt_function *f)
{
	return f->address + (f->size > 1);
}

/* The best address in the caller is inside the call. */
static int arcs(struct writer *w, struct pt_err *err)
{
	struct pt_stacks stacks;

	if (pt_stacks_make(&stacks, w->profile, PT_STACKS_BY_SITE, err) < 0)
		return err != NULL ? err->code : PT_ESTATE;
	for (size_t i = 1; i < stacks.n_nodes; i++) {
		const struct pt_stack_node *node = &stacks.node[i], *caller = &stacks.node[node->parent];

		if (node->function == NULL || caller->function == NULL || node->exception)
			continue;
		arc(w, node->site != PT_UNKNOWN ? node->site - 1 : inside(caller->function), inside(node->function),
		    node->count);
	}
	pt_stacks_free(&stacks);
	return 0;
}

static int write_gmon(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .profile = profile, .out = out };
	int rc = 0;

	(void)view;
	(void)query;
	if (profile->lines == NULL || profile->tree == NULL)
		return pt_report_lacks("gmon", profile->lines == NULL ? "lines" : "tree", err);
	if (profile->program == NULL)
		return pt_fail(err, PT_ESTATE, "gmon needs an ELF: gprof reads both");
	w.big_endian = pt_program_is_big_endian(profile->program);
	w.address_bytes = pt_program_address_bytes(profile->program);
	choose_scale(&w);
	pt_text_bytes(out, "gmon", 4);
	put(&w, VERSION, 4);
	pt_text_bytes(out, profile->from_virtual ? "VIRTUAL\0\0\0\0" : "\0\0\0\0\0\0\0\0\0\0\0", SPARE_BYTES);	/* nobody reads them */
	for (size_t i = 0; i < profile->lines->map->n_spans && rc == 0; i++)
		rc = histogram(&w, &profile->lines->map->span[i], err);
	return rc < 0 ? rc : arcs(&w, err);
}

const struct pt_format pt_format_gmon = {
	.name = "gmon", .help = "gmon.out, for gprof", .needs = "tree,lines", .binary = true, .write = write_gmon,
};
