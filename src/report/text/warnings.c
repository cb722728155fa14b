/* Warnings in the order of their severity: all names and times are wrong, too little data, losses, intrusion, then
 * details that are missing. */
#include "report/text/warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "base/util.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/code/lines.h"
#include "profile/analyses/counters/counters.h"
#include "report/table/facts.h"
#include "report/table/halts.h"
#include "report/table/units.h"

#define GRAVE_SHARE 0.05	/* of the time, lost or halted: more is a warning */
enum { BURSTS_WANTED = 8 };	/* bursts that began at random times; fewer than 5 give no shares */

static void warn(struct pt_warnings *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(struct pt_warnings *w, const char *format, ...)
{
	va_list ap;

	if (w->n == PT_WARNINGS)
		return;
	va_start(ap, format);
	vsnprintf(w->text[w->n++], PT_WARNING_BYTES, format, ap);
	va_end(ap);
}

/* --- grave */

static void another_program(struct pt_warnings *w, const struct pt_profile *p)
{
	if (p->elf_check == PT_ELF_DIFFERS)
		warn(w,
		     "The chip does not hold this ELF: first difference at 0x%08" PRIx64
		     ". Names and times may be wrong: load the program, or give the ELF that the chip runs.",
		     p->elf_differs_at);
	else if (p->elf_check == PT_ELF_OTHER)
		warn(w, "The capture was made with another ELF than this one: names and times may be wrong "
			"(--elf '' gives addresses).");
}

static void contradiction(struct pt_warnings *w, const struct pt_profile *p)
{
	char hz[32];

	if (p->contradiction != NULL) {
		warn(w, "Contradiction: %s.", p->contradiction);
		return;
	}
	pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	for (size_t i = 0; p->by_bins && i < p->n_cores; i++)
		if (p->core[i].beyond_clock)
			warn(w,
			     "Contradiction: core %u has %" PRIu64
			     " cycles, more than a clock of %s gives in the whole profile. core-clock= or mb.prof.size= is "
			     "wrong, and with it times and shares.",
			     p->core[i].core, p->core[i].cycles, hz);
}

/* How long to profile: a round number. Assumes the same rate of bursts. The part of them that begins at random times is
 * estimated from few: the rule of succession, (used + 1) / (all + 2), comes near 0 or 1 only after many bursts. */
static void longer(const struct pt_profile *p, char *out, size_t size)
{
	double all = (double)p->bursts, part = ((double)p->bursts_used + 1) / (all + 2);
	double s = 1e-9 * (double)pt_profile_run_ns(p) * BURSTS_WANTED / (fmax(all, 1) * part);

	if (s <= 0.9)
		snprintf(out, size, "%.0f ms", ceil(s * 10) * 100);
	else
		snprintf(out, size, "%.0f s", ceil(s));
}

static void too_few_bursts(struct pt_warnings *w, const struct pt_profile *p)
{
	char time[32];

	if (pt_has_no_time(p->mode) && p->bursts == 1)	/* such a profile never has another burst */
		return;
	if (p->loss.by[PT_LOSS_OUTSIDE].events > 0)	/* with a trigger even more bursts give no shares */
		return;
	if (p->bursts == 0 || p->windowed || (p->shares != PT_BASIS_NONE && p->shares != PT_BASIS_ESTIMATED))
		return;
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].seen_part > 0)
			return;
	longer(p, time, sizeof(time));
	if (p->samples == 0 && pt_halts_began_bursts(p) && 2 * p->bursts_unchosen > p->bursts)
		warn(w,
		     "No shares: %" PRIu64 " of %" PRIu64
		     " bursts may have begun where the core went on behind a breakpoint, at no random time. Fewer "
		     "breakpoints, or a longer run between them, leave more that are random.",
		     p->bursts_unchosen, p->bursts);
	else if (p->samples == 0)
		warn(w, "Too few %s for shares: %" PRIu64 ". Profile for %s or longer.",
		     strcmp(p->mode, "burst") == 0 || strcmp(p->mode, "bdc") == 0 ? "bursts" : "pieces of trace",
		     p->bursts_used, time);
}

static double lost_part(const struct pt_loss_sum *loss)
{
	return loss->total_ns != 0 ? (double)loss->lost_ns / (double)loss->total_ns : 0;
}

static void lost_time(struct pt_warnings *w, const struct pt_profile *p)
{
	const struct pt_loss_sum *account, *worst = pt_profile_account(p, 0);
	unsigned most = 0;
	const char *advice;

	for (size_t i = 1; (account = pt_profile_account(p, i)) != NULL; i++)
		worst = lost_part(account) > lost_part(worst) ? account : worst;
	if (lost_part(worst) <= GRAVE_SHARE)
		return;
	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		if (pt_loss_is_fault((enum pt_loss)cause) && (most == 0 || worst->by[cause].ns > worst->by[most].ns))
			most = cause;
	advice = pt_loss_advice((enum pt_loss)most);
	warn(w, "%.0f %% of the time was lost (%s)%s%s.", 100 * lost_part(worst), pt_loss_name((enum pt_loss)most),
	     advice != NULL ? ": " : "", advice != NULL ? advice : "");
}

