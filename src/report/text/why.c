/* report why FUNCTION: how the figures of its row were computed from what was recorded, one step per line. */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "profile/analyses/code/bins.h"
#include "base/nearest.h"
#include "report/table/facts.h"
#include "report/table/origin.h"
#include "report/table/format.h"
#include "report/table/units.h"
#include "report/text/details.h"
#include "report/text/grid.h"
#include "report/text/headline.h"
#include "report/text/warnings.h"

extern const struct pt_format pt_format_why;

struct why {
	const struct pt_profile *profile;
	const struct pt_profile_function *function;
	struct pt_text *out;
	size_t columns;
};

static void say(const struct why *w, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(const struct why *w, const char *label, const char *format, ...)
{
	struct pt_text line = { 0 };
	va_list ap;

	pt_text_add(&line, "%-*s", PT_LABEL_COLUMNS, label);
	va_start(ap, format);
	pt_text_add_list(&line, format, ap);
	va_end(ap);
	pt_text_wrapped(w->out, line.bytes, line.len_bytes, w->columns, PT_LABEL_COLUMNS);
	pt_text_free(&line);
}

static const char *name_of(const struct pt_profile_function *f)
{
	return f->function != NULL ? f->function->name : "(no symbol)";
}

static const struct pt_profile_core *core_of(const struct pt_profile *p, uint16_t core)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].core == core)
			return &p->core[i];
	return NULL;
}

static const char *clock_name(const struct pt_profile *p)
{
	return p->by_instructions ? "instructions" : "cycles";
}

static uint64_t ticks_of(const struct pt_profile *p, const struct pt_execution_function *run)
{
	return p->by_instructions ? run->instructions : run->cycles;
}

static void share_line(const struct why *w)
{
	const struct pt_share *s = &w->function->share;

	if (isnan(s->share))
		say(w, "self %",
		    "none: what was recorded is no fair part of the profile, so that a share would be wrong");
	else if (s->hi > s->lo)
		say(w, "self %", "%.2f %%, between %.2f and %.2f %% with 95 %% confidence", 100 * s->share, 100 * s->lo,
		    100 * s->hi);
	else
		say(w, "self %", "%.2f %%, without an interval: %s", 100 * s->share,
		    w->profile->shares == PT_BASIS_ESTIMATED ? "too little is known for one"
							     : "all that is counted is known");
}

static double core_shift(const struct pt_profile_core *core, const struct pt_calibration *c)
{
	return core->windows.y > 0 ? c->windows.shift.x / core->windows.y : 0;
}

/* The share by samples between bursts. */
static void from_calibration(const struct why *w, const struct pt_profile_core *core, const struct pt_calibration *c)
{
	say(w, "share",
	    "%" PRIu64 " samples lie in it, of %" PRIu64
	    " batches that found the core awake: %.2f %%; entering exceptions takes %.2f %% from it, and gives it %.2f %%. "
	    "Bursts alone would say %.2f %%",
	    w->function->samples, core->batches.n, 100 * c->by_samples.share,
	    100 * c->by_samples.share * fmax(0, 1 - c->kept), 100 * c->entered,
	    100 * (c->by_bursts.share + core_shift(core, c)));
}

