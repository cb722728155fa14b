/* Reads the agent's block while the core runs, sends requests to the agent, and fetches its samples. */
#include "targets/e500/perfmon/mailbox.h"

#include <inttypes.h>
#include <string.h>

#include "base/util.h"

enum { SAMPLE_BYTES = 12, READ_BYTES = 4 * PT_E500_BOX_WORDS, ANSWER_WORD = 4 * PT_E500_BOX_REQUEST_SUM };
enum { ACCESS_MS = 1000, FIRST_REST_US = 100, LONGEST_REST_US = 5000 };
#define WRITE UINT32_C(0x80000000)
#define USER UINT32_C(0x80000000)	/* of a sample's info */

/* --- looking ------------------------------------------------------------------------------------------------------ */

static int access(struct pt_e500_mailbox *box, enum pt_mem_do what, uint64_t addr, void *bytes, size_t len_bytes,
		  struct pt_mem_op *op, struct pt_err *err)
{
	*op = (struct pt_mem_op){ .what = (uint8_t)what, .code = true, .addr = addr, .bytes = bytes,
				  .len_bytes = len_bytes };
	box->n_packets++;
	return pt_mem_run(box->mem, op, 1, ACCESS_MS, NULL, err);
}

struct patience { uint64_t until_ns; uint32_t rest_us; };

static struct patience begin(const struct pt_e500_mailbox *box)
{
	return (struct patience){ pt_mem_now_ns(box->mem) + box->deadline_ms * PT_NS_PER_MS, FIRST_REST_US };
}

/* 0: try again; 1: the deadline has passed. */
static int rest(struct pt_e500_mailbox *box, struct patience *p, struct pt_err *err)
{
	uint64_t now_ns = pt_mem_now_ns(box->mem);
	int rc;

	if (now_ns >= p->until_ns)
		return 1;
	if (box->stands != NULL && box->stands(box->stands_state))
		return pt_fail(err, PT_EUNSUPPORTED, "the core was halted before the agent at 0x%08" PRIx64 " answered",
			       box->addr);
	rc = pt_mem_wait(box->mem, now_ns + p->rest_us * UINT64_C(1000), err);
	p->rest_us = p->rest_us < LONGEST_REST_US / 2 ? p->rest_us * 2 : LONGEST_REST_US;
	return rc;
}

/* Reads the block once; returns as pt_e500_block_take. The block's size and its ring must not change. */
static int glance(struct pt_e500_mailbox *box, struct pt_e500_block *out, struct pt_mem_op *op, struct pt_err *err)
{
	uint8_t bytes[READ_BYTES];
	int rc = access(box, PT_MEM_READ, box->addr, bytes, sizeof(bytes), op, err);

	rc = rc == 0 ? pt_e500_block_take(bytes, out, err) : rc;
	if (rc == 0 && box->bytes != 0 &&
	    (out->bytes != box->bytes || out->ring != box->ring || out->ring_room != box->ring_room))
		rc = pt_fail(err, PT_EPROTO, "it has moved: another program is there now");
	return rc < 0 ? pt_wrap(err, "agent at 0x%08" PRIx64, box->addr) : rc;
}

static int silent(const struct pt_e500_mailbox *box, const char *what, struct pt_err *err)
{
	return pt_fail(err, PT_EBUSY,
		       "agent at 0x%08" PRIx64 ": %s within %" PRIu32 " ms: the core is halted or sleeps, "
		       "its interrupts are off, or the program no longer calls proftap_agent_poll",
		       box->addr, what, box->deadline_ms);
}

static int look(struct pt_e500_mailbox *box, struct pt_e500_block *out, struct pt_mem_op *op, struct pt_err *err)
{
	struct patience patience = begin(box);

	for (;;) {
		int rc = glance(box, out, op, err);

		if (rc <= 0)
			return rc;
		rc = rest(box, &patience, err);
		if (rc < 0)
			return rc;
		if (rc == 1)
			return silent(box, "its block was never whole (sequence or checksum)", err);
	}
}

int pt_e500_box_look(struct pt_e500_mailbox *box, struct pt_e500_block *out, struct pt_err *err)
{
	struct pt_mem_op op;

	return look(box, out, &op, err);
}

