#include "report/text/headline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/exceptions.h"
#include "report/table/facts.h"
#include "report/table/halts.h"
#include "report/table/units.h"
#include "report/text/details.h"
#include "report/text/warnings.h"
#include "report/views/rest_rows.h"
#include "trace/formats.h"
#include "base/door.h"
#include "base/harmless.h"

enum { SOURCES = 3 };		/* number of sources that are named one by one */
enum { NARROW_WARNING = 59 };	/* characters: 70 columns with the label */
#define NEARLY_ALL 0.95		/* of a time: then it is reported with a single cause */
#define MUCH_HALTED 0.25	/* of the profile's time: enough that even the brief title must say it */

const char *pt_headline_label(enum pt_headline_line line)
{
	static const char *const labels[] = { "", "observed", "accuracy", "WARNING" };

	return labels[line];
}

static unsigned largest_cause(const struct pt_loss_sum *loss, bool faults)
{
	unsigned most = 0;

	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++)
		if (pt_loss_is_fault((enum pt_loss)cause) == faults && cause != PT_LOSS_SLEEP &&
		    loss->by[cause].ns > (most != 0 ? loss->by[most].ns : 0))
			most = cause;
	return most;
}

/* --- what ran on what */

static size_t source_title(const char *title, const char *source, const char *mode, char *out, size_t room)
{
	if (title[0] != '\0')
		return (size_t)snprintf(out, room, "%s", title);
	if (mode[0] == '\0')
		return (size_t)snprintf(out, room, "%s", source);
	return (size_t)snprintf(out, room, "%s (mode %s)", source, mode);
}

/* The same source on several cores is named once. */
static bool is_named_before(const struct pt_profile *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(p->sources[k].source, p->sources[i].source) == 0 &&
		    strcmp(p->sources[k].mode, p->sources[i].mode) == 0)
			return true;
	return false;
}

static void source_titles(const struct pt_profile *p, char *out, size_t room)
{
	size_t at = 0, named = 0, more = 0;

	if (p->n_sources == 0)
		source_title("", p->source, p->mode, out, room);
	for (size_t i = 0; i < p->n_sources && at < room; i++) {
		const struct pt_profile_source *s = &p->sources[i];

		if (is_named_before(p, i))
			continue;
		if (named++ >= SOURCES) {
			more++;
			continue;
		}
		if (at > 0)
			at += (size_t)snprintf(out + at, room - at, " + ");
		if (at < room)
			at += source_title(s->title, s->source, s->mode, out + at, room - at);
	}
	if (more > 0 && at < room)
		snprintf(out + at, room - at, " + %zu more", more);
}

/* Nothing for a dump, or a file of another instrument, which do not record halts. In brief only halts by
 * the source, or for much of the time. */
static void halting(const struct pt_profile *p, bool brief, char *out, size_t room)
{
	struct pt_halts halts = pt_halts_of(p);
	bool much = (double)halts.ns > MUCH_HALTED * (double)pt_profile_run_ns(p);
	const char *word = halts.by_source ? "HALTED" : "halted";
	char time[32];

	out[0] = '\0';
	pt_print_ns(time, sizeof(time), halts.ns, " ");
	if (!halts.by_source && (p->target[0] == '\0' || p->no_clock))
		return;
	if (halts.by_source && (halts.ns == 0 || p->no_clock || brief))
		snprintf(out, room, ", HALTED");
	else if (halts.unknown)
		snprintf(out, room, "%s", brief ? "" : ", halts not known");
	else if (halts.ns > 0 && (much || !brief))
		snprintf(out, room, ", %s at most %s", word, time);
	else if (halts.ns == 0 && !brief)
		snprintf(out, room, ", not halted");
}

/* " on virtual MKL27Z256 (Cortex-M0+)", in brief without the core; "" of a file that does not name its target. What the
 * target is connected through (behind ...) is left out. */
