/* Where straight code goes over into another function: assembler that falls through, a label inside a function, one
 * function behind another that the compiler knows is not left at its end. What ran of each function is a run of its
 * own, so that functions, instructions and ranges agree on whose the time is. */
#include "profile/flow/flow_parts.h"

/* Is all from where the run began up to last one function's, by its symbol? Said without looking at the code. */
static bool inside_one(const struct pt_flow *f, uint64_t last)
{
	uint16_t id = f->at->function;
	const struct pt_function *function;
	size_t n = 0;

	if (id == PT_NO_FUNCTION || f->map->program == NULL)
		return false;
	function = pt_program_functions(f->map->program, &n) + id - 1;
	return last - function->address < function->size && (id >= n || function[1].address > last);
}

/* The first instruction up to last that is another function's. unit NULL: none. */
static struct place find_border(const struct pt_flow *f, uint64_t last)
{
	struct place p = beginning(f);

	while (p.unit->len_units > 0 && p.unit->function == f->at->function) {
		p = behind(f, p);
		if (p.addr > last)
			return (struct place){ 0 };
	}
	if (p.unit->len_units == 0)
		p.unit = NULL;
	return p;
}

static void put_run(struct pt_flow *f, struct place border, struct pt_run_batch *out)
{
	uint64_t sums = border.unit->sums - f->at->sums;

	out->run[out->n_runs++] = (struct pt_run){
		.begin = f->begin, .end = border.addr, .next = border.addr,
		.instructions = (uint16_t)pt_sum_instructions(sums), .cycles = pt_sum_cycles(sums),
		.function = f->at->function, .next_function = border.unit->function, .left = PT_LEFT_NEXT,
	};
	f->counts.borders++;
	f->open = true;
	hold(f, border);
}

void pt_flow_pass_borders(struct pt_flow *f, struct place end, bool arrives, struct pt_run_batch *out)
{
	uint64_t last = arrives ? end.addr : end.addr - 1;

	while (f->begin < end.addr && free_runs(out) > PT_FLOW_EVENT_ROOM && !inside_one(f, last)) {
		struct place border = find_border(f, last);

		if (border.unit == NULL)
			return;
		put_run(f, border, out);
	}
}
