/* How fast are decoding, flow and statistics? Packets per second of the pipeline over a recorded MTB stream, beside
 * those of a plain loop that does nothing but call-stack statistics on the same packets: count, gross and net with
 * least and most per function, from a table that knows its image, without checking anything. Both results must equal
 * the truth that the generator of the stream kept. Run by make bench; arguments: MiB of stream, rounds, and "each" for
 * every analysis by itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../config_text.h"
#include "decode/decoder.h"
#include "pipeline/pipeline.h"
#include "profile/result/analysis.h"
#include "profile/flow/flow.h"
#include "profile/result/profile.h"
#include "profile/analyses/calls/timeline.h"
#include "profile/analyses/calls/tree.h"
#include "synthetic.h"

enum { MASK = SYNTH_UNITS - 1, DEPTH = 64, MAX_ROUNDS = 99 };
#define EXC_RETURN 0xff000000u

static struct synth *synth;
static uint8_t *trace;
static size_t trace_bytes;

/* ---- the plain loop */

static struct { uint32_t sum; uint16_t function; uint8_t kind, len; } table[SYNTH_UNITS + 1];
static struct plain_stat {
	uint64_t n, gross, net;
	uint32_t gross_min, gross_max, net_min, net_max;
	uint64_t pad[2];
} __attribute__((aligned(64))) plain[SYNTH_FUNCTIONS];

struct plain_frame { uint32_t resume, function; uint64_t from, child; };

static void plain_prepare(void)
{
	for (uint32_t at = 0; at <= SYNTH_UNITS; at++) {
		const struct synth_unit *u = &synth->unit[at];

		table[at].sum = u->instructions;
		table[at].function = u->function;
		table[at].kind = u->kind;
		table[at].len = u->len;
	}
}

static inline void plain_note(struct plain_stat *s, uint64_t gross, uint64_t net)
{
	uint32_t g = gross > UINT32_MAX ? UINT32_MAX : (uint32_t)gross;
	uint32_t n = net > UINT32_MAX ? UINT32_MAX : (uint32_t)net;

	s->n++;
	s->gross += gross;
	s->net += net;
	s->gross_min = g < s->gross_min ? g : s->gross_min;
	s->gross_max = g > s->gross_max ? g : s->gross_max;
	s->net_min = n < s->net_min ? n : s->net_min;
	s->net_max = n > s->net_max ? n : s->net_max;
}

/* Pop to the frame that waits for `to`, if there is one. */
static inline int plain_return(struct plain_frame *frame, int depth, uint32_t to, uint64_t now)
{
	int level = depth;

	while (level > 0 && frame[level].resume != to)
		level--;
	for (; level > 0 && depth >= level; depth--) {
		uint64_t gross = now - frame[depth].from;

		plain_note(&plain[frame[depth].function], gross, gross - frame[depth].child);
		frame[depth - 1].child += gross;
	}
	return depth;
}

static uint64_t plain_loop(void)
{
	struct plain_frame frame[DEPTH] = { { 0 } };
	const uint32_t *word = (const uint32_t *)(const void *)trace;
	uint32_t before = word[0] >> 1 & MASK;
	uint64_t now = 0;
	int depth = 0;

	memset(plain, 0, sizeof(plain));
	for (unsigned f = 0; f < SYNTH_FUNCTIONS; f++)
		plain[f].gross_min = plain[f].net_min = UINT32_MAX;
	for (size_t i = 0; i < trace_bytes / 4; i += 2) {
		uint32_t src = word[i] >> 1 & MASK, dst = word[i + 1] >> 1 & MASK, kind = table[src].kind;

		if ((word[i] & 1) != 0) {
			if (word[i] >= EXC_RETURN) {	/* the second half of a handler's return */
				depth = plain_return(frame, depth, dst, now);
			} else {
				now += table[src].sum - table[before].sum;
				if (depth < DEPTH - 1)
					frame[++depth] = (struct plain_frame){ src, table[dst].function, now, 0 };
			}
		} else {
			uint32_t end = src + table[src].len;

			now += table[end].sum - table[before].sum;
			if (kind == SYNTH_CALL) {
				if (depth < DEPTH - 1)
					frame[++depth] = (struct plain_frame){ end, table[dst].function, now, 0 };
			} else if (kind == SYNTH_RETURN) {
				depth = plain_return(frame, depth, dst, now);
			}
		}
		before = dst;
	}
	return now;
}

