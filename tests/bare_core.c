/* The smallest board there is: what a test of the core needs and no unit. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bare_core.h"
#include "base/util.h"

enum { MOST_CYCLES = 64 };	/* of an instruction, in the mean */
enum { SYSTEM_OFFSET = 0xd30, SYSTEM_BYTES = 0x2d0 };

/* What lies behind the core's own registers, where a chip has its debug unit. */
static bool system_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)access;
	pt_vcpu_read_system(unit, SYSTEM_OFFSET + offset, value);
	return true;
}

static bool system_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)access;
	pt_vcpu_write_system(unit, SYSTEM_OFFSET + offset, value);
	return true;
}

static const struct pt_vunit_ops system_ops = { .name = "system", .read = system_read, .write = system_write };

struct pt_bare_core *pt_bare_core_new_of(const struct pt_vcpu_model *model)
{
	struct pt_bare_core *core = calloc(1, sizeof(*core));
	struct pt_vregion flash = { .base = 0, .size = BARE_FLASH_BYTES, .read_only = true };
	struct pt_vregion ram = { .base = BARE_RAM_BASE, .size = BARE_RAM_BYTES };
	struct pt_vregion system = { .base = 0xe000e000 + SYSTEM_OFFSET, .size = SYSTEM_BYTES, .ops = &system_ops };

	if (core == NULL)
		return NULL;
	flash.bytes = core->flash;
	ram.bytes = core->ram;
	pt_vbus_add(&core->bus, &flash);
	pt_vbus_add(&core->bus, &ram);
	core->cpu = pt_vcpu_new(&core->bus, model);
	if (core->cpu == NULL) {
		free(core);
		return NULL;
	}
	system.unit = core->cpu;
	if (model->mainline)
		pt_vbus_add(&core->bus, &system);
	return core;
}

struct pt_bare_core *pt_bare_core_new(void)
{
	return pt_bare_core_new_of(&pt_vcpu_m0plus);
}

void pt_bare_core_free(struct pt_bare_core *core)
{
	if (core == NULL)
		return;
	pt_vcpu_free(core->cpu);
	free(core);
}

static uint8_t *at(struct pt_bare_core *core, uint64_t addr, uint64_t n_bytes)
{
	const struct pt_vregion *region = pt_vbus_find(&core->bus, (uint32_t)addr);

	if (region == NULL || region->bytes == NULL || n_bytes > region->size - (addr - region->base))
		return NULL;
	return region->bytes + (addr - region->base);
}

static Elf *open_elf(const char *path, int *fd)
{
	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
}

static void close_elf(Elf *elf, int fd)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static int load_segment(struct pt_bare_core *core, Elf *elf, const GElf_Phdr *segment, struct pt_err *err)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_BYTE);
	uint8_t *to = at(core, segment->p_paddr, segment->p_filesz);

	if (data == NULL || to == NULL)
		return pt_fail(err, PT_EARG, "segment at 0x%llx does not fit", (unsigned long long)segment->p_paddr);
	memcpy(to, data->d_buf, segment->p_filesz);
	pt_vbus_changed(&core->bus, (uint32_t)segment->p_paddr, (uint32_t)segment->p_filesz);
	return 0;
}

int pt_bare_core_load(struct pt_bare_core *core, const char *path, struct pt_err *err)
{
	size_t n_segments = 0;
	GElf_Phdr segment;
	int fd, rc = 0;
	Elf *elf = open_elf(path, &fd);

	if (elf == NULL || elf_getphdrnum(elf, &n_segments) != 0)
		rc = pt_fail(err, PT_EARG, "%s is no ELF", path);
	for (size_t i = 0; rc == 0 && i < n_segments; i++)
		if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD && segment.p_filesz > 0)
			rc = load_segment(core, elf, &segment, err);
	close_elf(elf, fd);
	return rc;
}

static uint32_t search(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
		const char *found = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (found != NULL && strcmp(found, name) == 0)
			return (uint32_t)symbol.st_value & (GELF_ST_TYPE(symbol.st_info) == STT_FUNC ? ~1u : ~0u);
	}
	return 0;
}

uint32_t pt_elf_symbol(const char *path, const char *name)
{
	Elf_Scn *section = NULL;
	uint32_t value = 0;
	GElf_Shdr header;
	int fd;
	Elf *elf = open_elf(path, &fd);

	while (elf != NULL && value == 0 && (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB)
			value = search(elf, section, &header, name);
	close_elf(elf, fd);
	return value;
}

const char *pt_firmware(const char *file)
{
	static char path[1024];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", file);
	return path;
}

uint32_t pt_bare_core_word(const struct pt_bare_core *core, uint32_t addr)
{
	const uint8_t *p = at((struct pt_bare_core *)core, addr, 4);

	return p == NULL ? 0 : pt_le32(p);
}

static struct pt_vimposed *read_schedule(const char *path, size_t *n_entries)
{
	FILE *file = fopen(path, "r");
	struct pt_vimposed *list = NULL, entry;

	*n_entries = 0;
	while (file != NULL && fscanf(file, "%" SCNu64 " %" SCNu16, &entry.insn, &entry.vector) == 2) {
		list = realloc(list, (*n_entries + 1) * sizeof(*list));
		if (list == NULL)
			abort();
		list[(*n_entries)++] = entry;
	}
	if (file != NULL)
		fclose(file);
	return list;
}

void pt_bare_core_run(struct pt_bare_core *core, struct pt_vobserver *observer, uint64_t n_instructions,
		      const char *schedule)
{
	struct pt_vimposed *list = NULL;
	size_t n_entries;

	pt_vcpu_reset(core->cpu, true);
	pt_vcpu_add_observer(core->cpu, observer);
	if (schedule != NULL) {
		list = read_schedule(schedule, &n_entries);
		pt_vcpu_impose(core->cpu, list, n_entries);
	}
	pt_vcpu_run(core->cpu, n_instructions * MOST_CYCLES);
	pt_vcpu_impose(core->cpu, NULL, 0);
	free(list);
}
