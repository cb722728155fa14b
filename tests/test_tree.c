/* The call tree from steps, each story with its chains and times by hand. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/calls/tree.h"
#include "program/code/codemap.h"

enum { MAIN = 1, F, G, ISR, COLD };
static const char *const names[] = { "-", "main", "f", "g", "isr", "cold" };

struct word { uint8_t kind; uint64_t clock; uint16_t a, b; uint64_t n; };	/* a, b, n: as the kind wants them */
#define UNSEEN(at, f) { PT_CALL_ENTER, at, f, PT_ENTRY_UNSEEN, PT_UNKNOWN }
#define CALL(at, f, site) { PT_CALL_ENTER, at, f, PT_ENTRY_CALL, site }
#define TAIL(at, f) { PT_CALL_ENTER, at, f, PT_ENTRY_TAIL, 0x100 }
#define IRQ(at, f) { PT_CALL_ENTER, at, f, PT_ENTRY_EXCEPTION, 0x44 }
#define LEAVE(at) { PT_CALL_LEAVE, at, 0, 0, 0 }
#define SWITCH(at, stack, task) { PT_CALL_SWITCH, at, stack, task, 0 }
#define ELSEWHERE(at, f, ticks) { PT_CALL_ELSEWHERE, at, f, 0, ticks }
#define FORGET(at) { PT_CALL_FORGET, at, 0, 0, 0 }
#define CLOCK(at) { PT_CALL_CLOCK, at, 0, 0, 0 }

static const struct {
	const char *name;
	struct word word[16];
	const char *chains;	/* "chain count net gross", one per node with time of its own or entries, in order of making */
} stories[] = {
	{ "a call and its return", { UNSEEN(0, MAIN), CALL(10, F, 0x20), LEAVE(25), CLOCK(30) },
	  "?;main 0 15 30\n?;main;f 1 15 15\n" },
	{ "two sites are two chains", { UNSEEN(0, MAIN), CALL(1, F, 0x20), LEAVE(3), CALL(4, F, 0x30), LEAVE(9) },
	  "?;main 0 2 9\n?;main;f 1 2 2\n?;main;f 1 5 5\n" },
	{ "recursion is a longer chain", { CALL(0, F, 1), CALL(2, F, 2), CALL(4, F, 2), LEAVE(7), LEAVE(8), LEAVE(10) },
	  "f 1 4 10\nf;f 1 3 6\nf;f;f 1 3 3\n" },
	{ "a tail call leaves with its caller", { UNSEEN(0, MAIN), CALL(1, F, 2), TAIL(3, G), LEAVE(7), LEAVE(7), CLOCK(8) },
	  "?;main 0 2 8\n?;main;f 1 2 6\n?;main;f;g 1 4 4\n" },
	{ "an exception has a chain of its own", { UNSEEN(0, MAIN), IRQ(5, ISR), CALL(6, F, 9), LEAVE(8), LEAVE(10), CLOCK(12) },
	  "?;main 0 7 7\nisr 1 3 5\nisr;f 1 2 2\n" },
	{ "shared code", { UNSEEN(0, MAIN), ELSEWHERE(10, COLD, 4), LEAVE(12) },
	  "?;main 0 8 12\n?;main;cold 0 4 4\n" },
	{ "after a gap nothing is open", { UNSEEN(0, MAIN), CALL(1, F, 2), FORGET(5), UNSEEN(5, G), CLOCK(9) },
	  "?;main 0 1 5\n?;main;f 1 4 4\n?;g 0 4 4\n" },
	{ "two tasks", { SWITCH(0, 1, 7), UNSEEN(0, MAIN), CALL(2, F, 2), SWITCH(5, 2, 8), UNSEEN(5, MAIN), SWITCH(9, 1, 7),
			 LEAVE(11), CLOCK(12) },
	  "[7];?;main 0 3 8\n[7];?;main;f 1 5 5\n[8];?;main 0 4 4\n" },
	{ "a leave too many does nothing", { LEAVE(3), LEAVE(4), UNSEEN(4, F), CLOCK(5) }, "all 0 4 5\n?;f 0 1 1\n" },
};

static struct pt_call_event step_of(const struct word *word)
{
	struct pt_call_event step = { .clock = word->clock, .kind = word->kind, .function = word->a, .site = word->n };

