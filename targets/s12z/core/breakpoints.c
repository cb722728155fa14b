/* Two tables: the DBG's comparators, and BGND instructions in RAM. A software breakpoint outside RAM uses a comparator,
 * and still reports as a software breakpoint, which its client expects.
 *
 * A match of any used comparator takes the sequencer from State1 to the Final State, which, without tracing, leads to
 * State0 and active background (BDMBP, BRKCPU). A comparator with one address matches every access that touches it; a
 * range of two or more bytes takes a pair (A and B, or C and D). Source: ZVHY 6.3.2 (registers), 6.4.2 (comparators),
 * 6.4.7 (breakpoints). */
#include <stdio.h>
#include <string.h>

#include "targets/s12z/core/s12z.h"
#include "base/util.h"

static const char owner[] = "breakpoints";

enum { BGND = 0x00, COMP_C = 2, N_PAIRS = 2 };

/* --- comparators -------------------------------------------------------------------------------------------------- */

static bool exists(const struct pt_s12z *z, unsigned i)
{
	return z->dbg.kind != PT_DBG_NONE && (i != COMP_C || z->dbg.kind != PT_DBG_LITE);
}

static bool any_comp(const struct pt_s12z *z)
{
	bool any = false;

	for (unsigned i = 0; i < PT_DBG_COMPS; i++)
		any |= z->breaks.comp[i].used;
	return any;
}

/* D first, and A last, so that a pair stays free as long as possible. */
static int free_comp(const struct pt_s12z *z)
{
	for (int i = PT_DBG_COMPS - 1; i >= 0; i--)
		if (exists(z, (unsigned)i) && !z->breaks.comp[i].used)
			return i;
	return -1;
}

static int free_pair(const struct pt_s12z *z)
{
	for (int i = 0; i < 2 * N_PAIRS; i += 2)
		if (exists(z, (unsigned)i) && !z->breaks.comp[i].used && !z->breaks.comp[i + 1].used)
			return i;
	return -1;
}

static unsigned control_of(const struct pt_s12z *z, unsigned i)
{
	const struct pt_dbg_codes *codes = &z->dbg.codes;

	switch (z->breaks.comp[i].kind) {
	case PT_WATCH_WRITE:
		return CTL_COMPE | CTL_RWE | (codes->rw_write != 0 ? CTL_RW : 0);
	case PT_WATCH_READ:
		return CTL_COMPE | CTL_RWE | (codes->rw_read != 0 ? CTL_RW : 0);
	case PT_WATCH_ACCESS:
		return CTL_COMPE;
	default:
		return CTL_COMPE | CTL_INST;
	}
}

static void put_comp(const struct pt_s12z *z, struct pt_dbg_writes *w, unsigned i)
{
	unsigned bank = DBG_ACTL + DBG_BANK * i;

	if (!exists(z, i))
		return;
	if (!z->breaks.comp[i].used) {
		pt_dbg_put(w, bank + DBG_CTL, 0);
		return;
	}
	pt_dbg_put_addr(w, bank, z->breaks.comp[i].addr);
	for (unsigned byte = 0; i % 2 == 0 && byte < 4; byte++)
		pt_dbg_put(w, bank + DBG_MASK + byte, 0);	/* any data */
	pt_dbg_put(w, bank + DBG_CTL, control_of(z, i));
}

static unsigned trace_control(const struct pt_s12z *z)
{
	const struct pt_dbg_codes *codes = &z->dbg.codes;

	return z->breaks.record ? TCRH_TSOURCE | (unsigned)codes->trcmod[PT_DBG_NORMAL] << 2 | codes->align_end : 0;
}

/* Writes all registers while disarmed, then sets ARM: the module accepts changes only while disarmed (ZVHY 6.3.2). */
static int write_comps(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_dbg_writes w = { .n = 0 };
	unsigned c2 = 0, scr1 = 0;

	if (pt_dbg_disarm(z, err) < 0)
		return err->code;
	for (unsigned i = 0; i < PT_DBG_COMPS; i++) {
		if (z->breaks.comp[i].used)
			scr1 |= (unsigned)z->dbg.codes.to_final << 2 * i;
		if (z->breaks.comp[i].used && z->breaks.comp[i].second)
			c2 |= (unsigned)z->dbg.codes.inside << (i / 2) * 2;
		put_comp(z, &w, i);
	}
	pt_dbg_put(&w, DBG_TCRH, trace_control(z));
	pt_dbg_put(&w, DBG_TCRL, 0);
	pt_dbg_put(&w, DBG_C2, c2);
	pt_dbg_put(&w, DBG_SCR1, scr1);
	pt_dbg_put(&w, DBG_SCR2, 0);
	pt_dbg_put(&w, DBG_SCR3, 0);
	pt_dbg_put(&w, DBG_C1, C1_BDMBP | C1_BRKCPU);
	pt_dbg_put(&w, DBG_C1, C1_ARM | C1_BDMBP | C1_BRKCPU);
	if (pt_dbg_write(z, &w, err) < 0)
		return err->code;
	z->dbg.armed = true;
	z->breaks.n_armed++;
	return 0;
}

