/* Finds the TAPs on the chain: after a reset each TAP has its IDCODE between TDI and TDO, or one bit of 0 (BYPASS);
 * ones shifted in after them are not an IDCODE, and end the list. The total length of the IRs is the number of clocks
 * until a 0 comes out after ones. Source: IEEE 1149.1, 12.1 (IDCODE), 10.1 (BYPASS), 7.1 (the two lowest bits captured
 * into an IR are 01). */
#include "probes/wires/jtag_chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/wires/jtag_batch.h"
#include "base/util.h"

enum {
	ID_BITS = 32,
	LOOK_BITS = (PT_JTAG_MAX_TAPS + 1) * ID_BITS,
	MAX_IRS = PT_JTAG_MAX_TAPS * PT_JTAG_MAX_IR_BITS,	/* all together */
	IR_BITS = 2 * MAX_IRS + 1,
	TIMEOUT_MS = 1000,
	LIST_BYTES = 200,
	MOST_LOOKS = 2,		/* for the first instruction of a list, and the last */
};

const struct pt_param pt_jtag_params[] = {
	[PT_JTAG_TAP] = { "jtag.tap", PT_PARAM_NUMBER, NULL, NULL, 0, PT_JTAG_MAX_TAPS - 1,
		"the TAP that is meant, 0 is nearest to TDO; without it the only one that it can be" },
	[PT_JTAG_IR_LEN] = { "jtag.ir.len", PT_PARAM_LIST, NULL, NULL, 0, 0,
		"lengths of the instruction registers, TAP 0 first, where a part is not known" },
	[PT_JTAG_IR_USER1] = { "jtag.ir.user1", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX,
		"code of the instruction USER1, where the part is not known or its BSDL says otherwise" },
	[PT_JTAG_IR_USER2] = { "jtag.ir.user2", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX, "code of USER2" },
	[PT_JTAG_IR_USER3] = { "jtag.ir.user3", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX, "code of USER3" },
	[PT_JTAG_IR_USER4] = { "jtag.ir.user4", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX, "code of USER4" },
};
const size_t pt_n_jtag_params = PT_LEN(pt_jtag_params);

static bool bit_at(const uint8_t *bits, uint32_t at)
{
	return (bits[at / 8] >> (at % 8) & 1) != 0;
}

static uint32_t word_at(const uint8_t *bits, uint32_t at)
{
	uint8_t word[4];

	pt_jtag_copy_bits(word, 0, bits, at, ID_BITS);
	return pt_le32(word);
}

static bool all_are(const uint8_t *bits, uint32_t n_bits, bool level)
{
	for (uint32_t i = 0; i < n_bits; i++)
		if (bit_at(bits, i) != level)
			return false;
	return true;
}

/* Lists the TAPs, for a sentence: "TAP 0 is 0x4ba00477 (Arm JTAG-DP), TAP 1 has no IDCODE". Truncated to room. */
static const char *list_taps(const struct pt_jtag_chain *chain, char *out, size_t room)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < chain->n_taps && n < room; i++) {
		const struct pt_jtag_tap *tap = &chain->tap[i];
		const struct pt_jtag_part *part = pt_jtag_part_of(tap->idcode, tap->ir_bits);
		const char *name = part != NULL ? part->name : "not known";

		if (tap->has_idcode)
			n += (size_t)snprintf(out + n, room - n, "%sTAP %zu is 0x%08x (%s)", i > 0 ? ", " : "", i,
					      tap->idcode, name);
		else
			n += (size_t)snprintf(out + n, room - n, "%sTAP %zu has no IDCODE", i > 0 ? ", " : "", i);
	}
	return out;
}

/* --- who is there ------------------------------------------------------------------------------------------------- */

static int stuck(bool level, struct pt_err *err)
{
	if (level)
		return pt_fail(err, PT_EPROTO,
			       "TDO is always 1: no TAP answers; is the target powered, and TDO connected?");
	return pt_fail(err, PT_EPROTO,
		       "TDO is always 0: the line is shorted or held, or the target has no power or is in reset");
}

