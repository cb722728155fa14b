/* What came out of a pin SWO, or a trace buffer: the stream of an ITM, as OpenOCD, a probe's own tool or a serial port
 * wrote it to a file, alone or in the frames of a TPIU.
 *
 * It has no clock but its local stamps, whose ticks --set swo-clock= turns into time: chunks lie where the stamps in
 * them are. Behind damage the stamps begin anew (trace/itm_packets.h), where the last one before it stood: what passed
 * meanwhile is not known. Without stamps, or without their clock, all of it is of no time. Where a TPIU's frames do not
 * fit together, bytes are missing: a LOSS of no time stands there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "decode/tpiu_frames.h"
#include "import/stream.h"
#include "trace/itm_counters.h"
#include "trace/itm_packets.h"
#include "trace/loss.h"

enum { CLOCK, ALIGNED, ADDRESSES, STREAM, N_ADDRESSES = 4, MOST_STREAMS = 0x6f };
static const struct pt_param rows[] = {
	[CLOCK] = { "swo-clock", PT_PARAM_HZ, NULL, NULL, 0, 0,
		    "swo: clock of the local stamps: the core's, divided by TSPrescale; else they are of no time" },
	[ALIGNED] = { "swo-aligned", PT_PARAM_FLAG, "no", NULL, 0, 0, "swo: the file's first byte begins a packet, or a frame" },
	[ADDRESSES] = { "swo-addresses", PT_PARAM_LIST, NULL, NULL, 0, 0,
			"swo: addresses that DWT comparators 0, 1, ... were set to" },
	[STREAM] = { "swo-stream", PT_PARAM_NUMBER, NULL, NULL, 1, MOST_STREAMS,
		     "swo: number of the ITM's stream, where the bytes are in the frames of a TPIU" },
};

struct swo {
	struct pt_infile *file;
	struct pt_text config;
	struct pt_itm_packets packets;
	uint8_t stream;			/* 0: there are no frames */
	struct pt_tpiu frames;
	uint8_t waiting[PT_TPIU_MOST], n_waiting, next;
	uint64_t others;		/* bytes of other streams */
	uint64_t lost;			/* bytes of no frame, to be told before those that wait */
	uint64_t hz;			/* 0: no time */
	bool stamped;			/* there are stamps in it */
	uint64_t ticks;			/* since stretch_ns, when the last stamp was made */
	uint64_t stretch_ns;
	uint64_t told_ns;
	unsigned phase;
	struct pt_notes notes;
};

enum { CONFIG, ANCHOR, DATA, LOSS, OVER };

static uint64_t now_ns(const struct swo *s)
{
	unsigned __int128 ns = s->hz != 0 ? (unsigned __int128)s->ticks * PT_NS_PER_S / s->hz : 0;

	return ns < INT64_MAX - s->stretch_ns ? s->stretch_ns + (uint64_t)ns : INT64_MAX;
}

static void begin_stretch(struct swo *s)
{
	s->stretch_ns = now_ns(s);
	s->ticks = 0;
}

static void take_stamp(struct swo *s, uint64_t ticks)
{
	if (s->hz == 0 && !s->stamped)
		pt_notes_add(&s->notes,
			     "its stamps are of no time: --set swo-clock=HZ gives it, the core's clock divided by "
			     "TSPrescale");
	s->stamped = true;
	s->ticks += ticks;
}

/* Whether the chunk ends with these packets: the stamps begin anew, or it has time enough. */
static bool take_packets(struct swo *s, const struct pt_itm_packet *packet, unsigned n)
{
	bool ends = false;

	for (unsigned i = 0; i < n; i++) {
		if (packet[i].kind == PT_ITM_LOCAL_STAMP) {
			take_stamp(s, packet[i].value);
			ends |= now_ns(s) - s->told_ns > PT_STREAM_SPAN_NS;
		} else if (packet[i].kind == PT_ITM_FOUND) {
			begin_stretch(s);
			s->phase = ANCHOR;
			ends = true;
		}
	}
	return ends;
}

/* What the ITM sent in the frame that this byte of the file completes. */
static void take_framed(struct swo *s, uint8_t byte)
{
	struct pt_tpiu_byte in[PT_TPIU_MOST];

	s->n_waiting = s->next = 0;
	for (unsigned i = 0, n = pt_tpiu_take(&s->frames, byte, in); i < n; i++) {
		if (in[i].stream == s->stream)
			s->waiting[s->n_waiting++] = in[i].byte;
		else
			s->others += in[i].stream != PT_TPIU_PADDING && in[i].stream != PT_TPIU_TRIGGER;
	}
	if (s->n_waiting > 0) {
		s->lost += s->frames.skipped;
		s->frames.skipped = 0;
	}
}

/* The next bytes of the ITM's, and how many; 0: the file has ended, or something is missing in front of them. */
static size_t look(struct swo *s, const uint8_t **bytes)
{
	if (s->stream == 0)
		return pt_infile_look(s->file, 1, bytes);
	while (s->next == s->n_waiting && pt_infile_look(s->file, 1, bytes) > 0) {
		take_framed(s, **bytes);
		pt_infile_take(s->file, 1);
	}
	*bytes = s->waiting + s->next;
	return s->lost > 0 ? 0 : s->n_waiting - s->next;
}

static void used(struct swo *s, size_t n)
{
	if (s->stream == 0)
		pt_infile_take(s->file, n);
	else
		s->next += (uint8_t)n;
}

