/* All analyses say the same, whether runs and steps come to them in brief (profile/stack/compact_events.h,
 * branch_block.h) or each by itself: of a synthetic firmware's trace, and of traces in which anything may be wrong, cut
 * anywhere. A pipeline with a second source, that says nothing, has no short way. */
#include <string.h>

#include "bench/synthetic.h"
#include "chunk_feed.h"
#include "profile/analyses/calls/blocks.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/tree.h"

enum { N_PACKETS = 60000, PACKET_BYTES = 8 };

static struct synth *synth;
static struct pt_program *program;
static uint64_t dice_state;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((dice_state >> 32) * n >> 32);
}

/* ---- both ways at once */

enum { BRIEFLY, AT_LENGTH, N_WAYS };

static struct chunk_feed way[N_WAYS];

static void put(unsigned kind, unsigned cause, uint64_t ns, const void *bytes, size_t len_bytes)
{
	for (size_t i = 0; i < N_WAYS; i++)
		chunk_put(&way[i], 0, kind, cause, ns, ns + 1000, bytes, len_bytes);
}

static void put_state(enum pt_state state, uint64_t pc, uint64_t ns)
{
	uint8_t bytes[PT_STATE_BYTES] = { 0 };

	pt_put_le64(bytes + PT_STATE_PC, pc);
	put(PT_CHUNK_STATE, state, ns, bytes, sizeof(bytes));
}

/* ---- the same? */

/* Behind what is said of the sources: one of the two has one more. */
static const char *table_of(const char *csv)
{
	while (*csv == '#')
		csv = strchr(csv, '\n') + 1;
	return csv;
}

static void same_view(const char *view)
{
	struct pt_text text[N_WAYS] = { { 0 } };
	const char *a = table_of(chunk_report(&way[BRIEFLY], &text[BRIEFLY], view, "csv"));
	const char *b = table_of(chunk_report(&way[AT_LENGTH], &text[AT_LENGTH], view, "csv"));
	size_t line = 1;

	for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
		line += a[i] == '\n';
	ck_assert_msg(strcmp(a, b) == 0, "%s: line %zu is not the same", view, line);
	ck_assert_uint_gt(line, 1);
	pt_text_free(&text[BRIEFLY]);
	pt_text_free(&text[AT_LENGTH]);
}

static void same_blocks(const struct pt_blocks *a, const struct pt_blocks *b)
{
	ck_assert_uint_eq(a->n_blocks, b->n_blocks);
	ck_assert_uint_gt(a->n_blocks, 1);
	ck_assert_mem_eq(a->ticks, b->ticks, PT_BLOCKS * sizeof(*a->ticks));
	ck_assert_mem_eq(a->block, b->block, a->n_functions * PT_BLOCKS * sizeof(*a->block));
}

static void same_trees(const struct pt_tree *a, const struct pt_tree *b)
{
	ck_assert_uint_eq(a->n_nodes, b->n_nodes);
	ck_assert_uint_eq(a->dropped, b->dropped);
	for (size_t i = 0; i < a->n_nodes; i++) {
		const struct pt_tree_node *x = &a->node[i], *y = &b->node[i];

		ck_assert_msg(x->parent == y->parent && x->depth == y->depth && x->site == y->site &&
				      x->function == y->function && x->task == y->task && x->core == y->core &&
				      x->entry == y->entry && x->count == y->count && x->net == y->net &&
				      x->gross == y->gross,
			      "node %zu of %zu", i, a->n_nodes);
	}
}

static void same_tasks(const struct pt_tasks *a, const struct pt_tasks *b)
{
	ck_assert_uint_gt(a->flow, 0);
	ck_assert_uint_eq(a->flow, b->flow);
	ck_assert_uint_eq(a->observed, b->observed);
	ck_assert_uint_eq(a->n_tasks, b->n_tasks);
	for (size_t i = 0; i < a->n_tasks; i++)
		ck_assert(a->task[i].net == b->task[i].net && a->task[i].interrupts == b->task[i].interrupts &&
			  a->task[i].run == b->task[i].run && a->task[i].activations == b->task[i].activations);
	ck_assert_uint_eq(a->n_functions, b->n_functions);
	for (size_t i = 0; i < a->n_functions; i++)
		ck_assert(a->function[i].function == b->function[i].function &&
			  a->function[i].net == b->function[i].net && a->function[i].count == b->function[i].count &&
			  a->function[i].gross == b->function[i].gross);
}

static void same_results(void)
{
	static const char *const views[] = { "functions", "calls", "tree", "lines", "instructions", "coverage", "timeline",
					     "spans", "ranges", "irqs" };
	static const char *const about_rules[] = { "limits", "violations" };
	const struct pt_profile *a = pt_pipeline_profile(way[BRIEFLY].pipeline);
	const struct pt_profile *b = pt_pipeline_profile(way[AT_LENGTH].pipeline);

	for (size_t i = 0; i < PT_LEN(views); i++)
		same_view(views[i]);
	ck_assert((a->limits == NULL) == (b->limits == NULL));
	for (size_t i = 0; i < PT_LEN(about_rules) && a->limits != NULL; i++)
		same_view(about_rules[i]);
	same_blocks(a->blocks, b->blocks);
	same_trees(a->tree, b->tree);
	same_tasks(a->tasks, b->tasks);
}

