/* Build attributes: an Arm ELF's own words on the core that it was built for. Everything in the section is untrusted;
 * attributes that cannot be read count as absent.
 *
 * 'A', then for each vendor: bytes in 32 bits (themselves counted), a name; within, for the file, a section, or a
 * symbol: its tag, bytes in 32 bits (tag and themselves counted), pairs of tag and value. Source: Arm IHI 0045, "Build
 * attributes". */
#include <elf.h>
#include <string.h>

#include "program/dwarf/dies_parts.h"
#include "program/elf/elf_parts.h"

#ifndef SHT_ARM_ATTRIBUTES
#define SHT_ARM_ATTRIBUTES 0x70000003
#endif

enum { OF_FILE = 1 };
enum { CPU_RAW_NAME = 4, CPU_NAME = 5, CPU_ARCH = 6, CPU_ARCH_PROFILE = 7, COMPATIBILITY = 32 };

/* Values are numbers or texts: of tags above 32 the odd ones are texts, of the others two. */
static bool is_text(uint64_t tag)
{
	return tag > COMPATIBILITY ? tag % 2 == 1 : tag == CPU_RAW_NAME || tag == CPU_NAME;
}

static char profile_of(uint64_t value)
{
	return value == 'A' || value == 'R' || value == 'M' || value == 'S' ? (char)value : 0;
}

static void read_pairs(struct pt_cursor c, struct pt_arch *arch)
{
	while (!c.failed && c.at < c.end) {
		uint64_t tag = pt_cursor_uleb(&c), value = 0;

		if (is_text(tag))
			pt_cursor_text(&c);
		else
			value = pt_cursor_uleb(&c);
		if (tag == COMPATIBILITY)
			pt_cursor_text(&c);
		if (c.failed)
			return;
		if (tag == CPU_ARCH)
			arch->cpu_arch = value <= UINT8_MAX ? (uint8_t)value : PT_ARM_UNKNOWN;
		else if (tag == CPU_ARCH_PROFILE)
			arch->profile = profile_of(value);
	}
}

/* The next len bytes of c as a cursor of their own. before: how many of them were read already. */
static struct pt_cursor part_of(struct pt_cursor *c, uint64_t len, uint64_t before)
{
	struct pt_cursor part = *c;

	if (len < before)
		c->failed = true;
	else if (!c->failed)
		pt_cursor_skip(c, len - before);
	part.failed = c->failed;
	if (!c->failed)
		part.end = c->at;
	return part;
}

static void read_vendor(struct pt_cursor c, struct pt_arch *arch)
{
	const char *name = pt_cursor_text(&c);

	if (name == NULL || strcmp(name, "aeabi") != 0)
		return;
	while (!c.failed && c.at < c.end) {
		const uint8_t *from = c.at;
		uint64_t tag = pt_cursor_uleb(&c), len = pt_cursor_number(&c, 4);
		struct pt_cursor part = part_of(&c, len, (uint64_t)(c.at - from));

		if (tag == OF_FILE && !part.failed)
			read_pairs(part, arch);
	}
}

static void read_section(struct pt_cursor c, struct pt_arch *arch)
{
	if (pt_cursor_number(&c, 1) != 'A')
		return;
	while (!c.failed && c.at < c.end) {
		struct pt_cursor part = part_of(&c, pt_cursor_number(&c, 4), 4);

		if (!part.failed)
			read_vendor(part, arch);
	}
}

void pt_elf_read_attributes(struct pt_elf_reader *r)
{
	struct pt_arch *arch = &r->program->arch;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (arch->elf_machine == PT_MACHINE_ARM && (scn = elf_nextscn(r->elf, scn)) != NULL) {
		Elf_Data *data = gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_ARM_ATTRIBUTES
					 ? elf_rawdata(scn, NULL)
					 : NULL;

		if (data != NULL && data->d_buf != NULL)
			read_section((struct pt_cursor){ data->d_buf, (const uint8_t *)data->d_buf + data->d_size,
							 arch->big_endian, false }, arch);
	}
}
