/* Whether everything that ran was seen: rows and figures are of another basis then. */
#include "pipeline/pipeline_parts.h"

bool pt_snapshot_has_flow(const struct pt_pipeline *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n_traced; i++)
		any |= p->traced[i].flow != NULL;
	return any;
}

/* What no lane's own account shows: code that is not the ELF's, the end of a file, a core for which there was no
 * room. */
static bool missing(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_lanes; i++)
		if (p->lane[i]->runs > 0 && p->lane[i]->facts.ignored == PT_SOURCE_NO_ROOM)
			return true;
	return p->profile.elf_check == PT_ELF_DIFFERS || p->cut_short || p->lanes_refused != 0;
}

/* No gap but the first start: everything that ran (or was written, ...) was seen. A burst is never that, were it the
 * only one: its end is where the buffer was full. */
static bool saw_all(const struct pt_lane *lane)
{
	return lane->decoder != NULL && lane->in_data && !lane->bursts_only && !lane->extract && lane->gaps == 0 &&
	       (lane->runs > 0 || lane->flows_into == NULL) && lane->flow.counts.damaged == 0 &&
	       lane->flow.counts.not_code == 0 && lane->flow.counts.overflows + lane->overflows == 0;
}

bool pt_snapshot_complete(const struct pt_pipeline *p)
{
	bool all = !missing(p), flow = pt_snapshot_has_flow(p);

	for (size_t i = 0; i < p->n_traced && flow; i++) {
		const struct pt_traced *traced = &p->traced[i];

		all = all && !pt_traced_counted(traced) && (traced->flow == NULL || saw_all(traced->flow));
	}
	return all && (flow || (p->lane[0] != NULL && saw_all(p->lane[0])));
}
