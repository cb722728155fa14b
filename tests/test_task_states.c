/* Activations, preemptions and responses of tasks, by a little story of states, the running task, gaps and looks; each with its
 * figures by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/result/analysis.h"

static const struct pt_value_name osek[] = {
	{ 0, "SUSPENDED" }, { 1, "READY" }, { 2, "RUNNING" }, { 3, "WAITING" }, { 5, "READY_AND_NEW" },
};
static const struct pt_value_name lists[] = {
	{ 0, "(moves)" }, { 1, "READY" }, { 3, "WAITING" }, { 4, "SUSPENDED or WAITING" },
};
static const struct pt_task_entry tasks[] = { { 0x10, "L", false }, { 0x20, "other", false } };
static const struct pt_task_map map = { .variable = "running", .task = (struct pt_task_entry *)tasks, .n_tasks = 2 };
enum { OF_T, OF_L, RUNNING };
static const struct pt_signal_definition definitions[] = {
	[OF_T] = { .name = "T.STATE", .form = PT_FORM_STATE, .task = "T", .values = osek, .n_values = PT_LEN(osek) },
	[OF_L] = { .name = "L.STATE", .form = PT_FORM_STATE, .task = "L", .values = lists, .n_values = PT_LEN(lists) },
	[RUNNING] = { .name = "running", .form = PT_FORM_TASK, .tasks = &map },
};
static const struct pt_signal_set signals = { definitions, PT_LEN(definitions) };

/* "T1" task T is written 1, "T?1" a look finds it, "L3" the same of L, "run 0" the running task, "gap", "seen"; each behind its time in
 * ns, and "+-" the error of that. Want: "3 act 1 rel 2 pre, 2 whole 4..9, 1 part, longest 5", ">=" where writes are missing, "+1"
 * behind a figure: it may be so many more. */
static const struct { const char *name, *story, *want; } cases[] = {
	{ "an activation, a preemption, and the end",
	  "1 T0, 10 T1, 12 T2, 15 T1, 17 T2, 20 T0, 30 T1, 31 T2, 34 T3, 40 T1, 41 T2, 49 T0",
	  "T 2 act 1 rel 1 pre, 3 whole 4..10" },
	{ "run at once", "1 T0, 10 T2, 13 T0, 20 T2, 24 T0", "T 2 act 0 rel 0 pre, 2 whole 3..4" },
	{ "what was before the first state is not known", "10 T1, 15 T2, 18 T0, 20 T1, 21 T2, 25 T0",
	  "T 1+1 act 0+1 rel 0+1 pre, 1 whole 5..5, 1 part, longest 8" },
	{ "it ran already", "10 T2, 15 T1, 18 T2, 20 T3", "T 0+1 act 0+1 rel 1 pre, 0 whole, 1 part, longest 10" },
	{ "one without an end", "1 T0, 10 T1, 12 T2, 90 seen", "T 1 act 0 rel 0 pre, 0 whole, 1 part, longest 80" },
	{ "ready anew is ready", "1 T0, 10 T5, 11 T1, 12 T2, 14 T0", "T 1 act 0 rel 0 pre, 1 whole 4..4" },
	{ "a state without a name", "1 T0, 10 T1, 12 T2, 13 T9, 14 T1, 15 T2, 16 T0",
	  "T 1+1 act 0+1 rel 0+1 pre, 0 whole, 2 part, longest 3" },
	{ "a gap", "1 T0, 10 T1, 12 T2, 14 gap, 20 T1, 22 T2, 25 T0, 30 T1, 31 T2, 33 T0",
	  "T >= 2+1 act 0+1 rel 0+1 pre, 1 whole 3..3, 2 part, longest 5" },
	{ "uncertain moments", "1 T0, 10+-2 T1, 12+-2 T2, 40+-3 T0", "T 1 act 0 rel 0 pre, 1 whole 30..30 +-5" },
	{ "ready, and runs by the running task", "1 run 1, 2 L3, 10 L0, 10 L1, 12 run 0, 15 run 1, 16 run 0, 18 L0, 18 L3, 19 run 1",
	  "L 0 act 1 rel 1 pre, 1 whole 8..8" },
	{ "a list of two states", "1 run 1, 2 L4, 10 L0, 10 L1, 12 run 0, 18 L0, 18 L4, 19 run 1, 30 L1, 31 run 0, 35 L3",
	  "L 0+2 act 0+2 rel 0 pre, 2 whole 5..8" },
	{ "who runs is not told", "2 L3, 10 L1, 18 L3", "L 0 act 1 rel ? pre, 1 whole 8..8" },
	{ "who ran before the first word is not known", "2 L3, 10 L1, 14 run 1, 15 run 0, 16 L3", "L 0 act 1 rel 0+1 pre, 1 whole 6..6" },
	{ "looks", "10 T?0, 20 T?2, 30 T?1, 40 T?0, 50 T?3, 60 T?1, 70 T?0", "T >= 2 act 2 whole by looks" },
	{ "looks behind a gap", "10 T?0, 20 gap, 30 T?2, 40 T?0, 50 T?2", "T >= 1 act 0 whole by looks" },
	{ "looks at a list of two states", "10 L?4, 20 L?1, 30 L?0, 40 L?3, 50 L?1, 60 L?1, 70 L?3, 80 L?1", "L >= 0 act 2 whole by looks" },
	{ "writes beat looks", "5 T?0, 8 T?1, 9 T0, 10 T1, 11 T2, 12 T?2, 15 T0, 16 T?0", "T 1 act 0 rel 0 pre, 1 whole 5..5" },
};

