/* The list of instruction sets, and instructions as text: by capstone where it is built in, else not at all; those that
 * capstone does not know as bytes. */
#include "config.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "base/util.h"

#define X(isa) &pt_isa_##isa,
static const struct pt_isa *const isas[] = { PT_ISAS(X) };
#undef X

static unsigned how_well(const struct pt_isa *isa, const struct pt_arch *arch)
{
	if (isa->elf_machine != arch->elf_machine)
		return 0;
	return isa->fits != NULL ? isa->fits(arch) : 1 + (isa->big_endian == arch->big_endian);
}

const struct pt_isa *pt_isa_find(const struct pt_arch *arch)
{
	const struct pt_isa *best = &pt_isa_none;
	unsigned best_fit = 0;

	for (size_t i = 0; i < PT_LEN(isas); i++) {
		unsigned fit = how_well(isas[i], arch);

		if (fit > best_fit) {
			best = isas[i];
			best_fit = fit;
		}
	}
	return best;
}

const struct pt_isa *pt_isa_named(const char *name)
{
	for (size_t i = 0; i < PT_LEN(isas); i++)
		if (strcmp(isas[i]->name, name) == 0)
			return isas[i];
	return NULL;
}

void pt_isa_decode_next(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes,
			unsigned *under, struct pt_insn *out)
{
	isa->decode(addr, bytes, len_bytes, out);
	if (*under > 0) {
		out->conditional = true;
		if (out->flow == PT_FLOW_BRANCH) {
			out->flow = PT_FLOW_BRANCH_IF;
			out->cycles = 1;	/* when it is skipped */
		}
	}
	*under = out->flow == PT_FLOW_INVALID ? 0 : out->conditions > 0 ? out->conditions : *under - (*under > 0);
}

bool pt_isa_has_no_model(const struct pt_isa *core, const struct pt_isa *program)
{
	return core != &pt_isa_none && core->elf_machine == program->elf_machine &&
	       core->big_endian == program->big_endian && core->timing == NULL && program->timing != NULL;
}

/* Nothing in an ELF tells an M4 from an M7, which issues two instructions at once, and many do not even say Armv7E-M: the
 * user has to know. Armv8-M: no table is published; an M3 multiplies more slowly. */
const struct pt_isa *pt_isa_with_model(const struct pt_isa *isa, const struct pt_arch *arch)
{
	bool fits = arch->cpu_arch == PT_ARM_V7E_M || arch->cpu_arch == PT_ARM_UNKNOWN;

	return isa == &pt_isa_thumb && fits ? &pt_isa_thumb_m4 : NULL;
}

static bool print_bytes(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes, char *text,
			size_t room)
{
	struct pt_insn insn;
	size_t len = 0;

	isa->decode(addr, bytes, len_bytes, &insn);
	if (insn.flow == PT_FLOW_INVALID)
		return false;
	for (size_t i = 0; i < insn.len_bytes && len + 3 < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%02x", i > 0 ? " " : "", bytes[i]);
	return true;
}

#ifdef HAVE_CAPSTONE

static const struct engine { const struct pt_isa *isa; cs_arch arch; int mode; } engines[] = {
	{ &pt_isa_thumb_v6m, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS },
	{ &pt_isa_thumb, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS | CS_MODE_V8 },
	{ &pt_isa_powerpc, CS_ARCH_PPC, CS_MODE_32 | (int)CS_MODE_BIG_ENDIAN },
};

static const struct engine *engine_of(const struct pt_isa *isa)
{
	for (size_t i = 0; i < PT_LEN(engines); i++)
		if (engines[i].isa == isa)
			return &engines[i];
	return NULL;
}

bool pt_isa_print(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes, char *text,
		  size_t room)
{
	const struct engine *engine = engine_of(isa);
	cs_insn *insn;
	csh capstone;
	size_t n;

	if (isa->printed_as_bytes)
		return print_bytes(isa, addr, bytes, len_bytes, text, room);
	if (engine == NULL || cs_open(engine->arch, (cs_mode)engine->mode, &capstone) != CS_ERR_OK)
		return false;
	n = cs_disasm(capstone, bytes, len_bytes, addr, 1, &insn);
	if (n > 0) {
		snprintf(text, room, "%s%s%s", insn->mnemonic, insn->op_str[0] != '\0' ? " " : "", insn->op_str);
		cs_free(insn, n);
	}
	cs_close(&capstone);
	return n > 0;
}

#else

bool pt_isa_print(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes, char *text,
		  size_t room)
{
	return isa->printed_as_bytes && print_bytes(isa, addr, bytes, len_bytes, text, room);
}

#endif
