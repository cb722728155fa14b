/* Three tables: comparators of the BPU, those of the DWT (watchpoints.c), and BKPT instructions in RAM (soft_breaks.c).
 * A software breakpoint outside RAM uses a comparator, but is reported as a software breakpoint, because its client
 * expects this. Source: Arm DDI 0419 (ARMv6-M), C1.9 (BPU); DDI 0403, C1.11 (FPB version 2). */
#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

static const char owner[] = "breakpoints";
static const struct pt_field bpu_num_low = { "NUM_CODE", 4, 4, "comparators, low bits" };
static const struct pt_field bpu_num_high = { "NUM_CODE_HIGH", 12, 3, "comparators, high bits" };
static const struct pt_field bpu_rev = { "REV", 28, 4, "version" };

enum { UNITS_MS = 1000 };
enum { SRAM_FIRST = 0x20000000 };	/* of the architecture. Source: DDI 0419, B3.1 */

/* --- comparators of the BPU --------------------------------------------------------------------------------------- */

static uint64_t bpu_reg(const struct pt_cortexm *cm, unsigned offset)
{
	return cm->found.unit[PT_UNIT_BPU] + (uint64_t)offset;
}

static uint32_t bpu_comp(const struct pt_cortexm *cm, uint32_t addr)
{
	if (cm->breaks.bpu_any)
		return addr | BPU_ENABLE;
	return (addr & 0x1ffffffc) | (addr & 2 ? UINT32_C(2) : UINT32_C(1)) << 30 | BPU_ENABLE;
}

static int write_bpu(struct pt_cortexm *cm, unsigned i, bool on, struct pt_err *err)
{
	uint32_t found = cm->breaks.found_bpu[i], comp = on ? bpu_comp(cm, cm->breaks.bpu[i].addr) : found;
	struct pt_pending_row row = { .width_bytes = 4, .at = bpu_reg(cm, BPU_COMP + 4 * i), .was = found, .ours = comp,
				      .check = UINT32_MAX, .mask = UINT32_MAX, .core = (uint8_t)cm->number };
	int rc;

	pt_cortexm_unit(cm, row.unit, "bpu.%u", i);
	if (on)
		pt_pending_note(cm->target, &row, 1);
	rc = pt_mem_write32(cm->mem, row.at, comp, err);
	if (!on && rc == 0)
		pt_pending_settle(cm->target, row.unit);
	return rc;
}

static int write_bpu_ctrl(struct pt_cortexm *cm, bool on, struct pt_err *err)
{
	uint32_t enable = on ? BPU_ENABLE : cm->breaks.found_bpu_ctrl & BPU_ENABLE;

	uint32_t found = cm->breaks.found_bpu_ctrl & BPU_ENABLE;
	struct pt_pending_row row = { .width_bytes = 4, .at = bpu_reg(cm, BPU_CTRL), .was = BPU_KEY | found,
				      .ours = BPU_KEY | enable, .check = BPU_ENABLE, .mask = UINT32_MAX,
				      .core = (uint8_t)cm->number };
	int rc;

	pt_cortexm_unit(cm, row.unit, "bpu");
	cm->breaks.bpu_on = on;
	if (enable != found)
		pt_pending_note(cm->target, &row, 1);
	rc = pt_mem_write32(cm->mem, row.at, row.ours, err);
	if (enable == found && rc == 0)
		pt_pending_settle(cm->target, row.unit);
	return rc;
}

static int find_bpu(const struct pt_cortexm *cm, uint32_t addr, bool used)
{
	for (unsigned i = 0; i < cm->breaks.n_bpu; i++)
		if (cm->breaks.bpu[i].used == used && (!used || cm->breaks.bpu[i].addr == addr))
			return (int)i;
	return -1;
}

/* Finds a free comparator that nobody else has leased; the error says why there is none. */
static int take_bpu(struct pt_cortexm *cm, struct pt_err *err)
{
	char unit[PT_PENDING_UNIT];

	for (unsigned i = 0; i < cm->breaks.n_bpu; i++) {
		pt_cortexm_unit(cm, unit, "bpu.%u", i);
		if (!cm->breaks.bpu[i].used && pt_lease_take(cm->target, unit, owner, err) == 0)
			return (int)i;
	}
	return pt_fail(err, PT_EBUSY, "all %u hardware breakpoints of the core are in use: delete one first",
		       cm->breaks.n_bpu);
}

static void drop_bpu(struct pt_cortexm *cm, unsigned i)
{
	char unit[PT_PENDING_UNIT];

	cm->breaks.bpu[i].used = false;
	pt_cortexm_unit(cm, unit, "bpu.%u", i);
	pt_lease_drop(cm->target, unit, owner);
}

