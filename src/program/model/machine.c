/* The processor of a program, according to its ELF header. */
#include <elf.h>
#include <stdio.h>

#include "base/util.h"
#include "program/model/program_parts.h"

static const char *machine_name(unsigned machine, char room[24])
{
	static const struct { unsigned machine; const char *name; } names[] = {
		{ EM_386, "x86" }, { EM_X86_64, "x86-64" }, { EM_ARM, "Arm" }, { EM_AARCH64, "AArch64" },
		{ EM_PPC, "PowerPC" }, { EM_PPC64, "PowerPC 64" }, { EM_MICROBLAZE, "MicroBlaze" }, { PT_EM_S12Z, "S12Z" },
		{ EM_MIPS, "MIPS" }, { EM_RISCV, "RISC-V" }, { EM_68HC12, "HC12" }, { EM_AVR, "AVR" },
		{ EM_XTENSA, "Xtensa" }, { EM_MSP430, "MSP430" }, { EM_SPARC, "SPARC" },
	};

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(room, 24, "machine %u", machine);
	return room;
}

int pt_machine_check(const char *name, unsigned is, unsigned wanted, struct pt_err *err)
{
	char is_room[24], wanted_room[24];

	if (wanted == 0 || is == wanted)
		return 0;
	return pt_fail(err, PT_EARG, "%s is for %s, but the target is %s: name the program that is in this chip", name,
		       machine_name(is, is_room), machine_name(wanted, wanted_room));
}

bool pt_program_is_big_endian(const struct pt_program *program)
{
	return program->arch.big_endian;
}

unsigned pt_program_address_bytes(const struct pt_program *program)
{
	return program->elf.bytes != NULL && program->elf.bytes[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}

const struct pt_arch *pt_program_arch(const struct pt_program *program)
{
	return &program->arch;
}

const struct pt_isa *pt_program_isa(const struct pt_program *program)
{
	return program->isa;
}

int pt_program_check_machine(const struct pt_program *program, unsigned elf_machine, struct pt_err *err)
{
	unsigned machine = program->arch.elf_machine;

	return machine == 0 ? 0 : pt_machine_check(program->path, machine, elf_machine, err);
}
