/* What is true of a profile and said in many places: names, reasons, what a figure is of. Pure. */
#ifndef PT_REPORT_FACTS_H
#define PT_REPORT_FACTS_H

#include "profile/result/profile.h"
#include "report/table/view.h"

/* Of a source, or a profile, with no_clock. */
#define PT_NO_CLOCK "not known: a dump does not say when, or for how long"

/* What made it, and would again: "proftap 0.1.0, seed 1, source=mtb for=2s"; "" if the capture does not say. Returns out. */
const char *pt_origin_text(const struct pt_profile *profile, char *out, size_t room);

/* The groups of columns whose figures go on over times in which the core slept, of which the profile's clock knows nothing;
 * false: the view has none. shown: columns that count, by index, named as their headings begin: "per, call"; NULL: all, named
 * as their keys do: "period, call". */
bool pt_awake_only(const struct pt_profile *profile, const struct pt_view *view, const bool *shown, char *groups,
		   size_t room);
/* Does the buffer of a source in that mode hold one piece of the run, the last or the first, and no time with it? */
bool pt_has_no_time(const char *mode);
/* Why "at most" so much was observed, of a source in that mode, or one that triggers begin and end. */
const char *pt_bound_reason(const char *mode, bool triggered);
/* The name of source i for people: "bins", or "bins of core 1" where another source is of another core. Returns
 * name. */
const char *pt_name_source(const struct pt_profile *profile, size_t i, char *name, size_t room);
/* Samples of a Cortex-M alone: DWT_PCSR is of the interrupted code until the handler's first instruction, so that the time
 * of entering exceptions is not the handlers'. */
bool pt_entries_are_elsewhere(const struct pt_profile *profile);
/* Why what a source tells of its core's flow is in no figure, as a sentence; false: it is, or it tells nothing. */
bool pt_ignored_reason(const struct pt_profile *profile, const struct pt_profile_source *source, char *text,
		       size_t room);

/* Branches were recorded, and nobody has the program that tells what ran between them. */
bool pt_waits_for_elf(const struct pt_profile *profile);
/* Of what the shares of this view are made where a core was sampled between its bursts; NULL: not so, or it has none. */
const char *pt_shares_from(const struct pt_profile *profile, const char *view);
/* Why there are no shares, and what gives them: half a sentence. */
const char *pt_no_shares_reason(const struct pt_profile *profile);
/* Such a core had too few bursts for shares of this view's rows. */
bool pt_lacks_bursts(const struct pt_profile *profile, const char *view);
/* Estimates from bursts without a core clock, or in instructions: it is not known how many of them the profile had, so that
 * counts, self and total are of what was recorded, and not of the whole profile. */
bool pt_totals_are_of_recorded(const struct pt_profile *profile);

#endif
