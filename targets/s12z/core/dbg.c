/* See dbg.h. */
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/s12z/core/s12z.h"
#include "base/util.h"

/* Sending 64 lines on PDO takes 64 * 128 bus cycles: 8 ms at 1 MHz. */
enum { DRAINED_US = 20000, DRAIN_TRIES = 10, TB_LINES = 2 };
static const char unit[] = "dbg";

/* Registers that are saved and restored: all writable ones except DBGC1, which is written first and last, and the
 * window DBGTB. */
static const struct { uint16_t addr; uint8_t n; bool full; } spans[] = {	/* full: not in DebugLite */
	{ DBG_C2, 3, false }, { DBG_SCR1, 3, false },
	{ 0x110, 1, false }, { 0x115, 11, false },	/* A */
	{ 0x120, 1, false }, { 0x125, 3, false },	/* B */
	{ 0x130, 1, true }, { 0x135, 11, true },	/* C */
	{ 0x140, 1, false }, { 0x145, 3, false },	/* D */
};

static const struct { uint16_t addr; const char *name; struct pt_field field[9];
} rows[] = {
	{ DBG_C1,
	  "DBGC1",
	  { { "ARM", 7, 1, "armed" },
	    { "BDMBP", 4, 1, "a breakpoint enters active background" },
	    { "BRKCPU", 3, 1, "the end of a session stops the core" },
	    { "EEVE", 0, 2, "external event" } } },
	{ DBG_C2,
	  "DBGC2",
	  { { "CDCM", 2, 2, "C and D: apart, inside, outside" }, { "ABCM", 0, 2, "A and B, likewise" } } },
	{ DBG_TCRH,
	  "DBGTCRH",
	  { { "TSOURCE", 6, 1, "trace" },
	    { "TRANGE", 4, 2, "range" },
	    { "TRCMOD", 2, 2, "mode" },
	    { "TALIGN", 0, 2, "alignment" } } },
	{ DBG_TCRL,
	  "DBGTCRL",
	  { { "DSTAMP", 3, 1, "stamp on D" },
	    { "PDOE", 2, 1, "drive PDO and PDOCLK" },
	    { "PROFILE", 1, 1, "code profiling" },
	    { "STAMP", 0, 1, "time stamps" } } },
	{ DBG_SCR1,
	  "DBGSCR1",
	  { { "C3SC", 6, 2, "D" }, { "C2SC", 4, 2, "C" }, { "C1SC", 2, 2, "B" }, { "C0SC", 0, 2, "A" } } },
	{ 0x110, "DBGACTL", { { "INST", 5, 1, "" }, { "RW", 3, 1, "" }, { "RWE", 2, 1, "" }, { "COMPE", 0, 1, "" } } },
	{ 0x120, "DBGBCTL", { { "INST", 5, 1, "" }, { "RW", 3, 1, "" }, { "RWE", 2, 1, "" }, { "COMPE", 0, 1, "" } } },
	{ 0x130, "DBGCCTL", { { "INST", 5, 1, "" }, { "RW", 3, 1, "" }, { "RWE", 2, 1, "" }, { "COMPE", 0, 1, "" } } },
	{ 0x140, "DBGDCTL", { { "INST", 5, 1, "" }, { "RW", 3, 1, "" }, { "RWE", 2, 1, "" }, { "COMPE", 0, 1, "" } } },
};

/* --- access ------------------------------------------------------------------------------------------------------- */

void pt_dbg_put_addr(struct pt_dbg_writes *w, unsigned bank, uint32_t addr)
{
	pt_dbg_put(w, bank + DBG_ADDR, addr >> 16 & 0xff);
	pt_dbg_put(w, bank + DBG_ADDR + 1, addr >> 8 & 0xff);
	pt_dbg_put(w, bank + DBG_ADDR + 2, addr & 0xff);
}

static bool has_span(const struct pt_s12z *z, size_t i)
{
	return !spans[i].full || z->dbg.kind != PT_DBG_LITE;
}

static struct pt_pending_row pending_row(unsigned addr, uint8_t was, uint8_t ours, uint8_t check)
{
	return (struct pt_pending_row){ .unit = "dbg", .width_bytes = 1, .at = addr, .was = was, .ours = ours,
					.check = check, .mask = 0xff };
}

/* Notes the restore: disarms first, and writes DBGC1 last. DBGTCRL is not compared, because reading the buffer clears
 * one of its bits temporarily. */
