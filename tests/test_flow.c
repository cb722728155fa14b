/* Flow over a hand-made program: rows of events and the runs they must give, computed by hand from the cycles in
 * small_program.h. Exception entry costs 100 here, return 30, tail-chaining 7, so that they stand out. */
#include <inttypes.h>
#include <stdio.h>

#include "harness.h"
#include "profile/flow/flow.h"
#include "small_program.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* a row leaves out what is 0 */

enum { ENTRY = 100, RETURN = 30, CHAIN = 7, MOST = 12 };

static const struct pt_flow_settings settings = { PT_FLOW_CYCLES, ENTRY, RETURN, CHAIN };
static struct pt_codemap *map;

static void build(void)
{
	struct pt_program *program = small_program();

	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	pt_program_unref(program);
}

static void drop(void)
{
	pt_codemap_free(map);
}

#define EV(k, ...) { .kind = PT_EV_##k, .ticks = PT_UNKNOWN, __VA_ARGS__ }
#define BRANCH(f, t) EV(BRANCH, .cause = PT_BY_INSTRUCTION, .branch = { f, t })
#define EXCEPTION(f, t) EV(BRANCH, .cause = PT_BY_EXCEPTION, .branch = { f, t })
#define EXC_RETURN(f, t) EV(BRANCH, .cause = PT_BY_EXCEPTION_RETURN, .branch = { f, t })
#define TAIL_CHAIN(f, t) EV(BRANCH, .cause = PT_BY_TAIL_CHAIN, .branch = { f, t })
#define DEBUG(f, t) EV(BRANCH, .cause = PT_BY_DEBUG, .branch = { f, t })
#define START(t) EV(START, .branch = { 0, t })
#define STOP(t) EV(STOP, .branch = { 0, t })
#define ATOMS(count, b) EV(ATOMS, .n = count, .atoms = { b })
#define INDIRECT(t) EV(INDIRECT, .branch = { 0, t })
#define VECTOR(number, f) EV(VECTOR, .value = { number, f })
#define GAP EV(GAP, .cause = PT_GAP_LOSS)
#define NONE PT_UNKNOWN

struct want {
	uint64_t begin, end, next;
	unsigned instructions, cycles, left;
	bool guessed;
};

