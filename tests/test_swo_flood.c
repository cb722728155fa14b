/* Many bytes of pin SWO through all that a live profile has behind the probe: reads with holes, chunks, decoder. Each event has
 * a number of its own, so that it is known which came.
 *
 *   counted  the probe drops bytes now and then and says how many: what is missing is what is reported, to the byte
 *   bounded  it may have dropped some and knows no more than how many at most: what is missing lies within what is reported
 *   flipped  bits are wrong: what comes is what was sent, but for at most one event each; after the next synchronisation
 *            all is well
 *
 * usage: test_swo_flood [BYTES-OF-EACH [SEED]]; make swo-flood has 10^9 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "decode/decoder.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/formats.h"

enum { EVENT_BYTES = 5, SYNC_BYTES = 6, SYNC_EVERY = 200, MOST_READ = 4096, MOST_HOLE = 3000, BITS_PER_S = 2000000 };
enum kind { COUNTED, BOUNDED, FLIPPED, N_KINDS };
static const char *const names[] = { [COUNTED] = "counted", [BOUNDED] = "bounded", [FLIPPED] = "flipped" };

static void fail(const char *what, uint64_t a, uint64_t b)
{
	printf("FAIL: %s: %" PRIu64 ", %" PRIu64 "\n", what, a, b);
	exit(1);
}

/* --- what is sent ------------------------------------------------------------------------------------------------- */

struct sender {
	enum kind kind;
	bool ends;			/* no hole and no wrong bit comes any more */
	uint64_t random;
	uint8_t packet[SYNC_BYTES];
	unsigned n, at;			/* of the packet under way */
	uint64_t n_events, n_syncs;	/* begun so far */
	uint64_t sent, given, dropped, n_holes, n_flips, now_ns;
};

static uint32_t dice(struct sender *s, uint32_t below)
{
	s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((s->random >> 33) * below >> 31);
}

/* Numbers are spread over all bits: where neighbours have bytes alike, a stream that is read at the wrong place behind a wrong
 * bit may be packets there, too, up to the next synchronisation, and nothing in it could show that. */
#define SPREAD UINT64_C(506952113)
#define GATHER UINT64_C(244002641)	/* its inverse, modulo 2^31 */

/* A sample, a write of comparator 0, or of port 1, with the event's number; a synchronisation now and then. */
static void next_packet(struct sender *s)
{
	static const uint8_t sync[SYNC_BYTES] = { 0, 0, 0, 0, 0, 0x80 }, headers[] = { 0x17, 0x8f, 0x0b };

	s->at = 0;
	if (s->n_events >= s->n_syncs * SYNC_EVERY) {
		memcpy(s->packet, sync, SYNC_BYTES);
		s->n = SYNC_BYTES;
		s->n_syncs++;
		return;
	}
	s->packet[0] = headers[s->n_events % sizeof(headers)];
	pt_put_le32(s->packet + 1, (uint32_t)(s->n_events * SPREAD) << 1);
	s->n = EVENT_BYTES;
	s->n_events++;
}

static uint8_t next_byte(struct sender *s)
{
	if (s->at == s->n)
		next_packet(s);
	s->sent++;
	return s->packet[s->at++];
}

static void drop_some(struct sender *s, struct pt_stream_read *what)
{
	uint32_t n = 1 + dice(s, MOST_HOLE);

	for (uint32_t i = 0; i < n; i++)
		next_byte(s);
	what->lost_bytes += n;
}

static int send_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		     struct pt_err *err)
{
	struct sender *s = state;
	size_t n = 1 + dice(s, MOST_READ), sure = n;
	bool hole = s->kind != FLIPPED && !s->ends && dice(s, 20) == 0;

	(void)timeout_ms;
	(void)err;
	n = n < room ? n : room;
	sure = hole ? dice(s, (uint32_t)n + 1) : n;
	for (size_t i = 0; i < n; i++) {
		if (hole && i == sure)
			drop_some(s, what);
		bytes[i] = next_byte(s);
		if (s->kind == FLIPPED && !s->ends && dice(s, 40000) == 0) {
			bytes[i] ^= (uint8_t)(1u << dice(s, 8));
			s->n_flips++;
		}
	}
	if (hole && sure == n)
		drop_some(s, what);
	s->dropped += what->lost_bytes;
	s->n_holes += hole;
	s->given += n;
	what->from_ns = s->now_ns;
	s->now_ns += (n + what->lost_bytes) * 10 * (PT_NS_PER_S / BITS_PER_S);
	what->to_ns = s->now_ns;
	what->sure_bytes = sure;
	what->missing = hole ? s->kind == BOUNDED ? PT_STREAM_PERHAPS : PT_STREAM_SOME : PT_STREAM_NOTHING;
	if (hole && s->kind == BOUNDED)
		what->lost_bytes += dice(s, 1000);	/* at most so many */
	return (int)n;
}

