/* Whether the core slept: by the instructions that were seen executing, or else by those that there are. */
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