static int find_comp(const struct pt_s12z *z, const struct pt_break *at)
{
	for (int i = 0; i < PT_DBG_COMPS; i++) {
		bool code = z->breaks.comp[i].kind <= PT_BREAK_HW;

		if (!z->breaks.comp[i].used || z->breaks.comp[i].second || z->breaks.comp[i].addr != at->addr)
			continue;
		if (code ? at->kind <= PT_BREAK_HW
			 : z->breaks.comp[i].kind == at->kind && z->breaks.comp[i].len == at->len)
			return i;
	}
	return -1;
}

static int choose(const struct pt_s12z *z, const struct pt_break *at, bool pair, struct pt_err *err)
{
	int i = pair ? free_pair(z) : free_comp(z);

	if (i >= 0)
		return i;
	if (pair && at->len > 1 && free_comp(z) >= 0)
		return pt_fail(err, PT_EBUSY,
			       "a watchpoint of %u bytes takes two comparators side by side (A and B, or C and D), and "
			       "breakpoints have them",
			       (unsigned)at->len);
	return pt_fail(err, PT_EBUSY, "all comparators of the DBG (%u) are in use by breakpoints",
		       z->dbg.kind == PT_DBG_LITE ? PT_DBG_COMPS - 1 : PT_DBG_COMPS);
}

static void fill_comp(struct pt_s12z *z, unsigned i, const struct pt_break *at, bool second)
{
	z->breaks.comp[i].used = true;
	z->breaks.comp[i].second = second;
	z->breaks.comp[i].as_soft = at->kind == PT_BREAK_SW;
	z->breaks.comp[i].kind = at->kind;
	z->breaks.comp[i].addr = (uint32_t)at->addr + (second ? at->len - 1 : 0);
	z->breaks.comp[i].len = at->len;
}

static void empty_comp(struct pt_s12z *z, unsigned i)
{
	z->breaks.comp[i].used = false;
	if (i + 1 < PT_DBG_COMPS && z->breaks.comp[i + 1].second)
		z->breaks.comp[i + 1].used = z->breaks.comp[i + 1].second = false;
}

/* While recording, a halted core's buffer must still be read, so the resume writes the comparators. */
static int apply(struct pt_s12z *z, struct pt_err *err)
{
	return z->breaks.record && z->halted ? 0 : write_comps(z, err);
}

/* Keeps the DBG while a comparator is used or recording is on; otherwise gives it back. */
static int settle(struct pt_s12z *z, struct pt_err *err)
{
	return any_comp(z) || z->breaks.record ? apply(z, err) : pt_dbg_give_back(z, owner, err);
}

static int insert_comp(struct pt_s12z *z, const struct pt_break *at, struct pt_err *err)
{
	bool pair = at->kind > PT_BREAK_HW && at->len > 1;
	struct pt_err ignored = { 0 };
	int i;

	if (find_comp(z, at) >= 0)
		return 0;
	if (z->dbg.kind == PT_DBG_NONE)
		return pt_fail(err, PT_EUNSUPPORTED, "%s has no DBG module: no hardware breakpoints", z->chip.name);
	if (pt_dbg_take(z, owner, err) < 0)
		return err->code;
	i = choose(z, at, pair, err);
	if (i < 0)
		return i;
	fill_comp(z, (unsigned)i, at, false);
	if (pair)
		fill_comp(z, (unsigned)i + 1, at, true);
	if (apply(z, err) == 0)
		return 0;
	empty_comp(z, (unsigned)i);
	if (!any_comp(z) && !z->breaks.record)
		pt_dbg_give_back(z, owner, &ignored);
	return pt_wrap(err, "set a comparator");
}

static int remove_comp(struct pt_s12z *z, const struct pt_break *at, struct pt_err *err)
{
	int i = find_comp(z, at);

	if (i < 0)
		return 0;
	empty_comp(z, (unsigned)i);
	return settle(z, err);
}

int pt_breaks_s12z_arm(struct pt_s12z *z, struct pt_err *err)
{
	return z->breaks.record || (any_comp(z) && !z->dbg.armed) ? write_comps(z, err) : 0;
}

