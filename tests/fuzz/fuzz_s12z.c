/* The S12Z's profiling and trace lines on arbitrary bytes, with the walk of the code and the shadow stack behind them.
 * The first byte says which format and which of its keys, the second how the rest is cut and what happens in
 * between. */
#include <stdlib.h>
#include <string.h>

#include "../config_text.h"
#include "../s12z_program.h"
#include "decode/decoder.h"
#include "profile/stack/execution.h"
#include "profile/flow/flow.h"
#include "trace/s12z_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static const struct { const struct pt_decoder *decoder; const char *config; } kinds[] = {
	{ &pt_decoder_s12z_profile, "stream=buffer\n" },
	{ &pt_decoder_s12z_profile, "stream=pdo\n" },
	{ &pt_decoder_s12z_profile, "stream=pdo\npthf_bytes=5\nswap24=1\n" },
	{ &pt_decoder_s12z_trace, "trace=normal\n" },
	{ &pt_decoder_s12z_trace, "trace=normal\nstamp=1\nivbr=0xff80\n" },
	{ &pt_decoder_s12z_trace, "trace=detail\nstamp=1\n" },
	{ &pt_decoder_s12z_trace, "trace=pure-pc\n" },
	{ &pt_decoder_s12z_trace, "trace=pure-pc\nnb=1\n" },
	{ &pt_decoder_s12z_profile, "stream=buffer\nstamp_from=line\n" },
};

static struct pt_codemap *map;

struct walk {
	struct pt_flow flow;
	struct pt_execution *execution;
};

/* Runs must hold together whatever the events were, and no event may make them without end. */
static void check(const struct pt_run *run)
{
	if (run->left < PT_LEFT_BRANCH || run->left > PT_LEFT_NEXT || run->end < run->begin ||
	    run->end - run->begin > PT_FLOW_RUN_BYTES + 16 || run->instructions > PT_FLOW_RUN_BYTES ||
	    (run->left == PT_LEFT_GAP) != (run->next == PT_UNKNOWN) || pt_codemap_at(map, run->begin) == NULL)
		abort();
}

static void walk(struct walk *w, struct pt_batch *batch)
{
	static struct pt_run_batch runs;

	for (size_t at = 0, stuck = 0; at < batch->n_events;) {
		size_t taken;

		runs.n_runs = 0;
		taken = pt_flow_feed(&w->flow, batch->event + at, batch->n_events - at, &runs);
		stuck = taken == 0 ? stuck + 1 : 0;
		if (stuck > 64)
			abort();
		at += taken;
		for (size_t i = 0; i < runs.n_runs; i++)
			check(&runs.run[i]);
		pt_execution_feed(w->execution, runs.run, runs.n_runs);
	}
	batch->n_events = 0;
}

static void between(const struct pt_decoder *d, void *state, uint8_t what, uint8_t byte, struct pt_batch *batch)
{
	if (what % 3 == 1)
		d->state(state, (enum pt_state)(1 + byte % 5), Z_MAIN + byte, batch);
	else if (what % 3 == 2)
		d->gap(state, PT_GAP_RESTART, 0, 0, batch);
}

static void decode(struct walk *w, const struct pt_decoder *d, const char *config, const uint8_t *in, size_t in_bytes,
		   uint8_t cut)
{
	static struct pt_batch batch;
	uint64_t state[64];

	decoder_init(d, state, 0, 0, config, strlen(config));
	for (size_t at = 0; at < in_bytes;) {
		size_t most = in_bytes - at < cut + 1u ? in_bytes - at : cut + 1u;

		at += d->feed(state, in + at, most, &batch);
		walk(w, &batch);
		between(d, state, cut, in[at - 1], &batch);
		walk(w, &batch);
	}
	d->flush(state, &batch);
	d->gap(state, PT_GAP_RESTART, 0, 0, &batch);
	walk(w, &batch);
}

static struct pt_execution *the_execution;

static void drop(void)
{
	pt_execution_free(the_execution);
	pt_codemap_free(map);
}

/* Once: what one input leaves ends with the gap at its end. */
static bool prepare(struct walk *w, struct pt_flow_settings *settings)
{
	struct pt_program *program;
	const struct pt_function *functions;
	size_t n;

	*settings = pt_flow_standards(&pt_isa_s12z);
	settings->clock = PT_FLOW_INSTRUCTIONS;
	settings->histograms = false;
	if (map != NULL)
		return true;
	program = s12z_program();
	map = pt_codemap_new(program, &pt_isa_s12z);
	functions = pt_program_functions(program, &n);
	w->execution = map != NULL ? pt_execution_new(functions, n, map, settings) : NULL;
	pt_program_unref(program);
	the_execution = w->execution;
	atexit(drop);
	return w->execution != NULL;
}

/* The newest session of any lines is a part of them. */
static void locate(const uint8_t *lines, size_t n_lines)
{
	struct pt_s12z_session s;

	if (n_lines == 0)
		return;
	s = pt_s12z_locate(lines, n_lines);
	if (s.n > n_lines || s.first >= n_lines)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct walk w;
	struct pt_flow_settings settings;
	size_t kind;

	if (in_bytes < 3 || !prepare(&w, &settings))
		return 0;
	locate(in + 2, (in_bytes - 2) / PT_S12Z_LINE_BYTES < PT_S12Z_LINES ? (in_bytes - 2) / PT_S12Z_LINE_BYTES
									   : PT_S12Z_LINES);
	kind = in[0] % PT_LEN(kinds);
	pt_flow_init(&w.flow, map, &settings);
	if ((kinds[kind].decoder->gives & PT_GIVES_FLOW_TIME) != 0)
		w.flow.stamps = strstr(kinds[kind].config, "stamp_from=line") != NULL ? PT_STAMPS_FROM_LINE
										      : PT_STAMPS_FROM_FLOW;
	decode(&w, kinds[kind].decoder, kinds[kind].config, in + 2, in_bytes - 2, in[1]);
	return 0;
}