static int insert_hard(struct pt_cortexm *cm, uint32_t addr, bool as_soft, struct pt_err *err)
{
	int i = find_bpu(cm, addr, true);

	if (i >= 0)
		return 0;
	if (cm->breaks.n_bpu == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this chip has no hardware breakpoints");
	if (!cm->breaks.bpu_any && addr >= SRAM_FIRST)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "hardware breakpoints of this chip reach addresses below 0x20000000 only");
	i = take_bpu(cm, err);
	if (i < 0)
		return i;
	cm->breaks.bpu[i].used = true;
	cm->breaks.bpu[i].as_soft = as_soft;
	cm->breaks.bpu[i].addr = addr;
	if (write_bpu(cm, (unsigned)i, true, err) < 0 || write_bpu_ctrl(cm, true, err) < 0) {
		drop_bpu(cm, (unsigned)i);
		return pt_wrap(err, "set a hardware breakpoint");
	}
	return 0;
}

static int remove_hard(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	int i = find_bpu(cm, addr, true);

	if (i < 0)
		return 0;
	drop_bpu(cm, (unsigned)i);
	return write_bpu(cm, (unsigned)i, false, err);
}

/* --- all kinds ---------------------------------------------------------------------------------------------------- */

/* A unit that the ROM table does not list is missing: nothing is read instead, and it has no comparators. */
static struct pt_mem_op read_unit(const struct pt_cortexm *cm, enum pt_unit unit, unsigned offset, uint8_t *bytes,
				  size_t len_bytes)
{
	return pt_mem_words(PT_MEM_READ, cm->found.unit[unit] + (uint64_t)offset, bytes,
			    cm->found.unit[unit] != 0 ? len_bytes : 0);
}

/* Runs reads with a write of DEMCR between them, which is known to be done even if a later read fails. */
static int run_with_demcr(struct pt_cortexm *cm, struct pt_mem_op *ops, size_t n_ops, size_t at, uint32_t set,
			  uint32_t clear, struct pt_err *err)
{
	uint8_t bytes[4];
	uint32_t demcr;
	size_t n_done = 0;
	int rc = pt_cortexm_plan_demcr(cm, set, clear, &demcr, err), written = rc;

	if (rc < 0)
		return rc;
	pt_put_le32(bytes, demcr);
	ops[at] = pt_mem_words(PT_MEM_WRITE, pt_cortexm_reg(cm, SCS_DEMCR), bytes, written == 1 ? sizeof(bytes) : 0);
	rc = pt_mem_run(cm->mem, ops, n_ops, UNITS_MS, &n_done, err);
	if (written == 1 && n_done > at)
		pt_cortexm_wrote_demcr(cm, demcr);
	return rc;
}

/* The DWT is only there with TRCENA. Source: DDI 0419, C1.6.6 */
static int see_units(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_cortexm_breaks *breaks = &cm->breaks;
	uint8_t bpu[4] = { 0 }, dwt[4] = { 0 };
	struct pt_mem_op ops[] = {
		[0] = read_unit(cm, PT_UNIT_BPU, BPU_CTRL, bpu, sizeof(bpu)),
		[2] = read_unit(cm, PT_UNIT_DWT, DWT_CTRL, dwt, sizeof(dwt)),
	};

	if (run_with_demcr(cm, ops, PT_LEN(ops), 1, DEMCR_TRCENA, 0, err) < 0)
		return pt_wrap(err, "read BPU_CTRL and DWT_CTRL");
	breaks->found_bpu_ctrl = pt_le32(bpu);
	breaks->bpu_any = pt_field_get(&bpu_rev, breaks->found_bpu_ctrl) == 1;
	breaks->n_bpu = pt_field_get(&bpu_num_low, breaks->found_bpu_ctrl) |
			pt_field_get(&bpu_num_high, breaks->found_bpu_ctrl) << 4;
	if (breaks->n_bpu > PT_MAX_BPU)
		breaks->n_bpu = PT_MAX_BPU;
	pt_cortexm_watches_count(cm, pt_le32(dwt));
	return 0;
}

