/* Facts about a profile that several places print: names, reasons, the base of figures. Pure. */
#ifndef PT_REPORT_FACTS_H
#define PT_REPORT_FACTS_H

#include "profile/result/profile.h"
#include "report/table/view.h"

/* The time of a source, or a profile, with no_clock. */
#define PT_NO_CLOCK "not known: a dump does not say when, or for how long"

/* The version, seed and words that made the profile: "proftap 0.1.0, seed 1, source=mtb for=2s"; "" if the capture does
 * not contain them. Returns out. */
const char *pt_origin_text(const struct pt_profile *profile, char *out, size_t room);

/* The groups of columns whose durations span times asleep, which the profile's clock does not count; false: the view
 * has none. shown: the columns to consider, by index; groups are named by headings: "per, call"; NULL: all, named by
 * keys: "period, call". */
bool pt_awake_only(const struct pt_profile *profile, const struct pt_view *view, const bool *shown, char *groups,
		   size_t room);
/* Whether the buffer of a source in that mode holds one piece of the run, the last or the first, without a time. */
bool pt_has_no_time(const char *mode);
/* Why the observed time is an upper bound, for a source in that mode, or one that triggers start and stop, or one that lost something. */
const char *pt_bound_reason(const char *mode, bool triggered, const struct pt_loss_sum *loss);
/* The name of source i for people: "bins", or "bins of core 1" if another source is of another core. Returns name. */
const char *pt_name_source(const struct pt_profile *profile, size_t i, char *name, size_t room);
/* Whether only samples of a Cortex-M exist: DWT_PCSR shows the interrupted code until the handler's first instruction,
 * so the time of exception entries is not counted for the handlers. */
bool pt_entries_are_elsewhere(const struct pt_profile *profile);
/* Why the flow of a source is not used for figures, as a sentence; false: it is used, or there is none. */
bool pt_ignored_reason(const struct pt_profile *profile, const struct pt_profile_source *source, char *text,
		       size_t room);

/* Branches were recorded, but without the program it is unknown what ran between them. */
bool pt_waits_for_elf(const struct pt_profile *profile);
/* The data from which this view's shares come, if a core was sampled between its bursts; NULL: not sampled, or no
 * shares. */
const char *pt_shares_from(const struct pt_profile *profile, const char *view);
/* Why there are no shares, and how to get them: half a sentence. */
const char *pt_no_shares_reason(const struct pt_profile *profile);
/* A core that was sampled between its bursts had too few bursts for shares of this view's rows. */
bool pt_lacks_bursts(const struct pt_profile *profile, const char *view);
/* Whether counts, self and total are only of what was recorded, not of the whole profile: for estimates from bursts
 * without a core clock, or in instructions, the number of ticks of the profile is unknown. */
bool pt_totals_are_of_recorded(const struct pt_profile *profile);

#endif
