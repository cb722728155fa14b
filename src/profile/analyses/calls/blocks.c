/* Time is charged as the call tree does it, but to functions. What happens goes to the block that runs; all functions
 * of a block lie together, so that nothing else is between what is touched. */
#include "profile/analyses/calls/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "profile/result/analysis.h"

enum { CORES = PT_RUN_CORES, DEPTH = 1024, FIRST_TICKS = 4096, FEWEST = 8 };
static const double ALIKE = 0.15;	/* neighbours that are more so are joined */

struct stack { uint16_t *function; size_t depth; };	/* DEPTH of them; NULL: nothing was ever open */

struct blocks {
	struct pt_blocks result;
	struct pt_block *block;
	struct pt_block *running;	/* the row of block n_running */
	size_t n_running;
	uint64_t ticks[PT_BLOCKS];
	uint64_t block_ticks;		/* how long a block is by now */
	uint64_t elapsed;		/* charged in all, over all cores */
	struct stack *stack;		/* CORES * PT_CALL_STACKS */
	struct { uint64_t clock; uint16_t running; } core[CORES];
};

/* Of all functions. */
static struct pt_block *row_of(const struct blocks *b, size_t block)
{
	return &b->block[block * b->result.n_functions];
}

/* to: before a, or a. */
static void add_rows(struct pt_block *to, const struct pt_block *a, const struct pt_block *b, size_t n_functions)
{
	for (size_t f = 0; f < n_functions; f++)
		to[f] = (struct pt_block){
			.time = a[f].time + b[f].time, .count = a[f].count + b[f].count,
			.net = a[f].net + b[f].net, .gross = a[f].gross + b[f].gross,
		};
}

/* Two blocks become one. */
static void grow(struct blocks *b)
{
	for (size_t i = 0; i < PT_BLOCKS / 2; i++) {
		add_rows(row_of(b, i), row_of(b, 2 * i), row_of(b, 2 * i + 1), b->result.n_functions);
		b->ticks[i] = b->ticks[2 * i] + b->ticks[2 * i + 1];
	}
	b->n_running = PT_BLOCKS / 2 - 1;
	b->block_ticks *= 2;
}

/* The next one; only now its row is made empty, and so is in the cache. */
static void begin_block(struct blocks *b)
{
	b->running = row_of(b, ++b->n_running);
	memset(b->running, 0, b->result.n_functions * sizeof(*b->running));
	b->ticks[b->n_running] = 0;
}

static uint64_t end_of_running(const struct blocks *b)
{
	return (b->n_running + 1) * b->block_ticks;
}

/* The block that runs is the one of now. */
static void go_on(struct blocks *b)
{
	if (b->elapsed < end_of_running(b))
		return;
	while (b->elapsed / b->block_ticks >= PT_BLOCKS)
		grow(b);
	while (b->n_running < b->elapsed / b->block_ticks)
		begin_block(b);
}

/* A long stretch is laid over as many blocks as it takes. */
static void charge(struct blocks *b, uint16_t function, uint64_t ticks)
{
	for (uint64_t part; ticks > 0; ticks -= part) {
		uint64_t left;

		go_on(b);
		left = end_of_running(b) - b->elapsed;
		part = ticks < left ? ticks : left;
		b->running[function].time += part;
		b->ticks[b->n_running] += part;
		b->elapsed += part;
	}
}

static uint16_t top(const struct stack *stack)
{
	if (stack->depth == 0)
		return PT_NO_FUNCTION;
	return stack->function[(stack->depth < DEPTH ? stack->depth : DEPTH) - 1];
}

static void push(struct stack *stack, uint16_t function)
{
	if (stack->function == NULL)
		stack->function = pt_realloc_array(NULL, DEPTH, sizeof(*stack->function));
	if (stack->depth < DEPTH)
		stack->function[stack->depth] = function;
	stack->depth++;
}

