/* The g packet's layout for a server without a description, and PMRs as GDB registers: PMC0, PMLCa0 ..., and the names
 * by which user code reads the same ones (UPMC0 ...). Source: GDB, powerpc-e500.xml; E500CORERM Table 7-2. */
#include "targets/e500/perfmon/perfmon.h"
#include "targets/e500/registers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define CORE "org.gnu.gdb.power.core"
#define SPE "org.gnu.gdb.power.spe"
#define FPU "org.gnu.gdb.power.fpu"
#define R(n) { "r" #n, CORE, "uint32", NULL, n, 32, n }
#define R64(n) { "r" #n, CORE, "uint64", NULL, n, 64, n }
#define H(n) { "ev" #n "h", SPE, NULL, NULL, 32 + n, 32, n }
#define F(n) { "f" #n, FPU, "ieee_double", NULL, 32 + n, 64, n }
#define X8(of, a, b, c, d, e, f, g, h) of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)
#define X32(of) \
	X8(of, 0, 1, 2, 3, 4, 5, 6, 7), X8(of, 8, 9, 10, 11, 12, 13, 14, 15), X8(of, 16, 17, 18, 19, 20, 21, 22, 23), \
	X8(of, 24, 25, 26, 27, 28, 29, 30, 31)
#define OTHERS(bits, type) \
	{ "pc", CORE, "code_ptr", NULL, 64, bits, 0 }, { "msr", CORE, type, NULL, 65, bits, 0 }, \
	{ "cr", CORE, "uint32", NULL, 66, 32, 0 }, { "lr", CORE, "code_ptr", NULL, 67, bits, 0 }, \
	{ "ctr", CORE, type, NULL, 68, bits, 0 }, { "xer", CORE, "uint32", NULL, 69, 32, 0 }

/* Source: GDB, powerpc-e500.xml */
static const struct pt_register with_spe[] = {
	X32(R), X32(H), OTHERS(32, "uint32"), { "acc", SPE, "int64", NULL, 73, 64, 0 },
	{ "spefscr", SPE, "uint32", NULL, 74, 32, 0 },
};
/* Checked against GDB 13's powerpc:common and powerpc:common64 (it has no e500mc, e5500 or e6500) */
static const struct pt_register with_fpu[] = {
	X32(R), X32(F), OTHERS(32, "uint32"), { "fpscr", FPU, "uint32", NULL, 70, 32, 0 },
};
static const struct pt_register of_64_bits[] = {
	X32(R64), X32(F), OTHERS(64, "uint64"), { "fpscr", FPU, "uint32", NULL, 70, 32, 0 },
};

static const struct layout {
	const struct pt_register *row;
	size_t n_rows;
	const char *architecture;
	unsigned bytes;
} layouts[] = {
	{ with_spe, PT_LEN(with_spe), "powerpc:e500", 292 },
	{ with_fpu, PT_LEN(with_fpu), "powerpc:common", 412 },
	{ of_64_bits, PT_LEN(of_64_bits), "powerpc:common64", 556 },
};

static const struct layout *layout_of(enum pt_e500_core core)
{
	return &layouts[core < PT_E500_MC ? 0 : core == PT_E500_MC ? 1 : 2];
}

void pt_e500_choose_layout(struct pt_e500_target *e500)
{
	const struct layout *layout = layout_of(e500->core);

	for (size_t i = 0; i < PT_LEN(layouts); i++)
		if (layouts[i].bytes == e500->g_bytes)
			layout = &layouts[i];
	e500->kind.layout = layout->row;
	e500->kind.n_layout = layout->n_rows;
	e500->kind.architecture = layout->architecture;
}

/* --- rows of PMRs ------------------------------------------------------------------------------------------------- */

