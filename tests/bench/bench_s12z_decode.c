/* How fast is the S12Z's code profiling read? A loop of calls and conditional branches, some three in four taken, as it
 * comes out of PDO; the figure is direct branches a second. Beside it what the pins can carry at most: 31 of them in
 * the 96 bus cycles of a line, at 50 MHz. Every call is checked against the generator's count. Run by make bench; the
 * goal is 30 million a second through the whole pipeline. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../config_text.h"
#include "../s12z_program.h"
#include "decode/decoder.h"
#include "pipeline/pipeline.h"
#include "profile/flow/flow.h"
#include "profile/result/profile.h"
#include "trace/s12z_lines.h"

enum { ROUNDS = 7, STREAM_BYTES = 16 << 20 };

static uint8_t *stream;
static size_t stream_bytes;
static uint64_t n_bits, n_leaf, n_if, seed = 1;
static uint32_t direct = 1;
static const char config[] = "format=s12z-profile\nsource=bench\nmode=pdo\nstream=pdo\n";

static bool dice(unsigned of_16)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return seed >> 60 < of_16;
}

static void line(uint8_t info, uint32_t to, unsigned n_bytes)
{
	uint8_t *at = stream + stream_bytes;

	memset(at, 0, n_bytes);
	at[0] = info;
	pt_put_le32(at + 1, direct);
	for (unsigned i = 0; n_bytes == 8 && i < 3; i++)
		at[5 + i] = (uint8_t)(to >> 8 * i);
	stream_bytes += n_bytes;
	direct = 1;
}

static bool branch(bool taken)
{
	direct = direct << 1 | taken;
	n_bits++;
	if (direct >> 31 != 0)
		line(PT_S12Z_PTHF, 0, PT_S12Z_PTHF_BYTES);
	return taken;
}

static void indirect(uint32_t to)
{
	line(PT_S12Z_PTIB, to, 8);
}

/* One round of main in s12z_program.h. */
static void make_round(void)
{
	n_leaf++;
	indirect(0xff8009);
	n_if++;
	if (!branch(dice(8)))
		branch(dice(8));
	while (branch(dice(14)))
		branch(dice(8));
	indirect(0xff800c);
	if (branch(dice(15)))
		return;
	n_leaf++;
	indirect(Z_LEAF);
	indirect(0xff8012);
}

static void make_stream(void)
{
	stream = malloc(STREAM_BYTES + 1024);
	if (stream == NULL)
		exit(EXIT_FAILURE);
	memcpy(stream, (const uint8_t[]){ PT_S12Z_PTS, 0x00, 0x80, 0xff }, 4);
	stream_bytes = 4;
	while (stream_bytes < STREAM_BYTES - 1024)
		make_round();
	line(PT_S12Z_PTW | PT_S12Z_TERM, 0, 8);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The decoder, and flow behind it if there is a map. */
static double decode(const struct pt_codemap *map, uint64_t *n_runs)
{
	const struct pt_decoder *d = &pt_decoder_s12z_profile;
	static struct pt_run_batch runs;
	static struct pt_batch batch;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_flow flow;
	uint64_t state[64];
	double from = cpu_seconds();

	decoder_init(d, state, 0, 0, config, sizeof(config) - 1);
	pt_flow_init(&flow, map, &settings);
	*n_runs = 0;
	for (size_t at = 0; at < stream_bytes;) {
		batch.n_events = 0;
		at += d->feed(state, stream + at, stream_bytes - at, &batch);
		for (size_t i = 0; map != NULL && i < batch.n_events;) {
			runs.n_runs = 0;
			i += pt_flow_feed(&flow, batch.event + i, batch.n_events - i, &runs);
			*n_runs += runs.n_runs;
		}
	}
	return cpu_seconds() - from;
}

static void put(struct pt_pipeline *p, unsigned kind, unsigned cause, const void *bytes, size_t len_bytes)
{
	static union { struct pt_chunk chunk; uint8_t room[sizeof(struct pt_chunk) + PT_CHUNK_BYTES]; } any;

	any.chunk = (struct pt_chunk){ .kind = (uint16_t)kind, .cause = (uint16_t)cause, .len_bytes = (uint32_t)len_bytes };
	if (len_bytes > 0)
		memcpy(any.chunk.bytes, bytes, len_bytes);
	pt_pipeline_feed(p, &any.chunk);
}

static uint64_t count_of(const struct pt_profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (p->function[i].function != NULL && strcmp(p->function[i].function->name, name) == 0)
			return p->function[i].run->count;
	return 0;
}

/* Returns the seconds; negative: the profile is not what ran. */
static double run_pipeline(struct pt_program *program, const char *words)
{
	struct pt_params *params = pt_params_new();
	struct pt_pipeline *p;
	const struct pt_profile *profile;
	double seconds;

	pt_pipeline_add(params, words, NULL);
	p = pt_pipeline_new(program, params, NULL);
	pt_params_free(params);
	if (p == NULL)
		return -1;
	put(p, PT_CHUNK_CONFIG, 0, config, sizeof(config) - 1);
	seconds = cpu_seconds();
	for (size_t at = 0, n; at < stream_bytes; at += n) {
		n = stream_bytes - at < PT_CHUNK_BYTES ? stream_bytes - at : PT_CHUNK_BYTES;
		put(p, PT_CHUNK_DATA, at == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, stream + at, n);
	}
	put(p, PT_CHUNK_END, 0, NULL, 0);
	seconds = cpu_seconds() - seconds;
	profile = pt_pipeline_profile(p);
	if (count_of(profile, "leaf") != n_leaf || count_of(profile, "if") != n_if || profile->not_code != 0)
		seconds = -1;
	pt_pipeline_free(p);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(const char *name, double *seconds, const char *goal)
{
	qsort(seconds, ROUNDS, sizeof(*seconds), by_value);
	printf("%-40s %7.1f million direct branches/s, %6.1f MB/s%s\n", name,
	       (double)n_bits / seconds[ROUNDS / 2] / 1e6, (double)stream_bytes / seconds[ROUNDS / 2] / 1e6, goal);
}

int main(void)
{
	struct pt_program *program = s12z_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_s12z);
	double decoder[ROUNDS], walk[ROUNDS], execution[ROUNDS], standard[ROUNDS], worst = 0;
	uint64_t n_runs = 0;

	make_stream();
	for (int i = 0; i < ROUNDS; i++) {
		decoder[i] = decode(NULL, &n_runs);
		walk[i] = decode(map, &n_runs);
		execution[i] = run_pipeline(program, "analysis=execution");
		standard[i] = run_pipeline(program, "analysis=standard");
		worst = execution[i] < 0 || standard[i] < 0 ? -1 : worst;
	}
	printf("%zu bytes of PDO, %" PRIu64 " direct branches, %" PRIu64 " runs, %" PRIu64
	       " calls; the pins carry at most 16.1 million "
	       "at 50 MHz\n",
	       stream_bytes, n_bits, n_runs, n_leaf + n_if);
	report("decoder", decoder, "");
	report("decoder and flow", walk, "");
	report("pipeline, execution", execution, " (goal: 30 million)");
	report("pipeline, standard analyses", standard, "");
	puts(worst == 0 ? "all calls equal the generator's" : "NOT the generator's calls");
	pt_codemap_free(map);
	pt_program_unref(program);
	free(stream);
	return worst == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
