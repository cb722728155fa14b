/* The short way (profile/stack/plain.c) and the one that everything can take give the same statistics, runs and steps, bit
 * for bit: over a synthetic firmware's trace, over traces in which anything may be wrong, cut anywhere, and over real
 * captures of the virtual board. */
#include <stdlib.h>
#include <string.h>

#include "bench/synthetic.h"
#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"
#include "profile/stack/execution.h"
#include "profile/stack/plain.h"
#include "tests/inline_profile.h"

enum { N_PACKETS = 20000, PACKET_BYTES = 8 };

static struct synth *synth;
static struct pt_program *program;
static struct pt_codemap *map;
static uint64_t dice_state;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((dice_state >> 32) * n >> 32);
}

/* ---- one way and the other */

struct told {			/* what came, whichever way */
	uint64_t entered[SYNTH_FUNCTIONS + 2];	/* clock + 1, since the last gap; 0: it was not */
	struct pt_call_event *step;
	struct pt_run *run;
	size_t n_steps, room_steps, n_runs, room_runs;
};

struct way {
	const struct pt_decoder *decoder;
	void *state;
	struct pt_flow flow;
	struct pt_execution *execution;
	bool plain;
	size_t n_plain;
	bool tells;
	struct told told;
};

static void *grown(void *array, size_t n, size_t *room, size_t item_bytes)
{
	if (n < *room)
		return array;
	*room = 2 * *room + 1000;
	array = realloc(array, *room * item_bytes);
	ck_assert_ptr_nonnull(array);
	return array;
}

/* Time elsewhere may come in parts: where a batch ends, so does a part. */
static bool goes_on(const struct pt_call_event *last, const struct pt_call_event *step)
{
	return last->kind == PT_CALL_ELSEWHERE && step->kind == PT_CALL_ELSEWHERE && last->function == step->function &&
	       last->clock == step->clock - step->net;
}

/* Steps in brief leave it to who has seen the others. */
static void add_period(struct told *told, struct pt_call_event *step)
{
	uint64_t *entered = &told->entered[step->function];

	if (step->kind == PT_CALL_FORGET)
		memset(told->entered, 0, sizeof(told->entered));
	if (step->kind != PT_CALL_ENTER || step->entry == PT_ENTRY_UNSEEN)
		return;
	step->period = *entered != 0 ? step->clock + 1 - *entered : PT_UNKNOWN;
	*entered = step->clock + 1;
}

static void add_step(struct told *told, const struct pt_call_event *step)
{
	struct pt_call_event *last = told->n_steps > 0 ? &told->step[told->n_steps - 1] : NULL;
	uint64_t before = last != NULL && goes_on(last, step) ? last->net : 0;

	told->n_steps -= before != 0;
	told->step = grown(told->step, told->n_steps, &told->room_steps, sizeof(*step));
	told->step[told->n_steps] = *step;
	add_period(told, &told->step[told->n_steps]);
	ck_assert(step->kind != PT_CALL_ENTER || step->period == PT_UNKNOWN ||
		  step->period == told->step[told->n_steps].period);
	told->step[told->n_steps++].net += before;
}

static void take_steps(void *arg, const struct pt_call_event *step, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_step(&((struct way *)arg)->told, &step[i]);
}

static void take_compact(void *arg, const struct pt_compact_batch *batch)
{
	size_t n_left = 0, n_below = 0;

	for (size_t i = 0; i < batch->n_compact; i++) {
		const struct pt_call_event step = pt_compact_call_event(batch, i);

		n_left += step.kind == PT_CALL_LEAVE;
		n_below = 2 * n_left > i + 1 + n_below ? 2 * n_left - i - 1 : n_below;
		take_steps(arg, &step, 1);
	}
	ck_assert_uint_eq(batch->n_left, n_left);
	ck_assert_uint_eq(batch->n_below, n_below);
}

static void take_runs(struct way *w, const struct pt_run *run, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		w->told.run = grown(w->told.run, w->told.n_runs, &w->told.room_runs, sizeof(*run));
		w->told.run[w->told.n_runs++] = run[i];
	}
}

static void take_piece(void *arg, const struct pt_piece *piece)
{
	struct pt_run run[PT_PIECE_PAIRS];

	pt_piece_runs(piece, run);
	take_runs(arg, run, piece->n_pairs);
}

