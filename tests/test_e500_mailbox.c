/* The reader of the agent's block against a writer that goes on while it reads: a million chains around carries without
 * a torn value; and blocks that cannot be. */
#include <string.h>

#include "harness.h"
#include "targets/e500/perfmon/mailbox.h"

enum { PMC0 = PT_E500_PMC0, READS = 1000000 };

static struct pt_err err;

/* --- a writer as scripts/agent has it, one store at a time; what it stores is the program's counters, which go on */

enum { RESTS = 40 };

struct writer {
	uint32_t memory[PT_E500_BOX_WORDS];
	uint64_t chain[3];		/* pairs PMC1:PMC0 and PMC2:PMC3, and PMC5:PMC4 */
	uint64_t random;
	unsigned at;			/* of the stores of one update */
	unsigned rests;
	uint64_t begun[3], ended[3];	/* the chains at the first and the last reading of the last whole update */
	uint64_t begins[3];
};

static uint64_t draw(struct writer *w, uint64_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % below;
}

static uint32_t pmc(const struct writer *w, unsigned n)
{
	static const struct { uint8_t chain, high; } of[6] = {
		{ 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 }, { 2, 0 }, { 2, 1 },
	};

	return (uint32_t)(of[n].high ? w->chain[of[n].chain] >> 32 : w->chain[of[n].chain]);
}

static uint32_t rotate_sum(const uint32_t *words, unsigned from, unsigned to)
{
	uint32_t sum = PT_E500_BOX_IS;

	for (unsigned i = from; i < to; i++)
		sum = (sum << 1 | sum >> 31) + words[i];
	return sum;
}

/* Counters that stand close to a carry most of the time. */
static void count(struct writer *w)
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t below = (w->chain[i] | UINT32_MAX) - draw(w, 8);

		w->chain[i] = below > w->chain[i] && draw(w, 8) == 0 ? below : w->chain[i] + draw(w, 4);
	}
}

static void store(struct writer *w)
{
	uint32_t *m = w->memory;
	unsigned at = w->at++;

	count(w);
	if (at == 0) {
		m[PT_E500_BOX_LAST]++;
	} else if (at == 1) {
		m[PT_E500_BOX_SEQUENCE]++;
	} else if (at < 14) {			/* twice from the last to PMC0 */
		unsigned n = (13 - at) % 6;

		if (at == 2)
			memcpy(w->begins, w->chain, sizeof(w->chain));
		m[(at < 8 ? PT_E500_BOX_FIRST : PT_E500_BOX_SECOND) + n] = pmc(w, n);
	} else if (at == 14) {
		m[PT_E500_BOX_SUM] = rotate_sum(m, PT_E500_BOX_CORE, PT_E500_BOX_SUM);
		memcpy(w->begun, w->begins, sizeof(w->begun));
		memcpy(w->ended, w->chain, sizeof(w->ended));
	} else if (at == 15) {
		m[PT_E500_BOX_LAST]++;
	} else {
		m[PT_E500_BOX_SEQUENCE]++;
		w->at = 0;
		w->rests = (unsigned)draw(w, RESTS);
	}
}

static void writer_init(struct writer *w)
{
	*w = (struct writer){ .random = 0x9e3779b97f4a7c15 };
	w->memory[PT_E500_BOX_MAGIC] = PT_E500_BOX_IS;
	w->memory[PT_E500_BOX_VERSION] = PT_E500_BOX_SPEAKS;
	w->memory[PT_E500_BOX_BYTES] = 4 * PT_E500_BOX_ALL_WORDS;
	w->memory[PT_E500_BOX_N_PMCS] = 6;
	w->memory[PT_E500_BOX_RING_ROOM] = 256;
	do
		store(w);
	while (w->at != 0);
}

/* Word by word in the order of addresses, the writer at work between any two. */
static void read_block(struct writer *w, uint8_t *bytes)
{
	for (unsigned i = 0; i < PT_E500_BOX_WORDS; i++) {
		if (draw(w, 4) == 0 && w->rests > 0)
			w->rests--;
		for (uint64_t n = w->rests == 0 ? draw(w, 3) : 0; n > 0 && w->rests == 0; n--)
			store(w);
		pt_put_be32(bytes + 4 * (size_t)i, w->memory[i]);
	}
}