int pt_breaks_s12z_record(struct pt_s12z *z, bool on, struct pt_err *err)
{
	if (on && pt_dbg_take(z, owner, err) < 0)
		return err->code;
	z->breaks.record = on;
	z->breaks.went_on_at = PT_UNKNOWN;
	if (settle(z, err) == 0)
		return 0;
	if (on) {
		struct pt_err ignored = { 0 };

		z->breaks.record = false;
		settle(z, &ignored);
	}
	return pt_wrap(err, on ? "record" : "end the recording");
}

int pt_breaks_s12z_ended(struct pt_s12z *z, bool *ended, bool *watch, enum pt_break_kind *kind, uint64_t *addr,
			 struct pt_err *err)
{
	uint8_t c1 = 0, efr = 0;
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 1, .bytes = &c1 },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = DBG_EFR, .n = 1, .bytes = &efr },
	};

	*ended = *watch = false;
	if (!z->dbg.armed)
		return 0;
	if (pt_wire_s12z_run(&z->wire, op, PT_LEN(op), NULL, err) < 0)
		return pt_wrap(err, "read the state of the DBG");
	*ended = (c1 & C1_ARM) == 0;
	z->dbg.armed = !*ended;
	for (unsigned i = 0; *ended && i < PT_DBG_COMPS; i++) {	/* ME0 to ME3: A to D; either one of a pair */
		unsigned first = z->breaks.comp[i].second ? i - 1 : i;

		if (!z->breaks.comp[i].used || z->breaks.comp[i].kind <= PT_BREAK_HW || (efr & 1u << i) == 0)
			continue;
		*watch = true;
		*kind = z->breaks.comp[first].kind;
		*addr = z->breaks.comp[first].addr;
	}
	return 0;
}

/* --- BGND instructions -------------------------------------------------------------------------------------------- */

static int find_soft(const struct pt_s12z *z, uint64_t addr)
{
	for (int i = 0; i < PT_S12Z_MAX_SOFT; i++)
		if (z->breaks.soft[i].used && z->breaks.soft[i].addr == addr)
			return i;
	return -1;
}

static struct pt_pending_row bgnd_row(uint32_t addr, uint8_t original)
{
	struct pt_pending_row row = { .width_bytes = 1, .at = addr, .was = original, .ours = BGND, .check = 0xff,
				      .mask = 0xff };

	snprintf(row.unit, sizeof(row.unit), "bgnd.%06x", (unsigned)addr);
	return row;
}

static int place_bgnd(struct pt_s12z *z, uint32_t addr, struct pt_err *err)
{
	uint8_t seen = 0xff;

	if (pt_s12z_put8(z, addr, BGND, err) < 0 || pt_s12z_get8(z, addr, &seen, err) < 0)
		return err->code;
	return seen == BGND ? 0 : pt_fail(err, PT_EUNSUPPORTED, "0x%06x cannot be written", (unsigned)addr);
}

static int insert_soft(struct pt_s12z *z, uint32_t addr, struct pt_err *err)
{
	struct pt_pending_row row;
	int i = 0;

	if (find_soft(z, addr) >= 0)
		return 0;
	while (i < PT_S12Z_MAX_SOFT && z->breaks.soft[i].used)
		i++;
	if (i == PT_S12Z_MAX_SOFT)
		return pt_fail(err, PT_EBUSY, "%d software breakpoints are set already", PT_S12Z_MAX_SOFT);
	if (pt_s12z_get8(z, addr, &z->breaks.soft[i].original, err) < 0)
		return pt_wrap(err, "set a software breakpoint");
	row = bgnd_row(addr, z->breaks.soft[i].original);
	pt_pending_note(z->target, &row, 1);
	if (place_bgnd(z, addr, err) < 0)
		return pt_wrap(err, "set a software breakpoint");
	z->breaks.soft[i].used = true;
	z->breaks.soft[i].addr = addr;
	return 0;
}

static int remove_soft(struct pt_s12z *z, uint32_t addr, struct pt_err *err)
{
	int i = find_soft(z, addr);

	if (i < 0)
		return 0;
	z->breaks.soft[i].used = false;
	if (pt_s12z_put8(z, addr, z->breaks.soft[i].original, err) < 0)
		return err->code;
	pt_pending_settle(z->target, bgnd_row(addr, 0).unit);
	return 0;
}

