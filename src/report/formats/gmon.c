/* gmon.out, for GNU gprof (gmon_out.h, hist.c): a histogram of the program counter, and call arcs where calls were
 * seen. In the byte order and address size of the ELF. Bins are 2 bytes wide, or as wide as those of the hardware, and
 * hold 16 bits: larger counts are written as several records over the same range, which gprof adds up; if that takes
 * more than MOST_RECORDS, a tick represents more time, as the rate or the dimension ("kcycles") says. Samples of the
 * program counter are a histogram, too: its hits are samples instead of time.
 *
 * gprof requires bins of one size, and divides the hits of a bin between functions by width. If the end of the range cuts the
 * last bin, gprof would give a part of its hits to code behind the end: then all bins are made so narrow that one ends
 * there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/shared/stacks.h"

extern const struct pt_format pt_format_gmon;

enum { BIN_BYTES = 2, BIN_MAX = 65535, MOST_RECORDS = 16, FAR_BINS = 4096 };
enum { DIMENSION_BYTES = 15, VERSION = 1, SPARE_BYTES = 12, TAG_HISTOGRAM = 0, TAG_ARC = 1 };

struct writer {
	const struct pt_profile *profile;
	struct pt_text *out;
	bool by_hits;			/* of bins, or of samples; else of executed instructions */
	bool big_endian;
	unsigned address_bytes;
	uint64_t ticks_per_count;	/* of the profile's clock; a power of ten */
	uint32_t rate;			/* counts per unit of the dimension */
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

/* --- the histogram: of instructions that were executed, or as bins counted it */

struct cell { uint64_t address, bytes, ticks; };

struct histogram {
	struct cell *cell;		/* by address */
	size_t n_cells;
	struct pt_code_span *span;	/* sorted by address, not adjacent */
	size_t n_spans;
	uint64_t bin_bytes;		/* one size for all, as gprof requires */
};

static void histogram_free(struct histogram *h)
{
	free(h->cell);
	free(h->span);
}

static void of_lines(struct histogram *h, const struct pt_profile *p)
{
	const struct pt_lines *lines = p->lines;

	h->n_cells = lines->n_insns;
	h->n_spans = lines->map->n_spans;
	h->bin_bytes = BIN_BYTES;
	h->cell = pt_alloc_array(h->n_cells + 1, sizeof(*h->cell));
	h->span = pt_alloc_array(h->n_spans + 1, sizeof(*h->span));
	for (size_t i = 0; i < h->n_cells; i++)
		h->cell[i] = (struct cell){ lines->insn[i].address, BIN_BYTES,
					    p->by_instructions ? lines->insn[i].count : lines->insn[i].cycles };
	for (size_t i = 0; i < h->n_spans; i++)
		h->span[i] = lines->map->span[i];
}

/* Bins far from each other make separate spans, because a span needs memory for its whole address range. */
static void add_bin(struct histogram *h, uint64_t address, uint64_t bytes, uint64_t hits)
{
	struct pt_code_span *last = h->n_spans > 0 ? &h->span[h->n_spans - 1] : NULL;

	if (h->n_cells > 0 && h->cell[h->n_cells - 1].address == address) {
		h->cell[h->n_cells - 1].ticks += hits;
		return;
	}
	if (last == NULL || address < last->end || (address - last->base) % h->bin_bytes != 0 ||
	    address - last->end > FAR_BINS * bytes)
		h->span[h->n_spans++] = (struct pt_code_span){ .base = address, .end = address + bytes };
	else
		last->end = address + bytes;
	h->cell[h->n_cells++] = (struct cell){ address, bytes, hits };
}

/* The largest size that divides both a bin and the last bin, which the range's end may cut. */
static uint64_t common_bytes(const struct pt_bins *bins, uint64_t bytes)
{
	uint64_t rest = bins->n_addresses > 0 ? bins->address[bins->n_addresses - 1].bytes : bytes;

	while (rest != 0) {
		uint64_t next = bytes % rest;

		bytes = rest;
		rest = next;
	}
	return bytes > 1 ? bytes : BIN_BYTES;
}