/* ---- traces */

static uint32_t random_function(void)
{
	return SYNTH_BASE + 2 * synth->start[dice(synth->n_functions)];
}

static void spoil(uint8_t *packet)
{
	switch (dice(6)) {
	case 0:		/* any bit */
		packet[dice(8)] ^= (uint8_t)(1 << dice(8));
		break;
	case 1:		/* an exception */
		pt_put_le32(packet, pt_le32(packet) | 1);
		pt_put_le32(packet + 4, SYNTH_BASE + 2 * synth->start[1 + dice(SYNTH_HANDLERS)]);
		break;
	case 2:		/* a tail call or worse */
		pt_put_le32(packet + 4, random_function());
		break;
	case 3:		/* into the middle of one */
		pt_put_le32(packet + 4, random_function() + 2 * dice(20));
		break;
	default:	/* outside the code, at any distance */
		pt_put_le32(packet + 4 * dice(2), dice(UINT32_MAX) & ~1u);
		break;
	}
}

static const struct {
	const char *name, *clock, *words;
	unsigned one_in;	/* packet is spoilt; 0: none */
	unsigned longest;	/* chunks of so many bytes at most */
	unsigned stops;		/* in a hundred chunks: gap, halt, resume */
} rows[] = {
	{ "as it is", "clock=cycles", "timeline=65536", 0, 16384, 0 },
	{ "instructions", "clock=instructions", "timeline=1000", 0, 16384, 0 },
	{ "cut anywhere", "clock=cycles", "timeline=257", 0, 50, 0 },
	{ "functions of tasks", "clock=cycles", "task-functions=on", 0, 16384, 5 },
	{ "rules", "clock=cycles", "limits=gross(f100) < 1us; period(f7) < 2us; inactive(f9) > 1us; net(f1) < 100", 100, 9000, 5 },
	{ "with gaps and halts", "clock=cycles", "timeline=4096", 0, 1000, 20 },
	{ "now and then wrong", "clock=cycles", "timeline=100000", 300, 16384, 0 },
	{ "often wrong", "clock=cycles", "timeline=500", 10, 5000, 2 },
	{ "mostly wrong", "clock=instructions", "timeline=5000", 2, 300, 2 },
};

static void open_both(size_t row)
{
	const char *const words[] = { "analysis=all", rows[row].clock, rows[row].words };

	for (size_t i = 0; i < N_WAYS; i++) {
		way[i] = chunk_feed_of(program, words, PT_LEN(words));
		chunk_config(&way[i], 0, "format=mtb\nsource=mtb\nmode=stream\ncore_hz=48000000\n");
	}
	chunk_config(&way[AT_LENGTH], 7, "format=values\nsource=nothing\n");
	chunk_end(&way[AT_LENGTH], 7, 0);
}

/* Something between two chunks. */
static void stop(uint64_t ns)
{
	uint64_t pc = dice(3) == 0 ? PT_UNKNOWN : random_function();

	if (dice(2) == 0)
		put(PT_CHUNK_LOSS, PT_LOSS_OVERRUN, ns, NULL, 0);
	else
		put_state((enum pt_state)(1 + dice(5)), pc, ns);
}

START_TEST(all_analyses_say_the_same)
{
	size_t row = (size_t)_i % PT_LEN(rows), len_bytes;
	uint8_t *bytes = malloc(N_PACKETS * PACKET_BYTES);
	uint64_t ns = 1000;

	ck_assert_ptr_nonnull(bytes);
	dice_state = (uint64_t)_i + 1;
	synth->random = (uint64_t)_i * 0x9e3779b97f4a7c15 + 1;
	len_bytes = synth_trace(synth, bytes, N_PACKETS, 15, 13);
	for (size_t at = 0; rows[row].one_in != 0 && at + PACKET_BYTES <= len_bytes; at += PACKET_BYTES)
		if (dice(rows[row].one_in) == 0)
			spoil(bytes + at);
	open_both(row);
	for (size_t at = 0, n; at < len_bytes; at += n, ns += 1000) {
		n = 1 + dice(rows[row].longest);
		n = n < len_bytes - at ? n : len_bytes - at;
		if (dice(100) < rows[row].stops)
			stop(ns++);
		put(PT_CHUNK_DATA, at == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, ns, bytes + at, n);
		if (dice(1 + (uint32_t)len_bytes / rows[row].longest) == 0)
			same_results();		/* a look changes nothing */
	}
	same_results();
	put(PT_CHUNK_END, 0, ns, NULL, 0);
	same_results();
	free(bytes);
	for (size_t i = 0; i < N_WAYS; i++)
		chunk_feed_drop(&way[i]);
}
END_TEST

static void make_synthetic(void)
{
	synth = synth_new(1);
	ck_assert_ptr_nonnull(synth);
	program = synth_program(synth);
}

static void drop_synthetic(void)
{
	pt_program_unref(program);
	free(synth);
}

int main(void)
{
	Suite *suite = suite_create("brief");
	TCase *tc = tcase_create("brief");

	tcase_set_timeout(tc, 300);
	tcase_add_unchecked_fixture(tc, make_synthetic, drop_synthetic);
	tcase_add_loop_test(tc, all_analyses_say_the_same, 0, PT_LEN(rows));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
