/* callgrind.out, for KCachegrind and callgrind_annotate (valgrind, cl-format). Cost is time on the profile's clock, per
 * instruction; a call is at the instruction that makes it. Readers add a function's self cost and the cost of its calls
 * to its inclusive cost. For this to be right with recursion, the cost of a call leaves out the time below it that ran
 * in its caller's function again, because that is counted there. So a direct recursive call has no cost. With several
 * cores, each has its own functions: f [core 1], because callgrind_annotate distinguishes functions by name only. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/text/caption.h"
#include "report/shared/pool.h"
#include "report/table/format.h"
#include "report/shared/spots.h"
#include "report/shared/stacks.h"

extern const struct pt_format pt_format_callgrind;

struct call {			/* from one place to one function, summed over all chains */
	uint16_t core;
	uint16_t from, to;	/* ids */
	uint64_t site, count, gross;
};

struct writer {
	const struct pt_profile *profile;
	struct pt_pool pool;
	struct pt_stacks stacks;
	struct pt_spots spots;
	uint64_t *again;	/* by node: time below it that ran in its caller's function again */
	struct call *call;	/* in order */
	size_t n_calls;
	uint64_t *self;		/* of one core, by function id */
	uint16_t core;		/* the core that is being written */
	bool several;		/* cores */
	struct pt_text *out;
	const char *file;	/* the file of the present cost lines */
};

/* --- gathering */

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void merge_calls(struct writer *w)
{
	size_t n = 0;

	qsort(w->call, w->n_calls, sizeof(*w->call), compare_calls);
	for (size_t i = 0; i < w->n_calls; i++) {
		if (n > 0 && compare_calls(&w->call[n - 1], &w->call[i]) == 0) {
			w->call[n - 1].count += w->call[i].count;
			w->call[n - 1].gross += w->call[i].gross;
		} else {
			w->call[n++] = w->call[i];
		}
	}
	w->n_calls = n;
}

/* A task, a core, the root, or an unseen caller is not a function: functions directly below it have no caller. */
static bool is_function(const struct pt_stack_node *node)
{
	return node->depth > 0 && !node->no_caller &&
	       (node->function != NULL || node->task == PT_NO_TASK || node->depth > 1);
}

/* A node's time is also counted for its nearest ancestor with the same function, so the call on the way from there
 * leaves it out. */
static void find_again(struct writer *w)
{
	const struct pt_stack_node *nodes = w->stacks.node;

	for (uint32_t i = 1; i < w->stacks.n_nodes; i++)
		for (uint32_t below = i, at = nodes[i].parent; at != 0; below = at, at = nodes[at].parent)
			if (nodes[at].id == nodes[i].id && is_function(&nodes[at]) && is_function(&nodes[i])) {
				w->again[below] += nodes[i].total;
				break;
			}
}

static void gather(struct writer *w)
{
	size_t n = w->stacks.n_nodes;

	w->again = pt_pool_take(&w->pool, n * sizeof(*w->again));
	w->call = pt_pool_take(&w->pool, (n + 1) * sizeof(*w->call));
	w->self = pt_pool_take(&w->pool, (UINT16_MAX + 1) * sizeof(*w->self));
	find_again(w);
	for (uint32_t i = 1; i < n; i++) {
		const struct pt_stack_node *node = &w->stacks.node[i], *caller = &w->stacks.node[node->parent];

		if (!is_function(node))
			continue;
		w->several |= node->core != w->stacks.node[1].core;
		if (!is_function(caller) || node->exception)
			continue;
		w->call[w->n_calls++] = (struct call){
			.core = node->core, .from = caller->id, .to = node->id, .site = node->site,
			.count = node->count, .gross = node->total - w->again[i],
		};
	}
	merge_calls(w);
}

/* --- writing */

static const struct pt_function *function_of(const struct writer *w, uint16_t id)
{
	size_t n = 0;
	const struct pt_function *functions;

	functions = w->profile->program != NULL ? pt_program_functions(w->profile->program, &n) : NULL;
	return id != PT_NO_FUNCTION && id <= n ? &functions[id - 1] : NULL;
}

static void name(struct writer *w, const char *key, uint16_t id)
{
	const struct pt_function *f = function_of(w, id);
	const char *text = f != NULL ? f->name : "(no symbol)";

	pt_text_add(w->out, "%s=", key);
	for (; *text != '\0'; text++)
		pt_text_bytes(w->out, (unsigned char)*text < ' ' ? " " : text, 1);
	if (w->several)
		pt_text_add(w->out, " [core %u]", w->core);
	pt_text_add(w->out, "\n");
}

static const char *file_of(const struct writer *w, uint16_t id)
{
	const struct pt_function *f = function_of(w, id);

	return f != NULL && f->file != NULL ? f->file : "???";
}

static uint32_t position(struct writer *w, uint64_t address, const char **file)
{
	const struct pt_program *program = w->profile->program;
	const struct pt_line_range *range = program != NULL ? pt_program_line_at(program, address) : NULL;
	size_t n = 0;

	if (range == NULL || range->line == 0)
		return 0;
	*file = pt_program_files(program, &n)[range->file].path;
	return range->line;
}

/* Inlined code belongs to another file within the same function. */
static void enter_file(struct writer *w, const char *file, const char *own)
{
	if (strcmp(file, w->file) == 0)
		return;
	pt_text_add(w->out, "%s=%s\n", strcmp(file, own) == 0 ? "fe" : "fi", file);
	w->file = file;
}

struct place { struct writer *w; const char *own; };

static void cost(void *arg, uint64_t address, uint64_t ticks)
{
	struct place *place = arg;
	const char *file = place->own;
	uint32_t line = position(place->w, address, &file);

	if (ticks == 0)
		return;
	enter_file(place->w, file, place->own);
	pt_text_add(place->w->out, "0x%" PRIx64 " %u %" PRIu64 "\n", address, line, ticks);
}

