/* Captures of earlier versions (tests/captures) are read for ever, and as they were read then: what chunks they have,
 * what time these account for, and every event that the decoders make of them. NAME.reading holds it. What the numbers
 * of a report become of that may change; tests/system/test_captures has them. */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "decode/decoder.h"
#include "harness.h"
#include "import/importers.h"
#include "tests/golden.h"
#include "trace/formats.h"
#include "trace/loss.h"

enum { LEAST_CAPTURES = 30, N_CHUNKS = PT_CHUNK_COST + 1, N_EVENTS = PT_EV_LOOK + 1 };

static const char *const chunk_names[N_CHUNKS] = {
	NULL, "config", "data", "loss", "state", "image", "clock", "end", "cost",
};
static const char *const event_names[N_EVENTS] = {
	NULL, "start", "branch", "atoms", "indirect", "vector", "stop", "value", "sample", "exception", "bin", "counter",
	"gap", "value pc", "executed", "since", "look",
};

struct source {
	const struct pt_decoder *decoder;
	void *state;
	unsigned core;
	uint64_t chunks[N_CHUNKS], data_bytes, data_ns, events[N_EVENTS];
	struct { uint64_t n, bytes, ns; } loss[PT_N_LOSSES];
	uLong digest;	/* of all its events */
};

struct reading { struct source source[PT_INPUTS_SOURCES]; unsigned n_sources, resets; };

static glob_t captures;

/* --- what is in a file */

static void take_events(struct source *s, struct pt_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct pt_event *e = &batch->event[i];
		const uint64_t numbers[] = { e->kind, e->cause, e->n, e->ticks, e->branch.from, e->branch.to };
		uint8_t bytes[8 * PT_LEN(numbers)];

		ck_assert_uint_lt(e->kind, N_EVENTS);
		s->events[e->kind]++;
		for (size_t k = 0; k < PT_LEN(numbers); k++)
			pt_put_le64(bytes + 8 * k, numbers[k]);
		s->digest = crc32(s->digest, bytes, sizeof(bytes));
	}
	batch->n_events = 0;
}

static void open_source(struct source *s, const struct pt_chunk *c)
{
	struct pt_config config;
	char format[32];

	ck_assert(pt_config_init(&config, (const char *)c->bytes, c->len_bytes));
	pt_config_text(&config, "format", format, sizeof(format));
	s->decoder = pt_decoder_find(format);
	ck_assert_msg(s->decoder != NULL, "no decoder for %s", format);
	free(s->state);
	s->state = calloc(1, s->decoder->state_bytes);
	ck_assert(s->state != NULL);
	s->core = c->core;
	s->decoder->init(s->state, c->source, c->core, &config);
	pt_config_fini(&config);
}

static void take_data(struct source *s, const struct pt_chunk *c, struct pt_batch *batch)
{
	s->data_bytes += c->len_bytes;
	s->data_ns += c->to_ns - c->from_ns;
	if (c->cause != PT_DATA_FOLLOWS)
		s->decoder->gap(s->state, PT_GAP_RESTART, 0, 0, batch);
	for (size_t taken = 0; taken < c->len_bytes;) {
		taken += s->decoder->feed(s->state, c->bytes + taken, c->len_bytes - taken, batch);
		take_events(s, batch);
	}
}

static void take_loss(struct source *s, const struct pt_chunk *c, struct pt_batch *batch)
{
	ck_assert_uint_lt(c->cause, PT_N_LOSSES);
	s->loss[c->cause].n++;
	s->loss[c->cause].bytes += c->lost_bytes != PT_UNKNOWN ? c->lost_bytes : 0;
	s->loss[c->cause].ns += c->to_ns - c->from_ns;
	s->decoder->gap(s->state, PT_GAP_LOSS, c->to_ns - c->from_ns, c->lost_bytes, batch);
}