/* The share by windows in bursts. */
static void from_windows(const struct why *w, const struct pt_profile_core *c)
{
	const struct pt_profile *p = w->profile;
	const struct pt_profile_function *f = w->function;

	say(w, "recorded",
	    "%" PRIu64 " bursts; in them it was entered %" PRIu64 " times and ran for %" PRIu64 " %s of its own",
	    c->bursts, f->seen->count, ticks_of(p, f->seen), clock_name(p));
	say(w, "used",
	    "the first %" PRIu64 " %s of each of the %" PRIu64
	    " bursts that began at random times while the core was awake: "
	    "the same length of each, as the ends of bursts are not random",
	    c->burst_cycles, clock_name(p), c->bursts_used);
	if (c->bursts_asleep > 0 || c->bursts_cut_short > 0)
		say(w, "left out",
		    "%" PRIu64
		    " bursts that began on wake-up, which would favour what runs then (they count as time asleep), "
		    "and %" PRIu64 " that something interrupted",
		    c->bursts_asleep, c->bursts_cut_short);
	if (c->calibration != NULL)
		from_calibration(w, c, &c->calibration[f->id]);
	else
		say(w, "share",
		    "its part of these windows, each weighted by the time that it represents; the interval is that of %" PRIu64
		    " independent windows (padded beta)",
		    c->windows.n);
	if (!isnan(f->per_second.value))
		say(w, "calls/s",
		    "%.6g, between %.6g and %.6g: entries in the windows by their length, times %.1f %% of the "
		    "time awake",
		    f->per_second.value, f->per_second.lo, f->per_second.hi, 100 * (1 - c->asleep.share));
	else if (p->core_hz == 0)
		say(w, "calls/s", "none: the core clock is not known (%s gives it)",
		    pt_by_door("--core-clock HZ", "core-clock=HZ"));
	else
		say(w, "calls/s", "none: fewer than %d windows, or no entry in any of them", PT_RATE_CLUSTERS);
}

static void from_samples(const struct why *w)
{
	const struct pt_profile *p = w->profile;

	say(w, "recorded",
	    "%" PRIu64 " samples of the program counter in %" PRIu64 " batches, %" PRIu64 " of them asleep", p->samples,
	    p->batches, p->samples_asleep);
	say(w, "used", "%" PRIu64 " of the %" PRIu64 " samples%s lie in it", w->function->samples,
	    p->sleep_counted ? p->samples : p->samples - p->samples_asleep, p->sleep_counted ? "" : " awake");
	if (p->samples_effective > 0)
		say(w, "share",
		    "samples of one batch depend on each other: all of them are worth %.0f independent ones, and "
		    "the interval is of those",
		    p->samples_effective);
}

static void from_bins(const struct why *w)
{
	say(w, "recorded", "hits in bins, each of which covers a range of addresses");
	say(w, "used",
	    "%" PRIu64 " %s in the bins of its code; a bin that other code shares is split by bytes, and the "
	    "interval says what the split leaves open",
	    ticks_of(w->profile, w->function->run), clock_name(w->profile));
}

static void from_all(const struct why *w)
{
	const struct pt_profile *p = w->profile;
	const struct pt_execution_function *run = w->function->run;
	uint64_t all = pt_profile_ticks(p, w->function->core);

	say(w, "recorded", "every branch from the beginning of the trace to its end%s%s",
	    p->incomplete != NULL ? ", but: " : "", p->incomplete != NULL ? p->incomplete : "");
	say(w, "used",
	    "%" PRIu64 " entries, %" PRIu64 " of its calls seen in part; %" PRIu64 " of %" PRIu64 " %s are its own",
	    run->count, run->partial, ticks_of(p, run), all, clock_name(p));
}

static void model_line(const struct why *w)
{
	const struct pt_profile *p = w->profile;

	if (w->function->run == NULL || p->by_instructions)
		return;
	if (p->by_bins)
		say(w, "clock", "cycles as the core counted them");
	else
		say(w, "clock",
		    "modelled: each instruction takes what the cycle model of %s says (%s), not what this chip's "
		    "memory may add",
		    p->timing != NULL ? p->timing : "an unknown core",
		    p->awake_only ? "it has no time asleep" : "sleep included");
}

/* The command that repeats the profile. */
static void origin_line(const struct why *w)
{
	const struct pt_profile *p = w->profile;
	char origin[PT_PROFILE_TEXT + 80], hz[32] = "";
	struct pt_text command = { 0 };

	if (pt_origin_text(p, origin, sizeof(origin))[0] == '\0')
		return;
	if (p->core_hz != 0)
		pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	say(w, "made by", "%s; ELF %s, probe %s%s%s", origin, p->program != NULL ? pt_program_path(p->program) : "none",
	    p->probe, hz[0] != '\0' ? ", core clock " : "", hz);
	if (pt_origin_command(p, &command))
		pt_text_add(w->out, "%-*s%s\n", PT_LABEL_COLUMNS, "again", command.bytes);
	pt_text_free(&command);
}

