/* Discovery in batches: the ID registers of all components of one level of ROM tables are one batch, and so are the
 * entries of a table. A component may be absent, asleep or protected: if one faults it is skipped, and the rest of its
 * batch is read again. */
#include <stdio.h>
#include <string.h>

#include "targets/arm/discovery.h"
#include "base/util.h"

enum {
	BATCH_MS = 1000,
	MAX_DEPTH = 4,
	ENTRIES_AT_ONCE = 8,	/* most tables are shorter */
	TABLE_ENTRIES = 960,	/* 000..EFC. Source: IHI 0031, chapter on ROM tables */
};

/* Source: Arm DDI 0419, table C1-1. */
#define CORE_TABLE UINT32_C(0xe00ff000)

/* CoreSight ID registers. Source: IHI 0029, B2 */
enum { DEVARCH = 0xfbc, PIDR4 = 0xfd0, ID_BYTES = 48 };
enum { CLASS_ROM = 1, CLASS_CORESIGHT = 9, ARCHID_ROM = 0x0af7 };
enum { ARM = 0x43b, FREESCALE = 0x00e, ANY = -1 };	/* JEP106: continuation code, then identity */

/* The known components. If a component has an architecture ID, this decides; else designer and part. Source: Arm TRMs
 * of the cores, DDI 0486 (MTB-M0+), NXP KL25 Sub-Family Reference Manual 9.5 (MTB_DWT). */
static const struct row {
	enum pt_unit unit;
	int archid, designer, part;
} rows[] = {
	{ PT_UNIT_SCS, 0x2a04, ANY, ANY },	{ PT_UNIT_SCS, ANY, ARM, 0x008 },
	{ PT_UNIT_SCS, ANY, ARM, 0x000 },	{ PT_UNIT_SCS, ANY, ARM, 0x00c },
	{ PT_UNIT_DWT, 0x1a02, ANY, ANY },	{ PT_UNIT_DWT, ANY, ARM, 0x00a },
	{ PT_UNIT_DWT, ANY, ARM, 0x002 },
	{ PT_UNIT_BPU, 0x1a03, ANY, ANY },	{ PT_UNIT_BPU, ANY, ARM, 0x00b },
	{ PT_UNIT_BPU, ANY, ARM, 0x003 },	{ PT_UNIT_BPU, ANY, ARM, 0x00e },
	{ PT_UNIT_MTB, 0x0a31, ANY, ANY },	{ PT_UNIT_MTB, ANY, ARM, 0x932 },
	{ PT_UNIT_MTB_DWT, ANY, FREESCALE, 0x000 },
};

const char *pt_unit_name(enum pt_unit unit)
{
	static const char *const names[] = { "SCS", "DWT", "BPU", "MTB", "MTB_DWT" };

	return unit < PT_N_UNITS ? names[unit] : "?";
}

/* --- access ports ------------------------------------------------------------------------------------------------- */

static bool reaches_memory(uint32_t idr)
{
	uint32_t class = idr >> 13 & 0xf, type = idr & 0xf;

	return class == 8 && (type == 1 || type == 5);	/* MEM-AP on AHB or AHB5. Source: IHI 0031, 7.5.3 */
}

bool pt_discover_has_memory(const struct pt_discovery *found, uint8_t ap)
{
	return ap < PT_MAX_AP && reaches_memory(found->idr[ap]);
}

int pt_discover_aps(struct pt_discovery *found, struct pt_adi *adi, struct pt_err *err)
{
	struct pt_dap_op ops[2 * PT_MAX_AP];
	size_t n = 0, n_done = 0;

	found->has_bases = false;
	if (pt_adi_begin(adi, err) < 0)
		return err->code;
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++) {
		n += pt_adi_select(adi, ap, AP_IDR, &ops[n]) ? 1 : 0;
		ops[n++] = (struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = AP_IDR & 0xc,
					       .words = &found->idr[ap] };
	}
	if (pt_adi_run(adi, ops, n, BATCH_MS, &n_done, err) < 0)
		return pt_wrap(err, "look for access ports");
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++)
		if (pt_discover_has_memory(found, ap)) {
			found->mem_ap = ap;
			return 0;
		}
	return pt_fail(err, PT_EUNSUPPORTED, "no access port reaches the memory (IDR of port 0: 0x%08x)",
		       (unsigned)found->idr[0]);
}

/* --- ROM tables --------------------------------------------------------------------------------------------------- */

/* Runs all ops; one that faults twice is skipped, with zeros as its result. */
static int run_tolerant(struct pt_mem *mem, struct pt_mem_op *ops, size_t n_ops, struct pt_err *err)
{
	size_t at = 0, faulted = SIZE_MAX;

	while (at < n_ops) {
		size_t n_done = 0;
		int rc = pt_mem_run(mem, ops + at, n_ops - at, BATCH_MS, &n_done, err);

		if (rc < 0 && rc != PT_EFAULT)
			return rc;
		at += n_done;
		if (rc == PT_EFAULT && at < n_ops && faulted == at)
			memset(ops[at++].bytes, 0, ops[faulted].len_bytes);
		else if (rc == PT_EFAULT)
			faulted = at;
	}
	return 0;
}

