/* Notes what a pass by scratch code will have to restore, before it changes anything, so that the next process can
 * restore it if this one is killed meanwhile (targets/contract/pending.h). While the performance monitor has an owner,
 * the note is kept between passes: it has no effect on a core that runs or is halted elsewhere. */
#include <stdio.h>
#include <string.h>

#include "targets/e500/perfmon/perfmon.h"
#include "base/util.h"

enum { FRAME = 5, HEAD_BYTES = 8 * FRAME + 8 + 4 + 4 };		/* then the saved bytes, and the code */

static void put_be64(uint8_t *to, uint64_t value)
{
	pt_put_be32(to, (uint32_t)(value >> 32));
	pt_put_be32(to + 4, (uint32_t)value);
}

static uint64_t be64(const uint8_t *from)
{
	return (uint64_t)pt_be32(from) << 32 | pt_be32(from + 4);
}

static uint32_t put_away(const struct pt_e500_away *away, uint8_t *to)
{
	const uint64_t frame[FRAME] = { away->was.r3, away->was.r4, away->was.r5, away->was.pc, away->was.msr };

	for (unsigned i = 0; i < FRAME; i++)
		put_be64(to + 8 * (size_t)i, frame[i]);
	put_be64(to + 8 * FRAME, away->addr);
	pt_put_be32(to + 8 * FRAME + 8, away->len_bytes);
	pt_put_be32(to + 8 * FRAME + 12, away->n_code_bytes);
	memcpy(to + HEAD_BYTES, away->saved, away->len_bytes);
	memcpy(to + HEAD_BYTES + away->len_bytes, away->code, away->len_bytes);
	return HEAD_BYTES + 2 * away->len_bytes;
}

static bool get_away(const uint8_t *from, uint32_t len_bytes, struct pt_e500_away *away)
{
	if (len_bytes < HEAD_BYTES)
		return false;
	*away = (struct pt_e500_away){
		.was = { be64(from), be64(from + 8), be64(from + 16), be64(from + 24), be64(from + 32) },
		.addr = be64(from + 8 * FRAME),
		.len_bytes = pt_be32(from + 8 * FRAME + 8),
		.n_code_bytes = pt_be32(from + 8 * FRAME + 12),
	};
	if (away->len_bytes > PT_E500_SCRATCH_BYTES || away->n_code_bytes > away->len_bytes ||
	    len_bytes != HEAD_BYTES + 2 * away->len_bytes)
		return false;
	memcpy(away->saved, from + HEAD_BYTES, away->len_bytes);
	memcpy(away->code, from + HEAD_BYTES + away->len_bytes, away->len_bytes);
	return true;
}

static void name_unit(unsigned core, char *unit)
{
	snprintf(unit, PT_PENDING_UNIT, "core.%u", core);
}

void pt_e500_note_away(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away)
{
	uint8_t bytes[HEAD_BYTES + 2 * PT_E500_SCRATCH_BYTES];
	struct pt_pending_row row = { .kind = PT_PENDING_OWN, .when = PT_PENDING_HALTED, .core = (uint8_t)core,
				      .width_bytes = 1, .at = away->addr, .bytes = bytes };

	name_unit(core, row.unit);
	row.len_bytes = put_away(away, bytes);
	pt_pending_note(e500->remote.target, &row, 1);
}

void pt_e500_settle_away(struct pt_e500_target *e500, unsigned core)
{
	char unit[PT_PENDING_UNIT];

	name_unit(core, unit);
	pt_pending_settle(e500->remote.target, unit);
}

int pt_e500_pending_mend(void *state, const struct pt_pending_row *row, bool *as_before, struct pt_err *err)
{
	struct pt_e500_away away;

	if (!get_away(row->bytes, row->len_bytes, &away))
		return pt_fail(err, PT_EARG, "no registers and RAM of an e500");
	return pt_e500_bring_back(state, row->core, &away, as_before, err);
}