static void explain(struct why *w)
{
	const struct pt_profile *p = w->profile;
	const struct pt_profile_core *core = core_of(p, w->function->core);
	struct pt_headline headline;
	struct pt_warnings warnings;

	pt_headline_make(&headline, p);
	pt_text_add(w->out, "%s", name_of(w->function));
	if (p->n_cores > 1)
		pt_text_add(w->out, " on core %u", w->function->core);
	pt_text_add(w->out, "\nof         %s\n", headline.line[PT_HEADLINE_TITLE]);
	share_line(w);
	if (w->function->run == NULL)
		from_samples(w);
	else if (p->by_bins)
		from_bins(w);
	else if (core != NULL && core->windowed)
		from_windows(w, core);
	else
		from_all(w);
	model_line(w);
	say(w, "observed", "%s", headline.line[PT_HEADLINE_OBSERVED]);
	pt_warnings_find(&warnings, p);
	for (size_t i = 0; i < warnings.n_grave; i++)
		say(w, "warning", "%s", warnings.text[i]);
	origin_line(w);
}

static bool is_in_program(const struct pt_profile *p, const char *name, struct pt_nearest *near)
{
	size_t n = 0;
	const struct pt_function *f = p->program != NULL ? pt_program_functions(p->program, &n) : NULL;

	pt_nearest_init(near, name, strlen(name));
	for (size_t i = 0; i < n; i++) {
		if (pt_function_is(&f[i], name, strlen(name)))
			return true;
		pt_nearest_offer(near, f[i].name);
	}
	return false;
}

static int nothing_of(const struct pt_profile *p, const char *name, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	if (!is_in_program(p, name, &near))
		return pt_fail(err, PT_EARG, "no function '%.60s'%sreport functions top=0 lists those that were seen",
			       name, pt_nearest_question(&near, question, sizeof(question)));
	if (p->unseen.hi > 0)
		return pt_fail(
			err, PT_EARG,
			"'%.60s' was not seen, so that it has at most %.1f %% (95 %%); report functions top=0 lists "
			"those that were",
			name, 100 * p->unseen.hi);
	return pt_fail(err, PT_EARG, "no row of '%.60s'; report functions top=0 lists what was seen", name);
}

/* The function to explain if the user names none. */
static const struct pt_profile_function *largest(const struct pt_profile *p)
{
	const struct pt_profile_function *most = NULL;

	for (size_t i = 0; i < p->n_functions; i++)
		if (!isnan(p->function[i].share.share) &&
		    (most == NULL || p->function[i].share.share > most->share.share))
			most = &p->function[i];
	return most != NULL || p->n_functions == 0 ? most : &p->function[0];
}

static int write_why(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	struct why w = { .profile = profile, .out = out, .columns = query->columns != 0 ? query->columns : PT_GRID_COLUMNS };
	const struct pt_profile_function *only = query->name[0] == '\0' ? largest(profile) : NULL;
	size_t n = 0;

	(void)view;
	for (size_t i = 0; i < profile->n_functions; i++) {
		w.function = &profile->function[i];
		if (only != NULL ? w.function != only : fnmatch(query->name, name_of(w.function), 0) != 0)
			continue;
		pt_text_add(out, "%s", n++ > 0 ? "\n" : "");
		explain(&w);
	}
	if (n > 0)
		return 0;
	if (query->name[0] != '\0')
		return nothing_of(profile, query->name, err);
	pt_text_add(out, "no function was seen\n");
	return 0;
}

const struct pt_format pt_format_why = {
	.name = "why", .help = "what made the numbers of a function: report why FUNCTION", .write = write_why
};
