/* Bytes become edges, edges become runs. Nothing is done per sample. */
#include <stdlib.h>

#include "probes/virtual/wire/pdo_capture.h"
#include "base/util.h"

#define RUN_MAX UINT32_C(0xffffff)

/* --- the ring */

/* The newest run, if it has these levels, takes what it can. True: all. */
static bool extend_last(struct pt_vpdo_capture *c, uint32_t levels, uint64_t *n)
{
	uint32_t *last;
	uint64_t room;

	if (c->n_runs == 0)
		return false;
	last = &c->run[(c->head + c->n_runs - 1) % PT_VPDO_RUNS];
	if ((*last & ~RUN_MAX) != levels)
		return false;
	room = RUN_MAX - (*last & RUN_MAX);
	room = room < *n ? room : *n;
	*last += (uint32_t)room;
	*n -= room;
	return *n == 0;
}

static void append(struct pt_vpdo_capture *c, uint32_t levels, uint64_t n)
{
	if (c->n_runs == 0)
		c->head_at = c->at;
	if (extend_last(c, levels, &n))
		return;
	while (n > 0 && c->n_runs < PT_VPDO_RUNS) {
		uint64_t part = n < RUN_MAX ? n : RUN_MAX;

		c->run[(c->head + c->n_runs++) % PT_VPDO_RUNS] = levels | (uint32_t)part;
		n -= part;
	}
	if (n > 0) {
		c->full = true;
		c->lost += n;
	}
}

/* The levels stood until that sample. */
static void stretch(struct pt_vpdo_capture *c, uint64_t sample)
{
	if (sample <= c->at)
		return;
	if (c->full)
		c->lost += sample - c->at;
	else
		append(c, c->levels, sample - c->at);
	c->at = sample;
}

/* --- time */

static uint64_t scaled(uint64_t n, uint32_t to_hz, uint64_t from_hz)
{
	return n / from_hz * to_hz + n % from_hz * to_hz / from_hz;
}

static uint64_t sample_of(const struct pt_vpdo_capture *c, uint64_t cycle)
{
	return scaled(c->pdo->origin_ns, c->sample_hz, PT_NS_PER_S) + scaled(cycle, c->sample_hz, c->pdo->bus_hz);
}

/* The board's time is the link's, but for what ran before the link's began and what was never run. */
static uint64_t link_ns(const struct pt_vpdo_capture *c, uint64_t sample)
{
	uint64_t board_ns = sample / c->sample_hz * PT_NS_PER_S + sample % c->sample_hz * PT_NS_PER_S / c->sample_hz;
	uint64_t ns = board_ns + c->pace->slip_ns;

	return ns > c->pace->head_start_ns ? ns - c->pace->head_start_ns : 0;
}

/* --- edges */

static void on_bits(void *arg, uint64_t cycle, uint8_t byte, unsigned n_bits)
{
	struct pt_vpdo_capture *c = arg;

	for (unsigned i = 0; i < n_bits; i++, cycle += PT_VPDO_BIT_CYCLES) {
		stretch(c, sample_of(c, cycle));
		c->levels = (c->levels & PT_VPDO_PDOCLK) | ((byte >> i & 1) != 0 ? PT_VPDO_PDO : 0);
		stretch(c, sample_of(c, cycle + 1));
		c->levels ^= PT_VPDO_PDOCLK;
	}
	if (n_bits < 8) {
		stretch(c, sample_of(c, cycle));
		c->levels = 0;
	}
}

static void settle(struct pt_vpdo_capture *c)
{
	if (c->on)
		stretch(c, sample_of(c, c->pdo->settle(c->pdo->unit)));
}

/* --- the host's side */

uint32_t pt_vpdo_capture_start(struct pt_vpdo_capture *c, uint32_t least_hz)
{
	pt_vpdo_capture_stop(c);
	if (least_hz == 0 || least_hz > PT_VPDO_MAX_HZ || c->pdo == NULL)
		return 0;
	if (c->run == NULL)
		c->run = malloc(PT_VPDO_RUNS * sizeof(*c->run));
	if (c->run == NULL)
		return 0;
	c->sample_hz = least_hz;
	c->head = c->n_runs = 0;
	c->lost = c->levels = 0;
	c->full = c->ended = false;
	c->at = c->head_at = sample_of(c, c->pdo->settle(c->pdo->unit));
	c->pdo->listener = &c->listener;
	c->on = true;
	return c->sample_hz;
}

void pt_vpdo_capture_stop(struct pt_vpdo_capture *c)
{
	settle(c);
	if (c->on)
		c->pdo->listener = NULL;
	c->on = false;
	c->ended = true;
}

/* The loss is told with the first run behind it: when all that was before it has been given. */
void pt_vpdo_capture_read(struct pt_vpdo_capture *c, struct pt_vpdo_captured *what)
{
	settle(c);
	*what = (struct pt_vpdo_captured){ .lost = 0 };
	if (c->full && c->n_runs == 0) {
		what->lost = c->lost;
		c->lost = 0;
		c->full = false;
		c->head_at = c->at;
	}
	if (c->n_runs == 0)
		c->head_at = c->at;
	if (c->sample_hz != 0)
		what->from_ns = link_ns(c, c->head_at);
}

uint32_t pt_vpdo_capture_peek(const struct pt_vpdo_capture *c, size_t i)
{
	return i < c->n_runs ? c->run[(c->head + i) % PT_VPDO_RUNS] : 0;
}

void pt_vpdo_capture_pop(struct pt_vpdo_capture *c)
{
	c->head_at += c->run[c->head] & RUN_MAX;
	c->head = (c->head + 1) % PT_VPDO_RUNS;
	c->n_runs--;
}

bool pt_vpdo_capture_over(const struct pt_vpdo_capture *c)
{
	return c->ended && c->n_runs == 0 && !c->full;
}

void pt_vpdo_capture_init(struct pt_vpdo_capture *c, struct pt_vpace *pace)
{
	*c = (struct pt_vpdo_capture){ .pace = pace, .listener = { .bits = on_bits }, .ended = true };
	c->listener.arg = c;
	if (pace->ops->pdo != NULL)
		c->pdo = pace->ops->pdo(pace->board);
}

void pt_vpdo_capture_fini(struct pt_vpdo_capture *c)
{
	pt_vpdo_capture_stop(c);
	free(c->run);
}
