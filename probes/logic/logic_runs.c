/* A ring of runs. Samples that are equal are counted; what finds no room is counted as lost, in its place. */
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "probes/logic/logic.h"

enum { RING_RUNS = 1 << 20, LOSS_WORDS = 3, BATCH = 256 };	/* 4 MiB */

int pt_logic_runs_init(struct pt_logic_runs *runs, struct pt_err *err)
{
	memset(runs, 0, sizeof(*runs));
	runs->ring = malloc(RING_RUNS * sizeof(*runs->ring));
	if (runs->ring == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for captured levels");
	if (uv_mutex_init(&runs->lock) != 0)
		goto free_ring;
	if (uv_cond_init(&runs->change) == 0)
		return 0;
	uv_mutex_destroy(&runs->lock);
free_ring:
	free(runs->ring);
	return pt_fail(err, PT_ENOMEM, "no memory for captured levels");
}

void pt_logic_runs_fini(struct pt_logic_runs *runs)
{
	uv_cond_destroy(&runs->change);
	uv_mutex_destroy(&runs->lock);
	free(runs->ring);
}

void pt_logic_runs_begin(struct pt_logic_runs *runs, const unsigned *bits, size_t n_lines, bool wait_for_room)
{
	memcpy(runs->bit, bits, n_lines * sizeof(*bits));
	runs->n_lines = n_lines;
	runs->last = 0;
	uv_mutex_lock(&runs->lock);
	runs->head = runs->tail = 0;
	runs->lost = 0;
	runs->wait_for_room = wait_for_room;
	runs->closed = runs->ended = false;
	uv_mutex_unlock(&runs->lock);
}

/* --- the producer ------------------------------------------------------------------------------------------------- */

static uint32_t room_left(const struct pt_logic_runs *runs)
{
	return RING_RUNS - (runs->tail - runs->head);
}

static void put_word(struct pt_logic_runs *runs, uint32_t word)
{
	runs->ring[runs->tail++ % RING_RUNS] = word;
}

static void put_loss(struct pt_logic_runs *runs)
{
	put_word(runs, 0);
	put_word(runs, (uint32_t)runs->lost);
	put_word(runs, (uint32_t)(runs->lost >> 32));
	runs->lost = 0;
}

/* All of a batch, or none of it. */
static void put_batch(struct pt_logic_runs *runs, const pt_pins_run *batch, size_t n)
{
	uv_mutex_lock(&runs->lock);
	while (runs->wait_for_room && !runs->closed && room_left(runs) < n + LOSS_WORDS)
		uv_cond_wait(&runs->change, &runs->lock);
	if (runs->closed || room_left(runs) < n + LOSS_WORDS) {
		for (size_t i = 0; i < n; i++)
			runs->lost += batch[i] & PT_PINS_SAMPLES;
	} else {
		if (runs->lost > 0)
			put_loss(runs);
		for (size_t i = 0; i < n; i++)
			put_word(runs, batch[i]);
	}
	uv_cond_broadcast(&runs->change);
	uv_mutex_unlock(&runs->lock);
}

static pt_pins_run levels(const struct pt_logic_runs *runs, const uint8_t *sample, size_t unit)
{
	pt_pins_run out = 0;

	for (size_t i = 0; i < runs->n_lines; i++)
		if (runs->bit[i] / 8 < unit)
			out |= (pt_pins_run)(sample[runs->bit[i] / 8] >> runs->bit[i] % 8 & 1) << (PT_PINS_LEVELS + i);
	return out;
}

/* How many samples from the first on are the same byte for byte. */
static uint64_t same(const uint8_t *samples, size_t unit, uint64_t n)
{
	uint64_t k = 1;

	if (unit == 1)
		while (k < n && samples[k] == samples[0])
			k++;
	else
		while (k < n && memcmp(samples + k * unit, samples, unit) == 0)
			k++;
	return k;
}

void pt_logic_runs_put(struct pt_logic_runs *runs, const uint8_t *samples, size_t unit, uint64_t n)
{
	pt_pins_run batch[BATCH];
	size_t n_batch = 0;

	while (n > 0 && unit > 0) {
		uint64_t k = same(samples, unit, n), left = k;
		pt_pins_run now = levels(runs, samples, unit);

		while (left > 0) {
			uint32_t so_far = runs->last & PT_PINS_SAMPLES, room;

			if (so_far == 0 || (runs->last & ~PT_PINS_SAMPLES) != now || so_far == PT_PINS_SAMPLES) {
				if (so_far > 0)
					batch[n_batch++] = runs->last;
				runs->last = now;
				so_far = 0;
			}
			room = PT_PINS_SAMPLES - so_far;
			runs->last += left < room ? (uint32_t)left : room;
			left -= left < room ? left : room;
			if (n_batch == BATCH) {
				put_batch(runs, batch, n_batch);
				n_batch = 0;
			}
		}
		samples += k * unit;
		n -= k;
	}
	/* What is under way is given, too: who waits for it must not wait until the level changes. */
	if ((runs->last & PT_PINS_SAMPLES) > 0)
		batch[n_batch++] = runs->last;
	runs->last = 0;
	put_batch(runs, batch, n_batch);
}

void pt_logic_runs_end(struct pt_logic_runs *runs)
{
	uv_mutex_lock(&runs->lock);
	runs->ended = true;
	uv_cond_broadcast(&runs->change);
	uv_mutex_unlock(&runs->lock);
}

/* --- the consumer ------------------------------------------------------------------------------------------------- */

void pt_logic_runs_close(struct pt_logic_runs *runs)
{
	uv_mutex_lock(&runs->lock);
	runs->closed = true;
	uv_cond_broadcast(&runs->change);
	uv_mutex_unlock(&runs->lock);
}

void pt_logic_runs_interrupt(struct pt_logic_runs *runs)
{
	uv_mutex_lock(&runs->lock);
	runs->interrupted = true;
	uv_cond_broadcast(&runs->change);
	uv_mutex_unlock(&runs->lock);
}

static bool take_interrupt(struct pt_logic_runs *runs)
{
	bool was = runs->interrupted;

	runs->interrupted = false;
	return was;
}

static uint32_t get_word(struct pt_logic_runs *runs)
{
	return runs->ring[runs->head++ % RING_RUNS];
}

/* Up to a place of loss, or that place when it comes first. */
static size_t get_runs(struct pt_logic_runs *runs, pt_pins_run *out, size_t room, uint64_t *lost)
{
	size_t n = 0;

	while (n < room && runs->head != runs->tail) {
		if ((runs->ring[runs->head % RING_RUNS] & PT_PINS_SAMPLES) != 0) {
			out[n++] = get_word(runs);
			continue;
		}
		if (n > 0)
			break;
		get_word(runs);
		*lost += get_word(runs);
		*lost += (uint64_t)get_word(runs) << 32;
	}
	if (n == 0 && runs->head == runs->tail && runs->ended) {	/* lost at the very end */
		*lost += runs->lost;
		runs->lost = 0;
	}
	return n;
}

int pt_logic_runs_take(struct pt_logic_runs *runs, pt_pins_run *out, size_t room, uint64_t *lost, bool *ended,
		       uint64_t until_ns, struct pt_err *err)
{
	bool interrupted = false;
	uint64_t now_ns;
	size_t n;

	*lost = 0;
	uv_mutex_lock(&runs->lock);
	while (runs->head == runs->tail && !runs->ended && !(interrupted = take_interrupt(runs)) &&
	       (now_ns = pt_host_now_ns()) < until_ns)
		uv_cond_timedwait(&runs->change, &runs->lock, until_ns - now_ns);
	n = get_runs(runs, out, room, lost);
	*ended = runs->ended && runs->head == runs->tail && runs->lost == 0;
	uv_cond_broadcast(&runs->change);
	uv_mutex_unlock(&runs->lock);
	return interrupted ? pt_fail(err, PT_EINTERRUPTED, "interrupted") : (int)n;
}

int pt_logic_runs_sleep(struct pt_logic_runs *runs, uint64_t until_ns, struct pt_err *err)
{
	bool interrupted;
	uint64_t now_ns;

	uv_mutex_lock(&runs->lock);
	while (!(interrupted = take_interrupt(runs)) && (now_ns = pt_host_now_ns()) < until_ns)
		uv_cond_timedwait(&runs->change, &runs->lock, until_ns - now_ns);
	uv_mutex_unlock(&runs->lock);
	return interrupted ? pt_fail(err, PT_EINTERRUPTED, "interrupted") : 0;
}