static void print_states(const struct pt_task *task, char *out)
{
	const struct pt_task_states *s = task->states;
	int more = (int)(s->either + s->unsure);

	out += sprintf(out, "%s %s%d", task->name, s->missing || !s->writes ? ">= " : "", (int)s->activations);
	if (!s->writes) {
		sprintf(out, " act %d whole by looks", (int)s->found);
		return;
	}
	out += sprintf(out, more > 0 ? "+%d act" : " act", more);
	out += sprintf(out, more > 0 ? " %d+%d rel" : " %d rel", (int)s->releases, more);
	if (!s->runs)
		out += sprintf(out, " ? pre");
	else
		out += sprintf(out, s->unsure_preemptions > 0 ? " %d+%d pre" : " %d pre", (int)s->preemptions,
			       (int)s->unsure_preemptions);
	out += sprintf(out, ", %d whole", (int)s->response.n);
	if (s->response.n > 0)
		out += sprintf(out, " %d..%d", (int)s->response.min, (int)s->response.max);
	if (s->error_ns > 0)
		out += sprintf(out, " +-%d", (int)s->error_ns);
	if (s->partial > 0)
		out += sprintf(out, ", %d part", (int)s->partial);
	if (s->response.unended > 0)
		sprintf(out, ", longest %d", (int)s->response.unended);
}

/* One step; what of it stands behind its time. */
static void play(void *analysis, uint64_t ns, uint64_t error_ns, const char *what)
{
	struct pt_signal s = {
		.ticks = PT_UNKNOWN, .at = { ns, error_ns }, .own_ns = ns, .own_error_ns = error_ns, .pc = PT_UNKNOWN,
	};

	if (strncmp(what, "seen", 4) == 0) {
		pt_analysis_tasks.seen(analysis, 0, ns);
		return;
	}
	if (strncmp(what, "gap", 3) == 0) {
		s.kind = PT_SIGNAL_GAP;
		s.value = PT_GAP_LOSS;
	} else if (strncmp(what, "run ", 4) == 0) {
		s.kind = PT_SIGNAL_TASK;
		s.id = RUNNING;
		s.value = (uint64_t)(what[4] - '0');
	} else {
		s.kind = what[1] == '?' ? PT_SIGNAL_LOOK : PT_SIGNAL_STATE;
		s.id = what[0] == 'T' ? OF_T : OF_L;
		s.source = what[1] == '?' ? 1 : 0;
		s.value = (uint64_t)(what[what[1] == '?' ? 2 : 1] - '0');
	}
	pt_analysis_tasks.signals(analysis, &s, 1);
	if (s.kind == PT_SIGNAL_GAP) {
		s.source = 1;
		pt_analysis_tasks.signals(analysis, &s, 1);
	}
}

START_TEST(story)
{
	struct pt_params *words = pt_params_new();
	const struct pt_analysis_setup setup = { .signals = &signals, .words = words };
	void *analysis = pt_analysis_tasks.open(&setup, NULL);
	struct pt_profile profile = { 0 };
	char got[300];

	for (const char *at = cases[_i].story; at != NULL; at = strchr(at, ',')) {
		uint64_t ns = strtoull(at + strspn(at, ", "), (char **)&at, 10), error_ns = 0;

		if (strncmp(at, "+-", 2) == 0)
			error_ns = strtoull(at + 2, (char **)&at, 10);
		play(analysis, ns, error_ns, at + 1);
	}
	for (int look = 0; look < 2; look++) {	/* a look changes nothing */
		pt_analysis_tasks.result(analysis, &profile);
		got[0] = '\0';
		for (size_t i = 0; i < profile.tasks->n_tasks; i++)
			if (profile.tasks->task[i].states != NULL)
				print_states(&profile.tasks->task[i], got);
		ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s:\n  got  %s\n  want %s", cases[_i].name, got,
			      cases[_i].want);
	}
	pt_analysis_tasks.close(analysis);
	pt_params_free(words);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states of tasks");
	TCase *tc = tcase_create("stories");

	tcase_add_loop_test(tc, story, 0, PT_LEN(cases));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