static void take_chunk(struct reading *r, const struct pt_chunk *c)
{
	static struct pt_batch batch;
	struct source *s = &r->source[c->source];

	ck_assert_uint_lt(c->source, PT_INPUTS_SOURCES);
	ck_assert_uint_lt(c->kind, N_CHUNKS);
	if (c->kind == PT_CHUNK_CONFIG) {
		open_source(s, c);
		r->n_sources = c->source >= r->n_sources ? c->source + 1u : r->n_sources;
	}
	ck_assert_msg(s->decoder != NULL, "a chunk before its source is opened");
	s->chunks[c->kind]++;
	if (c->kind == PT_CHUNK_DATA)
		take_data(s, c, &batch);
	else if (c->kind == PT_CHUNK_LOSS)
		take_loss(s, c, &batch);
	else if (c->kind == PT_CHUNK_STATE)
		s->decoder->state(s->state, (enum pt_state)c->cause,
				  c->len_bytes >= PT_STATE_BYTES ? pt_le64(c->bytes + PT_STATE_PC) : PT_UNKNOWN,
				  &batch);
	else if (c->kind == PT_CHUNK_END)
		s->decoder->flush(s->state, &batch);
	take_events(s, &batch);
}

static void on_note(void *arg, const char *text)
{
	ck_abort_msg("%s: %s", (const char *)arg, text);
}

static void read_capture(struct reading *r, char *path)
{
	struct pt_inputs_set *set = pt_inputs_new(on_note, path);
	const struct pt_chunk *chunk;
	struct pt_err err = { 0 };
	int item;

	ck_assert_msg(pt_inputs_add(set, path, NULL, 0, &err) == 0, "%s: %s", path, err.msg);
	while ((item = pt_inputs_next(set, &chunk, &err)) != PT_INPUT_END) {
		ck_assert_msg(item > 0, "%s: %s", path, err.msg);
		if (item == PT_INPUT_CHUNK)
			take_chunk(r, chunk);
		else
			r->resets++;
	}
	pt_inputs_free(set);
}

/* --- as text */

static void print_counts(FILE *out, const char *const *names, const uint64_t *counts, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (counts[i] != 0)
			fprintf(out, "  %s %" PRIu64 "\n", names[i], counts[i]);
}

static void print_source(FILE *out, unsigned number, const struct source *s)
{
	if (s->decoder == NULL)		/* numbers have holes */
		return;
	fprintf(out, "source %u: %s of core %u\n chunks\n", number, s->decoder->name, s->core);
	print_counts(out, chunk_names, s->chunks, N_CHUNKS);
	fprintf(out, " time\n  data %" PRIu64 " bytes %" PRIu64 " ns\n", s->data_bytes, s->data_ns);
	for (unsigned i = 1; i < PT_N_LOSSES; i++)
		if (s->loss[i].n != 0)
			fprintf(out, "  loss %u: %" PRIu64 " times %" PRIu64 " bytes %" PRIu64 " ns\n", i, s->loss[i].n,
				s->loss[i].bytes, s->loss[i].ns);
	fprintf(out, " events\n");
	print_counts(out, event_names, s->events, N_EVENTS);
	fprintf(out, "  digest %08lx\n", s->digest);
}

/* The golden file is written where there is none, and never again: what a capture says does not change. */
START_TEST(reads_as_it_did)
{
	static struct reading r;
	char *path = captures.gl_pathv[_i], name[400], *text;
	const char *file = strrchr(path, '/') + 1;
	size_t len_bytes;
	FILE *out;

	memset(&r, 0, sizeof(r));
	read_capture(&r, path);
	ck_assert_uint_gt(r.n_sources, 0);
	out = open_memstream(&text, &len_bytes);
	for (unsigned i = 0; i < r.n_sources; i++)
		print_source(out, i, &r.source[i]);
	if (r.resets > 0)
		fprintf(out, "statistics begun anew %u times\n", r.resets);
	fclose(out);
	for (unsigned i = 0; i < r.n_sources; i++)
		free(r.source[i].state);
	snprintf(name, sizeof(name), "../captures/%.*s.reading", (int)strcspn(file, "."), file);
	expect_golden_kept(name, text, len_bytes);
	free(text);
}
END_TEST

int main(void)
{
	const char *srcdir = getenv("srcdir");
	char pattern[512];
	Suite *suite = suite_create("captures");
	TCase *tc = tcase_create("captures");
	int status;

	snprintf(pattern, sizeof(pattern), "%s/tests/captures/*.ptcap", srcdir != NULL ? srcdir : ".");
	if (glob(pattern, 0, NULL, &captures) != 0 || captures.gl_pathc < LEAST_CAPTURES) {
		fprintf(stderr, "%zu captures match %s\n", captures.gl_pathc, pattern);
		return EXIT_FAILURE;
	}
	tcase_add_loop_test(tc, reads_as_it_did, 0, (int)captures.gl_pathc);
	suite_add_tcase(suite, tc);
	status = pt_run_suite(suite);
	globfree(&captures);
	return status;
}
