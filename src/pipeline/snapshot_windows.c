/* Estimates for the whole profile from windows in bursts (profile/flow/windows.h), in place of what was recorded. */
#include <math.h>
#include <string.h>

#include "pipeline/pipeline_parts.h"
#include "profile/analyses/calls/tree.h"

bool pt_snapshot_windowed(const struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	return core_profile->flow != NULL && !pt_core_profile_counted(core_profile) && !pt_snapshot_complete(p) &&
	       pt_windows_summary(core_profile->windows).estimated;
}

bool pt_snapshot_sampled(const struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	return core_profile->flow != NULL && core_profile->samples != NULL && core_profile->flow->bursts_only &&
	       p->settings.clock == PT_FLOW_CYCLES && p->timing != NULL && !pt_snapshot_leaves_out(core_profile) &&
	       pt_flat_total(core_profile->flat).n >= PT_WINDOWS_FEW;
}

static void calibrate(const struct pt_pipeline *p, const struct pt_core_profile *core_profile,
		      struct pt_profile_core *core)
{
	struct pt_windows_summary windows = pt_windows_summary(core_profile->windows);
	struct pt_calibration *c = core_profile->calibration;

	for (size_t id = 0; id < p->n_ids; id++) {
		c[id].by_samples = pt_flat_share(core_profile->flat, (uint16_t)id);
		c[id].windows = *pt_windows_function(core_profile->windows, (uint16_t)id);
		if (core_profile->samples->meets_handler)
			pt_calibration_met_handler(&c[id].windows);
	}
	if (core->windowed)
		pt_calibration_make(c, p->n_ids, &windows.awake);
	for (size_t id = 0; !core->windowed && id < p->n_ids; id++) {
		uint16_t handler = (uint16_t)id;

		pt_calibration_none(&c[id]);
		c[id].share = pt_flat_bounded(core_profile->flat, c[id].share, &handler);
	}
	core->calibration = c;
	core->batches = pt_flat_total(core_profile->flat);
	core->asleep_by_bursts = core->asleep;
	if (!core->windowed)
		return;
	/* time in which the core could not be reached is not sampled */
	if (core_profile->samples->account.sum.by[PT_LOSS_SLEEP].ns == 0)
		core->asleep = pt_flat_asleep_share(core_profile->flat);
}

/* The base of a core's shares: how long it was awake in the profile, observed or not. */
static uint64_t awake_ticks(const struct pt_pipeline *p, const struct pt_core_profile *core_profile, double asleep,
			    uint64_t seen)
{
	const struct pt_account *account = &core_profile->flow->account;
	const struct pt_loss_sum *sum = &account->sum;
	double ran_ns =
		(double)(sum->total_ns - (sum->by[PT_LOSS_HALTED].ns - account->maybe_halted_ns) -
			 sum->by[PT_LOSS_IN_RESET].ns);	/* at most: a window that no clock chose allows for it */

	if (p->profile.by_instructions || p->profile.core_hz == 0)
		return seen;
	return (uint64_t)llround(ran_ns * 1e-9 * (double)p->profile.core_hz * (1 - asleep));
}

/* A single recorded stretch is used if little is missing, such as the beginning. */
double pt_snapshot_seen_part(const struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	const struct pt_source_ctx *ctx = core_profile->flow;
	const struct pt_loss_sum *sum = ctx != NULL ? &ctx->account.sum : NULL;
	bool known = p->profile.core_hz != 0 && p->map->isa->timing != NULL && !p->opt_in_model &&
		     core_profile->result != NULL;
	double ran, unseen, part;

	if (ctx == NULL || pt_core_profile_counted(core_profile) || ctx->leaves_out || ctx->data_only ||
	    ctx->bursts_only || pt_snapshot_complete(p) || pt_snapshot_windowed(p, core_profile) ||
	    (ctx->around && !known))
		return 0;
	if (!known && ctx->halting)	/* a core that slept ran less than the observed time */
		return 0;
	ran = known ? (double)core_profile->result->cycles * 1e9 / (double)p->profile.core_hz
		    : (double)sum->observed_ns;
	/* while the source holds the core it does not run */
	unseen = ctx->halting ? (double)(sum->by[PT_LOSS_REARM].ns + sum->lost_ns)
			      : (double)(sum->total_ns - sum->observed_ns - sum->by[PT_LOSS_HALTED].ns -
					 sum->by[PT_LOSS_IN_RESET].ns - sum->by[PT_LOSS_SLEEP].ns);
	part = ran > 0 ? ran / (ran + unseen) : 0;
	return part >= 0.5 ? part : 0;
}

void pt_snapshot_window_core(const struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			     struct pt_profile_core *core)
{
	struct pt_windows_summary s = pt_windows_summary(core_profile->windows);

	core->bursts = s.all;
	core->bursts_used = s.awake.n;
	core->bursts_asleep = s.asleep;
	core->bursts_cut_short = s.cut_short;
	core->bursts_unchosen = s.unchosen;
	core->burst_cycles = s.cycles;
	core->ticks = p->profile.by_instructions ? core->instructions : core->cycles;
	core->seen_part = pt_snapshot_seen_part(p, core_profile);
	core->windowed = pt_snapshot_windowed(p, core_profile);
	core->sleeps = s.asleep > 0 || s.waits > 0;
	core->in_pieces = core_profile->flow != NULL && !pt_core_profile_counted(core_profile) &&
			  !pt_snapshot_complete(p) && !core->windowed && core->seen_part <= 0;
	core->tallied = (core->in_pieces || core->seen_part > 0) && !core_profile->flow->halting &&
			strcmp(core_profile->flow->facts.mode, "dump") != 0;
	core->windows = s.awake;
	core->armed = s.armed;
	core->asleep = pt_windows_asleep(core_profile->windows);
	if (pt_snapshot_sampled(p, core_profile))
		calibrate(p, core_profile, core);
	if (!core->windowed)
		return;
	core->awake_estimated = !p->profile.by_instructions && p->profile.core_hz != 0;
	core->ticks = awake_ticks(p, core_profile, core->asleep.share, core->ticks);
}

