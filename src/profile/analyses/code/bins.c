#include "profile/analyses/code/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "profile/stats/batches.h"
#include "program/model/linetable.h"
#include "trace/config.h"

enum { SLOTS = 2 * PT_BINS_MAX, SOURCES = 32, LINE_PARTS = 1 << 20 };

struct bins {
	const struct pt_program *program;
	size_t n_ids;
	struct pt_bins_address *address;	/* as they came */
	struct pt_recent *recent;		/* of each */
	size_t n_addresses;
	uint32_t *slot;				/* index + 1 in address; 0: free */
	struct source {
		uint16_t source;
		uint64_t bin_bytes, high;
		bool exact, instructions, cycles, rereads;
		char event[40];			/* that samples are taken by; "": time */
	} source[SOURCES];
	size_t n_sources;
	bool sampled;				/* some hits are samples */
	struct pt_batches *batches, *by_address;	/* of those that are of the program counter; by function, by address */
	bool instructions, cycles;		/* some hits are these */
	struct pt_bins result;
	struct pt_bins_address *sorted;
	struct pt_bins_core cores[PT_BINS_CORES];
	struct pt_bins_function *by_id, *functions;	/* by_id: of one core */
	size_t functions_room;
	struct pt_bins_line *lines;
	size_t lines_room;
	double *whole, *touched;	/* by id, of one core: hits of bins all its own; of all it has a part in */
};

/* --- hits */

static size_t slot_of(const struct bins *b, uint16_t core, uint64_t address, uint64_t bytes)
{
	uint64_t key = bytes << 16 | core;
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15) ^ key * UINT64_C(0xff51afd7ed558ccd);
	size_t i = (size_t)(hash >> 32) % SLOTS;

	for (; b->slot[i] != 0; i = (i + 1) % SLOTS) {
		const struct pt_bins_address *a = &b->address[b->slot[i] - 1];

		if (a->address == address && a->bytes == bytes && a->core == core)
			break;
	}
	return i;
}

/* In order of their numbers. NULL: there are too many. */
static struct pt_bins_core *core_of(struct bins *b, uint16_t core)
{
	size_t n = b->result.n_cores, i = 0;

	while (i < n && b->cores[i].core < core)
		i++;
	if (i < n && b->cores[i].core == core)
		return &b->cores[i];
	if (n == PT_BINS_CORES)
		return NULL;
	memmove(&b->cores[i + 1], &b->cores[i], (n - i) * sizeof(*b->cores));
	b->cores[i] = (struct pt_bins_core){ .core = core, .begun_ns = PT_UNKNOWN, .before_ns = PT_UNKNOWN };
	b->result.n_cores++;
	return &b->cores[i];
}

/* Which address it is, in *at; false: it found no room. */
static bool hit(struct bins *b, uint16_t core, uint64_t address, uint64_t bytes, uint64_t hits, size_t *at)
{
	size_t i = slot_of(b, core, address, bytes);
	struct pt_bins_core *of = core_of(b, core);

	if (of == NULL || (b->slot[i] == 0 && b->n_addresses == PT_BINS_MAX)) {
		b->result.dropped += hits;
		return false;
	}
	if (b->slot[i] == 0) {
		b->address[b->n_addresses] =
			(struct pt_bins_address){ .address = address, .bytes = bytes, .core = core };
		b->slot[i] = (uint32_t)++b->n_addresses;
	}
	*at = b->slot[i] - 1;
	b->address[*at].hits += hits;
	of->hits += hits;
	b->result.hits = b->cores[0].hits;
	return true;
}

static const struct source *source_of(const struct bins *b, uint16_t source)
{
	for (size_t i = 0; i < b->n_sources; i++)
		if (b->source[i].source == source)
			return &b->source[i];
	return NULL;
}

/* Of its bytes, those that are counted: not what lies behind the last address. */
static uint64_t counted_bytes(const struct source *s, uint64_t begin)
{
	return begin <= s->high && s->high - begin < s->bin_bytes - 1 ? s->high - begin + 1 : s->bin_bytes;
}

/* at: that of the chunk, which begins where the one before it ends, and how long it is. One that took no time is of bins
 * that do not count any more: those that are read anew are all of one instant. */
