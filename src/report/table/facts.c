#include "report/table/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/table/units.h"
#include "trace/formats.h"
#include "base/util.h"

const char *pt_basis_name(enum pt_basis basis)
{
	static const char *const names[] = { "not measured", "exact", "modelled", "estimated" };

	return basis < PT_LEN(names) ? names[basis] : "?";
}

const char *pt_name_source(const struct pt_profile *p, size_t i, char *name, size_t room)
{
	const struct pt_profile_source *s = &p->sources[i];
	bool cores = false, events = false;
	char of_core[16] = "";

	for (size_t k = 0; k < p->n_sources; k++) {
		cores |= p->sources[k].core != s->core;
		events |= strcmp(p->sources[k].source, s->source) == 0 && strcmp(p->sources[k].event, s->event) != 0;
	}
	if (cores)
		snprintf(of_core, sizeof(of_core), " of core %u", s->core);
	snprintf(name, room, "%s%s%s%s", s->source, of_core, events ? " by " : "",
		 !events	       ? ""
		 : s->event[0] != '\0' ? s->event
				       : "time");
	return name;
}

static void title(char *out, const struct pt_profile *p)
{
	const char *path = p->program != NULL ? pt_program_path(p->program) : "a program without symbols";
	const char *slash = strrchr(path, '/');

	snprintf(out, PT_FACTS_BYTES, "%s%.200s on %s%s", p->from_virtual ? "VIRTUAL board, no hardware: " : "",
		 slash != NULL ? slash + 1 : path, p->target,
		 p->ended    ? ""
		 : p->no_end ? " (cut short)"
			     : " (still running)");
}

const char *pt_origin_text(const struct pt_profile *p, char *out, size_t room)
{
	out[0] = '\0';
	if (p->version[0] != '\0')
		snprintf(out, room, "proftap %s, seed %" PRIu64 "%s%s", p->version, p->seed,
			 p->words[0] != '\0' ? ", " : "", p->words);
	return out;
}

static void method(char *out, const struct pt_profile *p)
{
	char origin[PT_PROFILE_TEXT + 80];
	char hz[32] = "core clock not known";

	if (p->core_hz != 0)
		pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	pt_origin_text(p, origin, sizeof(origin));
	snprintf(out, PT_FACTS_BYTES, "source %s, mode %s, probe %s; %s%s%s%s", p->source, p->mode, p->probe,
		 p->no_code	      ? "times by the sources' stamps"
		 : p->by_instructions ? "times in instructions"
		 : p->by_bins	      ? "counted cycles, "
		 : p->awake_only      ? "modelled cycles, awake only, "
				      : "modelled cycles, ",
		 p->by_instructions || p->no_code ? "" : hz, origin[0] != '\0' ? "; made by " : "", origin);
}

static void time_of(const struct pt_loss_sum *loss, bool is_bound, char *out, size_t room)
{
	char observed[32], total[32], unobserved[32], lost[32];

	pt_print_ns(total, sizeof(total), loss->total_ns, " ");
	pt_print_ns(observed, sizeof(observed), loss->observed_ns, " ");
	pt_print_ns(unobserved, sizeof(unobserved), loss->unobserved_ns, " ");
	pt_print_ns(lost, sizeof(lost), loss->lost_ns, " ");
	snprintf(out, room, "%s = %s%s observed + %s%s unobserved + %s lost", total, is_bound ? "at most " : "",
		 observed, is_bound ? "at least " : "", unobserved, lost);
}

/* Each source has its own account of the same session: as many as fit. */
static void times_of(char *out, const struct pt_profile *p)
{
	char name[80];
	size_t len = 0;

	if (p->n_sources < 2 && p->no_clock)
		snprintf(out, PT_FACTS_BYTES, "time %s", PT_NO_CLOCK);
	else if (p->n_sources < 2)
		time_of(&p->loss, p->observed_is_bound, out, PT_FACTS_BYTES);
	for (size_t i = 0; p->n_sources > 1 && i < p->n_sources && PT_FACTS_BYTES - len > 160; i++) {
		const struct pt_profile_source *s = &p->sources[i];

		len += (size_t)snprintf(out + len, PT_FACTS_BYTES - len, "%s%s: ", i > 0 ? "; " : "",
					pt_name_source(p, i, name, sizeof(name)));
		if (s->no_clock)
			snprintf(out + len, PT_FACTS_BYTES - len, "time %s", PT_NO_CLOCK);
		else
			time_of(&s->loss, s->observed_is_bound, out + len, PT_FACTS_BYTES - len);
		len += strlen(out + len);
	}
}

static const struct pt_profile_function *largest_estimate(const struct pt_profile *p)
{
	const struct pt_profile_function *most = NULL;

	for (size_t i = 0; i < p->n_functions && p->shares == PT_BASIS_ESTIMATED; i++)
		if (p->function[i].share.hi > p->function[i].share.lo &&
		    (most == NULL || p->function[i].share.share > most->share.share))
			most = &p->function[i];
	return most;
}

static bool is_in_pieces(const struct pt_profile *p)
{
	bool pieces = false;

	for (size_t i = 0; i < p->n_cores; i++)
		pieces |= p->core[i].in_pieces;
	return pieces;
}

/* A file that has no place for intervals says at least how good the largest figure is; or that figures stand for no
 * more than what was seen. */
