/* See debugfile.h. */
#include "program/elf/debugfile.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "program/dwarf/dwarf.h"
#include "host/named_file.h"
#include "host/whole_file.h"
#include "base/util.h"

enum { PATH_BYTES = 4096 };

static bool has_symbols(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_SYMTAB && sh.sh_size > 0)
			return true;
	return false;
}

static bool has_dwarf(Elf *elf)
{
	return pt_dwarf_section_bytes(elf, ".debug_line") > 0 || pt_dwarf_section_bytes(elf, ".debug_info") > 0;
}

bool pt_debugfile_wanted(const struct pt_elf_reader *r)
{
	return !has_symbols(r->elf) || !has_dwarf(r->elf);
}

static void refuse(struct pt_elf_reader *r, const char *path, const char *why)
{
	char sentence[PATH_BYTES + 256];

	snprintf(sentence, sizeof(sentence), "%s was not used: %s", path, why);
	pt_program_warn(r->program, sentence);
}

/* NULL: it belongs to the ELF. */
static const char *misfit(struct pt_elf_reader *r, Elf *elf, const struct pt_program_file *file)
{
	const char *wanted = r->program->build_id;
	char id[PT_BUILD_ID_TEXT];
	GElf_Ehdr header;
	GElf_Word crc;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
		return "it is not an ELF file";
	if (header.e_machine != r->header.e_machine || gelf_getclass(elf) != gelf_getclass(r->elf))
		return "it is for another machine";
	pt_elf_build_id(elf, id);
	if (wanted[0] != '\0' && strcmp(id, wanted) != 0)
		return "its build-id is another one";
	if (wanted[0] == '\0' &&
	    (dwelf_elf_gnu_debuglink(r->elf, &crc) == NULL || crc32_z(0, file->bytes, file->len_bytes) != crc))
		return "its CRC is not the one that the ELF names";
	return has_symbols(elf) || has_dwarf(elf) ? NULL : "there is nothing in it";
}

bool pt_debugfile_take(struct pt_elf_reader *r, const char *path, struct pt_program_file file)
{
	uint8_t *copy;
	Elf *elf = pt_elf_memory(file.bytes, file.len_bytes, &copy);
	const char *why = elf != NULL ? misfit(r, elf, &file) : "it is not an ELF file";

	if (why != NULL || r->debug != NULL) {
		if (why != NULL)
			refuse(r, path, why);
		elf_end(elf);
		free(copy);
		free(file.bytes);
		return false;
	}
	r->debug = elf;
	r->debug_copy = copy;
	r->program->debug = file;
	r->program->arena.room_bytes += PT_ARENA_FACTOR * file.len_bytes;
	r->program->debug_path = pt_arena_text(&r->program->arena, path);
	return true;
}

/* A file that is not there is no candidate; nor is the ELF itself. */
static bool try(struct pt_elf_reader *r, const char *path)
{
	struct pt_program_file file;

	if (strcmp(path, r->name) == 0)
		return false;
	file.bytes = pt_file_read(path, PT_PROGRAM_MAX_BYTES, &file.len_bytes, NULL);
	return file.bytes != NULL && pt_debugfile_take(r, path, file);
}

static bool try_in_folders(struct pt_elf_reader *r, const char *dirs, const char *rest)
{
	char path[PATH_BYTES];

	while (*dirs != '\0') {
		size_t len = strcspn(dirs, ",");

		if (len > 0 && (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)len, dirs, rest) < sizeof(path) &&
		    try(r, path))
			return true;
		dirs += len + (dirs[len] == ',');
	}
	return false;
}

static bool find_by_build_id(struct pt_elf_reader *r, const char *dirs)
{
	const char *id = r->program->build_id;
	char rest[PT_BUILD_ID_TEXT + 32];

	if (strlen(id) < 4)
		return false;
	snprintf(rest, sizeof(rest), ".build-id/%.2s/%s.debug", id, id + 2);
	return try_in_folders(r, dirs, rest);
}

static int folder_len(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (slash != NULL)
		return (int)(slash - name) + 1;
	return pt_named_is_below(name) ? (int)strlen(PT_NAMED_BELOW) : 0;
}

static bool find_by_link(struct pt_elf_reader *r, const char *dirs, const char *link)
{
	int folder = folder_len(r->name);
	char path[PATH_BYTES];

	if ((size_t)snprintf(path, sizeof(path), "%.*s%s", folder, r->name, link) < sizeof(path) && try(r, path))
		return true;
	if ((size_t)snprintf(path, sizeof(path), "%.*s.debug/%s", folder, r->name, link) < sizeof(path) && try(r, path))
		return true;
	return r->name[0] == '/' &&
	       (size_t)snprintf(path, sizeof(path), "%.*s%s", folder - 1, r->name + 1, link) < sizeof(path) &&
	       try_in_folders(r, dirs, path);
}

void pt_debugfile_find(struct pt_elf_reader *r, const char *dirs)
{
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(r->elf, &crc), *warned = r->program->warning;
	char sentence[512];

	if (link != NULL && (link[0] == '\0' || strchr(link, '/') != NULL))
		link = NULL;
	if (find_by_build_id(r, dirs) || (link != NULL && find_by_link(r, dirs, link)) || link == NULL ||
	    r->program->warning != warned)
		return;		/* found, or nobody names one, or one was refused, which is said */
	snprintf(sentence, sizeof(sentence),
		 "the debug file that it names, %.100s, is neither next to it nor under %.200s "
		 "(debug-dir=DIR looks elsewhere)",
		 link, dirs);
	pt_program_warn(r->program, sentence);
}
