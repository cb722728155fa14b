/* Memory access by m and M, or by OpenOCD's TCL port if the user names it. Whether m works while the target runs is a
 * property of the server, not of the protocol; the TCL port does both. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "base/rsp_frame.h"
#include "targets/remote/remote_parts.h"
#include "targets/remote/tcl.h"
#include "base/util.h"

enum { CHUNK_BYTES = 0x1000, POLL_US = 1000 };

static size_t chunk_bytes(const struct pt_remote *r)
{
	size_t fits = (r->facts.packet_bytes - 32) / 2;

	return fits < CHUNK_BYTES ? fits : CHUNK_BYTES;
}

static int read_chunk(struct pt_remote *r, uint64_t addr, uint8_t *bytes, size_t len, struct pt_err *err)
{
	char packet[48], text[2 * CHUNK_BYTES + 1];
	struct pt_rsp_args args;
	int n;

	snprintf(packet, sizeof(packet), "m%" PRIx64 ",%zx", addr, len);
	n = pt_remote_ask(r, packet, text, sizeof(text), err);
	if (n < 0)
		return pt_wrap(err, "read memory at 0x%" PRIx64, addr);
	args = (struct pt_rsp_args){ (uint8_t *)text, (uint8_t *)text + n };
	if ((size_t)n > 2 * len || n % 2 != 0 || !pt_rsp_bytes(&args, bytes, (size_t)n / 2))
		return pt_fail(err, PT_EPROTO, "read memory at 0x%" PRIx64 ": %d digits where %zu were expected", addr,
			       n, 2 * len);
	if ((size_t)n < 2 * len)	/* the server could read only the first part */
		return pt_fail(err, PT_EFAULT, "read memory at 0x%" PRIx64 ": the server refuses it",
			       addr + (uint64_t)n / 2);
	return 0;
}

static int write_chunk(struct pt_remote *r, uint64_t addr, const uint8_t *bytes, size_t len, struct pt_err *err)
{
	struct pt_rsp_frame packet = { 0 };
	int rc;

	pt_rsp_text(&packet, "M%" PRIx64 ",%zx:", addr, len);
	pt_rsp_hex(&packet, bytes, len);
	rc = packet.overflow ? pt_fail(err, PT_ENOMEM, "no memory for a packet")
			     : pt_remote_ask_ok(r, packet.bytes, packet.len_bytes, PT_REMOTE_ASK_MS, err);
	pt_rsp_free(&packet);
	return rc == 0 ? 0 : pt_wrap(err, "write memory at 0x%" PRIx64, addr);
}

/* To keep the access width, one access is requested at a time: servers execute an aligned request of 1, 2 or 4 bytes as
 * one access. Some servers are known to use word accesses for longer aligned requests. */
static size_t step_bytes(const struct pt_remote *r, const struct pt_mem_op *op)
{
	bool words = op->width_bytes == 4 && !op->fixed && r->facts.keeps_words && (op->addr | op->len_bytes) % 4 == 0;

	if (op->width_bytes != 0 && !words)
		return op->width_bytes;
	return op->fixed ? 4 : chunk_bytes(r) & ~(size_t)3;
}

static int transfer(struct pt_remote *r, const struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	size_t step = step_bytes(r, op);
	uint8_t *bytes = op->bytes;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < op->len_bytes; at += step) {
		size_t n = op->len_bytes - at < step ? op->len_bytes - at : step;
		uint64_t addr = op->fixed ? op->addr : op->addr + at;

		rc = op->what == PT_MEM_READ ? read_chunk(r, addr, bytes + at, n, err)
					     : write_chunk(r, addr, bytes + at, n, err);
		if (rc == PT_EFAULT)
			*fault_addr = addr;
	}
	return rc;
}

static uint32_t word_of(const struct pt_remote *r, const uint8_t *bytes)
{
	return r->big_endian ? pt_be32(bytes) : pt_le32(bytes);
}

/* 1: expired. */
static int poll_word(struct pt_remote *r, struct pt_mem_op *op, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(r->target->probe);
	uint64_t until_ns = pt_link_now_ns(link) + op->time_us * UINT64_C(1000);
	uint8_t bytes[4];
	int rc;

	for (;;) {
		rc = read_chunk(r, op->addr, bytes, sizeof(bytes), err);
		if (rc < 0)
			return rc;
		op->match_seen = word_of(r, bytes);
		if ((op->match_seen & op->mask) == op->match)
			return 0;
		if (pt_link_now_ns(link) >= until_ns)
			return 1;
		rc = pt_link_wait(link, pt_link_now_ns(link) + POLL_US * UINT64_C(1000), err);
		if (rc < 0)
			return rc;
	}
}

static int run_one(struct pt_remote *r, struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(r->target->probe);

	switch (op->what) {
	case PT_MEM_READ:
	case PT_MEM_WRITE:
		return transfer(r, op, fault_addr, err);
	case PT_MEM_POLL:
		return poll_word(r, op, err);
	case PT_MEM_DELAY:
		return pt_link_wait(link, pt_link_now_ns(link) + op->time_us * UINT64_C(1000), err);
	default:
		return pt_fail(err, PT_EARG, "no such memory operation");
	}
}

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_link *link = pt_probe_link(r->target->probe);
	uint64_t until_ns = pt_link_now_ns(link) + timeout_ms * PT_NS_PER_MS;
	int rc = 0;

	for (*n_done = 0; rc == 0 && *n_done < n_ops; (*n_done)++) {
		struct pt_mem_op *op = &ops[*n_done];

		if (pt_link_now_ns(link) > until_ns)
			return pt_fail(err, PT_ETIMEOUT, "memory: %zu of %zu accesses in %u ms", *n_done, n_ops,
				       timeout_ms);
		op->sent_ns = pt_link_now_ns(link);
		rc = run_one(r, op, fault_addr, err);
		op->done_ns = pt_link_now_ns(link);
		if (rc != 0)
			break;
	}
	return rc > 0 ? 0 : rc;
}