/* ---- the real thing, in parts */

static struct pt_program *program;
static struct pt_codemap *map;
static struct pt_flow flow;
static uint64_t n_runs;

static void take_events(const struct pt_batch *batch)
{
	static struct pt_run_batch runs;

	for (size_t at = 0; at < batch->n_events;) {
		runs.n_runs = 0;
		at += pt_flow_feed(&flow, batch->event + at, batch->n_events - at, &runs);
		n_runs += runs.n_runs;
	}
}

static void decode(bool with_flow)
{
	const struct pt_decoder *decoder = pt_decoder_find("mtb");
	struct pt_flow_settings settings = pt_flow_standards(map->isa);
	static uint64_t state[64];
	static struct pt_batch batch;

	if (decoder->state_bytes > sizeof(state))
		abort();
	pt_flow_init(&flow, map, &settings);
	n_runs = 0;
	decoder_init(decoder, state, 0, 0, "", 0);
	for (size_t from = 0; from < trace_bytes;) {
		size_t most = trace_bytes - from < PT_CHUNK_BYTES ? trace_bytes - from : PT_CHUNK_BYTES;

		batch.n_events = 0;
		from += decoder->feed(state, trace + from, most, &batch);
		if (with_flow)
			take_events(&batch);
	}
}

/* ---- the real thing, all of it */

#define CONFIG "format=mtb\nsource=mtb\nmode=stream\ncore_hz=48000000\n"

static struct pt_chunk **chunks;	/* the trace as it comes; NULL behind the last */
static struct pt_pipeline *pipeline;	/* of the pass before */

static struct pt_chunk *chunk_of(unsigned kind, unsigned cause, uint64_t ns, const void *bytes, size_t len_bytes)
{
	struct pt_chunk *chunk = malloc(sizeof(*chunk) + len_bytes);

	if (chunk == NULL)
		abort();
	*chunk = (struct pt_chunk){ .from_ns = ns, .to_ns = ns + 1, .lost_bytes = PT_UNKNOWN, .kind = (uint16_t)kind,
				    .cause = (uint16_t)cause, .len_bytes = (uint32_t)len_bytes };
	memcpy(chunk->bytes, bytes, len_bytes);
	return chunk;
}

static void make_chunks(void)
{
	size_t n = 0;

	chunks = calloc(trace_bytes / PT_CHUNK_BYTES + 3, sizeof(*chunks));
	if (chunks == NULL)
		abort();
	chunks[n++] = chunk_of(PT_CHUNK_CONFIG, 0, 0, CONFIG, strlen(CONFIG));
	for (size_t at = 0, len; at < trace_bytes; at += len) {
		len = trace_bytes - at < PT_CHUNK_BYTES ? trace_bytes - at : PT_CHUNK_BYTES;
		chunks[n] = chunk_of(PT_CHUNK_DATA, n == 1 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, n, trace + at, len);
		n++;
	}
}

