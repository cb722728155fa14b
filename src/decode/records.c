/* Byte by byte, so that any split is the same. */
#include "decode/records.h"

#include <string.h>

#include "base/util.h"

struct pt_event *pt_own_add(struct pt_own *own, struct pt_batch *out, enum pt_event_kind kind)
{
	return pt_batch_add(out, &own->blank, kind, own->blank.cause);
}

static void take(struct pt_own *own, const struct pt_own_format *format, uint8_t byte, struct pt_batch *out)
{
	int length;

	own->part[own->part_bytes++] = byte;
	length = format->length(own->part, own->part_bytes);
	if (length == PT_OWN_DAMAGED)
		pt_own_gap(own, PT_GAP_DAMAGED, PT_UNKNOWN, own->part_bytes, out);
	else if (length == own->part_bytes)
		format->record(own, out);
	else
		return;
	own->part_bytes = 0;
}

size_t pt_own_feed(struct pt_own *own, const struct pt_own_format *format, const uint8_t *bytes, size_t len_bytes,
		   struct pt_batch *out)
{
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS)
		take(own, format, bytes[taken++], out);
	return taken;
}

void pt_own_gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct pt_own *own = state;

	own->part_bytes = 0;
	pt_batch_add_gap(out, &own->blank, cause, ns, bytes);
}

void pt_own_state(void *own, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	(void)own;
	(void)what;
	(void)pc;
	(void)out;
}

void pt_own_flush(void *state, struct pt_batch *out)
{
	struct pt_own *own = state;

	if (own->part_bytes > 0)
		pt_own_gap(own, PT_GAP_DAMAGED, PT_UNKNOWN, own->part_bytes, out);
}

void pt_own_init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct pt_own *own = state;

	(void)config;		/* names and clock are for those who know what a record means */
	memset(own, 0, sizeof(*own));
	own->blank.ticks = PT_UNKNOWN;
	own->blank.source = source;
	own->blank.core = core;
}