int pt_e500_box_fresh(struct pt_e500_mailbox *box, struct pt_e500_block *out, uint64_t *from_ns, uint64_t *to_ns,
		      struct pt_err *err)
{
	struct patience patience = begin(box);
	struct pt_e500_block now;
	struct pt_mem_op op;
	int rc = look(box, out, &op, err);

	*from_ns = op.sent_ns;
	while (rc == 0) {
		rc = rest(box, &patience, err);
		if (rc == 0)
			rc = look(box, &now, &op, err);
		if (rc == 0 && now.sequence != out->sequence) {
			*to_ns = op.done_ns;
			*out = now;
			return 0;
		}
		*from_ns = rc == 0 ? op.sent_ns : *from_ns;
	}
	return rc == 1 ? silent(box, "it published nothing new", err) : rc;
}

int pt_e500_box_open(struct pt_e500_mailbox *box, struct pt_mem *mem, uint64_t addr, uint32_t deadline_ms,
		     struct pt_err *err)
{
	struct pt_e500_block now;
	uint64_t from_ns, to_ns;
	int rc;

	*box = (struct pt_e500_mailbox){ .mem = mem, .addr = addr, .deadline_ms = deadline_ms, .stands = box->stands,
					 .stands_state = box->stands_state };
	if (addr % 4 != 0 || addr > UINT32_MAX - PT_E500_BOX_MOST_BYTES)
		return pt_fail(err, PT_EARG, "an agent's block cannot be at 0x%" PRIx64, addr);
	rc = pt_e500_box_fresh(box, &now, &from_ns, &to_ns, err);
	if (rc < 0)
		return rc;
	box->bytes = now.bytes;
	box->ring = now.ring;
	box->ring_room = now.ring_room;
	return 0;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static void put(uint8_t *words, unsigned n, uint32_t value)
{
	pt_put_be32(words + 4 * (n - PT_E500_BOX_REQUEST_SUM), value);
}

static size_t request_bytes(size_t n_ops)
{
	return 4 * (PT_E500_BOX_OPS - PT_E500_BOX_REQUEST_SUM + 2 * n_ops);
}

static void write_request(uint8_t *words, uint32_t number, const struct pt_e500_op *ops, size_t n_ops)
{
	put(words, PT_E500_BOX_REQUEST, number);
	put(words, PT_E500_BOX_N_OPS, (uint32_t)n_ops);
	for (unsigned i = 0; i < n_ops; i++) {
		put(words, PT_E500_BOX_OPS + 2 * i, ops[i].pmr | (ops[i].write ? WRITE : 0));
		put(words, PT_E500_BOX_OPS + 2 * i + 1, ops[i].write ? ops[i].value : 0);
	}
	put(words, PT_E500_BOX_REQUEST_SUM, pt_e500_box_sum(words + 4, request_bytes(n_ops) / 4 - 1));
}

/* Waits until the agent has executed an earlier request, left while the core was halted. If it does not by the
 * deadline, it is given up. */
static int wait_for_others(struct pt_e500_mailbox *box, struct pt_e500_block *now, struct pt_err *err)
{
	struct patience patience = begin(box);
	int rc = pt_e500_box_look(box, now, err);

	while (rc == 0 && now->request != now->answered) {
		rc = rest(box, &patience, err);
		if (rc == 0)
			rc = pt_e500_box_look(box, now, err);
	}
	return rc == 1 ? 0 : rc;
}

/* Writes a request. A request that was interrupted while waiting is not written twice. there NULL: does not wait for an
 * earlier request. */
static int ask(struct pt_e500_mailbox *box, const struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *there,
	       uint32_t *number, struct pt_err *err)
{
	uint8_t words[sizeof(box->words)] = { 0 };
	struct pt_e500_block now;
	struct pt_mem_op op;
	int rc;

	*number = pt_be32(box->words + 4);
	write_request(words, *number, ops, n_ops);
	if (box->asked && memcmp(words, box->words, sizeof(words)) == 0)
		return 0;
	rc = there != NULL ? wait_for_others(box, &now, err) : pt_e500_box_look(box, &now, err);
	if (rc < 0)
		return rc;
	if (there != NULL)
		*there = now;
	++*number;
	*number += *number == now.answered;
	memset(words, 0, sizeof(words));
	write_request(words, *number, ops, n_ops);
	rc = access(box, PT_MEM_WRITE, box->addr + ANSWER_WORD, words, request_bytes(n_ops), &op, err);
	if (rc < 0)
		return pt_wrap(err, "ask the agent at 0x%08" PRIx64, box->addr);
	memcpy(box->words, words, sizeof(words));
	box->asked = true;
	box->seen_ns = op.sent_ns;
	return 0;
}

int pt_e500_box_leave(struct pt_e500_mailbox *box, const struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	uint32_t number;
	int rc = ask(box, ops, n_ops, NULL, &number, err);

	box->asked = false;
	return rc;
}

/* Reads the values that the agent wrote into the request. */
static int fetch(struct pt_e500_mailbox *box, uint32_t number, struct pt_e500_op *ops, size_t n_ops,
		 const struct pt_e500_block *now, struct pt_err *err)
{
	uint8_t words[sizeof(box->words)];
	struct pt_mem_op op;
	int rc = access(box, PT_MEM_READ, box->addr + ANSWER_WORD, words, request_bytes(n_ops), &op, err);

	if (rc < 0)
		return pt_wrap(err, "answer of the agent at 0x%08" PRIx64, box->addr);
	if (pt_be32(words + 4) != number || pt_e500_box_sum(words + 4, request_bytes(n_ops) / 4 - 1) != now->answer_sum)
		return pt_fail(err, PT_EPROTO,
			       "agent at 0x%08" PRIx64 ": its answer does not fit its checksum: "
			       "another program writes there",
			       box->addr);
	for (size_t i = 0; i < n_ops; i++)
		if (!ops[i].write)
			ops[i].value = pt_be32(words + request_bytes(i) + 4);
	return 0;
}

/* Fetches values only if the request reads registers. */
static int take_answer(struct pt_e500_mailbox *box, uint32_t number, struct pt_e500_op *ops, size_t n_ops,
		       const struct pt_e500_block *now, struct pt_err *err)
{
	bool reads = false;

	box->asked = false;
	if (now->refused != 0 && now->refused <= n_ops)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the agent at 0x%08" PRIx64 " has no register %u: was it made for "
			       "another core (PROFTAP_AGENT_PMCS)?",
			       box->addr, ops[now->refused - 1].pmr);
	for (size_t i = 0; i < n_ops; i++)
		reads |= !ops[i].write;
	return reads ? fetch(box, number, ops, n_ops, now, err) : 0;
}

