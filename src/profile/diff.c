#include "profile/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/calls/blocks.h"

static const double significant = 0.01;

const char *pt_change_name(enum pt_change change)
{
	static const char *const names[] = {
		[PT_CHANGE_NONE] = "same", [PT_CHANGE_SLOWER] = "slower", [PT_CHANGE_FASTER] = "faster",
		[PT_CHANGE_MORE] = "more", [PT_CHANGE_LESS] = "less", [PT_CHANGE_ONLY_B] = "not seen in A",
		[PT_CHANGE_ONLY_A] = "not seen in B",
		[PT_CHANGE_UNKNOWN] = "unsure",
	};

	return names[change];
}

/* --- figures of one side */

struct side { struct pt_ratio share, gross, net; uint64_t count; };

static bool is_sampled(const struct pt_profile *p)
{
	return p->samples > 0 && p->branches == 0;
}

/* Where there are shares alone. Samples spread as their batches do; one reading of bins has no spread, so its shares
 * stand beside each other, and nothing is judged. */
static struct side side_of_row(const struct pt_profile *p, uint16_t id)
{
	const struct pt_profile_function *row = id < p->n_ids ? p->by_id[id] : NULL;
	struct side side = { .gross = { NAN, NAN, 0 }, .net = { NAN, NAN, 0 }, .share = { 0, NAN, 1 } };
	double worth;

	if (row == NULL)
		return side;
	side.share.value = row->share.share;
	if (p->by_bins)
		return side;
	side.count = row->samples;
	worth = fmin(row->share.effective, (double)p->samples);
	if (p->batches > 1 && worth > 0) {
		side.share.error = sqrt(side.share.value * (1 - side.share.value) / worth);
		side.share.n = p->batches;
	}
	return side;
}

/* The standard error that an interval of 95 % stands for. */
static double error_of(const struct pt_estimate *e)
{
	return (e->hi - e->lo) / (2 * 1.96);
}

/* Estimates from windows in bursts, as all tables have them; blocks know only what bursts happened to see. */
static struct side side_of_windows(const struct pt_profile *p, const struct pt_profile_core *core, uint16_t id)
{
	const struct pt_profile_function *row = id < p->n_ids ? p->by_id[id] : NULL;
	struct side side = { .gross = { NAN, NAN, 0 }, .net = { NAN, NAN, 0 }, .share = { 0, NAN, 1 } };

	if (row == NULL)
		return side;
	side.share = (struct pt_ratio){ row->share.share, NAN, core->windows.n };
	if (row->share.effective > 1)
		side.share.error = sqrt(row->share.share * (1 - row->share.share) / row->share.effective);
	if (!isnan(row->per_call.value))
		side.net = (struct pt_ratio){ row->per_call.value, error_of(&row->per_call), core->windows.n };
	side.count = row->seen->count;
	return side;
}

static struct side side_of(const struct pt_profile *p, uint16_t id)
{
	const struct pt_profile_core *windowed;
	double time[PT_BLOCKS], ticks[PT_BLOCKS], count[PT_BLOCKS], gross[PT_BLOCKS], net[PT_BLOCKS];
	const struct pt_blocks *blocks = p->blocks;
	struct side side = { .count = 0 };

	if (p->by_bins || is_sampled(p))
		return side_of_row(p, id);
	windowed = pt_profile_windowed(p, p->n_cores > 0 ? p->core[0].core : 0);
	if (windowed != NULL)
		return side_of_windows(p, windowed, id);
	for (size_t i = 0; i < blocks->n_blocks; i++) {
		const struct pt_block *block = &blocks->block[i * blocks->n_functions + id];

		time[i] = (double)block->time;
		ticks[i] = (double)blocks->ticks[i];
		count[i] = (double)block->count;
		gross[i] = (double)block->gross;
		net[i] = (double)block->net;
		side.count += block->count;
	}
	side.share = pt_blocks_ratio(time, ticks, blocks->n_blocks);
	side.gross = pt_blocks_ratio(gross, count, blocks->n_blocks);
	side.net = pt_blocks_ratio(net, count, blocks->n_blocks);
	return side;
}

/* --- significance */

/* Two-sided p of Student's t, by the normal deviate of the same probability (Abramowitz and Stegun, 26.7.8). */
static double p_of(double t, double degrees)
{
	double z = t * (1 - 1 / (4 * degrees)) / sqrt(1 + t * t / (2 * degrees));

	return erfc(fabs(z) / sqrt(2));
}

/* Welch's test: the two spread differently. */
static struct pt_figure_pair pair(const struct pt_ratio *a, const struct pt_ratio *b)
{
	double va = a->error * a->error, vb = b->error * b->error, degrees;
	struct pt_figure_pair pair = { .a = a->value, .b = b->value, .change = b->value / a->value - 1, .p = NAN };

	if (isnan(a->value) || isnan(b->value) || a->value == 0)
		pair.change = NAN;
	if (isnan(va + vb))
		return pair;
	if (va + vb == 0) {		/* it always takes the same */
		pair.p = a->value == b->value ? 1 : 0;
		return pair;
	}
	degrees = (va + vb) * (va + vb) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	pair.p = p_of((b->value - a->value) / sqrt(va + vb), degrees);
	return pair;
}

/* --- rows */

static double most(const struct pt_figure_pair *pair)
{
	return fmax(isnan(pair->a) ? 0 : pair->a, isnan(pair->b) ? 0 : pair->b);
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
static struct pt_figure_pair share_pair(const struct pt_ratio *a, const struct pt_ratio *b)
{
	struct pt_figure_pair share = pair(a, b);

	if ((share.a == 0) != (share.b == 0))
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
	if (d->different_clocks)
		row->gross.change = row->gross.p = row->net.change = row->net.p = NAN;
}

static bool active(const struct side *side)
{
	return side->count > 0 || side->share.value > 0;
}

static const struct side nothing = { .share = { .value = 0, .error = NAN }, .gross = { NAN, NAN, 0 },
				     .net = { NAN, NAN, 0 } };

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
		if (active(&in_a) || active(&in_b))
			fill(d, &d->function[d->n_functions++], &of_a[i], &in_a, &in_b);
	}
	for (size_t i = 0; i < n_b && i + 1 < b->blocks->n_functions; i++) {
		struct side in_b = side_of(b, (uint16_t)(i + 1));

		if (active(&in_b) && find(&of_b[i], a, i) == PT_NO_FUNCTION)
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

static enum pt_change judge(const struct pt_diff *d, const struct pt_diff_function *f)
{
	if (changed(d, &f->gross))
		return f->gross.change > 0 ? PT_CHANGE_SLOWER : PT_CHANGE_FASTER;
	if (changed(d, &f->net))
		return f->net.change > 0 ? PT_CHANGE_SLOWER : PT_CHANGE_FASTER;
	if (changed(d, &f->share))
		return f->share.b > f->share.a ? PT_CHANGE_MORE : PT_CHANGE_LESS;
	if (f->share.a == 0 || f->share.b == 0)
		return f->share.a == 0 ? PT_CHANGE_ONLY_B : PT_CHANGE_ONLY_A;
	if (isnan(f->gross.p) && (isnan(f->share.p) || fabs(f->gross.change) >= d->threshold))
		return PT_CHANGE_UNKNOWN;
	return PT_CHANGE_NONE;
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
