/* Print every pc that the virtual e500 executes of a firmware: e500_log ELF INSTRUCTIONS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "probes/virtual/cpu/e500/e500.h"
#include "probes/virtual/elf.h"
#include "util.h"

enum { RAM_BYTES = 1 << 20 };

struct log {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	uint64_t left;
	uint8_t ram[RAM_BYTES];
};

static void on_insn(void *arg, uint32_t pc)
{
	struct log *log = arg;

	printf("%08" PRIx32 "\n", pc);
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

static int run(struct log *log, const uint8_t *elf, size_t n_bytes, struct pt_err *err)
{
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = log->ram };
	struct pt_vtap tap = { .arg = log, .insn = on_insn };
	int rc = pt_velf_load(elf, n_bytes, PT_VELF_PPC, place, log, err);

	if (rc < 0)
		return rc;
	log->bus.big_endian = true;
	pt_vbus_add(&log->bus, &ram);
	log->cpu = pt_ve500_new(&log->bus, 0x80210030, NULL);
	if (log->cpu == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	pt_ve500_reset(log->cpu, true, pt_be32(elf + 24));	/* e_entry */
	pt_ve500_add_tap(log->cpu, &tap);
	pt_ve500_run(log->cpu, log->left * 64);
	pt_ve500_free(log->cpu);
	return 0;
}

int main(int argc, char **argv)
{
	struct log *log = calloc(1, sizeof(*log));
	struct pt_err err = { .msg = "usage: e500_log ELF INSTRUCTIONS" };
	uint8_t *elf = NULL;
	size_t n_bytes = 0;
	int rc = PT_EARG;

	if (log != NULL && argc == 3 && (elf = contents(argv[1], &n_bytes)) != NULL && n_bytes >= 52) {
		log->left = strtoull(argv[2], NULL, 0);
		rc = run(log, elf, n_bytes, &err);
	}
	if (rc < 0)
		fprintf(stderr, "%s\n", err.msg);
	free(elf);
	free(log);
	return rc < 0 ? 2 : 0;
}
