/* What the two files of the ITM's decoder share: its state, and the run over packets that most streams are made of. */
#ifndef PT_DECODE_ITM_PARTS_H
#define PT_DECODE_ITM_PARTS_H

#include "trace/event.h"
#include "trace/itm_packets.h"

enum {
	PT_ITM_TRUST = 16,
	PT_ITM_COMPARATORS = 4, PT_ITM_COUNTERS_MOST = 6,
	PT_ITM_MOST_OUT = PT_ITM_COUNTERS_MOST,	/* events that leave with one packet; no more come, in the mean */
	PT_ITM_HELD = 128,	/* events: more than PT_ITM_TRUST packets can bring */
	PT_ITM_MOST_HELD = 40,	/* of more between two stamps the first have no ticks */
};

struct pt_itm_held {
	struct pt_event event;
	/* Both modulo 2^32: what is held together is close together. */
	uint32_t packet;	/* the number of the packet that it came with */
	uint32_t begin_bytes;	/* bytes of packets before that one */
	bool dated;
};

struct pt_itm_access {		/* the packets of a comparator that came in front of its value */
	bool has_pc, has_offset;
	uint32_t pc;
	uint16_t offset;
};

struct pt_itm {
	struct pt_event blank;		/* what all our events have in common */
	struct pt_itm_packets packets;
	struct pt_itm_held held[PT_ITM_HELD];
	unsigned oldest, n_held;
	struct pt_itm_access access[PT_ITM_COMPARATORS];
	uint64_t address[PT_ITM_COMPARATORS];	/* as set; PT_UNKNOWN */
	uint64_t n_packets, n_bytes;	/* since the beginning, or the last gap */
	uint64_t ticks;			/* at the last local stamp */
	uint64_t dropped_bytes;		/* of packets that were not believed afterwards */
	bool aligned;			/* CONFIG: a stream begins with a packet, and goes on with one behind a gap */
	bool stamped;			/* there are local stamps in it */
	uint8_t plain[256];		/* which headers begin packets for a run */
	uint8_t steps[512];		/* of each exception: a bit for each step that it can have */
};

/* --- what packets are as events; e has what all have in common */

static inline void pt_itm_overflow_event(struct pt_event *e)
{
	e->kind = PT_EV_GAP;
	e->cause = PT_GAP_OVERFLOW;
	e->gap.ns = PT_UNKNOWN;
	e->gap.bytes = PT_UNKNOWN;
}

/* i: of the bit that says it wrapped. They have 8 bits; but for the last, that of cycles, whose period is as it was set. */
static inline void pt_itm_counter_event(struct pt_event *e, unsigned i)
{
	e->kind = PT_EV_COUNTER;
	e->cause = PT_COUNTING_GOES_ON;
	e->counter.id = PT_COUNTER_NAMED + i;
	e->counter.error_ns = 0;
	e->counter.count = i + 1 < PT_ITM_COUNTERS_MOST ? 256 : 1;
}

static inline void pt_itm_value_event(struct pt_event *e, unsigned cause, unsigned n_bytes, uint64_t at, uint64_t value)
{
	e->kind = PT_EV_VALUE;
	e->cause = (uint8_t)cause;
	e->n = (uint16_t)n_bytes;
	e->value.at = at;
	e->value.value = value;
}

/* As far as limits say which packets can be. */
void pt_itm_run_init(struct pt_itm *s);

/* Take packets of samples, exceptions, counters, values, overflows and local stamps, up to another packet, the end of bytes,
 * or a full batch; events and what is held afterwards are the same as if each packet had been taken by itself. Returns how
 * many bytes were taken; it may be 0. */
size_t pt_itm_run(struct pt_itm *s, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out);

#endif