static const struct row {
	const char *name;
	struct pt_event event[MOST];
	struct want want[MOST];
	unsigned bad;
} rows[] = {
	{ "call and return",
	  { START(MAIN), BRANCH(0x104, LEAF), BRANCH(0x122, 0x108), BRANCH(0x10a, 0x102) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN },
	    { 0x108, 0x10c, 0x102, 2, 3, PT_LEFT_BRANCH } } },
	{ "the first packet shows at least its own instruction",
	  { BRANCH(0x104, LEAF), BRANCH(0x122, 0x108) },
	  { { 0x104, 0x108, LEAF, 1, 3, PT_LEFT_CALL }, { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN } } },
	{ "not taken costs one",
	  { START(0x108), BRANCH(0x10c, LEAF) },
	  { { 0x108, 0x10e, LEAF, 3, 4, PT_LEFT_CALL } } },
	{ "jump into another function", { START(TAIL), BRANCH(TAIL, LEAF) },
	  { { TAIL, 0x12e, LEAF, 1, 2, PT_LEFT_BRANCH } } },
	{ "recursion",
	  { START(RECURSIVE), BRANCH(RECURSIVE, RECURSIVE), BRANCH(RECURSIVE, RECURSIVE) },
	  { { RECURSIVE, 0x132, RECURSIVE, 1, 3, PT_LEFT_CALL },
	    { RECURSIVE, 0x132, RECURSIVE, 1, 3, PT_LEFT_CALL } } },
	{ "interrupt and return",
	  { START(MAIN), EXCEPTION(0x102, ISR), EXCEPTION(0x128, SVC_HANDLER), EXC_RETURN(0x12a, 0x128),
	    EXC_RETURN(0x128, 0x102), BRANCH(0x104, LEAF) },
	  { { MAIN, 0x102, ISR, 1, 3 + ENTRY, PT_LEFT_EXCEPTION },
	    { ISR, 0x128, SVC_HANDLER, 2, 3 + ENTRY, PT_LEFT_EXCEPTION },	/* svc: behind it */
	    { SVC_HANDLER, 0x12c, 0x128, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN },
	    { 0x128, 0x12a, 0x102, 1, 4 + RETURN, PT_LEFT_EXCEPTION_RETURN },
	    { 0x102, 0x108, LEAF, 2, 4, PT_LEFT_CALL } } },
	{ "interrupted before anything ran",
	  { START(MAIN), BRANCH(0x104, LEAF), EXCEPTION(LEAF, ISR) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, LEAF, ISR, 0, ENTRY, PT_LEFT_EXCEPTION } } },
	{ "interrupt first",
	  { EXCEPTION(LEAF, SVC_HANDLER), EXC_RETURN(SVC_HANDLER, LEAF) },
	  { { LEAF, LEAF, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, LEAF, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN } } },
	{ "handler preempted before its first instruction returns there, it is not tail-chained",
	  { EXCEPTION(0x102, ISR), EXCEPTION(ISR, SVC_HANDLER), EXC_RETURN(SVC_HANDLER, ISR) },
	  { { 0x102, 0x102, ISR, 0, ENTRY, PT_LEFT_EXCEPTION }, { ISR, ISR, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, ISR, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN } } },
	{ "tail-chained, as the vector table shows",
	  { EXCEPTION(0x102, SVC_HANDLER), EXC_RETURN(SVC_HANDLER, ISR), EXCEPTION(0x128, SVC_HANDLER),
	    EXC_RETURN(SVC_HANDLER, 0x128), EXC_RETURN(0x128, 0x102) },
	  { { 0x102, 0x102, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, ISR, 1, 2 + CHAIN, PT_LEFT_TAIL_CHAIN },
	    { ISR, 0x128, SVC_HANDLER, 2, 3 + ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, 0x128, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN },
	    { 0x128, 0x12a, 0x102, 1, 4 + RETURN, PT_LEFT_EXCEPTION_RETURN } } },
	{ "tail-chained, as the decoder saw",
	  { EXCEPTION(0x102, SVC_HANDLER), TAIL_CHAIN(SVC_HANDLER, JUMP), EXC_RETURN(JUMP, 0x102) },
	  { { 0x102, 0x102, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, JUMP, 1, 2 + CHAIN, PT_LEFT_TAIL_CHAIN },
	    { JUMP, 0x136, 0x102, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN } } },
	{ "tail-chained, in a single packet",
	  { EXCEPTION(0x102, SVC_HANDLER), BRANCH(SVC_HANDLER, ISR), EXCEPTION(ISR, SVC_HANDLER) },
	  { { 0x102, 0x102, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION },
	    { SVC_HANDLER, 0x12c, ISR, 1, 2 + CHAIN, PT_LEFT_TAIL_CHAIN },
	    { ISR, ISR, SVC_HANDLER, 0, ENTRY, PT_LEFT_EXCEPTION } } },
	{ "a jump to a handler outside any", { START(JUMP), BRANCH(JUMP, ISR) },
	  { { JUMP, 0x136, ISR, 1, 2, PT_LEFT_BRANCH } } },
	{ "return cut in two", { START(SVC_HANDLER), EXC_RETURN(SVC_HANDLER, NONE), START(0x108), STOP(0x10a) },
	  { { SVC_HANDLER, 0x12c, NONE, 1, 2 + RETURN, PT_LEFT_GAP }, { 0x108, 0x10a, 0x10a, 1, 1, PT_LEFT_DEBUG } } },
	{ "return of unknown origin", { EXC_RETURN(NONE, 0x108), BRANCH(0x10a, 0x102) },
	  { { 0x108, 0x10c, 0x102, 2, 3, PT_LEFT_BRANCH } } },
	{ "a gap ends the stretch",
	  { START(MAIN), BRANCH(0x104, LEAF), GAP, BRANCH(0x122, 0x108) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, LEAF, NONE, 0, 0, PT_LEFT_GAP },
	    { 0x122, 0x124, 0x108, 1, 2, PT_LEFT_RETURN } } },
	{ "a packet for an instruction that does not branch",
	  { START(MAIN), BRANCH(MAIN, 0x102), BRANCH(0x102, 0x104), BRANCH(0x104, LEAF), BRANCH(0x122, 0x108),
	    BRANCH(0x10a, 0x10c), BRANCH(0x10c, LEAF) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN },
	    { 0x108, 0x10e, LEAF, 3, 4, PT_LEFT_CALL } } },
	{ "code in RAM",
	  { START(0x10c), BRANCH(0x10c, RAM_LEAF), BRANCH(RAM_LEAF + 2, 0x10e), BRANCH(0x10e, 0x102) },
	  { { 0x10c, 0x10e, RAM_LEAF, 1, 2, PT_LEFT_CALL }, { RAM_LEAF, RAM_LEAF + 4, 0x10e, 2, 3, PT_LEFT_RETURN },
	    { 0x10e, 0x110, 0x102, 1, 2, PT_LEFT_BRANCH } } },
	{ "into code that nobody described, and back",
	  { START(0x10c), BRANCH(0x10c, 0x90000), BRANCH(0x90010, 0x90000), BRANCH(0x90010, 0x10e),
	    BRANCH(0x10e, 0x102) },
	  { { 0x10c, 0x10e, NONE, 1, 2, PT_LEFT_GAP }, { 0x10e, 0x110, 0x102, 1, 2, PT_LEFT_BRANCH } }, 1 },
	{ "impossible: backwards", { START(0x108), BRANCH(0x102, 0x104), STOP(0x108) }, { { 0 } }, 2 },
	{ "impossible: over a call", { START(MAIN), BRANCH(0x10a, 0x102), BRANCH(0x104, LEAF) },
	  { { 0x10a, 0x10c, 0x102, 1, 2, PT_LEFT_BRANCH }, { 0x102, 0x108, LEAF, 2, 4, PT_LEFT_CALL } }, 1 },
	{ "impossible: a call goes elsewhere", { START(MAIN), BRANCH(0x104, ISR) }, { { 0 } }, 1 },
	{ "impossible: nothing that branches", { START(MAIN), BRANCH(0x102, ISR) }, { { 0 } }, 1 },
	{ "impossible: inside an instruction", { START(MAIN), BRANCH(0x106, LEAF), BRANCH(0x122, 0x108) },
	  { { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN } }, 1 },
	{ "impossible: into an instruction", { START(0x10c), BRANCH(0x10c, 0x106) },
	  { { 0x10c, 0x10e, NONE, 1, 2, PT_LEFT_GAP } }, 1 },
	{ "impossible: into a literal pool", { START(0x10c), BRANCH(0x10c, 0x114) },
	  { { 0x10c, 0x10e, NONE, 1, 2, PT_LEFT_GAP } }, 1 },
	{ "impossible: through a literal pool", { START(0x110), BRANCH(0x122, 0x108) },
	  { { 0x122, 0x124, 0x108, 1, 2, PT_LEFT_RETURN } }, 1 },
	{ "impossible: svc goes on", { START(ISR), BRANCH(0x128, LEAF) },
	  { { 0x128, 0x12a, LEAF, 1, 4, PT_LEFT_RETURN } }, 1 },
	{ "impossible: interrupt inside an instruction",
	  { START(MAIN), EXCEPTION(0x106, ISR), EXC_RETURN(0x128, 0x106) },
	  { { 0x128, 0x12a, NONE, 1, 4 + RETURN, PT_LEFT_GAP } }, 3 },
	{ "impossible: a plain instruction returns from an exception",
	  { START(ISR), EXC_RETURN(ISR, MAIN), BRANCH(0x104, LEAF) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL } }, 1 },
	{ "impossible: odd address", { START(MAIN), BRANCH(0x105, LEAF) }, { { 0 } }, 1 },
	{ "an impossible stretch is ended", { START(MAIN), BRANCH(0x104, LEAF), BRANCH(0x104, LEAF) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, LEAF, NONE, 0, 0, PT_LEFT_GAP },
	    { 0x104, 0x108, LEAF, 1, 3, PT_LEFT_CALL } }, 1 },
	{ "halted and resumed where it stood",
	  { START(MAIN), BRANCH(0x104, LEAF), STOP(0x122), START(0x122), BRANCH(0x122, 0x108) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, 0x122, 0x122, 1, 1, PT_LEFT_DEBUG },
	    { 0x122, 0x124, 0x108, 1, 2, PT_LEFT_RETURN } } },
	{ "halted at once", { START(MAIN), STOP(MAIN), START(MAIN), BRANCH(0x104, LEAF) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL } } },
	{ "impossible: halted inside an instruction", { START(0x136), STOP(0x138) }, { { 0 } }, 1 },
	{ "halted and moved",
	  { START(MAIN), STOP(0x104), START(0x10a), BRANCH(0x10a, 0x102) },
	  { { MAIN, 0x104, 0x104, 2, 4, PT_LEFT_DEBUG }, { 0x104, 0x104, 0x10a, 0, 0, PT_LEFT_DEBUG },
	    { 0x10a, 0x10c, 0x102, 1, 2, PT_LEFT_BRANCH } } },
	{ "moved, as the trace shows",
	  { START(MAIN), DEBUG(0x104, 0x10a), START(0x10a), BRANCH(0x10a, 0x102) },
	  { { MAIN, 0x104, 0x10a, 2, 4, PT_LEFT_DEBUG }, { 0x10a, 0x10c, 0x102, 1, 2, PT_LEFT_BRANCH } } },
	{ "halted where the run cannot have come", { START(MAIN), STOP(LEAF), START(LEAF), BRANCH(0x122, 0x108) },
	  { { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN } }, 1 },
	{ "started again without a stop", { START(MAIN), BRANCH(0x104, LEAF), START(0x108), STOP(0x10a) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, LEAF, NONE, 0, 0, PT_LEFT_GAP },
	    { 0x108, 0x10a, 0x10a, 1, 1, PT_LEFT_DEBUG } } },
	{ "stopped nobody knows where", { START(MAIN), BRANCH(0x104, LEAF), STOP(NONE) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, LEAF, NONE, 0, 0, PT_LEFT_GAP } } },
	{ "atoms: a call, a branch not taken, then one too many",
	  { START(MAIN), ATOMS(1, 1), INDIRECT(0x108), ATOMS(2, 1), ATOMS(1, 1) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL }, { LEAF, 0x124, 0x108, 2, 3, PT_LEFT_RETURN },
	    { 0x108, 0x10c, NONE, 2, 2, PT_LEFT_GAP } }, 1 },	/* what the atom showed did run */
	{ "atoms: loop, call, and the leaf has no direct branch",
	  { START(0x108), ATOMS(5, 0x1e), INDIRECT(LEAF) },
	  { { 0x108, 0x10c, 0x102, 2, 3, PT_LEFT_BRANCH }, { 0x102, 0x108, LEAF, 2, 4, PT_LEFT_CALL },
	    { LEAF, LEAF, NONE, 0, 0, PT_LEFT_GAP } }, 1 },
	{ "atoms: not taken, then indirect",
	  { START(0x108), ATOMS(1, 0), INDIRECT(LEAF), INDIRECT(0x10e), ATOMS(1, 1), ATOMS(1, 1) },
	  { { 0x108, 0x10e, LEAF, 3, 4, PT_LEFT_CALL }, { LEAF, 0x124, 0x10e, 2, 3, PT_LEFT_RETURN },
	    { 0x10e, 0x110, 0x102, 1, 2, PT_LEFT_BRANCH }, { 0x102, 0x108, LEAF, 2, 4, PT_LEFT_CALL } } },
	{ "atoms: a call is not taken", { START(MAIN), ATOMS(1, 0) }, { { 0 } }, 1 },
	{ "vector with its return address",
	  { START(MAIN), VECTOR(15, 0x102), VECTOR(11, 0x128) },
	  { { MAIN, 0x102, ISR, 1, 3 + ENTRY, PT_LEFT_EXCEPTION },
	    { ISR, 0x128, SVC_HANDLER, 2, 3 + ENTRY, PT_LEFT_EXCEPTION } } },
	{ "vector without: at the last place known",
	  { START(0x108), ATOMS(1, 0), VECTOR(11, NONE), EXC_RETURN(SVC_HANDLER, 0x10c) },
	  { { 0x108, 0x10c, SVC_HANDLER, 2, 2 + ENTRY, PT_LEFT_EXCEPTION, true },
	    { SVC_HANDLER, 0x12c, 0x10c, 1, 2 + RETURN, PT_LEFT_EXCEPTION_RETURN } } },
	{ "vector that is not in the table", { START(MAIN), VECTOR(9, 0x102) }, { { 0 } } },
	{ "other kinds do nothing", { START(MAIN), EV(SAMPLE, .branch = { 0, LEAF }), EV(VALUE), BRANCH(0x104, LEAF) },
	  { { MAIN, 0x108, LEAF, 3, 7, PT_LEFT_CALL } } },
};

