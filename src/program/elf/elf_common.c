/* What every file that reads an ELF needs: see elf_parts.h. */
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "program/elf/elf_parts.h"

int pt_elf_damaged(struct pt_elf_reader *r, const char *what)
{
	return pt_fail(r->err, PT_EARG, "%s is damaged: %s", r->name, what);
}

int pt_elf_no_room(struct pt_elf_reader *r)
{
	return pt_elf_damaged(r, "it describes more than it holds");
}

bool pt_elf_in_memory(const GElf_Shdr *sh)
{
	return (sh->sh_flags & SHF_ALLOC) != 0 && sh->sh_size > 0 && sh->sh_size <= UINT64_MAX - sh->sh_addr &&
	       sh->sh_type != SHT_NOBITS;
}

void pt_elf_build_id(Elf *elf, char text[PT_BUILD_ID_TEXT])
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	text[0] = '\0';
	for (ssize_t i = 0; i < n && i < 64; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
}

bool pt_elf_names_vectors(const char *name)
{
	static const char *const names[] = {
		".isr_vector", ".interrupts", ".vectors", ".vector_table", ".intvecs", ".text.vectors", ".vector",
		"__isr_vector", "__Vectors", "g_pfnVectors", "__vector_table", "__vectors", "_vectors", "vector_table",
		"vectors", "isr_vector", "__interrupts", "exception_table",
	};

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

void pt_elf_found_vectors(struct pt_elf_reader *r, uint64_t addr, uint64_t bytes)
{
	if (r->vectors.addr == PT_UNKNOWN)
		r->vectors = (struct pt_vectors){ addr, bytes >= 8 ? bytes : UINT64_MAX, true };
}