static struct way way_of(const struct pt_flow_settings *settings, bool plain)
{
	struct way w = { .decoder = pt_decoder_find("mtb"), .plain = plain };
	const struct pt_function *functions;
	size_t n;

	functions = pt_program_functions(program, &n);
	w.state = calloc(1, w.decoder->state_bytes);
	decoder_init(w.decoder, w.state, 0, 0, "", 0);
	w.execution = pt_execution_new(functions, n, map, settings);
	ck_assert(w.state != NULL && w.execution != NULL);
	pt_flow_init(&w.flow, map, settings);
	return w;
}

static void drop(struct way *w)
{
	free(w->state);
	free(w->told.step);
	free(w->told.run);
	pt_execution_free(w->execution);
}

/* Runs and steps from here on; w stays where it is. */
static void listen(struct way *w)
{
	const struct pt_call_sink sink = { take_steps, w };

	w->tells = true;
	pt_execution_steps(w->execution, &sink, 3);
}

static void take_events(struct way *w, const struct pt_batch *batch)
{
	struct pt_run_batch runs;

	for (size_t taken = 0; taken < batch->n_events;) {
		runs.n_runs = 0;
		taken += pt_flow_feed(&w->flow, batch->event + taken, batch->n_events - taken, &runs);
		pt_execution_feed(w->execution, runs.run, runs.n_runs);
		if (w->tells)
			take_runs(w, runs.run, runs.n_runs);
	}
}

static void feed(struct way *w, const uint8_t *bytes, size_t len_bytes)
{
	const struct pt_plain_sink sink = { take_compact, take_piece, w };
	struct pt_batch batch;
	size_t n, packet_bytes;

	for (size_t taken = 0, most; taken < len_bytes;) {
		most = len_bytes - taken;
		if (w->plain) {
			n = w->decoder->pairs(w->state, most, &packet_bytes);
			n = pt_plain_feed(&w->flow, w->execution, bytes + taken, n, w->decoder->pairs_below,
					  w->tells ? &sink : NULL);
			w->n_plain += n;
			taken += n * PT_PAIR_BYTES;
			most = len_bytes - taken < packet_bytes ? len_bytes - taken : packet_bytes;
		}
		batch.n_events = 0;
		taken += w->decoder->feed(w->state, bytes + taken, most, &batch);
		take_events(w, &batch);
	}
}

static void gap(struct way *w)
{
	struct pt_batch batch = { .n_events = 0 };

	w->decoder->gap(w->state, PT_GAP_LOSS, 100, 8, &batch);
	take_events(w, &batch);
}

static void tell(struct way *w, enum pt_state what, uint64_t pc)
{
	struct pt_batch batch = { .n_events = 0 };

	w->decoder->state(w->state, what, pc, &batch);
	take_events(w, &batch);
}

/* ---- the same? */

static void same_stat(const struct pt_stat *a, const struct pt_stat *b, size_t function, size_t kind)
{
	bool same = a->n == b->n && a->total == b->total && a->min == b->min && a->max == b->max &&
		    a->min_at == b->min_at && a->max_at == b->max_at && (a->hist == NULL) == (b->hist == NULL);

	if (same && a->hist != NULL)
		same = a->hist->first == b->hist->first && a->hist->n_buckets == b->hist->n_buckets &&
		       a->hist->bytes == b->hist->bytes &&
		       (a->hist->n_buckets == 0 ||
			memcmp(a->hist->bucket, b->hist->bucket, (size_t)a->hist->n_buckets * a->hist->bytes) == 0);
	ck_assert_msg(same, "function %zu, kind %zu: n %llu %llu, total %llu %llu, min %llu %llu, max %llu %llu",
		      function, kind, (unsigned long long)a->n, (unsigned long long)b->n, (unsigned long long)a->total,
		      (unsigned long long)b->total, (unsigned long long)a->min, (unsigned long long)b->min,
		      (unsigned long long)a->max, (unsigned long long)b->max);
}