static void note_time(struct pt_bins_core *of, const struct pt_timestamp *at, bool ends, bool anew)
{
	uint64_t since_ns;

	if (!of->part_read)
		of->before_ns = of->begun_ns;
	if (!of->part_read || (at->error_ns == 0 && anew))
		of->begun_ns = at->ns;
	of->part_read = !ends;
	since_ns = ends ? of->begun_ns : of->before_ns;
	of->apart_ns = since_ns != PT_UNKNOWN && at->ns != PT_UNKNOWN ? at->ns + at->error_ns - since_ns : PT_UNKNOWN;
}

/* One that found nothing (the core was held) makes nothing old. */
static void end_reading(struct bins *b, uint16_t core, const struct source *source, const struct pt_timestamp *at)
{
	struct pt_bins_core *of = core_of(b, core);

	if (of != NULL && source != NULL && source->exact)
		note_time(of, at, true, source->rereads);
	if (of != NULL && of->recent.found > 0 && of->recent.reading == of->reading)
		of->reading++;
}

static void take_bin(struct bins *b, const struct pt_event *e, const struct pt_timestamp *at)
{
	const struct source *source = source_of(b, e->source);
	struct pt_bins_core *of;
	size_t i = 0;

	if (e->bin.count == PT_UNKNOWN) {
		b->result.full++;
		return;
	}
	if (e->bin.count == 0)
		end_reading(b, e->core, source, at);
	if (e->bin.count == 0 || e->bin.count > UINT64_MAX / 2)
		return;
	if (source != NULL) {
		b->sampled |= !source->exact;
		b->instructions |= source->instructions;
		b->cycles |= source->cycles;
	}
	if (!hit(b, e->core, e->bin.begin, source != NULL ? counted_bytes(source, e->bin.begin) : 1, e->bin.count, &i))
		return;
	of = core_of(b, e->core);
	if (source != NULL && source->exact)
		note_time(of, at, false, source->rereads || e->bin.begin <= of->read_to);
	of->read_to = e->bin.begin;
	pt_recent_add(&of->recent, of->reading, e->bin.count);
	pt_recent_add(&b->recent[i], of->reading, e->bin.count);
}

/* Samples by different events are no hits of one kind: those of the first are taken. */
static bool is_of_first_event(const struct bins *b, uint16_t source)
{
	const struct source *of = source_of(b, source);

	return of == NULL || strcmp(of->event, b->source[0].event) == 0;
}

