/* A source of several streams against each stream as a source of its own: what the pipeline makes of them is the same, and
 * what is missing in the frames is counted. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "harness.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "trace/formats.h"

enum { FRAME = 16, PERIODS = 400, MOST = 1 << 14, FIRST = 1, SECOND = 5, OTHER = 9, MARGIN = 4 };

struct bytes { uint8_t at[MOST]; size_t n; };

static uint32_t dice(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* --- what a formatter makes ---------------------------------------------------------------------------------------- */

struct formatter {
	struct bytes *port;
	uint8_t frame[FRAME];
	unsigned at;
	uint8_t stream;
};

static void flush_frame(struct formatter *f)
{
	static const uint8_t sync[] = { 0xff, 0xff, 0xff, 0x7f };

	ck_assert_uint_le(f->port->n + FRAME + sizeof(sync), MOST);
	memcpy(f->port->at + f->port->n, f->frame, FRAME);
	f->port->n += FRAME;
	if (f->port->n % 7 == 0) {
		memcpy(f->port->at + f->port->n, sync, sizeof(sync));
		f->port->n += sizeof(sync);
	}
	memset(f->frame, 0, FRAME);
	f->at = 0;
}

/* The plain way: a name in the first place of a pair, at once. */
static void put_byte(struct formatter *f, uint8_t stream, uint8_t byte)
{
	if (f->stream != stream) {
		ck_assert_uint_eq(f->at % 2, 0);
		f->frame[f->at++] = (uint8_t)(stream << 1 | 1);
		f->stream = stream;
	}
	if (f->at % 2 == 0)
		f->frame[FRAME - 1] |= (uint8_t)((byte & 1) << (f->at / 2));
	f->frame[f->at] = f->at % 2 == 0 ? byte & 0xfe : byte;
	if (++f->at == FRAME - 1)
		flush_frame(f);
}

/* Bytes of both, each in its order, with those of a third between them, until one of the two has no more: what they have
 * then is what was sent. Names change where a pair begins; the last place of a frame has room for none. */
static void interleave(struct bytes *port, struct bytes *first, struct bytes *second, uint32_t seed)
{
	struct formatter f = { .port = port };
	size_t a = 0, b = 0;
	uint8_t now = OTHER;

	while (f.at != 0 || (a + MARGIN < first->n && b + MARGIN < second->n)) {
		bool more = a + MARGIN < first->n && b + MARGIN < second->n;

		if (f.at % 2 == 0 && f.at != FRAME - 2) {
			uint32_t choice = more ? dice(&seed) % 8 : 0;

			now = choice == 0 ? OTHER : choice < 5 ? FIRST : SECOND;
		}
		put_byte(&f, now, now == FIRST ? first->at[a++] : now == SECOND ? second->at[b++] : 0xa5);
	}
	first->n = a;
	second->n = b;
}

/* --- what the streams are ------------------------------------------------------------------------------------------ */

/* Samples at one place; and writes to port 1. Each with its sync, and without a stamp. */
static void make_streams(struct bytes *first, struct bytes *second)
{
	static const uint8_t sync[] = { 0, 0, 0, 0, 0, 0x80 }, sample[] = { 0x17, 0x02, 0x01, 0, 0 }, write[] = { 0x09, 0x41 };

	*first = *second = (struct bytes){ .n = 0 };
	for (int i = 0; i < PERIODS; i++) {
		const uint8_t *packet = i % 50 == 0 ? sync : sample;
		size_t n = i % 50 == 0 ? sizeof(sync) : sizeof(sample);

		memcpy(first->at + first->n, packet, n);
		first->n += n;
		packet = i % 50 == 0 ? sync : write;
		n = i % 50 == 0 ? sizeof(sync) : sizeof(write);
		for (int k = 0; k < 2; k++, second->n += n)
			memcpy(second->at + second->n, packet, n);
	}
}

/* --- through the pipeline ------------------------------------------------------------------------------------------ */

struct result { uint64_t samples, values, damaged_bytes, damages, others; size_t n_sources; bool complete; };

static void put(struct pt_pipeline *pipeline, unsigned kind, const void *bytes, size_t len_bytes, uint64_t from_ns)
{
	struct pt_chunk *chunk = calloc(1, sizeof(*chunk) + PT_CHUNK_BYTES);

	chunk->kind = (uint16_t)kind;
	chunk->from_ns = from_ns;
	chunk->to_ns = kind == PT_CHUNK_DATA ? from_ns + 1000 : from_ns;
	chunk->len_bytes = (uint32_t)len_bytes;
	memcpy(chunk->bytes, bytes, len_bytes);
	pt_pipeline_feed(pipeline, chunk);
	free(chunk);
}

/* In chunks of random length. */
static struct result decode(const char *config, const struct bytes *bytes, uint32_t seed)
{
	struct pt_params *params = pt_params_new();
	struct pt_pipeline *pipeline = pt_pipeline_new(NULL, params, NULL);
	struct result r = { 0 };
	const struct pt_profile *p;
	uint64_t now_ns = 0;

