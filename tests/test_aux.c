/* External lines and latencies, from chunks to the table, computed by hand. */
#include "chunk_feed.h"
#include "profile/analyses/signals/external_lines.h"
#include "report/views/views.h"

#define LINES "format=lines\nsource=logic\nmode=all\ntick_hz=1000000000\nlines=2\nline.0=button\nline.1=out\n"
#define HALT "format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=1000000\ncost=halts\n"

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

static void lines(struct chunk_feed *f, unsigned source, uint64_t from_ns, uint64_t to_ns, struct chunk_bytes *b)
{
	chunk_put(f, source, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, b->bytes, b->len);
	b->len = 0;
}

/* Low from the start, high 100..130, 200..260, 300.. : widths 30 and 60, low 70 and 40, periods 100 and 100. */
START_TEST(pulses_have_widths)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_aux_line *l;
	const struct pt_aux *a;

	chunk_config(&f, 0, LINES);
	chunk_clock(&f, 0, 0, 0, 500);		/* one clock for all edges: what it is off by does not matter */
	add_line(&b, 0, 0, 0);
	add_line(&b, 0, 1, 1);
	add_line(&b, 100, 0, 1);
	add_line(&b, 130, 0, 0);
	add_line(&b, 200, 0, 1);
	add_line(&b, 260, 0, 0);
	add_line(&b, 300, 0, 1);
	lines(&f, 0, 0, 400, &b);
	a = pt_pipeline_profile(f.pipeline)->aux;
	ck_assert_uint_eq(a->n_lines, 2);
	l = &a->line[0];
	ck_assert_uint_eq(l->rises, 3);
	ck_assert_uint_eq(l->falls, 2);
	ck_assert_uint_eq(l->partial, 2);	/* the first low, the last high */
	ck_assert_uint_eq(l->low.unended, 0);	/* 100, by a clock that may be off by 500 */
	ck_assert_uint_eq(l->level, 1);
	ck_assert_uint_eq(l->high.n, 2);
	ck_assert_uint_eq(l->high.min, 30);
	ck_assert_uint_eq(l->high.min_at, 100);
	ck_assert_uint_eq(l->high.max, 60);
	ck_assert_uint_eq(l->low.n, 2);
	ck_assert_uint_eq(l->low.total, 110);
	ck_assert_uint_eq(l->period.n, 2);
	ck_assert_uint_eq(l->period.min, 100);
	ck_assert_uint_eq(l->period.max, 100);
	ck_assert_uint_eq(l->error_ns, 0);
	ck_assert(!l->missing);
	ck_assert_uint_eq(a->line[1].rises, 0);
	ck_assert_uint_eq(a->line[1].level, 1);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(a_gap_ends_pulses)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_aux_line *l;

	chunk_config(&f, 0, LINES);
	chunk_clock(&f, 0, 0, 0, 0);
	add_line(&b, 0, 0, 0);
	add_line(&b, 100, 0, 1);
	lines(&f, 0, 0, 200, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HOST, 200, 300, NULL, 0);
	add_line(&b, 310, 0, 1);
	add_line(&b, 320, 0, 0);
	add_line(&b, 340, 0, 1);
	lines(&f, 0, 300, 400, &b);
	l = &pt_pipeline_profile(f.pipeline)->aux->line[0];
	ck_assert_uint_eq(l->high.n, 0);
	ck_assert_uint_eq(l->high.unended, 100);	/* up to the loss at 200; that from 340 on for 60 */
	ck_assert_uint_eq(l->low.unended, 100);		/* the first */
	ck_assert_uint_eq(l->low.n, 1);
	ck_assert_uint_eq(l->low.total, 20);
	ck_assert_uint_eq(l->period.n, 0);
	ck_assert_uint_eq(l->period.unended, 100);	/* from the rise at 100 */
	ck_assert_uint_eq(l->rises, 2);
	ck_assert(l->missing);
	chunk_feed_drop(&f);
}
END_TEST

/* main calls leaf after 7 cycles, then every 10: at 1 MHz from 10 ms on, leaf is entered at 10.007 ms, 10.017 ms ... */
static void calls(struct chunk_feed *f, unsigned n, uint64_t from_ns, uint64_t to_ns)
{
	struct chunk_bytes b = { .len = 0 };

	for (unsigned i = 0; i < n; i++) {
		add_packet(&b, 0x104, LEAF);
		add_packet(&b, 0x122, 0x108);
		add_packet(&b, 0x10a, 0x102);
	}
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, b.bytes, b.len);
}

