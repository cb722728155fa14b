/* Offsets of the ELF and program headers are from the System V ABI, ELF32. */
#include <stdbool.h>
#include <string.h>

#include "probes/virtual/elf.h"
#include "util.h"

enum { EHDR_BYTES = 52, E_TYPE = 16, E_MACHINE = 18, E_PHOFF = 28, E_PHENTSIZE = 42, E_PHNUM = 44, ET_EXEC = 2 };
enum { PHDR_BYTES = 32, P_TYPE = 0, P_OFFSET = 4, P_PADDR = 12, P_FILESZ = 16, PT_LOAD = 1 };

static bool inside(size_t len_bytes, uint64_t at, uint64_t n_bytes)
{
	return at <= len_bytes && n_bytes <= len_bytes - at;
}

static int check_header(const uint8_t *elf, size_t len_bytes, unsigned machine, struct pt_err *err)
{
	static const uint8_t ident[6] = { 0x7f, 'E', 'L', 'F', 1, 1 };	/* 32 bits, little-endian */

	if (len_bytes < EHDR_BYTES || memcmp(elf, ident, sizeof(ident)) != 0)
		return pt_fail(err, PT_EARG, "not a 32-bit little-endian ELF file");
	if (pt_le16(elf + E_TYPE) != ET_EXEC)
		return pt_fail(err, PT_EARG, "not an executable ELF file (type %u)", pt_le16(elf + E_TYPE));
	if (pt_le16(elf + E_MACHINE) != machine)
		return pt_fail(err, PT_EARG, "an ELF file of another machine (%u; the board needs %u)",
			       pt_le16(elf + E_MACHINE), machine);
	if (pt_le16(elf + E_PHENTSIZE) != PHDR_BYTES ||
	    !inside(len_bytes, pt_le32(elf + E_PHOFF), (uint64_t)pt_le16(elf + E_PHNUM) * PHDR_BYTES))
		return pt_fail(err, PT_EARG, "a damaged ELF file: its program headers lie outside it");
	return 0;
}

int pt_velf_load(const uint8_t *elf, size_t len_bytes, unsigned machine,
		 int (*place)(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err),
		 void *arg, struct pt_err *err)
{
	int rc = check_header(elf, len_bytes, machine, err);

	for (unsigned i = 0; rc == 0 && i < pt_le16(elf + E_PHNUM); i++) {
		const uint8_t *phdr = elf + pt_le32(elf + E_PHOFF) + (size_t)i * PHDR_BYTES;
		uint32_t offset = pt_le32(phdr + P_OFFSET), n_bytes = pt_le32(phdr + P_FILESZ);

		if (pt_le32(phdr + P_TYPE) != PT_LOAD || n_bytes == 0)
			continue;
		if (!inside(len_bytes, offset, n_bytes))
			return pt_fail(err, PT_EARG, "a damaged ELF file: segment %u lies outside it", i);
		rc = place(arg, pt_le32(phdr + P_PADDR), elf + offset, n_bytes, err);
	}
	return rc;
}
