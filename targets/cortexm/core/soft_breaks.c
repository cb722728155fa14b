/* BKPT instructions in RAM: written at insertion, hidden from ordinary reads until removal. If the cores of a part
 * share memory, all of them see it. Source: Arm DDI 0419 (ARMv6-M), A6.7.12 (BKPT). */
#include <string.h>

#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

enum { BKPT_LOW = 0x00, BKPT_HIGH = 0xbe };	/* BKPT #0. Source: DDI 0419, A6.7.12 */
enum { SRAM_FIRST = 0x20000000, SRAM_LAST = 0x3fffffff };	/* of the architecture. Source: DDI 0419, B3.1 */

int pt_cortexm_soft_find(const struct pt_cortexm *cm, uint32_t addr)
{
	for (int i = 0; i < PT_MAX_SOFT; i++)
		if (cm->breaks.soft[i].used && cm->breaks.soft[i].addr == addr)
			return i;
	return -1;
}

/* Whether an instruction can be replaced there. On a chip without a map that is the SRAM region of the architecture. */
bool pt_cortexm_soft_fits(const struct pt_cortexm *cm, uint32_t addr)
{
	if (cm->chip.ram_bytes == 0)
		return addr >= SRAM_FIRST && addr <= SRAM_LAST;
	return addr >= cm->chip.ram_addr && addr - cm->chip.ram_addr < cm->chip.ram_bytes;
}

/* Whether the architecture allows instructions there. Source: DDI 0403, B3.1 */
static bool can_have_code(uint64_t addr)
{
	return addr < 0x40000000 || (addr >= 0x60000000 && addr < 0xa0000000);
}

/* The cores of a part may see the same memory. */
static void note_changed_code(struct pt_cortexm *cm, uint64_t addr)
{
	struct pt_cortexm *first = pt_cortexm_first(cm);

	for (unsigned i = 0; i < pt_cortexm_n_cores(first) && can_have_code(addr); i++)
		pt_cortexm_core(first, i)->breaks.code_changed = true;
}

/* Code was changed while an instruction cache is on. Source: DDI 0403, B2.2.7 (ICIALLU); that a debugger's write to it
 * works while the core runs is UNVERIFIED, so it is done before the core is let run, too. */
int pt_cortexm_breaks_sync(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t ccr = 0;

	if (!cm->chip.caches || !cm->breaks.code_changed)
		return 0;
	if (pt_mem_read32(cm->mem, pt_cortexm_reg(cm, SCS_CCR), &ccr, err) < 0 ||
	    ((ccr & CCR_IC) != 0 && pt_mem_write32(cm->mem, pt_cortexm_reg(cm, SCS_ICIALLU), 0, err) < 0))
		return pt_wrap(err, "empty the instruction cache");
	cm->breaks.code_changed = false;
	return 0;
}

static int code_access(struct pt_cortexm *cm, enum pt_mem_do what, uint32_t addr, uint8_t *bytes, struct pt_err *err)
{
	struct pt_mem_op op = { .what = (uint8_t)what, .code = true, .addr = addr, .bytes = bytes, .len_bytes = 2 };

	if (what == PT_MEM_WRITE)
		note_changed_code(cm, addr);
	return pt_mem_run(cm->mem, &op, 1, 1000, NULL, err);
}

/* original: the bytes without the breakpoint. */
static void note_bkpt(struct pt_cortexm *cm, uint32_t addr, const uint8_t *original)
{
	struct pt_pending_row row = { .width_bytes = 2, .at = addr, .was = pt_le16(original),
				      .ours = BKPT_HIGH << 8 | BKPT_LOW, .check = 0xffff, .mask = 0xffff,
				      .core = (uint8_t)cm->number };

	pt_cortexm_unit(cm, row.unit, "bkpt.%08x", (unsigned)addr);
	pt_pending_note(cm->target, &row, 1);
}

static int take_bkpt(struct pt_cortexm *cm, uint32_t addr, uint8_t *original, struct pt_err *err)
{
	char unit[PT_PENDING_UNIT];
	int rc = code_access(cm, PT_MEM_WRITE, addr, original, err);

	pt_cortexm_unit(cm, unit, "bkpt.%08x", (unsigned)addr);
	if (rc == 0)
		pt_pending_settle(cm->target, unit);
	return rc;
}

static int place_bkpt(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	uint8_t bkpt[2] = { BKPT_LOW, BKPT_HIGH }, seen[2] = { 0 };

	if (code_access(cm, PT_MEM_WRITE, addr, bkpt, err) < 0 || code_access(cm, PT_MEM_READ, addr, seen, err) < 0)
		return err->code;
	if (seen[0] != BKPT_LOW || seen[1] != BKPT_HIGH)
		return pt_fail(err, PT_EUNSUPPORTED, "0x%08x cannot be written", (unsigned)addr);
	return 0;
}