static void figures(char *out, const struct pt_profile *p)
{
	const struct pt_profile_function *most = largest_estimate(p);
	size_t len = (size_t)snprintf(out, PT_FACTS_BYTES, "counts %s, times %s, shares %s", pt_basis_name(p->counts),
				      pt_basis_name(p->times), pt_basis_name(p->shares));

	if (most == NULL && is_in_pieces(p))
		snprintf(
			out + len, PT_FACTS_BYTES - len,
			": figures are of what was seen alone, which was not chosen at random, or too little for shares");
	if (most == NULL)
		return;
	len += (size_t)snprintf(out + len, PT_FACTS_BYTES - len,
				": the largest, of %.100s, is %.1f %% (95 %% interval %.1f to %.1f %%)",
				most->function != NULL ? most->function->name : "(no symbol)", most->share.share * 100,
				most->share.lo * 100, most->share.hi * 100);
	if (p->windowed && p->bursts_used > 0)
		len += (size_t)snprintf(out + len, PT_FACTS_BYTES - len,
					", by the first %" PRIu64 " cycles of each of %" PRIu64 " bursts",
					p->burst_cycles, p->bursts_used);
	else if (p->batches > 0)
		len += (size_t)snprintf(out + len, PT_FACTS_BYTES - len, ", by %" PRIu64 " batches of samples",
					p->batches);
	if (p->unseen.hi > 0)
		snprintf(out + len, PT_FACTS_BYTES - len, "; one that is not listed has at most %.1f %%",
			 p->unseen.hi * 100);
}

void pt_facts_make(struct pt_facts *facts, const struct pt_profile *p)
{
	title(facts->line[0], p);
	method(facts->line[1], p);
	times_of(facts->line[2], p);
	figures(facts->line[3], p);
}

bool pt_column_is_awake_only(const struct pt_profile *profile, const struct pt_column *column, char group[16])
{
	static const char *const groups[] = { "period", "call", "inactive" };
	size_t len = strcspn(column->key, ".");

	if (!profile->awake_only || (column->unit != PT_UNIT_TICKS && column->unit != PT_UNIT_MEAN))
		return false;
	for (size_t i = 0; i < PT_LEN(groups); i++)
		if (strlen(groups[i]) == len && strncmp(column->key, groups[i], len) == 0) {
			snprintf(group, 16, "%s", groups[i]);
			return true;
		}
	return false;
}

bool pt_awake_only(const struct pt_profile *profile, const struct pt_view *view, const bool *shown, char *groups,
		   size_t room)
{
	char group[16];

	groups[0] = '\0';
	for (size_t c = 0; c < view->n_columns; c++) {
		size_t len = strlen(groups);

		if ((shown != NULL && !shown[c]) || !pt_column_is_awake_only(profile, &view->columns[c], group) ||
		    strstr(groups, group) != NULL)
			continue;
		snprintf(groups + len, room - len, "%s%s", len > 0 ? ", " : "", group);
	}
	return groups[0] != '\0';
}

const char *pt_bound_reason(const char *mode, bool triggered)
{
	return triggered ? "triggers of the hardware begin and end what is counted, and nobody is told when"
	       : strcmp(mode, "halt") == 0
		       ? "a core that the full buffer halted is found so a round trip later"
		       : "when a burst filled its buffer is known where the core clock is (core-clock=HZ)";
}

bool pt_entries_are_elsewhere(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].calibration != NULL)
			return false;
	for (size_t i = 0; i < p->n_sources; i++)
		if (strcmp(p->sources[i].format, PT_FORMAT_PCSR) == 0 && strcmp(p->sources[i].source, "pcsr") == 0)
			return true;
	return false;
}

bool pt_ignored_reason(const struct pt_profile *profile, const struct pt_profile_source *source, char *text,
		       size_t room)
{
	if (source->ignored == PT_SOURCE_SECOND && source->instead < profile->n_sources) {
		snprintf(text, room,
			 "%s is another trace of what core %u ran, which %s tells already: its %" PRIu64
			 " branches are in no figure, so that nothing counts twice",
			 source->source, source->core, profile->sources[source->instead].source, source->branches);
		return true;
	}
	if (source->ignored == PT_SOURCE_NO_ROOM && source->branches > 0) {
		snprintf(text, room,
			 "the %" PRIu64 " branches that %s tells of core %u are in no figure: there is room for "
			 "cores 0 to %d",
			 source->branches, source->source, source->core, PT_PROFILE_CORES - 1);
		return true;
	}
	if (source->ignored == PT_SOURCE_NO_ISA && profile->program != NULL) {
		snprintf(text, room,
			 "%s traces branches, and this version cannot walk the code of %.100s: nothing of "
			 "it is shown (samples need no walk)",
			 source->source, pt_program_path(profile->program));
		return true;
	}
	return false;
}

const char *pt_shares_from(const struct pt_profile *profile, const char *view)
{
	static const struct { const char *view, *from; } rows[] = {
		{ "functions", "samples" }, { "lines", "samples" }, { "instructions", "samples" },
		{ "irqs", "samples" }, { "tree", "bursts, fitted to samples" }, { "tasks", "bursts" },
	};
	bool any = false;

	for (size_t i = 0; i < profile->n_cores; i++)
		any |= profile->core[i].calibration != NULL;
	for (size_t i = 0; any && i < PT_LEN(rows); i++)
		if (strcmp(rows[i].view, view) == 0)
			return rows[i].from;
	return NULL;
}