static const struct pt_stream_ops ops = { .read = send_read };

/* --- what comes --------------------------------------------------------------------------------------------------- */

struct receiver {
	struct pt_sink sink;
	struct pt_chunk *chunk;
	const struct pt_decoder *decoder;
	void *state;
	struct pt_batch batch;
	const struct sender *sender;
	uint64_t next;			/* number of the event that would follow */
	uint64_t odd;			/* of one that does not follow; PT_UNKNOWN: none waits */
	uint64_t n_came, n_wrong, data_bytes, lost_bytes, damaged_bytes;
};

static void came(struct receiver *r, uint64_t number)
{
	if (r->odd != PT_UNKNOWN && number == r->odd + 1)
		r->n_came++;
	else if (r->odd != PT_UNKNOWN)
		r->n_wrong++;
	r->odd = PT_UNKNOWN;
	r->next = number + 1;
	r->n_came++;
}

/* Where bits may be wrong, one that does not follow waits for the next: either that follows it, or it was wrong. */
static void odd(struct receiver *r, uint64_t number)
{
	r->n_wrong += r->odd != PT_UNKNOWN;
	r->odd = number;
}

static void take_event(struct receiver *r, const struct pt_event *e)
{
	static const uint8_t kinds[] = { PT_EV_SAMPLE, PT_EV_VALUE, PT_EV_VALUE };
	uint64_t value = e->kind == PT_EV_SAMPLE ? e->branch.to : e->value.value, number;

	if (e->kind == PT_EV_GAP) {
		if (e->cause == PT_GAP_DAMAGED && e->gap.bytes != PT_UNKNOWN)
			r->damaged_bytes += e->gap.bytes;
		return;
	}
	/* the 31 bits that it has of its number, and the rest of the next one's */
	number = r->next + (((value >> 1) * GATHER - r->next) & INT32_MAX);
	if ((value & 1) != 0 || number >= r->sender->n_events || kinds[number % 3] != e->kind)
		r->n_wrong++;
	else if (number == r->next || r->sender->kind != FLIPPED)
		came(r, number);
	else if (r->odd != PT_UNKNOWN && number == r->odd + 1)
		came(r, number);	/* the one before it was right, and what was between them is missing */
	else
		odd(r, number);
}

static void take_events(struct receiver *r)
{
	for (size_t i = 0; i < r->batch.n_events; i++)
		take_event(r, &r->batch.event[i]);
	r->batch.n_events = 0;
}

static struct pt_chunk *take_chunk(struct pt_sink *sink)
{
	struct receiver *r = (struct receiver *)sink;

	memset(r->chunk, 0, sizeof(*r->chunk));
	return r->chunk;
}

static void gap(struct receiver *r, enum pt_gap cause, uint64_t bytes)
{
	r->decoder->gap(r->state, cause, 0, bytes, &r->batch);
	take_events(r);
}

static void put_chunk(struct pt_sink *sink, struct pt_chunk *chunk)
{
	struct receiver *r = (struct receiver *)sink;

	if (chunk->kind != PT_CHUNK_DATA)
		return;
	r->data_bytes += chunk->len_bytes;
	if (chunk->cause == PT_DATA_RESTARTS)
		gap(r, PT_GAP_RESTART, 0);
	for (size_t at = 0; at < chunk->len_bytes; take_events(r))
		at += r->decoder->feed(r->state, chunk->bytes + at, chunk->len_bytes - at, &r->batch);
}

