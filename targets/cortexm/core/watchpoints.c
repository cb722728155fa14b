/* Watchpoints: comparators of the DWT. Source: Arm DDI 0419 (ARMv6-M), C1.8; DDI 0403 (ARMv7-M), C1.8; DDI 0553 (ARMv8-M),
 * D1.2. */
#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

static const char owner[] = "breakpoints";	/* name for leases: the same for other users */
static const struct pt_field dwt_num = { "NUMCOMP", 28, 4, "comparators" };

enum { UNITS_MS = 1000 };

static uint64_t dwt_reg(const struct pt_cortexm *cm, unsigned offset)
{
	return cm->found.unit[PT_UNIT_DWT] + (uint64_t)offset;
}

static uint32_t log2_of(uint32_t len)
{
	uint32_t bits = 0;

	while (UINT32_C(1) << bits < len)
		bits++;
	return bits;
}

/* The value of FUNCTION for a comparator. */
static uint32_t dwt_function(const struct pt_cortexm *cm, enum pt_break_kind kind, uint32_t len)
{
	if (cm->breaks.dwt_v2)
		return (uint32_t)(kind == PT_WATCH_WRITE  ? DWT_V2_WATCH_WRITE
				  : kind == PT_WATCH_READ ? DWT_V2_WATCH_READ
							  : DWT_V2_WATCH_ACCESS) |
		       DWT_V2_HALTS | log2_of(len) << DWT_V2_SIZE;
	return kind == PT_WATCH_WRITE ? DWT_WATCH_WRITE : kind == PT_WATCH_READ ? DWT_WATCH_READ : DWT_WATCH_ACCESS;
}

/* In the order of writing: off, what it watches, FUNCTION. */
static void note(struct pt_cortexm *cm, unsigned i, const uint32_t *value)
{
	const struct pt_cortexm_breaks *breaks = &cm->breaks;
	struct pt_pending_row row[] = {
		{ .at = DWT_FUNCTION, .was = DWT_OFF, .ours = value[3] },
		{ .at = DWT_COMP, .was = breaks->found_dwt[i].comp, .ours = value[1], .check = UINT32_MAX },
		{ .at = DWT_MASK, .was = breaks->found_dwt[i].mask, .ours = value[2], .check = UINT32_MAX },
		{ .at = DWT_FUNCTION, .was = breaks->found_dwt[i].function, .ours = value[3],
		  .check = UINT32_MAX & ~(uint32_t)DWT_MATCHED },
	};

	for (size_t n = 0; n < PT_LEN(row); n++) {
		pt_cortexm_unit(cm, row[n].unit, "dwt.%u", i);
		row[n].core = (uint8_t)cm->number;
		row[n].at = dwt_reg(cm, (unsigned)row[n].at + DWT_STRIDE * i);
		row[n].width_bytes = 4;
		row[n].mask = UINT32_MAX;
	}
	pt_pending_note(cm->target, row, PT_LEN(row));
}

/* Off first and FUNCTION last, so that the comparator never watches half an address. */
int pt_cortexm_watches_write(struct pt_cortexm *cm, unsigned i, bool on, struct pt_err *err)
{
	const struct pt_cortexm_breaks *breaks = &cm->breaks;
	uint32_t value[] = { DWT_OFF, breaks->found_dwt[i].comp, breaks->found_dwt[i].mask,
			     breaks->found_dwt[i].function };
	static const unsigned offset[] = { DWT_FUNCTION, DWT_COMP, DWT_MASK, DWT_FUNCTION };
	struct pt_mem_op op[PT_LEN(value)];
	uint8_t bytes[PT_LEN(value)][4];
	char unit[PT_PENDING_UNIT];

	if (on) {
		value[1] = breaks->dwt[i].addr;
		value[2] = breaks->dwt_v2 ? breaks->found_dwt[i].mask : log2_of(breaks->dwt[i].len);
		value[3] = dwt_function(cm, breaks->dwt[i].kind, breaks->dwt[i].len);
	}
	if (on)
		note(cm, i, value);
	for (size_t n = 0; n < PT_LEN(value); n++) {
		pt_put_le32(bytes[n], value[n]);
		op[n] = (struct pt_mem_op){ .what = PT_MEM_WRITE, .width_bytes = 4,
					    .addr = dwt_reg(cm, offset[n] + DWT_STRIDE * i),
					    .bytes = bytes[n], .len_bytes = 4 };
	}
	if (pt_mem_run(cm->mem, op, PT_LEN(value), UNITS_MS, NULL, err) < 0)
		return err->code;
	pt_cortexm_unit(cm, unit, "dwt.%u", i);
	if (!on)
		pt_pending_settle(cm->target, unit);
	return 0;
}

static int find_dwt(const struct pt_cortexm *cm, const struct pt_break *at)
{
	for (unsigned i = 0; i < cm->breaks.n_dwt; i++)
		if (cm->breaks.dwt[i].used && cm->breaks.dwt[i].kind == at->kind &&
		    cm->breaks.dwt[i].addr == at->addr && cm->breaks.dwt[i].len == at->len)
			return (int)i;
	return -1;
}