/* Samples are bins of one byte; they are put into bins of two, because gprof counts hits in smaller bins twice. */
static int of_bins(struct histogram *h, const struct pt_bins *bins, struct pt_err *err)
{
	uint64_t bytes = bins->n_addresses > 0 ? bins->address[0].bytes : BIN_BYTES;

	h->cell = pt_alloc_array(bins->n_addresses + 1, sizeof(*h->cell));
	h->span = pt_alloc_array(bins->n_addresses + 1, sizeof(*h->span));
	h->bin_bytes = common_bytes(bins, bytes);
	for (size_t i = 0; i < bins->n_addresses; i++) {
		const struct pt_bins_address *bin = &bins->address[i];
		bool cut = i > 0 && i + 1 == bins->n_addresses && bin->bytes < bytes;	/* by the range's end */

		if ((bin->bytes != bytes && !cut) || (i > 0 && bin->address - bin[-1].address < bytes))
			return pt_fail(err, PT_ESTATE,
				       "gmon has bins of one size; this profile has some of %u and of %u "
				       "bytes, or they overlap",
				       (unsigned)bytes, (unsigned)bin->bytes);
		if (bytes > 1)
			add_bin(h, bin->address, bin->bytes, bin->hits);
		else
			add_bin(h, bin->address / BIN_BYTES * BIN_BYTES, BIN_BYTES, bin->hits);
	}
	return 0;
}

static void choose_scale(struct writer *w, const struct histogram *h)
{
	static const char *const cycles[] = { "cycles", "kcycles", "Mcycles", "Gcycles", "Tcycles", "Pcycles" };
	static const char *const instructions[] = { "instrs", "kinstrs", "Minstrs", "Ginstrs", "Tinstrs", "Pinstrs" };
	static const char *const samples[] = { "samples", "ksamples", "Msamples", "Gsamples", "Tsamples", "Psamples" };
	bool in_samples = w->by_hits && !w->profile->bins->by_instructions && !w->profile->bins->by_cycles;
	bool in_seconds = w->profile->core_hz != 0 && !w->profile->by_instructions && !in_samples;
	uint64_t most = 0;
	size_t thousands = 0;

	for (size_t i = 0; i < h->n_cells; i++)
		if (h->cell[i].ticks > most)
			most = h->cell[i].ticks;
	for (w->ticks_per_count = 1; most / w->ticks_per_count > (uint64_t)BIN_MAX * MOST_RECORDS; thousands++)
		w->ticks_per_count *= in_seconds ? 10 : 1000;	/* a rate allows any divisor, a prefix only thousands */
	while (in_seconds && w->profile->core_hz / w->ticks_per_count > UINT32_MAX)
		w->ticks_per_count *= 10;
	w->rate = in_seconds ? (uint32_t)llround((double)w->profile->core_hz / (double)w->ticks_per_count) : 1;
	w->rate = w->rate > 0 ? w->rate : 1;	/* if the core is slower than the divisor: gprof divides by the rate */
	w->dimension = in_seconds		     ? "seconds"
		       : in_samples		     ? samples[thousands]
		       : w->profile->by_instructions ? instructions[thousands]
						     : cycles[thousands];
}

