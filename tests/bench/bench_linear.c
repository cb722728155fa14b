/* Does time grow with the length of a trace and nothing else, and memory not at all? All analyses over a branch trace
 * that is generated on the way and never stored, of 10^6, 10^7 ... packets; each length in a process of its own, so
 * that its peak of memory is its own. Time is what the pipeline takes for packets, without the generator, the least of
 * some rounds where they are short; what it takes before the first one (the code map, tables) stands beside it as
 * start-up. What the first packets cost more than others, when functions, callers and durations are new and nothing
 * is in a cache, is a constant, too: at the end stands the line, constant and time for each, that is nearest to all
 * lengths, and how far off it the worst of them is. The functions' counts must equal the generator's truth. Arguments:
 * the longest trace (make bench: 10^8; 10^9 takes minutes), and words for the pipeline. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "isa/isa.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "synthetic.h"
#include "trace/chunk.h"

enum { SHORTEST = 1000000, MAX_LENGTHS = 8, MOST_ROUNDS = 5 };

#define CONFIG "format=mtb\nsource=mtb\nmode=stream\ncore_hz=48000000\n"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct pt_pipeline *pipeline_of(struct pt_program *program, const char *words)
{
	struct pt_params *params = pt_params_new();
	struct pt_pipeline *p;
	char copy[300], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", words);
	for (const char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		if (pt_pipeline_add(params, word, NULL) < 0)
			abort();
	p = pt_pipeline_new(program, params, NULL);
	pt_params_free(params);
	if (p == NULL)
		abort();
	return p;
}

static void put(struct pt_pipeline *p, struct pt_chunk *chunk, enum pt_chunk_kind kind, size_t len_bytes)
{
	chunk->cause = kind == PT_CHUNK_DATA && chunk->from_ns == 1 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS;
	chunk->kind = (uint16_t)kind;
	chunk->to_ns = chunk->from_ns + 1;
	chunk->len_bytes = (uint32_t)len_bytes;
	pt_pipeline_feed(p, chunk);
	chunk->from_ns++;
}

static bool is_true(struct pt_pipeline *p, const struct synth *synth)
{
	const struct pt_profile *profile = pt_pipeline_profile(p);
	unsigned n_wrong = 0;

	for (unsigned f = 1; f < synth->n_functions; f++) {
		const struct pt_profile_function *row = profile->by_id[f + 1];
		const struct synth_truth *t = &synth->truth[f];

		n_wrong += row != NULL ? row->run->count != t->entries ||
						 row->run->stat[PT_TALLY_GROSS].total != t->gross[SYNTH_CYCLES].total
				       : t->entries != 0;
	}
	return n_wrong == 0 && profile->not_code == 0;
}

struct figure { uint64_t n_packets; double start_up, seconds; long rss_kib; };

/* seconds: negative, if it was not the generator's truth. */
static void measure(struct figure *f, const char *words)
{
	struct pt_chunk *chunk = calloc(1, sizeof(*chunk) + PT_CHUNK_BYTES);
	struct synth *synth = synth_new(1);
	struct pt_program *program = synth_program(synth);
	struct synth_run *run =
		synth_begin(synth, pt_isa_thumb_v6m.exception_entry_cycles, pt_isa_thumb_v6m.exception_return_cycles);
	double seconds = 0, before = cpu_seconds();
	struct pt_pipeline *p = pipeline_of(program, words);

	f->start_up = cpu_seconds() - before;
	if (chunk == NULL || run == NULL)
		abort();
	memcpy(chunk->bytes, CONFIG, strlen(CONFIG));
	put(p, chunk, PT_CHUNK_CONFIG, strlen(CONFIG));
	for (uint64_t done = 0; done + 2 <= f->n_packets;) {
		uint64_t left = f->n_packets - done, most = left < PT_CHUNK_BYTES / 8 ? left : PT_CHUNK_BYTES / 8;
		size_t len_bytes = synth_more(run, chunk->bytes, (size_t)most);

		before = cpu_seconds();
		put(p, chunk, PT_CHUNK_DATA, len_bytes);
		seconds += cpu_seconds() - before;
		done += len_bytes / 8;
	}
	f->seconds = is_true(p, synth) ? seconds : -1;
	pt_pipeline_free(p);
	pt_program_unref(program);
	free(run);
	free(synth);
	free(chunk);
}

