/* Memory access through the BDC. READ_MEM, WRITE_MEM and their continuations (DUMP, FILL) work while the core runs, in
 * bus cycles that it leaves free; nothing is cached here.
 *
 * A long must be at a multiple of 4 and a word not at 3 modulo 4, otherwise the BDC changes the address (ZVM
 * p.163-168). So any request becomes at most a byte, a word, longs, a word and a byte; an aligned request of 1, 2 or 4
 * bytes is one access. */
#include <string.h>

#include "targets/s12z/core/s12z.h"
#include "base/util.h"

enum { ROOM = 64, PIECE_BYTES = 1024, ADDR_END = 0x1000000 };

struct plan {
	struct pt_bdc_op op[ROOM];
	uint16_t of[ROOM];		/* index of its struct pt_mem_op */
	size_t n;
	uint8_t stand_in[ROOM][8];	/* bytes to write around a breakpoint in memory */
};

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/* Adds an access of len bytes at offset at of op. */
static void put_access(struct plan *plan, size_t owner, const struct pt_mem_op *op, size_t at, uint8_t *bytes,
		       size_t len, uint8_t size)
{
	enum pt_bdc_do what = op->what == PT_MEM_WRITE ? PT_BDC_WRITE_MEM
			      : op->fixed	       ? PT_BDC_READ_SAME
						       : PT_BDC_READ_MEM;

	plan->of[plan->n] = (uint16_t)owner;
	plan->op[plan->n++] = (struct pt_bdc_op){
		.what = (uint8_t)what, .size_bytes = size, .addr = (uint32_t)(op->addr + (op->fixed ? 0 : at)),
		.n = (uint32_t)(len / size), .bytes = bytes,
	};
}

/* Width of the next access, with len bytes left from addr on. */
static uint8_t next_size(uint64_t addr, size_t len, uint8_t width)
{
	if (width != 0)
		return width;
	if (addr % 4 == 0 && len >= 4)
		return 4;
	return addr % 2 == 0 && len >= 2 ? 2 : 1;
}

/* Adds accesses as far as there is room; *at: how far the request is planned. */
static void put_pieces(struct plan *plan, size_t owner, const struct pt_mem_op *op, size_t *at)
{
	while (*at < op->len_bytes && plan->n < ROOM) {
		uint64_t addr = op->fixed ? op->addr : op->addr + *at;
		size_t left = op->len_bytes - *at;
		uint8_t size = next_size(addr, left, op->width_bytes);
		size_t len = size == 4 || op->width_bytes != 0 ? left - left % size : size;

		len = len < PIECE_BYTES ? len : PIECE_BYTES;
		put_access(plan, owner, op, *at, (uint8_t *)op->bytes + *at, len, size);
		*at += len;
	}
}

/* Breakpoints are in memory as BGND: a write to such a byte changes the saved original instead. Such a request is
 * written byte by byte; it is code, so access widths do not matter. */
static void put_around_breaks(struct pt_s12z *z, struct plan *plan, size_t owner, const struct pt_mem_op *op,
			      size_t *at)
{
	while (*at < op->len_bytes && plan->n < ROOM) {
		size_t len = op->len_bytes - *at < 8 ? op->len_bytes - *at : 8;
		uint8_t *bytes = plan->stand_in[plan->n];

		memcpy(bytes, (const uint8_t *)op->bytes + *at, len);
		pt_breaks_s12z_keep(z, op->addr + *at, bytes, len);
		put_access(plan, owner, op, *at, bytes, len, 1);
		*at += len;
	}
}