static int read_ids(struct pt_jtag_chain *chain, const uint8_t *bits, struct pt_err *err)
{
	uint32_t at = 0;

	if (all_are(bits, LOOK_BITS, true) || all_are(bits, LOOK_BITS, false))
		return stuck(bit_at(bits, 0), err);
	while (at + ID_BITS <= LOOK_BITS) {
		bool has_idcode = bit_at(bits, at);
		struct pt_jtag_tap tap = { .has_idcode = has_idcode, .idcode = has_idcode ? word_at(bits, at) : 0 };

		if (tap.idcode == UINT32_MAX)	/* the ones that were shifted in */
			return 0;
		if (chain->n_taps == PT_JTAG_MAX_TAPS)
			break;
		chain->tap[chain->n_taps++] = tap;
		at += has_idcode ? ID_BITS : 1;
	}
	return pt_fail(err, PT_EPROTO, "more than %d TAPs on the chain, or TDO is noise; the first says 0x%08x",
		       PT_JTAG_MAX_TAPS, chain->tap[0].idcode);
}

/* --- how long their IRs are --------------------------------------------------------------------------------------- */

static int irs_together(const uint8_t *bits, uint32_t *n_bits, struct pt_err *err)
{
	for (uint32_t i = MAX_IRS; i < IR_BITS; i++)
		if (!bit_at(bits, i)) {
			*n_bits = i - MAX_IRS;
			return 0;
		}
	return pt_fail(err, PT_EPROTO, "no bit comes through the instruction registers within %d; is TDI connected?",
		       MAX_IRS);
}

/* The length in jtag.ir.len for this TAP, or 0. */
static int asked_length(const struct pt_params *settings, size_t tap, uint32_t *bits, struct pt_err *err)
{
	const char *list = pt_params_text(settings, &pt_jtag_params[PT_JTAG_IR_LEN]);
	unsigned long value;
	char *end;

	*bits = 0;
	for (size_t i = 0; list != NULL && i < tap; i++) {
		list = strchr(list, ',');
		list = list != NULL ? list + 1 : NULL;
	}
	if (list == NULL)
		return 0;
	value = strtoul(list, &end, 0);
	if (end == list || (*end != 0 && *end != ',') || value < 2 || value > PT_JTAG_MAX_IR_BITS)
		return pt_fail(err, PT_EARG, "jtag.ir.len of TAP %zu is not a length from 2 to %d", tap,
			       PT_JTAG_MAX_IR_BITS);
	*bits = (uint32_t)value;
	return 0;
}

/* Each length is from the settings or the part; an unknown one gets the rest. */
static int share_out(struct pt_jtag_chain *chain, uint32_t together, const struct pt_params *settings,
		     struct pt_err *err)
{
	uint32_t known = 0, bits;
	char who[LIST_BYTES];
	int unknown = -1;

	for (size_t i = 0; i < chain->n_taps; i++) {
		const struct pt_jtag_part *part = pt_jtag_part_of(chain->tap[i].idcode, 0);

		if (asked_length(settings, i, &bits, err) < 0)
			return PT_EARG;
		if (bits == 0 && part != NULL && chain->n_taps > 1)
			bits = part->ir_bits;
		if (bits == 0 && unknown >= 0)
			return pt_fail(err, PT_EPROTO,
				       "the instruction registers of the chain's %zu TAPs have %u bits together; "
				       "whose are how many of them? Set jtag.ir.len (%s)",
				       chain->n_taps, together, list_taps(chain, who, sizeof(who)));
		if (bits == 0)
			unknown = (int)i;
		chain->tap[i].ir_bits = (uint8_t)bits;
		known += bits;
	}
	if (unknown >= 0 && together >= known + 2 && together - known <= PT_JTAG_MAX_IR_BITS) {
		chain->tap[unknown].ir_bits = (uint8_t)(together - known);
		known = together;
	}
	if (known != together)
		return pt_fail(err, PT_EPROTO,
			       "the instruction registers of the chain have %u bits, those of its TAPs %u; see "
			       "jtag.ir.len (%s)",
			       together, known, list_taps(chain, who, sizeof(who)));
	return 0;
}

static int check_irs(const struct pt_jtag_chain *chain, const uint8_t *bits, struct pt_err *err)
{
	uint32_t at = 0;

	for (size_t i = 0; i < chain->n_taps; i++) {
		if (!bit_at(bits, at) || bit_at(bits, at + 1))
			return pt_fail(err, PT_EPROTO,
				       "the instruction register of TAP %zu does not begin with 01: its length, or "
				       "that of one nearer to TDO, is not as jtag.ir.len or the part has it",
				       i);
		at += chain->tap[i].ir_bits;
	}
	return 0;
}