/* --- by the TCL port ---------------------------------------------------------------------------------------------- */

/* Words that the GDB port can read, too, for comparison: the kind's steady_addr, and the word at a halted core's pc. */
static int known_word(void *arg, unsigned n, uint64_t *addr, uint8_t word[4], struct pt_err *err)
{
	struct pt_remote *r = arg;
	unsigned i = r->kind->steady_addr != 0 ? n : n + 1;
	struct pt_rsp_run now;
	int rc;

	if (i > 1)
		return 0;
	*addr = r->kind->steady_addr;
	if (i == 1) {
		rc = r->rsp->poll(r->wire, 0, &now, err);
		if (rc == 0 && (now.running || r->pc_row == UINT16_MAX))
			return pt_fail(err, PT_ESTATE,
				       "what it reads is compared with what the GDB port reads, at the "
				       "pc of a halted target: halt it once");
		rc = rc == 0 ? pt_remote_pc(r, 0, addr, err) : rc;
		if (rc < 0)
			return rc;
		*addr &= ~UINT64_C(3);
	}
	rc = read_chunk(r, *addr, word, 4, err);
	return rc < 0 ? rc : 1;
}

static int wait_for(struct pt_remote *r, struct pt_mem_op *op, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(r->target->probe);

	op->sent_ns = pt_link_now_ns(link);
	op->done_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	return pt_link_wait(link, op->done_ns, err);
}

/* Delays are waited for here, not in the server, which would block its other clients. */
static int run_by_tcl(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		      uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_remote *r = state;
	int rc = 0;

	for (*n_done = 0; rc == 0 && *n_done < n_ops;) {
		size_t end = *n_done, n = 0;

		while (end < n_ops && ops[end].what != PT_MEM_DELAY)
			end++;
		if (end > *n_done)
			rc = pt_tcl_run(r->tcl, ops + *n_done, end - *n_done, timeout_ms, &n, fault_addr, err);
		*n_done += n;
		if (rc == 0 && *n_done < end)
			return 0;	/* a poll expired */
		if (rc == 0 && end < n_ops) {
			rc = wait_for(r, &ops[end], err);
			*n_done += rc == 0;
		}
	}
	return rc;
}

/* --- which -------------------------------------------------------------------------------------------------------- */

static uint64_t now_ns(void *state)
{
	return pt_link_now_ns(pt_probe_link(((struct pt_remote *)state)->target->probe));
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	return pt_link_wait(pt_probe_link(((struct pt_remote *)state)->target->probe), until_ns, err);
}

int pt_remote_mem_by_tcl(struct pt_remote *r, const char *address, const char *name, uint32_t patience_ms,
			 struct pt_err *err)
{
	static const struct pt_mem_ops by_tcl = {
		.run = run_by_tcl, .now_ns = now_ns, .wait = wait_until, .while_running = true
	};
	const struct pt_tcl_setup setup = {
		.address = address, .target = name, .patience_ms = patience_ms, .big_endian = r->big_endian,
		.known = known_word, .arg = r,
	};

	r->tcl = pt_tcl_new(&setup, err);
	r->mem = (struct pt_mem){ &by_tcl, r };
	return r->tcl != NULL ? 0 : err->code;
}

static const struct pt_mem_ops halted_only = { .run = run, .now_ns = now_ns, .wait = wait_until };

const char *pt_remote_why_halted_only(const struct pt_remote *r)
{
	return r->deaf_running ? "the GDB server did not answer while the core ran, though upstream-memory=running "
				 "says it does: it is asked at a halt only"
			       : "the GDB server is not known to read memory while the core runs "
				 "(upstream-memory=running if it does)";
}

static bool is_running(struct pt_remote *r)
{
	struct pt_rsp_run now;

	return r->rsp->poll(r->wire, 0, &now, &(struct pt_err){ 0 }) == 0 && now.running;
}

/* Some servers read no packets until the target stops: each access would block for the whole timeout, and so would
 * GDB's next request. A server that has answered before is only late. */
static int run_always(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		      uint64_t *fault_addr, struct pt_err *err)
{
	struct pt_remote *r = state;
	bool running = !r->answers_running && is_running(r);
	int rc = run(state, ops, n_ops, timeout_ms, n_done, fault_addr, err);

	r->answers_running |= running && rc == 0;
	if (rc != PT_ETIMEOUT || !running || r->answers_running || *n_done > 0 || !is_running(r))
		return rc;
	r->deaf_running = true;
	r->mem.ops = &halted_only;
	if (r->rsp->set_asks_running != NULL)
		r->rsp->set_asks_running(r->wire, false);
	pt_warn("upstream: %s", pt_remote_why_halted_only(r));
	return pt_fail(err, PT_EUNSUPPORTED, "%s", pt_remote_why_halted_only(r));
}

void pt_remote_mem_init(struct pt_remote *r, bool running)
{
	static const struct pt_mem_ops always = {
		.run = run_always, .now_ns = now_ns, .wait = wait_until, .while_running = true
	};

	r->mem = (struct pt_mem){ running ? &always : &halted_only, r };
	if (running && r->rsp->set_asks_running != NULL)
		r->rsp->set_asks_running(r->wire, true);
}

struct pt_mem *pt_remote_mem(void *state, unsigned core)
{
	(void)core;
	return &((struct pt_remote *)state)->mem;
}

const struct pt_region *pt_remote_regions(void *state, size_t *n)
{
	*n = 1;
	return &((struct pt_remote *)state)->region;
}
