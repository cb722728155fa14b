#include "profile/stats/clock_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/util.h"

enum { ALIGNMENTS = 8, LOOKS = 5, ENOUGH_PAIRS = 2000, STEPS = 200, ROUNDING_NS = 1 };	/* rounding: of stamps, to whole ns */

struct pair { double edge, entry, error; };	/* from the middle of each, ns */

struct fitting {
	const struct pt_fit_wanted *want;
	double jitter_ns;		/* of the delay, at most */
	double least_ns, most_ns;
	double nearest_ns;		/* between two edges */
	uint64_t edge_0, entry_0;	/* what distances are counted from */
	size_t *usable, n_usable;	/* entries whose time is known well enough */
	struct pair *pair;		/* of the last alignment, in no order */
	size_t n_pairs;
};

/* One that is possible. */
struct alignment { size_t n_pairs, edge, entry; };

static double edge_at(const struct fitting *f, size_t i)
{
	return (double)(int64_t)(f->want->edge[i].ns - f->edge_0);
}

static double entry_at(const struct fitting *f, size_t i)
{
	return (double)(int64_t)(f->want->entry[f->usable[i]].ns - f->entry_0);
}

static double error_of(const struct fitting *f, size_t i)
{
	return (double)f->want->entry[f->usable[i]].error_ns;
}

/* --- one alignment */

struct walk { double slope_least, slope_most; size_t edge; bool over, impossible; };

