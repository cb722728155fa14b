/* Makes the functions' rows where bins are the only data: the count of a bin belongs to the functions it covers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"
#include "profile/analyses/code/bins.h"
#include "base/util.h"
#include "trace/formats.h"

static bool is_traced(const struct pt_pipeline *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n_core_profiles; i++)
		any |= p->core_profile[i].flow != NULL || p->core_profile[i].samples != NULL;
	return any;
}

static void sum_up(struct pt_pipeline *p, const struct pt_bins *bins)
{
	struct pt_profile *f = &p->profile;

	f->instructions = f->cycles = f->ticks = 0;
	for (size_t i = 0; i < bins->n_cores && i < PT_LEN(p->cores); i++) {
		p->cores[i] = (struct pt_profile_core){
			.core = bins->core[i].core, .instructions = bins->by_instructions ? bins->core[i].hits : 0,
			.cycles = bins->by_cycles ? bins->core[i].hits : 0,
			.ticks = bins->by_instructions || bins->by_cycles ? bins->core[i].hits : 0,
		};
		f->instructions += p->cores[i].instructions;
		f->cycles += p->cores[i].cycles;
		f->ticks += p->cores[i].ticks;
	}
	f->core = p->cores;
	f->n_cores = bins->n_cores;
}

/* The account of the source of bins; NULL: there is none, or a dump does not say when it counted. */
static const struct pt_loss_sum *time_of_bins(const struct pt_profile *f, uint16_t core)
{
	for (size_t i = 0; i < f->n_sources; i++) {
		const struct pt_profile_source *s = &f->sources[i];

		if (s->core == core && strcmp(s->format, PT_FORMAT_BINS) == 0)
			return s->observed_is_bound || s->triggered ? NULL : &s->loss;
	}
	return NULL;
}

/* The observed cycles are those that bins counted, plus the rest. A busy host learns late that the core runs and that
 * counting has begun. So bins may exceed the observed time; only more than the clock has in the whole time, and a
 * packet at each end, is impossible. */
static void make_rest(struct pt_profile *f, const struct pt_bins *bins, struct pt_profile_core *core)
{
	static const double packets_s = 0.01, drift = 0.02;
	const struct pt_loss_sum *time = time_of_bins(f, core->core);
	double hz = (double)f->core_hz, clock;

	core->rest_cycles = PT_UNKNOWN;
	if (!bins->by_cycles || !bins->exact || bins->older || time == NULL || f->core_hz == 0)
		return;
	clock = (double)time->observed_ns / 1e9 * hz;
	core->beyond_clock = (double)core->cycles > ((double)time->total_ns / 1e9 * (1 + drift) + packets_s) * hz;
	if (core->beyond_clock)
		f->times = f->shares = PT_BASIS_ESTIMATED;
	else
		core->rest_cycles = clock > (double)core->cycles ? (uint64_t)clock - core->cycles : 0;
}

/* The number of a core's hits that may have been counted between reading its first bin and its last: at most one per
 * cycle. */
static double hits_apart(const struct pt_pipeline *p, const struct pt_bins_core *core)
{
	static const double drift = 0.02;

	if (core->apart_ns == 0 || core->hits == 0)
		return 0;
	if (core->apart_ns == PT_UNKNOWN || p->profile.core_hz == 0)
		return (double)core->hits;
	return (double)core->apart_ns / 1e9 * (double)p->profile.core_hz * (1 + drift);
}

/* Copies the bins, so that their bounds can be changed: shares of functions and addresses, and figures of cores. */
static struct pt_bins *copy_bins(struct pt_pipeline *p, const struct pt_bins *from)
{
	struct pt_bins_core *cores = pt_alloc_array(from->n_cores + 1, sizeof(*cores));
	struct pt_bins_function *functions = pt_alloc_array(from->n_functions + 1, sizeof(*functions));
	struct pt_bins_address *addresses = pt_alloc_array(from->n_addresses + 1, sizeof(*addresses));
	struct pt_bins *to = pt_alloc(sizeof(*to));

	memcpy(cores, from->core, from->n_cores * sizeof(*cores));
	memcpy(functions, from->function, from->n_functions * sizeof(*functions));
	memcpy(addresses, from->address, from->n_addresses * sizeof(*addresses));
	*to = *from;
	to->core = cores;
	to->function = functions;
	to->address = addresses;
	pt_snapshot_free_bins(p);
	p->bounded_bins = to;
	return to;
}

/* Widens bounds where bins were not read at one instant. */
static struct pt_bins *bound_by_readings(struct pt_pipeline *p, const struct pt_bins *from)
{
	struct pt_bins *bins = copy_bins(p, from);
	struct pt_bins_core *cores = (struct pt_bins_core *)bins->core;
	struct pt_bins_function *functions = (struct pt_bins_function *)bins->function;
	struct pt_bins_address *addresses = (struct pt_bins_address *)bins->address;