static void run_pipeline(const char *words)
{
	struct pt_params *params = pt_params_new();
	char copy[160], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", words);
	for (const char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		if (pt_pipeline_add(params, word, NULL) < 0)
			abort();
	pt_pipeline_free(pipeline);
	pipeline = pt_pipeline_new(program, params, NULL);
	if (pipeline == NULL)
		abort();
	for (size_t i = 0; chunks[i] != NULL; i++)
		pt_pipeline_feed(pipeline, chunks[i]);
	pt_params_free(params);
}

/* ---- truth */

static unsigned n_wrong;

static void expect(bool right, const char *who, unsigned f, const char *what, uint64_t got, uint64_t want)
{
	if (!right && n_wrong++ < 20)
		fprintf(stderr, "%s: function %u: %s is %" PRIu64 ", not %" PRIu64 "\n", who, f, what, got, want);
}

static void check_plain(void)
{
	for (unsigned f = 1; f < synth->n_functions; f++) {
		const struct synth_truth *t = &synth->truth[f];

		expect(plain[f].n == t->net[0].n, "plain loop", f, "count", plain[f].n, t->net[0].n);
		expect(plain[f].net == t->net[0].total, "plain loop", f, "net", plain[f].net, t->net[0].total);
		expect(plain[f].gross == t->call[0].total, "plain loop", f, "gross", plain[f].gross, t->call[0].total);
	}
}

static void check_stat(const struct pt_stat *got, const struct synth_stat *want, unsigned f, const char *what)
{
	expect(got->n == want->n, what, f, "count", got->n, want->n);
	expect(got->total == want->total, what, f, "total", got->total, want->total);
	if (want->n > 0) {
		expect(got->min == want->min, what, f, "least", got->min, want->min);
		expect(got->max == want->max, what, f, "most", got->max, want->max);
	}
}

static void check_pipeline(void)
{
	const struct pt_profile *profile = pt_pipeline_profile(pipeline);
	uint64_t calls[SYNTH_FUNCTIONS + 1] = { 0 }, n_calls = 0, entries = 0;

	for (size_t i = 0; i < profile->n_edges; i++)
		calls[profile->edge[i].to] += profile->edge[i].count;
	for (unsigned f = 1; f < synth->n_functions; f++) {
		const struct pt_profile_function *row = profile->by_id[f + 1];
		const struct synth_truth *t = &synth->truth[f];

		expect((row != NULL) == (t->entries != 0), "pipeline", f, "there", row != NULL, t->entries != 0);
		n_calls += calls[f + 1];
		entries += t->entries;
		if (row == NULL || t->entries == 0)
			continue;
		expect(row->run->count == t->entries, "pipeline", f, "count", row->run->count, t->entries);
		expect(calls[f + 1] <= t->entries, "pipeline", f, "calls", calls[f + 1], t->entries);
		check_stat(&row->run->stat[PT_TALLY_NET], &t->net[SYNTH_CYCLES], f, "net");
		check_stat(&row->run->stat[PT_TALLY_GROSS], &t->gross[SYNTH_CYCLES], f, "gross");
		check_stat(&row->run->stat[PT_TALLY_CALL], &t->call[SYNTH_CYCLES], f, "call");
		check_stat(&row->run->stat[PT_TALLY_PERIOD], &t->period[SYNTH_CYCLES], f, "period");
	}
	/* of a long trace: there is a bound to how many different edges are told apart */
	expect(n_calls <= entries && n_calls > entries / 10 * 9, "pipeline", 0, "calls of all functions", n_calls,
	       entries);
	expect(profile->not_code == 0, "flow", 0, "impossible packets", profile->not_code, 0);
}

/* ---- measuring */

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

enum { PASS_LOOP, PASS_DECODE, PASS_FLOW, PASS_SHORT, PASS_HISTOGRAMS, PASS_ALL, PASS_EVERYTHING, N_FIXED, MAX_PASSES = 40 };

/* Entry/exit and range answer the question of execution in other ways: all analyses over a range-analyzed stream are
 * those but these two. What all of them cost together is shown beside it. */
static struct pass { char name[48], words[160]; unsigned goal; } passes[MAX_PASSES] = {
	{ "plain call-stack loop", "", 0 }, { "decode", "", 0 }, { "decode, flow", "", 0 },
	{ "count, net, gross, call, period, edges", "analysis=execution histograms=off", 50 },
	{ "the same with histograms", "analysis=execution histograms=on", 0 },
	{ "all analyses, histograms", "", 25 },
	{ "... entry/exit and range, too", "analysis=all histograms=on", 0 },
};
static size_t n_passes = N_FIXED, first_pass;

static bool is_other_execution(const struct pt_analysis *analysis)
{
	return analysis == &pt_analysis_entry_exit || analysis == &pt_analysis_range;
}

/* "each": and every analysis alone, beside execution; or one's own words, several behind ";", for a look with a
 * profiler. */
static void make_passes(const char *word)
{
	bool each = strcmp(word, "each") == 0;
	struct pass *all = &passes[PASS_ALL];
	size_t len = (size_t)snprintf(all->words, sizeof(all->words), "histograms=on analysis=execution");

	for (size_t i = 0; pt_analyses[i] != NULL; i++) {
		const char *name = pt_analyses[i]->name;

		if (!is_other_execution(pt_analyses[i]))
			len += (size_t)snprintf(all->words + len, sizeof(all->words) - len, ",%s", name);
		if (!each || n_passes == MAX_PASSES || len >= sizeof(all->words))
			continue;
		snprintf(passes[n_passes].name, sizeof(passes[0].name), "execution, %s", name);
		snprintf(passes[n_passes++].words, sizeof(passes[0].words), "histograms=on analysis=execution,%s",
			 name);
	}
	first_pass = strchr(word, '=') != NULL ? N_FIXED : 0;
	for (size_t n; first_pass > 0 && *word != '\0' && n_passes < MAX_PASSES; word += n + (word[n] == ';')) {
		n = strcspn(word, ";");
		snprintf(passes[n_passes].name, sizeof(passes[0].name), "%.*s", (int)n, word);
		snprintf(passes[n_passes++].words, sizeof(passes[0].words), "%.*s", (int)n, word);
	}
}

static double timed(size_t pass)
{
	double from = cpu_seconds();

	if (pass == PASS_LOOP)
		plain_loop();
	else if (pass <= PASS_FLOW)
		decode(pass == PASS_FLOW);
	else
		run_pipeline(passes[pass].words);
	return cpu_seconds() - from;
}

static void report(const struct pt_profile *profile, double (*seconds)[MAX_ROUNDS], size_t rounds)
{
	double n = (double)trace_bytes / 8;

	if (profile->tree != NULL && profile->timeline != NULL)
		printf("%" PRIu64 " steps; call tree of %zu nodes, %" PRIu64 " calls found no room in it\n",
		       profile->timeline->seen, profile->tree->n_nodes, profile->tree->dropped);
	printf("%u functions, %.0f packets, %" PRIu64 " runs, %zu call edges\n", synth->n_functions, n, n_runs,
	       profile->n_edges);
	for (size_t pass = 0; pass < n_passes; pass += pass == PASS_LOOP && first_pass > 0 ? first_pass : 1) {
		qsort(seconds[pass], rounds, sizeof(double), by_value);
		printf("%-40s %7.1f Mpackets/s, %6.2f ns each (best round %6.2f), %4.0f %% of the loop (best %.0f %%)",
		       passes[pass].name, n / seconds[pass][rounds / 2] / 1e6, seconds[pass][rounds / 2] / n * 1e9,
		       seconds[pass][0] / n * 1e9, 100 * seconds[PASS_LOOP][rounds / 2] / seconds[pass][rounds / 2],
		       100 * seconds[PASS_LOOP][0] / seconds[pass][0]);
		if (passes[pass].goal != 0)
			printf(" (goal: at least %u %%)", passes[pass].goal);
		puts("");
	}
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 64, rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 7;
	static double seconds[MAX_PASSES][MAX_ROUNDS];

	make_passes(argc > 3 ? argv[3] : "");

	rounds = rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
	synth = synth_new(1);
	trace = malloc(mib << 20);
	if (synth == NULL || trace == NULL)
		return EXIT_FAILURE;
	program = synth_program(synth);
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	trace_bytes = synth_trace(synth, trace, (mib << 20) / 8, pt_isa_thumb_v6m.exception_entry_cycles,
				  pt_isa_thumb_v6m.exception_return_cycles);
	make_chunks();
	plain_prepare();
	for (size_t i = 0; i < rounds; i++)	/* in turns, so that what else the machine does hits all alike */
		for (size_t pass = 0; pass < n_passes; pass += pass == PASS_LOOP && first_pass > 0 ? first_pass : 1) {
			seconds[pass][i] = timed(pass);
			if (passes[pass].words[0] != '\0')
				check_pipeline();
		}
	if (first_pass == 0) {
		check_plain();
		run_pipeline(passes[PASS_EVERYTHING].words);
	}
	report(pt_pipeline_profile(pipeline), seconds, rounds);
	puts(n_wrong == 0 ? "all equal the generator's truth for every function" : "NOT the generator's truth");
	pt_pipeline_free(pipeline);
	for (size_t i = 0; chunks[i] != NULL; i++)
		free(chunks[i]);
	free(chunks);
	pt_codemap_free(map);
	pt_program_unref(program);
	free(trace);
	free(synth);
	return n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