static int see_comparators(struct pt_cortexm *cm, uint32_t clear, struct pt_err *err)
{
	struct pt_cortexm_breaks *breaks = &cm->breaks;
	uint8_t bpu[4 * PT_MAX_BPU], dwt[DWT_STRIDE * PT_MAX_DWT];
	struct pt_mem_op ops[] = {
		[0] = read_unit(cm, PT_UNIT_BPU, BPU_COMP, bpu, (size_t)4 * breaks->n_bpu),
		[1] = read_unit(cm, PT_UNIT_DWT, DWT_COMP, dwt, (size_t)DWT_STRIDE * breaks->n_dwt),
		[2] = { .what = PT_MEM_WRITE },
	};

	if (run_with_demcr(cm, ops, PT_LEN(ops), 2, 0, clear, err) < 0)
		return pt_wrap(err, "read BPU_COMP and DWT_COMP");
	for (unsigned i = 0; i < breaks->n_bpu; i++)
		breaks->found_bpu[i] = pt_le32(bpu + (size_t)4 * i);
	pt_cortexm_watches_found(cm, dwt);
	return 0;
}

int pt_cortexm_breaks_init(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t clear = (cm->demcr & DEMCR_TRCENA) != 0 ? 0 : DEMCR_TRCENA;
	int rc = 0;

	if (see_units(cm, err) < 0 || see_comparators(cm, clear, err) < 0)
		rc = pt_wrap(err, "see what breakpoints there are");
	cm->demcr_is_new = false;
	return rc;
}

static int check(const struct pt_break *at, struct pt_err *err)
{
	if (at->addr > UINT32_MAX)
		return pt_fail(err, PT_EARG, "address 0x%llx is beyond 32 bits", (unsigned long long)at->addr);
	if (at->kind <= PT_BREAK_HW && at->addr % 2 != 0)
		return pt_fail(err, PT_EARG, "no instruction can start at 0x%08llx", (unsigned long long)at->addr);
	return 0;
}

/* A running core may have the old code in its cache; a halted one sees the new code when it is resumed. */
static int insert_soft(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	int rc = pt_cortexm_soft_insert(cm, addr, err);

	return rc < 0 || cm->halted ? rc : pt_cortexm_breaks_sync(cm, err);
}

static int remove_soft(struct pt_cortexm *cm, uint32_t addr, struct pt_err *err)
{
	int rc = pt_cortexm_soft_remove(cm, addr, err);

	return rc < 0 || cm->halted ? rc : pt_cortexm_breaks_sync(cm, err);
}

int pt_cortexm_breaks_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_cortexm *cm = state;

	cm->attended = true;
	if (check(at, err) < 0 || pt_cortexm_enable_debug(cm, err) < 0)
		return err->code;
	switch (at->kind) {
	case PT_BREAK_SW:
		if (pt_cortexm_soft_fits(cm, (uint32_t)at->addr))
			return insert_soft(cm, (uint32_t)at->addr, err);
		return insert_hard(cm, (uint32_t)at->addr, true, err);
	case PT_BREAK_HW:
		return insert_hard(cm, (uint32_t)at->addr, false, err);
	default:
		return pt_cortexm_watches_insert(cm, at, err);
	}
}

int pt_cortexm_breaks_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_cortexm *cm = state;

	if (check(at, err) < 0)
		return err->code;
	switch (at->kind) {
	case PT_BREAK_SW:
		if (pt_cortexm_soft_fits(cm, (uint32_t)at->addr))
			return remove_soft(cm, (uint32_t)at->addr, err);
		return remove_hard(cm, (uint32_t)at->addr, err);
	case PT_BREAK_HW:
		return remove_hard(cm, (uint32_t)at->addr, err);
	default:
		return pt_cortexm_watches_remove(cm, at, err);
	}
}

/* Keeps the first of several errors. */
static void keep_first(struct pt_err *first, int rc, const struct pt_err *err)
{
	if (rc < 0 && first->code == 0)
		*first = *err;
}

/* Writes, or removes, every breakpoint; continues after errors. */
static int for_all(struct pt_cortexm *cm, bool on, struct pt_err *err)
{
	struct pt_err first = { 0 }, this = { 0 };

	for (unsigned i = 0; i < cm->breaks.n_bpu; i++)
		if (cm->breaks.bpu[i].used)
			keep_first(&first, write_bpu(cm, i, on, &this), &this);
	for (unsigned i = 0; i < cm->breaks.n_dwt; i++)
		if (cm->breaks.dwt[i].used)
			keep_first(&first, pt_cortexm_watches_write(cm, i, on, &this), &this);
	for (int i = 0; i < PT_MAX_SOFT; i++)
		if (cm->breaks.soft[i].used)
			keep_first(&first, pt_cortexm_soft_write(cm, i, on, &this), &this);
	if (first.code != 0)
		*err = first;
	return first.code;
}

