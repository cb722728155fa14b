/* Model of a Kinetis TPM counting up (KL27 RM, chapter TPM): overflow at MOD, and compare flags of its channels. Pins,
 * capture and centre-aligned counting are storage only. */
#ifndef PT_VIRTUAL_UNIT_TPM_H
#define PT_VIRTUAL_UNIT_TPM_H

#include "probes/virtual/frame/timer.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VTPM_CHANNELS = 6 };

struct pt_vtpm {
	const struct pt_vwires *wires;
	unsigned irq;
	struct pt_vtimer timer;
	uint32_t sc, mod, conf, pol;
	struct {
		uint32_t csc, value;
		bool matched;		/* in this round */
	} channel[PT_VTPM_CHANNELS];
};

extern const struct pt_vunit_ops pt_vtpm_ops;	/* a 4 KiB page; the unit is a struct pt_vtpm */

void pt_vtpm_init(struct pt_vtpm *tpm, const struct pt_vwires *wires, unsigned irq);

#endif
