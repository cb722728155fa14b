#include "tests/step_follower.h"

#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"

enum { DEPTH = PT_EXECUTION_DEPTH, EDGES = 1 << 16, KINDS = PT_CALL_CLOCK + 1 };

struct open_call {
	uint64_t from, others, preempted;
	uint16_t function, caller;
	uint8_t entry;
};

struct open_stack {
	size_t n;
	uint64_t parked;
	struct open_call *call;		/* DEPTH of them; NULL: never used */
};

struct sums {
	uint64_t count, partial, net, gross, n_periods, periods;
	uint64_t whole, whole_net, whole_gross, whole_call;
};

struct step_follower {
	struct open_stack stack[PT_CALL_STACKS];
	size_t running, n_functions, n_edges;
	uint64_t clock, n[KINDS];
	struct sums *sums;
	struct pt_edge *edge;
};

/* As ck_assert(), which takes a system call even where all is well. */
#define must(true_) do { if (!(true_)) ck_abort_msg("steps: not so: %s", #true_); } while (0)

struct step_follower *step_follower_new(size_t n_functions)
{
	struct step_follower *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	f->n_functions = n_functions;
	f->sums = calloc(n_functions, sizeof(*f->sums));
	f->edge = calloc(2 * EDGES, sizeof(*f->edge));
	must(f->sums != NULL && f->edge != NULL);
	return f;
}

void step_follower_free(struct step_follower *f)
{
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		free(f->stack[i].call);
	free(f->sums);
	free(f->edge);
	free(f);
}

uint64_t step_follower_n(const struct step_follower *f, enum pt_call_event_kind kind)
{
	return f->n[kind];
}

static struct open_call *top_of(const struct open_stack *s)
{
	return s->n > 0 ? &s->call[s->n - 1] : NULL;
}

/* Time passes up to clock: it belongs to the top invocation that runs. */
static void pass(struct step_follower *f, uint64_t clock)
{
	const struct open_call *top = top_of(&f->stack[f->running]);

	must(clock >= f->clock);
	must(top != NULL || clock == f->clock);
	if (top != NULL)
		f->sums[top->function].net += clock - f->clock;
	f->clock = clock;
}

static bool is_edge(const struct open_call *call)
{
	return call->entry != PT_ENTRY_UNSEEN && call->entry != PT_ENTRY_UNCALLED;
}

/* Is the same call open further down on the level of the top one? */
static bool same_call_below(const struct open_stack *s)
{
	const struct open_call *top = top_of(s);

	for (size_t i = s->n - 1; s->call[i].entry != PT_ENTRY_EXCEPTION && i > 0; i--)
		if (is_edge(&s->call[i - 1]) && s->call[i - 1].entry != PT_ENTRY_EXCEPTION &&
		    s->call[i - 1].function == top->function && s->call[i - 1].caller == top->caller)
			return true;
	return false;
}

static void edge(struct step_follower *f, const struct open_call *call, uint64_t gross)
{
	if (!is_edge(call))
		return;
	if (f->n_edges == 2 * EDGES)
		f->n_edges = pt_edges_merge(f->edge, f->n_edges);
	must(f->n_edges < 2 * EDGES);
	f->edge[f->n_edges++] = (struct pt_edge){ call->caller, call->function, 0, 1, gross, 0, 0 };
}

/* Is the function open further down on the level of call n - 1, which an exception begins? */
static bool recursive(const struct open_stack *s)
{
	const struct open_call *top = top_of(s);

	if (top->entry == PT_ENTRY_EXCEPTION)
		return false;
	for (size_t i = s->n - 1; i-- > 0;) {
		if (s->call[i].function == top->function)
			return true;
		if (s->call[i].entry == PT_ENTRY_EXCEPTION)
			return false;
	}
	return false;
}

static void enter(struct step_follower *f, const struct pt_call_event *step)
{
	struct open_stack *s = &f->stack[step->stack];
	struct sums *sums = &f->sums[step->function];

	must(step->stack == f->running);
	if (s->call == NULL)
		s->call = calloc(DEPTH, sizeof(*s->call));
	must(s->n < DEPTH);
	s->call[s->n++] = (struct open_call){
		.from = step->clock, .function = step->function, .caller = step->caller, .entry = step->entry,
	};
	sums->count += step->entry != PT_ENTRY_UNSEEN;
	sums->n_periods += step->period != PT_UNKNOWN;
	sums->periods += step->period != PT_UNKNOWN ? step->period : 0;
}

/* Pop the top. Returns what it comes to. */
static struct pt_invocation end(struct step_follower *f, struct open_stack *s, uint64_t now)
{
	const struct open_call call = *top_of(s);
	struct pt_invocation v = { .call = now - call.from };
	struct open_call *below;

	v.gross = v.call - call.preempted;
	v.net = v.gross - call.others;
	f->sums[call.function].gross += recursive(s) ? 0 : v.gross;
	edge(f, &call, same_call_below(s) ? 0 : v.gross);
	s->n--;
	below = top_of(s);
	if (below != NULL && call.entry == PT_ENTRY_EXCEPTION) {
		below->preempted += v.call;
	} else if (below != NULL) {
		below->others += v.gross;
		below->preempted += call.preempted;
	}
	return v;
}