/* Many short waits before re-arming do not harm an estimate, but a single long one leaves a piece of the profile
 * unobserved. */
static bool is_hole(const struct pt_loss_sum *account)
{
	enum { LEAST_NS = 500000000, TIMES_THE_MEAN = 10 };
	uint64_t longest = account->longest_rearm_ns, n = account->by[PT_LOSS_REARM].events;

	return longest > LEAST_NS && (double)longest > GRAVE_SHARE * (double)account->total_ns && n > TIMES_THE_MEAN &&
	       longest / TIMES_THE_MEAN > account->by[PT_LOSS_REARM].ns / n;
}

static void hole(struct pt_warnings *w, const struct pt_profile *p)
{
	const struct pt_loss_sum *account, *worst = NULL;

	for (size_t i = 0; p->shares == PT_BASIS_ESTIMATED && (account = pt_profile_account(p, i)) != NULL; i++)
		if (is_hole(account) && (worst == NULL || account->longest_rearm_ns > worst->longest_rearm_ns))
			worst = account;
	if (worst != NULL)
		warn(w,
		     "For %.3g s in one piece nothing was observed, as proftap or the probe did not get on: the figures say "
		     "nothing of that time.",
		     (double)worst->longest_rearm_ns / 1e9);
}

static void intrusive(struct pt_warnings *w, const struct pt_profile *p)
{
	double most = pt_halts_of(p).source_part;

	if (most > GRAVE_SHARE)
		warn(w, "Intrusive: the core was halted at most %.0f %% of the time.", 100 * most);
}

static void overwritten(struct pt_warnings *w, const struct pt_profile *p)
{
	if (p->buffer_in_use && p->program == NULL)
		warn(w,
		     "The trace overwrites RAM at 0x%08" PRIx64
		     ". Without the ELF proftap cannot tell whether the program uses it: it may crash.",
		     p->buffer_addr);
	else if (p->buffer_in_use)
		warn(w,
		     "The trace overwrites RAM at 0x%08" PRIx64
		     " that may be the program's: it may crash. Without mtb-ram= the ELF shows free RAM.",
		     p->buffer_addr);
}

/* A few may be code that no ELF contains. */
static bool is_much_not_code(const struct pt_profile *p)
{
	return (double)p->not_code > GRAVE_SHARE * (double)(p->not_code + p->branches);
}

static void not_code(struct pt_warnings *w, const struct pt_profile *p, bool much)
{
	if (p->not_code == 0 || is_much_not_code(p) != much)
		return;
	if (p->not_code_from != PT_UNKNOWN)
		warn(w,
		     "%" PRIu64 " packets do not fit the program. Is it the one in the chip? The last is 0x%08" PRIx64
		     " to 0x%08" PRIx64 ".",
		     p->not_code, p->not_code_from, p->not_code_to);
	else
		warn(w, "%" PRIu64 " packets do not fit the program. Is it the one in the chip?", p->not_code);
}

static void ambiguous_readings(struct pt_warnings *w, const struct pt_profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; p->counters != NULL && i < p->counters->n_counters; i++)
		n += p->counters->counter[i].unknown;
	if (n > 0)
		warn(w,
		     "%" PRIu64
		     " readings are ambiguous, and in no count: their counter may have wrapped twice, or was reset.",
		     n);
}

static void ignored_sources(struct pt_warnings *w, const struct pt_profile *p)
{
	char text[200];

	for (size_t i = 0; i < p->n_sources; i++)
		if (pt_ignored_reason(p, &p->sources[i], text, sizeof(text)))
			warn(w, "Ignored: %s.", text);
}

static void tasks(struct pt_warnings *w, const struct pt_profile *p)
{
	for (size_t i = 0; p->task_note != NULL && p->task_note[i][0] != '\0'; i++)
		warn(w, "Tasks: %s", p->task_note[i]);
}

static void no_elf(struct pt_warnings *w, const struct pt_profile *p)
{
	if (pt_waits_for_elf(p))
		warn(w, "There is no ELF, and branches say nothing without it. %s gives it.",
		     pt_by_door("--elf FILE", "monitor symbols FILE"));
	else if (p->program == NULL &&
		 (p->by_bins || (!p->no_code && !p->no_flow && (p->samples != 0 || p->branches != 0))))
		warn(w, "No ELF: rows are addresses. %s gives names.",
		     pt_by_door("--elf FILE", "monitor symbols FILE"));
}