static void leave(struct blocks *b, const struct pt_call_event *step, struct stack *stack)
{
	struct pt_block *block = &b->running[step->function];

	stack->depth -= stack->depth > 0;
	if (step->partial != 0)
		return;
	block->count++;
	block->net += step->net;
	block->gross += step->gross;
}

static void take_step(struct blocks *b, const struct pt_call_event *step)
{
	unsigned core = step->core % CORES;
	struct stack *stacks = &b->stack[(size_t)core * PT_CALL_STACKS];
	uint64_t ticks = step->clock - b->core[core].clock, elsewhere = 0;

	if (step->kind == PT_CALL_ELSEWHERE) {
		elsewhere = step->net < ticks ? step->net : ticks;
		charge(b, step->function, elsewhere);
	}
	charge(b, top(&stacks[b->core[core].running]), ticks - elsewhere);
	b->core[core].clock = step->clock;
	if (step->kind == PT_CALL_ENTER)
		push(&stacks[step->stack % PT_CALL_STACKS], step->function);
	else if (step->kind == PT_CALL_LEAVE)
		leave(b, step, &stacks[step->stack % PT_CALL_STACKS]);
	else if (step->kind == PT_CALL_SWITCH)
		b->core[core].running = step->stack % PT_CALL_STACKS;
	else if (step->kind == PT_CALL_FORGET)
		for (size_t i = 0; i < PT_CALL_STACKS; i++)
			stacks[i].depth = 0;
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct blocks *b = analysis;

	for (size_t i = 0; i < n; i++)
		if (step[i].function < b->result.n_functions)
			take_step(b, &step[i]);
}

/* Briefs [from, to), all in the block that runs, on one stack that holds all of it. Without a branch that depends on
 * what the program does: to tell calls from returns is to guess wrong. What is left is on top. */
static void pass(struct blocks *b, const struct pt_compact_batch *batch, size_t from, size_t to, struct stack *stack)
{
	uint64_t *clock = &b->core[batch->core % CORES].clock, end = batch->clock + batch->compact[to - 1].ticks;
	uint16_t *top = stack->function + stack->depth - 1;
	struct pt_block *running = b->running;
	uint32_t since = (uint32_t)(*clock - batch->clock);	/* "negative" */

	for (size_t i = from; i < to; i++) {
		const struct pt_compact_event *compact = &batch->compact[i];
		struct pt_block *of = &running[*top];

		of->time += compact->ticks - since;
		of->count += compact->left;
		of->net += compact->net;
		of->gross += compact->gross & -compact->left;
		since = compact->ticks;
		top[1] = compact->function;
		top += 1 - 2 * (ptrdiff_t)compact->left;
	}
	stack->depth = (size_t)(top + 1 - stack->function);
	b->elapsed += end - *clock;
	b->ticks[b->n_running] += end - *clock;
	*clock = end;
}

/* Whether pass() can have it, as far as it is in the block that runs. */
static bool is_plain(const struct blocks *b, const struct pt_compact_batch *batch, const struct stack *stack)
{
	unsigned core = batch->core % CORES;

	return b->core[core].running == batch->stack % PT_CALL_STACKS && stack->depth > batch->n_below &&
	       stack->depth + batch->n_compact < DEPTH && stack->function != NULL &&
	       batch->clock + batch->compact[batch->n_compact - 1].ticks - b->core[core].clock < UINT32_MAX / 2;
}

