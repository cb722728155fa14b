/* A list of dap operations as an ST-Link can do it. Writes to SELECT, CSW and TAR are followed and not sent; accesses
 * through them are collected, so that one command does as many as it can. Whatever is no memory ends the collection.
 *
 * What was read from CSW and TAR later is what the driver knows: the firmware uses these registers as it likes. Behind a
 * fault TAR is where that was, as the probe says it. */
#include <string.h>

#include "host/log.h"
#include "probes/dap/stlink.h"
#include "probes/wires/dap_list.h"
#include "base/util.h"

enum { DP_ABORT = 0x0, DP_CTRL_STAT = 0x4, DP_SELECT = 0x8 };
enum { AP_CSW = 0x00, AP_TAR = 0x04, AP_DRW = 0x0c, AP_BD0 = 0x10, AP_BD3 = 0x1c };
enum { CSW_SIZE = 7, CSW_INCREMENT = 3 << 4, CSW_SINGLE = 1 << 4, CSW_WORD = 2, TAR_BLOCK_BYTES = 1024 };
#define CSW_OF_USER UINT32_C(0x7f00003f)	/* what a host writes to CSW; the rest says what the port can do */

/* --- progress ------------------------------------------------------------------------------------------------------ */

/* The operations up to that one are done, or were begun, by a command that was given at sent_ns. */
static void stamp_ops(struct pt_stlink_list *list, size_t end, uint64_t sent_ns)
{
	uint64_t now_ns = pt_link_now_ns(list->st->link);

	for (size_t i = list->n_stamped; i < end && i < list->n_ops; i++) {
		list->ops[i].sent_ns = list->ops[i].sent_ns != 0 ? list->ops[i].sent_ns : sent_ns;
		list->ops[i].done_ns = now_ns;
	}
	list->n_stamped = end > list->n_stamped ? end : list->n_stamped;
}

uint32_t pt_stlink_addr(const struct pt_stlink_access *access, uint32_t i)
{
	return access->counts ? access->addr + i * access->size : access->addr;
}

void pt_stlink_advance(struct pt_stlink_list *list, size_t n, uint64_t sent_ns)
{
	list->patience.ms = 0;
	while (n > 0 && list->head < list->n_access) {
		struct pt_stlink_access *access = &list->access[list->head];
		uint32_t left = access->n - access->done, step = n < left ? (uint32_t)n : left;

		if (access->done == 0)
			list->ops[access->op].sent_ns = sent_ns;
		access->done += step;
		n -= step;
		if (access->done < access->n)
			return;
		stamp_ops(list, access->op + 1, sent_ns);
		list->head++;
	}
}

void pt_stlink_polled(struct pt_stlink_list *list, uint32_t value, uint64_t sent_ns)
{
	const struct pt_stlink_access *access = &list->access[list->head];
	struct pt_dap_op *op = &list->ops[access->op];

	if (op->words != NULL)
		*op->words = value;
	if (list->poll_until_ns == 0)
		list->poll_until_ns = sent_ns + op->time_us * UINT64_C(1000);
	if ((value & op->mask) == op->value) {
		pt_stlink_advance(list, 1, sent_ns);
		return;
	}
	stamp_ops(list, access->op + 1, sent_ns);
	list->expired = pt_link_now_ns(list->st->link) >= list->poll_until_ns;
}

int pt_stlink_failed(struct pt_stlink_list *list, uint8_t status, struct pt_err *err)
{
	const struct pt_stlink_access *access = &list->access[list->head];

	list->st->ap[access->ap].tar = pt_stlink_addr(access, access->done);
	return pt_stlink_refused(list->st, status, err);
}

/* All that is pending, up to an error or a poll that expired. */
static int flush(struct pt_stlink_list *list, struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && list->head < list->n_access && !list->expired)
		rc = pt_stlink_step(list, err);
	if (rc == 0 && !list->expired)
		list->head = list->n_access = 0;
	return rc;
}

/* --- collecting ---------------------------------------------------------------------------------------------------- */

static bool is_write(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_WRITE || op->what == PT_DAP_WRITE_BLOCK;
}

static uint32_t count_of(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_READ_BLOCK || op->what == PT_DAP_WRITE_BLOCK ? op->n_words : 1;
}

static uint32_t *words_of(struct pt_dap_op *op)
{
	return op->what == PT_DAP_WRITE ? &op->value : op->words;
}

/* The increment carries no further than a block. Source: IHI 0031, "Auto-incrementing the Transfer Address Register". */
static uint32_t moved_on(uint32_t tar, uint32_t bytes)
{
	return (tar & ~(uint32_t)(TAR_BLOCK_BYTES - 1)) | ((tar + bytes) & (TAR_BLOCK_BYTES - 1));
}

