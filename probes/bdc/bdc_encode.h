/* BDC operations as bytes on the wire: what goes out, what comes in, and where the host must wait. Pure: no I/O. Every
 * driver whose probe moves raw bytes uses it. Source: S12ZVHY/S12ZVHL reference manual Rev. 1.05, 5.4.4 (commands);
 * op-codes that it does not print: USBDM V4.12. */
#ifndef PT_PROBES_BDC_ENCODE_H
#define PT_PROBES_BDC_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "probes/wires/bdc.h"

enum { PT_BDC_MOST_OUT = 8, PT_BDC_MOST_IN = 8, PT_BDC_BIT_CYCLES = 16, PT_BDC_DELAY_CYCLES = 16 }; /* BDCSI cycles */

enum pt_bdc_gap {
	PT_BDC_NO_GAP,
	PT_BDC_ACK_GAP,		/* the target's ACK pulse when ACK is enabled, else PT_BDC_DELAY_CYCLES */
	PT_BDC_DELAY_GAP,	/* PT_BDC_DELAY_CYCLES always: this command has no ACK */
};

/* One command: out; gap[0]; in[0] bytes; gap[1]; in[1] bytes. */
struct pt_bdc_command {
	uint8_t out[PT_BDC_MOST_OUT], n_out;
	uint8_t gap[2], n_in[2];	/* enum pt_bdc_gap */
};

/* Is every operation well-formed, and in can? PT_EARG, PT_EUNSUPPORTED: says which and why. */
int pt_bdc_check(const struct pt_bdc_op *ops, size_t n_ops, uint32_t can, struct pt_err *err);

/* How many commands an operation of bytes is, >= 1; 0: it is none of bytes (SYNC, DELAY, POLL). */
uint32_t pt_bdc_n_commands(const struct pt_bdc_op *op);

/* Command i of an operation that is one of bytes. follows: the command before it on the wire was command i - 1, so that
 * the short form for "the next" or "the same" address can be used. */
void pt_bdc_encode(const struct pt_bdc_op *op, uint32_t i, bool follows, struct pt_bdc_command *out);
uint64_t pt_bdc_cycles(const struct pt_bdc_command *command);	/* BDCSI cycles on the wire, ACK off */

/* What the target sent for command i goes to its operation. False: all of it is 0xee, as from a command that failed.
 * in: as many bytes as n_in says. Always true for SYNC_PC, BDCCSR and the _WS forms, which have other ways to say
 * so. */
bool pt_bdc_take(struct pt_bdc_op *op, uint32_t i, const uint8_t *in);

/* Does the target need ENBDC for it, so that it may be refused? Else it is always available. */
bool pt_bdc_may_fail(const struct pt_bdc_op *op);

/* 0: none of errors is set, else PT_EFAULT. It names the flags if errors is PT_BDC_ERRORS: only these places have names
 * here. */
int pt_bdc_judge(uint16_t bdccsr, uint16_t errors, struct pt_err *err);

#endif
