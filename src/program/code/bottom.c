#include "program/code/bottom.h"

#include <elf.h>
#include <stddef.h>

#include "program/model/program_parts.h"

enum { BL_BYTES = 4 };

static bool calls(const struct pt_program *program, uint64_t to, uint64_t target)
{
	const uint8_t *bytes = pt_program_bytes_at(program, to - BL_BYTES, BL_BYTES);
	struct pt_insn insn;

	if (bytes == NULL)
		return false;
	program->isa->decode(to - BL_BYTES, bytes, BL_BYTES, &insn);
	return insn.len_bytes == BL_BYTES && insn.flow == PT_FLOW_CALL && insn.target == target;
}

const struct pt_function *pt_program_bottom(const struct pt_program *program, uint64_t pc, const uint32_t *words,
					    size_t n_words)
{
	const struct pt_function *inner = pt_program_function_at(program, pc), *outer;

	if (program->isa->elf_machine != EM_ARM)
		return NULL;
	for (size_t i = 0; inner != NULL && i < n_words; i++) {
		uint64_t to = words[i] & ~UINT32_C(1);

		if ((words[i] & 1) == 0 || to < BL_BYTES || !calls(program, to, inner->address))
			continue;
		outer = pt_program_function_at(program, to - 1); /* a call may be the last instruction */
		inner = outer != NULL ? outer : inner;
	}
	return inner;
}