static void target_words(const struct pt_profile *p, bool brief, char *out, size_t room)
{
	const char *behind = strstr(p->target, " behind "), *core = brief ? strstr(p->target, " (") : NULL;
	const char *end = core != NULL && (behind == NULL || core < behind) ? core : behind;
	int len = (int)(end != NULL ? (size_t)(end - p->target) : strlen(p->target));

	out[0] = '\0';
	if (len > 0)
		snprintf(out, room, " on %s%.*s", p->from_virtual ? "virtual " : "", len, p->target);
	else if (p->from_virtual)
		snprintf(out, room, " on a virtual board");
}

static void title(const struct pt_profile *p, bool brief, char *out)
{
	const char *path = p->program != NULL ? pt_program_shown_path(p->program) : "no ELF",
		   *slash = strrchr(path, '/');
	uint64_t total_ns = pt_profile_run_ns(p);
	char target[PT_PROFILE_TEXT + 24], sources[160] = "", total[32] = "", halts[80];

	target_words(p, brief, target, sizeof(target));
	source_titles(p, sources, sizeof(sources));
	if (!p->no_clock && total_ns != 0)
		pt_print_ns(total, sizeof(total), total_ns, " ");
	halting(p, brief, halts, sizeof(halts));
	snprintf(out, PT_HEADLINE_BYTES, "%.120s%s: %s%s%s%s%s", slash != NULL && slash[1] != '\0' ? slash + 1 : path,
		 target, sources[0] != '\0' ? sources : "no source", total[0] != '\0' ? ", " : "", total, halts,
		 p->ended    ? ""
		 : p->no_end ? " (cut short)"
			     : " (still running)");
}

/* --- how much was observed */

static unsigned first_fault(const struct pt_loss_sum *loss)	/* PT_N_LOSSES: none */
{
	unsigned cause = PT_LOSS_FIRST_FAULT;

	while (cause < PT_N_LOSSES &&
	       (!pt_loss_is_fault((enum pt_loss)cause) || (loss->by[cause].events == 0 && loss->by[cause].ns == 0)))
		cause++;
	return cause;
}

static size_t percent_of(uint64_t ns, uint64_t total_ns, char *out, size_t room)
{
	double share = total_ns != 0 ? 100 * (double)ns / (double)total_ns : 0;

	return total_ns != 0 ? (size_t)snprintf(out, room, " (%.3g %%)", share) : 0;
}

/* ", WHAT TIME (CAUSE)"; cause: the one with the largest part of the time; before: ", " */
static size_t part_of(const struct pt_profile *p, const char *before, const char *what, uint64_t ns, unsigned cause,
		      uint64_t of_cause_ns, char *out, size_t room)
{
	char time[32];

	pt_print_ns(time, sizeof(time), ns, " ");
	if (cause == 0)
		return (size_t)snprintf(out, room, "%s%s%s", before, what, time);
	return (size_t)snprintf(out, room, "%s%s%s (%s%s)", before, what, time,
				(double)of_cause_ns < NEARLY_ALL * (double)ns ? "mostly " : "",
				pt_halts_cause(p, (enum pt_loss)cause));
}

static void lost_part(const struct pt_profile *p, const struct pt_loss_sum *loss, const char *before, char *out,
		      size_t room)
{
	bool none = first_fault(loss) == PT_N_LOSSES;

	if (none && !(p->no_end && p->n_sources == 0)) /* a file cut short before any source began has no account that
							 * could say so */
		snprintf(out, room, "%slost nothing", before);
	else if (none || loss->by[PT_LOSS_CUT].events != 0)
		snprintf(out, room, "%slost more than is known (%s)", before, pt_loss_name(PT_LOSS_CUT));
	else if (loss->lost_ns == 0)
		snprintf(out, room, "%slost an unknown time (%s)", before,
			 pt_loss_name((enum pt_loss)first_fault(loss)));
	else
		part_of(p, before, pt_loss_any_untimed(loss) ? "lost at least " : "lost ", loss->lost_ns,
			largest_cause(loss, true), loss->by[largest_cause(loss, true)].ns, out, room);
}