/* Functions that go over into one another without a branch; between behind and last is a halfword of nobody's. */
enum { FALLS = 0x100, INTO = 0x102, TRAPS = 0x106, BEHIND = 0x108, PADDING = 0x10c, LAST = 0x10e };
static const uint8_t border_code[] = {
	0x03, 0x30,			/* 100 adds r0, #3	1 */
	0x04, 0x30, 0x70, 0x47,		/* 102 adds r0, #4	1; bx lr	2 */
	0x00, 0xdf,			/* 106 svc 0		0 */
	0x01, 0x30, 0x70, 0x47,		/* 108 adds r0, #1	1; bx lr	2 */
	0xc0, 0x46,			/* 10c nop		1 */
	0x70, 0x47,			/* 10e bx lr		2 */
};
static const struct row border_rows[] = {
	{ "straight on into the next function", { START(FALLS), BRANCH(0x104, FALLS) },
	  { { FALLS, INTO, INTO, 1, 1, PT_LEFT_NEXT }, { INTO, 0x106, FALLS, 2, 3, PT_LEFT_RETURN } } },
	{ "a branch to there is none", { START(INTO), BRANCH(0x104, INTO), BRANCH(0x104, INTO) },
	  { { INTO, 0x106, INTO, 2, 3, PT_LEFT_RETURN }, { INTO, 0x106, INTO, 2, 3, PT_LEFT_RETURN } } },
	{ "by an indirect branch behind the border", { START(FALLS), INDIRECT(FALLS) },
	  { { FALLS, INTO, INTO, 1, 1, PT_LEFT_NEXT }, { INTO, 0x106, FALLS, 2, 3, PT_LEFT_RETURN } } },
	{ "interrupted at the border: the next function has begun", { START(FALLS), EXCEPTION(INTO, BEHIND) },
	  { { FALLS, INTO, INTO, 1, 1, PT_LEFT_NEXT }, { INTO, INTO, BEHIND, 0, ENTRY, PT_LEFT_EXCEPTION } } },
	{ "a trap is its function's last instruction", { START(TRAPS), EXCEPTION(BEHIND, FALLS) },
	  { { TRAPS, BEHIND, BEHIND, 1, 0, PT_LEFT_NEXT }, { BEHIND, BEHIND, FALLS, 0, ENTRY, PT_LEFT_EXCEPTION } } },
	{ "stopped at the border, and on", { START(FALLS), STOP(INTO), START(INTO), BRANCH(0x104, FALLS) },
	  { { FALLS, INTO, INTO, 1, 1, PT_LEFT_NEXT }, { INTO, INTO, INTO, 0, 0, PT_LEFT_DEBUG },
	    { INTO, 0x106, FALLS, 2, 3, PT_LEFT_RETURN } } },
	{ "over what is nobody's", { START(PADDING), BRANCH(LAST, FALLS) },
	  { { PADDING, LAST, LAST, 1, 1, PT_LEFT_NEXT }, { LAST, 0x110, FALLS, 1, 2, PT_LEFT_RETURN } } },
	{ "the end of what is known", { START(FALLS), BRANCH(0x104, PADDING), BRANCH(LAST, 0x90000) },
	  { { FALLS, INTO, INTO, 1, 1, PT_LEFT_NEXT }, { INTO, 0x106, PADDING, 2, 3, PT_LEFT_RETURN },
	    { PADDING, LAST, LAST, 1, 1, PT_LEFT_NEXT }, { LAST, 0x110, NONE, 1, 2, PT_LEFT_GAP } }, 1 },
};

