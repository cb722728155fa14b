/* What the virtual e500 executes of a firmware, for a comparison with QEMU (tests/system/test_qemu_e500):
 * e500_log CORE ELF INSTRUCTIONS prints the pc of each; with RANGE,RANGE... [REGISTER=VALUE]... behind, those in the
 * ranges FROM-END of pcs (END is outside), and in front of each the registers: pc lr ctr xer msr cr, and 64 bits of each
 * of the 32 (upper halves are 0 where the core has no SPE). REGISTER is the number of one that a boot loader has left
 * VALUE in. All but INSTRUCTIONS and REGISTER is hexadecimal. CORE is e500v2, e500mc ... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "probes/virtual/cpu/e500/e500.h"
#include "probes/virtual/frame/elf.h"
#include "base/util.h"

enum { RAM_BYTES = 1 << 20, MOST_RANGES = 8 };

struct log {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	enum pt_ve500_core core;
	uint64_t left;
	struct { uint32_t from, end; } range[MOST_RANGES];
	size_t n_ranges;	/* 0: everything, and only pcs */
	uint8_t ram[RAM_BYTES];
};

static bool wanted(const struct log *log, uint32_t pc)
{
	for (size_t i = 0; i < log->n_ranges; i++)
		if (pc >= log->range[i].from && pc < log->range[i].end)
			return true;
	return log->n_ranges == 0;
}

static void print_registers(const struct pt_ve500 *cpu)
{
	static const enum pt_ve500_reg special[] = {
		PT_VE500_LR, PT_VE500_CTR, PT_VE500_XER, PT_VE500_MSR, PT_VE500_CR,
	};

	const bool has_spe = !pt_ve500_kinds[pt_ve500_core(cpu)].qoriq;

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		printf(" %08" PRIx64, pt_ve500_reg(cpu, special[i]));
	for (unsigned n = 0; n < 32; n++)
		printf(" %08" PRIx64 "%08" PRIx64, has_spe ? pt_ve500_reg(cpu, PT_VE500_EV0H + n) : 0,
		       pt_ve500_reg(cpu, PT_VE500_R0 + n));
}

static void on_insn(void *arg, uint32_t pc)
{
	struct log *log = arg;

	if (log->left == 0 || !wanted(log, pc))
		return;
	printf("%08" PRIx32, pc);
	if (log->n_ranges != 0)
		print_registers(log->cpu);
	printf("\n");
	if (--log->left == 0)
		pt_ve500_stop(log->cpu);
}

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	struct log *log = arg;

	if (addr > RAM_BYTES || n_bytes > RAM_BYTES - addr)
		return pt_fail(err, PT_EARG, "%zu bytes at 0x%x do not fit", n_bytes, addr);
	memcpy(log->ram + addr, bytes, n_bytes);
	return 0;
}

static uint8_t *contents(const char *path, size_t *n_bytes)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(RAM_BYTES);

	*n_bytes = file != NULL && bytes != NULL ? fread(bytes, 1, RAM_BYTES, file) : 0;
	if (file != NULL)
		fclose(file);
	return bytes;
}

static int read_ranges(struct log *log, const char *text, struct pt_err *err)
{
	for (int taken; *text != '\0'; text += taken + (text[taken] == ',')) {
		if (log->n_ranges == MOST_RANGES)
			return pt_fail(err, PT_EARG, "more than %d ranges", MOST_RANGES);
		if (sscanf(text, "%" SCNx32 "-%" SCNx32 "%n", &log->range[log->n_ranges].from,
			   &log->range[log->n_ranges].end, &taken) != 2)
			return pt_fail(err, PT_EARG, "%s is not FROM-END", text);
		log->n_ranges++;
	}
	return 0;
}

/* As a boot loader leaves it. The debugger's way to set registers needs a halted core. */
static int boot(struct log *log, char *const *words, int n_words, struct pt_err *err)
{
	pt_ve500_request_halt(log->cpu);
	pt_ve500_run(log->cpu, 1);
	for (int i = 0; i < n_words; i++) {
		unsigned n;
		uint32_t value;

		if (sscanf(words[i], "%u=%" SCNx32, &n, &value) != 2 || n > 31)
			return pt_fail(err, PT_EARG, "%s is not REGISTER=VALUE", words[i]);
		pt_ve500_set_reg(log->cpu, PT_VE500_R0 + n, value);
	}
	pt_ve500_resume(log->cpu, false);
	return 0;
}

static int run(struct log *log, const uint8_t *elf, size_t n_bytes, char *const *words, int n_words, struct pt_err *err)
{
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = log->ram };
	struct pt_vobserver observer = { .arg = log, .insn = on_insn };
	int rc = pt_velf_load(elf, n_bytes, PT_VELF_PPC, place, log, err);

	if (rc < 0)
		return rc;
	log->bus.big_endian = true;
	pt_vbus_add(&log->bus, &ram);
	log->cpu = pt_ve500_new(&log->bus, log->core, NULL);
	if (log->cpu == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	pt_ve500_reset(log->cpu, true, pt_be32(elf + 24));	/* e_entry */
	rc = boot(log, words, n_words, err);
	pt_ve500_add_observer(log->cpu, &observer);
	if (rc == 0)
		pt_ve500_run(log->cpu, log->left * 64);
	pt_ve500_free(log->cpu);
	return rc;
}

static bool known(const char *name, enum pt_ve500_core *core)
{
	for (unsigned i = 0; i < PT_VE500_CORES; i++)
		if (strcmp(pt_ve500_kinds[i].name, name) == 0) {
			*core = (enum pt_ve500_core)i;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct log *log = calloc(1, sizeof(*log));
	struct pt_err err = { .msg = "usage: e500_log CORE ELF INSTRUCTIONS [RANGE,... [REGISTER=VALUE]...]" };
	uint8_t *elf = NULL;
	size_t n_bytes = 0;
	int rc = PT_EARG;

	if (log != NULL && argc >= 4 && known(argv[1], &log->core) && (elf = contents(argv[2], &n_bytes)) != NULL &&
	    n_bytes >= 52) {
		log->left = strtoull(argv[3], NULL, 0);
		rc = argc > 4 ? read_ranges(log, argv[4], &err) : 0;
		if (rc == 0)
			rc = run(log, elf, n_bytes, argv + 5, argc - 5, &err);
	}
	if (rc < 0)
		fprintf(stderr, "%s\n", err.msg);
	free(elf);
	free(log);
	return rc < 0 ? 2 : 0;
}
