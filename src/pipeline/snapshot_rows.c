/* The rows of a profile: functions by core, with their shares, and the callers and callees of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"
#include "profile/analyses/calls/tree.h"

static struct pt_share share_of(const struct pt_pipeline *p, const struct pt_core_profile *core_profile, uint16_t id)
{
	const struct pt_execution_result *result = core_profile->result;
	uint64_t part = p->profile.by_instructions ? result->function[id].instructions : result->function[id].cycles;
	uint64_t all = p->profile.by_instructions ? result->instructions : result->cycles;

	if (pt_snapshot_leaves_out(core_profile))
		return (struct pt_share){ .share = NAN, .lo = 0, .hi = 1 };
	if (pt_core_profile_counted(core_profile))
		return pt_flat_bounded(core_profile->flat, pt_flat_share(core_profile->flat, id), &id);
	if (pt_snapshot_sampled(p, core_profile))
		return core_profile->calibration[id].share;
	if (pt_snapshot_windowed(p, core_profile))
		return pt_windows_share(core_profile->windows, id);
	if (!pt_snapshot_complete(p)) {
		double seen = pt_snapshot_seen_part(p, core_profile);

		if (seen > 0 && all != 0)
			return pt_profile_bounded(seen, (double)part / (double)all);
		return (struct pt_share){ .share = NAN };	/* the share of the profile is unknown */
	}
	return (struct pt_share){ .share = all != 0 ? (double)part / (double)all : 0 };
}

static bool is_active(const struct pt_core_profile *core_profile, uint16_t id)
{
	const struct pt_execution_function *run = &core_profile->result->function[id];

	if (pt_core_profile_counted(core_profile) || pt_flat_samples(core_profile->flat, id) != 0)
		return pt_flat_samples(core_profile->flat, id) != 0;
	return run->count != 0 || run->partial != 0 || run->instructions != 0 || run->cycles != 0;
}

/* Whether each sample found the core held in reset. */
static bool never_ran(const struct pt_core_profile *core_profile)
{
	const struct pt_source_ctx *ctx = core_profile->samples;
	const struct pt_loss_sum *sum = ctx != NULL ? &ctx->account.sum : NULL;

	return sum != NULL && sum->by[PT_LOSS_IN_RESET].ns > 0 && sum->observed_ns == 0 && sum->lost_ns == 0;
}

/* All functions of a core that appear in no window and no batch of samples have the same limit. With several cores the
 * highest limit. */
static struct pt_share share_of_unseen(const struct pt_pipeline *p)
{
	double most = 0;

	for (size_t i = 0; i < p->n_core_profiles && p->profile.shares == PT_BASIS_ESTIMATED; i++) {
		const struct pt_core_profile *core_profile = &p->core_profile[i];
		struct pt_windows_summary windows = pt_windows_summary(core_profile->windows);

		if (never_ran(core_profile))
			continue;
		if (pt_snapshot_seen_part(p, core_profile) > 0)
			most = fmax(most, 1 - pt_snapshot_seen_part(p, core_profile));
		else if (pt_snapshot_windowed(p, core_profile) && !pt_snapshot_sampled(p, core_profile))
			most = fmax(most, pt_cluster_unseen(&windows.awake));
		else if (pt_core_profile_counted(core_profile) || pt_snapshot_sampled(p, core_profile))
			most = fmax(most, pt_flat_unseen(core_profile->flat));
	}
	return (struct pt_share){ .hi = most };
}

void pt_snapshot_make_room(struct pt_pipeline *p, size_t n_rows)
{
	if (n_rows <= p->rows_room)
		return;
	p->rows = pt_realloc_array(p->rows, n_rows, sizeof(*p->rows));
	p->irqs = pt_realloc_array(p->irqs, n_rows, sizeof(*p->irqs));
	p->bin_runs = pt_realloc_array(p->bin_runs, n_rows, sizeof(*p->bin_runs));
	p->rows_room = n_rows;
}

void pt_snapshot_no_rows(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	memset(p->by_id, 0, p->n_ids * sizeof(*p->by_id));
	f->function = p->rows;
	f->n_functions = 0;
	f->by_id = p->by_id;
	f->n_ids = p->n_ids;
}

struct pt_profile_function *pt_snapshot_row(struct pt_pipeline *p, uint16_t id, uint16_t core)
{
	struct pt_profile_function *row = &p->rows[p->profile.n_functions], *before;

	if (p->profile.n_functions == p->rows_room)
		return NULL;
	p->profile.n_functions++;
	*row = (struct pt_profile_function){
		.id = id, .core = core, .function = id != PT_NO_FUNCTION ? &p->functions[id - 1] : NULL,
	};
	if (p->by_id[id] == NULL) {
		p->by_id[id] = row;
		return row;
	}
	for (before = &p->rows[p->by_id[id] - p->rows]; before->next != NULL;)
		before = &p->rows[before->next - p->rows];
	before->next = row;
	return row;
}

static void make_rows_of(struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	const struct pt_profile_core *windowed = pt_profile_windowed(&p->profile, core_profile->core);

	for (size_t id = 0; id < p->n_ids; id++) {
		struct pt_profile_function *row = NULL;

		if (p->shown[id] && is_active(core_profile, (uint16_t)id))
			row = pt_snapshot_row(p, (uint16_t)id, core_profile->core);
		if (row == NULL)
			continue;
		row->run = row->seen =
			pt_core_profile_counted(core_profile) ? NULL : &core_profile->result->function[id];
		row->samples = pt_flat_samples(core_profile->flat, (uint16_t)id);
		row->share = share_of(p, core_profile, (uint16_t)id);
		if (windowed != NULL)
			pt_snapshot_window_row(p, core_profile, windowed, row, &p->bin_runs[row - p->rows]);
	}
}

void pt_snapshot_rows(struct pt_pipeline *p)
{
	pt_snapshot_make_room(p, p->n_core_profiles * p->n_ids);
	pt_snapshot_no_rows(p);
	if (p->profile.windowed)
		pt_selection_result_of(p, &pt_analysis_tree);	/* the tree has the calls */
	for (size_t i = 0; i < p->n_core_profiles; i++)
		make_rows_of(p, &p->core_profile[i]);
	p->profile.unseen = share_of_unseen(p);
}

/* Takes the edges of which at least one end is shown. */
void pt_snapshot_edges(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	size_t n = 0;

	if (f->windowed) {
		p->edges = pt_realloc_array(p->edges, (f->tree != NULL ? f->tree->n_edges : 0) + 1, sizeof(*p->edges));
		f->n_edges = pt_snapshot_window_edges(p, p->edges);
		f->edge = p->edges;
		return;
	}
	f->edge = p->core_profile[0].result->edge;
	f->n_edges = p->core_profile[0].result->n_edges;
	if (p->all_shown && p->n_core_profiles == 1)
		return;
	for (size_t i = 0; i < p->n_core_profiles; i++)
		n += p->core_profile[i].result->n_edges;
	p->edges = pt_realloc_array(p->edges, n + 1, sizeof(*p->edges));
	f->n_edges = 0;
	for (size_t i = 0; i < p->n_core_profiles; i++)
		for (size_t k = 0; k < p->core_profile[i].result->n_edges; k++) {
			const struct pt_edge *edge = &p->core_profile[i].result->edge[k];

			if (!p->shown[edge->to] && !p->shown[edge->from])
				continue;
			p->edges[f->n_edges] = *edge;
			p->edges[f->n_edges++].core = p->core_profile[i].core;
		}
	f->edge = p->edges;
}
