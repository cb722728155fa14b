/* Whether everything that ran was seen: rows and figures are of another basis then. */
#include "pipeline/pipeline_parts.h"

bool pt_snapshot_has_flow(const struct pt_pipeline *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n_traced; i++)
		any |= p->traced[i].flow != NULL;
	return any;
}

static bool is_unread(const struct pt_lane *lane)
{
	return (lane->runs > 0 && lane->facts.ignored == PT_SOURCE_NO_ROOM) || lane->facts.ignored == PT_SOURCE_NO_ISA;
}

/* What no lane's own account shows: code that is not the ELF's, the end of a file, or one that never came, a core
 * for which there was no room. NULL: nothing. */
static const char *missing(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_lanes; i++)
		if (is_unread(p->lane[i]))
			return "a source is not read";
		else if (p->over && !p->lane[i]->facts.ended)
			return "there is no end: what came after it is not known";
	if (p->profile.elf_check == PT_ELF_DIFFERS)
		return "the chip does not hold this ELF";
	if (p->profile.elf_check == PT_ELF_OTHER)
		return "the capture was made with another ELF";
	return p->cut_short	       ? "a file could not be read to its end"
	       : p->lanes_refused != 0 ? "sources found no room"
				       : NULL;
}

/* From the first moment of its account to the last nothing that ran (or was written, ...) can be missing. Until there
 * is an end that is up to now. A burst is never that, were it the only one: its end is where the buffer was full; nor
 * is what was left in a buffer. NULL: so it is. */
static const char *not_all(const struct pt_lane *lane)
{
	const struct pt_flow_counts *counts = &lane->flow.counts;

	if (lane->decoder == NULL || !lane->in_data || (lane->runs == 0 && lane->flows_into != NULL))
		return "nothing was seen";
	if (lane->bursts_only || lane->extract)
		return "the buffer holds a part of what ran";
	if (lane->unseen != NULL)
		return lane->unseen;
	if (counts->damaged + counts->not_code + lane->damaged_bytes + counts->overflows + lane->overflows > 0)
		return "trace was damaged, or lost in the chip";
	return lane->gaps > 0 || lane->lead_open ? "the trace has gaps" : NULL;
}

const char *pt_snapshot_why_incomplete(const struct pt_pipeline *p)
{
	bool flow = pt_snapshot_has_flow(p);
	const char *why = missing(p);

	for (size_t i = 0; why == NULL && flow && i < p->n_traced; i++) {
		const struct pt_traced *traced = &p->traced[i];

		if (pt_traced_counted(traced))
			why = "of a core there are only samples";
		else if (traced->flow != NULL)
			why = not_all(traced->flow);
	}
	for (size_t i = 0; why == NULL && !flow && i < p->n_lanes; i++)
		why = not_all(p->lane[i]);	/* nothing tells what ran: what they do tell */
	return p->n_lanes == 0 ? "nothing was seen" : why;
}

bool pt_snapshot_complete(const struct pt_pipeline *p)
{
	return pt_snapshot_why_incomplete(p) == NULL;
}