/* Behind the last brief that comes before the block that runs is over. */
static size_t end_of_part(const struct blocks *b, const struct pt_compact_batch *batch, size_t from)
{
	uint64_t passed = b->elapsed + batch->clock - b->core[batch->core % CORES].clock, end = end_of_running(b);
	size_t low = from, high = batch->n_compact;

	if (passed + batch->compact[high - 1].ticks < end)
		return high;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (passed + batch->compact[middle].ticks < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_compact(void *analysis, const struct pt_compact_batch *batch)
{
	struct blocks *b = analysis;
	struct stack *stack = &b->stack[(size_t)(batch->core % CORES) * PT_CALL_STACKS + batch->stack % PT_CALL_STACKS];
	bool plain = is_plain(b, batch, stack);

	for (size_t i = 0; i < batch->n_compact; i++) {
		size_t end = plain ? end_of_part(b, batch, i) : i;
		struct pt_call_event step;

		if (end > i)
			pass(b, batch, i, end, stack);
		if (end == batch->n_compact)
			break;
		i = end;
		step = pt_compact_call_event(batch, i);
		take_steps(b, &step, 1);
	}
}

/* How alike neighbours are: -1..1. */
static double correlation(const double *residual, size_t n)
{
	double both = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		all += residual[i] * residual[i];
		both += i > 0 ? residual[i] * residual[i - 1] : 0;
	}
	return all > 0 ? both / all : 0;
}

static void halve(double *residual, size_t *n)
{
	for (size_t i = 0; i < *n / 2; i++)
		residual[i] = residual[2 * i] + residual[2 * i + 1];
	if (*n % 2 != 0)		/* an odd one goes with the last pair */
		residual[*n / 2 - 1] += residual[*n - 1];
	*n /= 2;
}

struct pt_ratio pt_blocks_ratio(const double *x, const double *y, size_t n)
{
	struct pt_ratio r = { .value = NAN, .error = NAN };
	double sum_x = 0, sum_y = 0, squares = 0, residual[PT_BLOCKS];

	for (size_t i = 0; i < n; i++) {
		sum_x += x[i];
		sum_y += y[i];
	}
	if (sum_y <= 0)
		return r;
	r.value = sum_x / sum_y;
	for (size_t i = 0; i < n; i++)
		if (y[i] > 0)
			residual[r.n++] = x[i] - r.value * y[i];
	while (r.n >= 2 * FEWEST && correlation(residual, r.n) > ALIKE)
		halve(residual, &r.n);
	for (size_t i = 0; i < r.n; i++)
		squares += residual[i] * residual[i];
	if (r.n >= 2)
		r.error = sqrt(squares / (double)(r.n - 1) * (double)r.n) / sum_y;
	return r;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct blocks *b = analysis;

	b->result.n_blocks = b->elapsed > 0 ? (size_t)((b->elapsed - 1) / b->block_ticks) + 1 : 0;
	if (b->result.n_blocks > PT_BLOCKS)	/* the last one is full, and the next not begun */
		b->result.n_blocks = PT_BLOCKS;
	profile->blocks = &b->result;
}

static void blocks_free(void *analysis)
{
	struct blocks *b = analysis;

	for (size_t i = 0; i < (size_t)CORES * PT_CALL_STACKS; i++)
		free(b->stack[i].function);
	free(b->stack);
	pt_big_free(b->block, (b->result.n_functions + 1) * PT_BLOCKS * sizeof(*b->block));
	free(b);
}

static void *blocks_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct pt_block *block = pt_big_calloc(setup->n_functions + 1, PT_BLOCKS * sizeof(*block));
	struct blocks *b;

	if (block == NULL) {	/* hundreds of megabytes for a large program */
		pt_fail(err, PT_ENOMEM, "not enough memory for the blocks of %zu functions", setup->n_functions);
		return NULL;
	}
	b = pt_alloc(sizeof(*b));
	b->block = b->running = block;
	b->stack = pt_alloc_array((size_t)CORES * PT_CALL_STACKS, sizeof(*b->stack));
	b->block_ticks = FIRST_TICKS;
	b->result = (struct pt_blocks){ .ticks = b->ticks, .block = block, .n_functions = setup->n_functions };
	return b;
}

const struct pt_analysis pt_analysis_blocks = {
	.name = "blocks", .help = "how far figures spread over time, for proftap diff", .open = blocks_new,
	.close = blocks_free, .steps = take_steps, .compact = take_compact, .result = give,
};