static void build_borders(void)
{
	static const struct pt_segment segment = { .addr = FALLS, .size = sizeof(border_code), .bytes = border_code,
						   .code = true, .run = FALLS };
	static const struct pt_function functions[] = {
		{ "falls", FALLS, 2, NULL, 0, NULL }, { "into", INTO, 4, NULL, 0, NULL }, { "traps", TRAPS, 2, NULL, 0, NULL },
		{ "behind", BEHIND, 4, NULL, 0, NULL }, { "last", LAST, 2, NULL, 0, NULL },
	};
	struct pt_program *program = pt_program_from_desc(&(struct pt_program_desc){
		.name = "borders",
		.segments = &segment,
		.n_segments = 1,
		.functions = functions,
		.n_functions = PT_LEN(functions),
		.vectors = PT_UNKNOWN,
		.elf_machine = PT_MACHINE_ARM,
	});

	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	pt_program_unref(program);
}

static size_t count_events(const struct row *row)
{
	size_t n = 0;

	while (n < MOST && row->event[n].kind != 0)
		n++;
	return n;
}

static bool same(const struct pt_run *run, const struct want *want)
{
	return run->begin == want->begin && run->end == want->end && run->next == want->next &&
	       run->instructions == want->instructions && run->cycles == want->cycles && run->left == want->left &&
	       run->assumed == want->guessed;
}

