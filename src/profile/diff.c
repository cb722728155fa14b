#include "profile/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/calls/blocks.h"

static const double significant = 0.01;
static const double normal_95 = 1.96;	/* standard errors on either side */

const char *pt_change_name(enum pt_change change)
{
	static const char *const names[] = {
		[PT_CHANGE_SAME] = "same", [PT_CHANGE_NONE] = "not shown", [PT_CHANGE_SLOWER] = "slower", [PT_CHANGE_FASTER] = "faster",
		[PT_CHANGE_MORE] = "more", [PT_CHANGE_LESS] = "less", [PT_CHANGE_ONLY_B] = "not seen in A",
		[PT_CHANGE_ONLY_A] = "not seen in B",
		[PT_CHANGE_UNKNOWN] = "too little seen",
	};

	return names[change];
}

/* --- figures of one side */

/* lo and hi: its 95 % interval, or (bounds) the least and most that it can be; both NAN: it is what happened, and error
 * is how it spreads over n blocks of time. */
struct figure { double value, error, lo, hi; bool bounds; size_t n; };

struct side { struct figure share, gross, net; struct pt_count count; bool seen; };

static const struct figure unknown = { .value = NAN, .error = NAN, .lo = NAN, .hi = NAN };

static struct figure as_it_was(struct pt_ratio ratio)
{
	return (struct figure){ .value = ratio.value, .error = ratio.error, .lo = NAN, .hi = NAN, .n = ratio.n };
}

static const struct pt_profile_function *row_of(const struct pt_profile *p, uint16_t id)
{
	return id < p->n_ids ? p->by_id[id] : NULL;
}

static uint16_t core_of(const struct pt_profile *p, const struct pt_profile_function *row)
{
	return row != NULL ? row->core : p->n_cores > 0 ? p->core[0].core : 0;
}

/* How many independent looks its interval is made of. */
static size_t looks(const struct pt_profile *p, uint16_t core)
{
	const struct pt_profile_core *windowed = pt_profile_windowed(p, core),
				     *sampled = pt_profile_calibrated(p, core);

	return sampled != NULL ? sampled->batches.n : windowed != NULL ? windowed->windows.n : p->batches;
}

/* Of what was seen: as blocks have it. */
static struct figure ratio_of(const struct pt_blocks *blocks, uint16_t id, uint64_t (*x)(const struct pt_block *block),
			      uint64_t (*y)(const struct pt_block *block))
{
	double of[PT_BLOCKS], to[PT_BLOCKS];

	for (size_t i = 0; i < blocks->n_blocks; i++) {
		const struct pt_block *block = &blocks->block[i * blocks->n_functions + id];

		of[i] = (double)x(block);
		to[i] = y != NULL ? (double)y(block) : (double)blocks->ticks[i];
	}
	return as_it_was(pt_blocks_ratio(of, to, blocks->n_blocks));
}

static uint64_t time_of(const struct pt_block *block) { return block->time; }
static uint64_t count_of(const struct pt_block *block) { return block->count; }
static uint64_t gross_of(const struct pt_block *block) { return block->gross; }
static uint64_t net_of(const struct pt_block *block) { return block->net; }

/* The share of all other tables: blocks know only what bursts, or a part of the run, happened to see. */
static struct figure share_of(const struct pt_profile *p, const struct pt_profile_function *row, uint16_t id)
{
	double seen = pt_profile_seen_part(p, core_of(p, row));
	struct figure share = unknown;

	if (p->shares == PT_BASIS_NONE || (row != NULL && isnan(row->share.share)))
		return unknown;
	if (p->shares != PT_BASIS_ESTIMATED && !p->by_bins)
		return ratio_of(p->blocks, id, time_of, NULL);
	if (seen > 0)		/* what was seen spreads, and the rest is within bounds */
		share = ratio_of(p->blocks, id, time_of, NULL);
	share.n = seen > 0 ? share.n : looks(p, core_of(p, row));
	share.value = row != NULL ? row->share.share : 0;
	share.bounds = seen > 0 || p->by_bins;
	if (row == NULL && p->unseen.hi > 0) {
		share.lo = 0;
		share.hi = p->unseen.hi;
	} else if (row != NULL && row->share.hi > row->share.lo) {
		share.lo = row->share.lo;
		share.hi = row->share.hi;
	}
	return share;
}

/* Pieces and bursts show short calls whole more often than long ones, so their whole calls are no fair sample. One
 * stretch of mode halt shows every call whole, though it does not say what part of the run it is. */
static bool shows_whole_calls(const struct pt_profile *p, uint16_t core)
{
	bool stretch = !pt_profile_tallied(p, core) && !p->no_clock;

	return !p->by_bins && !(p->branches == 0 && p->samples > 0) && pt_profile_windowed(p, core) == NULL &&
	       (!pt_profile_in_pieces(p, core) || stretch);
}

