/* The data of a kernel (tests/firmware/rtos_NAME.c) as memory that a recipe reads: the ELF's RAM, for the test to
 * change, and its flash. One at a time. */
#ifndef PT_TESTS_RTOS_IMAGE_H
#define PT_TESTS_RTOS_IMAGE_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "program/os/rtos.h"
#include "base/util.h"

enum { RAM = 0x20000000, RAM_BYTES = 0x1200 };

static struct pt_program *program;
static struct pt_types *types;
static struct pt_err err;
static uint8_t ram[RAM_BYTES];
static size_t n_reads;

static inline void load(const char *name)
{
	const char *srcdir = getenv("srcdir");
	const struct pt_segment *segments;
	char path[512];
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	err = (struct pt_err){ 0 };
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	types = pt_types_new(program);
	memset(ram, 0, sizeof(ram));
	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].bytes != NULL && segments[i].run >= RAM && segments[i].run < RAM + RAM_BYTES)
			memcpy(ram + (segments[i].run - RAM), segments[i].bytes, segments[i].size);
	n_reads = 0;
}

static inline void unload_image(void)
{
	pt_types_free(types);
	pt_program_unref(program);
}

static inline int from_flash(uint64_t addr, void *bytes, size_t n_bytes)
{
	const struct pt_segment *segments;
	size_t n;

	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].bytes != NULL && addr >= segments[i].run && addr - segments[i].run < segments[i].size &&
		    n_bytes <= segments[i].size - (addr - segments[i].run)) {
			memcpy(bytes, segments[i].bytes + (addr - segments[i].run), n_bytes);
			return 0;
		}
	return -1;
}

static inline int read_ram(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *why)
{
	(void)arg;
	n_reads++;
	if (addr >= RAM && addr - RAM <= RAM_BYTES - n_bytes)
		memcpy(bytes, ram + (addr - RAM), n_bytes);
	else if (from_flash(addr, bytes, n_bytes) < 0)
		return pt_fail(why, PT_EFAULT, "bus fault");
	return 0;
}

static const struct pt_reader reader = { read_ram, NULL };

static inline uint64_t address_of(const char *name)
{
	uint64_t addr, size;

	ck_assert_msg(pt_program_symbol(program, name, &addr, &size), "%s", name);
	return addr;
}

static inline void put_word(uint64_t addr, uint32_t value)
{
	pt_put_le32(ram + (addr - RAM), value);
}

#endif