static int check_csw(const struct pt_stlink *st, uint32_t csw, bool line, struct pt_err *err)
{
	uint32_t size = csw & CSW_SIZE;

	if (size > CSW_WORD || (line && size != CSW_WORD) ||
	    ((csw & CSW_INCREMENT) != 0 && (csw & CSW_INCREMENT) != CSW_SINGLE))
		return pt_fail(err, PT_EUNSUPPORTED, "an ST-Link makes no such accesses (CSW 0x%08x)", csw);
	if (size == 1 && !pt_stlink_has(st, 26, 0))
		return pt_stlink_too_old(st, "accesses of 16 bits", 26, 0, err);
	return 0;
}

static int add_access(struct pt_stlink_list *list, size_t i, uint8_t ap, uint8_t reg, struct pt_err *err)
{
	struct pt_dap_op *op = &list->ops[i];
	struct pt_stlink_ap *port = &list->st->ap[ap];
	bool line = reg != AP_DRW;
	struct pt_stlink_access access = {
		.op = i, .ap = ap, .csw = port->csw, .n = count_of(op), .words = words_of(op), .write = is_write(op),
		.poll = op->what == PT_DAP_POLL, .size = (uint8_t)(1u << (port->csw & CSW_SIZE)),
		.counts = !line && (port->csw & CSW_INCREMENT) != 0,
		.addr = line ? (port->tar & ~0xfu) | (reg & 0xc) : port->tar,
	};
	int rc = check_csw(list->st, port->csw, line, err);

	if (rc == 0 && !pt_stlink_has(list->st, 32, 2) && !pt_stlink_default_access(&access))
		rc = pt_stlink_too_old(list->st, "accesses with attributes of their own", 32, 2, err);
	if (rc == 0)
		rc = pt_stlink_open_ap(list->st, ap, err);
	if (rc == 0 && list->n_access == PT_STLINK_PENDING)
		rc = flush(list, err);
	if (rc < 0 || access.n == 0 || list->expired)
		return rc;
	list->access[list->n_access++] = access;
	if (access.counts)
		port->tar = moved_on(port->tar, access.n * access.size);
	return 0;
}

/* --- registers ----------------------------------------------------------------------------------------------------- */

static int read_one(struct pt_stlink_list *list, const struct pt_dap_op *op, uint8_t ap, uint8_t reg, uint32_t *value,
		    struct pt_err *err)
{
	if (op->ap)
		return pt_stlink_read_ap(list->st, ap, reg, value, list->timeout_ms, err);
	return pt_stlink_read_dp(list->st, op->a, value, list->timeout_ms, err);
}

static int poll_register(struct pt_stlink_list *list, struct pt_dap_op *op, uint8_t ap, uint8_t reg, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(list->st->link) + op->time_us * UINT64_C(1000);
	uint32_t value = 0;
	int rc;

	do {
		rc = read_one(list, op, ap, reg, &value, err);
		if (rc == 0 && op->words != NULL)
			*op->words = value;
	} while (rc == 0 && (value & op->mask) != op->value && pt_link_now_ns(list->st->link) < until_ns);
	list->expired = rc == 0 && (value & op->mask) != op->value;
	return rc;
}

/* One command each. */
static int move_registers(struct pt_stlink_list *list, size_t i, uint8_t ap, uint8_t reg, struct pt_err *err)
{
	struct pt_dap_op *op = &list->ops[i];
	uint64_t sent_ns = pt_link_now_ns(list->st->link);
	int rc = 0;

	if (op->what == PT_DAP_POLL)
		rc = poll_register(list, op, ap, reg, err);
	for (uint32_t k = 0; op->what != PT_DAP_POLL && rc == 0 && k < count_of(op); k++)
		if (!is_write(op))
			rc = read_one(list, op, ap, reg, &op->words[k], err);
		else if (op->ap)
			rc = pt_stlink_write_ap(list->st, ap, reg, words_of(op)[k], list->timeout_ms, err);
		else
			rc = pt_stlink_write_dp(list->st, op->a, words_of(op)[k], list->timeout_ms, err);
	stamp_ops(list, i + 1, sent_ns);
	return rc;
}

