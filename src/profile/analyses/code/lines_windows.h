/* What windows in bursts (flow/windows.h) say of lines and instructions of a core. Pure. */
#ifndef PT_PROFILE_LINES_WINDOWS_H
#define PT_PROFILE_LINES_WINDOWS_H

#include "profile/analyses/code/lines_count.h"
#include "profile/flow/windows.h"

struct pt_lines_windows;

struct pt_lines_windows *pt_lines_windows_new(const struct pt_analysis_setup *setup, const struct pt_inlines *inlines);
void pt_lines_windows_free(struct pt_lines_windows *w);
void pt_lines_windows_edge(struct pt_lines_windows *w, const struct pt_time_window *window);	/* NULL: one begins */
void pt_lines_windows_runs(struct pt_lines_windows *w, const struct pt_run *run, size_t n);
/* All tables, with what was seen for what is observed. Where the core was sampled as well, time and shares are the
 * samples' (calibration.h), and the profile's sampled_line and sampled_insn keep what is in no table here. Valid until
 * the next call. */
const struct pt_lines *pt_lines_windows_give(struct pt_lines_windows *w, const struct pt_lines_count *seen,
					     const struct pt_profile_core *core, struct pt_profile *profile);

#endif