/* The first edge at ns or behind it. */
static size_t first_edge(const struct fitting *f, double ns)
{
	size_t low = 0, high = f->want->n_edges;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (edge_at(f, middle) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The rate that this pair allows, seen from the pair that the walk began at. */
static bool narrow(struct walk *w, double edges, double entries, double jitter)
{
	double a = (entries - jitter) / edges, b = (entries + jitter) / edges;

	w->slope_least = fmax(w->slope_least, fmin(a, b));
	w->slope_most = fmin(w->slope_most, fmax(a, b));
	return w->slope_least <= w->slope_most;
}

/* Finds the edge of the next entry, which is so far from the first pair. */
static void step(struct fitting *f, struct walk *w, size_t begin, size_t first, size_t entry)
{
	double way = entry_at(f, entry) - entry_at(f, first),
	       jitter = f->jitter_ns + error_of(f, first) + error_of(f, entry);
	double x = way / w->slope_least, y = way / w->slope_most;
	double low = edge_at(f, begin) + fmin(x, y) - jitter, high = edge_at(f, begin) + fmax(x, y) + jitter;
	size_t found = first_edge(f, low);

	if (low < edge_at(f, 0) || high > edge_at(f, f->want->n_edges - 1)) {
		w->over = true;		/* its edge may be outside of the recording */
		return;
	}
	if (found == f->want->n_edges || edge_at(f, found) > high || found == w->edge) {
		w->impossible = true;
		return;
	}
	if (found + 1 < f->want->n_edges && edge_at(f, found + 1) <= high) {
		w->over = true;		/* too long without an entry: which of the edges it is cannot be decided */
		return;
	}
	w->edge = found;
	w->impossible = !narrow(w, edge_at(f, found) - edge_at(f, begin), way, jitter);
	if (f->pair != NULL && !w->impossible)
		f->pair[f->n_pairs] = (struct pair){ edge_at(f, found), entry_at(f, entry), error_of(f, entry) };
	f->n_pairs++;
}

/* The entry belongs to the edge: which edges do all the others belong to? Returns how many pairs that makes; 0: it cannot
 * be. slope: of one clock against the other. */
static size_t align(struct fitting *f, size_t edge, size_t entry, size_t most, double *slope)
{
	struct walk w = { 1 - PT_FIT_PPM * 1e-6, 1 + PT_FIT_PPM * 1e-6, edge, false, false };

	if (f->pair != NULL)
		f->pair[0] = (struct pair){ edge_at(f, edge), entry_at(f, entry), error_of(f, entry) };
	f->n_pairs = 1;
	for (size_t i = entry + 1; i < f->n_usable && !w.over && !w.impossible && f->n_pairs < most; i++)
		step(f, &w, edge, entry, i);
	w.edge = edge;
	w.over = false;
	for (size_t i = entry; i-- > 0 && !w.over && !w.impossible && f->n_pairs < most;)
		step(f, &w, edge, entry, i);
	*slope = (w.slope_least + w.slope_most) / 2;
	return w.impossible ? 0 : f->n_pairs;
}

/* --- all of them */

struct alignments { struct alignment one[LOOKS * ALIGNMENTS]; size_t n; bool too_many; };

/* Those in which this entry has an edge: as it has another one in each, no two of them are the same. */
static void add_alignments(struct fitting *f, size_t entry, struct alignments *all)
{
	size_t n = 0;
	double slope;

	for (size_t edge = 0; edge < f->want->n_edges && !all->too_many; edge++) {
		size_t n_pairs = align(f, edge, entry, ENOUGH_PAIRS, &slope);

		if (n_pairs < PT_FIT_PAIRS)
			continue;
		if (n++ == ALIGNMENTS)
			all->too_many = true;
		else
			all->one[all->n++] = (struct alignment){ n_pairs, edge, entry };
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Whether it is another one than best, whose pairs are in f, sorted: no pair is in both. An entry at the end of the edges has
 * a pair in the one that began at it, and in no other. */
static bool is_another(struct fitting *f, const struct alignment *other)
{
	struct pair *best = f->pair;
	size_t n_best = f->n_pairs;
	bool same = false;
	double slope;

	f->pair = pt_alloc_array(f->n_usable, sizeof(*f->pair));
	align(f, other->edge, other->entry, ENOUGH_PAIRS, &slope);
	for (size_t i = 0; i < f->n_pairs && !same; i++) {
		const struct pair *found = bsearch(&f->pair[i], best, n_best, sizeof(*best), compare_pairs);

		same = found != NULL && found->edge == f->pair[i].edge;
	}
	free(f->pair);
	f->pair = best;
	f->n_pairs = n_best;
	return !same;
}

static int refuse_several(size_t n_pairs, size_t second, struct pt_err *err)
{
	return pt_fail(
		err, PT_EARG,
		"which edge belongs to which entry cannot be decided: their distances fit in several ways (%zu pairs in one, "
		"%zu in another); edges at irregular distances are needed",
		n_pairs, second);
}

/* The alignment with the most pairs, if any other one has far fewer; its pairs are in f. */
static int choose(struct fitting *f, struct pt_err *err)
{
	struct alignments all = { .n = 0 };
	struct alignment best = { 0 };
	double slope;

	for (size_t look = 0; look < LOOKS; look++)
		add_alignments(f, look * (f->n_usable - 1) / (LOOKS - 1), &all);
	if (all.n == 0)
		return pt_fail(
			err, PT_EARG,
			"the distances of %zu edges and of %zu entries do not fit together, whichever edge is the first: it is "
			"another line or function, or the delay varies by more than %.9g us (sync-delay=)",
			f->want->n_edges, f->n_usable, f->jitter_ns / 1e3);
	for (size_t i = 0; i < all.n; i++)
		if (all.one[i].n_pairs > best.n_pairs)
			best = all.one[i];
	if (all.too_many)
		return refuse_several(best.n_pairs, best.n_pairs, err);
	f->pair = pt_alloc_array(f->n_usable, sizeof(*f->pair));
	align(f, best.edge, best.entry, SIZE_MAX, &slope);
	qsort(f->pair, f->n_pairs, sizeof(*f->pair), compare_pairs);
	for (size_t i = 0; i < all.n; i++)
		if (all.one[i].n_pairs * 4 >= best.n_pairs && is_another(f, &all.one[i]))
			return refuse_several(best.n_pairs, all.one[i].n_pairs, err);
	return 0;
}

/* --- bounds: offset + slope * edge has to lie within each pair's */

struct range { double low, high; };

/* What all pairs allow of the line with this slope, at x. */
static struct range allowed(const struct fitting *f, double slope, double x)
{
	struct range r = { -INFINITY, INFINITY };

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct pair *p = &f->pair[i];
		double at = p->entry - slope * (p->edge - x), error = p->error + ROUNDING_NS;

		r.low = fmax(r.low, at - f->most_ns - error);
		r.high = fmin(r.high, at - f->least_ns + error);
	}
	return r;
}

static double width(const struct fitting *f, double slope)
{
	struct range r = allowed(f, slope, 0);

	return r.high - r.low;
}

/* The width is concave: it has one summit. */
static double widest_slope(const struct fitting *f)
{
	double low = 1 - 1e-6 * PT_FIT_PPM, high = 1 + 1e-6 * PT_FIT_PPM;

	for (unsigned i = 0; i < STEPS && high - low > 1e-15; i++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3;

		if (width(f, a) < width(f, b))
			low = a;
		else
			high = b;
	}
	return (low + high) / 2;
}

/* The last slope from inside to outwards that is possible. */
static double last_slope(const struct fitting *f, double inside, double outside)
{
	if (width(f, outside) >= 0)
		return outside;
	for (unsigned i = 0; i < STEPS && fabs(outside - inside) > 1e-15; i++) {
		double middle = (inside + outside) / 2;

		if (width(f, middle) >= 0)
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

/* The furthest that a possible line gets at x: concave along the slopes, again. side: 1 or -1. */
static double furthest(const struct fitting *f, struct range slopes, double x, int side)
{
	for (unsigned i = 0; i < STEPS && slopes.high - slopes.low > 1e-15; i++) {
		double a = slopes.low + (slopes.high - slopes.low) / 3,
		       b = slopes.high - (slopes.high - slopes.low) / 3;
		struct range at_a = allowed(f, a, x), at_b = allowed(f, b, x);

		if (side > 0 ? at_a.high < at_b.high : at_a.low > at_b.low)
			slopes.low = a;
		else
			slopes.high = b;
	}
	struct range r = allowed(f, (slopes.low + slopes.high) / 2, x);

	return side > 0 ? r.high : r.low;
}

static void set_anchor(const struct fitting *f, struct range slopes, uint64_t at_ns, struct pt_fit_anchor *anchor)
{
	double x = (double)(int64_t)(at_ns - f->edge_0), low = furthest(f, slopes, x, -1),
	       high = furthest(f, slopes, x, 1);
	double from_0 = (double)(int64_t)(f->entry_0 - f->edge_0);

	anchor->at_ns = at_ns;
	anchor->offset_ns = (low + high) / 2 - x + from_0;
	anchor->error_ns = (high - low) / 2 + ROUNDING_NS;
}

static int bound(struct fitting *f, struct pt_clock_fit *fit, struct pt_err *err)
{
	double slope = widest_slope(f);
	struct range slopes;

	if (width(f, slope) < 0)
		return pt_fail(
			err, PT_EARG,
			"the entries do not come %.9g to %.9g us after their edges: they are %.9g us further apart than that",
			f->least_ns / 1e3, f->most_ns / 1e3, -width(f, slope) / 1e3);
	slopes.low = last_slope(f, slope, 1 - 1e-6 * PT_FIT_PPM);
	slopes.high = last_slope(f, slope, 1 + 1e-6 * PT_FIT_PPM);
	set_anchor(f, slopes, f->want->from_ns, &fit->anchor[0]);
	set_anchor(f, slopes, f->want->to_ns, &fit->anchor[1]);
	fit->ppm = ((slopes.low + slopes.high) / 2 - 1) * 1e6;
	fit->ppm_error = (slopes.high - slopes.low) / 2 * 1e6;
	return 0;
}

static size_t edges_alone(const struct fitting *f)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < f->n_pairs; i++) {
		first = fmin(first, f->pair[i].edge);
		last = fmax(last, f->pair[i].edge);
	}
	return first_edge(f, last) - first_edge(f, first) + 1 - f->n_pairs;
}

/* --- the whole */

static int prepare(struct fitting *f, struct pt_err *err)
{
	const struct pt_fit_wanted *w = f->want;

	if (w->n_edges < PT_FIT_PAIRS || w->n_entries < PT_FIT_PAIRS)
		return pt_fail(err, PT_EARG, "%zu edges and %zu entries are too few, %d of each are needed", w->n_edges,
			       w->n_entries, PT_FIT_PAIRS);
	f->edge_0 = w->edge[w->n_edges / 2].ns;
	f->entry_0 = w->entry[w->n_entries / 2].ns;
	f->nearest_ns = INFINITY;
	for (size_t i = 1; i < w->n_edges; i++)
		f->nearest_ns = fmin(f->nearest_ns, (double)(w->edge[i].ns - w->edge[i - 1].ns));
	f->least_ns = w->has_delay ? w->least_ns : -f->nearest_ns;
	f->most_ns = w->has_delay ? w->most_ns : f->nearest_ns;
	f->jitter_ns = w->has_delay ? w->most_ns - w->least_ns : f->nearest_ns / 4;
	if (f->jitter_ns * 2 > f->nearest_ns || f->nearest_ns <= 0)
		return pt_fail(err, PT_EARG,
			       "two edges are %.9g us apart, which is too near for delays that differ by %.9g us",
			       f->nearest_ns / 1e3, f->jitter_ns / 1e3);
	for (size_t i = 0; i < w->n_entries; i++)
		if ((double)w->entry[i].error_ns * 8 <= f->nearest_ns)
			f->usable[f->n_usable++] = i;
	if (f->n_usable < PT_FIT_PAIRS)
		return pt_fail(
			err, PT_EARG,
			"the trace does not say precisely enough when the function was entered: edges are as near as %.9g us, and "
			"of %zu entries %zu are known to an eighth of that",
			f->nearest_ns / 1e3, w->n_entries, f->n_usable);
	return 0;
}

int pt_clock_fit(const struct pt_fit_wanted *wanted, struct pt_clock_fit *fit, struct pt_err *err)
{
	struct fitting f = { .want = wanted, .usable = pt_alloc_array(wanted->n_entries + 1, sizeof(*f.usable)) };
	int rc = prepare(&f, err);

	*fit = (struct pt_clock_fit){ .least_ns = f.least_ns, .most_ns = f.most_ns };
	if (rc == 0)
		rc = choose(&f, err);
	if (rc == 0)
		rc = bound(&f, fit, err);
	if (rc == 0) {
		fit->n_pairs = f.n_pairs;
		fit->n_alone = edges_alone(&f);
	}
	free(f.pair);
	free(f.usable);
	return rc;
}