static void leave(struct step_follower *f, const struct pt_call_event *step)
{
	struct open_stack *s = &f->stack[step->stack];
	struct sums *sums = &f->sums[step->function];
	struct pt_invocation v;

	must(s->n > 0);
	must(top_of(s)->function == step->function);
	must(top_of(s)->caller == step->caller);
	must(top_of(s)->entry == step->entry);
	must(step->partial || step->entry != PT_ENTRY_UNSEEN);
	if (step->stack != f->running) {	/* nobody believes in it any more */
		must(step->partial);
		top_of(s)->preempted += step->clock - s->parked;
		s->parked = step->clock;
	}
	v = end(f, s, step->clock);
	must(v.net == step->net);
	must(v.gross == step->gross);
	must(v.call == step->call);
	sums->partial += step->partial;
	if (!step->partial) {
		sums->whole++;
		sums->whole_net += v.net;
		sums->whole_gross += v.gross;
		sums->whole_call += v.call;
	}
}

static void switch_to(struct step_follower *f, const struct pt_call_event *step)
{
	struct open_stack *s = &f->stack[step->stack];

	if (step->stack == f->running)
		return;
	f->stack[f->running].parked = step->clock;
	if (s->n > 0)
		top_of(s)->preempted += step->clock - s->parked;
	f->running = step->stack;
}

static void elsewhere(struct step_follower *f, const struct pt_call_event *step)
{
	struct open_call *top = top_of(&f->stack[f->running]);

	must(top != NULL);
	top->others += step->net;
	f->sums[top->function].net -= step->net;
	f->sums[step->function].net += step->net;
}

static void forget(struct step_follower *f)
{
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		must(f->stack[i].n == 0);
}

static void one(struct step_follower *f, const struct pt_call_event *step)
{
	must(step->stack < PT_CALL_STACKS);
	must(step->function < f->n_functions);
	pass(f, step->clock);
	f->n[step->kind]++;
	switch ((enum pt_call_event_kind)step->kind) {
	case PT_CALL_ENTER:
		enter(f, step);
		break;
	case PT_CALL_LEAVE:
		leave(f, step);
		break;
	case PT_CALL_SWITCH:
		switch_to(f, step);
		break;
	case PT_CALL_ELSEWHERE:
		elsewhere(f, step);
		break;
	case PT_CALL_FORGET:
		forget(f);
		break;
	case PT_CALL_CLOCK:
		break;
	}
}

static void take(void *arg, const struct pt_call_event *step, size_t n)
{
	must(n > 0);
	for (size_t i = 0; i < n; i++)
		one(arg, &step[i]);
}

struct pt_call_sink step_follower_sink(struct step_follower *f)
{
	return (struct pt_call_sink){ take, f };
}

/* --- what it comes to */

static struct step_follower *copy_of(const struct step_follower *f)
{
	struct step_follower *copy = step_follower_new(f->n_functions);
	struct pt_edge *edge = copy->edge;
	struct sums *sums = copy->sums;

	*copy = *f;
	copy->sums = memcpy(sums, f->sums, f->n_functions * sizeof(*sums));
	copy->edge = memcpy(edge, f->edge, f->n_edges * sizeof(*edge));
	for (size_t i = 0; i < PT_CALL_STACKS; i++) {
		copy->stack[i].call = calloc(DEPTH, sizeof(struct open_call));
		if (f->stack[i].n > 0)
			memcpy(copy->stack[i].call, f->stack[i].call, f->stack[i].n * sizeof(struct open_call));
	}
	return copy;
}

/* The stream ended at clock; what is open is partial. */
static void close_all(struct step_follower *f, uint64_t clock)
{
	pass(f, clock);
	for (size_t i = 0; i < PT_CALL_STACKS; i++)
		for (struct open_stack *s = &f->stack[i]; s->n > 0;) {
			f->sums[top_of(s)->function].partial++;
			end(f, s, i == f->running ? clock : s->parked);
		}
	f->n_edges = pt_edges_merge(f->edge, f->n_edges);
}

static void expect_function(const struct sums *s, const struct pt_execution_function *want, bool by_instructions,
			    const char *name, size_t id)
{
#define SAME(got, wanted) ck_assert_msg((got) == (wanted), "%s: function %zu: %s: %llu steps, %llu result", name, id, \
					#wanted, (unsigned long long)(got), (unsigned long long)(wanted))
	SAME(s->count, want->count);
	SAME(s->partial, want->partial);
	SAME(s->net, by_instructions ? want->instructions : want->cycles);
	SAME(s->gross, want->gross_total);
	SAME(s->n_periods, want->stat[PT_TALLY_PERIOD].n);
	SAME(s->periods, want->stat[PT_TALLY_PERIOD].total);
	SAME(s->whole, want->stat[PT_TALLY_NET].n);
	SAME(s->whole_net, want->stat[PT_TALLY_NET].total);
	SAME(s->whole_gross, want->stat[PT_TALLY_GROSS].total);
	SAME(s->whole_call, want->stat[PT_TALLY_CALL].total);
#undef SAME
}

void step_follower_expect(const struct step_follower *follower, const struct pt_execution_result *want,
			  bool by_instructions, const char *name)
{
	struct step_follower *f = copy_of(follower);

	ck_assert_uint_eq(f->n_functions, want->n_functions);
	ck_assert_uint_gt(f->n[PT_CALL_CLOCK], 0);
	close_all(f, by_instructions ? want->instructions : want->cycles);
	for (size_t i = 0; i < f->n_functions; i++)
		expect_function(&f->sums[i], &want->function[i], by_instructions, name, i);
	ck_assert_msg(f->n_edges == want->n_edges, "%s: %zu edges, not %zu", name, f->n_edges, want->n_edges);
	for (size_t i = 0; i < f->n_edges; i++)
		ck_assert_msg(f->edge[i].from == want->edge[i].from && f->edge[i].to == want->edge[i].to &&
				      f->edge[i].count == want->edge[i].count &&
				      f->edge[i].gross == want->edge[i].gross,
			      "%s: edge %zu", name, i);
	step_follower_free(f);
}