static int take_dwt(struct pt_cortexm *cm, struct pt_err *err)
{
	char unit[PT_PENDING_UNIT];

	for (unsigned i = 0; i < cm->breaks.n_dwt; i++) {
		pt_cortexm_unit(cm, unit, "dwt.%u", i);
		if (!cm->breaks.dwt[i].used && pt_lease_take(cm->target, unit, owner, err) == 0)
			return (int)i;
	}
	return pt_fail(err, PT_EBUSY, "all %u watchpoints of the core are in use: delete one first", cm->breaks.n_dwt);
}

void pt_cortexm_watches_drop(struct pt_cortexm *cm, unsigned i)
{
	char unit[PT_PENDING_UNIT];

	cm->breaks.dwt[i].used = false;
	pt_cortexm_unit(cm, unit, "dwt.%u", i);
	pt_lease_drop(cm->target, unit, owner);
}

int pt_cortexm_watches_insert(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err)
{
	int i = find_dwt(cm, at);

	if (i >= 0)
		return 0;
	if (cm->breaks.n_dwt == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this chip has no watchpoints");
	if (at->len == 0 || (at->len & (at->len - 1)) != 0 || at->addr % at->len != 0)
		return pt_fail(err, PT_EARG, "a watchpoint covers 1, 2, 4, 8, ... bytes at a multiple of that");
	if (cm->breaks.dwt_v2 && at->len > DWT_V2_MOST_BYTES)
		return pt_fail(err, PT_EARG, "a watchpoint of this core covers 1, 2 or 4 bytes");
	i = take_dwt(cm, err);
	if (i < 0)
		return i;
	cm->breaks.dwt[i].used = true;
	cm->breaks.dwt[i].kind = at->kind;
	cm->breaks.dwt[i].addr = (uint32_t)at->addr;
	cm->breaks.dwt[i].len = at->len;
	if (pt_cortexm_set_demcr(cm, DEMCR_TRCENA, 0, err) < 0 ||
	    pt_cortexm_watches_write(cm, (unsigned)i, true, err) < 0) {
		pt_cortexm_watches_drop(cm, (unsigned)i);
		return pt_wrap(err, "set a watchpoint");
	}
	return 0;
}

int pt_cortexm_watches_remove(struct pt_cortexm *cm, const struct pt_break *at, struct pt_err *err)
{
	int i = find_dwt(cm, at);

	if (i < 0)
		return 0;
	pt_cortexm_watches_drop(cm, (unsigned)i);
	return pt_cortexm_watches_write(cm, (unsigned)i, false, err);
}

bool pt_cortexm_breaks_watched(struct pt_cortexm *cm, enum pt_break_kind *kind, uint64_t *addr)
{
	bool found = false;

	for (unsigned i = 0; i < cm->breaks.n_dwt; i++) {	/* read all: MATCHED is cleared by reading */
		struct pt_err ignored = { 0 };
		uint32_t function = 0;

		if (!cm->breaks.dwt[i].used ||
		    pt_mem_read32(cm->mem, dwt_reg(cm, DWT_FUNCTION + DWT_STRIDE * i), &function, &ignored) < 0 ||
		    (function & DWT_MATCHED) == 0)
			continue;
		*kind = cm->breaks.dwt[i].kind;
		*addr = cm->breaks.dwt[i].addr;
		found = true;
	}
	return found;
}

void pt_cortexm_watches_count(struct pt_cortexm *cm, uint32_t dwt_ctrl)
{
	struct pt_cortexm_breaks *breaks = &cm->breaks;

	breaks->dwt_v2 = pt_cortexm_is_v8(&cm->chip);
	breaks->n_dwt = pt_field_get(&dwt_num, dwt_ctrl);
	if (breaks->n_dwt > PT_MAX_DWT)
		breaks->n_dwt = PT_MAX_DWT;
}

/* A read clears MATCHED, which is not a setting. */
void pt_cortexm_watches_found(struct pt_cortexm *cm, const uint8_t *comparators)
{
	for (unsigned i = 0; i < cm->breaks.n_dwt; i++) {
		const uint8_t *at = comparators + (size_t)DWT_STRIDE * i;

		cm->breaks.found_dwt[i].comp = pt_le32(at);
		cm->breaks.found_dwt[i].mask = pt_le32(at + (DWT_MASK - DWT_COMP));
		cm->breaks.found_dwt[i].function = pt_le32(at + (DWT_FUNCTION - DWT_COMP)) & ~(uint32_t)DWT_MATCHED;
	}
}

bool pt_cortexm_breaks_watching(const struct pt_cortexm *cm)
{
	bool any = false;

	for (unsigned i = 0; i < cm->breaks.n_dwt; i++)
		any |= cm->breaks.dwt[i].used;
	return any;
}