/* What follows is another stretch for the decoder, too. */
static int put_loss(struct swo *s, struct pt_chunk *chunk)
{
	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .to_ns = s->told_ns, .kind = PT_CHUNK_LOSS,
				    .cause = PT_LOSS_DAMAGED, .lost_bytes = s->lost };
	s->lost = 0;
	s->packets = (struct pt_itm_packets){ .believed = false };
	begin_stretch(s);
	s->phase = ANCHOR;
	return PT_INPUT_CHUNK;
}

/* A frame that is not whole is missing. */
static int end_file(struct swo *s, struct pt_chunk *chunk)
{
	if (s->stream != 0) {
		s->lost += pt_tpiu_rest(&s->frames);
		pt_tpiu_init(&s->frames, false);
	}
	if (s->lost > 0)
		return put_loss(s, chunk);
	if (s->others > 0)
		pt_notes_add(&s->notes, "%" PRIu64 " bytes are of other streams than %u and were left out", s->others,
			     s->stream);
	s->phase = OVER;
	chunk->kind = PT_CHUNK_END;
	return PT_INPUT_CHUNK;
}

static int put_data(struct swo *s, struct pt_chunk *chunk, struct pt_err *err)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];
	const uint8_t *bytes;
	bool ends = false;
	size_t n;

	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .kind = PT_CHUNK_DATA };
	while (!ends && chunk->len_bytes < PT_CHUNK_BYTES && (n = look(s, &bytes)) > 0) {
		size_t room = PT_CHUNK_BYTES - chunk->len_bytes;
		unsigned n_packets;

		n = pt_itm_take(&s->packets, bytes, n < room ? n : room, packet, &n_packets);
		memcpy(chunk->bytes + chunk->len_bytes, bytes, n);
		chunk->len_bytes += (uint32_t)n;
		used(s, n);
		ends = take_packets(s, packet, n_packets);
	}
	chunk->to_ns = s->told_ns = now_ns(s);
	if (s->lost > 0) {
		s->phase = LOSS;
		if (chunk->len_bytes == 0)
			return put_loss(s, chunk);
	}
	if (chunk->len_bytes == 0 && pt_infile_failed(s->file, err) < 0)
		return err->code;
	return chunk->len_bytes == 0 ? end_file(s, chunk) : PT_INPUT_CHUNK;
}

static int put_anchor(struct swo *s, struct pt_chunk *chunk)
{
	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .to_ns = s->told_ns, .kind = PT_CHUNK_CLOCK,
				    .len_bytes = PT_CLOCK_BYTES };
	pt_put_le64(chunk->bytes + PT_CLOCK_TICKS, 0);
	pt_put_le64(chunk->bytes + PT_CLOCK_NS, s->stretch_ns);
	pt_put_le64(chunk->bytes + PT_CLOCK_ERROR_NS, 0);
	s->phase = DATA;
	return PT_INPUT_CHUNK;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	struct swo *s = state;

	if (s->phase == CONFIG) {
		s->phase = ANCHOR;
		pt_stream_put_config(chunk, &s->config, 0);
		return PT_INPUT_CHUNK;
	}
	if (s->phase == ANCHOR && s->hz != 0)
		return put_anchor(s, chunk);
	if (s->phase == LOSS)
		return put_loss(s, chunk);
	return s->phase == OVER ? PT_INPUT_END : put_data(s, chunk, err);
}

static int add_addresses(struct swo *s, const char *list, struct pt_err *err)
{
	unsigned n = 0;

	for (size_t len; list != NULL && *list != '\0'; list += len + (list[len] == ',')) {
		char word[24];
		uint64_t address;

		len = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		if (n == N_ADDRESSES)
			return pt_fail(err, PT_EARG, "swo-addresses: there are %d comparators at most", N_ADDRESSES);
		if (pt_params_parse(PT_PARAM_NUMBER, word, &address, err) < 0)
			return pt_wrap(err, "swo-addresses");
		pt_text_add(&s->config, "address.%u=0x%" PRIx64 "\n", n++, address);
	}
	return 0;
}

static void close_swo(void *state)
{
	struct swo *s = state;

	pt_infile_close(s->file);
	pt_text_free(&s->config);
}

static int open_swo(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct swo *s = state;
	char counters[PT_ITM_COUNTERS_TEXT];

	s->file = file;
	pt_notes_init(&s->notes, setup);
	s->hz = pt_params_number(setup->settings, &rows[CLOCK]);
	s->stream = (uint8_t)pt_params_number(setup->settings, &rows[STREAM]);
	pt_tpiu_init(&s->frames, pt_params_flag(setup->settings, &rows[ALIGNED]));
	s->packets.believed = s->stream == 0 && s->frames.aligned;
	pt_stream_config(&s->config, PT_FORMAT_ITM, "swo", "file", setup);
	pt_text_add(&s->config, "aligned=%d\nsilent_loss=1\n", s->packets.believed);
	if (s->hz != 0)
		pt_text_add(&s->config, "tick_hz=%" PRIu64 "\n", s->hz);
	else
		pt_text_add(&s->config, "clock=none\n");
	pt_itm_counters_print(counters, sizeof(counters));
	pt_text_add(&s->config, "%s", counters);
	if (add_addresses(s, pt_params_text(setup->settings, &rows[ADDRESSES]), err) == 0)
		return 0;
	close_swo(s);
	return err->code;
}

const struct pt_input_ops pt_input_swo = {
	.name = "swo",
	.help = "bytes of an SWO pin",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct swo),
	.open = open_swo,
	.next = next,
	.close = close_swo,
};