	if (word->kind == PT_CALL_ENTER)
		step.entry = (uint8_t)word->b;
	if (word->kind == PT_CALL_SWITCH) {
		step.stack = word->a;
		step.task = word->b;
	}
	if (word->kind == PT_CALL_ELSEWHERE)
		step.net = word->n;
	return step;
}

static void print_chain(const struct pt_tree *tree, uint32_t at, char *out)
{
	const struct pt_tree_node *node = &tree->node[at];

	if (at == 0)
		return;
	if (node->parent != 0) {
		print_chain(tree, node->parent, out);
		strcat(out, ";");
	}
	if (node->entry == PT_TREE_NO_CALLER)
		strcat(out, "?");
	else if (node->function == PT_NO_FUNCTION)
		sprintf(out + strlen(out), "[%u]", node->task);
	else
		strcat(out, names[node->function]);
}

static void print_tree(const struct pt_tree *tree, char *out)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const struct pt_tree_node *node = &tree->node[i];

		if (node->net == 0 && node->count == 0)
			continue;
		if (i == 0)
			strcat(out, "all");
		print_chain(tree, i, out);
		sprintf(out + strlen(out), " %d %d %d\n", (int)node->count, (int)node->net, (int)node->gross);
	}
}

START_TEST(story)
{
	struct pt_call_event steps[16] = { 0 };
	struct pt_profile profile = { 0 };
	struct pt_analysis_setup setup = { 0 };
	void *tree = pt_analysis_tree.open(&setup, NULL);
	char chains[1000];
	size_t n = 0;

	for (; n < 16 && stories[_i].word[n].kind != 0; n++) {
		steps[n] = step_of(&stories[_i].word[n]);
		if (n > 0 && steps[n].kind != PT_CALL_SWITCH)
			steps[n].stack = steps[n - 1].stack;
	}
	for (size_t i = 0; i < n; i += 3)	/* in batches: what is open goes on */
		pt_analysis_tree.steps(tree, steps + i, n - i < 3 ? n - i : 3);
	pt_analysis_tree.result(tree, &profile);
	print_tree(profile.tree, chains);
	ck_assert_msg(strcmp(chains, stories[_i].chains) == 0, "%s:\n%s", stories[_i].name, chains);
	pt_analysis_tree.result(tree, &profile);	/* asking changes nothing */
	print_tree(profile.tree, chains);
	ck_assert_str_eq(chains, stories[_i].chains);
	pt_analysis_tree.close(tree);
}
END_TEST

/* What finds no room is charged to where there is some, and counted; the time stays whole. */
START_TEST(bounded)
{
	struct pt_profile profile = { 0 };
	struct pt_analysis_setup setup = { 0 };
	void *tree = pt_analysis_tree.open(&setup, NULL);
	struct pt_call_event step = { .kind = PT_CALL_ENTER, .entry = PT_ENTRY_CALL, .function = F };
	uint64_t net = 0;

	for (uint32_t i = 0; i < 5000; i++) {		/* deeper than any chain is followed */
		step.clock = step.site = i;
		pt_analysis_tree.steps(tree, &step, 1);
	}
	step.kind = PT_CALL_LEAVE;
	for (uint32_t i = 0; i < 5000; i++) {
		step.clock++;
		pt_analysis_tree.steps(tree, &step, 1);
	}
	for (uint32_t i = 0; i < PT_TREE_NODES; i++) {	/* more chains than fit */
		step.clock++;
		step.site = i;
		step.kind = i % 2 == 0 ? PT_CALL_ENTER : PT_CALL_LEAVE;
		pt_analysis_tree.steps(tree, &step, 1);
		step.function = (uint16_t)(i / 7 + 1);
	}
	pt_analysis_tree.result(tree, &profile);
	for (size_t i = 0; i < profile.tree->n_nodes; i++)
		net += profile.tree->node[i].net;
	ck_assert_uint_eq(net, step.clock);
	ck_assert_uint_eq(profile.tree->node[0].gross, net);
	ck_assert_uint_ge(profile.tree->dropped, 5000 - PT_TREE_DEPTH);
	ck_assert_uint_le(profile.tree->n_nodes, PT_TREE_NODES);
	pt_analysis_tree.close(tree);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tree");
	TCase *tc = tcase_create("tree");

	tcase_add_loop_test(tc, story, 0, PT_LEN(stories));
	tcase_add_test(tc, bounded);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