static struct pt_estimate share_in_profile(const struct pt_profile_core *core, const struct pt_share *s)
{
	return pt_profile_in_all(core, (struct pt_estimate){ s->share, s->lo, s->hi });
}

/* Number of entries, from rate (per awake tick), and their interval. PT_UNKNOWN: there is no rate. */
static uint64_t entries_of(const struct pt_profile_core *core, const struct pt_estimate *rate,
			   struct pt_estimate *interval)
{
	*interval = pt_profile_in_all(core, *rate);
	return isnan(rate->value) ? PT_UNKNOWN : pt_profile_scaled(core, rate->value);
}

/* --- functions */

static const struct pt_tree_estimate *from_tree(const struct pt_pipeline *p, uint16_t core, uint16_t id)
{
	const struct pt_tree *tree = p->profile.tree;

	return tree != NULL && core < PT_TREE_CORES && tree->function[core] != NULL ? &tree->function[core][id] : NULL;
}

/* The time of a function by windows, corrected by samples; unchanged without samples. */
static double fitted(const struct pt_profile_core *core, const struct pt_profile_function *row)
{
	const struct pt_window_function *f = core->calibration != NULL ? &core->calibration[row->id].windows : NULL;

	return f != NULL && f->own.x > 0 ? row->share.share * core->windows.y / f->own.x : 1;
}

/* The highest of the lower bounds: the time seen in bursts, and the lower limits of both estimates; that of the self
 * time may be higher, if it comes from samples. */
static uint64_t gross_at_least(const struct pt_profile_core *core, const struct pt_tree_estimate *tree,
			       const struct pt_profile_function *row)
{
	const struct pt_stat *calls = &row->seen->stat[PT_TALLY_GROSS];
	uint64_t longest = calls->n > 0 ? calls->max : 0, seen = row->seen->gross_total;

	longest = row->durations[PT_TALLY_GROSS].longest > longest ? row->durations[PT_TALLY_GROSS].longest : longest;
	seen = seen != PT_UNKNOWN && seen > longest ? seen : longest;
	return (uint64_t)fmax(fmax(share_in_profile(core, &tree->gross).lo, row->net.lo), (double)seen);
}

/* A function without an entry in any window may have been entered elsewhere: the count is unknown. */
void pt_snapshot_window_row(struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			    const struct pt_profile_core *core, struct pt_profile_function *row,
			    struct pt_execution_function *figures)
{
	const struct pt_tree_estimate *tree = from_tree(p, core_profile->core, row->id);
	uint64_t ticks = pt_profile_scaled(core, row->share.share);
	uint64_t second =
		pt_profile_scaled(core, pt_windows_second(core_profile->windows, row->id) * fitted(core, row));
	const struct pt_execution_function *seen = row->seen;

	*figures = (struct pt_execution_function){
		.count = PT_UNKNOWN, .partial = PT_UNKNOWN, .gross_total = PT_UNKNOWN,
		.instructions = p->profile.by_instructions ? ticks : second,
		.cycles = p->profile.by_instructions ? second : ticks,
	};
	for (unsigned kind = 0; kind < PT_N_TALLY_KINDS; kind++)
		figures->stat[kind] = pt_stat_empty();
	row->count = row->per_second = row->per_call = (struct pt_estimate){ NAN, NAN, NAN };
	row->net = share_in_profile(core, &row->share);
	row->gross_share = NAN;
	row->run = figures;
	if (tree == NULL)
		return;
	row->per_second = tree->per_second;
	row->per_call = tree->per_call;
	row->durations = &p->profile.tree->durations[core_profile->core][row->id * PT_N_TALLY_KINDS];
	/* the total is at least the self time, whose bound may be narrower: it can come from samples */
	row->gross_share = fmax(tree->gross.lo, row->share.lo);
	figures->gross_total = gross_at_least(core, tree, row);
	figures->count = entries_of(core, &tree->count, &row->count);
	if (seen->exceptions > 0)
		figures->exceptions = figures->count == PT_UNKNOWN || seen->count == 0
					      ? PT_UNKNOWN
					      : (uint64_t)llround((double)figures->count * (double)seen->exceptions /
								  (double)seen->count);
}

/* --- edges */

size_t pt_snapshot_window_edges(struct pt_pipeline *p, struct pt_edge *out)
{
	const struct pt_tree *tree = p->profile.tree;
	size_t n = 0;

	for (size_t i = 0; tree != NULL && i < tree->n_edges; i++) {
		const struct pt_tree_edge *edge = &tree->edge[i];
		const struct pt_profile_core *core = pt_profile_windowed(&p->profile, edge->core);
		struct pt_estimate count;

		if (core == NULL || (!p->shown[edge->to] && !p->shown[edge->from]))
			continue;
		out[n] = (struct pt_edge){
			.from = edge->from, .to = edge->to, .core = edge->core,
			.count = entries_of(core, &edge->estimate.count, &count),
			.gross = (uint64_t)share_in_profile(core, &edge->estimate.gross).lo,
		};
		out[n].count_lo = (float)count.lo;
		out[n++].count_hi = (float)count.hi;
	}
	return n;
}