static void add_row(struct pt_e500_target *e500, unsigned pmr)
{
	size_t i = e500->kind.n_own;
	struct pt_e500_register reg;
	char *name = e500->own_name[i];

	if (!pt_e500_pmr(e500->core, pmr, &reg))
		return;
	snprintf(name, sizeof(e500->own_name[i]), "%s", reg.name);
	for (char *at = name; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	e500->own[i] = (struct pt_register){
		.name = name, .feature = "org.proftap.e500.pm", .type = "uint32", .group = reg.user ? "upm" : "pm",
		.bits = 32, .id = (uint16_t)pmr,
	};
	e500->kind.n_own++;
}

void pt_e500_make_own(struct pt_e500_target *e500)
{
	struct pt_e500_op ops[PT_E500_PMRS_MAX];
	size_t n = pt_e500_all_pmrs(e500->core, ops);

	e500->kind.own = e500->own;
	e500->kind.n_own = 0;
	for (size_t i = 0; i < n; i++)
		add_row(e500, ops[i].pmr);
	for (size_t i = 0; i < n; i++)
		add_row(e500, ops[i].pmr - PT_E500_USER_LESS);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

enum { SNAPSHOT_MS = 1000, MOST_FAILED = 8 };

static uint64_t now_ns(const struct pt_e500_target *e500)
{
	return pt_link_now_ns(pt_probe_link(e500->remote.target->probe));
}

/* True: the snapshot was taken since the client's last resume, and is younger than SNAPSHOT_MS. */
static bool is_valid(const struct pt_e500_target *e500, unsigned core, uint32_t resumes)
{
	const struct pt_e500_snapshot *s = &e500->pm.snapshot;

	return s->at_ns != 0 && s->core == core && s->resumes == resumes &&
	       now_ns(e500) - s->at_ns < SNAPSHOT_MS * PT_NS_PER_MS;
}

/* A debugger's access is not counted as a profile's overhead. */
static int pass_for_debugger(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n,
			     struct pt_err *err)
{
	struct pt_e500_pass pass;
	int rc;

	e500->pm.for_debugger = true;
	rc = pt_e500_pass(e500, core, ops, n, &pass, err);
	e500->pm.for_debugger = false;
	return rc;
}

/* These errors say that at least one register could not be read, but not which. */
static bool is_unreadable(int rc)
{
	return rc == PT_ETIMEOUT || rc == PT_EFAULT || rc == PT_EPROTO;
}

static bool may_read(const struct pt_e500_target *e500, size_t i)
{
	return (e500->pm.snapshot.unreadable >> i & 1) == 0;
}

/* A routine that reads a register the core lacks never ends, so if the PVR is not known it is read alone first.
 * Registers that the core of this PVR lacks are not read. */
static void leave_out_missing(struct pt_e500_target *e500, unsigned core, const struct pt_e500_op *all, size_t n)
{
	struct pt_e500_op none[1];
	struct pt_e500_register reg;
	enum pt_e500_core real;

	if (e500->pvr == 0)
		(void)pass_for_debugger(e500, core, none, 0, &(struct pt_err){ 0 });
	if (!pt_e500_core_of_pvr(e500, &real))
		return;
	for (size_t i = 0; i < n; i++)
		if (!pt_e500_pmr(real, all[i].pmr, &reg))
			e500->pm.snapshot.unreadable |= UINT32_C(1) << i;
}

/* A hypervisor may withhold some registers, or the core may lack some: reads each one by itself, and by single-steps
 * where scratch code reads them (scratch.h). Each timeout takes as long as a routine may run; after MOST_FAILED of them
 * the rest is not tried. */
static int read_each(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n, struct pt_err *err)
{
	struct pt_e500_snapshot *s = &e500->pm.snapshot;
	unsigned n_failed = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		if (!may_read(e500, i))
			continue;
		rc = n_failed < MOST_FAILED ? pass_for_debugger(e500, core, &ops[i], 1, err) : PT_EFAULT;
		if (rc < 0 && !is_unreadable(rc))
			return rc;
		s->unreadable |= rc < 0 ? UINT32_C(1) << i : 0;
		n_failed += rc == PT_ETIMEOUT;
	}
	return 0;
}

static int read_readable(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *all, size_t n,
			 struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_PMRS_MAX];
	size_t n_ops = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		if (may_read(e500, i))
			ops[n_ops++] = all[i];
	if (n_ops == 0)
		return 0;
	rc = pass_for_debugger(e500, core, ops, n_ops, err);
	if (rc < 0)
		return is_unreadable(rc) && n_ops > 1 ? read_each(e500, core, all, n, err) : rc;
	n_ops = 0;
	for (size_t i = 0; i < n; i++)
		if (may_read(e500, i))
			all[i] = ops[n_ops++];
	return 0;
}