static void same_function(const struct pt_execution_function *a, const struct pt_execution_function *b, size_t function)
{
	ck_assert_msg(a->count == b->count && a->partial == b->partial && a->instructions == b->instructions &&
			      a->cycles == b->cycles && a->gross_total == b->gross_total &&
			      a->exceptions == b->exceptions,
		      "function %zu", function);
	for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
		same_stat(&a->stat[k], &b->stat[k], function, k);
}

static bool same_run(const struct pt_run *a, const struct pt_run *b)
{
	return a->begin == b->begin && a->end == b->end && a->next == b->next && a->assumed == b->assumed &&
	       a->instructions == b->instructions && a->cycles == b->cycles && a->function == b->function &&
	       a->left == b->left && a->next_function == b->next_function;
}

static void same_told(const struct told *a, const struct told *b)
{
	ck_assert_uint_eq(a->n_runs, b->n_runs);
	for (size_t i = 0; i < a->n_runs; i++)
		ck_assert_msg(same_run(&a->run[i], &b->run[i]), "run %zu of %zu", i, a->n_runs);
	ck_assert_uint_eq(a->n_steps, b->n_steps);
	for (size_t i = 0; i < a->n_steps; i++)
		ck_assert_msg(memcmp(&a->step[i], &b->step[i], sizeof(*a->step)) == 0, "step %zu of %zu: kinds %u %u",
			      i, a->n_steps, a->step[i].kind, b->step[i].kind);
}

static void same_result(struct way *one, struct way *other)
{
	const struct pt_execution_result *a = pt_execution_result(one->execution);
	const struct pt_execution_result *b = pt_execution_result(other->execution);

	ck_assert_uint_eq(a->n_functions, b->n_functions);
	for (size_t f = 0; f < a->n_functions; f++)
		same_function(&a->function[f], &b->function[f], f);
	ck_assert_uint_eq(a->n_edges, b->n_edges);
	for (size_t i = 0; i < a->n_edges; i++)
		ck_assert(a->edge[i].from == b->edge[i].from && a->edge[i].to == b->edge[i].to &&
			  a->edge[i].count == b->edge[i].count && a->edge[i].gross == b->edge[i].gross);
	ck_assert_uint_eq(a->edges_lost, b->edges_lost);
	ck_assert_uint_eq(a->instructions, b->instructions);
	ck_assert_uint_eq(a->cycles, b->cycles);
	ck_assert_mem_eq(&a->errors, &b->errors, sizeof(a->errors));
	ck_assert_mem_eq(&one->flow.counts, &other->flow.counts, sizeof(one->flow.counts));
	ck_assert_uint_eq(one->flow.begin, other->flow.begin);
}

/* ---- synthetic traces */

static uint8_t *trace_of(uint64_t seed, size_t *len_bytes)
{
	uint8_t *bytes = malloc(N_PACKETS * PACKET_BYTES);

	ck_assert_ptr_nonnull(bytes);
	synth->random = seed * 0x9e3779b97f4a7c15 + 1;
	*len_bytes = synth_trace(synth, bytes, N_PACKETS, 15, 13);
	return bytes;
}

static uint32_t random_function(void)
{
	return SYNTH_BASE + 2 * synth->start[dice(synth->n_functions)];
}

/* Something that does not belong there. Sources are left as they are where what is wrong is to be believed. */
static void spoil(uint8_t *packet, const uint8_t *bytes, size_t len_bytes)
{
	const uint8_t *other = bytes + dice((uint32_t)(len_bytes / PACKET_BYTES)) * PACKET_BYTES;

	switch (dice(11)) {
	case 0:		/* any bit */
		packet[dice(8)] ^= (uint8_t)(1 << dice(8));
		break;
	case 1:		/* the packet of another place */
		memcpy(packet, other, PACKET_BYTES);
		break;
	case 2:		/* an exception */
		pt_put_le32(packet, pt_le32(packet) | 1);
		pt_put_le32(packet + 4, SYNTH_BASE + 2 * synth->start[1 + dice(SYNTH_HANDLERS)]);
		break;
	case 3:		/* an indirect branch, or a return, to a function: a tail call or worse */
	case 4:
		pt_put_le32(packet + 4, random_function());
		break;
	case 5:		/* or into the middle of one */
		pt_put_le32(packet + 4, random_function() + 2 * dice(20));
		break;
	case 6:		/* or to where some other branch goes: a long jump, a return that nobody waits for */
	case 7:
		memcpy(packet + 4, other + 4, 4);
		break;
	case 8:		/* half of an exception return */
		pt_put_le32(packet + 4, 0xfffffff8);
		break;
	case 9:		/* the trace began here */
		packet[4] |= 1;
		break;
	default:	/* outside the code, at any distance */
		pt_put_le32(packet + 4 * dice(2), dice(UINT32_MAX) & ~1u);
		break;
	}
}