static void begin_late(struct chunk_feed *f, uint64_t clock_error_ns, bool slept)
{
	uint8_t pc[PT_STATE_BYTES];

	pt_put_le64(pc, MAIN);
	chunk_config(f, 0, HALT);
	chunk_config(f, 1, LINES);
	chunk_clock(f, 1, 0, 0, clock_error_ns);
	if (slept)
		chunk_put(f, 0, PT_CHUNK_LOSS, PT_LOSS_SLEEP, 0, 10000000, NULL, 0);
	chunk_put(f, 0, PT_CHUNK_STATE, PT_STATE_RUN, 10000000, 10000000, pc, sizeof(pc));
}

static void begin(struct chunk_feed *f, uint64_t clock_error_ns)
{
	begin_late(f, clock_error_ns, false);
}

static void begin_slept(struct chunk_feed *f, uint64_t clock_error_ns)
{
	begin_late(f, clock_error_ns, true);
}

/* The flow has no stamps: it is known to its chunk, 100 us, so an edge in it cannot be ordered. */
START_TEST(coarse_clocks_leave_it_undecided)
{
	static const char *const word = "latency=button:rise->leaf";
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes b = { .len = 0 };
	struct pt_text text = { 0 };
	const struct pt_aux_latency *l;

	begin(&f, 1000);
	add_line(&b, 0, 0, 0);
	add_line(&b, 10002000, 0, 1);
	lines(&f, 1, 0, 10100000, &b);
	calls(&f, 10, 10000000, 10100000);
	chunk_end(&f, 0, 10100000);
	chunk_end(&f, 1, 10100000);
	l = &pt_pipeline_profile(f.pipeline)->aux->latency[0];
	ck_assert(l->found);
	ck_assert_uint_eq(l->time.n, 0);
	ck_assert_uint_eq(l->undecided, 1);
	ck_assert_uint_ge(l->error_ns, 1000);
	chunk_report(&f, &text, "aux", "text");
	ck_assert_ptr_nonnull(strstr(text.bytes, "button:rise->leaf"));
	ck_assert_ptr_nonnull(strstr(text.bytes, "undecided (clocks ± "));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* An edge 5 ms before the chunk is before whatever is in it. Another one before that was not answered. */
START_TEST(far_edges_are_ordered)
{
	static const char *const word = "latency=button:rise->leaf,button:fall->leaf,nothing:rise->leaf";
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes b = { .len = 0 };
	struct pt_value value[64];
	const struct pt_view *view;
	const struct pt_aux *a;
	char said[160];

	begin_slept(&f, 1000);
	add_line(&b, 0, 0, 0);
	add_line(&b, 4000000, 0, 1);
	add_line(&b, 4500000, 0, 0);
	add_line(&b, 5000000, 0, 1);
	lines(&f, 1, 0, 10100000, &b);
	calls(&f, 10, 10000000, 10100000);
	chunk_end(&f, 0, 10100000);
	chunk_end(&f, 1, 10100000);
	a = pt_pipeline_profile(f.pipeline)->aux;
	ck_assert_uint_eq(a->n_latencies, 3);
	ck_assert_uint_eq(a->latency[0].time.n, 1);
	ck_assert_uint_ge(a->latency[0].time.max, 5000000);
	ck_assert_uint_le(a->latency[0].time.max, 5100000);
	ck_assert_uint_eq(a->latency[0].unanswered, 1);
	ck_assert_uint_eq(a->latency[0].undecided, 0);
	ck_assert_uint_eq(a->latency[1].time.n, 1);
	ck_assert_uint_ge(a->latency[1].time.max, 5500000);
	ck_assert(!a->latency[2].found);
	view = pt_view_find("aux");
	view->row(pt_pipeline_profile(f.pipeline), a->n_lines + 2, value);
	for (size_t i = 1; i < 6; i++)	/* nobody knows what a line did that is not there */
		ck_assert_msg(value[i].u == PT_UNKNOWN, "column %zu: %lu", i, (unsigned long)value[i].u);
	ck_assert(view->remark(pt_pipeline_profile(f.pipeline), NULL, said, sizeof(said)));
	ck_assert_msg(strstr(said, "nothing:rise->leaf: a line that it names had no edge") != NULL, "%s", said);
	chunk_feed_drop(&f);
}
END_TEST

/* tail is never entered: after an edge for at least as long as the flow was seen, or until the edge after it. Where the
 * core was held, it is not known for how long. */
START_TEST(no_answer_yet)
{
	static const char *const word = "latency=button:rise->tail";
	static const struct { uint64_t edge_ns[2]; uint64_t least_us, most_us; bool held; } rows[] = {
		{ { 10200000 }, 700, 899, false }, { { 10200000, 10400000 }, 500, 699, false },
		{ { 10200000, 11000000 }, 500, 799, false }, { { 10200000 }, 0, 0, true },
	};
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_stat *time;

	begin(&f, 1000);
	add_line(&b, 0, 0, 0);
	for (size_t i = 0; i < 2 && rows[_i].edge_ns[i] != 0; i++) {
		add_line(&b, rows[_i].edge_ns[i] - 100, 0, 0);
		add_line(&b, rows[_i].edge_ns[i], 0, 1);
	}
	lines(&f, 1, 0, 20000000, &b);
	if (rows[_i].held) {
		calls(&f, 10, 10000000, 10100000);
		chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HALTED, 10100000, 11100000, NULL, 0);
	}
	for (uint64_t ns = 10000000; ns < 11100000 && !rows[_i].held; ns += 100000)
		calls(&f, 10, ns, ns + 100000);
	chunk_end(&f, 0, 11100000);
	chunk_end(&f, 1, 20000000);
	time = &pt_pipeline_profile(f.pipeline)->aux->latency[0].time;
	ck_assert_uint_eq(time->n, 0);
	ck_assert_msg(time->unended / 1000 >= rows[_i].least_us && time->unended / 1000 <= rows[_i].most_us, "%d: %lu",
		      _i, (unsigned long)time->unended);
	chunk_feed_drop(&f);
}
END_TEST

