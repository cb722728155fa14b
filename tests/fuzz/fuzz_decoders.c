/* Every decoder, and flow behind it, on arbitrary bytes: nothing may break, whatever stands in a trace. The first byte
 * says how the rest is cut into pieces, so that gaps and states meet every position. */
#include <stdlib.h>

#include "../config_text.h"
#include "../small_program.h"
#include "decode/decoder.h"
#include "profile/flow/flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

#define X(decoder) &pt_decoder_##decoder,
static const struct pt_decoder *const decoders[] = { PT_DECODERS(X) };
#undef X

static struct pt_codemap *map;

/* Runs must hold together whatever the events were: this is what the statistics rely on. */
static void check(const struct pt_run *run)
{
	if (run->left < PT_LEFT_BRANCH || run->left > PT_LEFT_GAP || run->end < run->begin ||
	    run->end - run->begin > PT_FLOW_RUN_BYTES + 16 || run->instructions > PT_FLOW_RUN_BYTES ||
	    (run->left == PT_LEFT_GAP) != (run->next == PT_UNKNOWN) || pt_codemap_at(map, run->begin) == NULL)
		abort();
}

static void walk(struct pt_flow *flow, struct pt_batch *batch)
{
	static struct pt_run_batch runs;

	for (size_t at = 0; at < batch->n_events;) {
		runs.n_runs = 0;
		at += pt_flow_feed(flow, batch->event + at, batch->n_events - at, &runs);
		for (size_t i = 0; i < runs.n_runs; i++)
			check(&runs.run[i]);
	}
	batch->n_events = 0;
}

static void one(const struct pt_decoder *d, const uint8_t *in, size_t in_bytes, unsigned cut)
{
	struct pt_flow_settings settings = pt_flow_standards(map->isa);
	static struct pt_batch batch;
	struct pt_flow flow;
	static uint64_t state[1024];

	if (d->state_bytes > sizeof(state))
		abort();
	pt_flow_init(&flow, map, &settings);
	decoder_init(d, state, 0, 0, (const char *)in, in_bytes);
	for (size_t at = 0; at < in_bytes;) {
		size_t most = in_bytes - at < cut + 1 ? in_bytes - at : cut + 1;

		at += d->feed(state, in + at, most, &batch);
		walk(&flow, &batch);
		if (cut % 3 == 1)
			d->state(state, (enum pt_state)(1 + in[at - 1] % 5), 0x100 + in[at - 1], &batch);
		else if (cut % 3 == 2)
			d->gap(state, PT_GAP_LOSS, 0, 0, &batch);
		walk(&flow, &batch);
	}
	d->flush(state, &batch);
	walk(&flow, &batch);
}

/* Addresses that hit the small program now and then. */
static void fold(uint8_t *out, const uint8_t *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = i % 4 >= 2 && in[i] < 0xf0 ? 0 : i % 4 == 1 && in[i] < 0xe0 ? 1 : in[i] & 0x3f;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	uint8_t folded[1024];
	size_t n = in_bytes < sizeof(folded) ? in_bytes : sizeof(folded);

	if (map == NULL) {
		struct pt_program *program = small_program();

		map = pt_codemap_new(program, &pt_isa_thumb_v6m);
		pt_program_unref(program);
	}
	if (in_bytes == 0 || map == NULL)
		return 0;
	fold(folded, in, n);
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
		one(decoders[i], in, in_bytes, in[0]);
		one(decoders[i], folded, n, in[0]);
	}
	return 0;
}
