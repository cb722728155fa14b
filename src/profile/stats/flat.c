#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profile/stats/flat.h"

#include "base/alloc.h"

static const double Z95 = 1.959964;

struct function {
	uint64_t samples;
	uint64_t in_batch;
	struct pt_cluster_sum sum;
	double entered_in_batch;
	struct pt_cluster_sum entered;
};

struct doubt { uint64_t of_others, elsewhere; };

struct pt_flat {
	struct function *function;
	struct doubt *doubt;	/* by function; NULL: none */
	uint16_t *touched;	/* functions of the batch so far */
	size_t n_functions, n_touched;
	uint64_t batch_awake, batch_asleep;
	double batch_entered;
	struct pt_cluster_sum entered;	/* handlers, by all samples */
	struct pt_cluster_total total, all;	/* all: with the samples that found it asleep */
	struct pt_cluster_sum asleep_of_all;
	uint64_t awake, asleep, refused, batches, missed;
};

struct pt_flat *pt_flat_new(size_t n_functions)
{
	struct pt_flat *flat = pt_alloc(sizeof(*flat));

	flat->n_functions = n_functions;
	flat->function = pt_alloc_array(n_functions, sizeof(*flat->function));
	flat->touched = pt_alloc_array(n_functions, sizeof(*flat->touched));
	return flat;
}

void pt_flat_free(struct pt_flat *flat)
{
	if (flat == NULL)
		return;
	free(flat->function);
	free(flat->doubt);
	free(flat->touched);
	free(flat);
}

void pt_flat_sample(struct pt_flat *flat, uint16_t function)
{
	struct function *f = &flat->function[function];

	if (f->in_batch++ == 0)
		flat->touched[flat->n_touched++] = function;
	f->samples++;
	flat->batch_awake++;
	flat->awake++;
}

/* Its first piece of code was sampled, so that it is among the functions of the batch. */
void pt_flat_entered(struct pt_flat *flat, uint16_t handler, double samples)
{
	flat->function[handler].entered_in_batch += samples;
	flat->batch_entered += samples;
}

void pt_flat_asleep(struct pt_flat *flat)
{
	flat->batch_asleep++;
	flat->asleep++;
}

void pt_flat_refused(struct pt_flat *flat, uint64_t n)
{
	flat->refused += n;
}

void pt_flat_missed(struct pt_flat *flat, uint64_t n)
{
	flat->missed = n;
}

void pt_flat_end_batch(struct pt_flat *flat)
{
	double y = (double)flat->batch_awake;

	for (size_t i = 0; i < flat->n_touched; i++) {
		struct function *f = &flat->function[flat->touched[i]];

		pt_cluster_add(&f->sum, (double)f->in_batch, y);
		if (f->entered_in_batch > 0)
			pt_cluster_add(&f->entered, f->entered_in_batch, y);
		f->in_batch = 0;
		f->entered_in_batch = 0;
	}
	if (flat->batch_entered > 0)
		pt_cluster_add(&flat->entered, flat->batch_entered, y);
	flat->batch_entered = 0;
	if (flat->batch_awake != 0)	/* one that saw only sleep says nothing about shares of the rest */
		pt_cluster_add_total(&flat->total, y);
	if (flat->batch_awake + flat->batch_asleep != 0) {
		y += (double)flat->batch_asleep;
		pt_cluster_add_total(&flat->all, y);
		pt_cluster_add(&flat->asleep_of_all, (double)flat->batch_asleep, y);
	}
	flat->batches += flat->batch_awake + flat->batch_asleep != 0;
	flat->batch_awake = flat->batch_asleep = 0;
	flat->n_touched = 0;
}

uint64_t pt_flat_samples(const struct pt_flat *flat, uint16_t function)
{
	return flat->function[function].samples;
}

struct pt_cluster_total pt_flat_total(const struct pt_flat *flat)
{
	return flat->total;
}

void pt_flat_doubt(struct pt_flat *flat, uint16_t function, uint64_t of_others, uint64_t elsewhere)
{
	if (flat->doubt == NULL)
		flat->doubt = pt_alloc_array(flat->n_functions, sizeof(*flat->doubt));
	flat->doubt[function] = (struct doubt){ of_others, elsewhere };
}

/* A row with so many of the samples. Of those that are counted for the snapshot alone the batches are not known: as if each
 * batch had only such samples, or none of them. */
static struct pt_share share_of_samples(const struct pt_flat *flat, uint64_t n)
{
	double x = (double)n, of_batch = flat->total.y > 0 ? flat->total.yy / flat->total.y : 0;