static const struct { uint8_t low, high; } pairs[3] = { { 0, 1 }, { 3, 2 }, { 4, 5 } };

/* Returns whether it was whole: then it lies between what the chain held at the first and at the last reading. */
static bool check_chain(const struct writer *w, const struct pt_e500_block *s, unsigned i)
{
	struct pt_e500_op ops[] = { { .pmr = PMC0 + pairs[i].high }, { .pmr = PMC0 + pairs[i].low },
				    { .pmr = PMC0 + pairs[i].high } };
	uint64_t value;

	if (!pt_e500_block_serve(s, ops, PT_LEN(ops)))
		ck_abort_msg("not served");
	if (ops[0].value != ops[2].value)
		return false;		/* a carry between the two: read again */
	value = (uint64_t)ops[0].value << 32 | ops[1].value;
	if (value < w->begun[i] || value > w->ended[i])
		ck_abort_msg("torn: 0x%llx, not 0x%llx to 0x%llx", (unsigned long long)value,
			     (unsigned long long)w->begun[i], (unsigned long long)w->ended[i]);
	return true;
}

START_TEST(a_million_chains_around_carries)
{
	uint8_t bytes[4 * PT_E500_BOX_WORDS];
	uint64_t n_whole = 0, n_carries = 0, n_torn = 0;
	struct pt_e500_block s;
	struct writer w;

	writer_init(&w);
	while (n_whole < READS) {
		uint32_t sequence;

		read_block(&w, bytes);
		sequence = pt_be32(bytes + 4 * PT_E500_BOX_SEQUENCE);
		if (pt_e500_block_take(bytes, &s, &err) != 0) {
			n_torn++;
			continue;
		}
		if (sequence != w.memory[PT_E500_BOX_SEQUENCE] || w.at > 2)
			continue;	/* whole, but the writer's next has overwritten what it is compared with */
		for (unsigned i = 0; i < 3; i++) {
			bool whole = check_chain(&w, &s, i);

			n_whole += whole;
			n_carries += !whole;
		}
		w.rests = 0;
	}
	ck_assert_uint_gt(n_torn, READS / 100);
	ck_assert_uint_gt(n_carries, READS / 100);
}
END_TEST

/* --- blocks that cannot be */

static void good(uint8_t *bytes)
{
	struct writer w;

	writer_init(&w);
	for (unsigned i = 0; i < PT_E500_BOX_WORDS; i++)
		pt_put_be32(bytes + 4 * (size_t)i, w.memory[i]);
}

static void seal(uint8_t *bytes)
{
	pt_put_be32(bytes + 4 * PT_E500_BOX_SUM,
		    pt_e500_box_sum(bytes + 4 * PT_E500_BOX_CORE, PT_E500_BOX_SUM - PT_E500_BOX_CORE));
}

static const struct {
	const char *name;
	unsigned word;
	uint32_t value;
	bool seals;
	int want;
	const char *says;
} bad[] = {
	{ "nothing there", PT_E500_BOX_MAGIC, 0, true, PT_EUNSUPPORTED, "no agent is there" },
	{ "another version", PT_E500_BOX_VERSION, 2, true, PT_EUNSUPPORTED, "version 2" },
	{ "being written", PT_E500_BOX_SEQUENCE, 3, true, 1, NULL },
	{ "begun again", PT_E500_BOX_LAST, 3, true, 1, NULL },
	{ "wrong checksum", PT_E500_BOX_PMGC0, 7, false, 1, NULL },
	{ "no counters", PT_E500_BOX_N_PMCS, 0, true, PT_EPROTO, "0 counters" },
	{ "too many counters", PT_E500_BOX_N_PMCS, 7, true, PT_EPROTO, "7 counters" },
	{ "a huge block", PT_E500_BOX_BYTES, 0x80000000, true, PT_EPROTO, "cannot be" },
	{ "a small block", PT_E500_BOX_BYTES, 16, true, PT_EPROTO, "cannot be" },
	{ "a ring of 3", PT_E500_BOX_RING_ROOM, 3, true, PT_EPROTO, "ring of 3" },
	{ "a huge ring", PT_E500_BOX_RING_ROOM, 1 << 20, true, PT_EPROTO, "cannot be" },
	{ "refused what nobody asked", PT_E500_BOX_REFUSED, 33, true, PT_EPROTO, "cannot be" },
};