/* The observed time of the core that no bin counted. */
static uint64_t rest_ns(const struct pt_profile *p, const struct pt_profile_core *core)
{
	uint64_t ns = core->rest_cycles != PT_UNKNOWN && p->core_hz != 0
			      ? (uint64_t)((double)core->rest_cycles * 1e9 / (double)p->core_hz)
			      : 0;

	return p->by_bins ? ns : 0;
}

/* "445 ms in bins (40.2 %), asleep or outside 577 ms": the figures are about the time in bins. */
static size_t observed_in_bins(const struct pt_profile *p, const struct pt_loss_sum *loss, uint64_t rest,
			       uint64_t total_ns, char *out, size_t room)
{
	uint64_t counted = loss->observed_ns > rest ? loss->observed_ns - rest : 0;
	char time[32], rest_time[32];
	size_t at;

	pt_print_ns(time, sizeof(time), counted, " ");
	pt_print_ns(rest_time, sizeof(rest_time), rest, " ");
	at = (size_t)snprintf(out, room, "%s in bins", time);
	at += percent_of(counted, total_ns, out + at, room - at);
	return at + (size_t)snprintf(out + at, room - at, ", %s %s", pt_rest_words(p), rest_time);
}

/* In brief without the time asleep and the unobserved time. */
static void account_of(const struct pt_profile *p, bool brief, char *out, size_t room)
{
	const struct pt_loss_sum *loss = &p->loss;
	bool is_bound = p->observed_is_bound;
	uint64_t asleep_ns = loss->by[PT_LOSS_SLEEP].ns, rest = p->n_cores > 0 ? rest_ns(p, &p->core[0]) : 0;
	uint64_t away_ns = loss->unobserved_ns > asleep_ns ? loss->unobserved_ns - asleep_ns : 0;
	char time[32];
	size_t at;

	pt_print_ns(time, sizeof(time), loss->observed_ns, " ");
	if (rest > 0) {
		at = observed_in_bins(p, loss, rest, loss->total_ns, out, room);
	} else {
		at = (size_t)snprintf(out, room, "%s%s%s", is_bound ? "at most " : "", time,
				      asleep_ns > 0 ? " awake" : "");
		at += percent_of(loss->observed_ns, loss->total_ns, out + at, room - at);
	}
	if (asleep_ns > 0 && !brief)
		at += part_of(p, ", ", "asleep ", asleep_ns, 0, 0, out + at, room - at);
	if (away_ns > 0 && !brief)
		at += part_of(p, ", ", is_bound ? "unobserved at least " : "unobserved ", away_ns,
			      largest_cause(loss, false), loss->by[largest_cause(loss, false)].ns, out + at, room - at);
	lost_part(p, loss, ", ", out + at, room - at);
}

/* In brief "core 1" if all sources differ only by their core: the title names the source. */
static const char *name_observer(const struct pt_profile *p, size_t i, bool brief, char *name, size_t room)
{
	const char *core = strstr(pt_name_source(p, i, name, room), "core ");

	for (size_t k = 0; k < p->n_sources && core != NULL; k++)
		if (!brief || strcmp(p->sources[k].source, p->sources[0].source) != 0)
			core = NULL;
	return core != NULL ? core : name;
}

static uint64_t rest_of_source(const struct pt_profile *p, const struct pt_profile_source *s)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].core == s->core && strcmp(s->format, PT_FORMAT_BINS) == 0)
			return rest_ns(p, &p->core[i]);
	return 0;
}