static void show(const struct pt_run_batch *got)
{
	for (size_t i = 0; i < got->n_runs; i++)
		fprintf(stderr, "  0x%" PRIx64 "..0x%" PRIx64 " -> 0x%" PRIx64 " %u instructions %u cycles left %u\n",
			got->run[i].begin, got->run[i].end, got->run[i].next, got->run[i].instructions,
			got->run[i].cycles, got->run[i].left);
}

/* Whatever the row, functions are those of the addresses, and a run begins where the one before went. */
static void check_chain(const struct pt_run_batch *got)
{
	for (size_t i = 0; i < got->n_runs; i++) {
		const struct pt_run *run = &got->run[i];
		const struct pt_code_unit *next = pt_codemap_at(map, run->next);

		if (i > 0 && run[-1].left != PT_LEFT_GAP)
			ck_assert_uint_eq(run->begin, run[-1].next);
		ck_assert_uint_eq(run->function, pt_codemap_at(map, run->begin)->function);
		ck_assert_uint_eq(run->next_function, next != NULL ? next->function : PT_NO_FUNCTION);
	}
}

static void check_runs(const struct row *row)
{
	struct pt_run_batch got = { 0 };
	struct pt_flow flow;
	size_t n = count_events(row), n_want = 0;
	bool right;

	pt_flow_init(&flow, map, &settings);
	ck_assert_uint_eq(pt_flow_feed(&flow, row->event, n, &got), n);
	while (n_want < MOST && row->want[n_want].left != 0)
		n_want++;
	right = got.n_runs == n_want && flow.counts.not_code == row->bad;
	for (size_t i = 0; right && i < n_want; i++)
		right = same(&got.run[i], &row->want[i]);
	if (!right)
		show(&got);
	ck_assert_msg(right, "%s: %zu runs, %" PRIu64 " impossible", row->name, got.n_runs, flow.counts.not_code);
	check_chain(&got);
	pt_flow_flush(&flow, &got);
	if (got.n_runs > 0)
		ck_assert_uint_eq(got.run[got.n_runs - 1].left, PT_LEFT_GAP);
	check_chain(&got);
}

