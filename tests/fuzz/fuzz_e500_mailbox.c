/* An agent's block made of anything, that changes under its reader: no more is read than the reader may, all of it
 * inside the time it has, and what comes out is bounded. Input: for each access how many words change (0 to 3), and of
 * each which, how, and by what; the block is valid before that and, if the input wants it, sealed again behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/e500/perfmon/mailbox.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { AT = 0x1000, RING = 0x2000, RING_ROOM = 64, DEADLINE_MS = 20, ACCESS_NS = 10000, MEMORY_BYTES = 0x4000 };

struct target {
	const uint8_t *in, *end;
	uint64_t now_ns;
	uint8_t memory[MEMORY_BYTES];
	size_t n_accesses;
};

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void put(struct target *t, unsigned word, uint32_t value)
{
	pt_put_be32(t->memory + AT + 4 * (size_t)word, value);
}

static uint32_t get(const struct target *t, unsigned word)
{
	return pt_be32(t->memory + AT + 4 * (size_t)word);
}

static void seal(struct target *t)
{
	put(t, PT_E500_BOX_SUM,
	    pt_e500_box_sum(t->memory + AT + 4 * PT_E500_BOX_CORE, PT_E500_BOX_SUM - PT_E500_BOX_CORE));
}

/* An agent that works, until the input says otherwise. */
static void live(struct target *t)
{
	uint32_t n_ops = get(t, PT_E500_BOX_N_OPS);

	put(t, PT_E500_BOX_SEQUENCE, get(t, PT_E500_BOX_SEQUENCE) + 2);
	put(t, PT_E500_BOX_LAST, get(t, PT_E500_BOX_SEQUENCE));
	put(t, PT_E500_BOX_ANSWERED, get(t, PT_E500_BOX_REQUEST));
	if (n_ops <= PT_E500_BOX_OPS_MAX)
		put(t, PT_E500_BOX_ANSWER_SUM,
		    pt_e500_box_sum(t->memory + AT + 4 * PT_E500_BOX_REQUEST, 2 + 2 * n_ops));
	seal(t);
	for (unsigned n = t->in < t->end ? *t->in++ & 3 : 0; n > 0 && t->end - t->in >= 3; n--, t->in += 3) {
		unsigned word = t->in[0] % PT_E500_BOX_ALL_WORDS;

		put(t, word, (t->in[1] & 2) != 0 ? get(t, word) + t->in[2] : t->in[2] * UINT32_C(0x01010101));
		if ((t->in[1] & 1) != 0)
			seal(t);
	}
}

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	struct target *t = state;

	(void)timeout_ms;
	(void)fault_addr;
	for (*n_done = 0; *n_done < n_ops; ++*n_done) {
		struct pt_mem_op *op = &ops[*n_done];

		t->n_accesses++;
		op->sent_ns = t->now_ns;
		op->done_ns = t->now_ns += ACCESS_NS;
		live(t);
		if (op->len_bytes > MEMORY_BYTES || op->addr > MEMORY_BYTES - op->len_bytes)
			return pt_fail(err, PT_EFAULT, "refused");
		if (op->what == PT_MEM_READ) {
			memcpy(op->bytes, t->memory + op->addr, op->len_bytes);
			continue;
		}
		need(op->addr >= AT + 4 * PT_E500_BOX_REQUEST_SUM, "it wrote over what is the agent's");
		need(op->addr + op->len_bytes <= AT + 4 * PT_E500_BOX_ALL_WORDS, "it wrote behind the requests");
		memcpy(t->memory + op->addr, op->bytes, op->len_bytes);
	}
	return 0;
}

static uint64_t now_ns(void *state)
{
	return ((struct target *)state)->now_ns;
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	(void)err;
	((struct target *)state)->now_ns = until_ns;
	return 0;
}

static void use(struct pt_e500_mailbox *box)
{
	struct pt_e500_sample samples[PT_E500_BOX_SAMPLES_MAX];
	struct pt_e500_op ops[3] = { { .pmr = PT_E500_PMC0 }, { .pmr = PT_E500_PMGC0, .write = true }, { .pmr = 5 } };
	struct pt_e500_block now;
	uint64_t from_ns, to_ns, lost;
	struct pt_err err;
	uint32_t next = 0;
	int n;

	for (int round = 0; round < 4; round++) {
		if (pt_e500_box_run(box, ops, 3, &now, &from_ns, &to_ns, &err) == 0)
			need(from_ns <= to_ns && now.n_pmcs <= 6, "an answer that cannot be");
		n = pt_e500_box_samples(box, &next, samples, PT_LEN(samples), &lost, &now, &err);
		need(n <= PT_E500_BOX_SAMPLES_MAX, "more samples than there is room for");
		for (int i = 0; i < n; i++)
			need(samples[i].counter < now.n_pmcs, "a sample of no counter");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static const struct pt_mem_ops ops = {
		.run = run, .now_ns = now_ns, .wait = wait_until, .while_running = true,
	};
	static struct target t;
	struct pt_mem mem = { &ops, &t };
	struct pt_e500_mailbox box = { 0 };
	struct pt_err err;

	t = (struct target){ .in = in, .end = in + in_bytes };
	put(&t, PT_E500_BOX_MAGIC, PT_E500_BOX_IS);
	put(&t, PT_E500_BOX_VERSION, PT_E500_BOX_SPEAKS);
	put(&t, PT_E500_BOX_BYTES, 4 * PT_E500_BOX_ALL_WORDS);
	put(&t, PT_E500_BOX_N_PMCS, 4);
	put(&t, PT_E500_BOX_RING, RING);
	put(&t, PT_E500_BOX_RING_ROOM, RING_ROOM);
	if (pt_e500_box_open(&box, &mem, AT, DEADLINE_MS, &err) == 0)
		use(&box);
	need(t.n_accesses < 1000 * DEADLINE_MS && t.now_ns < 20 * DEADLINE_MS * PT_NS_PER_MS, "it took too long");
	return 0;
}
