/* Notes the writes that stop a unit for as long as it works, so that the next process can stop it if this one was
 * killed (targets/contract/pending.h). The units' registers are write-only (UG984, PG115: access W): their earlier
 * contents are unknown and not restored, and it is not checked who started the unit. See microblaze.h. */
#include <inttypes.h>
#include <stdio.h>

#include "targets/microblaze/microblaze.h"

/* Layout of a row's `at`: which debug register. The row's member core is a core of the GDB server, which may have
 * fewer. */
enum { AT_COMMAND = 0, AT_BITS = 8, AT_OWN = 16, AT_CORE = 24 };

static uint64_t place_of(const struct pt_mdm_op *op, unsigned core)
{
	return (uint64_t)core << AT_CORE | (uint64_t)op->own << AT_OWN | (uint64_t)op->bits << AT_BITS |
	       (uint64_t)op->command << AT_COMMAND;
}

void pt_mb_unit_begins(const struct pt_mb_unit *unit, const struct pt_mdm_op *ends, size_t n)
{
	struct pt_pending_row row[PT_MB_MOST_ENDS];

	for (size_t i = 0; i < n && i < PT_MB_MOST_ENDS; i++) {
		row[i] = (struct pt_pending_row){ .kind = PT_PENDING_STOP, .width_bytes = 4, .mask = UINT32_MAX,
						  .at = place_of(&ends[i], unit->core),
						  .was = (uint32_t)ends[i].value, .ours = (uint32_t)ends[i].value };
		snprintf(row[i].unit, sizeof(row[i].unit), "%s", unit->name);
	}
	pt_pending_note(unit->target, row, n);
}

void pt_mb_unit_ended(const struct pt_mb_unit *unit)
{
	pt_pending_settle(unit->target, unit->name);
}

/* Checks the trace unit, the only one whose status says whether it runs. */
static int is_ended(struct pt_mdm *mdm, uint8_t command, struct pt_err *err)
{
	uint64_t status = 0;

	if (command != TCMDR)
		return 0;
	if (pt_mdm_get(mdm, false, TSR, TSR_BITS, &status, err) < 0)
		return err->code;
	return (status >> PT_TSR_STARTED & 1) == 0
		       ? 0
		       : pt_fail(err, PT_EPROTO, "the trace unit records on (status 0x%05" PRIx64 ")", status);
}

int pt_mb_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			struct pt_err *err)
{
	struct pt_mdm *mdm = &((struct pt_mb *)state)->mdm;

	if (pt_mdm_needs_way(mdm, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = rows[i].at;
		uint8_t command = at >> AT_COMMAND & 0xff, bits = at >> AT_BITS & 0xff;

		if (bits == 0 || bits > 32 || at >> AT_CORE >= PT_MDM_MOST_CORES)
			return pt_fail(err, PT_EARG, "the MDM has no register 0x%" PRIx64, at);
		if (pt_mdm_select(mdm, (unsigned)(at >> AT_CORE), err) < 0 ||
		    pt_mdm_put(mdm, (at >> AT_OWN & 1) != 0, command, bits, values[i], err) < 0 ||
		    is_ended(mdm, command, err) < 0)
			return err->code;
	}
	return 0;
}
