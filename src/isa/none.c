/* The instruction set for programs that no file here can decode: nothing is an instruction, and exceptions are unknown.
 * Such a program still has symbols and lines, which samples need. */
#include <stdio.h>

#include "isa/isa.h"
#include "base/util.h"

static void decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out)
{
	(void)addr, (void)bytes, (void)len_bytes;
	*out = (struct pt_insn){ .target = PT_UNKNOWN, .len_bytes = 1, .flow = PT_FLOW_INVALID };
}

static bool waits(const uint8_t *bytes, size_t len_bytes)
{
	(void)bytes, (void)len_bytes;
	return false;
}

static uint64_t vector_table(uint64_t found, bool named)
{
	(void)found, (void)named;
	return PT_UNKNOWN;
}

static uint64_t vector_entry(uint64_t table, unsigned n)
{
	(void)n;
	return table;
}

static uint64_t vector_target(const uint8_t entry[4], unsigned offset)
{
	(void)entry, (void)offset;
	return PT_UNKNOWN;
}

static void vector_name(unsigned n, char *name, size_t room)
{
	snprintf(name, room, "#%u", n);
}

const struct pt_isa pt_isa_none = {
	.name = "none",
	.unit_bytes = 1,
	.most_bytes = 1,
	.decode = decode,
	.waits = waits,
	.vector_table = vector_table,
	.vector_entry = vector_entry,
	.vector_target = vector_target,
	.vector_name = vector_name,
};