static const struct {
	const char *name;
	enum pt_flow_clock clock;
	bool histograms;
	unsigned one_in;	/* packet is spoilt; 0: none */
	unsigned longest;	/* pieces of so many bytes at most */
	unsigned stops;		/* in a hundred pieces: gap, halt, resume */
} rows[] = {
	{ "as it is", PT_FLOW_CYCLES, true, 0, 65536, 0 },
	{ "without histograms", PT_FLOW_CYCLES, false, 0, 65536, 0 },
	{ "instructions", PT_FLOW_INSTRUCTIONS, true, 0, 65536, 0 },
	{ "instructions without histograms", PT_FLOW_INSTRUCTIONS, false, 0, 65536, 0 },
	{ "cut anywhere", PT_FLOW_CYCLES, true, 0, 50, 0 },
	{ "with gaps and halts", PT_FLOW_CYCLES, true, 0, 1000, 20 },
	{ "now and then wrong", PT_FLOW_CYCLES, true, 300, 65536, 0 },
	{ "often wrong", PT_FLOW_CYCLES, true, 10, 5000, 2 },
	{ "often wrong, instructions", PT_FLOW_INSTRUCTIONS, true, 15, 5000, 2 },
	{ "mostly wrong", PT_FLOW_CYCLES, false, 2, 300, 2 },
};

/* The same to both: bytes, gaps, halts. */
static void stop_both(struct way *a, struct way *b)
{
	enum pt_state what = (enum pt_state)(1 + dice(5));
	uint64_t pc = dice(3) == 0 ? PT_UNKNOWN : random_function();

	if (dice(2) == 0) {
		gap(a);
		gap(b);
	} else {
		tell(a, what, pc);
		tell(b, what, pc);
	}
}

START_TEST(both_ways_say_the_same)
{
	size_t row = (size_t)_i % PT_LEN(rows), len_bytes, n_plain = 0;
	const struct pt_flow_settings settings = {
		.clock = rows[row].clock, .exception_entry_cycles = 15, .exception_return_cycles = 13,
		.tail_chain_cycles = 6, .histograms = rows[row].histograms,
	};
	struct way plain = way_of(&settings, true), other = way_of(&settings, false);
	uint8_t *bytes;

	if ((size_t)_i / PT_LEN(rows) % 2 != 0) {
		listen(&plain);
		listen(&other);
	}
	dice_state = (uint64_t)_i + 1;
	bytes = trace_of((uint64_t)_i, &len_bytes);
	for (size_t at = 0; rows[row].one_in != 0 && at + PACKET_BYTES <= len_bytes; at += PACKET_BYTES)
		if (dice(rows[row].one_in) == 0)
			spoil(bytes + at, bytes, len_bytes);
	for (size_t at = 0, n; at < len_bytes; at += n) {
		n = 1 + dice(rows[row].longest);
		n = n < len_bytes - at ? n : len_bytes - at;
		if (dice(100) < rows[row].stops)
			stop_both(&plain, &other);
		pt_execution_anchor(plain.execution, 1000 * at, 48e6);
		pt_execution_anchor(other.execution, 1000 * at, 48e6);
		pt_execution_anchor_error(plain.execution, at % 77);
		pt_execution_anchor_error(other.execution, at % 77);
		feed(&plain, bytes + at, n);
		feed(&other, bytes + at, n);
		if (dice(1 + (uint32_t)len_bytes / rows[row].longest) < 4)	/* some eight times */
			same_result(&plain, &other);	/* a look changes nothing */
	}
	same_result(&plain, &other);
	same_told(&plain.told, &other.told);
	ck_assert(!plain.tells || (plain.told.n_runs > n_plain && plain.told.n_steps > 0));
	n_plain = plain.n_plain;
	ck_assert_msg(rows[row].one_in != 0 || rows[row].stops != 0 || rows[row].longest < 100 ||
			      n_plain > len_bytes / PACKET_BYTES * 8 / 10,
		      "%s: %zu of %zu the short way", rows[row].name, n_plain, len_bytes / PACKET_BYTES);
	ck_assert_uint_gt(n_plain, 0);
	free(bytes);
	drop(&plain);
	drop(&other);
}
END_TEST