START_TEST(makes_the_runs)
{
	check_runs(&rows[_i]);
}
END_TEST

/* A run is one function's. */
START_TEST(splits_runs_at_borders)
{
	check_runs(&border_rows[_i]);
}
END_TEST

/* The hot loop and the careful way must agree: one event at a time never enters the hot loop with more than one. */
static void check_split(const struct row *row)
{
	struct pt_run_batch whole = { 0 }, split = { 0 };
	struct pt_flow a, b;
	size_t n = count_events(row);

	pt_flow_init(&a, map, &settings);
	pt_flow_init(&b, map, &settings);
	pt_flow_feed(&a, row->event, n, &whole);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(pt_flow_feed(&b, &row->event[i], 1, &split), 1);
	ck_assert_uint_eq(whole.n_runs, split.n_runs);
	ck_assert_mem_eq(whole.run, split.run, whole.n_runs * sizeof(whole.run[0]));
	ck_assert_mem_eq(&a.counts, &b.counts, sizeof(a.counts));
}

START_TEST(any_split_gives_the_same_runs)
{
	check_split(&rows[_i]);
}
END_TEST

START_TEST(any_split_gives_the_same_runs_at_borders)
{
	check_split(&border_rows[_i]);
}
END_TEST

START_TEST(counts_gaps_by_cause)
{
	static const struct pt_event events[] = {
		{ .kind = PT_EV_GAP, .cause = PT_GAP_RESTART }, { .kind = PT_EV_GAP, .cause = PT_GAP_DAMAGED },
		{ .kind = PT_EV_GAP, .cause = PT_GAP_DAMAGED }, { .kind = PT_EV_GAP, .cause = PT_GAP_LOSS },
		BRANCH(0x104, 0x90000),
	};
	struct pt_run_batch got = { 0 };
	struct pt_flow flow;

	pt_flow_init(&flow, map, &settings);
	pt_flow_feed(&flow, events, PT_LEN(events), &got);
	ck_assert_uint_eq(flow.counts.restarts, 1);
	ck_assert_uint_eq(flow.counts.damaged, 2);
	ck_assert_uint_eq(flow.counts.lost, 1);
	ck_assert_uint_eq(flow.counts.not_code, 1);
	ck_assert_uint_eq(flow.counts.bad_from, 0x104);
	ck_assert_uint_eq(flow.counts.bad_to, 0x90000);
}
END_TEST