static void note(struct pt_s12z *z)
{
	struct pt_pending_row row[3 + DBG_END - DBG_C1];
	const uint8_t *found = z->dbg.found, *now = z->dbg.now;
	size_t n = 0;

	row[n++] = pending_row(DBG_C1, 0, 0, 0);
	for (size_t i = 0; i < PT_LEN(spans); i++)
		for (unsigned at = spans[i].addr; has_span(z, i) && at < spans[i].addr + spans[i].n; at++)
			if (now[at - DBG_C1] != found[at - DBG_C1])
				row[n++] = pending_row(at, found[at - DBG_C1], now[at - DBG_C1],
						       at == DBG_TCRL ? 0 : 0xff);
	row[n++] = pending_row(DBG_C1, found[0] & ~C1_ARM, 0, 0);
	if ((found[0] & C1_ARM) != 0)
		row[n++] = pending_row(DBG_C1, found[0], 0, 0);
	pt_pending_note(z->target, row, n);
}

static int write_all(struct pt_s12z *z, const struct pt_dbg_writes *w, bool ours, struct pt_err *err)
{
	struct pt_bdc_op op[PT_DBG_BATCH];
	uint8_t byte[PT_DBG_BATCH];

	for (unsigned i = 0; i < w->n; i++) {
		byte[i] = w->write[i].value;
		op[i] = (struct pt_bdc_op){ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = w->write[i].addr, .n = 1,
					    .bytes = &byte[i] };
		z->dbg.now[w->write[i].addr - DBG_C1] = byte[i];
	}
	if (ours && z->dbg.saved)
		note(z);
	if (pt_wire_s12z_run(&z->wire, op, w->n, NULL, err) < 0)
		return pt_wrap(err, "write registers of the DBG");
	return 0;
}

int pt_dbg_write(struct pt_s12z *z, const struct pt_dbg_writes *w, struct pt_err *err)
{
	return write_all(z, w, true, err);
}

static int doubt(struct pt_s12z *z, const char *name, uint8_t value, struct pt_err *err)
{
	if (pt_wire_s12z_find(&z->wire, err) < 0)
		return err->code;
	z->wire.asleep = true;
	return pt_fail(err, PT_EFAULT,
		       "the core's bus does not answer (%s reads 0x%02x): is it in STOP mode? "
		       "(run-in-stop=on lets the BDC reach it there)",
		       name, value);
}

int pt_dbg_believe(struct pt_s12z *z, uint8_t c1, uint8_t tcrh, struct pt_err *err)
{
	return (c1 & C1_ZERO) == 0 && (tcrh & TCRH_ZERO) == 0 ? 0 : doubt(z, "DBGC1", c1, err);
}

int pt_dbg_believe_sr(struct pt_s12z *z, uint32_t sr, struct pt_err *err)
{
	return (sr & SR_ZERO) == 0 ? 0 : doubt(z, "DBGSR", (uint8_t)sr, err);
}

int pt_dbg_disarm(struct pt_s12z *z, struct pt_err *err)
{
	uint8_t off = 0;
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = DBG_C1, .n = 1, .bytes = &off },
		{ .what = PT_BDC_POLL, .size_bytes = 1, .addr = DBG_SR, .mask = SR_PTACT, .time_us = DRAINED_US },
	};
	size_t n_done = 0;

	for (int tries = 0; n_done < PT_LEN(op) && tries < DRAIN_TRIES; tries++) {
		op[1].value = 0;
		if (pt_wire_s12z_run(&z->wire, op, PT_LEN(op), &n_done, err) < 0 ||
		    pt_dbg_believe_sr(z, op[1].value, err) < 0)
			return pt_wrap(err, "disarm the DBG");
	}
	z->dbg.now[0] &= (uint8_t)~C1_ARM;
	z->dbg.armed = false;
	if (n_done < PT_LEN(op))
		return pt_fail(err, PT_ETIMEOUT, "disarm the DBG: it goes on transmitting (DBGSR.PTACT)");
	return 0;
}

/* --- discovery ---------------------------------------------------------------------------------------------------- */

const char *pt_dbg_kind_name(enum pt_dbg_kind kind)
{
	static const char *const names[] = {
		[PT_DBG_UNKNOWN] = "not known yet (the application has armed it, or it was out of reach)",
		[PT_DBG_NONE] = "absent",
		[PT_DBG_LITE] = "DebugLite (S12ZDBGV3): comparators A, B, D, no trace buffer",
		[PT_DBG_TRACE] = "comparators and trace buffer, no code profiling",
		[PT_DBG_PROFILE] = "S12ZDBGV2: comparators, trace buffer, code profiling",
	};

	return names[kind];
}