int pt_jtag_chain_find(struct pt_jtag_chain *chain, const struct pt_jtag_ops *ops, void *wire,
		       const struct pt_params *settings, struct pt_err *err)
{
	uint8_t ids[LOOK_BITS / 8], irs[IR_BITS / 8 + 1], a_zero[IR_BITS / 8 + 1];
	struct pt_jtag_op list[] = {
		{ .what = PT_JTAG_RESET },
		{ .what = PT_JTAG_DR, .n_bits = LOOK_BITS, .in = ids },
		{ .what = PT_JTAG_IR, .n_bits = IR_BITS, .out = a_zero, .in = irs },
	};
	uint32_t together = 0;
	struct pt_err local = { 0 };
	size_t n_done;

	err = err != NULL ? err : &local;
	*chain = (struct pt_jtag_chain){ .ops = ops, .wire = wire, .selected = -1 };
	memset(a_zero, 0xff, sizeof(a_zero));	/* the IRs are left with ones: BYPASS */
	a_zero[MAX_IRS / 8] &= (uint8_t)~(1u << MAX_IRS % 8);
	if (ops->run(wire, list, PT_LEN(list), TIMEOUT_MS, &n_done, err) < 0)
		return pt_wrap(err, "look at the JTAG chain");
	if (read_ids(chain, ids, err) < 0 || irs_together(irs, &together, err) < 0 ||
	    share_out(chain, together, settings, err) < 0 || check_irs(chain, irs, err) < 0)
		return pt_wrap(err, "JTAG chain");
	for (size_t i = 0; i < chain->n_taps; i++)
		chain->tap[i].part = pt_jtag_part_of(chain->tap[i].idcode, chain->tap[i].ir_bits);
	return 0;
}

/* --- which TAP, which code ---------------------------------------------------------------------------------------- */

static bool has_user(const struct pt_jtag_tap *tap)
{
	return tap->part != NULL && tap->part->user[0] != 0;
}

int pt_jtag_chain_tap(const struct pt_jtag_chain *chain, const struct pt_params *settings, struct pt_err *err)
{
	uint64_t asked = pt_params_number(settings, &pt_jtag_params[PT_JTAG_TAP]);
	size_t n = 0, found = 0;
	char who[LIST_BYTES];

	if (pt_params_given(settings, &pt_jtag_params[PT_JTAG_TAP])) {
		if (asked >= chain->n_taps)
			return pt_fail(err, PT_EARG, "jtag.tap=%u: there is none of that number (%s)", (unsigned)asked,
				       list_taps(chain, who, sizeof(who)));
		return (int)asked;
	}
	for (size_t i = 0; i < chain->n_taps; i++)
		if (has_user(&chain->tap[i]) || chain->n_taps == 1) {
			found = i;
			n++;
		}
	if (n == 1)
		return (int)found;
	return pt_fail(err, PT_EARG, "the chain has %zu TAPs, and %s: set jtag.tap (%s)", chain->n_taps,
		       n == 0 ? "none is known to be the one that is meant" : "several may be meant",
		       list_taps(chain, who, sizeof(who)));
}

int pt_jtag_chain_user(const struct pt_jtag_chain *chain, size_t tap, unsigned n, const struct pt_params *settings,
		       uint32_t *code, struct pt_err *err)
{
	const struct pt_param *row;

	if (tap >= chain->n_taps || n < 1 || n > 4)
		return pt_fail(err, PT_EARG, "there is no USER%u at TAP %zu", n, tap);
	row = &pt_jtag_params[PT_JTAG_IR_USER1 + n - 1];
	if (pt_params_given(settings, row))
		*code = (uint32_t)pt_params_number(settings, row);
	else if (has_user(&chain->tap[tap]))
		*code = chain->tap[tap].part->user[n - 1];
	else
		return pt_fail(err, PT_EARG,
			       "TAP %zu (IDCODE 0x%08x): the code of USER%u is not known; set %s from the part's BSDL",
			       tap, chain->tap[tap].idcode, n, row->key);
	if (chain->tap[tap].ir_bits < 32 && *code >> chain->tap[tap].ir_bits != 0)
		return pt_fail(err, PT_EARG, "%s=0x%x is longer than the %u bits of the instruction register", row->key,
			       *code, chain->tap[tap].ir_bits);
	return 0;
}

/* --- scans at one TAP --------------------------------------------------------------------------------------------- */

