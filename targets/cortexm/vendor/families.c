#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/core/architecture.h"
#include "targets/cortexm/vendor/families.h"

/* Asked in this order. */
#define FAMILIES(X) X(kinetis_l) X(kinetis_k) X(stm32) X(nrf52) X(sam) X(lpc) X(efm32) X(tiva) X(rp2040)
#define X(family) extern const struct pt_cortexm_family pt_cortexm_##family;
FAMILIES(X)
#undef X
static const struct pt_cortexm_family *const families[] = {
#define X(family) &pt_cortexm_##family,
	FAMILIES(X)
#undef X
};

enum { SECTOR_BYTES = 1024, CODE_BYTES = 0x10000000 };

/* --- regions ------------------------------------------------------------------------------------------------------ */

static void add_region(struct pt_cortexm_chip *chip, enum pt_region_kind kind, uint64_t from, uint64_t to,
		       uint32_t block_bytes)
{
	if (to > from)
		chip->region[chip->n_regions++] = (struct pt_region){ kind, from, to - from, block_bytes };
}

/* Flash and RAM if they are known; everything else is of unknown kind. But if flash is unknown, the lower half of the
 * architecture's code region is treated as flash: a debugger that took it for RAM would write its program into nothing
 * and report that it is loaded. RAM for code lies in the upper half (LPC, Kinetis). */
static void make_regions(struct pt_cortexm_chip *chip)
{
	uint64_t ram_end = (uint64_t)chip->ram_addr + chip->ram_bytes;
	uint64_t flash_end = chip->flash_bytes != 0 ? (uint64_t)chip->flash_addr + chip->flash_bytes : CODE_BYTES;

	chip->n_regions = 0;
	if (chip->flash_bytes != 0)
		add_region(chip, PT_REGION_IO, 0, chip->flash_addr, 0);
	add_region(chip, PT_REGION_FLASH, chip->flash_bytes != 0 ? chip->flash_addr : 0, flash_end, SECTOR_BYTES);
	if (chip->ram_bytes != 0) {
		add_region(chip, PT_REGION_IO, flash_end, chip->ram_addr, 0);
		add_region(chip, PT_REGION_RAM, chip->ram_addr, ram_end, 0);
		add_region(chip, PT_REGION_IO, ram_end, UINT64_C(0x100000000), 0);
	} else {
		add_region(chip, PT_REGION_IO, flash_end, UINT64_C(0x100000000), 0);
	}
}

/* --- debug ports on a wire of several ----------------------------------------------------------------------------- */

size_t pt_cortexm_shared_ports(uint32_t *ports, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(families); i++)
		for (size_t k = 0; k < PT_LEN(families[i]->targetsel) && families[i]->targetsel[k] != 0 && n < room;
		     k++)
			ports[n++] = families[i]->targetsel[k];
	return n;
}

static bool has_port(const struct pt_cortexm_family *family, uint32_t port)
{
	for (size_t k = 0; k < PT_LEN(family->targetsel); k++)
		if (family->targetsel[k] == port)
			return true;
	return false;
}

size_t pt_cortexm_other_ports(uint32_t port, uint32_t *ports, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(families) && port != 0; i++)
		for (size_t k = 0; has_port(families[i], port) && k < PT_LEN(families[i]->targetsel); k++)
			if (families[i]->targetsel[k] != 0 && families[i]->targetsel[k] != port && n < room)
				ports[n++] = families[i]->targetsel[k];
	return n;
}

/* --- which -------------------------------------------------------------------------------------------------------- */

const struct pt_cortexm_family *pt_cortexm_family_of(const struct pt_discovery *found)
{
	for (size_t i = 0; i < PT_LEN(families); i++)
		if (families[i]->owns != NULL && families[i]->owns(found))
			return families[i];
	return NULL;
}

static int take_wanted(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family, const char *wanted,
		       struct pt_err *err)
{
	char names[140] = "";
	const char *name;

	for (size_t i = 0; i < PT_LEN(families); i++)
		for (size_t k = 0; families[i]->named != NULL && (name = families[i]->named(k, chip)) != NULL; k++) {
			if (strcasecmp(wanted, name) == 0) {
				snprintf(chip->name, sizeof(chip->name), "%s", name);
				*family = families[i];
				return 0;
			}
			snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", name);
		}
	return pt_fail(err, PT_EARG, "there is no chip %s; known by name are%s", wanted, names);
}

