#include "targets/microblaze/counters_unit.h"

#include <string.h>

#include "targets/microblaze/events.h"
#include "base/util.h"

enum { CLEAR = 0x10, START = 0x08, STOP = 0x04, SAMPLE = 0x02, RESET = 0x01 };	/* PCCMDR */
enum { MARK_HIGH = 0x5a5a };
#define MARK UINT32_C(0xa5a5a5a5)

static unsigned n_places(const struct pt_counters_unit *u)
{
	return u->events.places + u->latencies.places;
}

unsigned pt_counters_groups(const struct pt_counters_wanted *w)
{
	return w->places > 0 && w->n > w->places ? (w->n + w->places - 1) / w->places : 1;
}

unsigned pt_counters_in(const struct pt_counters_wanted *w, unsigned group, unsigned i)
{
	unsigned at = group % pt_counters_groups(w) * w->places + i;

	return at < w->n ? at : PT_COUNTERS_MOST_WANTED;
}

/* --- the unit */

/* The write took effect between sent_ns and done_ns; a busy host sees the answer late. */
static void take_times(const struct pt_mdm_op *op, uint64_t *at_ns, uint64_t *error_ns)
{
	*error_ns = (op->done_ns - op->sent_ns + 1) / 2;
	*at_ns = op->sent_ns + (op->done_ns - op->sent_ns) / 2;
}

int pt_counters_unit_start(struct pt_counters_unit *u, uint64_t *at_ns, uint64_t *error_ns, struct pt_err *err)
{
	struct pt_mdm_op op[PT_COUNTERS_MOST + 2];
	unsigned n = 0;

	op[n++] = pt_mdm_write_op(PCCMDR, PCCMDR_BITS, CLEAR | STOP | RESET);
	for (unsigned i = 0; i < n_places(u); i++) {
		bool latency = i >= u->events.places;
		const struct pt_counters_wanted *w = latency ? &u->latencies : &u->events;
		unsigned at = pt_counters_in(w, u->group, latency ? i - u->events.places : i);

		op[n++] = pt_mdm_write_op(PCCTRLR, PCCTRLR_BITS,
					  at < PT_COUNTERS_MOST_WANTED ? w->event[at]
					  : latency		       ? PT_MB_FIRST_LATENCY
								       : 0);
	}
	op[n++] = pt_mdm_write_op(PCCMDR, PCCMDR_BITS, START);
	if (pt_mdm_run(u->mdm, op, n, NULL, err) < 0)
		return err->code;
	take_times(&op[n - 1], at_ns, error_ns);
	u->written->counters = true;
	return 0;
}

struct pt_mdm_op pt_counters_unit_end(void)
{
	return pt_mdm_write_op(PCCMDR, PCCMDR_BITS, STOP);
}

int pt_counters_unit_stop(struct pt_counters_unit *u, struct pt_err *err)
{
	u->written->counters = false;
	return pt_mdm_put(u->mdm, false, PCCMDR, PCCMDR_BITS, STOP, err);
}

unsigned pt_counters_event_items(const struct pt_counters_unit *u)
{
	return u->bits == 32 ? 1 : 2;
}

unsigned pt_counters_latency_items(const struct pt_counters_unit *u)
{
	return u->bits == 32 ? 4 : 7;
}

int pt_counters_unit_read(struct pt_counters_unit *u, struct pt_counters_reading *r, struct pt_err *err)
{
	uint32_t n_items =
		u->events.places * pt_counters_event_items(u) + u->latencies.places * pt_counters_latency_items(u);
	struct pt_mdm_op op[] = {
		pt_mdm_write_op(PCCMDR, PCCMDR_BITS, SAMPLE | RESET),
		{ .what = PT_MDM_READ, .command = PCSR, .bits = PCSR_BITS, .n = n_places(u), .values = r->status },
		pt_mdm_write_op(PCCMDR, PCCMDR_BITS, RESET),
		{ .what = PT_MDM_READ, .command = PCDRR, .bits = PCDRR_BITS, .n = n_items, .values = r->item },
	};

	if (pt_mdm_run(u->mdm, op, PT_LEN(op), NULL, err) < 0)
		return err->code;
	take_times(&op[0], &r->at_ns, &r->error_ns);
	return 0;
}

/* --- is there a unit? */

int pt_counters_unit_check(struct pt_counters_unit *u, bool *answers, struct pt_err *err)
{
	uint64_t marks[2] = { MARK_HIGH, MARK }, seen[2] = { 0 };
	uint32_t n = u->events.places > 0 ? pt_counters_event_items(u) : 1;
	struct pt_mdm_op op[] = {
		pt_mdm_write_op(PCCMDR, PCCMDR_BITS, CLEAR | STOP | RESET),
		{ .what = PT_MDM_WRITE, .command = PCDWR, .bits = PCDRR_BITS, .n = n, .values = marks + 2 - n },
		pt_mdm_write_op(PCCMDR, PCCMDR_BITS, SAMPLE | RESET),
		{ .what = PT_MDM_READ, .command = PCDRR, .bits = PCDRR_BITS, .n = n, .values = seen + 2 - n },
	};

	if (pt_mdm_run(u->mdm, op, PT_LEN(op), NULL, err) < 0)
		return err->code;
	*answers = memcmp(seen + 2 - n, marks + 2 - n, n * sizeof(*seen)) == 0;
	return 0;
}

bool pt_counters_unit_is_zero(const struct pt_counters_unit *u, const struct pt_counters_reading *r)
{
	uint32_t n_events = u->events.places * pt_counters_event_items(u), per = pt_counters_latency_items(u);

	for (uint32_t i = 0; i < n_events; i++)
		if (r->item[i] != 0)
			return false;
	for (uint32_t i = 0; i < u->latencies.places; i++)
		if (r->item[n_events + i * per] != 0)
			return false;
	return true;
}