/* The bits shifted first reach the TAPs nearest to TDO. */
static int address(const struct pt_jtag_chain *chain, size_t tap, struct pt_jtag_op *ops, size_t n_ops, int *selected,
		   struct pt_err *err)
{
	uint32_t before = 0, behind = 0;

	for (size_t i = 0; i < chain->n_taps; i++) {
		before += i < tap ? chain->tap[i].ir_bits : 0;
		behind += i > tap ? chain->tap[i].ir_bits : 0;
	}
	for (size_t i = 0; i < n_ops; i++) {
		bool ir = ops[i].what == PT_JTAG_IR;

		if (ops[i].what == PT_JTAG_RESET)
			*selected = -1;
		if (ir && ops[i].n_bits != chain->tap[tap].ir_bits)
			return pt_fail(err, PT_EARG, "an instruction of %u bits for TAP %zu, which has %u",
				       ops[i].n_bits, tap, chain->tap[tap].ir_bits);
		if (ir)
			*selected = (int)tap;
		if (ops[i].what == PT_JTAG_DR && *selected != (int)tap)
			return pt_fail(err, PT_EARG, "TAP %zu has no instruction yet", tap);
		ops[i].head_bits = ir ? before : (uint32_t)tap;
		ops[i].tail_bits = ir ? behind : (uint32_t)(chain->n_taps - 1 - tap);
	}
	return 0;
}

/* The TAP always captures a value ending in 01 into its IR: if not, there is no TAP, and the bits read are those of an
 * open line. Costs no clock. */
struct look {
	struct pt_jtag_op *op[MOST_LOOKS];
	uint8_t captured[MOST_LOOKS][PT_JTAG_MAX_IR_BITS / 8];
	size_t n;
};

static void look_at_irs(struct look *look, struct pt_jtag_op *ops, size_t n_ops)
{
	size_t last = n_ops;

	look->n = 0;
	while (last > 0 && ops[last - 1].what != PT_JTAG_IR)
		last--;
	for (size_t i = 0; i < last; i++)
		if (ops[i].what == PT_JTAG_IR && ops[i].in == NULL && (look->n == 0 || i + 1 == last)) {
			ops[i].in = look->captured[look->n];
			look->op[look->n++] = &ops[i];
		}
}

static int check_looks(struct pt_jtag_chain *chain, size_t tap, const struct look *look, struct pt_err *err)
{
	bool answers = true, ones = true;

	for (size_t i = 0; i < look->n; i++) {
		answers = answers && (look->captured[i][0] & 3) == 1;
		ones = ones && (look->captured[i][0] & 3) == 3;
	}
	if (answers)
		return 0;
	chain->lost = true;
	return pt_fail(
		err, PT_EPROTO,
		"TAP %zu (IDCODE 0x%08x) does not answer any more, TDO is %s: no power, no cable, or held in reset?",
		tap, chain->tap[tap].idcode, ones ? "always 1" : "0 or noise");
}

/* It may have been off meanwhile, and is then in an unknown state. */
static int reset_if_lost(struct pt_jtag_chain *chain, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_jtag_op reset = { .what = PT_JTAG_RESET };
	size_t n_done;
	int rc = chain->lost ? chain->ops->run(chain->wire, &reset, 1, timeout_ms, &n_done, err) : 0;

	chain->lost = chain->lost && rc < 0;
	return rc;
}

int pt_jtag_chain_run(struct pt_jtag_chain *chain, size_t tap, struct pt_jtag_op *ops, size_t n_ops,
		      uint32_t timeout_ms, size_t *n_done, struct pt_err *err)
{
	int selected = chain->selected, rc;
	struct look look;

	*n_done = 0;
	if (tap >= chain->n_taps)
		return pt_fail(err, PT_EARG, "there is no TAP %zu", tap);
	rc = address(chain, tap, ops, n_ops, &selected, err);
	if (rc < 0)
		return rc;
	rc = reset_if_lost(chain, timeout_ms, err);
	if (rc < 0)
		return rc;
	look_at_irs(&look, ops, n_ops);
	rc = chain->ops->run(chain->wire, ops, n_ops, timeout_ms, n_done, err);
	if (rc == 0 && check_looks(chain, tap, &look, err) < 0) {
		*n_done = 0;
		rc = PT_EPROTO;
	}
	for (size_t i = 0; i < look.n; i++)	/* restored for the caller */
		look.op[i]->in = NULL;
	chain->selected = rc == 0 ? selected : -1;
	return rc;
}
