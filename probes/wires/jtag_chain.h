/* A chain of TAPs on a wire jtag, so that a target can scan a register of TAP k. Board thread only.
 *
 *	rc = pt_jtag_chain_find(&chain, ops, wire, settings, &err);
 *	tap = pt_jtag_chain_tap(&chain, settings, &err);	-- the one that jtag.tap names, or the only FPGA
 *	struct pt_jtag_op list[2] = {
 *		{ .what = PT_JTAG_IR, .n_bits = chain.tap[tap].ir_bits, .out = user2 },
 *		{ .what = PT_JTAG_DR, .n_bits = 36, .in = data } };
 *	rc = pt_jtag_chain_run(&chain, tap, list, 2, 1000, &n_done, &err);
 *
 * Each IR scan puts all other TAPs into BYPASS, so the first scan at a TAP is an IR scan: else PT_EARG. */
#ifndef PT_PROBES_JTAG_CHAIN_H
#define PT_PROBES_JTAG_CHAIN_H

#include "base/params.h"
#include "probes/wires/jtag.h"

enum { PT_JTAG_MAX_TAPS = 16, PT_JTAG_MAX_IR_BITS = 32 };

/* Facts about a part, by its IDCODE. Sources: UG570, tables "Instruction Register", and OpenOCD's TAP configurations;
 * Arm IHI 0031 for the JTAG-DP. */
struct pt_jtag_part {
	const char *name;		/* name of the family, for users: "7 series" */
	uint32_t idcode, mask;		/* matches if (idcode & mask) is equal; the mask excludes the revision */
	uint8_t ir_bits;
	uint32_t user[4];		/* codes of USER1 to USER4; 0: it has none */
};
/* ir_bits: 0 if unknown; some families have parts that differ in it. NULL: unknown, or ir_bits is needed. */
const struct pt_jtag_part *pt_jtag_part_of(uint32_t idcode, unsigned ir_bits);

struct pt_jtag_tap {
	bool has_idcode;
	uint32_t idcode;		/* 0 without */
	uint8_t ir_bits;		/* 0: unknown, see pt_jtag_chain_find */
	const struct pt_jtag_part *part;	/* NULL: unknown */
};

struct pt_jtag_chain {
	const struct pt_jtag_ops *ops;
	void *wire;
	struct pt_jtag_tap tap[PT_JTAG_MAX_TAPS];	/* tap[0] is nearest to TDO: the first whose bits come out */
	size_t n_taps;
	int selected;			/* the TAP of the last IR scan; -1: none since the last reset */
	bool lost;			/* the TAP did not answer: reset it first */
};

enum pt_jtag_param {	/* index into pt_jtag_params */
	PT_JTAG_TAP, PT_JTAG_IR_LEN, PT_JTAG_IR_USER1, PT_JTAG_IR_USER2, PT_JTAG_IR_USER3, PT_JTAG_IR_USER4,
	PT_N_JTAG_PARAMS
};
extern const struct pt_param pt_jtag_params[];	/* jtag.tap, jtag.ir.len, jtag.ir.user1 ... jtag.ir.user4 */
extern const size_t pt_n_jtag_params;

/* Finds the TAPs on the chain of a connected wire: a reset, then the IDCODEs, then the lengths of the IRs. One IR is as
 * long as the chain's; of several each must be known by its part or by jtag.ir.len ("6" or "6,4", TAP 0 first), and
 * they are checked against the chain's. settings: words of pt_jtag_params, may be NULL. Disturbs no TAP, but leaves all
 * in BYPASS.
 *   PT_EPROTO  TDO stuck at 0 or 1, more than PT_JTAG_MAX_TAPS, or lengths that do not add up: the sentence says which
 *   errors as of pt_jtag_ops.run */
int pt_jtag_chain_find(struct pt_jtag_chain *chain, const struct pt_jtag_ops *ops, void *wire,
		       const struct pt_params *settings, struct pt_err *err);

/* The TAP that jtag.tap names, else the only one with USER instructions, else the only one. PT_EARG: none or
 * several. */
int pt_jtag_chain_tap(const struct pt_jtag_chain *chain, const struct pt_params *settings, struct pt_err *err);

/* The code of instruction USERn (1..4) of a TAP: from jtag.ir.usern, or its part. PT_EARG: neither has it. */
int pt_jtag_chain_user(const struct pt_jtag_chain *chain, size_t tap, unsigned n, const struct pt_params *settings,
		       uint32_t *code, struct pt_err *err);

/* Runs a list at one TAP, with the others in BYPASS. IR operations must be of its ir_bits. Fills head_bits and
 * tail_bits. PT_EARG also: no such TAP, a DR scan before any IR scan at this TAP. PT_EPROTO also: at the first or the
 * last IR scan whose `in` is NULL no TAP answered, so what was read is worth nothing; n_done is 0. Errors as of
 * pt_jtag_ops.run. */
int pt_jtag_chain_run(struct pt_jtag_chain *chain, size_t tap, struct pt_jtag_op *ops, size_t n_ops,
		      uint32_t timeout_ms, size_t *n_done, struct pt_err *err);

#endif