/* An edge behind the last entry waits; a gap in the flow ends that. */
START_TEST(a_gap_ends_waiting)
{
	static const char *const word = "latency=button:fall->leaf";
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes b = { .len = 0 };

	begin(&f, 0);
	add_line(&b, 0, 0, 1);
	add_line(&b, 11000000, 0, 0);
	calls(&f, 10, 10000000, 10100000);
	lines(&f, 1, 0, 11000000, &b);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 10100000, 12000000, NULL, 0);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_OVERRUN, 12000000, 13000000, NULL, 0);
	chunk_end(&f, 0, 13000000);
	chunk_end(&f, 1, 13000000);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->aux->latency[0].time.n, 0);
	ck_assert_uint_eq(pt_pipeline_profile(f.pipeline)->aux->latency[0].partial, 1);
	chunk_feed_drop(&f);
}
END_TEST

/* Edges while the core is held, before the flow is looked at, and before a time in which the core is held: whatever is
 * entered behind it is no answer. */
START_TEST(no_latency_over_a_gap)
{
	static const char *const word = "latency=button:rise->leaf";
	static const uint64_t edge_ns[] = { 3000000, 15000000, 10150000 };
	struct chunk_feed f = feed_of(&word, 1);
	struct chunk_bytes b = { .len = 0 }, flow = { .len = 0 };
	const struct pt_aux_latency *l;
	struct pt_text text = { 0 };
	uint8_t pc[PT_STATE_BYTES];

	begin(&f, 1000);
	add_line(&b, 0, 0, 0);
	add_line(&b, edge_ns[_i], 0, 1);
	lines(&f, 1, 0, 30000000, &b);
	if (_i == 0)
		calls(&f, 10, 10000000, 10100000);
	else
		chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 10000000, 10200000, NULL, 0);
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_HALTED, _i == 0 ? 10100000 : 10200000, 20000000, NULL, 0);
	pt_put_le64(pc, MAIN);
	chunk_put(&f, 0, PT_CHUNK_STATE, PT_STATE_RUN, 20000000, 20000000, pc, sizeof(pc));
	add_packet(&flow, 0x104, LEAF);
	add_packet(&flow, 0x122, 0x108);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 20000000, 20100000, flow.bytes, flow.len);
	chunk_end(&f, 0, 20100000);
	chunk_end(&f, 1, 30000000);
	l = &pt_pipeline_profile(f.pipeline)->aux->latency[0];
	ck_assert_uint_eq(l->time.n, 0);
	ck_assert_uint_eq(l->over_gap, 1);
	chunk_report(&f, &text, "aux", "csv");
	ck_assert_msg(strstr(text.bytes, "\"button:rise->leaf\",0,,0,0,1,") != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Lines of one source, 0 = button, 1 = out: no flow is needed. Stamps decide; at one stamp nothing shows which was first,
 * whatever the order in the file. */
static const struct {
	const char *word;
	struct { uint64_t ns; unsigned line, level; } edge[8];
	uint64_t n, min, max, unanswered, undecided, over_gap, partial, unended;
} between[] = {
	{ "latency=button:rise->out:rise",
	  { { 0, 0, 0 }, { 0, 1, 0 }, { 100, 0, 1 }, { 130, 1, 1 }, { 140, 0, 0 }, { 150, 1, 0 }, { 200, 0, 1 }, { 270, 1, 1 } },
	  2, 30, 70, 0, 0, 0, 0, 0 },
	{ "latency=button:rise->out:fall",
	  { { 0, 0, 0 }, { 0, 1, 0 }, { 100, 0, 1 }, { 130, 1, 1 }, { 140, 0, 0 }, { 150, 1, 0 }, { 200, 0, 1 }, { 270, 1, 1 } },
	  1, 50, 50, 0, 0, 0, 1, 200 },
	{ "latency=button:rise->button:fall", { { 0, 0, 0 }, { 100, 0, 1 }, { 140, 0, 0 } }, 1, 40, 40, 0, 0, 0, 0, 0 },
	{ "latency=button:rise->out:rise", { { 0, 0, 0 }, { 0, 1, 0 }, { 100, 0, 1 }, { 100, 1, 1 }, { 150, 1, 0 }, { 170, 1, 1 } },
	  0, 0, 0, 0, 1, 0, 0, 0 },
	{ "latency=button:rise->out:rise", { { 0, 0, 0 }, { 0, 1, 0 }, { 100, 1, 1 }, { 100, 0, 1 }, { 150, 1, 0 }, { 170, 1, 1 } },
	  0, 0, 0, 0, 1, 0, 0, 0 },
	{ "latency=button:rise->out:rise", { { 0, 0, 0 }, { 0, 1, 0 }, { 100, 0, 1 }, { 110, 0, 0 }, { 130, 0, 1 }, { 150, 1, 1 } },
	  1, 20, 20, 1, 0, 0, 0, 0 },
	{ "latency=button:rise->out:rise", { { 0, 0, 0 }, { 100, 0, 1 }, { 110, 1, 0 }, { 130, 1, 1 } }, 0, 0, 0, 0, 0, 1, 0, 0 },
};

START_TEST(between_lines)
{
	struct chunk_feed f = feed_of(&between[_i].word, 1);
	struct chunk_bytes b = { .len = 0 };
	const struct pt_aux_latency *l;

	chunk_config(&f, 0, LINES);
	chunk_clock(&f, 0, 0, 0, 0);
	for (size_t i = 0; i < PT_LEN(between[_i].edge) && (i < 2 || between[_i].edge[i].ns > 0); i++)
		add_line(&b, between[_i].edge[i].ns, between[_i].edge[i].line, between[_i].edge[i].level != 0);
	lines(&f, 0, 0, 400, &b);
	chunk_end(&f, 0, 400);
	l = &pt_pipeline_profile(f.pipeline)->aux->latency[0];
	ck_assert(l->found);
	ck_assert_uint_eq(l->time.n, between[_i].n);
	if (l->time.n > 0) {
		ck_assert_uint_eq(l->time.min, between[_i].min);
		ck_assert_uint_eq(l->time.max, between[_i].max);
	}
	ck_assert_uint_eq(l->unanswered, between[_i].unanswered);
	ck_assert_uint_eq(l->undecided, between[_i].undecided);
	ck_assert_uint_eq(l->over_gap, between[_i].over_gap);
	ck_assert_uint_eq(l->partial, between[_i].partial);
	ck_assert_uint_eq(l->error_ns, 0);
	ck_assert_uint_ge(l->time.unended, between[_i].unended);
	chunk_feed_drop(&f);
}
END_TEST

static const struct { const char *word, *want; } wrong[] = {
	{ "latency=button", "is not LINE:rise->FUNCTION" },
	{ "latency=button:rise", "is not LINE:rise->FUNCTION" },
	{ "latency=button:up->leaf", "is not LINE:rise->FUNCTION" },
	{ "latency=button:rise->nobody", "no function 'nobody'" },
	{ "latency=button:rise->out:up", "no function 'out:up'" },
	{ "latency=button:rise->ns::fall", "no function 'ns::fall'" },
	{ "latency=button:rise->:fall", "no function ':fall'" },
	{ "latency=button:rise->button:rise", "is a period" },
};

START_TEST(wrong_words)
{
	struct pt_params *params = pt_params_new();
	struct pt_program *program = small_program();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_add(params, wrong[_i].word, &err), 0);
	ck_assert_ptr_null(pt_pipeline_new(program, params, &err));
	ck_assert_msg(strstr(err.msg, wrong[_i].want) != NULL, "%s", err.msg);
	pt_params_free(params);
	pt_program_unref(program);
}
END_TEST