static bool tells_itself(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			 struct pt_discovery *found, struct pt_mem *mem)
{
	for (size_t i = 0; i < PT_LEN(families); i++)
		if (families[i]->identify(chip, found, mem)) {
			*family = families[i];
			return true;
		}
	return false;
}

/* The user's name takes precedence; if the chip says another, this is a warning. */
static void warn_of_another(const struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	struct pt_cortexm_chip says = *chip;
	const struct pt_cortexm_family *ignored = NULL;

	if (tells_itself(&says, &ignored, found, mem) && strcasecmp(says.name, chip->name) != 0)
		pt_warn("cortexm: chip=%s is set, but the chip's registers say %s: its memory map and flash are taken for those "
			"of %s; leave out chip= unless the registers are wrong",
			chip->name, says.name, chip->name);
}

int pt_cortexm_chip_identify(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *wanted, struct pt_err *err)
{
	memset(chip, 0, sizeof(*chip));
	if (pt_cortexm_identify_core(chip, mem, found->unit[PT_UNIT_SCS], err) < 0)
		return err->code;
	if (wanted != NULL && take_wanted(chip, family, wanted, err) < 0)
		return err->code;
	if (wanted == NULL && !tells_itself(chip, family, found, mem))
		pt_cortexm_name_by_core(chip);
	if (wanted != NULL)
		warn_of_another(chip, found, mem);
	make_regions(chip);
	return 0;
}

/* Whether the family's ID registers show a chip of this name, or, if a name may go on, one whose name begins so. */
static bool reads_as(struct pt_cortexm_chip *chip, const struct pt_cortexm_family *family, struct pt_mem *mem,
		     const char *name, bool may_go_on)
{
	struct pt_err ignored = { 0 };

	memset(chip, 0, sizeof(*chip));
	return pt_cortexm_identify_core(chip, mem, family->unit[PT_UNIT_SCS], &ignored) == 0 &&
	       strncmp(chip->core, family->core, strlen(family->core)) == 0 && family->read(chip, mem) &&
	       strncasecmp(chip->name, name, may_go_on ? strlen(name) : sizeof(chip->name)) == 0;
}

bool pt_cortexm_chip_by_name(struct pt_cortexm_chip *chip, const struct pt_cortexm_family **family,
			     struct pt_discovery *found, struct pt_mem *mem, const char *name, bool may_go_on)
{
	for (size_t i = 0; name != NULL && i < PT_LEN(families); i++) {
		if (families[i]->names == NULL ||
		    strncasecmp(name, families[i]->names, strlen(families[i]->names)) != 0 ||
		    !reads_as(chip, families[i], mem, name, may_go_on))
			continue;
		*family = families[i];
		make_regions(chip);
		memcpy(found->unit, families[i]->unit, sizeof(found->unit));
		found->by_name = found->from_table = true;
		return true;
	}
	return false;
}

void pt_cortexm_chip_locked(struct pt_cortexm_chip *chip, const struct pt_cortexm_family *family)
{
	memset(chip, 0, sizeof(*chip));
	snprintf(chip->name, sizeof(chip->name), "locked %s", family->name);
	snprintf(chip->core, sizeof(chip->core), "core not accessible");
	make_regions(chip);
}

static void print_rows(const struct pt_cortexm_family *family, void (*say)(void *arg, const char *line), void *arg)
{
	const char *name, *source;
	char line[200];

	for (size_t i = 0; family->row != NULL && (name = family->row(i, &source)) != NULL; i++) {
		snprintf(line, sizeof(line), "  %-24s  %s", name, source);
		say(arg, line);
	}
}

void pt_cortexm_families_print(void (*say)(void *arg, const char *line), void *arg)
{
	char line[400];

	for (size_t i = 0; i < PT_LEN(families); i++) {
		snprintf(line, sizeof(line), "%s: %s", families[i]->name, families[i]->source);
		say(arg, line);
		print_rows(families[i], say, arg);
	}
}

/* If the table there is not of the family's designer, nothing of it is read. */
int pt_cortexm_discover_tables(struct pt_discovery *found, struct pt_mem *mem, struct pt_err *err)
{
	uint32_t table = 0;

	for (size_t i = 0; i < PT_LEN(families) && table == 0; i++) {
		bool there = false;

		if (families[i]->rom_table != 0 &&
		    pt_discover_is_table(mem, families[i]->rom_table, families[i]->designer, &there, err) < 0)
			return err->code;
		table = there ? families[i]->rom_table : 0;
	}
	return pt_discover_tables(found, mem, table, err);
}