/* Writes the number of the last answered request, which the agent ignores. */
void pt_e500_box_withdraw(struct pt_e500_mailbox *box)
{
	uint8_t done[4];
	struct pt_mem_op op;

	if (box->asked && access(box, PT_MEM_READ, box->addr + UINT64_C(4) * PT_E500_BOX_ANSWERED, done, sizeof(done),
				 &op, NULL) == 0)
		access(box, PT_MEM_WRITE, box->addr + UINT64_C(4) * PT_E500_BOX_REQUEST, done, sizeof(done), &op, NULL);
	box->asked = false;
}

/* Withdraws the request, so that the agent does not execute it later. */
static int give_up(struct pt_e500_mailbox *box, struct pt_err *err)
{
	pt_e500_box_withdraw(box);
	return silent(box, "it did not do what it was asked for", err);
}

/* The program restarted, and the request was lost. A sequence wrap looks the same, once in weeks. */
static int began_anew(struct pt_e500_mailbox *box, struct pt_err *err)
{
	box->asked = false;
	return pt_fail(err, PT_EBUSY, "agent at 0x%08" PRIx64 ": the program has begun anew meanwhile", box->addr);
}

int pt_e500_box_run(struct pt_e500_mailbox *box, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *out,
		    uint64_t *from_ns, uint64_t *to_ns, struct pt_err *err)
{
	uint32_t number, seen = 0;
	struct patience patience;
	struct pt_mem_op op;
	int rc;

	if (n_ops > PT_E500_BOX_OPS_MAX)
		return pt_fail(err, PT_EARG, "%zu registers at once; the agent takes %d", n_ops, PT_E500_BOX_OPS_MAX);
	*out = (struct pt_e500_block){ 0 };
	rc = ask(box, ops, n_ops, out, &number, err);
	patience = begin(box);
	while (rc == 0) {
		rc = rest(box, &patience, err);
		if (rc == 0)
			rc = look(box, out, &op, err);
		if (rc == 0 && out->answered == number) {
			*from_ns = box->seen_ns;
			*to_ns = op.done_ns;
			return take_answer(box, number, ops, n_ops, out, err);
		}
		if (rc == 0 && out->sequence < seen)
			return began_anew(box, err);
		seen = rc == 0 ? out->sequence : seen;
		box->seen_ns = rc == 0 ? op.sent_ns : box->seen_ns;
	}
	return rc == 1 ? give_up(box, err) : rc;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static bool unpack_sample(const uint8_t *bytes, uint32_t n_pmcs, struct pt_e500_sample *out)
{
	uint32_t info = pt_be32(bytes + 4);

	*out = (struct pt_e500_sample){
		.pc = pt_be32(bytes), .timebase = pt_be32(bytes + 8), .event = info >> 16 & 0x1ff, .counter = info & 15,
		.user = (info & USER) != 0,
	};
	return out->counter < n_pmcs;
}

/* Reads n samples from number first; they may wrap around the ring's end. */
static int read_ring(struct pt_e500_mailbox *box, uint32_t first, uint8_t *bytes, uint32_t n, struct pt_err *err)
{
	uint32_t at = first % box->ring_room, straight = box->ring_room - at < n ? box->ring_room - at : n;
	struct pt_mem_op op;
	int rc = access(box, PT_MEM_READ, box->ring + (uint64_t)at * SAMPLE_BYTES, bytes,
			(size_t)straight * SAMPLE_BYTES, &op, err);

	if (rc == 0 && n > straight)
		rc = access(box, PT_MEM_READ, box->ring, bytes + (size_t)straight * SAMPLE_BYTES,
			    (size_t)(n - straight) * SAMPLE_BYTES, &op, err);
	return rc < 0 ? pt_wrap(err, "samples of the agent at 0x%08" PRIx64, box->addr) : rc;
}

/* Counts how many of the samples read may have been overwritten meanwhile; the agent may just be writing over the
 * oldest one. */
static int overtaken(struct pt_e500_mailbox *box, uint32_t first, uint32_t n, uint32_t *n_gone, struct pt_err *err)
{
	uint8_t bytes[4];
	struct pt_mem_op op;
	uint32_t ahead;
	int rc = access(box, PT_MEM_READ, box->addr + UINT64_C(4) * PT_E500_BOX_HEAD, bytes, sizeof(bytes), &op, err);

	if (rc < 0)
		return rc;
	ahead = pt_be32(bytes) - first;
	*n_gone = ahead < box->ring_room ? 0 : ahead - box->ring_room + 1;
	*n_gone = *n_gone < n ? *n_gone : n;
	return 0;
}

int pt_e500_box_samples(struct pt_e500_mailbox *box, uint32_t *next, struct pt_e500_sample *samples, size_t room,
			uint64_t *lost, struct pt_e500_block *now, struct pt_err *err)
{
	uint8_t bytes[SAMPLE_BYTES * PT_E500_BOX_SAMPLES_MAX];
	uint32_t n, gone, first;
	int rc = pt_e500_box_look(box, now, err), n_good = 0;

	*lost = 0;
	if (rc < 0 || now->head == *next)
		return rc;
	if (box->ring_room == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the agent makes no samples");
	if (now->head - *next >= box->ring_room) {
		*lost = now->head - *next - (box->ring_room - 1);
		*next += (uint32_t)*lost;
	}
	first = *next;
	n = now->head - first;
	room = room < PT_E500_BOX_SAMPLES_MAX ? room : PT_E500_BOX_SAMPLES_MAX;
	n = n < room ? n : (uint32_t)room;
	if (read_ring(box, first, bytes, n, err) < 0 || overtaken(box, first, n, &gone, err) < 0)
		return err->code;
	*lost += gone;
	for (uint32_t i = gone; i < n; i++)
		if (unpack_sample(bytes + (size_t)i * SAMPLE_BYTES, now->n_pmcs, &samples[n_good]))
			n_good++;
		else
			++*lost;
	*next = first + n;
	return n_good;
}