	put(pipeline, PT_CHUNK_CONFIG, config, strlen(config), 0);
	for (size_t at = 0, n; at < bytes->n; at += n, now_ns += 1000) {
		n = 1 + dice(&seed) % 200;
		n = n < bytes->n - at ? n : bytes->n - at;
		put(pipeline, PT_CHUNK_DATA, bytes->at + at, n, now_ns);
	}
	put(pipeline, PT_CHUNK_END, "", 0, now_ns);
	p = pt_pipeline_profile(pipeline);
	r.n_sources = p->n_sources;
	for (size_t i = 0; i < p->n_sources; i++) {
		r.samples += p->sources[i].samples;
		r.values += p->sources[i].values;
		r.damaged_bytes += p->sources[i].loss.by[PT_LOSS_DAMAGED].bytes;
		r.damages += p->sources[i].loss.by[PT_LOSS_DAMAGED].events;
		ck_assert_uint_eq(p->sources[i].loss.total_ns, now_ns);
	}
	r.others = p->other_stream_bytes;
	r.complete = p->incomplete == NULL;
	pt_pipeline_free(pipeline);
	pt_params_free(params);
	return r;
}

#define COMMON "source=swo\nmode=stream\ntarget=t\nprobe=p\nvirtual=1\ncore_hz=0\naligned=1\ntitle=SWO\n"
#define PORT "format=tpiu\nstream.1=itm\nstream.5=itm\nstream.5.core=1\n" COMMON

START_TEST(each_stream_is_what_it_is_alone)
{
	static struct bytes first, second, port;
	struct result a, b, both;

	port.n = 0;
	make_streams(&first, &second);
	interleave(&port, &first, &second, (uint32_t)_i);
	a = decode("format=itm\n" COMMON, &first, 1);
	b = decode("format=itm\n" COMMON, &second, 2);
	both = decode(PORT, &port, (uint32_t)_i);
	ck_assert_uint_eq(both.n_sources, 2);
	ck_assert_uint_gt(a.samples, 0);
	ck_assert_uint_gt(b.values, 0);
	ck_assert_uint_eq(both.samples, a.samples);
	ck_assert_uint_eq(both.values, b.values);
	ck_assert_uint_eq(both.damaged_bytes, a.damaged_bytes + b.damaged_bytes);
	ck_assert_uint_gt(both.others, 0);
}
END_TEST

/* Cut out of the port: no sample more than there were, and what is missing is said. */
START_TEST(what_is_cut_out_is_missing)
{
	static struct bytes first, second, port;
	struct result whole, cut;
	size_t at, n = 2 * (size_t)(_i % 10) + 1;

	port.n = 0;
	make_streams(&first, &second);
	interleave(&port, &first, &second, (uint32_t)_i);
	whole = decode(PORT, &port, (uint32_t)_i);
	at = 200 + 37 * (size_t)_i;
	memmove(port.at + at, port.at + at + n, port.n - at - n);
	port.n -= n;
	cut = decode(PORT, &port, (uint32_t)_i);
	ck_assert_uint_lt(cut.samples, whole.samples);
	ck_assert_uint_gt(cut.samples, whole.samples / 4);
	ck_assert_uint_gt(cut.damages, 0);
	ck_assert_uint_gt(cut.damaged_bytes, 0);
	ck_assert(!cut.complete);
}
END_TEST

/* A file may open a source with streams, and again without, or the other way round: what is not in the last CONFIG gets nothing
 * more. */
START_TEST(opened_anew_in_another_shape)
{
	static const char *const configs[] = { PORT, "format=itm\n" COMMON, "format=tpiu\nstream.7=itm\n" COMMON };
	static const uint8_t sample[] = { 0x17, 0x02, 0x01, 0, 0 };
	struct pt_params *params = pt_params_new();
	struct pt_pipeline *pipeline = pt_pipeline_new(NULL, params, NULL);
	uint32_t seed = (uint32_t)_i;
	uint64_t n_plain = 0, n_samples = 0;
	const struct pt_profile *p;

	for (unsigned i = 0; i < 12; i++) {
		const char *config = configs[dice(&seed) % PT_LEN(configs)];

		put(pipeline, PT_CHUNK_CONFIG, config, strlen(config), i * 1000);
		put(pipeline, PT_CHUNK_DATA, sample, sizeof(sample), i * 1000);
		put(pipeline, PT_CHUNK_LOSS, "", 0, i * 1000 + 1000);
		n_plain += config == configs[1];
	}
	pt_pipeline_over(pipeline);
	p = pt_pipeline_profile(pipeline);
	for (size_t i = 0; i < p->n_sources; i++)
		n_samples += p->sources[i].samples;
	ck_assert_uint_eq(n_samples, n_plain);
	pt_pipeline_free(pipeline);
	pt_params_free(params);
}
END_TEST

START_TEST(more_streams_than_there_is_room_for)
{
	static struct bytes none;
	struct pt_text config = { 0 };
	struct result r;

	pt_text_add(&config, "format=tpiu\n");
	for (int i = 1; i < 100; i++)
		pt_text_add(&config, "stream.%d=itm\n", i);
	pt_text_add(&config, COMMON);
	config.bytes[config.len_bytes - 1] = '\0';
	r = decode(config.bytes, &none, 1);
	ck_assert_uint_le(r.n_sources, 32);
	pt_text_free(&config);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("streams");
	TCase *tc = tcase_create("streams");

	tcase_add_loop_test(tc, each_stream_is_what_it_is_alone, 0, 20);
	tcase_add_loop_test(tc, what_is_cut_out_is_missing, 0, 20);
	tcase_add_loop_test(tc, opened_anew_in_another_shape, 0, 20);
	tcase_add_test(tc, more_streams_than_there_is_room_for);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