static void put_other(struct plan *plan, size_t owner, const struct pt_mem_op *op)
{
	struct pt_bdc_op *out = &plan->op[plan->n];

	plan->of[plan->n++] = (uint16_t)owner;
	*out = (struct pt_bdc_op){ .what = PT_BDC_DELAY, .time_us = op->time_us, .n = 1 };
	if (op->what != PT_MEM_POLL)
		return;
	out->what = PT_BDC_POLL;
	out->size_bytes = 1;
	for (unsigned byte = 0; byte < 4; byte++) {	/* of the word: the first byte is the most significant */
		unsigned shift = 8 * (3 - byte);

		if ((op->mask >> shift & 0xff) == 0)
			continue;
		out->addr = (uint32_t)op->addr + byte;
		out->mask = (uint8_t)(op->mask >> shift);
		out->value = op->match >> shift & 0xff;
	}
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static bool one_byte(uint32_t mask)
{
	return (mask & 0xff) == mask || (mask & 0xff00) == mask || (mask & 0xff0000) == mask ||
	       (mask & 0xff000000) == mask;
}

static int check(const struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	uint8_t width = op->width_bytes;
	bool span = op->what == PT_MEM_READ || op->what == PT_MEM_WRITE;

	if (span && (width > 4 || width == 3 || (width != 0 && (op->addr % width != 0 || op->len_bytes % width != 0)) ||
		     (op->fixed && width == 0)))
		return pt_fail(err, PT_EARG, "accesses of %u bytes to %zu bytes at 0x%llx", width, op->len_bytes,
			       (unsigned long long)op->addr);
	if (op->what == PT_MEM_POLL && !one_byte(op->mask))
		return pt_fail(err, PT_EARG, "the BDC can wait for one byte only");
	if (op->what == PT_MEM_DELAY || (op->addr < ADDR_END && (!span || op->len_bytes <= ADDR_END - op->addr)))
		return 0;
	*fault_addr = op->addr < ADDR_END ? ADDR_END : op->addr;
	return pt_fail(err, PT_EFAULT, "0x%llx is beyond the 24 bits of an address", (unsigned long long)*fault_addr);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static bool meets_break(const struct pt_s12z *z, const struct pt_mem_op *op)
{
	return op->what == PT_MEM_WRITE && !op->code && pt_breaks_s12z_in(z, op->addr, op->len_bytes);
}

/* Fills the plan from ops[*next] on, of which *at bytes are planned already. */
static void fill(struct pt_s12z *z, struct plan *plan, const struct pt_mem_op *ops, size_t n_ops, size_t *next,
		 size_t *at)
{
	plan->n = 0;
	while (*next < n_ops && plan->n < ROOM) {
		const struct pt_mem_op *op = &ops[*next];
		bool poll = op->what == PT_MEM_POLL;

		if (op->what != PT_MEM_READ && op->what != PT_MEM_WRITE)
			put_other(plan, *next, op);
		else if (meets_break(z, op))
			put_around_breaks(z, plan, *next, op, at);
		else
			put_pieces(plan, *next, op, at);
		if ((op->what == PT_MEM_READ || op->what == PT_MEM_WRITE) && *at < op->len_bytes)
			return;
		*at = 0;
		++*next;
		if (poll && plan->n > ROOM / 2)
			return;
	}
}

static void finish(struct pt_s12z *z, struct pt_mem_op *op, const struct pt_bdc_op *last)
{
	op->done_ns = last->done_ns;
	if (op->what == PT_MEM_READ && !op->code)
		pt_breaks_s12z_hide(z, op->addr, op->bytes, op->len_bytes);
	if (op->what != PT_MEM_POLL)
		return;
	op->match_seen = last->value;
	for (uint32_t byte = last->addr; byte < (uint32_t)op->addr + 3; byte++)
		op->match_seen <<= 8;
}

/* Takes times and results of the executed part of the plan; *n_done: number of complete ops. */
static void take(struct pt_s12z *z, const struct plan *plan, size_t done, size_t next, struct pt_mem_op *ops,
		 size_t *n_done)
{
	for (size_t i = 0; i < done; i++) {
		struct pt_mem_op *op = &ops[plan->of[i]];
		bool last = i + 1 < plan->n ? plan->of[i + 1] != plan->of[i] : plan->of[i] < next;

		if (i == 0 || plan->of[i - 1] != plan->of[i])
			op->sent_ns = op->sent_ns == 0 ? plan->op[i].sent_ns : op->sent_ns;
		if (last) {
			finish(z, op, &plan->op[i]);
			*n_done = plan->of[i] + 1u;
		}
	}
}

static int explain(const struct plan *plan, size_t failed, uint64_t *fault_addr, struct pt_err *err)
{
	const struct pt_bdc_op *op = &plan->op[failed];
	uint32_t len = op->n * op->size_bytes;

	*fault_addr = op->n > 1 ? PT_UNKNOWN : op->addr;
	if (op->n > 1)
		return pt_wrap(err, "%s 0x%06x to 0x%06x", op->what == PT_BDC_WRITE_MEM ? "write" : "read",
			       (unsigned)op->addr, (unsigned)(op->addr + len - 1));
	return pt_wrap(err, "%s 0x%06x", op->what == PT_BDC_WRITE_MEM ? "write" : "read", (unsigned)op->addr);
}

static int mem_run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_s12z *z = state;
	size_t next = 0, at = 0;
	struct plan plan;
	int rc = 0;

	(void)timeout_ms;	/* the wire's own timeout is shorter, and each batch is bounded */
	*n_done = 0;
	for (size_t i = 0; i < n_ops; i++) {
		if (check(&ops[i], fault_addr, err) < 0)
			return err->code;
		ops[i].sent_ns = ops[i].done_ns = 0;
	}
	while (rc == 0 && next < n_ops) {
		size_t done = 0;

		fill(z, &plan, ops, n_ops, &next, &at);
		rc = pt_wire_s12z_run(&z->wire, plan.op, plan.n, &done, err);
		take(z, &plan, done, next, ops, n_done);
		if (rc == 0 && done < plan.n) {		/* a poll expired */
			finish(z, &ops[plan.of[done]], &plan.op[done]);
			return 0;
		}
		if (rc == PT_EFAULT)
			rc = explain(&plan, done, fault_addr, err);
	}
	if (rc == 0)
		*n_done = n_ops;
	return rc;
}

static uint64_t mem_now_ns(void *state)
{
	return pt_link_now_ns(((struct pt_s12z *)state)->wire.link);
}

static int mem_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	return pt_link_wait(((struct pt_s12z *)state)->wire.link, until_ns, err);
}

static const struct pt_mem_ops mem_ops = {
	.run = mem_run, .now_ns = mem_now_ns, .wait = mem_wait, .while_running = true
};

void pt_s12z_mem_init(struct pt_s12z *z)
{
	z->mem = (struct pt_mem){ &mem_ops, z };
}

int pt_s12z_get8(struct pt_s12z *z, uint32_t addr, uint8_t *value, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = addr, .n = 1, .bytes = value };

	return pt_wire_s12z_run(&z->wire, &op, 1, NULL, err);
}

int pt_s12z_put8(struct pt_s12z *z, uint32_t addr, uint8_t value, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = addr, .n = 1, .bytes = &value };

	return pt_wire_s12z_run(&z->wire, &op, 1, NULL, err);
}