/* Tests whether a bit of a register can be set. Restores the register. */
static int stays(struct pt_s12z *z, uint32_t addr, uint8_t bit, bool *yes, struct pt_err *err)
{
	uint8_t before = 0, set, seen = 0;
	struct pt_bdc_op op[] = {
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = addr, .n = 1, .bytes = &set },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = addr, .n = 1, .bytes = &seen },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = addr, .n = 1, .bytes = &before },
	};

	if (pt_s12z_get8(z, addr, &before, err) < 0)
		return err->code;
	set = before | bit;
	if (pt_wire_s12z_run(&z->wire, op, PT_LEN(op), NULL, err) < 0)
		return err->code;
	*yes = (seen & bit) != 0;
	return 0;
}

/* A part without a trace buffer answers READ_DBGTB with zeroes (ZVM p.165); a buffer that is not unlocked answers
 * something else. This is only a hint: a fresh buffer may also hold zeroes. */
static bool answers_lines(struct pt_s12z *z)
{
	uint8_t lines[8 * TB_LINES] = { 0 };
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = TB_LINES, .bytes = lines };
	struct pt_err ignored = { 0 };
	bool any = false;

	if (!pt_wire_s12z_can(&z->wire, PT_BDC_READ_DBGTB) || pt_wire_s12z_run(&z->wire, &op, 1, NULL, &ignored) < 0)
		return false;
	for (size_t i = 0; i < sizeof(lines); i++)
		any |= lines[i] != 0;
	return any;
}

int pt_dbg_discover(struct pt_s12z *z, struct pt_err *err)
{
	bool tsource = false, profile = false;
	uint8_t c1 = 0, sr = 0;
	int rc = pt_s12z_get8(z, DBG_C1, &c1, err);

	z->dbg.kind = PT_DBG_NONE;
	if (rc == 0)
		rc = pt_dbg_believe(z, c1, 0, err);
	if (rc == PT_EFAULT) {
		z->dbg.kind = z->wire.asleep ? PT_DBG_UNKNOWN : PT_DBG_NONE;
		return 0;
	}
	if (rc < 0 || pt_s12z_get8(z, DBG_SR, &sr, err) < 0)
		return err->code;
	if ((c1 & C1_ARM) != 0 || (sr & SR_PTACT) != 0) {
		z->dbg.kind = answers_lines(z) ? PT_DBG_PROFILE : PT_DBG_UNKNOWN;
		return 0;
	}
	if (stays(z, DBG_TCRH, TCRH_TSOURCE, &tsource, err) < 0 || stays(z, DBG_TCRL, TCRL_PROFILE, &profile, err) < 0)
		return pt_wrap(err, "see what the DBG can do");
	z->dbg.kind = profile ? PT_DBG_PROFILE : tsource ? PT_DBG_TRACE : PT_DBG_LITE;
	return 0;
}

int pt_dbg_needs(struct pt_s12z *z, enum pt_dbg_kind least, struct pt_err *err)
{
	if (z->dbg.kind == PT_DBG_UNKNOWN && pt_dbg_discover(z, err) < 0)
		return err->code;
	if (z->dbg.kind >= least || z->dbg.kind == PT_DBG_UNKNOWN)	/* unknown: pt_dbg_take() will find out */
		return 0;
	if (z->dbg.kind == PT_DBG_TRACE)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "%s has no code profiling: its DBG has a trace buffer, but PROFILE in DBGTCRL "
			       "does not stay set; source sync-pc works",
			       z->chip.name);
	return pt_fail(err, PT_EUNSUPPORTED,
		       "%s has no trace buffer (DBG: %s): TSOURCE in DBGTCRH does not stay set; "
		       "source sync-pc works",
		       z->chip.name, pt_dbg_kind_name(z->dbg.kind));
}

/* --- taking and giving back --------------------------------------------------------------------------------------- */

static int save(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_bdc_op op[PT_LEN(spans)];
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(spans); i++) {
		if (!has_span(z, i))	/* a missing comparator has no entry in found either */
			continue;
		op[n] = (struct pt_bdc_op){ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = spans[i].addr,
					    .n = spans[i].n, .bytes = z->dbg.found + (spans[i].addr - DBG_C1) };
		n++;
	}
	if (pt_wire_s12z_run(&z->wire, op, n, NULL, err) < 0)
		return pt_wrap(err, "read the registers of the DBG");
	memcpy(z->dbg.now, z->dbg.found, sizeof(z->dbg.now));
	z->dbg.saved = true;
	return 0;
}