/* ", held in reset 47.4 %" */
static void held_in_reset(const struct pt_profile_source *s, uint64_t total_ns, char *out, size_t room)
{
	uint64_t ns = s->loss.by[PT_LOSS_IN_RESET].ns;

	out[0] = '\0';
	if (ns > 0 && total_ns != 0)
		snprintf(out, room, ", held in reset %.3g %%", 100 * (double)ns / (double)total_ns);
}

/* "mtb 5.990 ms (0.3 %)", in brief "mtb 0.3 %": a part of the run's time, which is in the title. */
static size_t observed_by(const struct pt_profile *p, size_t i, bool brief, char *out, size_t room)
{
	const struct pt_profile_source *s = &p->sources[i];
	const char *at_most = s->observed_is_bound && s->loss.observed_ns > 0 ? "at most " : "";
	uint64_t total_ns = pt_profile_run_ns(p);
	char name[80], time[32], away[40];
	size_t at = (size_t)snprintf(out, room, "%s ", name_observer(p, i, brief, name, sizeof(name)));

	if (s->no_clock)
		return at + (size_t)snprintf(out + at, room - at, "(time not known)");
	if (total_ns == 0)
		total_ns = s->loss.total_ns;
	held_in_reset(s, total_ns, away, sizeof(away));
	if (!brief && rest_of_source(p, s) > 0)
		return at + observed_in_bins(p, &s->loss, rest_of_source(p, s), total_ns, out + at, room - at);
	if (brief && total_ns != 0)
		return at + (size_t)snprintf(out + at, room - at, "%s%.3g %%%s", at_most,
					     100 * (double)s->loss.observed_ns / (double)total_ns, away);
	pt_print_ns(time, sizeof(time), s->loss.observed_ns, " ");
	at += (size_t)snprintf(out + at, room - at, "%s%s", at_most, time);
	at += percent_of(s->loss.observed_ns, total_ns, out + at, room - at);
	return at + (size_t)snprintf(out + at, room - at, "%s", away);
}

/* ", lost nothing", or each source that lost something with its largest cause. */
static void lost_by_sources(const struct pt_profile *p, char *out, size_t room)
{
	char name[80];
	size_t at = 0, n = 0;

	for (size_t i = 0; i < p->n_sources && at + 100 < room; i++)
		if (first_fault(&p->sources[i].loss) != PT_N_LOSSES && n++ < SOURCES) {
			at += (size_t)snprintf(out + at, room - at, "; %s", pt_name_source(p, i, name, sizeof(name)));
			lost_part(p, &p->sources[i].loss, " ", out + at, room - at);
			at += strlen(out + at);
		}
	if (n == 0)
		snprintf(out, room, "; lost nothing");
}

/* Each source has its own account of the same time; the unobserved time is in the details. */
static void accounts_of_sources(const struct pt_profile *p, bool brief, char *out)
{
	enum { ROOM_FOR_ONE = 120 };
	size_t at = 0, i;

	for (i = 0; i < p->n_sources && i < SOURCES && at + ROOM_FOR_ONE < PT_HEADLINE_BYTES; i++) {
		at += (size_t)snprintf(out + at, PT_HEADLINE_BYTES - at, "%s", at > 0 ? ", " : "");
		at += observed_by(p, i, brief, out + at, PT_HEADLINE_BYTES - at);
	}
	if (i < p->n_sources)
		at += (size_t)snprintf(out + at, PT_HEADLINE_BYTES - at, ", %zu more", p->n_sources - i);
	lost_by_sources(p, out + at, PT_HEADLINE_BYTES - at);
}

static void observed(const struct pt_profile *p, bool brief, char *out)
{
	if (p->n_sources > 1)
		accounts_of_sources(p, brief, out);
	else if (p->no_clock)
		snprintf(out, PT_HEADLINE_BYTES, "time %s", PT_NO_CLOCK);
	else
		account_of(p, brief, out, PT_HEADLINE_BYTES);
}

/* --- how accurate the figures are */