/* The core of the part that has written it to the shared memory, or NULL. */
static struct pt_cortexm *placed_by(struct pt_cortexm *cm, uint32_t addr, const uint8_t *seen, int *which)
{
	struct pt_cortexm *first = pt_cortexm_first(cm);

	for (unsigned i = 0; i < pt_cortexm_n_cores(first); i++) {
		struct pt_cortexm *core = pt_cortexm_core(first, i);

		*which = core != cm ? pt_cortexm_soft_find(core, addr) : -1;
		if (*which >= 0 && seen[0] == BKPT_LOW && seen[1] == BKPT_HIGH)
			return core;
	}
	return NULL;
}

static int place_or_share(struct pt_cortexm *cm, uint32_t addr, int i, struct pt_err *err)
{
	struct pt_cortexm *placer;
	int which;

	if (code_access(cm, PT_MEM_READ, addr, cm->breaks.soft[i].original, err) < 0)
		return err->code;
	placer = placed_by(cm, addr, cm->breaks.soft[i].original, &which);
	cm->breaks.soft[i].shared = placer != NULL;
	if (placer != NULL) {
		memcpy(cm->breaks.soft[i].original, placer->breaks.soft[which].original, 2);
		cm->breaks.code_changed = true;
		return 0;
	}
	note_bkpt(cm, addr, cm->breaks.soft[i].original);
	return place_bkpt(cm, addr, err);
}

int pt_cortexm_soft_insert(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	int i;

	if (pt_cortexm_soft_find(cm, addr) >= 0)
		return 0;
	for (i = 0; i < PT_MAX_SOFT && cm->breaks.soft[i].used; i++)
		;
	if (i == PT_MAX_SOFT)
		return pt_fail(err, PT_EBUSY, "%d software breakpoints are set already", PT_MAX_SOFT);
	if (place_or_share(cm, addr, i, err) < 0)
		return pt_wrap(err, "set a software breakpoint");
	cm->breaks.soft[i].used = true;
	cm->breaks.soft[i].addr = addr;
	return 0;
}

int pt_cortexm_soft_remove(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	int i = pt_cortexm_soft_find(cm, addr);

	if (i < 0)
		return 0;
	cm->breaks.soft[i].used = false;
	cm->breaks.code_changed = true;
	return cm->breaks.soft[i].shared ? 0 : take_bkpt(cm, addr, cm->breaks.soft[i].original, err);
}

/* Writes one breakpoint again, or removes it. */
int pt_cortexm_soft_write(struct pt_cortexm *cm, int i, bool on, struct pt_err *err)
{
	uint32_t addr = cm->breaks.soft[i].addr;

	if (cm->breaks.soft[i].shared) {
		cm->breaks.code_changed = true;
		return 0;
	}
	return on ? place_bkpt(cm, addr, err) : take_bkpt(cm, addr, cm->breaks.soft[i].original, err);
}

int pt_cortexm_soft_lift(struct pt_cortexm *cm, int i, bool lift, struct pt_err *err)
{
	uint32_t addr = cm->breaks.soft[i].addr;

	return lift ? code_access(cm, PT_MEM_WRITE, addr, cm->breaks.soft[i].original, err) : place_bkpt(cm, addr, err);
}

/* Also for the cores that see the same memory. */
static void keep_original(struct pt_cortexm *cm, uint32_t addr, unsigned b, uint8_t byte)
{
	struct pt_cortexm *first = pt_cortexm_first(cm);
	int own = pt_cortexm_soft_find(cm, addr);

	cm->breaks.soft[own].original[b] = byte;
	for (unsigned i = 0; i < pt_cortexm_n_cores(first); i++) {
		struct pt_cortexm *core = pt_cortexm_core(first, i);
		int which = pt_cortexm_soft_find(core, addr);

		if (which >= 0 && (core->breaks.soft[which].shared || cm->breaks.soft[own].shared))
			core->breaks.soft[which].original[b] = byte;
	}
}

/* Copies between bytes of memory and the originals, where they overlap. */
static void overlap(struct pt_cortexm *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes, bool keep)
{
	for (unsigned i = 0; i < PT_MAX_SOFT; i++)
		for (unsigned b = 0; cm->breaks.soft[i].used && b < 2; b++) {
			uint64_t at = (uint64_t)cm->breaks.soft[i].addr + b;

			if (at < addr || at - addr >= len_bytes)
				continue;
			if (keep)
				keep_original(cm, cm->breaks.soft[i].addr, b, bytes[at - addr]);
			bytes[at - addr] = keep ? (b == 0 ? BKPT_LOW : BKPT_HIGH) : cm->breaks.soft[i].original[b];
		}
}

void pt_cortexm_breaks_hide(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	overlap(cm, addr, bytes, len_bytes, false);
}

void pt_cortexm_breaks_keep(void *cm, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	note_changed_code(cm, addr);
	overlap(cm, addr, bytes, len_bytes, true);
}