bool pt_diff_whole_calls(const struct pt_profile *p)
{
	return shows_whole_calls(p, core_of(p, NULL));
}

static void calls_of(const struct pt_profile *p, const struct pt_profile_function *row, uint16_t id, struct side *side)
{
	uint16_t core = core_of(p, row);

	side->gross = side->net = unknown;
	if (shows_whole_calls(p, core)) {
		side->gross = ratio_of(p->blocks, id, gross_of, count_of);
		side->net = ratio_of(p->blocks, id, net_of, count_of);
	} else if (row != NULL && pt_profile_windowed(p, core) != NULL && !isnan(row->per_call.value)) {
		side->net = (struct figure){ .value = row->per_call.value, .error = NAN, .lo = row->per_call.lo,
					     .hi = row->per_call.hi, .n = looks(p, core) };
	}
}

static struct pt_count count_in(const struct pt_profile *p, const struct pt_profile_function *row, uint16_t id)
{
	struct pt_count count = { .n = 0 };
	uint16_t core = core_of(p, row);

	if (p->by_bins)
		return (struct pt_count){ .n = PT_UNKNOWN };
	if (p->branches == 0 && p->samples > 0)
		return (struct pt_count){ .n = row != NULL ? row->samples : 0 };
	if (pt_profile_windowed(p, core) != NULL)
		return row != NULL && row->run != NULL && row->run->count != PT_UNKNOWN
			       ? (struct pt_count){ .n = row->run->count, .lo = row->count.lo, .hi = row->count.hi }
			       : (struct pt_count){ .n = PT_UNKNOWN };
	for (size_t i = 0; i < p->blocks->n_blocks; i++)
		count.n += p->blocks->block[i * p->blocks->n_functions + id].count;
	count.at_least = pt_profile_tallied(p, core);
	return count;
}

static struct side side_of(const struct pt_profile *p, uint16_t id)
{
	const struct pt_profile_function *row = row_of(p, id);
	struct side side = { .share = share_of(p, row, id), .count = count_in(p, row, id) };

	side.seen = side.count.n != 0 && side.count.n != PT_UNKNOWN;
	side.seen |= side.share.value > 0 ||
		     (row != NULL && row->seen != NULL && row->seen->count + row->seen->instructions > 0);
	calls_of(p, row, id, &side);
	return side;
}

/* --- significance */

/* Two-sided p of Student's t, by the normal deviate of the same probability (Abramowitz and Stegun, 26.7.8). */
static double p_of(double t, double degrees)
{
	double z = t * (1 - 1 / (4 * degrees)) / sqrt(1 + t * t / (2 * degrees));

	return erfc(fabs(z) / sqrt(2));
}

/* The standard error of a figure on the side where the other one is. */
static double error_towards(const struct figure *f, bool above)
{
	if (f->bounds || isnan(f->lo))
		return f->error;
	return (above ? f->hi - f->value : f->value - f->lo) / normal_95;
}

/* How much nearer to the other one it may be. */
static double margin_towards(const struct figure *f, bool above)
{
	if (!f->bounds || isnan(f->lo))
		return 0;
	return above ? f->hi - f->value : f->value - f->lo;
}

static struct pt_figure as_shown(const struct figure *f)
{
	return (struct pt_figure){ .value = f->value, .lo = f->lo, .hi = f->hi, .bounds = f->bounds };
}

/* Of B relative to A, where both are known to an error. */
static void relative(struct pt_figure_pair *pair, double ea, double eb)
{
	double ratio = pair->b.value / pair->a.value, error;

	if (isnan(ratio) || pair->a.value == 0 || isnan(ea + eb))
		return;
	error = ratio * hypot(ea / pair->a.value, pair->b.value > 0 ? eb / pair->b.value : 0);
	pair->change_lo = fmax(-1, ratio - normal_95 * error - 1);
	pair->change_hi = ratio + normal_95 * error - 1;
}

/* Welch's test: the two spread differently. What bounds leave open is no difference. */
static struct pt_figure_pair pair(const struct figure *a, const struct figure *b)
{
	struct pt_figure_pair pair = { .a = as_shown(a), .b = as_shown(b), .change = b->value / a->value - 1, .p = NAN,
				       .change_lo = NAN, .change_hi = NAN };
	bool up = b->value > a->value;
	double ea = error_towards(a, up), eb = error_towards(b, !up), va = ea * ea, vb = eb * eb, degrees, apart;

