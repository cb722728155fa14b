/* What is to be put back in a chip, noted before it is changed, so that it can be put back when the process that
 * changed it is gone: killed, or its host was. Code that changes a register, or what is in RAM, notes rows first
 * (pt_pending_note) and forgets them when they are as before (pt_pending_settle). The board keeps the note in a file
 * (board/pending.c), as the text below, and with the next target on that probe puts back what it says.
 *
 * Nothing is believed of the chip: it may be another one by now, or have been reset. Rows of a unit go together, and
 * are put back only while every bit of theirs that is to be checked still is as it was written; else the unit is left
 * alone, which is said. No more than bits of the mask are changed. As it was written the time before counts, too: a
 * row is noted before it is written, and the writing process may have been killed in between. A row that is as it was
 * before all that does not: a reset leaves such a mixture as well.
 *
 * Of a register that cannot be read it is not known what it held before: of such a unit only what ends its work is
 * noted, and written, whatever the unit does by then; that the rest is not put back is said.
 *
 *	proftap-pending 1
 *	target cortexm
 *	chip MKL27Z256 (Cortex-M0+ r0p1)
 *	row UNIT KIND CORE WIDTH WHEN AT WAS OURS CHECK MASK EARLIER	all but the words in hex; an old one ends with MASK
 *	bytes UNIT KIND CORE WHEN AT HEX			RAM, as it was; or the target's own
 *	end SUM							FNV-1a of all above, 64 bits
 * Board thread only. */
#ifndef PT_TARGETS_PENDING_H
#define PT_TARGETS_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct pt_target;

enum { PT_PENDING_UNIT = 20, PT_PENDING_ROWS = 1024, PT_PENDING_BYTES = 65536, PT_PENDING_TEXT = 1 << 20 };

enum pt_pending_kind {
	PT_PENDING_MEM,		/* memory, by the target's mem() */
	PT_PENDING_REG,		/* a register that only the target reaches: its ops pending_read and pending_write */
	PT_PENDING_STOP,	/* the same, which cannot be read: `was` ends what ours began; no check */
	PT_PENDING_OWN,		/* bytes that say what is to be put back to the target alone: its op pending_mend; one row */
};
enum pt_pending_when { PT_PENDING_ANY, PT_PENDING_HALTED, PT_PENDING_RUNNING };	/* of the core; else it is left alone */

struct pt_pending_row {
	char unit[PT_PENDING_UNIT];	/* "mtb", "bpu.0": letters, digits, dots */
	uint8_t kind, when;
	uint8_t core, width_bytes;	/* 1, 2, 4 */
	uint64_t at;			/* address, or the target's own number; in target byte order little-endian */
	uint32_t was, ours;		/* what stood there, and what we write */
	uint32_t earlier;		/* pt_pending_note()'s: ours of the note before, or its own */
	uint32_t check;			/* bits that only we change; 0: not looked at */
	uint32_t mask;			/* bits that are put back */
	uint8_t *bytes;			/* instead of was and ours: RAM as it was; copied by note. NULL: a register */
	uint32_t len_bytes;
};

struct pt_pending;

/* keep gets the whole text, or NULL when nothing is pending any more, before the chip is changed. */
struct pt_pending *pt_pending_new(void (*keep)(void *arg, const char *text, size_t len_bytes), void *arg);
/* told: "change UNIT" when one is about to be changed that was as it was found, "put back UNIT", or what pt_pending_tell() says. */
void pt_pending_listen(struct pt_pending *pending, void (*told)(void *arg, const char *text), void *arg);
void pt_pending_free(struct pt_pending *pending);	/* NULL is fine; what is kept stays */

/* No target, or one without pending: nothing is kept, and nothing happens. Rows in the order in which they are to be
 * put back, all of one unit, in place of those that it had. */
void pt_pending_note(struct pt_target *target, const struct pt_pending_row *rows, size_t n);
void pt_pending_settle(struct pt_target *target, const char *unit);
/* For the log of changes alone: what is changed and cannot be put back, as half a sentence. */
void pt_pending_tell(struct pt_target *target, const char *text);

/* Replaces what is noted. Untrusted. PT_EARG: it is no such text, it is cut off, or not as it was written. */
int pt_pending_parse(struct pt_pending *pending, const char *text, size_t len_bytes, struct pt_err *err);
/* What the text is of; "" without. */
const char *pt_pending_of_target(const struct pt_pending *pending);
const char *pt_pending_of_chip(const struct pt_pending *pending);
size_t pt_pending_rows(const struct pt_pending *pending);

/* Put all of it back, the units that were noted last first. say gets a sentence for each; done: it is as before now, or
 * was. What the wire did not allow stays noted: PT_EIO and others. */
int pt_pending_put_back(struct pt_pending *pending, struct pt_target *target,
			void (*say)(void *arg, bool done, const char *sentence), void *arg, struct pt_err *err);

#endif