static const char *share_of(const struct pt_profile *p)
{
	return p->by_bins		  ? (p->by_instructions ? "of instructions in bins" : "of the time in bins")
	       : p->sampled_by[0] != '\0' ? p->sampled_by
	       : p->sleep_counted	  ? "of all time, asleep or not"
	       : p->by_instructions && p->samples == 0 ? "of instructions executed"
						       : "of time awake";
}

/* The smallest part of a core's time that was recorded in one piece; 0: none was. */
static double seen_part(const struct pt_profile *p)
{
	double least = 0;

	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].seen_part > 0 && (least == 0 || p->core[i].seen_part < least))
			least = p->core[i].seen_part;
	return least;
}

/* Whether shares come from samples although there are bursts. */
static bool is_calibrated(const struct pt_profile *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n_cores; i++)
		any |= p->core[i].calibration != NULL;
	return any;
}

/* If a file was cut short, the missing part is unknown and not included in the bounds. */
static size_t recorded_part(const struct pt_profile *p, char *out, size_t room)
{
	double missing = 100 * (1 - seen_part(p));
	size_t at = 0;

	if (!p->no_end || missing >= 0.005)
		at = (size_t)snprintf(out, room, ", bounds for the %.2g %% not recorded", missing);
	if (p->no_end)
		at += (size_t)snprintf(out + at, room - at, ", until it was cut short");
	return at;
}

/* "self % of time awake, 95 % interval, 47 of 85 bursts; not listed: at most 7.9 % each" */
static void estimated_shares(const struct pt_profile *p, char *out, size_t room)
{
	size_t at = (size_t)snprintf(out, room, "self %% %s%s", p->sampled_by[0] != '\0' ? "of " : "", share_of(p));

	if (is_calibrated(p))
		at += (size_t)snprintf(out + at, room - at, ", 95 %% interval, %" PRIu64 " samples awake",
				       p->samples - p->samples_asleep);
	else if (p->windowed)
		at += (size_t)snprintf(out + at, room - at, ", 95 %% interval, %" PRIu64 " of %" PRIu64 " bursts%s",
				       p->bursts_used, p->bursts,
				       p->timing != NULL && strstr(p->timing, "unverified") != NULL
					       ? " (not in it: the cycle model's error, unverified)"
					       : "");
	else if (p->samples_effective > 0)
		at += (size_t)snprintf(out + at, room - at, ", 95 %% interval, %" PRIu64 " samples%s",
				       p->samples - (p->sleep_counted ? 0 : p->samples_asleep),
				       p->samples_asleep > 0 && !p->sleep_counted ? " awake" : "");
	else if (seen_part(p) > 0)
		at += recorded_part(p, out + at, room - at);
	else
		at += (size_t)snprintf(out + at, room - at, ", estimated without an interval");
	if (p->unseen.hi != 0)
		snprintf(out + at, room - at, "; not listed: at most %.1f %% each", p->unseen.hi * 100);
}

static bool any_counter(const struct pt_profile *p, bool shared)
{
	for (size_t i = 0; i < p->counters->n_counters; i++)
		if (shared ? p->counters->counter[i].shared : p->counters->counter[i].unknown > 0)
			return true;
	return false;
}

static bool rates_have_errors(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->counters->n_counters; i++)
		if (p->counters->counter[i].timed_error_ns > 0)
			return true;
	return false;
}

static void accuracy_of_counters(const struct pt_profile *p, char *out)
{
	snprintf(out, PT_HEADLINE_BYTES, "counts %s%s; rates are per second of observed time%s",
		 any_counter(p, false)		      ? "are lower bounds where readings are ambiguous"
		 : pt_counters_are_rough(p->counters) ? "within the limits shown"
		 : p->counts == PT_BASIS_EXACT	      ? "exact"
						      : "exact for the time observed",
		 any_counter(p, true) ? "; of shared slots estimated (95 %)" : "",
		 pt_counters_are_rough(p->counters) ? ", within theirs"
		 : rates_have_errors(p)		    ? ", within the error of reading times"
						    : "");
}