	return pt_cluster_share(&flat->total, &(struct pt_cluster_sum){ x, x * of_batch, x * of_batch });
}

struct pt_share pt_flat_doubted(const struct pt_flat *flat, struct pt_share s, uint16_t function)
{
	uint64_t samples = flat->function[function].samples;
	const struct doubt *d = flat->doubt != NULL ? &flat->doubt[function] : NULL;

	if (d != NULL && d->of_others > 0)
		s.lo = fmin(s.lo, share_of_samples(flat, samples - d->of_others).lo);
	if (d != NULL && d->elsewhere > 0)
		s.hi = fmax(s.hi, share_of_samples(flat, samples + d->elsewhere).hi);
	return s;
}

struct pt_share pt_flat_share(const struct pt_flat *flat, uint16_t function)
{
	return pt_flat_doubted(flat, pt_cluster_share(&flat->total, &flat->function[function].sum), function);
}

static double error_of(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum)
{
	double n = (double)total->n, p = sum->x / total->y;
	double residuals = sum->xx - 2 * p * sum->xy + p * p * total->yy;

	return Z95 * sqrt(fmax(0, residuals) * n / fmax(1, n - 1)) / total->y;
}

/* Of n samples: those that were missed may have been all of it, or none. */
static struct pt_share with_missed(const struct pt_flat *flat, struct pt_share s, uint64_t n)
{
	double seen = (double)n, missed = (double)flat->missed;

	if (flat->missed == 0 || s.hi <= s.lo)
		return s;
	if (flat->missed == PT_UNKNOWN || n == 0) {
		s.lo = s.hi = s.share;
		return s;
	}
	s.lo = s.lo * seen / (seen + missed);
	s.hi = (s.hi * seen + missed) / (seen + missed);
	return s;
}

struct pt_share pt_flat_bounded(const struct pt_flat *flat, struct pt_share s, const uint16_t *handler)
{
	const struct pt_cluster_sum *of_all = &flat->entered;
	double below, others;

	s = with_missed(flat, s, flat->awake);
	below = s.share - s.lo;
	if (flat->total.y <= 0 || of_all->x <= 0)
		return s;
	others = of_all->x / flat->total.y;
	if (handler != NULL) {	/* it does not interrupt itself */
		const struct pt_cluster_sum *own = &flat->function[*handler].entered;

		others = fmax(0, others - own->x / flat->total.y);
		if (own->x > 0)
			s.hi = fmin(1, s.hi + pt_cluster_share(&flat->total, own).hi);
	}
	s.lo = fmax(0, s.share - others - hypot(below, error_of(&flat->total, of_all)));
	return s;
}

/* Samples that found other functions may be of one that none found. */
static double most_unseen(const struct pt_flat *flat)
{
	double most = pt_cluster_unseen(&flat->total);

	for (size_t i = 0; flat->doubt != NULL && i < flat->n_functions; i++)
		if (flat->function[i].samples == 0 && flat->doubt[i].elsewhere > 0)
			most = fmax(most, pt_flat_share(flat, (uint16_t)i).hi);
	return most;
}

double pt_flat_unseen(const struct pt_flat *flat)
{
	double most = most_unseen(flat), seen = (double)flat->awake, missed = (double)flat->missed;

	if (flat->missed == PT_UNKNOWN)
		return 1;
	return flat->missed == 0 ? most : (most * seen + missed) / (seen + missed);
}

struct pt_share pt_flat_asleep_share(const struct pt_flat *flat)
{
	return with_missed(flat, pt_cluster_share(&flat->all, &flat->asleep_of_all), flat->awake + flat->asleep);
}

/* Of the function with most samples: p (1 - p) over the variance. Batches that happen to agree more than samples of chance
 * would do not make more samples than were taken. */
static double effective(const struct pt_flat *flat)
{
	size_t largest = 0;
	double worth;

	for (size_t i = 0; i < flat->n_functions; i++)
		if (flat->function[i].samples > flat->function[largest].samples)
			largest = i;
	if (flat->n_functions == 0 || flat->function[largest].samples == 0)
		return 0;
	worth = pt_flat_share(flat, (uint16_t)largest).effective;
	return worth < (double)flat->awake ? worth : (double)flat->awake;
}

struct pt_flat_summary pt_flat_summary(const struct pt_flat *flat)
{
	return (struct pt_flat_summary){
		.samples = flat->awake + flat->asleep, .asleep = flat->asleep, .refused = flat->refused, .missed = flat->missed,
		.batches = flat->batches, .effective = effective(flat),
	};
}
