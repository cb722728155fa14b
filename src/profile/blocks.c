/* Time is charged as the call tree does it, but to functions. */
#include "profile/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/analysis.h"

enum { CORES = 4, DEPTH = 1024, FIRST_TICKS = 4096, FEWEST = 8 };
static const double ALIKE = 0.15;	/* neighbours that are more so are joined */

struct stack { uint16_t *function; size_t depth; };	/* DEPTH of them; NULL: nothing was ever open */

struct blocks {
	struct pt_blocks result;
	struct pt_block *block;
	uint64_t ticks[PT_BLOCKS];
	uint64_t block_ticks;		/* how long a block is by now */
	uint64_t elapsed;		/* charged in all, over all cores */
	struct stack *stack;		/* CORES * PT_STEP_STACKS */
	struct { uint64_t clock; uint16_t running; } core[CORES];
};

static struct pt_block *at(struct blocks *b, uint16_t function, size_t block)
{
	return &b->block[(size_t)function * PT_BLOCKS + block];
}

/* Two blocks become one. */
static void grow(struct blocks *b)
{
	for (size_t f = 0; f < b->result.n_functions; f++)
		for (size_t i = 0; i < PT_BLOCKS; i++) {
			struct pt_block sum = i < PT_BLOCKS / 2 ? *at(b, (uint16_t)f, 2 * i) : (struct pt_block){ 0 };

			if (i < PT_BLOCKS / 2) {
				const struct pt_block *other = at(b, (uint16_t)f, 2 * i + 1);

				sum.time += other->time;
				sum.count += other->count;
				sum.net += other->net;
				sum.gross += other->gross;
			}
			*at(b, (uint16_t)f, i) = sum;
		}
	for (size_t i = 0; i < PT_BLOCKS; i++)
		b->ticks[i] = i < PT_BLOCKS / 2 ? b->ticks[2 * i] + b->ticks[2 * i + 1] : 0;
	b->block_ticks *= 2;
}

static size_t now(struct blocks *b)
{
	while (b->elapsed / b->block_ticks >= PT_BLOCKS)
		grow(b);
	return (size_t)(b->elapsed / b->block_ticks);
}

/* A long stretch is laid over as many blocks as it takes. */
static void charge(struct blocks *b, uint16_t function, uint64_t ticks)
{
	for (uint64_t part; ticks > 0; ticks -= part) {
		size_t block = now(b);
		uint64_t left = b->block_ticks - b->elapsed % b->block_ticks;

		part = ticks < left ? ticks : left;
		at(b, function, block)->time += part;
		b->ticks[block] += part;
		b->elapsed += part;
	}
}

static uint16_t top(const struct stack *stack)
{
	if (stack->depth == 0 || stack->function == NULL)
		return PT_NO_FUNCTION;
	return stack->function[(stack->depth < DEPTH ? stack->depth : DEPTH) - 1];
}

static void push(struct stack *stack, uint16_t function)
{
	if (stack->function == NULL)
		stack->function = malloc(DEPTH * sizeof(*stack->function));
	if (stack->function != NULL && stack->depth < DEPTH)
		stack->function[stack->depth] = function;
	stack->depth++;
}

static void leave(struct blocks *b, const struct pt_step *step, struct stack *stack)
{
	struct pt_block *block = at(b, step->function, now(b));

	stack->depth -= stack->depth > 0;
	if (step->partial != 0)
		return;
	block->count++;
	block->net += step->net;
	block->gross += step->gross;
}

static void take_step(struct blocks *b, const struct pt_step *step)
{
	unsigned core = step->core % CORES;
	struct stack *stacks = &b->stack[(size_t)core * PT_STEP_STACKS];
	uint64_t ticks = step->clock - b->core[core].clock, elsewhere = 0;

	if (step->kind == PT_STEP_ELSEWHERE) {
		elsewhere = step->net < ticks ? step->net : ticks;
		charge(b, step->function, elsewhere);
	}
	charge(b, top(&stacks[b->core[core].running]), ticks - elsewhere);
	b->core[core].clock = step->clock;
	if (step->kind == PT_STEP_ENTER)
		push(&stacks[step->stack % PT_STEP_STACKS], step->function);
	else if (step->kind == PT_STEP_LEAVE)
		leave(b, step, &stacks[step->stack % PT_STEP_STACKS]);
	else if (step->kind == PT_STEP_SWITCH)
		b->core[core].running = step->stack % PT_STEP_STACKS;
	else if (step->kind == PT_STEP_FORGET)
		for (size_t i = 0; i < PT_STEP_STACKS; i++)
			stacks[i].depth = 0;
}

static void take_steps(void *analysis, const struct pt_step *step, size_t n)
{
	struct blocks *b = analysis;

	for (size_t i = 0; i < n; i++)
		if (step[i].function < b->result.n_functions)
			take_step(b, &step[i]);
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

	for (size_t i = 0; b->stack != NULL && i < (size_t)CORES * PT_STEP_STACKS; i++)
		free(b->stack[i].function);
	free(b->stack);
	free(b->block);
	free(b);
}

static void *blocks_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct blocks *b = calloc(1, sizeof(*b));

	if (b != NULL) {
		b->block = calloc(setup->n_functions + 1, PT_BLOCKS * sizeof(*b->block));
		b->stack = calloc((size_t)CORES * PT_STEP_STACKS, sizeof(*b->stack));
		b->block_ticks = FIRST_TICKS;
		b->result = (struct pt_blocks){ .ticks = b->ticks, .block = b->block, .n_functions = setup->n_functions };
		if (b->block != NULL && b->stack != NULL)
			return b;
		blocks_free(b);
	}
	pt_fail(err, PT_ENOMEM, "not enough memory for the blocks of %zu functions", setup->n_functions);
	return NULL;
}

const struct pt_analysis pt_analysis_blocks = {
	.name = "blocks", .help = "how far figures spread over time, for proftap diff", .open = blocks_new,
	.close = blocks_free, .steps = take_steps, .result = give,
};