static void one_record(struct writer *w, const struct pt_code_span *span, uint64_t bin_bytes, const uint64_t *count,
		       size_t n_bins, unsigned record)
{
	char dimension[DIMENSION_BYTES + 1] = "";

	put(w, TAG_HISTOGRAM, 1);
	put(w, span->base, w->address_bytes);
	put(w, span->base + n_bins * bin_bytes, w->address_bytes);
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

/* The rounding error of a bin is carried to the next, so that the sum is right. Wider cells are spread evenly, as gprof
 * would. */
static uint64_t fill(struct writer *w, const struct histogram *h, const struct pt_code_span *span, uint64_t *count,
		     size_t n_bins)
{
	uint64_t rest = w->ticks_per_count / 2, most = 0;

	for (size_t i = 0; i < h->n_cells; i++) {
		const struct cell *cell = &h->cell[i];
		size_t bin = (size_t)((cell->address - span->base) / h->bin_bytes);
		uint64_t parts = (cell->bytes + h->bin_bytes - 1) / h->bin_bytes, given = 0;

		if (cell->address < span->base)
			continue;
		for (uint64_t part = 1; part <= parts && bin < n_bins; part++, bin++) {
			uint64_t upto = (uint64_t)((double)cell->ticks / (double)parts * (double)part);

			upto = part == parts ? cell->ticks : upto;
			rest += upto - given;
			given = upto;
			count[bin] += rest / w->ticks_per_count;
			rest %= w->ticks_per_count;
			if (count[bin] > most)
				most = count[bin];
		}
	}
	return most;
}

static int one_span(struct writer *w, const struct histogram *h, const struct pt_code_span *span, struct pt_err *err)
{
	size_t n_bins = (size_t)((span->end - span->base + h->bin_bytes - 1) / h->bin_bytes);
	uint64_t *count = calloc(n_bins + 1, sizeof(*count)), most;

	if (count == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory for a histogram of %zu bins", n_bins);
	most = fill(w, h, span, count, n_bins);
	for (unsigned record = 0; (uint64_t)record * BIN_MAX < most; record++)
		one_record(w, span, h->bin_bytes, count, n_bins, record);
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

/* gprof accepts any address in a function. This returns the second byte: a gprof that keeps bit 0 of a Thumb symbol
 * would assign the first byte to the function before. */
static uint64_t inside(const struct pt_function *f)
{
	return f->address + (f->size > 1);
}

/* Writes the call arcs. The address in the caller is inside the call instruction. */
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

static void header(struct writer *w)
{
	pt_text_bytes(w->out, "gmon", 4);
	put(w, VERSION, 4);
	pt_text_bytes(w->out, w->profile->from_virtual ? "VIRTUAL\0\0\0\0" : "\0\0\0\0\0\0\0\0\0\0\0",
		      SPARE_BYTES);	/* spare bytes, which are not read */
}

/* gprof does not know cores, and figures of two cores must not be summed. */
static int of_one_core(const struct pt_profile *profile, bool by_hits, struct pt_err *err)
{
	size_t n_cores = by_hits ? profile->bins->n_cores : profile->lines->n_cores;

	if (n_cores < 2)
		return 0;
	return pt_fail(err, PT_ESTATE,
		       "gmon is of one core; this profile is of %zu (core=NUMBER profiles one, and decode "
		       "reads the capture of one alone)",
		       n_cores);
}

static int write_gmon(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .profile = profile, .out = out };
	struct histogram h = { 0 };
	int rc = 0;

	(void)view;
	(void)query;
	if (pt_report_needs_code(profile, err) < 0)
		return PT_ESTATE;
	w.by_hits = profile->by_bins || (profile->samples != 0 && profile->branches == 0);
	if (w.by_hits && profile->bins == NULL)
		return pt_report_lacks("gmon", "bins", err);
	if (!w.by_hits && (profile->lines == NULL || profile->tree == NULL))
		return pt_report_lacks("gmon", profile->lines == NULL ? "lines" : "tree", err);
	if (of_one_core(profile, w.by_hits, err) < 0)
		return PT_ESTATE;
	if (profile->program == NULL)
		return pt_fail(err, PT_ESTATE, "gmon needs an ELF: gprof reads both");
	w.big_endian = pt_program_is_big_endian(profile->program);
	w.address_bytes = pt_program_address_bytes(profile->program);
	if (w.by_hits)
		rc = of_bins(&h, profile->bins, err);
	else
		of_lines(&h, profile);
	if (rc == 0) {
		choose_scale(&w, &h);
		header(&w);
	}
	for (size_t i = 0; i < h.n_spans && rc == 0; i++)
		rc = one_span(&w, &h, &h.span[i], err);
	histogram_free(&h);
	return rc < 0 || w.by_hits ? rc : arcs(&w, err);	/* bins and samples do not show calls */
}

const struct pt_format pt_format_gmon = {
	.name = "gmon", .suffix = ".gmon", .help = "gmon.out, for gprof", .needs = "tree,lines", .binary = true, .write = write_gmon,
};
