/* The MEM-AP as a struct pt_mem: checks requests and cuts each into runs of accesses of one width that stay inside a
 * 1 KiB block. mem_plan.c makes DAP operations of the runs. */
#include <string.h>

#include "targets/arm/mem_ap.h"
#include "base/util.h"

enum { BLOCK_BYTES = 1024 };	/* TAR increments only within such a block. Source: IHI 0031, 7.2.2 */

/* --- checking ----------------------------------------------------------------------------------------------------- */

static int check_op(const struct pt_mem_op *op, bool after_poll, struct pt_err *err)
{
	unsigned width = op->width_bytes;

	if (op->what < PT_MEM_READ || op->what > PT_MEM_DELAY)
		return pt_fail(err, PT_EARG, "unknown memory operation %u", op->what);
	if (after_poll && op->what != PT_MEM_READ)
		return pt_fail(err, PT_EARG, "only reads may stand behind a poll");
	if (op->what == PT_MEM_DELAY)
		return 0;
	if (op->addr > UINT32_MAX || op->len_bytes > UINT64_C(0x100000000) - op->addr)
		return pt_fail(err, PT_EARG, "address 0x%llx is beyond 32 bits", (unsigned long long)op->addr);
	if (op->what == PT_MEM_POLL)
		return op->addr % 4 == 0 ? 0 : pt_fail(err, PT_EARG, "a poll needs a word address");
	if (width != 0 && width != 1 && width != 2 && width != 4)
		return pt_fail(err, PT_EARG, "no accesses of %u bytes", width);
	if (width != 0 && (op->addr % width != 0 || op->len_bytes % width != 0))
		return pt_fail(err, PT_EARG, "0x%llx, %zu bytes: not a multiple of %u", (unsigned long long)op->addr,
			       op->len_bytes, width);
	if (op->fixed && width != 4)
		return pt_fail(err, PT_EARG, "accesses to a fixed address are words");
	return 0;
}

static int check(const struct pt_mem_op *ops, size_t n_ops, struct pt_err *err)
{
	bool after_poll = false;

	for (size_t i = 0; i < n_ops; i++) {
		if (check_op(&ops[i], after_poll, err) < 0)
			return err != NULL ? err->code : PT_EARG;
		after_poll |= ops[i].what == PT_MEM_POLL;
	}
	return 0;
}

/* --- cutting ------------------------------------------------------------------------------------------------------ */

static uint8_t width_at(const struct pt_mem_op *op, uint64_t addr, size_t left)
{
	if (op->width_bytes != 0)
		return op->width_bytes;
	if (addr % 2 != 0 || left < 2)
		return 1;
	return addr % 4 != 0 || left < 4 ? 2 : 4;
}

/* The number of accesses of this width, from addr on, that form one run. */
static uint32_t run_at(const struct pt_mem_op *op, uint64_t addr, size_t left, uint8_t width)
{
	size_t to_border = BLOCK_BYTES - addr % BLOCK_BYTES;
	size_t bytes = op->fixed && left > BLOCK_BYTES ? BLOCK_BYTES : left;

	if (!op->fixed && bytes > to_border)
		bytes = to_border;
	if (op->width_bytes == 0 && width < 4)
		return 1;	/* up to an aligned address, or the rest */
	return (uint32_t)(bytes / width);
}

static int plan_bytes(struct pt_mem_ap *ap, const struct pt_mem_op *op)
{
	uint8_t *bytes = op->bytes;
	size_t done = 0;
	int rc = 0;

	while (done < op->len_bytes && rc == 0) {
		uint64_t addr = op->fixed ? op->addr : op->addr + done;
		uint8_t width = width_at(op, addr, op->len_bytes - done);
		uint32_t n = run_at(op, addr, op->len_bytes - done, width);

		rc = pt_plan_access(ap, addr, width, n, bytes + done);
		done += (size_t)n * width;
	}
	return rc;
}

static int plan_op(struct pt_mem_ap *ap, const struct pt_mem_op *op)
{
	switch (op->what) {
	case PT_MEM_POLL:
		return pt_plan_poll(ap);
	case PT_MEM_DELAY:
		return pt_plan_delay(ap, op->time_us);
	default:
		return plan_bytes(ap, op);
	}
}

static void begin(struct pt_mem_ap *ap, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, struct pt_err *err)
{
	ap->ops = ops;
	ap->n_ops = n_ops;
	ap->deadline_ns = pt_link_now_ns(ap->adi->link) + timeout_ms * PT_NS_PER_MS;
	ap->err = err;
	ap->n_dap = 0;
	ap->n_words = 0;
	ap->after_poll = false;
	for (size_t i = 0; i < n_ops; i++)
		ops[i].sent_ns = ops[i].done_ns = 0;
}

static void hide_breakpoints(const struct pt_mem_ap *ap, size_t n_done)
{
	for (size_t i = 0; ap->hooks.hide != NULL && i < n_done; i++) {
		const struct pt_mem_op *op = &ap->ops[i];

		if (op->what == PT_MEM_READ && !op->code && !op->fixed)
			ap->hooks.hide(ap->hooks.arg, op->addr, op->bytes, op->len_bytes);
	}
}

/* --- the ops of struct pt_mem ------------------------------------------------------------------------------------- */

static int mem_ap_run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		      uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_mem_ap *ap = state;
	int rc = check(ops, n_ops, err);

	*n_done = 0;
	*fault_addr = PT_UNKNOWN;
	if (rc == 0)
		rc = pt_adi_begin(ap->adi, err);
	if (rc < 0)
		return rc;
	begin(ap, ops, n_ops, timeout_ms, err);
	for (ap->at = 0; ap->at < n_ops && rc == 0; ap->at++)
		rc = plan_op(ap, &ops[ap->at]);
	if (rc == 0)
		rc = pt_plan_flush(ap);
	*n_done = rc == 0 ? n_ops : ap->stopped_at;
	hide_breakpoints(ap, *n_done);
	if (rc == PT_EFAULT) {
		*fault_addr = pt_mem_ap_find_fault(ap);
		pt_fail(err, PT_EFAULT, "bus fault at 0x%08llx", (unsigned long long)*fault_addr);
	}
	return rc < 0 ? rc : 0;
}

static uint64_t mem_ap_now_ns(void *state)
{
	const struct pt_mem_ap *ap = state;

	return pt_link_now_ns(ap->adi->link);
}

static int mem_ap_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	const struct pt_mem_ap *ap = state;

	return pt_link_wait(ap->adi->link, until_ns, err);
}

static const struct pt_mem_ops mem_ap_ops = {
	.run = mem_ap_run,
	.now_ns = mem_ap_now_ns,
	.wait = mem_ap_wait,
	.while_running = true,
};

void pt_mem_ap_init(struct pt_mem_ap *ap, struct pt_adi *adi, uint8_t number)
{
	ap->mem = (struct pt_mem){ .ops = &mem_ap_ops, .state = ap };
	ap->adi = adi;
	ap->ap = number;
	ap->hooks = (struct pt_mem_ap_hooks){ 0 };
	pt_mem_ap_forget(ap);
}

void pt_mem_ap_forget(struct pt_mem_ap *ap)
{
	ap->csw_known = ap->tar_known = false;
}
