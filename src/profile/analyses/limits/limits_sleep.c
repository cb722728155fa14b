/* Whether the core slept: by the instructions that were seen executing, or else by those that there are. */
#include "base/alloc.h"
#include "profile/analyses/limits/limits_judge.h"
#include "profile/analyses/code/lines.h"

static const uint8_t *bytes_at(const struct pt_program *program, uint64_t address, size_t *left)
{
	size_t n;
	const struct pt_segment *segment = pt_program_segments(program, &n);

	for (size_t i = 0; i < n; i++)
		if (segment[i].bytes != NULL && address - segment[i].run < segment[i].size) {
			*left = (size_t)(segment[i].size - (address - segment[i].run));
			return segment[i].bytes + (address - segment[i].run);
		}
	return NULL;
}

static bool waits_at(const struct pt_isa *isa, const struct pt_program *program, uint64_t address)
{
	size_t left = 0;
	const uint8_t *bytes = bytes_at(program, address, &left);

	return bytes != NULL && isa->waits != NULL && isa->waits(bytes, left);
}

/* Without counts per instruction: whether it has code that could. */
static bool can_sleep(const struct pt_isa *isa, const struct pt_program *program)
{
	size_t n;
	const struct pt_segment *segment = pt_program_segments(program, &n);

	for (size_t i = 0; i < n; i++)
		for (uint64_t at = 0; segment[i].code && at < segment[i].size; at += isa->unit_bytes)
			if (waits_at(isa, program, segment[i].run + at))
				return true;
	return false;
}

static bool function_can_sleep(const struct pt_isa *isa, const struct pt_program *program, const struct pt_function *f)
{
	size_t left;

	if (isa->waits == NULL)
		return false;
	for (uint64_t at = 0; at < f->size; at += isa->unit_bytes)
		if (bytes_at(program, f->address + at, &left) == NULL || waits_at(isa, program, f->address + at))
			return true;
	return f->size == 0;
}

bool *pt_limits_sleepers(const struct pt_program *program, const struct pt_function *functions, size_t n_ids)
{
	bool *sleeps = pt_alloc_array(n_ids + 1, sizeof(*sleeps));
	const struct pt_isa *isa = program != NULL ? pt_program_isa(program) : NULL;

	sleeps[0] = isa != NULL && isa->waits != NULL;
	for (size_t id = 1; isa != NULL && id < n_ids; id++)
		sleeps[id] = function_can_sleep(isa, program, &functions[id - 1]);
	return sleeps;
}

bool pt_limits_slept(const struct pt_profile *p)
{
	const struct pt_isa *isa = p->program != NULL ? pt_program_isa(p->program) : NULL;

	if (isa == NULL)
		return false;
	if (p->lines == NULL)
		return can_sleep(isa, p->program);
	for (size_t i = 0; i < p->lines->n_insns; i++)
		if (p->lines->insn[i].count > 0 && waits_at(isa, p->program, p->lines->insn[i].address))
			return true;
	return false;
}