static void self_cost(struct writer *w, uint16_t id, uint64_t ticks)
{
	const struct pt_function *f = function_of(w, id);
	struct place place = { w, w->file };

	if (ticks > 0 && !pt_spots_spread(&w->spots, id, ticks, cost, &place))
		pt_text_add(w->out, "0x%" PRIx64 " %u %" PRIu64 "\n", f != NULL ? f->address : 0,
			    f != NULL ? f->line : 0, ticks);
}

/* The address of the call instruction that ends at site; if site is unknown: that of the caller. */
static uint64_t call_address(const struct writer *w, const struct call *call)
{
	const struct pt_function *f = function_of(w, call->from);
	const struct pt_codemap *map = w->profile->lines != NULL ? w->profile->lines->map : NULL;
	unsigned unit = map != NULL ? map->isa->unit_bytes : 1;

	if (call->site == PT_UNKNOWN)
		return f != NULL ? f->address : 0;
	for (unsigned n = 1; map != NULL && n <= 7; n++) {
		const struct pt_code_unit *code = pt_codemap_at(map, call->site - n * unit);

		if (code != NULL && code->len_units == n)
			return call->site - n * unit;
	}
	return call->site - unit;
}

static void call_cost(struct writer *w, const struct call *call)
{
	const struct pt_function *callee = function_of(w, call->to);
	uint64_t address = call_address(w, call);
	const char *own = file_of(w, call->from), *file = own;
	uint32_t line = position(w, address, &file);

	if (call->count == 0)		/* code of another function that was never entered: not a call */
		return;
	enter_file(w, file, own);
	pt_text_add(w->out, "cfi=%s\n", file_of(w, call->to));
	name(w, "cfn", call->to);
	pt_text_add(w->out, "calls=%" PRIu64 " 0x%" PRIx64 " %u\n", call->count, callee != NULL ? callee->address : 0,
		    callee != NULL ? callee->line : 0);
	pt_text_add(w->out, "0x%" PRIx64 " %u %" PRIu64 "\n", address, line, call->gross);
}

static bool calls_from(const struct writer *w, size_t c, uint32_t id)
{
	return c < w->n_calls && w->call[c].core == w->core && w->call[c].from == id;
}

/* Collects the costs of the core's functions; returns the next core, -1: none. */
static int gather_core(struct writer *w, int core)
{
	int next = -1;

	memset(w->self, 0, (UINT16_MAX + 1) * sizeof(*w->self));
	for (size_t i = 1; i < w->stacks.n_nodes; i++) {
		const struct pt_stack_node *node = &w->stacks.node[i];

		if (!is_function(node))
			continue;
		if (node->core > core && (next < 0 || node->core < next))
			next = node->core;
		if (node->core == core)
			w->self[node->id] += node->self;
	}
	w->core = (uint16_t)core;
	return next;
}

/* Writes the core's functions; *at: its first call, afterwards the first of the next core. */
static void functions_of_core(struct writer *w, size_t *at)
{
	size_t c = *at;

	for (uint32_t id = 0; id <= UINT16_MAX; id++) {
		if (w->self[id] == 0 && !calls_from(w, c, id))
			continue;
		w->file = file_of(w, (uint16_t)id);
		pt_text_add(w->out, "\nfl=%s\n", w->file);
		name(w, "fn", (uint16_t)id);
		self_cost(w, (uint16_t)id, w->self[id]);
		for (; calls_from(w, c, id); c++)
			call_cost(w, &w->call[c]);
	}
	*at = c;
}

static void functions(struct writer *w)
{
	size_t call = 0;

	for (int core = gather_core(w, -1); core >= 0;) {
		int next = gather_core(w, core);

		functions_of_core(w, &call);
		core = next;
	}
}

static void header(struct writer *w)
{
	const char *unit = w->stacks.unit;
	const struct pt_program *program = w->profile->program;
	struct pt_caption caption;

	pt_caption_make(&caption, w->profile);
	pt_text_add(w->out, "# callgrind format\nversion: 1\ncreator: proftap " PACKAGE_VERSION "\ncmd: %s\n",
		    program != NULL ? pt_program_shown_path(program) : "?");
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++)
		if (caption.line[i][0] != '\0')
			pt_text_add(w->out, "desc: %s: %s\n", pt_caption_key(i), caption.line[i]);
	pt_text_add(w->out, "positions: instr line\nevent: %s\nevents: %s\nsummary: %" PRIu64 "\n",
		    unit[0] == 'c' && w->profile->by_bins ? "Cyc : Core cycles"
		    : unit[0] == 'c'			  ? "Cyc : Modelled core cycles"
		    : unit[0] == 'i'			  ? "Ins : Instructions"
							  : "Smp : Samples",
		    unit[0] == 'c'   ? "Cyc"
		    : unit[0] == 'i' ? "Ins"
				     : "Smp",
		    w->stacks.node[0].total - w->stacks.node[0].self);
}

static int write_callgrind(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			   struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .profile = profile, .out = out };
	int rc;

	(void)view;
	(void)query;
	rc = pt_stacks_make(&w.stacks, profile, PT_STACKS_BY_SITE, err);
	if (rc < 0)
		return rc;
	pt_spots_make(&w.spots, profile);
	gather(&w);
	header(&w);
	functions(&w);
	pt_spots_free(&w.spots);
	pt_stacks_free(&w.stacks);
	pt_pool_free(&w.pool);
	return rc;
}

const struct pt_format pt_format_callgrind = {
	.name = "callgrind", .suffix = ".callgrind", .help = "for KCachegrind and callgrind_annotate", .needs = "tree,lines",
	.write = write_callgrind,
};
