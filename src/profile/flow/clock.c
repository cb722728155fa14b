#include "profile/flow/clock.h"

#include <string.h>

struct pt_clock pt_clock_of(uint64_t tick_hz, uint64_t tick_ppm)
{
	return (struct pt_clock){ .tick_hz = tick_hz, .tick_ppm = tick_ppm };
}

static uint64_t bounded(uint64_t error_ns)
{
	return error_ns < PT_NO_BOUND_NS ? error_ns : PT_NO_BOUND_NS;
}

void pt_clock_anchor(struct pt_clock *c, uint64_t ticks, uint64_t ns, uint64_t error_ns)
{
	const struct pt_anchor *last = c->n_anchors > 0 ? &c->anchor[c->n_anchors - 1] : NULL;

	if (c->guessed || (last != NULL && (ticks < last->ticks || ns < last->ns)))
		c->n_anchors = 0;
	else if (last != NULL && (ticks == last->ticks || ns == last->ns))
		c->n_anchors--;		/* said again */
	if (c->n_anchors == PT_CLOCK_ANCHORS)
		memmove(c->anchor, c->anchor + 1, --c->n_anchors * sizeof(*c->anchor));
	c->guessed = false;
	c->anchor[c->n_anchors++] = (struct pt_anchor){ ticks, ns, bounded(error_ns) };
}

void pt_clock_guess(struct pt_clock *c, uint64_t ticks, uint64_t from_ns, uint64_t to_ns)
{
	if (c->n_anchors > 0)
		return;
	c->guessed = true;
	c->anchor[c->n_anchors++] = (struct pt_anchor){ ticks, from_ns, bounded(to_ns > from_ns ? to_ns - from_ns : 0) };
}

bool pt_clock_settled(const struct pt_clock *c, uint64_t ticks)
{
	return c->n_anchors > 0 && !c->guessed && ticks <= c->anchor[c->n_anchors - 1].ticks;
}

/* value * mul / div; the largest number where that is larger. div > 0 */
static uint64_t scale(uint64_t value, uint64_t mul, uint64_t div)
{
	unsigned __int128 product = (unsigned __int128)value * mul / div;

	return product < PT_UNKNOWN ? (uint64_t)product : PT_UNKNOWN - 1;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a < PT_UNKNOWN - 1 - b ? a + b : PT_UNKNOWN - 1;
}

/* ticks from an anchor outwards. A rate from two anchors is as wrong as they are, at worst both in opposite ways. */
static struct pt_timestamp beyond(const struct pt_clock *c, const struct pt_anchor *from, const struct pt_anchor *a,
				  const struct pt_anchor *b, uint64_t ticks)
{
	uint64_t distance = ticks > from->ticks ? ticks - from->ticks : from->ticks - ticks, ns, wrong;

	if (a != b) {
		ns = scale(distance, b->ns - a->ns, b->ticks - a->ticks);
		wrong = scale(ns, add(a->error_ns, b->error_ns), b->ns - a->ns);
	} else if (c->tick_hz != 0) {
		ns = scale(distance, PT_NS_PER_S, c->tick_hz);
		wrong = scale(ns, c->tick_ppm, 1000000);
	} else {
		return (struct pt_timestamp){ PT_UNKNOWN, 0 };
	}
	wrong = bounded(add(from->error_ns, wrong));
	if (ticks > from->ticks && ns >= PT_UNKNOWN - 1 - from->ns)	/* after the end of all clocks */
		return (struct pt_timestamp){ PT_UNKNOWN, 0 };
	if (ticks > from->ticks)
		return (struct pt_timestamp){ from->ns + ns, wrong };
	return (struct pt_timestamp){ from->ns > ns ? from->ns - ns : 0, wrong };
}

static struct pt_timestamp between(const struct pt_anchor *a, const struct pt_anchor *b, uint64_t ticks)
{
	return (struct pt_timestamp){
		.ns = a->ns + scale(ticks - a->ticks, b->ns - a->ns, b->ticks - a->ticks),
		.error_ns = a->error_ns > b->error_ns ? a->error_ns : b->error_ns,
	};
}

struct pt_timestamp pt_clock_at(const struct pt_clock *c, uint64_t ticks)
{
	const struct pt_anchor *first = c->anchor, *last = c->anchor + c->n_anchors - 1;

	if (c->n_anchors == 0 || ticks == PT_UNKNOWN)
		return (struct pt_timestamp){ PT_UNKNOWN, 0 };
	for (const struct pt_anchor *b = first + 1; b <= last; b++)
		if (ticks >= b[-1].ticks && ticks <= b->ticks)
			return between(b - 1, b, ticks);
	if (ticks <= first->ticks)	/* before the first: the nominal rate, if it is known */
		return beyond(c, first, first, c->tick_hz != 0 || c->n_anchors < 2 ? first : first + 1, ticks);
	return beyond(c, last, c->n_anchors < 2 ? last : last - 1, last, ticks);
}
