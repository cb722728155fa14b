/* See dwarf.h. */
#include "program/dwarf.h"

#include <gelf.h>
#include <string.h>

#include "program/data.h"

/* What the section takes in memory once it is unpacked. Old GNU tools named compressed sections ".zdebug_...", with
 * "ZLIB" and the size as eight big-endian bytes in front; libdw unpacks both kinds. */
static uint64_t unpacked_bytes(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	uint64_t size = 0;
	Elf_Data *data;
	GElf_Chdr ch;

	if ((sh->sh_flags & SHF_COMPRESSED) != 0)
		return gelf_getchdr(scn, &ch) != NULL ? ch.ch_size : 0;
	if (name == NULL || strncmp(name, ".zdebug", strlen(".zdebug")) != 0)
		return 0;
	data = elf_rawdata(scn, NULL);
	for (size_t i = 4; data != NULL && data->d_buf != NULL && data->d_size >= 12 && i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	return size;
}

static bool fits_in_memory(Elf *elf)
{
	uint64_t left_bytes = PT_DWARF_MAX_UNPACKED_BYTES;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		uint64_t size;

		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		size = unpacked_bytes(scn, &sh, elf_strptr(elf, names, sh.sh_name));
		if (size > left_bytes)
			return false;
		left_bytes -= size;
	}
	return true;
}

uint64_t pt_dwarf_section_bytes(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL ? elf_strptr(elf, names, sh.sh_name) : NULL;
		bool old = name != NULL && strncmp(name, ".z", 2) == 0;	/* ".zdebug_line" */
		uint64_t size;

		if (name == NULL || (strcmp(name, wanted) != 0 && (!old || strcmp(name + 2, wanted + 1) != 0)))
			continue;
		size = unpacked_bytes(scn, &sh, name);
		return size > 0 ? size : sh.sh_type != SHT_NOBITS ? sh.sh_size : 0;
	}
	return 0;
}

Dwarf *pt_dwarf_of_elf(Elf *elf)
{
	return elf != NULL && fits_in_memory(elf) ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

bool pt_dwarf_open(struct pt_dwarf *d, const struct pt_program *program)
{
	const struct pt_program_file *file = program->dwarf;

	*d = (struct pt_dwarf){ NULL, NULL };
	if (file == NULL)
		return false;
	elf_version(EV_CURRENT);
	/* libelf writes to this memory only when it is asked to update, which nobody does */
	d->elf = elf_memory((char *)(uintptr_t)file->bytes, file->len_bytes);
	d->dwarf = pt_dwarf_of_elf(d->elf);
	if (d->dwarf == NULL)
		pt_dwarf_close(d);
	return d->dwarf != NULL;
}

void pt_dwarf_close(struct pt_dwarf *d)
{
	dwarf_end(d->dwarf);
	elf_end(d->elf);
	*d = (struct pt_dwarf){ NULL, NULL };
}