START_TEST(a_block_that_cannot_be)
{
	uint8_t bytes[4 * PT_E500_BOX_WORDS];
	struct pt_e500_block s;

	good(bytes);
	ck_assert_int_eq(pt_e500_block_take(bytes, &s, &err), 0);
	pt_put_be32(bytes + 4 * (size_t)bad[_i].word, bad[_i].value);
	if (bad[_i].seals)
		seal(bytes);
	ck_assert_msg(pt_e500_block_take(bytes, &s, &err) == bad[_i].want, "%s", bad[_i].name);
	if (bad[_i].says != NULL)
		ck_assert_msg(strstr(err.msg, bad[_i].says) != NULL, "%s: %s", bad[_i].name, err.msg);
}
END_TEST

/* --- which lists of reads a block serves: what is read is the word's own place, 0x1n first, 0x2n second */

static const struct { const char *name; uint16_t pmr[6]; uint32_t want[6]; size_t n; bool serves; } lists[] = {
	{ "all, the last reading", { 16, 17, 18, 19 }, { 0x20, 0x21, 0x22, 0x23 }, 4, true },
	{ "upper above lower", { 17, 16, 17 }, { 0x11, 0x10, 0x21 }, 3, true },
	{ "upper below lower", { 16, 17, 16 }, { 0x10, 0x21, 0x20 }, 3, true },
	{ "two chains", { 17, 16, 17, 18, 19, 18 }, { 0x11, 0x10, 0x21, 0x12, 0x23, 0x22 }, 6, true },
	{ "three links", { 18, 17, 16, 17, 18 }, { 0x12, 0x11, 0x10, 0x21, 0x22 }, 5, true },
	{ "between both", { 17, 19, 18, 17, 19 }, { 0 }, 5, false },
	{ "three times", { 16, 16, 16 }, { 0 }, 3, false },
	{ "controls", { 400, 145, 273 }, { 0x77, 0x31, 0x41 }, 3, true },
	{ "none of that number", { 22 }, { 0 }, 1, false },
	{ "a user's number", { 0 }, { 0 }, 1, false },
};

START_TEST(reads_are_served_in_their_order)
{
	struct pt_e500_block s = { .n_pmcs = 4, .pmgc0 = 0x77 };
	struct pt_e500_op ops[6];

	for (unsigned n = 0; n < 6; n++) {
		s.first[n] = 0x10 + n;
		s.second[n] = 0x20 + n;
		s.pmlca[n] = 0x30 + n;
		s.pmlcb[n] = 0x40 + n;
		ops[n] = (struct pt_e500_op){ .pmr = lists[_i].pmr[n] };
	}
	ck_assert_msg(pt_e500_block_serve(&s, ops, lists[_i].n) == lists[_i].serves, "%s", lists[_i].name);
	for (size_t i = 0; lists[_i].serves && i < lists[_i].n; i++)
		ck_assert_msg(ops[i].value == lists[_i].want[i], "%s: 0x%x", lists[_i].name, ops[i].value);
	ops[0].write = true;
	ck_assert(!pt_e500_block_serve(&s, ops, lists[_i].n));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_mailbox");
	TCase *tc = tcase_create("mailbox");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_million_chains_around_carries);
	tcase_add_loop_test(tc, a_block_that_cannot_be, 0, PT_LEN(bad));
	tcase_add_loop_test(tc, reads_are_served_in_their_order, 0, PT_LEN(lists));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