/* The function at an address, or the next behind it, in *f (n: none); returns its id, 0 if address is in none. */
static uint16_t function_at(const struct bins *b, const struct pt_function *functions, size_t n, uint64_t address,
			    size_t *f)
{
	size_t low = 0, high = n;

	while (low < high) {			/* the first that ends behind address */
		size_t middle = (low + high) / 2;

		if (functions[middle].address + functions[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*f = low;
	if (low < n && functions[low].address <= address && low + 1 < b->n_ids)
		return (uint16_t)(low + 1);
	return PT_NO_FUNCTION;
}

static void take_sample(struct bins *b, const struct pt_event *e)
{
	const struct pt_function *functions;
	size_t n_known = b->n_addresses, at, n = 0, ignored;

	if (!hit(b, e->core, e->branch.to, 1, 1, &at))
		return;
	if (b->n_addresses > n_known) {
		functions = b->program != NULL ? pt_program_functions(b->program, &n) : NULL;
		b->address[at].function = function_at(b, functions, n, e->branch.to, &ignored);
	}
	pt_batches_sample(b->batches, e->source, e->core, b->address[at].function);
	pt_batches_sample(b->by_address, e->source, e->core, (uint16_t)at);
	b->sampled = true;
}

static void take_events(void *analysis, const struct pt_event *e, const struct pt_timestamp *at, size_t n)
{
	struct bins *b = analysis;

	for (; n-- > 0; e++, at++) {
		if (e->kind == PT_EV_SAMPLE && !is_of_first_event(b, e->source)) {
			continue;
		} else if (e->kind == PT_EV_SAMPLE && e->branch.to == PT_UNKNOWN) {
			b->result.asleep++;
		} else if (e->kind == PT_EV_SAMPLE) {
			take_sample(b, e);
		} else if (e->kind == PT_EV_BIN) {
			take_bin(b, e, at);
		}
	}
}

static void end_batch(void *analysis, uint16_t source)
{
	struct bins *b = analysis;

	pt_batches_end(b->batches, source);
	pt_batches_end(b->by_address, source);
}

static void take_config(void *analysis, uint16_t source, const struct pt_config *config)
{
	struct bins *b = analysis;
	uint64_t bytes = pt_config_number(config, "bin_bytes", 1), low, high;
	char counting[16];
	size_t i = 0;

	while (i < b->n_sources && b->source[i].source != source)
		i++;
	if (i == SOURCES)
		return;
	b->n_sources += i == b->n_sources;
	low = pt_config_number(config, "low", 0);
	high = pt_config_number(config, "high", UINT64_MAX);
	b->result.low = low < b->result.low ? low : b->result.low;
	b->result.high = high > b->result.high ? high : b->result.high;
	b->result.older |= pt_config_number(config, "cumulate", 0) != 0;
	pt_config_text(config, "counting", counting, sizeof(counting));
	b->source[i] = (struct source){
		.source = source, .bin_bytes = bytes > 0 && bytes <= UINT32_MAX ? bytes : 1, .high = high,
		.exact = pt_config_number(config, "exact", 0) != 0,
		.rereads = pt_config_number(config, "rereads", 0) != 0,
		.instructions = strcmp(counting, "instructions") == 0, .cycles = strcmp(counting, "cycles") == 0,
	};
	pt_config_text(config, "event", b->source[i].event, sizeof(b->source[i].event));
}

/* --- to functions */

static void add_part(struct bins *b, uint16_t id, double part, const struct pt_bins_address *bin)
{
	double hits = (double)bin->hits;

	b->by_id[id].last += (double)bin->last * part;
	b->by_id[id].hits += hits * part;
	b->by_id[id].bins++;
	b->touched[id] += hits;
	if (part < 1)
		b->by_id[id].split += hits * part;
	else
		b->whole[id] += hits;
}

static void split_bin(struct bins *b, const struct pt_function *functions, size_t n, struct pt_bins_address *bin)
{
	uint64_t at = bin->address, end = at + bin->bytes > at ? at + bin->bytes : UINT64_MAX, until;
	double part, outside = 0;	/* of all functions, which may be in several places of a bin */
	uint16_t id;
	size_t f;

	bin->function = function_at(b, functions, n, at, &f);
	for (unsigned parts = 0; at < end; at = until, parts++) {
		id = function_at(b, functions, n, at, &f);
		if (id != PT_NO_FUNCTION)
			until = functions[f].address + functions[f].size;
		else
			until = f < n && functions[f].address > at ? functions[f].address : end;
		if (until > end || until <= at || parts == PT_BINS_FUNCTIONS)
			until = end;
		part = (double)(until - at) / (double)(end - bin->address);
		if (id != PT_NO_FUNCTION)
			add_part(b, id, part, bin);
		else
			outside += part;
	}
	if (outside > 0)
		add_part(b, PT_NO_FUNCTION, outside, bin);
}

/* --- to lines */

static void add_line(struct bins *b, const struct pt_line_range *range, uint16_t core, double part, double hits)
{
	if (b->result.n_lines == b->lines_room) {
		if (b->lines_room == LINE_PARTS)
			return;
		b->lines_room = b->lines_room > 0 ? 2 * b->lines_room : 1024;
		b->lines = pt_realloc_array(b->lines, b->lines_room, sizeof(*b->lines));
	}
	b->lines[b->result.n_lines++] = (struct pt_bins_line){
		.file = range->file, .line = range->line,
		.function = range->function + 1 < b->n_ids ? (uint16_t)(range->function + 1) : PT_NO_FUNCTION,
		.core = core, .hits = hits * part, .split = part < 1 ? hits * part : 0,
	};
}

/* The first range that ends behind address. */
static size_t range_behind(const struct pt_line_range *range, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (range[middle].to <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Each range that a bin has a part in gets that part of its hits. */
static void split_to_lines(struct bins *b, const struct pt_line_range *range, size_t n,
			   const struct pt_bins_address *bin)
{
	uint64_t end = bin->address + bin->bytes > bin->address ? bin->address + bin->bytes : UINT64_MAX;
	size_t first = range_behind(range, n, bin->address);

	for (size_t i = first; i < n && range[i].from < end && i - first < PT_BINS_FUNCTIONS; i++) {
		uint64_t from = range[i].from > bin->address ? range[i].from : bin->address;
		uint64_t to = range[i].to < end ? range[i].to : end;

		if (range[i].line != 0)
			add_line(b, &range[i], bin->core, (double)(to - from) / (double)(end - bin->address),
				 (double)bin->hits);
	}
}

static int by_line(const void *a, const void *b)
{
	const struct pt_bins_line *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* A line may have code in many places: one row of all of them. */
static void join_lines(struct bins *b)
{
	size_t n = 0;

	if (b->result.n_lines == 0)
		return;
	qsort(b->lines, b->result.n_lines, sizeof(*b->lines), by_line);
	for (size_t i = 1; i < b->result.n_lines; i++) {
		if (by_line(&b->lines[n], &b->lines[i]) != 0) {
			b->lines[++n] = b->lines[i];
			continue;
		}
		b->lines[n].hits += b->lines[i].hits;
		b->lines[n].split += b->lines[i].split;
	}
	b->result.n_lines = n + 1;
}

static void make_lines(struct bins *b)
{
	size_t n = 0;
	const struct pt_line_range *range = b->program != NULL ? pt_program_lines(b->program, &n) : NULL;

	b->result.n_lines = 0;
	for (size_t i = 0; i < b->n_addresses && n > 0; i++)
		split_to_lines(b, range, n, &b->sorted[i]);
	join_lines(b);
	b->result.line = b->lines;
}

/* --- shares */

/* Independent samples: clusters of one. */
static struct pt_share share_of(double x, double n)
{
	struct pt_cluster_total total = { .n = (uint64_t)n, .y = n, .yy = n };
	struct pt_cluster_sum sum = { .x = x, .xx = x, .xy = x };

	return pt_cluster_share(&total, &sum);
}

static void judge(const struct bins *b, const struct pt_bins_core *core, struct pt_bins_function *row)
{
	double n = (double)core->hits, whole = b->whole[row->function], touched = b->touched[row->function];

	row->share = (struct pt_share){ .share = row->hits / n };
	row->last = core->last > 0 ? row->last / (double)core->last : NAN;
	if (b->sampled && pt_batches_share(b->batches, core->core, core->hits, row->function, &row->share))
		return;
	if (b->sampled) {
		row->share.lo = share_of(whole, n).lo;
		row->share.hi = share_of(touched, n).hi;
		row->share.effective = n;
	} else if (row->split > 0) {
		row->share.lo = whole / n;
		row->share.hi = touched / n;
	}
}

static struct pt_share share_of_address(const struct bins *b, size_t i)
{
	const struct pt_bins_address *a = &b->address[i];
	double n = (double)pt_bins_core_hits(&b->result, a->core);
	struct pt_share share = { .share = n > 0 ? (double)a->hits / n : 0 };

	if (b->sampled && !pt_batches_share(b->by_address, a->core, (uint64_t)n, (uint16_t)i, &share))
		share = share_of((double)a->hits, n);
	return share;
}

static int by_address(const void *a, const void *b)
{
	const struct pt_bins_address *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Rows for so many cores. */
static void make_room(struct bins *b)
{
	size_t room = b->result.n_cores * b->n_ids;

	if (room > b->functions_room) {
		b->functions_room = room;
		b->functions = pt_realloc_array(b->functions, room, sizeof(*b->functions));
	}
	b->result.function = b->functions;
}

/* From the sorted address `first` on; returns the first of the next core. */
static size_t give_core(struct bins *b, struct pt_bins_core *core, size_t first)
{
	size_t n = 0, i = first;
	const struct pt_function *functions = b->program != NULL ? pt_program_functions(b->program, &n) : NULL;

	memset(b->by_id, 0, b->n_ids * sizeof(*b->by_id));
	memset(b->whole, 0, b->n_ids * sizeof(*b->whole));
	memset(b->touched, 0, b->n_ids * sizeof(*b->touched));
	for (; i < b->n_addresses && b->sorted[i].core == core->core; i++)
		split_bin(b, functions, n, &b->sorted[i]);
	core->n_addresses = i - first;
	core->n_functions = 0;
	for (size_t id = 0; id < b->n_ids; id++) {
		struct pt_bins_function *row = &b->functions[b->result.n_functions];

		if (b->by_id[id].bins == 0)
			continue;
		*row = b->by_id[id];
		row->function = (uint16_t)id;
		row->core = core->core;
		judge(b, core, row);
		b->result.whole &= row->split == 0;
		b->result.n_functions++;
		core->n_functions++;
	}
	return i;
}

static void find_last(struct bins *b)
{
	for (size_t i = 0; i < b->result.n_cores; i++)
		b->cores[i].last = pt_recent_last(&b->cores[i].recent, b->cores[i].reading);
	for (size_t i = 0; i < b->n_addresses; i++)
		b->address[i].last = pt_recent_last(&b->recent[i], core_of(b, b->address[i].core)->reading);
}

static void find_shares(struct bins *b)
{
	b->result.core = b->cores;
	for (size_t i = 0; i < b->n_addresses; i++)
		b->address[i].share = share_of_address(b, i);
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct bins *b = analysis;
	size_t at = 0;

	make_room(b);
	find_last(b);
	find_shares(b);
	memcpy(b->sorted, b->address, b->n_addresses * sizeof(*b->sorted));
	qsort(b->sorted, b->n_addresses, sizeof(*b->sorted), by_address);
	b->result.n_functions = 0;
	b->result.whole = !b->sampled;
	for (size_t i = 0; i < b->result.n_cores; i++)
		at = give_core(b, &b->cores[i], at);
	b->result.n_addresses = b->n_addresses;
	b->result.exact = !b->sampled && b->result.full == 0;
	b->result.whole &= b->result.full == 0;
	b->result.by_instructions = b->instructions && !b->cycles && !b->sampled;
	b->result.by_cycles = b->cycles && !b->instructions && !b->sampled;
	make_lines(b);
	profile->bins = &b->result;
}

struct pt_share pt_bins_bounded(const struct pt_bins *bins, uint16_t core, struct pt_share share)
{
	double lo = share.hi > 0 ? share.lo : share.share, hi = share.hi > 0 ? share.hi : share.share;

	for (size_t i = 0; i < bins->n_cores; i++) {
		double hits = (double)bins->core[i].hits, rest = hits - bins->core[i].apart;

		if (bins->core[i].core != core || !(bins->core[i].apart > 0))
			continue;
		share.lo = rest > 0 ? fmax((lo * hits - bins->core[i].apart) / rest, 0) : 0;
		share.hi = rest > 0 ? fmin(hi * hits / rest, 1) : 1;
	}
	return share;
}

/* --- life */

static void bins_free(void *analysis)
{
	struct bins *b = analysis;

	free(b->address);
	free(b->recent);
	free(b->sorted);
	free(b->slot);
	free(b->by_id);
	free(b->functions);
	free(b->lines);
	free(b->whole);
	free(b->touched);
	pt_batches_free(b->batches);
	pt_batches_free(b->by_address);
	free(b);
}

static void *bins_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct bins *b = pt_alloc(sizeof(*b));

	(void)err;
	b->program = setup->program;
	b->n_ids = setup->n_functions;
	b->address = pt_realloc_array(NULL, PT_BINS_MAX, sizeof(*b->address));
	b->recent = pt_alloc_array(PT_BINS_MAX, sizeof(*b->recent));
	b->sorted = pt_realloc_array(NULL, PT_BINS_MAX, sizeof(*b->sorted));
	b->slot = pt_alloc_array(SLOTS, sizeof(*b->slot));
	b->by_id = pt_alloc_array(b->n_ids, sizeof(*b->by_id));
	b->functions = pt_alloc_array(b->n_ids, sizeof(*b->functions));
	b->functions_room = b->n_ids;
	b->whole = pt_alloc_array(b->n_ids, sizeof(*b->whole));
	b->touched = pt_alloc_array(b->n_ids, sizeof(*b->touched));
	b->batches = pt_batches_new(b->n_ids, PT_BINS_CORES);
	b->by_address = pt_batches_new(PT_BINS_MAX, PT_BINS_CORES);
	b->result = (struct pt_bins){ .function = b->functions, .address = b->sorted, .low = UINT64_MAX };
	return b;
}

const struct pt_analysis pt_analysis_bins = {
	.name = "bins", .help = "histogram over code, from samples or bins", .standard = true, .open = bins_new,
	.close = bins_free, .events = take_events, .batch_end = end_batch, .config = take_config, .result = give,
};