	for (size_t i = 0; i < bins->n_cores && bins->exact; i++) {
		cores[i].apart = hits_apart(p, &cores[i]);
		bins->apart |= cores[i].apart > 0;
	}
	for (size_t i = 0; i < bins->n_functions; i++)
		functions[i].share = pt_bins_bounded(bins, functions[i].core, functions[i].share);
	for (size_t i = 0; i < bins->n_addresses; i++)
		addresses[i].share = pt_bins_bounded(bins, addresses[i].core, addresses[i].share);
	return bins;
}

bool pt_snapshot_by_bins(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	const struct pt_bins *bins;

	f->by_bins = false;
	if (is_traced(p))
		return false;
	pt_selection_result_of(p, &pt_analysis_bins);
	bins = f->bins;
	if (bins == NULL || bins->hits == 0)
		return false;
	bins = f->bins = bound_by_readings(p, bins);
	f->by_bins = true;
	f->no_code = false;
	f->awake_only = false;
	f->by_instructions = bins->by_instructions;
	sum_up(p, bins);
	f->counts = PT_BASIS_NONE;
	f->shares = bins->whole && !bins->apart ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	f->times = bins->by_instructions || bins->by_cycles ? f->shares : PT_BASIS_NONE;
	for (size_t i = 0; i < f->n_cores && i < PT_LEN(p->cores); i++)
		make_rest(f, bins, &p->cores[i]);
	return true;
}

/* Hits that are samples are not times. */
static void make_row(struct pt_pipeline *p, const struct pt_bins_function *from, bool ticks)
{
	struct pt_profile_function *row = pt_snapshot_row(p, from->function, from->core);
	struct pt_execution_function *run = &p->bin_runs[p->profile.n_functions - 1];
	uint64_t hits = (uint64_t)llround(from->hits);

	if (row == NULL)
		return;
	*run = (struct pt_execution_function){
		.instructions = p->profile.by_instructions ? hits : 0,
		.cycles = p->profile.by_instructions ? 0 : hits,
		.gross_total = PT_UNKNOWN,
	};
	row->run = row->seen = ticks ? run : NULL;
	row->samples = ticks ? 0 : hits;
	row->share = from->share;
}

void pt_snapshot_bin_rows(struct pt_pipeline *p)
{
	const struct pt_bins *bins = p->profile.bins;
	struct pt_profile *f = &p->profile;

	pt_snapshot_make_room(p, bins->n_functions);
	pt_snapshot_no_rows(p);
	for (size_t i = 0; i < bins->n_functions; i++)
		if (p->shown[bins->function[i].function])
			make_row(p, &bins->function[i], f->times != PT_BASIS_NONE);
	f->unseen = (struct pt_share){ 0 };
}

/* --- beside the rows of functions */

/* The core whose figures come from samples alone; NULL: the core has other data. */
static const struct pt_core_profile *sampled_core(struct pt_pipeline *p, uint16_t core)
{
	const struct pt_core_profile *core_profile = pt_core_profile_find(p, core);

	return core_profile != NULL && pt_core_profile_counted(core_profile) ? core_profile : NULL;
}

static void bound_by_samples(struct pt_pipeline *p, struct pt_bins *bins)
{
	struct pt_bins_function *functions = (struct pt_bins_function *)bins->function;
	struct pt_bins_address *addresses = (struct pt_bins_address *)bins->address;
	uint16_t handler;

	for (size_t i = 0; i < bins->n_functions; i++) {
		const struct pt_core_profile *of = sampled_core(p, functions[i].core);

		if (of != NULL)
			functions[i].share =
				pt_flat_bounded(of->flat,
						pt_flat_doubted(of->flat, functions[i].share, functions[i].function),
						&functions[i].function);
	}
	for (size_t i = 0; i < bins->n_addresses; i++) {
		const struct pt_core_profile *of = sampled_core(p, addresses[i].core);

		if (of != NULL)
			addresses[i].share =
				pt_flat_bounded(of->flat,
						pt_snapshot_doubted(of, addresses[i].address, addresses[i].share),
						pt_snapshot_handler(p, addresses[i].address, false, &handler));
	}
}

/* Samples have rows by function, and bins by address: doubt about a function widens the bounds of its addresses,
 * too. */
void pt_snapshot_bound_bins(struct pt_pipeline *p)
{
	const struct pt_bins *from = p->profile.bins;

	if (p->profile.by_bins)
		p->profile.bins = p->bounded_bins;	/* since pt_snapshot_by_bins() */
	if (p->profile.by_bins || from == NULL || from == p->bounded_bins || from->whole)
		return;
	p->profile.bins = copy_bins(p, from);
	bound_by_samples(p, p->bounded_bins);
}

void pt_snapshot_free_bins(struct pt_pipeline *p)
{
	if (p->bounded_bins == NULL)
		return;
	free((void *)p->bounded_bins->core);
	free((void *)p->bounded_bins->function);
	free((void *)p->bounded_bins->address);
	free(p->bounded_bins);
	p->bounded_bins = NULL;
}
