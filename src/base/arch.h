/* The processor of a program or of a target, as far as it decides the instruction set. Plain data, used by both wings. */
#ifndef PT_ARCH_H
#define PT_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_MACHINE_ARM = 40 };	/* EM_ARM */

/* Arm's numbers of architectures, Tag_CPU_arch. Source: Arm IHI 0045, "Addenda to, and Errata in, the ABI". */
enum pt_arm_arch {
	PT_ARM_UNKNOWN = 0,	/* in Arm's table: Armv3 and older, which proftap does not support */
	PT_ARM_V7 = 10, PT_ARM_V6_M = 11, PT_ARM_V6S_M = 12, PT_ARM_V7E_M = 13,
	PT_ARM_V8_M_BASE = 16, PT_ARM_V8_M_MAIN = 17, PT_ARM_V8_1_M_MAIN = 21,
};

struct pt_arch {
	uint16_t elf_machine;	/* e_machine; 0: not known */
	bool big_endian;
	uint8_t cpu_arch;	/* of an Arm: enum pt_arm_arch, or another number of Tag_CPU_arch */
	char profile;		/* of an Arm: 'M', 'A', 'R', 'S'; 0: not known */
};

/* Does it decide the instruction set? An Arm's machine number alone does not: cores differ too much. */
static inline bool pt_arch_decides(const struct pt_arch *arch)
{
	return arch->elf_machine != 0 && (arch->elf_machine != PT_MACHINE_ARM || arch->cpu_arch != PT_ARM_UNKNOWN);
}

#endif
