#include "swodoor/swo_bytes.h"

#include <string.h>

#include "trace/config.h"
#include "trace/formats.h"
#include "trace/loss.h"

/* Zeros that end any packet and also form a synchronisation packet; then an overflow packet. Source: Arm DDI 0403,
 * D4.2.1, D4.2.3 */
static const uint8_t hole[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x70 };
enum { SYNC_BYTES = sizeof(hole) - 1 };

static void take_config(struct pt_swo_bytes *s, const struct pt_chunk *chunk)
{
	const char *format;
	int len = pt_config_look_up((const char *)chunk->bytes, chunk->len_bytes, "format", &format);
	bool goes_on = s->has_source && s->source == chunk->source;	/* the source was opened anew: mark the hole */

	s->is_itm[chunk->source] = len == (int)strlen(PT_FORMAT_ITM) && memcmp(format, PT_FORMAT_ITM, (size_t)len) == 0;
	if (s->is_itm[chunk->source] && (!s->has_source || s->source == chunk->source)) {
		s->has_source = true;
		s->source = chunk->source;
		s->packets = (struct pt_itm_packets){ .believed = true };
		s->n_part = 0;
		s->begun = goes_on && s->begun;
	}
}

static void take_packets(struct pt_swo_bytes *s, const uint8_t *bytes, size_t len_bytes, const struct pt_swo_sink *sink)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];
	uint8_t text[sizeof(packet[0].value)];
	unsigned n;

	for (size_t at = 0; at < len_bytes;) {
		at += pt_itm_take(&s->packets, bytes + at, len_bytes - at, packet, &n);
		for (unsigned i = 0; i < n; i++) {
			if (packet[i].kind != PT_ITM_PORT || packet[i].which != 0)
				continue;
			for (unsigned k = 0; k < packet[i].n_bytes; k++)
				text[k] = (uint8_t)(packet[i].value >> 8 * k);
			sink->text(sink->arg, text, packet[i].n_bytes);
		}
	}
}

/* Bytes that are no packet are passed on unchanged, as is a synchronisation that is longer than any packet. */
static void send_whole(struct pt_swo_bytes *s, const uint8_t *bytes, size_t len_bytes, const struct pt_swo_sink *sink)
{
	uint64_t rest = s->packets.believed ? pt_itm_rest(&s->packets) : 0;
	size_t keep = rest <= sizeof(s->part) ? (size_t)rest : 0;

	if (keep > len_bytes) {		/* the packet began in earlier bytes */
		memcpy(s->part + s->n_part, bytes, len_bytes);
		s->n_part = (uint8_t)keep;
		return;
	}
	if (s->n_part > 0)
		sink->raw(sink->arg, s->part, s->n_part);
	if (len_bytes > keep)
		sink->raw(sink->arg, bytes, len_bytes - keep);
	memcpy(s->part, bytes + len_bytes - keep, keep);
	s->n_part = (uint8_t)keep;
}

static void tell_hole(struct pt_swo_bytes *s, const struct pt_swo_sink *sink, bool lost)
{
	sink->raw(sink->arg, hole, lost ? sizeof(hole) : SYNC_BYTES);
	s->packets = (struct pt_itm_packets){ .believed = true };
	s->n_part = 0;
}

void pt_swo_bytes_take(struct pt_swo_bytes *s, const struct pt_chunk *chunk, const struct pt_swo_sink *sink)
{
	if (chunk->source >= PT_SWO_SOURCES)
		return;
	if (chunk->kind == PT_CHUNK_CONFIG)
		take_config(s, chunk);
	if (!s->has_source || chunk->source != s->source)
		return;
	if (chunk->kind == PT_CHUNK_LOSS && s->begun &&
	    (chunk->lost_bytes > 0 || pt_loss_is_fault((enum pt_loss)chunk->cause)))
		tell_hole(s, sink, true);
	if (chunk->kind == PT_CHUNK_END)
		s->has_source = false;
	if (chunk->kind != PT_CHUNK_DATA || chunk->len_bytes == 0)
		return;
	if (chunk->cause == PT_DATA_RESTARTS && s->begun)
		tell_hole(s, sink, false);
	s->begun = true;
	take_packets(s, chunk->bytes, chunk->len_bytes, sink);
	send_whole(s, chunk->bytes, chunk->len_bytes, sink);
}