struct ids { uint8_t id[ID_BYTES], devarch[4]; };

static void take_ids(struct pt_component *component, const struct ids *ids)
{
	component->pidr[4] = pt_le32(ids->id);
	for (int i = 0; i < 4; i++) {
		component->pidr[i] = pt_le32(ids->id + 16 + 4 * i);
		component->cidr |= (pt_le32(ids->id + 32 + 4 * i) & 0xff) << 8 * i;
	}
	if ((component->cidr >> 12 & 0xf) == CLASS_CORESIGHT)	/* it is defined only there */
		component->devarch = pt_le32(ids->devarch);
}

/* Reads the IDs of the components from first on, whose base is known. */
static int identify(struct pt_discovery *found, size_t first, struct pt_mem *mem, struct pt_err *err)
{
	struct pt_mem_op ops[2 * PT_MAX_COMPONENTS];
	struct ids ids[PT_MAX_COMPONENTS] = { 0 };
	size_t n = 0;

	for (size_t i = first; i < found->n_components; i++) {
		uint32_t base = found->component[i].base;

		ops[n++] = pt_mem_words(PT_MEM_READ, base + PIDR4, ids[i].id, ID_BYTES);
		ops[n++] = pt_mem_words(PT_MEM_READ, base + DEVARCH, ids[i].devarch, 4);
	}
	if (run_tolerant(mem, ops, n, err) < 0)
		return pt_wrap(err, "read component IDs");
	for (size_t i = first; i < found->n_components; i++)
		take_ids(&found->component[i], &ids[i]);
	return 0;
}

static bool is_component(const struct pt_component *component)
{
	return (component->cidr & 0xffff0fff) == 0xb105000d;	/* preamble. Source: IHI 0029, B2.2 */
}

static uint32_t archid(const struct pt_component *component)
{
	return (component->devarch >> 20 & 1) != 0 ? component->devarch & 0xffff : 0;	/* PRESENT */
}

static bool is_table(const struct pt_component *component)
{
	uint32_t class = component->cidr >> 12 & 0xf;

	return is_component(component) &&
	       (class == CLASS_ROM || (class == CLASS_CORESIGHT && archid(component) == ARCHID_ROM));
}

static void add(struct pt_discovery *found, uint32_t base, uint8_t depth)
{
	for (size_t i = 0; i < found->n_components; i++)
		if (found->component[i].base == base)
			return;		/* this ends tables that refer to each other */
	if (found->n_components < PT_MAX_COMPONENTS)
		found->component[found->n_components++] = (struct pt_component){ .base = base, .depth = depth };
}

/* One present entry: bit 0, of a CoreSight table bits 1:0. Returns false at the end of the table. */
static bool take_entry(struct pt_discovery *found, size_t table, uint32_t entry)
{
	const struct pt_component *at = &found->component[table];
	uint32_t present = (at->cidr >> 12 & 0xf) == CLASS_ROM ? 1 : 3;

	if (entry == 0)
		return false;
	if ((entry & present) == present && at->depth < MAX_DEPTH)
		add(found, at->base + (entry & ~UINT32_C(0xfff)), at->depth + 1);
	return true;
}

static int read_table(struct pt_discovery *found, size_t table, struct pt_mem *mem, struct pt_err *err)
{
	uint32_t base = found->component[table].base;
	bool more = true;

	for (unsigned i = 0; more && i < TABLE_ENTRIES; i += ENTRIES_AT_ONCE) {
		uint8_t bytes[4 * ENTRIES_AT_ONCE];
		struct pt_mem_op op = pt_mem_words(PT_MEM_READ, base + 4 * i, bytes, sizeof(bytes));

		if (run_tolerant(mem, &op, 1, err) < 0)
			return pt_wrap(err, "read the ROM table at 0x%08x", (unsigned)base);
		for (unsigned k = 0; more && k < ENTRIES_AT_ONCE; k++)
			more = take_entry(found, table, pt_le32(bytes + 4 * k));
	}
	return 0;
}

/* Level by level: the entries of every table of a level, then all their IDs in one batch. */
static int walk(struct pt_discovery *found, struct pt_mem *mem, struct pt_err *err)
{
	size_t first = 0;

	add(found, found->rom_base, 0);
	while (first < found->n_components) {
		size_t end = found->n_components;

		if (identify(found, first, mem, err) < 0)
			return err->code;
		for (; first < end; first++)
			if (is_table(&found->component[first]) && read_table(found, first, mem, err) < 0)
				return err->code;
	}
	return 0;
}

/* --- who is what -------------------------------------------------------------------------------------------------- */

static int designer_of(const struct pt_component *component)
{
	return (int)((component->pidr[4] & 0xf) << 8 | (component->pidr[1] >> 4 & 0xf) | (component->pidr[2] & 7) << 4);
}

static int part_of(const struct pt_component *component)
{
	return (int)((component->pidr[0] & 0xff) | (component->pidr[1] & 0xf) << 8);
}