/* In a process of its own. */
static bool one(struct figure *f, const char *words)
{
	struct rusage usage;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) < 0 || (pid = fork()) < 0)
		return false;
	if (pid == 0) {
		measure(f, words);
		_exit(write(ends[1], f, sizeof(*f)) == sizeof(*f) ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	close(ends[1]);
	if (read(ends[0], f, sizeof(*f)) != sizeof(*f))
		f->seconds = -1;
	close(ends[0]);
	if (wait4(pid, &status, 0, &usage) < 0)
		return false;
	f->rss_kib = usage.ru_maxrss;
	return f->seconds >= 0;
}

/* The least time; the most memory. */
static bool some(struct figure *f, const char *words)
{
	uint64_t rounds = 30 * (uint64_t)SHORTEST / f->n_packets;
	struct figure round = { .n_packets = f->n_packets };

	if (!one(f, words))
		return false;
	for (uint64_t i = 1; i < rounds && i < MOST_ROUNDS; i++) {
		if (!one(&round, words))
			return false;
		f->start_up = round.start_up < f->start_up ? round.start_up : f->start_up;
		f->seconds = round.seconds < f->seconds ? round.seconds : f->seconds;
		f->rss_kib = round.rss_kib > f->rss_kib ? round.rss_kib : f->rss_kib;
	}
	return true;
}

/* Time is first + n * each; least squares of how far that is off, as a share of each time. */
static void fit(const struct figure *figures, size_t n, double *first, double *each)
{
	double aa = 0, ab = 0, bb = 0, a = 0, b = 0, determinant;

	for (size_t i = 0; i < n; i++) {
		double u = 1 / figures[i].seconds, v = (double)figures[i].n_packets / figures[i].seconds;

		aa += u * u;
		ab += u * v;
		bb += v * v;
		a += u;
		b += v;
	}
	determinant = aa * bb - ab * ab;
	*first = (a * bb - b * ab) / determinant;
	*each = (aa * b - ab * a) / determinant;
}

static void say_how_linear(const struct figure *figures, size_t n)
{
	long least = figures[0].rss_kib, most = least;
	double first, each, worst = 0;

	fit(figures, n, &first, &each);
	for (size_t i = 0; i < n; i++) {
		double off = fabs((first + each * (double)figures[i].n_packets) / figures[i].seconds - 1);

		worst = off > worst ? off : worst;
		least = figures[i].rss_kib < least ? figures[i].rss_kib : least;
		most = figures[i].rss_kib > most ? figures[i].rss_kib : most;
	}
	printf("%.3f s once and %.2f ns each: no length is more than %.1f %% off (goal: 10 %%)\n", first, each * 1e9,
	       100 * worst);
	printf("peak of memory: %.1f %% between the least and the most (goal: 2 %%)\n",
	       100 * (double)(most - least) / (double)least);
}

int main(int argc, char **argv)
{
	uint64_t longest = argc > 1 ? strtoull(argv[1], NULL, 10) : 100 * (uint64_t)SHORTEST;
	const char *words = argc > 2 ? argv[2] : "analysis=all histograms=on";
	struct figure figures[MAX_LENGTHS];
	size_t n = 0;

	printf("%s\n", words);
	for (uint64_t packets = SHORTEST; packets <= longest && n < MAX_LENGTHS; packets *= 10, n++) {
		struct figure *f = &figures[n], *last = n > 0 ? f - 1 : NULL;

		f->n_packets = packets;
		if (!some(f, words)) {
			fprintf(stderr, "%" PRIu64 " packets: NOT the generator's truth\n", packets);
			return EXIT_FAILURE;
		}
		printf("%11" PRIu64 " packets: start-up %.3f s, then %8.3f s, %6.2f ns each", packets, f->start_up,
		       f->seconds, f->seconds * 1e9 / (double)packets);
		if (last != NULL)
			printf(" (%6.2f ns for each more than before)",
			       (f->seconds - last->seconds) * 1e9 / (double)(f->n_packets - last->n_packets));
		printf(", peak of memory %.1f MiB\n", (double)f->rss_kib / 1024);
		fflush(stdout);
	}
	puts("all equal the generator's truth for every function");
	if (n > 2)
		say_how_linear(figures, n);
	return EXIT_SUCCESS;
}
