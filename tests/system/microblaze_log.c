/* What the virtual MicroBlaze executes of a firmware, for a comparison with QEMU (tests/system/test_qemu_microblaze):
 * microblaze_log ELF INSTRUCTIONS [SCHEDULE [R5 R6 R7]] prints for each instruction its pc, the MSR and the 32
 * registers in front of it. A schedule file has the numbers of the instructions in front of which an interrupt is
 * taken, instead of when the controller would ("-": none). R5 to R7: what a boot loader left there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/chip/microblaze.h"

enum { MOST_BYTES = 1 << 20, MOST_INTERRUPTS = 10000 };

static uint8_t elf[MOST_BYTES];
static uint64_t schedule[MOST_INTERRUPTS];
static uint64_t left;

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vmb *cpu = arg;

	if (left == 0)
		return;
	printf("%08" PRIx32 " %08" PRIx32, pc, pt_vmb_reg(cpu, PT_VMB_MSR));
	for (unsigned n = 0; n < 32; n++)
		printf(" %08" PRIx32, pt_vmb_reg(cpu, n));
	printf("\n");
	if (--left == 0)
		pt_vmb_stop(cpu);
}

static size_t read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t n_bytes = file != NULL ? fread(elf, 1, sizeof(elf), file) : 0;

	if (file != NULL)
		fclose(file);
	return n_bytes;
}

static size_t read_schedule(const char *path)
{
	FILE *file = strcmp(path, "-") != 0 ? fopen(path, "r") : NULL;
	size_t n = 0;

	while (file != NULL && n < MOST_INTERRUPTS && fscanf(file, "%" SCNu64, &schedule[n]) == 1)
		n++;
	if (file != NULL)
		fclose(file);
	return n;
}

int main(int argc, char **argv)
{
	struct pt_vboard *board;
	struct pt_vobserver observer = { .insn = on_insn };
	struct pt_vmb *cpu;
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	size_t n;

	pt_vboard_add_word(&pt_vboard_microblaze, settings, "pvr=0", &err);	/* MSR[PVR] is clear, as on QEMU */
	board = argc < 3 ? NULL : pt_vboard_microblaze.make(settings, elf, read_file(argv[1]), &err);
	if (board == NULL) {
		fprintf(stderr, "usage: microblaze_log ELF INSTRUCTIONS [SCHEDULE [R5 R6 R7]] %s\n", err.msg);
		return 2;
	}
	left = strtoull(argv[2], NULL, 0);
	cpu = observer.arg = pt_microblaze_of(board)->node[0].cpu;
	n = argc > 3 ? read_schedule(argv[3]) : 0;
	if (argc > 3)
		pt_vmb_impose(cpu, schedule, n);
	for (int i = 4; i < argc && i < 7; i++)
		pt_vmb_set_reg(cpu, (unsigned)i + 1, (uint32_t)strtoul(argv[i], NULL, 16));
	pt_vmb_add_observer(cpu, &observer);
	pt_vmb_run(cpu, left * 64);
	pt_vboard_microblaze.free(board);
	pt_params_free(settings);
	return 0;
}
