/* See dwarf.h. */
#include "program/dwarf/dwarf.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "program/model/program_parts.h"

/* What the section takes in memory once it is unpacked. Old GNU tools named compressed sections ".zdebug_...", with
 * "ZLIB" and the size as eight big-endian bytes in front; libdw unpacks both kinds. */
uint64_t pt_dwarf_unpacked_bytes(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	uint64_t size = 0;
	Elf_Data *data;
	GElf_Chdr ch;

	if ((sh->sh_flags & SHF_COMPRESSED) != 0)
		return gelf_getchdr(scn, &ch) != NULL ? ch.ch_size : 0;
	if (name == NULL || strncmp(name, ".zdebug", strlen(".zdebug")) != 0)
		return 0;
	data = elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return 0;		/* unpacked already */
	for (size_t i = 4; i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	return size;
}

static bool has_compressed(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    pt_dwarf_unpacked_bytes(scn, &sh, elf_strptr(elf, names, sh.sh_name)) > 0)
			return true;
	return false;
}

Elf *pt_elf_memory(const uint8_t *bytes, size_t len_bytes, uint8_t **copy)
{
	Elf *elf;

	*copy = NULL;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)bytes, len_bytes);
	if (elf == NULL || !has_compressed(elf))
		return elf;
	elf_end(elf);
	*copy = malloc(len_bytes);
	if (*copy == NULL)
		return NULL;
	memcpy(*copy, bytes, len_bytes);
	return elf_memory((char *)*copy, len_bytes);
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
		size = pt_dwarf_unpacked_bytes(scn, &sh, elf_strptr(elf, names, sh.sh_name));
		if (size > left_bytes)
			return false;
		left_bytes -= size;
	}
	return true;
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *sh, const char **name)
{
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn)) != NULL) {
		*name = gelf_getshdr(scn, sh) != NULL ? elf_strptr(elf, names, sh->sh_name) : NULL;
		if (*name != NULL && (strcmp(*name, wanted) == 0 ||
				      (strncmp(*name, ".z", 2) == 0 && strcmp(*name + 2, wanted + 1) == 0)))
			return scn;	/* ".zdebug_line", too */
	}
	return NULL;
}

uint64_t pt_dwarf_section_bytes(Elf *elf, const char *wanted)
{
	const char *name;
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, wanted, &sh, &name);
	uint64_t size = scn != NULL ? pt_dwarf_unpacked_bytes(scn, &sh, name) : 0;

	return size > 0 || scn == NULL || sh.sh_type == SHT_NOBITS ? size : sh.sh_size;
}

void pt_line_guard_init(struct pt_line_guard *guard, Elf *elf)
{
	const char *name;
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, ".debug_line", &sh, &name);
	const char *ident = elf_getident(elf, NULL);
	Elf_Data *data = NULL;

	*guard = (struct pt_line_guard){ .left_bytes = PT_MAX_LINE_TABLE_BYTES };
	guard->refused = pt_dwarf_section_bytes(elf, ".debug_line") > PT_MAX_LINE_TABLE_BYTES;
	if (!guard->refused && scn != NULL)
		data = elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return;
	guard->bytes = data->d_buf;
	guard->len_bytes = data->d_size <= PT_MAX_LINE_TABLE_BYTES ? data->d_size : 0;
	guard->big_endian = ident != NULL && ident[EI_DATA] == ELFDATA2MSB;
	guard->seen = calloc(guard->len_bytes / 8 + 1, 1);
}

void pt_line_guard_fini(struct pt_line_guard *guard)
{
	free(guard->seen);
}

/* The initial length of a table. Source: DWARF 5, 7.4. */
static uint64_t table_bytes(const struct pt_line_guard *guard, size_t at)
{
	uint64_t length = 0;

	for (size_t i = 0; i < 4; i++)
		length |= (uint64_t)guard->bytes[at + i] << 8 * (guard->big_endian ? 3 - i : i);
	return length < guard->len_bytes - at ? length : guard->len_bytes - at;	/* 64 bits: all that is left */
}

bool pt_line_guard_allows(struct pt_line_guard *guard, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Word at;
	uint64_t length;

	if (guard->seen == NULL || dwarf_attr(unit, DW_AT_stmt_list, &attr) == NULL ||
	    dwarf_formudata(&attr, &at) != 0 || at >= guard->len_bytes || guard->len_bytes - at < 4)
		return false;
	if ((guard->seen[at / 8] >> at % 8 & 1) != 0)
		return true;		/* libdw has it already */
	length = table_bytes(guard, at);
	if (length > guard->left_bytes) {
		guard->refused = true;
		return false;
	}
	guard->left_bytes -= length;
	guard->seen[at / 8] |= (uint8_t)(1 << at % 8);
	return true;
}

Dwarf *pt_dwarf_of_elf(Elf *elf)
{
	return elf != NULL && fits_in_memory(elf) ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

bool pt_dwarf_open(struct pt_dwarf *d, const struct pt_program *program)
{
	const struct pt_program_file *file = program->dwarf;

	*d = (struct pt_dwarf){ NULL, NULL, NULL };
	if (file == NULL)
		return false;
	d->elf = pt_elf_memory(file->bytes, file->len_bytes, &d->copy);
	d->dwarf = pt_dwarf_of_elf(d->elf);
	if (d->dwarf == NULL)
		pt_dwarf_close(d);
	return d->dwarf != NULL;
}

void pt_dwarf_close(struct pt_dwarf *d)
{
	dwarf_end(d->dwarf);
	elf_end(d->elf);
	free(d->copy);
	*d = (struct pt_dwarf){ NULL, NULL, NULL };
}
