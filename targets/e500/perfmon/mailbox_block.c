/* Checks the agent's block, and takes values of registers from it. Pure. */
#include "targets/e500/perfmon/mailbox.h"

#include <inttypes.h>

#include "base/util.h"

/* --- what was read ------------------------------------------------------------------------------------------------ */

static uint32_t word(const uint8_t *bytes, unsigned n)
{
	return pt_be32(bytes + 4 * n);
}

uint32_t pt_e500_box_sum(const uint8_t *words, size_t n_words)
{
	uint32_t sum = PT_E500_BOX_IS;

	for (size_t i = 0; i < n_words; i++)
		sum = (sum << 1 | sum >> 31) + pt_be32(words + 4 * i);
	return sum;
}

static void unpack(const uint8_t *bytes, struct pt_e500_block *s)
{
	*s = (struct pt_e500_block){
		.sequence = word(bytes, PT_E500_BOX_SEQUENCE), .core = word(bytes, PT_E500_BOX_CORE),
		.bytes = word(bytes, PT_E500_BOX_BYTES), .n_pmcs = word(bytes, PT_E500_BOX_N_PMCS),
		.timebase = (uint64_t)word(bytes, PT_E500_BOX_TBU) << 32 | word(bytes, PT_E500_BOX_TBL),
		.pmgc0 = word(bytes, PT_E500_BOX_PMGC0), .answered = word(bytes, PT_E500_BOX_ANSWERED),
		.refused = word(bytes, PT_E500_BOX_REFUSED), .answer_sum = word(bytes, PT_E500_BOX_ANSWER_SUM),
		.ring = word(bytes, PT_E500_BOX_RING), .ring_room = word(bytes, PT_E500_BOX_RING_ROOM),
		.head = word(bytes, PT_E500_BOX_HEAD), .lost = word(bytes, PT_E500_BOX_LOST),
		.request = word(bytes, PT_E500_BOX_REQUEST),
	};
	for (unsigned n = 0; n < PT_E500_PMCS_MAX; n++) {
		s->first[n] = word(bytes, PT_E500_BOX_FIRST + n);
		s->second[n] = word(bytes, PT_E500_BOX_SECOND + n);
		s->pmlca[n] = word(bytes, PT_E500_BOX_PMLCA + n);
		s->pmlcb[n] = word(bytes, PT_E500_BOX_PMLCB + n);
	}
}

static bool plausible(const struct pt_e500_block *s)
{
	return s->ring_room <= PT_E500_RING_MOST && (s->ring_room & (s->ring_room - 1)) == 0 &&
	       (s->n_pmcs == 4 || s->n_pmcs == PT_E500_PMCS_MAX) && s->refused <= PT_E500_BOX_OPS_MAX &&
	       s->bytes % 4 == 0 && s->bytes >= 4 * PT_E500_BOX_ALL_WORDS && s->bytes <= PT_E500_BOX_MOST_BYTES;
}

int pt_e500_block_take(const uint8_t *bytes, struct pt_e500_block *out, struct pt_err *err)
{
	uint32_t sequence = word(bytes, PT_E500_BOX_SEQUENCE);
	struct pt_e500_block s;

	if (word(bytes, PT_E500_BOX_MAGIC) != PT_E500_BOX_IS)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "no agent is there: a word 0x%08" PRIx32 " and not 0x%08" PRIx32
			       " (has the program called proftap_agent_init?)",
			       word(bytes, PT_E500_BOX_MAGIC), PT_E500_BOX_IS);
	if (word(bytes, PT_E500_BOX_VERSION) != PT_E500_BOX_SPEAKS)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the agent there is of version %" PRIu32 "; proftap knows %d: "
			       "link the agent that came with it",
			       word(bytes, PT_E500_BOX_VERSION), PT_E500_BOX_SPEAKS);
	if (sequence % 2 != 0 || sequence != word(bytes, PT_E500_BOX_LAST) ||
	    word(bytes, PT_E500_BOX_SUM) !=
		    pt_e500_box_sum(bytes + 4 * PT_E500_BOX_CORE, PT_E500_BOX_SUM - PT_E500_BOX_CORE))
		return 1;
	unpack(bytes, &s);
	if (!plausible(&s))
		return pt_fail(err, PT_EPROTO,
			       "what is there cannot be: %" PRIu32 " counters, %" PRIu32 " bytes, a ring of %" PRIu32
			       " samples",
			       s.n_pmcs, s.bytes, s.ring_room);
	*out = s;
	return 0;
}

/* --- reads out of a snapshot -------------------------------------------------------------------------------------- */

enum { NOT_A_PMC = -1 };

static int pmc_of(const struct pt_e500_block *s, uint16_t pmr)
{
	return pmr >= PT_E500_PMC0 && pmr < PT_E500_PMC0 + s->n_pmcs ? pmr - PT_E500_PMC0 : NOT_A_PMC;
}

/* Control registers change only by our requests; the hardware may change PMGC0. */
static bool serve_control(const struct pt_e500_block *s, struct pt_e500_op *op)
{
	unsigned n = op->pmr & 15;

	if (op->pmr == PT_E500_PMGC0)
		op->value = s->pmgc0;
	else if (n < s->n_pmcs && op->pmr - n == PT_E500_PMLCA0)
		op->value = s->pmlca[n];
	else if (n < s->n_pmcs && op->pmr - n == PT_E500_PMLCB0)
		op->value = s->pmlcb[n];
	else
		return false;
	return true;
}

static bool stands(const struct pt_e500_op *ops, size_t from, size_t to, uint16_t pmr)
{
	for (size_t i = from; i < to; i++)
		if (ops[i].pmr == pmr)
			return true;
	return false;
}

/* Selects the reading for a PMC that is listed between two reads of another one. The agent reads PMC5 to PMC0 twice:
 * the first reading lies between the other's two if the other's number is higher, the second if it is lower. 1: first,
 * 2: second, 0: either, 3: impossible. */
static unsigned wanted_reading(const struct pt_e500_op *ops, size_t n_ops, size_t at)
{
	bool before = stands(ops, 0, at, ops[at].pmr), behind = stands(ops, at + 1, n_ops, ops[at].pmr);
	unsigned wanted = 0;

	if (before || behind)
		return before && behind ? 3 : behind ? 1 : 2;
	for (size_t i = 0; i < at; i++)
		if (ops[i].pmr >= PT_E500_PMC0 && ops[i].pmr < PT_E500_PMC0 + PT_E500_PMCS_MAX &&
		    stands(ops, at + 1, n_ops, ops[i].pmr))
			wanted |= ops[i].pmr > ops[at].pmr ? 1 : 2;
	return wanted;
}

bool pt_e500_block_serve(const struct pt_e500_block *s, struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].write || (pmc_of(s, ops[i].pmr) != NOT_A_PMC && wanted_reading(ops, n_ops, i) == 3))
			return false;
	for (size_t i = 0; i < n_ops; i++) {
		int n = pmc_of(s, ops[i].pmr);

		if (n != NOT_A_PMC)
			ops[i].value = wanted_reading(ops, n_ops, i) == 1 ? s->first[n] : s->second[n];
		else if (!serve_control(s, &ops[i]))
			return false;
	}
	return true;
}
