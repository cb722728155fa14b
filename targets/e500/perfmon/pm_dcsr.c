/* The access method by the debug space (DCSR) of a QorIQ: a block for each core, which other bus masters read while the
 * core runs. Nothing is halted. An e6500 has its whole performance monitor there; e500mc and e5500 have only copies of
 * the counters and of the program counter. What triggers their capture is not published: a setting selects it, and
 * copies that do not change while the core runs are not used. Another access method then sets what is counted. Source:
 * NXP's qoriq-debug, dcsr_cpu_v1.h; Linux' binding fsl/dcsr for the places. */
#include "targets/e500/perfmon/perfmon.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { PVR = 0x018, PCCL = 0x02c, PMCC0 = 0x030, PMC0 = 0x150, PMLCA0 = 0x170, PMLCB0 = 0x190, PMGC0 = 0x1b0 };
enum capture { FREE, BY_PCC, BY_WRITE };

struct by_dcsr {
	struct pt_e500_target *e500;
	uint64_t base, stride;		/* address of the first core's block */
	bool direct;
	enum capture capture;
	uint32_t trigger, trigger_value;	/* BY_WRITE */
	bool looked, moves; /* copies of counters: seen is valid; they were seen to change */
	uint32_t seen[PT_E500_PMCS_MAX];
};

/* --- one register ------------------------------------------------------------------------------------------------- */

static int access_register(struct by_dcsr *by, unsigned core, uint32_t offset, bool write, uint32_t *value,
			   struct pt_err *err)
{
	uint8_t bytes[4];
	struct pt_mem_op op = { .what = write ? PT_MEM_WRITE : PT_MEM_READ,
				.width_bytes = 4,
				.len_bytes = 4,
				.bytes = bytes,
				.addr = by->base + core * by->stride + offset };
	int rc;

	pt_put_be32(bytes, *value);
	rc = pt_mem_run(&by->e500->remote.mem, &op, 1, 1000, NULL, err);
	if (rc == 0 && !write)
		*value = pt_be32(bytes);
	return rc == 0 ? 0 : pt_wrap(err, "core proxy in DCSR");
}

/* Offset of a register or of its copy; -1: none. */
static int offset_of(const struct by_dcsr *by, unsigned pmr)
{
	static const struct { unsigned first; int at; } rows[] = {
		{ PT_E500_PMC0, PMC0 }, { PT_E500_PMLCA0, PMLCA0 }, { PT_E500_PMLCB0, PMLCB0 },
	};
	unsigned n_pmcs = pt_e500_kinds[by->e500->core].n_pmcs;

	if (pmr == PT_E500_CAPTURED_PC)
		return PCCL;
	if (!by->direct)
		return pmr - PT_E500_PMC0 < n_pmcs ? (int)(PMCC0 + 4 * (pmr - PT_E500_PMC0)) : -1;
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (pmr - rows[i].first < n_pmcs)
			return rows[i].at + (int)(4 * (pmr - rows[i].first));
	return pmr == PT_E500_PMGC0 ? PMGC0 : -1;
}

/* --- coming ------------------------------------------------------------------------------------------------------- */

static int read_capture(struct by_dcsr *by, const struct pt_params *settings, struct pt_err *err)
{
	const char *text = pt_params_text(settings, &pt_e500_settings[PT_E500_SET_DCSR_CAPTURE]);
	char *end;

	by->capture = strcmp(text, "pcc") == 0 ? BY_PCC : strcmp(text, "free") == 0 ? FREE : BY_WRITE;
	if (by->capture != BY_WRITE)
		return 0;
	by->trigger = (uint32_t)strtoul(text, &end, 0);
	if (end == text || *end != '=' || by->trigger >= 0x1000 || by->trigger % 4 != 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "e500.dcsr.capture=%s: free, pcc, or OFFSET=VALUE of a register of the proxy", text);
	by->trigger_value = (uint32_t)strtoul(end + 1, NULL, 0);
	return 0;
}

/* Checks the block by its PVR. */
static int find_block(struct by_dcsr *by, struct pt_err *err)
{
	enum pt_e500_core core = by->e500->core;
	uint32_t pvr = 0;

	if (access_register(by, 0, PVR, false, &pvr, err) < 0)
		return err->code;
	if (pvr >> 16 != pt_e500_kinds[core].pvr)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "no proxy of an %s at 0x%" PRIx64 ": its PVR reads 0x%08" PRIx32
			       " (e500.dcsr.base, .proxy and e500.core say what is where)",
			       pt_e500_kinds[core].name, by->base, pvr);
	return 0;
}

static int dcsr_open(struct pt_e500_target *e500, const struct pt_params *settings, struct pt_err *err)
{
	struct by_dcsr *by = pt_e500_method_state(e500, &pt_e500_by_dcsr);

	by->e500 = e500;
	by->direct = e500->core == PT_E500_E6500;
	by->base = pt_params_number(settings, &pt_e500_settings[PT_E500_SET_DCSR_BASE]) +
		   pt_params_number(settings, &pt_e500_settings[PT_E500_SET_DCSR_PROXY]);
	by->stride = pt_params_number(settings, &pt_e500_settings[PT_E500_SET_DCSR_STRIDE]);
	if (e500->core < PT_E500_MC)
		return pt_fail(err, PT_EUNSUPPORTED, "an %s has no debug space", pt_e500_kinds[e500->core].name);
	if (!pt_params_given(settings, &pt_e500_settings[PT_E500_SET_DCSR_BASE]))
		return pt_fail(err, PT_EUNSUPPORTED, "e500.dcsr.base is not said");
	if (!e500->remote.mem.ops->while_running)
		return pt_fail(err, PT_EUNSUPPORTED, "%s", pt_remote_why_halted_only(&e500->remote));
	return read_capture(by, settings, err) < 0 ? err->code : find_block(by, err);
}

