/* Offsets of the ELF and program headers are from the System V ABI, ELF32. */
#include <stdbool.h>
#include <string.h>

#include "probes/virtual/frame/elf.h"
#include "base/util.h"

enum { EHDR_BYTES = 52, E_TYPE = 16, E_MACHINE = 18, E_PHOFF = 28, E_PHENTSIZE = 42, E_PHNUM = 44, ET_EXEC = 2 };
enum { PHDR_BYTES = 32, P_TYPE = 0, P_OFFSET = 4, P_PADDR = 12, P_FILESZ = 16, PT_LOAD = 1 };

enum { S12Z_BINUTILS = 0x4def };	/* what GNU ld writes; the registered number is PT_VELF_S12Z */

struct file {
	const uint8_t *elf;
	size_t len_bytes;
	bool big_endian;
};

static uint16_t half(const struct file *f, size_t at)
{
	return f->big_endian ? pt_be16(f->elf + at) : pt_le16(f->elf + at);
}

static uint32_t word(const struct file *f, size_t at)
{
	return f->big_endian ? pt_be32(f->elf + at) : pt_le32(f->elf + at);
}

static bool inside(size_t len_bytes, uint64_t at, uint64_t n_bytes)
{
	return at <= len_bytes && n_bytes <= len_bytes - at;
}

bool pt_velf_big_endian(const uint8_t *elf, size_t len_bytes)
{
	return len_bytes >= EHDR_BYTES && elf[5] == 2;
}

/* Which order of bytes a machine's files have: those of the boards that we model; a MicroBlaze has either. */
static bool is_big_endian(unsigned machine, const uint8_t *elf, size_t len_bytes)
{
	if (machine == PT_VELF_MICROBLAZE)
		return pt_velf_big_endian(elf, len_bytes);
	return machine == PT_VELF_S12Z || machine == PT_VELF_PPC;
}

static int check_header(const struct file *f, unsigned machine, struct pt_err *err)
{
	uint8_t ident[6] = { 0x7f, 'E', 'L', 'F', 1, f->big_endian ? 2 : 1 };	/* 32 bits */

	if (f->len_bytes < EHDR_BYTES || memcmp(f->elf, ident, sizeof(ident)) != 0)
		return pt_fail(err, PT_EARG, "not a 32-bit %s-endian ELF file", f->big_endian ? "big" : "little");
	if (half(f, E_TYPE) != ET_EXEC)
		return pt_fail(err, PT_EARG, "not an executable ELF file (type %u)", half(f, E_TYPE));
	if (half(f, E_MACHINE) != machine && !(machine == PT_VELF_S12Z && half(f, E_MACHINE) == S12Z_BINUTILS))
		return pt_fail(err, PT_EARG, "an ELF file of another machine (%u; the board needs %u)",
			       half(f, E_MACHINE), machine);
	if (half(f, E_PHENTSIZE) != PHDR_BYTES ||
	    !inside(f->len_bytes, word(f, E_PHOFF), (uint64_t)half(f, E_PHNUM) * PHDR_BYTES))
		return pt_fail(err, PT_EARG, "a damaged ELF file: its program headers lie outside it");
	return 0;
}

int pt_velf_load(const uint8_t *elf, size_t len_bytes, unsigned machine,
		 int (*place)(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err),
		 void *arg, struct pt_err *err)
{
	struct file f = { elf, len_bytes, is_big_endian(machine, elf, len_bytes) };
	int rc = check_header(&f, machine, err);

	for (unsigned i = 0; rc == 0 && i < half(&f, E_PHNUM); i++) {
		size_t phdr = word(&f, E_PHOFF) + (size_t)i * PHDR_BYTES;
		uint32_t offset = word(&f, phdr + P_OFFSET), n_bytes = word(&f, phdr + P_FILESZ);

		if (word(&f, phdr + P_TYPE) != PT_LOAD || n_bytes == 0)
			continue;
		if (!inside(len_bytes, offset, n_bytes))
			return pt_fail(err, PT_EARG, "a damaged ELF file: segment %u lies outside it", i);
		rc = place(arg, word(&f, phdr + P_PADDR), elf + offset, n_bytes, err);
	}
	return rc;
}