/* On the first screen only if there is an ELF: without one, the missing ELF is the reason, and no_elf() says so. */
static void fallback(struct pt_warnings *w, const struct pt_profile *p, bool elf)
{
	if (p->fallback[0] != '\0' && elf == (p->program != NULL))
		warn(w, "Source %s in place of the default, which did not start (%s).", p->source, p->fallback);
}

/* Counters alone have no names that could be wrong. */
static void not_compared(struct pt_warnings *w, const struct pt_profile *p)
{
	if (p->elf_check == PT_ELF_UNKNOWN && p->program != NULL && !p->no_code)
		warn(w,
		     "proftap could not compare the ELF with the chip's memory%s%s. If the chip holds another program, "
		     "names and times are wrong: load this ELF to be sure.",
		     p->elf_unread[0] != '\0' ? ": " : "", p->elf_unread);
}

/* --- details */

static void incomplete(struct pt_warnings *w, const struct pt_profile *p)
{
	if (p->incomplete != NULL && p->counts == PT_BASIS_ESTIMATED && !p->windowed)
		warn(w, "Counts are of what was recorded: %s.", p->incomplete);
}

static void missed(struct pt_warnings *w, const struct pt_profile *p)
{
	if (p->samples == 0)
		return;
	if (p->samples_missed == PT_UNKNOWN)
		warn(w, "Samples are missing, and it is not known how many: shares have no interval.");
	else if (p->samples_missed > 0)
		warn(w,
		     "Up to %" PRIu64 " samples are missing, beside %" PRIu64
		     " that came: intervals allow for each of them to be of "
		     "any function. A wider interval between samples, or less other trace, loses fewer.",
		     p->samples_missed, p->samples);
}

/* Data that exceeded a limit, or could not be combined. */
static void exhausted(struct pt_warnings *w, const struct pt_profile *p)
{
	const struct { uint64_t n; const char *what; } rows[] = {
		{ p->sources_refused, "sources are left out: there is room for no more" },
		{ p->other_stream_bytes, "bytes are of other streams of the trace port, which nothing here decodes" },
		{ p->out_of_order, "events are out of order: they came too late to be merged with those of other sources" },
		{ p->values_incomplete, "values are incomplete: some of their parts are missing" },
		{ p->values_unplaced,
		  "accesses are in no row: there is room for no more places (variables= names those to follow)" },
		{ p->counters != NULL ? p->counters->refused : 0,
		  "readings are left out: there is room for no more counters" },
		{ p->bins != NULL ? p->bins->dropped : 0, "hits are left out: there is room for no more addresses" },
		{ p->bins != NULL ? p->bins->full : 0, "readings found a full bin: its hits are a lower bound" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].n != 0)
			warn(w, "%" PRIu64 " %s.", rows[i].n, rows[i].what);
}

static void irregular_flow(struct pt_warnings *w, const struct pt_profile *p)
{
	char text[PT_WARNING_BYTES] = "";
	size_t at = 0;

	for (unsigned i = 0; i < PT_N_EXECUTION_ERRORS && at < sizeof(text); i++)
		if (p->errors.n[i] != 0)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s: %" PRIu64, at > 0 ? "; " : "",
					       pt_execution_error_name((enum pt_execution_error)i), p->errors.n[i]);
	if (at == 0)
		return;
	if (p->errors.address != PT_UNKNOWN && at < sizeof(text))
		snprintf(text + at, sizeof(text) - at, "; the last before 0x%08" PRIx64, p->errors.address);
	warn(w, "Irregular flow: %s.", text);
}

static void inlines(struct pt_warnings *w, const struct pt_profile *p)
{
	const char *missing =
		p->lines != NULL && p->lines->inlines != NULL ? pt_inlines_warning(p->lines->inlines) : NULL;

	if (missing != NULL)
		warn(w, "The ELF: %s. Their code counts for the functions that they are inlined into.", missing);
}

void pt_warnings_find(struct pt_warnings *w, const struct pt_profile *p)
{
	w->n = 0;
	another_program(w, p);
	not_code(w, p, true);
	contradiction(w, p);
	ignored_sources(w, p);
	too_few_bursts(w, p);
	lost_time(w, p);
	hole(w, p);
	intrusive(w, p);
	overwritten(w, p);
	not_code(w, p, false);
	ambiguous_readings(w, p);
	no_elf(w, p);
	fallback(w, p, true);
	not_compared(w, p);
	tasks(w, p);
	missed(w, p);
	w->n_grave = w->n;
	fallback(w, p, false);
	incomplete(w, p);
	exhausted(w, p);
	irregular_flow(w, p);
	inlines(w, p);
}
