/* Whether everything that ran was recorded: the basis of rows and figures depends on it. */
#include "pipeline/pipeline_parts.h"

bool pt_snapshot_has_flow(const struct pt_pipeline *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n_core_profiles; i++)
		any |= p->core_profile[i].flow != NULL;
	return any;
}

static bool is_unread(const struct pt_source_ctx *ctx)
{
	enum pt_source_use use = ctx->facts.ignored;

	return (ctx->runs > 0 && use == PT_SOURCE_NO_ROOM) || use == PT_SOURCE_NO_ISA || use == PT_SOURCE_NO_CONFIG;
}

/* What no source context's account shows: code outside the ELF, a truncated file or one without END, a core beyond the
 * limit. NULL: nothing is missing. */
static const char *missing(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		if (is_unread(p->ctx[i]))
			return "a source is not read";
		else if (p->over && !p->ctx[i]->facts.ended)
			return "there is no end: what came after it is not known";
	if (p->profile.elf_check == PT_ELF_DIFFERS)
		return "the chip does not hold this ELF";
	if (p->profile.elf_check == PT_ELF_OTHER)
		return "the capture was made with another ELF";
	return p->cut_short	       ? "a file could not be read to its end"
	       : p->lanes_refused != 0 ? "sources found no room"
				       : NULL;
}

/* Why something that ran (or was written, ...) may be missing in the time of the source's account. Without an END chunk
 * the last time is now. A burst is never complete, even if it is the only one, because it ends when the buffer is full;
 * nor is the rest of a buffer. NULL: nothing can be missing. */
static const char *not_all(const struct pt_source_ctx *ctx)
{
	const struct pt_flow_counts *counts = &ctx->flow.counts;

	if (ctx->decoder == NULL || !ctx->in_data || (ctx->runs == 0 && ctx->flows_into != NULL))
		return "nothing was seen";
	if (ctx->bursts_only || ctx->extract)
		return "the buffer holds a part of what ran";
	if (ctx->unseen != NULL)
		return ctx->unseen;
	if (counts->damaged + counts->not_code + ctx->damages + ctx->damaged_bytes + counts->overflows +
		    ctx->overflows >
	    0)
		return "trace was damaged, or lost in the chip";
	return ctx->gaps > 0 || ctx->lead_open ? "the trace has gaps" : NULL;
}

const char *pt_snapshot_why_incomplete(const struct pt_pipeline *p)
{
	bool flow = pt_snapshot_has_flow(p);
	const char *why = missing(p);

	for (size_t i = 0; why == NULL && flow && i < p->n_core_profiles; i++) {
		const struct pt_core_profile *core_profile = &p->core_profile[i];

		if (pt_core_profile_counted(core_profile))
			why = "of a core there are only samples";
		else if (core_profile->flow != NULL)
			why = not_all(core_profile->flow);
	}
	for (size_t i = 0; why == NULL && !flow && i < p->n_ctx; i++)
		why = not_all(p->ctx[i]);	/* no source shows flow: checks the other sources */
	return p->n_ctx == 0 ? "nothing was seen" : why;
}

bool pt_snapshot_complete(const struct pt_pipeline *p)
{
	return pt_snapshot_why_incomplete(p) == NULL;
}
