/* How fast is a stream of SWO decoded and counted? swo_count FILE decodes a file and prints what it has: samples of the pc, of a
 * sleeping core, steps of exceptions, and the ticks of its local stamps. tests/bench/bench_swo compares it with others. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../config_text.h"
#include "base/util.h"
#include "decode/decoder.h"
#include "trace/formats.h"

enum { PIECE_BYTES = 65536, PCS = 1 << 15, EXCEPTIONS = 512, STEPS = 4 };

static uint32_t samples[PCS], steps[EXCEPTIONS][STEPS];
static uint64_t asleep, ticks;

static void count(const struct pt_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct pt_event *e = &batch->event[i];

		if (e->ticks != PT_UNKNOWN)
			ticks = e->ticks;
		if (e->kind == PT_EV_EXCEPTION)
			steps[e->value.at % EXCEPTIONS][e->cause % STEPS]++;
		else if (e->kind == PT_EV_SAMPLE && e->branch.to == PT_UNKNOWN)
			asleep++;
		else if (e->kind == PT_EV_SAMPLE)
			samples[e->branch.to / 2 % PCS]++;
	}
}

static uint64_t sum(const uint32_t *counts, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += counts[i];
	return all;
}

/* By pieces, as trace comes: a file that is in memory as a whole would be measured with the page faults of its bytes. */
static void decode(FILE *file)
{
	const struct pt_decoder *decoder = pt_decoder_find(PT_FORMAT_ITM);
	void *state = calloc(1, decoder->state_bytes);
	static uint8_t piece[PIECE_BYTES];
	static struct pt_batch batch;
	size_t len;

	if (state == NULL)
		abort();
	decoder_init(decoder, state, 0, 0, "aligned=1\n", 10);
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0) {
		for (size_t at = 0; at < len;) {
			batch.n_events = 0;
			at += decoder->feed(state, piece + at, len - at, &batch);
			count(&batch);
		}
	}
	batch.n_events = 0;
	decoder->flush(state, &batch);
	count(&batch);
	free(state);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (file == NULL) {
		fprintf(stderr, "usage: swo_count FILE, a stream of the ITM\n");
		return 2;
	}
	decode(file);
	fclose(file);
	printf("pc %" PRIu64 " sleep %" PRIu64 " exc %" PRIu64 " ts %" PRIu64 "\n", sum(samples, PCS), asleep,
	       sum(&steps[0][0], EXCEPTIONS * STEPS), ticks);
	return 0;
}