static bool fits(const struct row *row, const struct pt_component *component)
{
	if (row->archid != ANY)
		return archid(component) == (uint32_t)row->archid;
	return archid(component) == 0 && row->designer == designer_of(component) && row->part == part_of(component);
}

static void name_units(struct pt_discovery *found)
{
	for (size_t i = 0; i < found->n_components; i++) {
		const struct pt_component *at = &found->component[i];

		for (size_t r = 0; is_component(at) && !is_table(at) && r < PT_LEN(rows); r++)
			if (fits(&rows[r], at) && found->unit[rows[r].unit] == 0)
				found->unit[rows[r].unit] = at->base;
	}
}

static void take_standard_places(struct pt_discovery *found)
{
	found->from_table = found->unit[PT_UNIT_SCS] != 0;
	if (found->from_table)
		return;
	found->unit[PT_UNIT_SCS] = 0xe000e000;
	found->unit[PT_UNIT_DWT] = 0xe0001000;
	found->unit[PT_UNIT_BPU] = 0xe0002000;
}

/* Reads BASE of all access ports that reach memory, in one batch. */
static int read_bases(struct pt_discovery *found, struct pt_adi *adi, struct pt_err *err)
{
	struct pt_dap_op ops[2 * PT_MAX_AP];
	size_t n = 0, n_done = 0;

	if (pt_adi_begin(adi, err) < 0)
		return err->code;
	for (uint8_t ap = 0; ap < PT_MAX_AP; ap++) {
		if (!pt_discover_has_memory(found, ap))
			continue;
		n += pt_adi_select(adi, ap, AP_BASE, &ops[n]) ? 1 : 0;
		ops[n++] = (struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = AP_BASE & 0xc,
					       .words = &found->base[ap] };
	}
	if (pt_adi_run(adi, ops, n, BATCH_MS, &n_done, err) < 0)
		return pt_wrap(err, "read the base of the ROM table");
	found->has_bases = true;
	return 0;
}

int pt_discover_units(struct pt_discovery *found, struct pt_adi *adi, struct pt_mem *mem, struct pt_err *err)
{
	uint32_t base;

	found->by_name = false;
	if (!found->has_bases && read_bases(found, adi, err) < 0)
		return err->code;
	base = found->base[found->mem_ap];
	if (base != UINT32_MAX && (base & 1) != 0) {	/* present */
		found->rom_base = base & ~UINT32_C(0xfff);
		if (walk(found, mem, err) < 0)
			return err->code;
		name_units(found);
	}
	take_standard_places(found);
	return 0;
}

/* A core whose bus does not answer counts, too: its table is at the architecture's address. */
bool pt_discover_is_core(const struct pt_discovery *found)
{
	return found->from_table || found->rom_base >> 20 == CORE_TABLE >> 20;
}

static bool is_table_of(const struct pt_component *component, uint16_t designer)
{
	return is_table(component) && designer_of(component) == designer;
}

bool pt_discover_has_table(const struct pt_discovery *found, uint32_t base, uint16_t designer)
{
	for (size_t i = 0; i < found->n_components; i++)
		if (found->component[i].base == base)
			return is_table_of(&found->component[i], designer);
	return false;
}

bool pt_discover_root(const struct pt_discovery *found, uint16_t *designer, uint16_t *part)
{
	if (found->n_components == 0 || !is_table(&found->component[0]))
		return false;
	*designer = (uint16_t)designer_of(&found->component[0]);
	*part = (uint16_t)part_of(&found->component[0]);
	return true;
}

int pt_discover_is_table(struct pt_mem *mem, uint32_t base, uint16_t designer, bool *there, struct pt_err *err)
{
	struct pt_discovery one = { .n_components = 0 };

	add(&one, base, 0);
	if (identify(&one, 0, mem, err) < 0)
		return err->code;
	*there = is_table_of(&one.component[0], designer);
	return 0;
}

int pt_discover_tables(struct pt_discovery *found, struct pt_mem *mem, uint32_t rom_table, struct pt_err *err)
{
	found->rom_base = rom_table != 0 ? rom_table : CORE_TABLE;
	if (walk(found, mem, err) < 0)
		return err->code;
	name_units(found);
	take_standard_places(found);
	return 0;
}

void pt_discovery_print(const struct pt_discovery *found, char *line, size_t room)
{
	size_t n = (size_t)snprintf(line, room, "units:");

	for (int unit = 0; unit < PT_N_UNITS && n < room; unit++)
		if (found->unit[unit] != 0)
			n += (size_t)snprintf(line + n, room - n, " %s 0x%08x", pt_unit_name(unit),
					      (unsigned)found->unit[unit]);
}

bool pt_discover_is_mtb(struct pt_mem *mem, uint32_t base)
{
	struct pt_err ignored = { 0 };
	uint32_t devarch = 0;

	return pt_mem_read32(mem, base + DEVARCH, &devarch, &ignored) == 0 && (devarch & 0xfff0ffff) == 0x47700a31;
}