static int look_first(struct pt_s12z *z, struct pt_err *err)
{
	uint8_t c1 = 0;

	if (pt_s12z_get8(z, DBG_C1, &c1, err) < 0 || pt_dbg_believe(z, c1, 0, err) < 0)
		return pt_wrap(err, "read DBGC1");
	if ((c1 & C1_ARM) != 0 && !z->dbg_take)
		return pt_fail(err, PT_EBUSY,
			       "the application itself has armed the DBG (DBGC1 0x%02x): it was left alone; "
			       "dbg-take=on takes it all the same",
			       c1);
	z->dbg.found[0] = c1;
	return (c1 & C1_ARM) != 0 ? pt_dbg_disarm(z, err) : 0;
}

int pt_dbg_take(struct pt_s12z *z, const char *owner, struct pt_err *err)
{
	if (pt_lease_take(z->target, unit, owner, err) < 0)
		return err->code;
	z->dbg.owed = false;	/* the values found then are still the ones to restore */
	if (z->dbg.saved)
		return 0;
	if (look_first(z, err) == 0 && (z->dbg.kind != PT_DBG_UNKNOWN || pt_dbg_discover(z, err) == 0) &&
	    save(z, err) == 0)
		return 0;
	pt_lease_drop(z->target, unit, owner);
	return err->code;
}

static int put_back(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_dbg_writes w = { .n = 0 };

	if (pt_dbg_disarm(z, err) < 0)
		return err->code;
	for (size_t i = 0; i < PT_LEN(spans); i++)
		for (unsigned at = spans[i].addr; has_span(z, i) && at < spans[i].addr + spans[i].n; at++)
			if (z->dbg.now[at - DBG_C1] != z->dbg.found[at - DBG_C1])
				pt_dbg_put(&w, at, z->dbg.found[at - DBG_C1]);
	pt_dbg_put(&w, DBG_C1, z->dbg.found[0] & ~C1_ARM);
	if ((z->dbg.found[0] & C1_ARM) != 0)
		pt_dbg_put(&w, DBG_C1, z->dbg.found[0]);
	if (write_all(z, &w, false, err) < 0)
		return err->code;
	pt_pending_settle(z->target, unit);
	return 0;
}

int pt_dbg_give_back(struct pt_s12z *z, const char *owner, struct pt_err *err)
{
	int rc = z->dbg.saved ? put_back(z, err) : 0;

	z->dbg.armed = false;
	z->dbg.owed = z->dbg.saved && rc == PT_EFAULT && z->wire.asleep;
	z->dbg.saved = z->dbg.owed;
	pt_lease_drop(z->target, unit, owner);
	if (z->dbg.owed) {
		pt_warn("s12z: the registers of the DBG are put back when the core wakes: %s", err->msg);
		return 0;
	}
	return rc < 0 ? pt_wrap(err, "put the DBG back as it was") : 0;
}

int pt_dbg_pay(struct pt_s12z *z, struct pt_err *err)
{
	int rc = z->dbg.owed ? put_back(z, err) : 0;

	if (rc == 0 && z->dbg.owed)
		z->dbg.saved = z->dbg.owed = false;
	return rc;
}

void pt_dbg_was_reset(struct pt_s12z *z)
{
	pt_pending_settle(z->target, unit);
	memset(z->dbg.found, 0, sizeof(z->dbg.found));
	memset(z->dbg.now, 0, sizeof(z->dbg.now));
	z->dbg.armed = false;
	z->dbg.saved &= !z->dbg.owed;
	z->dbg.owed = false;
}

void pt_dbg_describe(const struct pt_s12z *z, void (*say)(void *arg, const char *line), void *arg)
{
	for (size_t i = 0; z->dbg.saved && i < PT_LEN(rows); i++) {
		unsigned at = rows[i].addr - (unsigned)DBG_C1;
		char line[160];
		int len;

		if (z->dbg.now[at] == z->dbg.found[at])
			continue;
		len = snprintf(line, sizeof(line), "changed: %s 0x%02x (found 0x%02x):", rows[i].name, z->dbg.now[at],
			       z->dbg.found[at]);
		for (const struct pt_field *field = rows[i].field; field->name != NULL; field++)
			if (pt_field_get(field, z->dbg.now[at]) != 0)
				len += snprintf(line + len, sizeof(line) - (size_t)len, " %s=%u", field->name,
						(unsigned)pt_field_get(field, z->dbg.now[at]));
		say(arg, line);
	}
}
