/* The functions' rows where all that was seen are bins: what each bin counted is of the functions that it lies in. Each
 * core has rows of its own, whose shares are of its own hits. */
#include <math.h>
#include <stdlib.h>

#include "pipeline_parts.h"
#include "profile/bins.h"

/* A row for each of the bins' own. */
static bool make_room(struct pt_pipeline *p, size_t n)
{
	struct pt_profile_function *rows = n > p->bin_room ? realloc(p->bin_rows, n * sizeof(*rows)) : p->bin_rows;
	struct pt_execution_function *runs;

	if (n <= p->bin_room)
		return true;
	p->bin_rows = rows != NULL ? rows : p->bin_rows;
	runs = rows != NULL ? realloc(p->bin_runs, n * sizeof(*runs)) : NULL;
	if (runs == NULL)
		return false;
	p->bin_runs = runs;
	p->bin_room = n;
	return true;
}

bool pt_snapshot_by_bins(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	const struct pt_bins *bins;

	f->by_bins = false;
	if (p->flow_lane != NULL || p->sample_lane != NULL)
		return false;
	pt_chosen_result_of(p, &pt_analysis_bins);
	bins = f->bins;
	if (bins == NULL || bins->hits == 0 || !make_room(p, bins->n_functions))
		return false;
	f->by_bins = true;
	f->no_code = false;
	f->awake_only = false;
	f->by_instructions = bins->by_instructions;
	f->instructions = bins->by_instructions ? bins->hits : 0;
	f->cycles = bins->by_cycles ? bins->hits : 0;
	f->counts = PT_BASIS_NONE;
	f->shares = bins->whole ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	f->times = bins->by_instructions || bins->by_cycles ? f->shares : PT_BASIS_NONE;
	return true;
}

/* Hits that are nothing but samples are no time. */
static void make_row(struct pt_pipeline *p, const struct pt_bins_function *from, bool ticks)
{
	size_t i = p->profile.n_functions++;
	struct pt_execution_function *run = &p->bin_runs[i];
	uint64_t hits = (uint64_t)llround(from->hits);

	*run = (struct pt_execution_function){
		.instructions = p->profile.by_instructions ? hits : 0,
		.cycles = p->profile.by_instructions ? 0 : hits,
		.gross_total = PT_UNKNOWN,
	};
	p->bin_rows[i] = (struct pt_profile_function){
		.id = from->function, .core = from->core,
		.function = from->function != PT_NO_FUNCTION ? &p->functions[from->function - 1] : NULL,
		.run = ticks ? run : NULL, .samples = ticks ? 0 : hits, .share = from->share,
	};
}

void pt_snapshot_bin_rows(struct pt_pipeline *p)
{
	const struct pt_bins *bins = p->profile.bins;
	struct pt_profile *f = &p->profile;

	f->n_functions = 0;
	f->n_cores = bins->n_cores;
	for (size_t id = 0; id < p->n_ids; id++)
		p->by_id[id] = NULL;
	for (size_t i = 0; i < bins->n_functions; i++) {
		const struct pt_bins_function *from = &bins->function[i];

		if (!p->shown[from->function])
			continue;
		make_row(p, from, f->times != PT_BASIS_NONE);
		if (from->core == bins->core[0].core)
			p->by_id[from->function] = &p->bin_rows[f->n_functions - 1];
	}
	f->unseen = (struct pt_share){ 0 };
	f->function = p->bin_rows;
	f->by_id = p->by_id;
	f->n_ids = p->n_ids;
}