static void make_synthetic(void)
{
	synth = synth_new(1);
	ck_assert_ptr_nonnull(synth);
	program = synth_program(synth);
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
}

static void drop_synthetic(void)
{
	pt_codemap_free(map);
	pt_program_unref(program);
	free(synth);
}

/* ---- captures of the board: a pipeline that may take the short way, and one whose runs somebody wants */

static const struct { const char *name, *mode, *window, *link; uint64_t ms; bool reset; } captures[] = {
	{ "halt", "mode=halt", "mtb-size=4096", "bulk-hs", 500, true },
	{ "halt, small", "mode=halt", "mtb-size=256", "bulk-hs", 100, false },
	{ "stream", "mode=stream", "mtb-size=4096", "bulk-hs", 300, true },
	{ "stream with losses", "mode=stream", "mtb-size=1024", "hid-fs", 400, false },
	{ "bursts", "mode=burst", "mtb-size=4096", "bulk-hs", 300, false },
};

static struct pt_pipeline *longer_way;

static void see(void *arg, const struct pt_chunk *chunk)
{
	(void)arg;
	pt_pipeline_feed(longer_way, chunk);
}

static void same_profile(const struct pt_profile *a, const struct pt_profile *b)
{
	ck_assert_uint_eq(a->branches, b->branches);
	ck_assert_uint_eq(a->n_functions, b->n_functions);
	for (size_t i = 0; i < a->n_functions; i++) {
		ck_assert_uint_eq(a->function[i].id, b->function[i].id);
		same_function(a->function[i].seen, b->function[i].seen, a->function[i].id);
		if (a->shares != PT_BASIS_NONE)
			ck_assert_double_eq(a->function[i].share.share, b->function[i].share.share);
		ck_assert_double_eq(a->function[i].share.hi, b->function[i].share.hi);
	}
	if (!a->windowed) {	/* those are from chains of calls, which only one of them has */
		ck_assert_uint_eq(a->n_edges, b->n_edges);
		ck_assert_mem_eq(a->edge, b->edge, a->n_edges * sizeof(*a->edge));
	}
	ck_assert_uint_eq(a->not_code, b->not_code);
	ck_assert_uint_eq(a->loss.observed_ns, b->loss.observed_ns);
}

START_TEST(captures_give_the_same_profile)
{
	struct inline_setup setup = {
		.link = captures[_i].link, .words = { captures[_i].mode, captures[_i].window }, .seed = (uint64_t)_i,
		.reset = captures[_i].reset,
	};
	struct pt_params *words = pt_params_new();
	struct inline_profile p;

	inline_open(&p, &setup);
	ck_assert_int_eq(pt_pipeline_add(words, "analysis=execution,lines", NULL), 0);
	longer_way = pt_pipeline_new(p.program, words, NULL);
	ck_assert_ptr_nonnull(longer_way);
	p.see = see;
	inline_start(&p, &setup);
	inline_drain(&p, captures[_i].ms * PT_NS_PER_MS);
	inline_stop(&p);
	ck_assert_uint_gt(pt_pipeline_profile(p.pipeline)->branches, 1000);
	same_profile(pt_pipeline_profile(p.pipeline), pt_pipeline_profile(longer_way));
	inline_close(&p);
	pt_pipeline_free(longer_way);
	pt_params_free(words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plain");
	TCase *tc = tcase_create("plain");

	tcase_set_timeout(tc, 300);
	tcase_add_unchecked_fixture(tc, make_synthetic, drop_synthetic);
	tcase_add_loop_test(tc, both_ways_say_the_same, 0, 4 * PT_LEN(rows));
	suite_add_tcase(suite, tc);
	tc = tcase_create("captures");
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, captures_give_the_same_profile, 0, PT_LEN(captures));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