int pt_cortexm_breaks_remove_all(struct pt_cortexm *cm, struct pt_err *err)
{
	int rc = for_all(cm, false, err);

	for (unsigned i = 0; i < PT_MAX_BPU; i++)
		if (cm->breaks.bpu[i].used)
			drop_bpu(cm, i);
	for (unsigned i = 0; i < PT_MAX_DWT; i++)
		if (cm->breaks.dwt[i].used)
			pt_cortexm_watches_drop(cm, i);
	for (unsigned i = 0; i < PT_MAX_SOFT; i++)
		cm->breaks.soft[i].used = false;
	if (rc == 0 && cm->breaks.n_bpu != 0)
		rc = write_bpu_ctrl(cm, false, err);
	return rc < 0 ? rc : pt_cortexm_breaks_sync(cm, err);
}

int pt_cortexm_breaks_leave(struct pt_cortexm *cm, struct pt_err *err)
{
	if (pt_cortexm_breaks_sync(cm, err) < 0)
		return err->code;
	for (unsigned i = 0; i < cm->breaks.n_bpu; i++)
		if (cm->breaks.bpu[i].used)
			return 0;
	return cm->breaks.bpu_on ? write_bpu_ctrl(cm, false, err) : 0;
}

int pt_cortexm_breaks_write_again(struct pt_cortexm *cm, struct pt_err *err)
{
	bool hard = false;

	for (unsigned i = 0; i < cm->breaks.n_bpu; i++)
		hard |= cm->breaks.bpu[i].used;
	if (hard && write_bpu_ctrl(cm, true, err) < 0)
		return pt_wrap(err, "set breakpoints again");
	if (for_all(cm, true, err) < 0)
		return pt_wrap(err, "set breakpoints again");
	return 0;
}

bool pt_cortexm_breaks_at(const struct pt_cortexm *cm, uint32_t pc, enum pt_break_kind *kind)
{
	int i = find_bpu(cm, pc, true);

	if (i >= 0)
		*kind = cm->breaks.bpu[i].as_soft ? PT_BREAK_SW : PT_BREAK_HW;
	else if (pt_cortexm_soft_find(cm, pc) >= 0)
		*kind = PT_BREAK_SW;
	else
		return false;
	return true;
}

/* Lists the breakpoints as they were requested: comparators of the BPU and the DWT, and those in RAM. */
static bool get_break(const struct pt_cortexm_breaks *b, unsigned i, struct pt_break *at)
{
	if (i < PT_MAX_BPU) {
		*at = (struct pt_break){ .kind = b->bpu[i].as_soft ? PT_BREAK_SW : PT_BREAK_HW, .addr = b->bpu[i].addr };
		return b->bpu[i].used;
	}
	i -= PT_MAX_BPU;
	if (i < PT_MAX_DWT) {
		*at = (struct pt_break){ .kind = b->dwt[i].kind, .addr = b->dwt[i].addr, .len = b->dwt[i].len };
		return b->dwt[i].used;
	}
	i -= PT_MAX_DWT;
	*at = (struct pt_break){ .kind = PT_BREAK_SW, .addr = b->soft[i].addr };
	return b->soft[i].used;
}

int pt_cortexm_breaks_copy(struct pt_cortexm *cm, const struct pt_cortexm *from, struct pt_err *err)
{
	struct pt_err first = { 0 }, this = { 0 };
	struct pt_break at;

	for (unsigned i = 0; i < PT_MAX_BPU + PT_MAX_DWT + PT_MAX_SOFT; i++)
		if (get_break(&from->breaks, i, &at))
			keep_first(&first, pt_cortexm_breaks_insert(cm, &at, &this), &this);
	if (first.code != 0)
		*err = first;
	return first.code;
}

bool pt_cortexm_breaks_any(const struct pt_cortexm *cm)
{
	bool any = false;

	for (unsigned i = 0; i < cm->breaks.n_bpu; i++)
		any |= cm->breaks.bpu[i].used;
	for (unsigned i = 0; i < PT_MAX_SOFT; i++)
		any |= cm->breaks.soft[i].used;
	return any;
}

int pt_cortexm_breaks_lift(struct pt_cortexm *cm, uint32_t pc, bool lift, struct pt_err *err)
{
	int hard = find_bpu(cm, pc, true), soft = pt_cortexm_soft_find(cm, pc), rc = 0;

	if (hard >= 0)
		rc = write_bpu(cm, (unsigned)hard, !lift, err);
	if (rc == 0 && soft >= 0)
		rc = pt_cortexm_soft_lift(cm, soft, lift, err);
	return rc;
}