	if (isnan(a->value) || isnan(b->value) || a->value == 0)
		pair.change = NAN;
	relative(&pair, ea, eb);
	if (isnan(va + vb) || isnan(a->value) || isnan(b->value))
		return pair;
	apart = fmax(0, fabs(b->value - a->value) - margin_towards(a, up) - margin_towards(b, !up));
	if (va + vb == 0) {		/* it always takes the same */
		pair.p = apart == 0 ? 1 : 0;
		return pair;
	}
	degrees = (va + vb) * (va + vb) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	pair.p = p_of(apart / sqrt(va + vb), degrees);
	return pair;
}

/* --- rows */

static double most(const struct pt_figure_pair *pair)
{
	return fmax(isnan(pair->a.value) ? 0 : pair->a.value, isnan(pair->b.value) ? 0 : pair->b.value);
}

static int by_change(const void *a, const void *b)
{
	const struct pt_diff_function *x = a, *y = b;

	if (x->change != y->change)
		return x->change < y->change ? -1 : 1;
	if (most(&x->share) != most(&y->share))
		return most(&x->share) > most(&y->share) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool same(const struct pt_function *a, const struct pt_function *b)
{
	const char *file_a = a->file != NULL ? strrchr(a->file, '/') : NULL,
		   *file_b = b->file != NULL ? strrchr(b->file, '/') : NULL;

	if (strcmp(a->name, b->name) != 0)
		return false;
	return file_a == NULL || file_b == NULL || strcmp(file_a, file_b) == 0;
}

/* The id of a function of a in b; PT_NO_FUNCTION: it is not there. from: where to look first, as most are in order. */
static uint16_t find(const struct pt_function *function, const struct pt_profile *in, size_t from)
{
	size_t n = 0;
	const struct pt_function *functions = in->program != NULL ? pt_program_functions(in->program, &n) : NULL;

	if (n >= UINT16_MAX)
		n = UINT16_MAX - 1;
	for (size_t i = 0; i < n; i++)
		if (same(function, &functions[(from + i) % n]))
			return (uint16_t)((from + i) % n + 1);
	return PT_NO_FUNCTION;
}

/* Where a function never was, nothing tells how its share spreads: no spread is not the answer. A profile of a few
 * bursts in one place would make a finding of each function that lives elsewhere. */
static struct pt_figure_pair share_pair(const struct figure *a, const struct figure *b)
{
	struct pt_figure_pair share = pair(a, b);

	if ((share.a.value == 0) != (share.b.value == 0))
		share.p = NAN;
	return share;
}

static void fill(struct pt_diff *d, struct pt_diff_function *row, const struct pt_function *f, const struct side *a,
		 const struct side *b)
{
	row->name = f->name;
	row->file = f->file;
	row->line = f->line;
	row->count_a = a->count;
	row->count_b = b->count;
	row->share = share_pair(&a->share, &b->share);
	row->gross = pair(&a->gross, &b->gross);
	row->net = pair(&a->net, &b->net);
	row->seen_a = a->seen;
	row->seen_b = b->seen;
	if (d->different_clocks)
		row->gross.change = row->gross.change_lo = row->gross.p = row->net.change = row->net.change_lo =
			row->net.p = NAN;
}

/* Of a function that one of the programs has not. */
static const struct side nothing = {
	.share = { .value = 0, .error = NAN, .lo = NAN, .hi = NAN },
	.gross = { .value = NAN, .error = NAN, .lo = NAN, .hi = NAN },
	.net = { .value = NAN, .error = NAN, .lo = NAN, .hi = NAN },
};

static void add_rows(struct pt_diff *d, const struct pt_profile *a, const struct pt_profile *b)
{
	size_t n_a = 0, n_b = 0;
	const struct pt_function *of_a = a->program != NULL ? pt_program_functions(a->program, &n_a) : NULL;
	const struct pt_function *of_b = b->program != NULL ? pt_program_functions(b->program, &n_b) : NULL;

	for (size_t i = 0; i < n_a && i + 1 < a->blocks->n_functions; i++) {
		struct side in_a = side_of(a, (uint16_t)(i + 1)), in_b = nothing;
		uint16_t id = find(&of_a[i], b, i);

		if (id != PT_NO_FUNCTION && id < b->blocks->n_functions)
			in_b = side_of(b, id);
		if (in_a.seen || in_b.seen)
			fill(d, &d->function[d->n_functions++], &of_a[i], &in_a, &in_b);
	}
	for (size_t i = 0; i < n_b && i + 1 < b->blocks->n_functions; i++) {
		struct side in_b = side_of(b, (uint16_t)(i + 1));

		if (in_b.seen && find(&of_b[i], a, i) == PT_NO_FUNCTION)
			fill(d, &d->function[d->n_functions++], &of_b[i], &nothing, &in_b);
	}
}

/* --- verdicts */

struct test { double p; const struct pt_figure_pair *pair; bool rejected; };

static int by_p(const void *a, const void *b)
{
	const struct test *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* Holm: the smallest p must pass the hardest test, the next one the next harder, until one fails. The p of what fails
 * becomes 1, so that who looks at it sees noise. */
static void correct(struct pt_figure_pair **pairs, size_t n)
{
	struct test *test = pt_alloc_array(n + 1, sizeof(*test));
	bool failed = false;

	for (size_t i = 0; i < n; i++)
		test[i] = (struct test){ .p = pairs[i]->p, .pair = pairs[i] };
	qsort(test, n, sizeof(*test), by_p);
	for (size_t i = 0; i < n; i++) {
		struct pt_figure_pair *p = (struct pt_figure_pair *)(uintptr_t)test[i].pair;

		failed |= test[i].p * (double)(n - i) > significant;
		p->p = failed ? 1 : p->p * (double)(n - i);
	}
	free(test);
}

static void correct_all(struct pt_diff *d)
{
	struct pt_figure_pair **pairs = pt_alloc_array(3 * d->n_functions + 1, sizeof(*pairs));
	size_t n = 0;

	for (size_t i = 0; i < d->n_functions; i++) {
		struct pt_figure_pair *of[] = { &d->function[i].share, &d->function[i].gross, &d->function[i].net };

		for (size_t k = 0; k < PT_LEN(of); k++)
			if (!isnan(of[k]->p))
				pairs[n++] = of[k];
	}
	correct(pairs, n);
	free(pairs);
}

static bool changed(const struct pt_diff *d, const struct pt_figure_pair *pair)
{
	return !isnan(pair->p) && pair->p <= significant && fabs(pair->change) >= d->threshold;
}

/* What happened is known exactly, an estimate by its interval. */
static bool surely_small(const struct pt_diff *d, const struct pt_figure_pair *pair)
{
	if (isnan(pair->change_lo) || isnan(pair->change_hi))
		return isnan(pair->a.lo) && isnan(pair->b.lo) && fabs(pair->change) < d->threshold;
	return -d->threshold < pair->change_lo && pair->change_hi < d->threshold;
}

/* By the time of a call if that is known: the share changes with what others do. */
static bool is_same(const struct pt_diff *d, const struct pt_diff_function *f)
{
	if (!isnan(f->gross.change))
		return surely_small(d, &f->gross) && surely_small(d, &f->net);
	return !isnan(f->net.change) ? surely_small(d, &f->net) : surely_small(d, &f->share);
}

static enum pt_change judge(const struct pt_diff *d, const struct pt_diff_function *f)
{
	if (changed(d, &f->gross))
		return f->gross.change > 0 ? PT_CHANGE_SLOWER : PT_CHANGE_FASTER;
	if (changed(d, &f->net))
		return f->net.change > 0 ? PT_CHANGE_SLOWER : PT_CHANGE_FASTER;
	if (changed(d, &f->share))
		return f->share.b.value > f->share.a.value ? PT_CHANGE_MORE : PT_CHANGE_LESS;
	if (!f->seen_a || !f->seen_b)
		return f->seen_b ? PT_CHANGE_ONLY_B : PT_CHANGE_ONLY_A;
	if (isnan(f->gross.p) && (isnan(f->share.p) || fabs(f->gross.change) >= d->threshold))
		return PT_CHANGE_UNKNOWN;
	return is_same(d, f) ? PT_CHANGE_SAME : PT_CHANGE_NONE;
}

struct pt_diff *pt_diff_new(const struct pt_profile *a, const struct pt_profile *b, double threshold,
			    struct pt_err *err)
{
	struct pt_diff *d;

	if (a->blocks == NULL || b->blocks == NULL) {
		pt_fail(err, PT_ESTATE, "a comparison needs the analysis 'blocks' of both profiles");
		return NULL;
	}
	d = pt_alloc(sizeof(*d));
	d->function = pt_alloc_array(a->blocks->n_functions + b->blocks->n_functions + 1, sizeof(*d->function));
	d->a = a;
	d->threshold = threshold;
	d->different_clocks = a->by_instructions != b->by_instructions;
	add_rows(d, a, b);
	correct_all(d);
	for (size_t i = 0; i < d->n_functions; i++) {
		d->function[i].change = judge(d, &d->function[i]);
		d->n_slower += d->function[i].change == PT_CHANGE_SLOWER;
		d->n_faster += d->function[i].change == PT_CHANGE_FASTER;
	}
	qsort(d->function, d->n_functions, sizeof(*d->function), by_change);
	return d;
}

void pt_diff_free(struct pt_diff *diff)
{
	if (diff == NULL)
		return;
	free(diff->function);
	free(diff);
}
