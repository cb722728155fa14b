/* from= and to=: the MTB records from a match of one comparator of the MTB_DWT until a match of the other. Board thread
 * only. Source: NXP KL25 Sub-Family Reference Manual, 19.32 (MTB_DWT); Arm DDI 0486, 2.4. */
#ifndef PT_CORTEXM_MTB_TRIGGER_H
#define PT_CORTEXM_MTB_TRIGGER_H

#include "targets/contract/pending.h"
#include "targets/cortexm/core/cortexm.h"

enum { PT_MTB_TRIGGER_REGS = 7 };
struct pt_mtb_trigger {
	bool on;
	uint64_t regs;			/* base address of the MTB_DWT */
	/* Addresses at which the code enters and leaves the window; PT_UNKNOWN: a data comparator decides. */
	uint64_t start, stop;
	uint32_t ours[PT_MTB_TRIGGER_REGS], found[PT_MTB_TRIGGER_REGS];
};

/* from, to: "[write:|read:]ADDR[/SIZE][=VALUE]", or NULL. PT_EARG: it is invalid, or needs more than two comparators;
 * the sentence explains what they can do. */
int pt_mtb_trigger_parse(struct pt_mtb_trigger *trigger, const char *from, const char *to, struct pt_err *err);
/* Reads the registers that are to be restored. PT_EUNSUPPORTED: the chip has no MTB_DWT; PT_EBUSY: another user has
 * it. */
int pt_mtb_trigger_look(struct pt_mtb_trigger *trigger, const struct pt_cortexm *cm, bool take, struct pt_err *err);
int pt_mtb_trigger_set(const struct pt_mtb_trigger *trigger, struct pt_mem *mem, bool ours, struct pt_err *err);
/* Rows for the note of registers to be restored (pending.h). Returns their number. */
size_t pt_mtb_trigger_note(const struct pt_mtb_trigger *trigger, struct pt_pending_row *row);

#endif