static const char *times_basis(const struct pt_profile *p)
{
	return p->times == PT_BASIS_MODELLED && p->opt_in_model ? "times modelled (unverified)"
	       : p->times == PT_BASIS_MODELLED			? "times modelled"
	       : p->times == PT_BASIS_EXACT			? "times exact"
								: "times estimated";
}

/* incomplete: the times would not be exact even with the right clock. */
static void times_by_measured_clock(const struct pt_profile *p, bool incomplete, char *out, size_t room)
{
	int n = snprintf(out, room, "times within %.2g %%, as their clock was measured", p->stamps_wrong * 100);

	if (!incomplete && (size_t)n < room)
		snprintf(out + n, room - (size_t)n, " (the right %s: exact)",
			 pt_by_door("--core-clock HZ", "core-clock=HZ"));
}

/* Of a trace without code: those that the probe's clock alone dates. */
static uint64_t undated_reports(const struct pt_profile *p)
{
	return (p->data != NULL ? p->data->undated : 0) + (p->exceptions != NULL ? p->exceptions->late : 0);
}

static void accuracy_of_flow(const struct pt_profile *p, char *out)
{
	size_t at = 0, room = PT_HEADLINE_BYTES;
	bool part = p->no_code && p->counts == PT_BASIS_ESTIMATED && p->incomplete != NULL;

	if (part)
		at += (size_t)snprintf(out, room, "counts and times are of what was recorded: %s", p->incomplete);
	else if (p->counts == PT_BASIS_ESTIMATED && !p->windowed)
		at += (size_t)snprintf(out, room, "counts are of what was recorded");
	else if (p->counts == PT_BASIS_EXACT)
		at += (size_t)snprintf(out, room, "counts exact%s",
				       pt_halts_of(p).by_source ? " for this run, slowed by its halts" : "");
	if (at > 0 && pt_counters_are_rough(p->counters))
		at += (size_t)snprintf(out + at, room - at, ", of event counters within the limits shown");
	if (part && p->stamps_wrong <= 0)
		return;
	at += (size_t)snprintf(out + at, room - at, "%s", at > 0 ? "; " : "");
	if (p->opt_in_model && (p->shares == PT_BASIS_NONE || p->shares == PT_BASIS_ESTIMATED))
		at += (size_t)snprintf(out + at, room - at, "times modelled (unverified); ");
	if (p->no_code && p->stamps_wrong > 0)
		times_by_measured_clock(p, part, out + at, room - at);
	else if (p->no_code && undated_reports(p) > 0)
		snprintf(out + at, room - at,
			 "times are known as each row says: %" PRIu64
			 " reports have no timestamp, or one that came late",
			 undated_reports(p));
	else if (p->no_code)
		snprintf(out + at, room - at, "%s", times_basis(p));
	else if (p->shares == PT_BASIS_NONE)
		snprintf(out + at, room - at, "no shares, no rates: %s", pt_no_shares_reason(p));
	else if (p->by_bins)
		snprintf(out + at, room - at, "self %% %s, %s; calls are not measured", share_of(p),
			 p->shares == PT_BASIS_EXACT ? "exact"
			 : p->bins->apart	     ? "bounded: bins were not read at one instant"
						     : "bounded where a bin is split");
	else if (p->shares == PT_BASIS_ESTIMATED)
		estimated_shares(p, out + at, room - at);
	else
		snprintf(out + at, room - at, "%s; self %% %s", times_basis(p), share_of(p));
}