static void dcsr_close(struct pt_e500_target *e500)
{
	(void)e500;
}

static void dcsr_describe(const struct pt_e500_target *e500, char *line, size_t room)
{
	const struct by_dcsr *by = pt_e500_method_state(e500, &pt_e500_by_dcsr);

	snprintf(line, room, "core proxy in DCSR at 0x%" PRIx64 "%s", by->base,
		 by->direct ? "" : ", captured counters");
}

static bool only_reads(const struct pt_e500_target *e500)
{
	return !((const struct by_dcsr *)pt_e500_method_state(e500, &pt_e500_by_dcsr))->direct;
}

/* --- a pass ------------------------------------------------------------------------------------------------------- */

static int take_capture(struct by_dcsr *by, unsigned core, struct pt_err *err)
{
	uint32_t value = by->trigger_value;

	if (by->direct || by->capture == FREE)
		return 0;
	return access_register(by, core, by->capture == BY_PCC ? PCCL : by->trigger, by->capture == BY_WRITE, &value,
			       err);
}

/* Copies are used only after one of them has changed; until then another access method reads the counters. */
static int look_whether_they_move(struct by_dcsr *by, unsigned core, struct pt_err *err)
{
	uint32_t now[PT_E500_PMCS_MAX];
	int rc = take_capture(by, core, err);

	for (unsigned n = 0; rc == 0 && n < pt_e500_kinds[by->e500->core].n_pmcs; n++) {
		rc = access_register(by, core, PMCC0 + 4 * n, false, &now[n], err);
		by->moves |= rc == 0 && by->looked && now[n] != by->seen[n];
		by->seen[n] = now[n];
	}
	if (rc < 0)
		return rc;
	by->looked = true;
	return by->moves ? 0
			 : pt_fail(err, PT_EUNSUPPORTED,
				   "the captured counters have not moved yet: nothing counts, or "
				   "something has to capture them (e500.dcsr.capture)");
}

static int check(struct by_dcsr *by, unsigned core, const struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	bool copies = false;

	for (size_t i = 0; i < n_ops; i++) {
		copies |= !by->direct && ops[i].pmr != PT_E500_CAPTURED_PC;
		if (offset_of(by, ops[i].pmr) < 0 ||
		    (ops[i].write && (!by->direct || ops[i].pmr == PT_E500_CAPTURED_PC)))
			return pt_fail(err, PT_EUNSUPPORTED, "the core proxy %s PMR %u",
				       ops[i].write ? "does not write" : "has no", ops[i].pmr);
	}
	return copies && !by->moves ? look_whether_they_move(by, core, err) : 0;
}

static bool has_writes(const struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].write)
			return true;
	return false;
}

static int do_one(struct by_dcsr *by, unsigned core, struct pt_e500_op *op, struct pt_err *err)
{
	return access_register(by, core, (uint32_t)offset_of(by, op->pmr), op->write, &op->value, err);
}

/* Like the scratch routine: freezes the counters while registers are written, and writes PMGC0 last. */
static int write_some(struct by_dcsr *by, unsigned core, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	uint32_t was = 0, is, frozen;
	int rc = access_register(by, core, PMGC0, false, &was, err), back;

	if (rc < 0)
		return rc;
	is = was;
	frozen = was | UINT32_C(0x80000000);
	rc = access_register(by, core, PMGC0, true, &frozen, err);
	for (size_t i = 0; rc == 0 && i < n_ops; i++) {
		if (ops[i].pmr != PT_E500_PMGC0)
			rc = do_one(by, core, &ops[i], err);
		else if (ops[i].write)
			is = ops[i].value;
		else
			ops[i].value = was;
	}
	back = access_register(by, core, PMGC0, true, rc == 0 ? &is : &was, rc == 0 ? err : NULL);
	return rc == 0 ? back : rc;
}

static int do_all(struct by_dcsr *by, unsigned core, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	int rc = 0;

	if (has_writes(ops, n_ops))
		return write_some(by, core, ops, n_ops, err);
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		rc = do_one(by, core, &ops[i], err);
	return rc;
}

static int dcsr_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		     struct pt_e500_pass *pass, struct pt_err *err)
{
	struct by_dcsr *by = pt_e500_method_state(e500, &pt_e500_by_dcsr);
	struct pt_link *link = pt_probe_link(e500->remote.target->probe);
	uint64_t from_ns;
	int rc = check(by, core, ops, n_ops, err);

	if (rc < 0)
		return rc;
	from_ns = pt_link_now_ns(link);
	rc = take_capture(by, core, err);
	if (rc == 0)
		rc = do_all(by, core, ops, n_ops, err);
	pass->error_ns = (pt_link_now_ns(link) - from_ns + 1) / 2;
	pass->at_ns = from_ns + pass->error_ns;
	return rc;
}

const struct pt_e500_method pt_e500_by_dcsr = {
	.name = "dcsr",
	.slot = PT_E500_SLOT_DCSR,
	.state_bytes = sizeof(struct by_dcsr),
	.open = dcsr_open,
	.close = dcsr_close,
	.pass = dcsr_pass,
	.describe = dcsr_describe,
	.only_reads = only_reads,
};
