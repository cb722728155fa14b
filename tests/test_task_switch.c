/* Stacks per task: each story with its figures by hand (run_script.h; an instruction takes 1 ns). And a scheduler
 * played at random, whose truth is known: with task signals, with late and imprecise ones, and without any, execution
 * says the same. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "tests/run_script.h"
#include "tests/step_follower.h"

static const struct { const char *name, *script, *want; } cases[] = {
	/* 10 main enter; 15 task 1; 20 work enter; 25 task 0; 30 main exit; 40 main enter; 45 task 1; 50 work exit.
	 * main: 10-30 less 15-25, then 40 to 45. work is f: 20-50 less 25-45. */
	{ "the worked example",
	  "task 0, 410 10 call 100, 100 5 br 10a, task 1, 710 5 call 200, 200 5 br 20a, task 0, 10a 5 ret 424, "
	  "424 10 call 100, 100 5 br 10a, task 1, 20a 5 ret 71a",
	  "main 2-1 15/15 [1: 10 10 20]; f 1-0 10/10 [1: 10 10 30]; h 0-1 20/35; task 0-1 5/15" },
	{ "the worked example, the first task not told",
	  "410 10 call 100, 100 5 br 10a, task 1, 710 5 call 200, 200 5 br 20a, task 0, 10a 5 ret 424, "
	  "424 10 call 100, 100 5 br 10a, task 1, 20a 5 ret 71a",
	  "main 2-1 15/15 [1: 10 10 20]; f 1-0 10/10 [1: 10 10 30]; h 0-1 20/35; task 0-1 5/15" },
	{ "in a handler: when thread code goes on",
	  "task 0, 110 1 call 200, 200 2 exc 500, 500 1 br 502, task 1, 502 2 excret 710, 710 4 exc 500, 500 1 br 502, "
	  "task 0, 502 2 excret 204, 204 1 ret 112, 112 1 br 110",
	  "main 0-1 2/5; f 1-0 3/3 [1: 3 3 13]; isr 2-0 6/6 [2: 6 6 6]; task 0-1 4/4" },
	{ "both tasks yield at one address",
	  "task 0, 110 1 call 300, 300 2 exc 500, 500 1 br 502, task 1, 502 1 excret 710, 710 2 call 300, 300 2 exc 500, "
	  "500 1 br 502, task 0, 502 1 excret 304, 304 1 ret 112, 112 1 exc 500, 500 1 br 502, task 1, 502 1 excret 304, "
	  "304 1 ret 714, 714 1 br 710",
	  "main 0-1 2/5; g 2-0 6/6 [2: 6 6 20]; isr 3-0 6/6 [3: 6 6 6]; task 0-1 3/6" },
	{ "a task that goes on at its entry was thrown away and made anew",
	  "task 0, 110 1 exc 500, 500 1 br 502, task 1, 502 1 excret 700, 700 3 call 200, 200 2 exc 500, 500 1 br 502, "
	  "task 0, 502 1 excret 112, 112 1 exc 500, 500 1 br 502, task 1, 502 1 excret 700, 700 4 exc 500, 500 1 br 502, "
	  "task 0, 502 1 excret 114, 114 1 br 110",
	  "main 0-1 3/3; f 1-1 2/2; isr 4-0 8/8 [4: 8 8 8]; task 2-2 7/9" },
	{ "a task that is made anew at once",
	  "task 0, 110 1 exc 500, 500 1 br 502, task 1, 502 1 excret 700, 700 3 call 200, 200 2 exc 500, 500 1 br 502, "
	  "task 1, 502 1 excret 700, 700 4 br 706",
	  "main 0-1 1/1; f 1-1 2/2; isr 2-0 4/4 [2: 4 4 4]; task 2-2 7/9" },
	{ "a task made anew by thread code",
	  "task 0, 110 1 br 112, task 1, 700 3 call 200, 200 2 br 204, task 0, 112 1 br 114, task 1, 700 4 br 708",
	  "main 0-1 2/2; f 1-1 2/2; task 2-2 7/9" },
	{ "the switching handler is interrupted",
	  "task 0, 110 1 call 200, 200 1 exc 500, 500 1 br 502, task 1, 502 1 exc 600, 600 2 excret 504, 504 1 excret 710, "
	  "710 3 exc 500, 500 1 br 502, task 0, 502 1 excret 202, 202 1 ret 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 12]; isr 2-0 5/5 [2: 5 5 7]; isr2 1-0 2/2 [1: 2 2 2]; task 0-1 3/3" },
	{ "the switching handler is chained",
	  "task 0, 110 1 call 200, 200 1 exc 600, 600 2 chain 500, 500 1 br 502, task 1, 502 1 excret 710, 710 3 exc 500, "
	  "500 1 br 502, task 0, 502 1 excret 202, 202 1 ret 112",
	  "main 0-1 1/3; f 1-0 2/2 [1: 2 2 11]; isr 2-0 4/4 [2: 4 4 4]; isr2 1-0 2/2 [1: 2 2 2]; task 0-1 3/3" },
	{ "the handler tells the task that ran: no switch",
	  "task 0, 110 1 call 200, 200 2 exc 500, 500 1 br 502, task 0, 502 2 excret 204, 204 1 ret 112",
	  "main 0-1 1/4; f 1-0 3/3 [1: 3 3 6]; isr 1-0 3/3 [1: 3 3 3]" },
	{ "the last word of a handler counts",
	  "task 0, 110 1 call 200, 200 2 exc 500, 500 1 br 502, task 1, 502 1 br 504, task 0, 504 1 excret 204, "
	  "204 1 ret 112",
	  "main 0-1 1/4; f 1-0 3/3 [1: 3 3 6]; isr 1-0 3/3 [1: 3 3 3]" },
	{ "where none runs has a stack, too",
	  "task -, 110 1 call 200, 200 1 exc 500, 500 1 br 502, task 1, 502 1 excret 710, 710 2 exc 500, 500 1 br 502, "
	  "task -, 502 1 excret 202, 202 1 ret 112, 112 1 br 110",
	  "main 0-1 2/4; f 1-0 2/2 [1: 2 2 8]; isr 2-0 4/4 [2: 4 4 4]; task 0-1 2/2" },
	{ "nothing is known behind a gap",
	  "task 0, 110 1 call 200, 200 2 exc 500, 500 1 br 502, task 1, 502 1 gap, 710 1 exc 500, 500 1 br 502, task 0, "
	  "502 1 excret 204, 204 1 ret 112",
	  "main 0-1 1/3; f 1-2 3/3; isr 2-1 4/4 [1: 2 2 2]; task 0-1 1/1" },
	{ "told ahead by another source: where flow finds the switch",
	  "110 1 call 200, 200 2 exc 500, told 1 6 2, 500 2 excret 710, 710 4 exc 500, told 0 10 2, 500 2 excret 204, "
	  "204 1 ret 112",
	  "main 0-1 1/4; f 1-0 3/3 [1: 3 3 11]; isr 2-0 4/4 [2: 4 4 4]; task 0-1 4/4" },
	{ "told late by another source",
	  "110 1 call 200, 200 2 exc 500, 500 2 excret 710, told 1 6 2, 710 4 exc 500, 500 2 excret 204, told 0 10 2, "
	  "204 1 ret 112",
	  "main 0-1 1/4; f 1-0 3/3 [1: 3 3 11]; isr 2-0 4/4 [2: 4 4 4]; task 0-1 4/4" },
	{ "told late, and two were left where one goes on",
	  "task 0, 110 1 call 300, 300 2 exc 500, 500 1 br 502, task 1, 502 1 excret 710, 710 2 call 300, 300 2 exc 500, "
	  "500 1 br 502, task 2, 502 1 excret 410, 410 1 exc 500, 500 2 excret 304, told 0 14 1, 304 1 ret 112",
	  "main 0-1 1/4; g 2-1 5/5 [1: 3 3 14]; h 0-1 1/1; isr 3-0 6/6 [3: 6 6 6]; task 0-1 2/4" },
	{ "told by another source, and flow finds none: when it is over",
	  "task 0, 110 1 call 200, 200 2 br 204, told 1 3 2, 204 2 br 208, 208 2 br 20c, 710 3 br 710",
	  "main 0-1 1/7; f 1-1 6/6; task 0-1 3/3" },
};