static void no_figures(const struct pt_profile *p, char *out)
{
	bool unread = false, elf = pt_waits_for_elf(p);
	bool misfit = p->not_code > 0 || p->elf_check == PT_ELF_OTHER || p->elf_check == PT_ELF_DIFFERS;

	for (size_t i = 0; i < p->n_sources; i++)
		unread |= p->sources[i].ignored == PT_SOURCE_NO_ISA;
	snprintf(out, PT_HEADLINE_BYTES, "no figures: %s%s",
		 unread	  ? "this version cannot read what was recorded"
		 : misfit ? "what was recorded does not fit the program"
		 : elf	  ? "branches say nothing without the ELF"
			  : "nothing was recorded",
		 misfit || unread || elf || p->ended || p->no_end ? "" : " yet");
}

static void accuracy_of_exceptions(const struct pt_profile *p, char *out)
{
	size_t at = 0;

	if (pt_exceptions_missing(p) != NULL)
		snprintf(out, PT_HEADLINE_BYTES, "counts and times of exceptions are at least what the chip reported");
	else if (p->stamps_wrong <= 0)
		snprintf(out, PT_HEADLINE_BYTES, "counts and times of exceptions exact");
	else {
		at = (size_t)snprintf(out, PT_HEADLINE_BYTES, "counts of exceptions exact; ");
		times_by_measured_clock(p, false, out + at, PT_HEADLINE_BYTES - at);
	}
}

static void accuracy(const struct pt_profile *p, char *out)
{
	if (p->branches != 0 || p->samples != 0 || pt_details_values(p) != 0 || p->by_bins)
		accuracy_of_flow(p, out);
	else if (pt_details_readings(p) != 0)
		accuracy_of_counters(p, out);
	else if (pt_details_looks(p) != 0)
		snprintf(out, PT_HEADLINE_BYTES,
			 "states: %% of the time that the program ran, 95 %% interval, from %" PRIu64 " looks",
			 pt_details_looks(p));
	else if (pt_details_exceptions(p) != 0)
		accuracy_of_exceptions(p, out);
	else
		no_figures(p, out);
}

/* --- what is wrong */

/* Shortens to one line of a narrow terminal: removes the advice, and a reason in brackets at the end. */
static void shorten_warning(char *warning)
{
	char *end = strstr(warning, ". "), *cure = strstr(warning, "): "), *reason = strstr(warning, " (");
	size_t len;

	if (strlen(warning) <= NARROW_WARNING)
		return;
	if (cure != NULL)
		cure[1] = '\0';
	else if (end != NULL)
		end[1] = '\0';
	len = strlen(warning);
	if (cure == NULL && reason != NULL && len > NARROW_WARNING && strcmp(warning + len - 2, ").") == 0)
		strcpy(reason, ".");
}

static void warning(const struct pt_profile *p, bool brief, char *out)
{
	struct pt_warnings w;
	size_t at;

	pt_warnings_find(&w, p);
	if (w.n_grave == 0)
		return;
	if (brief)
		shorten_warning(w.text[0]);
	at = (size_t)snprintf(out, PT_HEADLINE_BYTES, "%s", w.text[0]);
	if (w.n_grave > 1 && at < PT_HEADLINE_BYTES)
		snprintf(out + at, PT_HEADLINE_BYTES - at, brief ? " (%zu more)" : " (%zu more: report details)",
			 w.n_grave - 1);
}

static void make(struct pt_headline *h, const struct pt_profile *p, bool brief)
{
	memset(h, 0, sizeof(*h));
	title(p, brief, h->line[PT_HEADLINE_TITLE]);
	observed(p, brief, h->line[PT_HEADLINE_OBSERVED]);
	accuracy(p, h->line[PT_HEADLINE_ACCURACY]);
	warning(p, brief, h->line[PT_HEADLINE_WARNING]);
	for (size_t i = 0; i < PT_HEADLINE_LINES; i++)
		pt_harmless(h->line[i], "");	/* a text may have been cut within a character */
}

void pt_headline_make(struct pt_headline *h, const struct pt_profile *p)
{
	make(h, p, false);
}

void pt_headline_make_brief(struct pt_headline *h, const struct pt_profile *p)
{
	make(h, p, true);
}
