/* Print every executed pc of a firmware on the virtual core: pc_log ELF INSTRUCTIONS [SCHEDULE]. A schedule file has
 * lines "INSTRUCTION VECTOR": before that instruction the exception is entered, instead of when the NVIC would. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bare_core.h"

struct log {
	uint64_t left;
	struct pt_vcpu *cpu;
};

static void on_insn(void *arg, uint32_t pc)
{
	struct log *log = arg;

	printf("%08" PRIx32 "\n", pc);
	if (--log->left == 0)
		pt_vcpu_stop(log->cpu);
}

int main(int argc, char **argv)
{
	struct pt_bare_core *core = pt_bare_core_new();
	struct log log = { 0 };
	struct pt_vobserver observer = { .arg = &log, .insn = on_insn };
	struct pt_err err = { 0 };

	if (argc < 3 || core == NULL || pt_bare_core_load(core, argv[1], &err) < 0) {
		fprintf(stderr, "usage: pc_log ELF INSTRUCTIONS [SCHEDULE] %s\n", err.msg);
		pt_bare_core_free(core);
		return 2;
	}
	log.left = strtoull(argv[2], NULL, 0);
	log.cpu = core->cpu;
	pt_bare_core_run(core, &observer, log.left, argc > 3 ? argv[3] : NULL);
	pt_bare_core_free(core);
	return 0;
}