/* Two sources whose clocks drift apart, in pieces of any size: the same table. */
START_TEST(any_split_is_the_same)
{
	struct chunk_feed feed[2] = { feed_of(NULL, 0), feed_of(NULL, 0) };
	struct pt_text text[2] = { { 0 }, { 0 } };

	for (int i = 0; i < 2; i++) {
		struct chunk_feed *f = &feed[i];
		size_t piece = i == 0 ? 1200 : (size_t)_i + 1;

		chunk_config(f, 0, LINES);
		chunk_config(f, 5, LINES);
		chunk_clock(f, 0, 0, 0, 10);
		chunk_clock(f, 5, 0, 0, 10);
		for (uint64_t round = 0; round < 5; round++) {
			struct chunk_bytes b[2] = { { .len = 0 }, { .len = 0 } };
			uint64_t from = round * 100000;

			for (uint64_t k = 0; k < 100; k++) {
				add_line(&b[0], round * 100000 + k * 1000, 0, k & 1);
				add_line(&b[1], round * 101000 + k * 1000 + k * k % 7, k % 2, k >> 1 & 1);
			}
			for (int s = 0; s < 2; s++)
				for (size_t at = 0, n; at < b[s].len; at += n) {
					n = b[s].len - at < piece ? b[s].len - at : piece;
					chunk_put(f, s == 0 ? 0 : 5, PT_CHUNK_DATA, PT_DATA_FOLLOWS,
						  from + at * 100000 / b[s].len, from + (at + n) * 100000 / b[s].len,
						  b[s].bytes + at, n);
				}
			chunk_clock(f, 0, (round + 1) * 100000, from + 100000, 10);
			chunk_clock(f, 5, (round + 1) * 101000, from + 100000, 10);
		}
		chunk_end(f, 0, 500000);
		chunk_end(f, 5, 500000);
		chunk_report(f, &text[i], "aux", "json");
	}
	ck_assert_str_eq(text[0].bytes, text[1].bytes);
	ck_assert_ptr_nonnull(strstr(text[0].bytes, "\"out_of_order\": 0"));
	for (int i = 0; i < 2; i++) {
		pt_text_free(&text[i]);
		chunk_feed_drop(&feed[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aux");
	TCase *tc = tcase_create("aux");

	tcase_add_test(tc, pulses_have_widths);
	tcase_add_test(tc, a_gap_ends_pulses);
	tcase_add_test(tc, coarse_clocks_leave_it_undecided);
	tcase_add_test(tc, far_edges_are_ordered);
	tcase_add_loop_test(tc, no_answer_yet, 0, 4);
	tcase_add_test(tc, a_gap_ends_waiting);
	tcase_add_loop_test(tc, no_latency_over_a_gap, 0, 3);
	tcase_add_loop_test(tc, between_lines, 0, PT_LEN(between));
	tcase_add_loop_test(tc, wrong_words, 0, PT_LEN(wrong));
	tcase_add_loop_test(tc, any_split_is_the_same, 0, 20);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
