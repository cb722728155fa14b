/* Print all registers of a virtual Cortex-M4F or M7 before each instruction of a program:
 * m4_log m4|m7 ELF INSTRUCTIONS [SCHEDULE].
 * A line has
 * r0 to r12, sp, lr, pc, xPSR, s0 to s31 and FPSCR in hexadecimal. The core is QEMU's: eight bits of priority. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bare_core.h"

struct log {
	uint64_t left;
	struct pt_vcpu *cpu;
};

enum { XPSR = 16, FPSCR = 33, S0 = 64 };

static void on_insn(void *arg, uint32_t pc)
{
	struct log *log = arg;

	for (unsigned i = 0; i < 15; i++)
		printf("%08" PRIx32 " ", pt_vcpu_reg(log->cpu, i));
	printf("%08" PRIx32 " %08" PRIx32 " ", pc, pt_vcpu_reg(log->cpu, XPSR));
	for (unsigned i = 0; i < 32; i++)
		printf("%08" PRIx32 " ", pt_vcpu_reg(log->cpu, S0 + i));
	printf("%08" PRIx32 "\n", pt_vcpu_reg(log->cpu, FPSCR));
	if (--log->left == 0)
		pt_vcpu_stop(log->cpu);
}

int main(int argc, char **argv)
{
	struct pt_vcpu_model model = argc > 1 && strcmp(argv[1], "m7") == 0 ? pt_vcpu_m7f : pt_vcpu_m4f;
	struct pt_bare_core *core;
	struct log log = { 0 };
	struct pt_vobserver observer = { .arg = &log, .insn = on_insn };
	struct pt_err err = { 0 };

	model.priority_bits = 8;
	model.n_irqs = 32;
	core = pt_bare_core_new_of(&model);
	if (argc < 4 || core == NULL || pt_bare_core_load(core, argv[2], &err) < 0) {
		fprintf(stderr, "usage: m4_log m4|m7 ELF INSTRUCTIONS [SCHEDULE] %s\n", err.msg);
		pt_bare_core_free(core);
		return 2;
	}
	log.left = strtoull(argv[3], NULL, 0);
	log.cpu = core->cpu;
	pt_bare_core_run(core, &observer, log.left, argc > 4 ? argv[4] : NULL);
	pt_bare_core_free(core);
	return 0;
}
