/* The functions' rows where all that was seen are bins: what each bin counted is of the functions that it lies in. Of
 * several cores these are the first one's; the others have theirs in the tables of bins. */
#include <math.h>
#include <stdlib.h>

#include "pipeline_parts.h"
#include "profile/bins.h"

bool pt_snapshot_by_bins(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	const struct pt_bins *bins;

	f->by_bins = false;
	if (p->flow_lane != NULL || p->sample_lane != NULL)
		return false;
	pt_chosen_result_of(p, &pt_analysis_bins);
	bins = f->bins;
	if (bins == NULL || bins->hits == 0)
		return false;
	if (p->bin_runs == NULL)
		p->bin_runs = calloc(p->n_ids, sizeof(*p->bin_runs));
	if (p->bin_runs == NULL)
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
	struct pt_profile_function *row = &p->rows[p->profile.n_functions++];
	struct pt_execution_function *run = &p->bin_runs[from->function];
	uint64_t hits = (uint64_t)llround(from->hits);

	*run = (struct pt_execution_function){
		.instructions = p->profile.by_instructions ? hits : 0,
		.cycles = p->profile.by_instructions ? 0 : hits,
		.gross_total = PT_UNKNOWN,
	};
	*row = (struct pt_profile_function){
		.id = from->function,
		.function = from->function != PT_NO_FUNCTION ? &p->functions[from->function - 1] : NULL,
		.run = ticks ? run : NULL, .samples = ticks ? 0 : hits, .share = from->share,
	};
	p->by_id[from->function] = row;
}

void pt_snapshot_bin_rows(struct pt_pipeline *p)
{
	const struct pt_bins *bins = p->profile.bins;
	struct pt_profile *f = &p->profile;

	f->n_functions = 0;
	for (size_t id = 0; id < p->n_ids; id++)
		p->by_id[id] = NULL;
	for (size_t i = 0; i < bins->core[0].n_functions; i++)
		if (p->shown[bins->function[i].function])
			make_row(p, &bins->function[i], f->times != PT_BASIS_NONE);
	f->unseen = (struct pt_share){ 0 };
	f->function = p->rows;
	f->by_id = p->by_id;
	f->n_ids = p->n_ids;
}