static void lose_chunk(struct pt_sink *sink, const struct pt_chunk *loss)
{
	struct receiver *r = (struct receiver *)sink;

	if (loss->lost_bytes != PT_UNKNOWN)
		r->lost_bytes += loss->lost_bytes;
	gap(r, PT_GAP_LOSS, loss->lost_bytes);
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static void judge(const struct sender *s, const struct receiver *r)
{
	uint64_t n_lost = s->n_events - r->n_came, lost = n_lost * EVENT_BYTES,
		 reported = r->lost_bytes + r->damaged_bytes,
		 syncs = (n_lost / SYNC_EVERY + s->n_holes + 1) * SYNC_BYTES;

	if (r->n_came == 0 || r->n_came < s->n_events / 4)
		fail("too few events came", r->n_came, s->n_events);
	if (s->kind != FLIPPED && r->n_wrong > 0)
		fail("events that nobody sent", r->n_wrong, 0);
	if (s->kind == FLIPPED && r->n_wrong > s->n_flips)
		fail("more wrong events than wrong bits", r->n_wrong, s->n_flips);
	if (s->kind == COUNTED && r->data_bytes + r->lost_bytes != s->sent)
		fail("bytes that came and that are reported are not those that were sent",
		     r->data_bytes + r->lost_bytes, s->sent);
	if (s->kind != FLIPPED && (reported < lost || (s->kind == COUNTED && reported > lost + syncs)))
		fail("bytes reported are not those that are missing", reported, lost);
	if (s->kind == FLIPPED && n_lost > s->n_flips * (SYNC_EVERY + 40))
		fail("a wrong bit costs more than up to the next synchronisation", n_lost, s->n_flips);
	printf("%-8s %" PRIu64 " bytes, %" PRIu64 " events: %" PRIu64 " came, %" PRIu64 " missing (%" PRIu64
	       " bytes), %" PRIu64 " wrong; %" PRIu64 " holes, %" PRIu64 " flips; reported %" PRIu64 " bytes\n",
	       names[s->kind], s->sent, s->n_events, r->n_came, n_lost, lost, r->n_wrong, s->n_holes, s->n_flips,
	       reported);
}

static void run(enum kind kind, uint64_t n_bytes, uint64_t seed)
{
	static const char config_text[] = "aligned=1\nno_ports=0xfffffffd\n";	/* port 1 alone */
	struct sender s = { .kind = kind, .random = seed };
	struct receiver r = { .sink = { take_chunk, put_chunk, lose_chunk }, .sender = &s, .odd = PT_UNKNOWN,
			      .decoder = pt_decoder_find(PT_FORMAT_ITM) };
	const struct pt_source_setup setup = { .sink = &r.sink };
	struct pt_swo_stream *stream = calloc(1, sizeof(*stream));
	struct pt_emit out;
	struct pt_config config;
	struct pt_err err = { 0 };

	r.chunk = malloc(sizeof(*r.chunk) + PT_CHUNK_BYTES);
	r.state = malloc(r.decoder->state_bytes);
	if (!pt_config_init(&config, config_text, sizeof(config_text) - 1))
		fail("no memory", 0, 0);
	r.decoder->init(r.state, 0, 0, &config);
	pt_config_fini(&config);
	pt_emit_init(&out, &setup, 0);
	stream->ops = &ops;
	stream->wire = &s;
	stream->out = &out;
	stream->bits_per_s = BITS_PER_S;
	stream->limits.no_ports = ~UINT32_C(2);
	pt_swo_anew(stream, 0);
	while (s.sent < n_bytes)
		if (pt_swo_take(stream, 0, 0, &err) < 0)
			fail(err.msg, 0, 0);
	s.ends = true;				/* up to behind the next synchronisation */
	for (uint64_t until = s.n_syncs + 3; s.n_syncs < until || s.at != s.n;)
		if (pt_swo_take(stream, 0, 0, &err) < 0)
			fail(err.msg, 0, 0);
	r.decoder->flush(r.state, &r.batch);
	take_events(&r);
	r.lost_bytes += stream->len_bytes + (stream->dropped != PT_UNKNOWN ? stream->dropped : 0);
	judge(&s, &r);
	free(r.state);
	free(r.chunk);
	free(stream);
}

int main(int argc, char **argv)
{
	uint64_t n_bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000,
		 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (int kind = 0; kind < N_KINDS; kind++)
		run((enum kind)kind, n_bytes, seed);
	return 0;
}
