#include "profile/analyses/counters/durations.h"

#include <math.h>
#include <string.h>

static double count_of(const struct pt_counter_row *c)
{
	return c->shared ? c->scaled : (double)c->total;
}

static double error_of(const struct pt_counter_row *c)
{
	return c->shared ? c->scaled_error : 0;
}

static bool is_of(const struct pt_counter_row *a, const struct pt_counter_row *b)
{
	return a->of != NULL && b->of != NULL && a->core == b->core && strcmp(a->of, b->of) == 0;
}

/* The one with the next longer threshold; NULL: it has the longest. */
static const struct pt_counter_row *next_of(const struct pt_counter_row *counters, size_t n,
					    const struct pt_counter_row *c)
{
	const struct pt_counter_row *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (is_of(&counters[i], c) && counters[i].over > c->over &&
		    (found == NULL || counters[i].over < found->over))
			found = &counters[i];
	return found;
}

static const struct pt_counter_row *first_of(const struct pt_counter_row *counters, size_t n,
					     const struct pt_counter_row *c)
{
	const struct pt_counter_row *found = c;

	for (size_t i = 0; i < n; i++)
		if (is_of(&counters[i], c) && counters[i].over < found->over)
			found = &counters[i];
	return found;
}

/* What is longer than c's threshold: no less than what is longer than a longer one, whatever two estimates say. */
static double longer_than(const struct pt_counter_row *counters, size_t n, const struct pt_counter_row *c)
{
	double most = 0;

	for (; c != NULL; c = next_of(counters, n, c))
		most = fmax(most, count_of(c));
	return most;
}

static struct pt_duration_row between(const struct pt_counter_row *counters, size_t n, const struct pt_counter_row *c,
				      const struct pt_counter_row *next)
{
	double longer = longer_than(counters, n, next), error = next != NULL ? error_of(next) : 0;
	double count = longer_than(counters, n, c) - longer;
	double sum = longer_than(counters, n, first_of(counters, n, c));

	return (struct pt_duration_row){
		.of = c->of, .core = c->core, .over = c->over, .up_to = next != NULL ? next->over : PT_UNKNOWN,
		.count = count, .error = hypot(error_of(c), error), .share = sum > 0 ? count / sum : NAN,
		.shorter = sum > 0 ? (sum - longer) / sum : NAN,
	};
}

void pt_durations_make(struct pt_durations *durations, const struct pt_counter_row *counters, size_t n_counters)
{
	durations->n = 0;
	for (size_t i = 0; i < n_counters; i++) {
		const struct pt_counter_row *first = first_of(counters, n_counters, &counters[i]), *next;

		if (counters[i].of == NULL || first != &counters[i])
			continue;
		for (const struct pt_counter_row *c = first; c != NULL && durations->n < PT_COUNTERS_MAX; c = next) {
			next = next_of(counters, n_counters, c);
			durations->row[durations->n++] = between(counters, n_counters, c, next);
		}
	}
}

/* A whole number of ticks that is longer than over is over + 1 at the least. */
size_t pt_durations_mean(const struct pt_durations *durations, size_t first, double *least, double *most)
{
	const struct pt_duration_row *row = durations->row;
	double n = 0, low = 0, high = 0;
	size_t i = first;

	for (; i < durations->n && row[i].core == row[first].core && strcmp(row[i].of, row[first].of) == 0; i++) {
		n += row[i].count;
		low += row[i].count * ((double)row[i].over + 1);
		high += row[i].up_to != PT_UNKNOWN ? row[i].count * (double)row[i].up_to : row[i].count > 0 ? NAN : 0;
	}
	*least = n > 0 ? low / n : NAN;
	*most = n > 0 ? high / n : NAN;
	return i;
}
