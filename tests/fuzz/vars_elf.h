/* The program with variables of every kind that fuzz targets evaluate against, from $srcdir; and a memory for it. */
#ifndef PT_FUZZ_VARS_ELF_H
#define PT_FUZZ_VARS_ELF_H

#include <stdio.h>
#include <stdlib.h>

#include "program/expr/expr.h"

static inline struct pt_program *vars_elf(void)
{
	const char *srcdir = getenv("srcdir");
	struct pt_program *program;
	struct pt_err err;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/vars.elf", srcdir != NULL ? srcdir : ".");
	program = pt_program_open(path, 0, &err);
	if (program == NULL) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	return program;
}

/* Memory whose bytes follow from their addresses and a seed; some of it cannot be read. */
static inline int read_made_up(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	const uint64_t *seed = arg;

	if ((addr >> 8 & 7) == (*seed & 7))
		return pt_fail(err, PT_EFAULT, "bus fault");
	for (size_t i = 0; i < n_bytes; i++)
		((uint8_t *)bytes)[i] = (uint8_t)((addr + i) * (*seed | 1) >> (*seed % 32));
	return 0;
}

#endif