START_TEST(takes_what_fits)
{
	struct pt_event events[2 * PT_BATCH_RUNS] = { START(MAIN) };
	struct pt_run_batch got = { 0 };
	struct pt_flow flow;
	size_t taken, runs = 0;

	for (size_t i = 1; i < PT_LEN(events); i++)
		events[i] = i % 2 != 0 ? (struct pt_event)BRANCH(0x104, LEAF) : (struct pt_event)BRANCH(0x122, 0x102);
	pt_flow_init(&flow, map, &settings);
	for (size_t at = 0; at < PT_LEN(events); at += taken) {
		got.n_runs = 0;
		taken = pt_flow_feed(&flow, events + at, PT_LEN(events) - at, &got);
		ck_assert_uint_gt(taken, 0);
		ck_assert_uint_le(got.n_runs, PT_BATCH_RUNS);
		runs += got.n_runs;
	}
	ck_assert_uint_eq(runs, 1 + (PT_LEN(events) - 1) - 1);
	ck_assert_uint_eq(flow.counts.not_code, 0);
}
END_TEST

START_TEST(forgets_the_outermost_of_too_many_interrupts)
{
	struct pt_event event[] = {
		START(MAIN), EXCEPTION(0x102, ISR), EXCEPTION(ISR, SVC_HANDLER), EXCEPTION(SVC_HANDLER, ISR),
	};
	struct pt_run_batch got = { 0 };
	struct pt_flow flow;

	pt_flow_init(&flow, map, &settings);
	pt_flow_feed(&flow, event, 2, &got);
	for (int i = 0; i < 2 * PT_FLOW_NEST; i++)
		pt_flow_feed(&flow, event + 2 + i % 2, 1, &got);
	ck_assert_uint_eq(flow.n_interrupted, PT_FLOW_NEST);
	ck_assert_uint_eq(flow.interrupted[PT_FLOW_NEST - 1], SVC_HANDLER);
	ck_assert_uint_eq(flow.counts.not_code, 0);
}
END_TEST

START_TEST(knows_nothing_without_code)
{
	static const struct pt_event events[] = {
		START(MAIN), BRANCH(0x104, LEAF), BRANCH(0x122, 0x108), VECTOR(15, 0x102), STOP(4),
	};
	struct pt_codemap *empty = pt_codemap_new(NULL, &pt_isa_thumb_v6m);
	struct pt_run_batch got = { 0 };
	struct pt_flow flow;

	pt_flow_init(&flow, empty, &settings);
	ck_assert_uint_eq(pt_flow_feed(&flow, events, PT_LEN(events), &got), PT_LEN(events));
	pt_flow_flush(&flow, &got);
	ck_assert_uint_eq(got.n_runs, 0);
	pt_codemap_free(empty);
}
END_TEST

