/* The MDM's side of a BSCANE2: a data register that takes commands and the registers behind them. How it frames them is
 * documented nowhere: every part is an option, UNVERIFIED.
 * Source: UG974, BSCANE2. */
#ifndef PT_VIRTUAL_WIRE_MDM_DR_H
#define PT_VIRTUAL_WIRE_MDM_DR_H

#include "probes/virtual/unit/amd/mdm.h"
#include "probes/virtual/wire/tap.h"

struct pt_vmdm_framing {
	uint8_t cmd_bits;		/* 8, or 4 */
	bool cmd_msb, data_msb;		/* the most significant bit first */
	bool one_scan;			/* the data follow the command in one DR scan; else in the next */
	uint8_t sync_bits, pad_bits;	/* in front of the command; between it and the data, or in front of these */
	bool ones;			/* TDO is not driven: there is no MDM on the chain */
};

struct pt_vmdm_dr {
	struct pt_vmdm *mdm;
	struct pt_vmdm_framing framing;
	bool data;			/* two scans: the next one is the data of command */
	uint8_t command;
	unsigned n;			/* bits shifted in this scan */
	uint64_t value;			/* of the command */
	uint64_t reg;			/* the register itself, while it is shifted */
	unsigned reg_bits, n_reg;	/* 0: there is no such register; how many bits of data came */
};

/* The row of instruction ir: all of it belongs to dr, which must not move. */
struct pt_vdr pt_vmdm_dr_row(struct pt_vmdm_dr *dr, uint32_t ir);
void pt_vmdm_dr_reset(void *dr);	/* Test-Logic-Reset: a command comes next */

#endif