bool pt_breaks_s12z_in(const struct pt_s12z *z, uint64_t addr, uint64_t len_bytes)
{
	for (unsigned i = 0; i < PT_S12Z_MAX_SOFT; i++)
		if (z->breaks.soft[i].used && z->breaks.soft[i].addr >= addr &&
		    z->breaks.soft[i].addr - addr < len_bytes)
			return true;
	return false;
}

void pt_breaks_s12z_hide(const struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	for (unsigned i = 0; i < PT_S12Z_MAX_SOFT; i++)
		if (z->breaks.soft[i].used && z->breaks.soft[i].addr >= addr &&
		    z->breaks.soft[i].addr - addr < len_bytes)
			bytes[z->breaks.soft[i].addr - addr] = z->breaks.soft[i].original;
}

void pt_breaks_s12z_keep(struct pt_s12z *z, uint64_t addr, uint8_t *bytes, size_t len_bytes)
{
	for (unsigned i = 0; i < PT_S12Z_MAX_SOFT; i++) {
		uint64_t at = z->breaks.soft[i].addr - addr;

		if (!z->breaks.soft[i].used || z->breaks.soft[i].addr < addr || at >= len_bytes)
			continue;
		z->breaks.soft[i].original = bytes[at];
		bytes[at] = BGND;
	}
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static int check(const struct pt_break *at, struct pt_err *err)
{
	if (at->addr > 0xffffff || at->len > 0x1000000 - at->addr)
		return pt_fail(err, PT_EARG, "0x%llx, %u bytes: beyond the 24 bits of an address",
			       (unsigned long long)at->addr, (unsigned)at->len);
	return 0;
}

static bool is_soft(const struct pt_s12z *z, const struct pt_break *at)
{
	return at->kind == PT_BREAK_SW && pt_chip_s12z_in_ram(&z->chip, (uint32_t)at->addr);
}

int pt_breaks_s12z_insert(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_s12z *z = state;

	if (check(at, err) < 0)
		return err->code;
	return is_soft(z, at) ? insert_soft(z, (uint32_t)at->addr, err) : insert_comp(z, at, err);
}

int pt_breaks_s12z_remove(void *state, const struct pt_break *at, struct pt_err *err)
{
	struct pt_s12z *z = state;

	if (check(at, err) < 0)
		return err->code;
	return is_soft(z, at) ? remove_soft(z, (uint32_t)at->addr, err) : remove_comp(z, at, err);
}

int pt_breaks_s12z_remove_all(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_err first = { 0 };
	bool had = any_comp(z);

	for (int i = 0; i < PT_S12Z_MAX_SOFT; i++)
		if (z->breaks.soft[i].used && remove_soft(z, z->breaks.soft[i].addr, err) < 0 && first.code == 0)
			first = *err;
	for (unsigned i = 0; i < PT_DBG_COMPS; i++)
		empty_comp(z, i);
	if (had && settle(z, err) < 0 && first.code == 0)
		first = *err;
	if (first.code != 0)
		*err = first;
	return first.code;
}

int pt_breaks_s12z_write_again(struct pt_s12z *z, struct pt_err *err)
{
	for (int i = 0; i < PT_S12Z_MAX_SOFT; i++)
		if (z->breaks.soft[i].used && place_bgnd(z, z->breaks.soft[i].addr, err) < 0)
			return pt_wrap(err, "set breakpoints again");
	if ((any_comp(z) || z->breaks.record) && write_comps(z, err) < 0)
		return pt_wrap(err, "set breakpoints again");
	return 0;
}

bool pt_breaks_s12z_soft_at(const struct pt_s12z *z, uint32_t pc)
{
	return find_soft(z, pc) >= 0;
}

bool pt_breaks_s12z_at(const struct pt_s12z *z, uint32_t pc, enum pt_break_kind *kind)
{
	int i = find_comp(z, &(struct pt_break){ PT_BREAK_HW, pc, 1 });

	if (i < 0 && find_soft(z, pc) < 0)
		return false;
	*kind = i < 0 || z->breaks.comp[i].as_soft ? PT_BREAK_SW : PT_BREAK_HW;
	return true;
}

bool pt_breaks_s12z_any(const struct pt_s12z *z)
{
	bool any = any_comp(z);

	for (unsigned i = 0; i < PT_S12Z_MAX_SOFT; i++)
		any |= z->breaks.soft[i].used;
	return any;
}

int pt_breaks_s12z_lift(struct pt_s12z *z, uint32_t pc, bool lift, struct pt_err *err)
{
	int i = find_soft(z, pc);

	if (i < 0)
		return 0;
	return lift ? pt_s12z_put8(z, pc, z->breaks.soft[i].original, err) : place_bgnd(z, pc, err);
}