/* CSW and TAR. */
static int access_own(struct pt_stlink_list *list, size_t i, uint8_t ap, uint8_t reg, struct pt_err *err)
{
	struct pt_dap_op *op = &list->ops[i];
	uint32_t *own = reg == AP_CSW ? &list->st->ap[ap].csw : &list->st->ap[ap].tar, value = 0;
	int rc = 0;

	if (is_write(op)) {
		if (count_of(op) > 0)
			*own = words_of(op)[count_of(op) - 1];
		return 0;
	}
	rc = flush(list, err);
	if (rc == 0 && !list->expired && reg == AP_CSW)
		rc = pt_stlink_read_ap(list->st, ap, reg, &value, list->timeout_ms, err);
	if (rc < 0 || list->expired)
		return rc;
	value = reg == AP_CSW ? (value & ~CSW_OF_USER) | (*own & CSW_OF_USER) : *own;
	for (uint32_t k = 0; op->words != NULL && k < count_of(op); k++)
		op->words[k] = value;
	list->expired = op->what == PT_DAP_POLL && (value & op->mask) != op->value;
	stamp_ops(list, i + 1, pt_link_now_ns(list->st->link));
	return 0;
}

static bool is_data(uint8_t reg)
{
	return reg == AP_DRW || (reg >= AP_BD0 && reg <= AP_BD3);
}

static int ap_op(struct pt_stlink_list *list, size_t i, struct pt_err *err)
{
	uint8_t ap = (uint8_t)(list->st->select >> 24), reg = (uint8_t)((list->st->select & 0xf0) | list->ops[i].a);
	bool special = reg == AP_CSW || reg == AP_TAR || is_data(reg);
	int memory = special ? pt_stlink_is_memory(list->st, ap, err) : 0, rc;

	if (memory < 0)
		return memory;
	if (memory == 1)
		return is_data(reg) ? add_access(list, i, ap, reg, err) : access_own(list, i, ap, reg, err);
	rc = flush(list, err);
	return rc < 0 || list->expired ? rc : move_registers(list, i, ap, reg, err);
}

static int dp_op(struct pt_stlink_list *list, size_t i, struct pt_err *err)
{
	const struct pt_dap_op *op = &list->ops[i];
	int rc;

	if (is_write(op) && op->a == DP_SELECT) {
		if (count_of(op) > 0)
			list->st->select = op->what == PT_DAP_WRITE ? op->value : op->words[count_of(op) - 1];
		return 0;
	}
	rc = flush(list, err);
	return rc < 0 || list->expired ? rc : move_registers(list, i, 0, 0, err);
}

/* --- lists --------------------------------------------------------------------------------------------------------- */

static int delay(struct pt_stlink_list *list, size_t i, struct pt_err *err)
{
	uint64_t sent_ns;
	int rc = flush(list, err);

	if (rc < 0 || list->expired)
		return rc;
	sent_ns = pt_link_now_ns(list->st->link);
	rc = pt_link_wait(list->st->link, sent_ns + list->ops[i].time_us * UINT64_C(1000), err);
	stamp_ops(list, i + 1, sent_ns);
	return rc;
}

/* What a port with sticky flags still does. */
static bool allowed_in_fault(const struct pt_dap_op *op)
{
	if (op->ap || op->what == PT_DAP_DELAY)
		return !op->ap;
	return (op->a == DP_ABORT) || (op->a == DP_CTRL_STAT && !is_write(op));
}

static int take_op(struct pt_stlink_list *list, size_t i, struct pt_err *err)
{
	const struct pt_dap_op *op = &list->ops[i];

	if (list->st->faulted && !allowed_in_fault(op))
		return pt_fail(err, PT_EFAULT, "the target answers FAULT: its sticky flags are not cleared");
	if (op->what == PT_DAP_DELAY)
		return delay(list, i, err);
	return op->ap ? ap_op(list, i, err) : dp_op(list, i, err);
}

static int run_list(struct pt_stlink_list *list, size_t *n_done, struct pt_err *err)
{
	size_t i = 0;
	int rc = 0;

	for (; rc == 0 && !list->expired && i < list->n_ops; i++)
		rc = take_op(list, i, err);
	if (rc == 0 && !list->expired)
		rc = flush(list, err);
	if (list->head < list->n_access)
		*n_done = list->access[list->head].op;
	else
		*n_done = rc < 0 || list->expired ? i - 1 : list->n_ops;
	if (rc == 0 && !list->expired)
		stamp_ops(list, list->n_ops, pt_link_now_ns(list->st->link));
	return rc;
}

int pt_stlink_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		  struct pt_err *err)
{
	struct pt_stlink_list list = { .st = state, .ops = ops, .n_ops = n_ops, .timeout_ms = timeout_ms };
	struct pt_err own = { 0 };
	int rc;

	*n_done = 0;
	err = err != NULL ? err : &own;
	rc = pt_dap_check(ops, n_ops, err);
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		ops[i].sent_ns = ops[i].done_ns = 0;
	if (rc == 0 && n_ops > 0 && !list.st->entered)
		rc = pt_stlink_enter(list.st, err);
	if (rc == 0 && n_ops > 0)
		rc = run_list(&list, n_done, err);
	pt_debug(PT_LOG_DAP, "stlink: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}