START_TEST(has_the_standards_of_the_core)
{
	struct pt_flow_settings got = pt_flow_standards(&pt_isa_thumb_v6m);

	ck_assert_uint_eq(got.exception_entry_cycles, 15);
	ck_assert_uint_eq(got.exception_return_cycles, 13);
	ck_assert_uint_eq(got.tail_chain_cycles, 6);
	ck_assert_int_eq(got.clock, PT_FLOW_CYCLES);
}
END_TEST

/* Nops from 0 on, with waits where a row has them, and a jump to itself at 0x40. */
static const struct { const char *name; uint32_t wait[2], until; } sleeps[] = {
	{ "it waits where straight code leads to", { 0x24 }, 0x26 },
	{ "at once", { 0x20 }, 0x22 },
	{ "of two waits nobody knows which", { 0x24, 0x28 }, 0 },
	{ "a wait behind a branch is none of it", { 0x44 }, 0 },
	{ "there is none", { 0 }, 0 },
};

START_TEST(finds_where_it_sleeps)
{
	static uint8_t bytes[0x80];
	static const struct pt_function function = { "idle", 0x20, 0x60, NULL, 0, NULL };
	const struct pt_segment segment = { .addr = 0, .size = sizeof(bytes), .bytes = bytes, .code = true };
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "sleeps", .segments = &segment,
					      .n_segments = 1, .functions = &function, .n_functions = 1,
					      .vectors = PT_UNKNOWN };
	const struct pt_event events[] = { START(0x20), EV(STOP, .n = PT_STOP_ASLEEP, .branch = { 0, NONE }) };
	static struct pt_run_batch got;
	struct pt_program *program;
	struct pt_flow flow;

	for (size_t i = 0; i < sizeof(bytes); i += 2)
		pt_put_le16(bytes + i, i == 0x40 ? 0xe7fe : 0xbf00);
	for (size_t i = 0; i < PT_LEN(sleeps[_i].wait); i++)
		if (sleeps[_i].wait[i] != 0)
			pt_put_le16(bytes + sleeps[_i].wait[i], 0xbf30);
	program = pt_program_from_desc(&desc);
	pt_codemap_free(map);
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	pt_program_unref(program);
	got.n_runs = 0;
	pt_flow_init(&flow, map, &settings);
	pt_flow_feed(&flow, events, PT_LEN(events), &got);
	ck_assert_msg(got.n_runs == (sleeps[_i].until != 0), "%s: %zu runs", sleeps[_i].name, (size_t)got.n_runs);
	if (got.n_runs == 1) {
		ck_assert_uint_eq(got.run[0].begin, 0x20);
		ck_assert_uint_eq(got.run[0].end, sleeps[_i].until);
		ck_assert_uint_eq(got.run[0].instructions, (sleeps[_i].until - 0x20) / 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flow");
	TCase *tc = tcase_create("small");

	tcase_add_checked_fixture(tc, build, drop);
	tcase_add_loop_test(tc, makes_the_runs, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, any_split_gives_the_same_runs, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, finds_where_it_sleeps, 0, PT_LEN(sleeps));
	tcase_add_test(tc, counts_gaps_by_cause);
	tcase_add_test(tc, takes_what_fits);
	tcase_add_test(tc, forgets_the_outermost_of_too_many_interrupts);
	tcase_add_test(tc, knows_nothing_without_code);
	tcase_add_test(tc, has_the_standards_of_the_core);
	suite_add_tcase(suite, tc);
	tc = tcase_create("borders");
	tcase_add_checked_fixture(tc, build_borders, drop);
	tcase_add_loop_test(tc, splits_runs_at_borders, 0, PT_LEN(border_rows));
	tcase_add_loop_test(tc, any_split_gives_the_same_runs_at_borders, 0, PT_LEN(border_rows));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