START_TEST(counts_case)
{
	struct step_follower *follower = step_follower_new(PT_LEN(script_functions) + 1);
	const struct pt_call_sink sink = step_follower_sink(follower);
	struct pt_execution *x = script_execution(0);
	const struct pt_execution_result *result;
	char got[1000];

	pt_execution_anchor(x, 0, 1e9);
	pt_execution_steps(x, &sink, 0);
	script_feed(x, cases[_i].script);
	result = pt_execution_result(x);
	ck_assert_msg(strcmp(script_print(result, got), cases[_i].want) == 0, "%s:\n  got  %s\n  want %s",
		      cases[_i].name, got, cases[_i].want);
	step_follower_expect(follower, result, false, cases[_i].name);
	for (int i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		ck_assert_msg(result->errors.n[i] == 0, "%s: %s", cases[_i].name,
			      pt_execution_error_name((enum pt_execution_error)i));
	step_follower_free(follower);
	pt_execution_free(x);
}
END_TEST

/* --- a scheduler at random */

enum { TASKS = 300, DEEP = 4, HANDLER = TASKS * DEEP + 1, FUNCTIONS = HANDLER, BYTES = 0x1000, SIGNAL_NS = 3 };

static struct pt_function functions[FUNCTIONS];
static const struct pt_codemap nothing = { .isa = &pt_isa_thumb_v6m };

struct call { uint64_t pc, back, from, net, gross; };
struct task { struct call call[DEEP]; size_t n; };

enum telling { NOT_AT_ALL, IN_ORDER, AHEAD, LATE };

struct play {
	struct task task[TASKS];
	size_t n_tasks, now;		/* the one that runs */
	enum telling telling;
	uint64_t clock, seed, net[FUNCTIONS + 1], count[FUNCTIONS + 1];
	uint64_t whole[FUNCTIONS + 1], whole_net[FUNCTIONS + 1], whole_gross[FUNCTIONS + 1], whole_call[FUNCTIONS + 1];
	struct pt_execution *x;
};

static uint64_t dice(struct play *p, uint64_t sides)
{
	p->seed = p->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (p->seed >> 33) % sides;
}

static uint16_t id_of(uint64_t address)
{
	return (uint16_t)(address / BYTES);
}

/* n instructions from *pc on, then to next. */
static void run(struct play *p, uint64_t *pc, uint16_t n, enum pt_left left, uint64_t next)
{
	struct pt_run r = {
		.begin = *pc, .end = *pc + 2 * n, .next = next, .instructions = n, .cycles = n, .function = id_of(*pc),
		.left = (uint8_t)left, .next_function = id_of(next),
	};

	p->net[r.function] += n;
	p->clock += n;
	*pc = next;
	pt_execution_feed(p->x, &r, 1);
}

static void in_task(struct play *p, enum pt_left left, uint64_t next, uint16_t n)
{
	struct task *task = &p->task[p->now];

	for (size_t i = 0; i < task->n; i++)
		task->call[i].gross += n;
	task->call[task->n - 1].net += n;
	run(p, &task->call[task->n - 1].pc, n, left, next);
}

static void call(struct play *p)
{
	struct task *task = &p->task[p->now];
	struct call *top = &task->call[task->n - 1];
	uint64_t to = (uint64_t)(id_of(top->pc) + 1) * BYTES, back = top->pc + 6;

	in_task(p, PT_LEFT_CALL, to, 3);
	top->pc = back;
	task->call[task->n++] = (struct call){ .pc = to, .back = back, .from = p->clock };
	p->count[id_of(to)]++;
}

static void leave(struct play *p)
{
	struct task *task = &p->task[p->now];
	const struct call *top = &task->call[task->n - 1];
	uint16_t id = id_of(top->pc);

	in_task(p, PT_LEFT_RETURN, top->back, 2);
	p->whole[id]++;
	p->whole_net[id] += top->net;
	p->whole_gross[id] += top->gross;
	p->whole_call[id] += p->clock - top->from;
	task->n--;
}

static void tell(struct play *p, uint16_t task, enum telling how, uint64_t ns)
{
	if (p->telling == how)
		pt_execution_task(p->x, task, (struct pt_timestamp){ ns, how == IN_ORDER ? 0 : SIGNAL_NS }, how == IN_ORDER);
}

/* An interrupt; its handler lets another task go on, or the same one. */
static void interrupt(struct play *p)
{
	uint16_t next = (uint16_t)dice(p, p->n_tasks);
	struct task *task = &p->task[next];
	struct call *top = &p->task[p->now].call[p->task[p->now].n - 1];
	uint64_t pc = (uint64_t)HANDLER * BYTES, resume = top->pc + 2;
	bool first = task->n == 0;

	in_task(p, PT_LEFT_EXCEPTION, pc, 1);
	top->pc = resume;
	p->count[HANDLER]++;
	p->whole[HANDLER]++;
	p->whole_net[HANDLER] += 10;
	p->whole_gross[HANDLER] += 10;
	p->whole_call[HANDLER] += 10;
	run(p, &pc, 5, PT_LEFT_BRANCH, pc + 10);
	tell(p, next, IN_ORDER, 0);
	tell(p, next, AHEAD, p->clock + 5 + dice(p, 2 * SIGNAL_NS) - SIGNAL_NS);
	if (first) {
		uint64_t begin = (uint64_t)(1 + next * DEEP) * BYTES;

		task->call[task->n++] = (struct call){ .pc = begin, .from = p->clock + 5 };
		p->count[id_of(begin)]++;
	}
	run(p, &pc, 5, PT_LEFT_EXCEPTION_RETURN, task->call[task->n - 1].pc);
	if (next != p->now)
		tell(p, next, LATE, p->clock + dice(p, 2 * SIGNAL_NS) - SIGNAL_NS);
	p->now = next;
}

static void play(struct play *p, size_t n_steps)
{
	p->task[0].call[p->task[0].n++] = (struct call){ .pc = BYTES };
	p->count[1]++;
	tell(p, 0, IN_ORDER, 0);
	for (size_t i = 0; i < n_steps; i++) {
		struct task *task = &p->task[p->now];
		struct call *top = &task->call[task->n - 1];

		if (top->pc % BYTES > BYTES / 2)
			in_task(p, PT_LEFT_BRANCH, top->pc - top->pc % BYTES + 32, 4);
		else if (dice(p, 4) == 0)
			interrupt(p);
		else if (task->n < DEEP && dice(p, 2) == 0)
			call(p);
		else if (task->n > 1 && dice(p, 2) == 0)
			leave(p);
		else
			in_task(p, PT_LEFT_BRANCH, top->pc + 40, 1 + (uint16_t)dice(p, 20));
	}
}

static void expect_truth(const struct play *p, const char *name)
{
	const struct pt_execution_result *result = pt_execution_result(p->x);

	for (size_t f = 1; f <= FUNCTIONS; f++) {
		const struct pt_execution_function *got = &result->function[f];
		bool same = got->cycles == p->net[f] && got->count == p->count[f] &&
			    got->stat[PT_TALLY_NET].n == p->whole[f] && got->partial == p->count[f] - p->whole[f] &&
			    got->stat[PT_TALLY_NET].total == p->whole_net[f] &&
			    got->stat[PT_TALLY_GROSS].total == p->whole_gross[f] &&
			    got->stat[PT_TALLY_CALL].total == p->whole_call[f];

		ck_assert_msg(same, "%s: function %zu", name, f);
	}
	for (int i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		ck_assert_msg(result->errors.n[i] == 0, "%s: %s", name,
			      pt_execution_error_name((enum pt_execution_error)i));
}

static const struct { const char *name; enum telling telling; size_t n_tasks; uint64_t seed; } plays[] = {
	{ "nobody tells", NOT_AT_ALL, 50, 1 }, { "told in order", IN_ORDER, 50, 1 }, { "told ahead", AHEAD, 50, 1 },
	{ "told late", LATE, 50, 1 }, { "two tasks, nobody tells", NOT_AT_ALL, 2, 2 },
	{ "two tasks, told in order", IN_ORDER, 2, 2 }, { "two tasks, told ahead", AHEAD, 2, 2 },
	{ "two tasks, told late", LATE, 2, 2 }, { "as many as there may be", IN_ORDER, PT_EXECUTION_TASKS, 3 },
	{ "as many as there may be, ahead", AHEAD, PT_EXECUTION_TASKS, 3 },
	{ "as many as there may be, late", LATE, PT_EXECUTION_TASKS, 3 },
};

static void open_play(struct play *p, enum telling telling, size_t n_tasks, uint64_t seed)
{
	const struct pt_flow_settings settings = { .clock = PT_FLOW_CYCLES };

	for (size_t i = 0; i < FUNCTIONS; i++)
		functions[i] = (struct pt_function){ .name = "f", .address = (i + 1) * BYTES, .size = BYTES };
	p->telling = telling;
	p->n_tasks = n_tasks;
	p->seed = seed;
	p->x = pt_execution_new(functions, FUNCTIONS, &nothing, &settings);
	ck_assert_ptr_nonnull(p->x);
	pt_execution_anchor(p->x, 0, 1e9);
}

START_TEST(says_what_the_scheduler_did)
{
	struct step_follower *follower = step_follower_new(FUNCTIONS + 1);
	const struct pt_call_sink sink = step_follower_sink(follower);
	static struct play p;

	open_play(&p, plays[_i].telling, plays[_i].n_tasks, plays[_i].seed);
	pt_execution_steps(p.x, &sink, 0);
	play(&p, 20000);
	expect_truth(&p, plays[_i].name);
	step_follower_expect(follower, pt_execution_result(p.x), false, plays[_i].name);
	ck_assert_uint_gt(step_follower_n(follower, PT_CALL_SWITCH), 2 * plays[_i].n_tasks);
	step_follower_free(follower);
	pt_execution_free(p.x);
}
END_TEST

/* More tasks than there may be: those are none's, and nothing that ran is lost. */
START_TEST(too_many_tasks)
{
	static struct play p;
	uint64_t cycles = 0;

	open_play(&p, IN_ORDER, TASKS, 4);
	play(&p, 50000);
	for (size_t f = 1; f <= FUNCTIONS; f++)
		cycles += p.net[f];
	ck_assert_uint_eq(pt_execution_result(p.x)->cycles, cycles);
	for (size_t f = 1; f <= FUNCTIONS; f++)
		ck_assert_uint_eq(pt_execution_result(p.x)->function[f].cycles, p.net[f]);
	pt_execution_free(p.x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task switch");
	TCase *tc = tcase_create("task switch");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, counts_case, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, says_what_the_scheduler_did, 0, PT_LEN(plays));
	tcase_add_test(tc, too_many_tasks);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