/* GDB asks for one register after the other. The first request reads all of them, so that GDB shows values of one time
 * and they take one pass. */
static int snapshot(struct pt_e500_target *e500, unsigned core, struct pt_err *err)
{
	struct pt_e500_snapshot *s = &e500->pm.snapshot;
	struct pt_e500_op ops[PT_E500_PMRS_MAX];
	size_t n = pt_e500_all_pmrs(e500->core, ops);
	struct pt_rsp_run run;
	int rc = e500->remote.rsp->poll(e500->remote.wire, 0, &run, err);

	if (rc < 0 || is_valid(e500, core, run.client_resumes))
		return rc;
	s->at_ns = 0;
	leave_out_missing(e500, core, ops, n);
	rc = read_readable(e500, core, ops, n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		s->value[i] = ops[i].value;
	if (rc == 0) {
		s->at_ns = now_ns(e500);
		s->resumes = run.client_resumes;
		s->core = core;
	}
	return rc;
}

/* The user names (UPMC0 ...) follow the others, in the same order. */
static size_t index_of(const struct pt_e500_target *e500, uint16_t row)
{
	size_t half = e500->kind.n_own / 2;

	return row < half ? row : row - half;
}

int pt_e500_read_own(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err)
{
	struct pt_e500_target *e500 = state;

	if (snapshot(e500, core, err) < 0)
		return pt_wrap(err, "%s", e500->own[rows[0]].name);
	for (size_t i = 0; i < n; i++) {
		if (!may_read(e500, index_of(e500, rows[i])))
			return pt_fail(err, PT_EFAULT, "%s cannot be read on this core, or by this way",
				       e500->own[rows[i]].name);
		values[i] = e500->pm.snapshot.value[index_of(e500, rows[i])];
	}
	return 0;
}

/* Writes ops, after checking whether Linux uses the performance monitor. */
static int write_checked(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n,
			 struct pt_err *err)
{
	struct pt_e500_op all[PT_E500_PMRS_MAX];
	size_t n_all = pt_e500_all_pmrs(e500->core, all);

	if (snapshot(e500, core, err) < 0)
		return err->code;
	for (size_t i = 0; i < n_all; i++)
		all[i].value = e500->pm.snapshot.value[i];
	if (pt_e500_check_linux(e500, all, n_all, err) < 0)
		return err->code;
	pt_e500_forget(e500);
	return pass_for_debugger(e500, core, ops, n, err);
}

int pt_e500_write_own(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
		      struct pt_err *err)
{
	struct pt_e500_target *e500 = state;
	struct pt_e500_op ops[PT_E500_PASS_MAX];

	if (n > PT_E500_PASS_MAX)
		return pt_fail(err, PT_EARG, "%zu PMRs at once", n);
	for (size_t i = 0; i < n; i++) {
		const struct pt_register *reg = &e500->own[rows[i]];

		if (rows[i] >= e500->kind.n_own / 2)
			return pt_fail(err, PT_EUNSUPPORTED, "%s is how user code reads it: write %s", reg->name,
				       reg->name + 1);
		ops[i] = (struct pt_e500_op){ .pmr = reg->id, .write = true, .value = (uint32_t)values[i] };
	}
	if (write_checked(e500, core, ops, n, err) < 0)
		return pt_wrap(err, "%s", e500->own[rows[0]].name);
	return 0;
}
