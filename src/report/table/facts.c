#include "report/table/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "report/table/halts.h"
#include "report/table/units.h"
#include "trace/formats.h"
#include "base/util.h"

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

bool pt_waits_for_elf(const struct pt_profile *p)
{
	bool recorded = p->loss.observed_ns > 0 || p->loss.by[PT_LOSS_REARM].events > 0;

	return p->program == NULL && !p->no_code && !p->no_flow && !p->by_bins && p->samples == 0 && p->branches == 0 &&
	       recorded;
}

const char *pt_origin_text(const struct pt_profile *p, char *out, size_t room)
{
	out[0] = '\0';
	if (p->version[0] != '\0')
		snprintf(out, room, "proftap %s, seed %" PRIu64 "%s%s", p->version, p->seed,
			 p->words[0] != '\0' ? ", " : "", p->words);
	return out;
}

static bool is_awake_only(const struct pt_profile *profile, const struct pt_column *column)
{
	static const char *const groups[] = { "period", "call", "inactive" };
	size_t len = strcspn(column->key, ".");

	if (!profile->awake_only || (column->unit != PT_UNIT_TICKS && column->unit != PT_UNIT_MEAN))
		return false;
	for (size_t i = 0; i < PT_LEN(groups); i++)
		if (strlen(groups[i]) == len && strncmp(column->key, groups[i], len) == 0)
			return true;
	return false;
}

bool pt_awake_only(const struct pt_profile *profile, const struct pt_view *view, const bool *shown, char *groups,
		   size_t room)
{
	char group[16];

	groups[0] = '\0';
	for (size_t c = 0; c < view->n_columns; c++) {
		const struct pt_column *column = &view->columns[c];
		const char *name = shown != NULL ? column->heading : column->key;
		size_t len = strlen(groups);

		if ((shown != NULL && !shown[c]) || !is_awake_only(profile, column))
			continue;
		snprintf(group, sizeof(group), "%.*s", (int)strcspn(name, ". "), name);
		if (strstr(groups, group) == NULL)
			snprintf(groups + len, room - len, "%s%s", len > 0 ? ", " : "", group);
	}
	return groups[0] != '\0';
}

bool pt_has_no_time(const char *mode)
{
	static const char *const modes[] = { "normal", "loop1", "detail", "pure-pc" };

	for (size_t i = 0; i < PT_LEN(modes); i++)
		if (strcmp(mode, modes[i]) == 0)
			return true;
	return false;
}

const char *pt_bound_reason(const char *mode, bool triggered, const struct pt_loss_sum *loss)
{
	return triggered ? "hardware triggers begin and end the counting, at times that proftap does not know"
	       : strcmp(mode, "halt") == 0 ? "the probe notices the halt of a full buffer up to one round trip late"
	       : pt_has_no_time(mode)
		       ? "the buffer holds only the end or the beginning of that time, and no time stamps"
	       : pt_loss_any_untimed(loss)
		       ? "it is not known how much of that time the trace lost"
		       : pt_by_door("without --core-clock HZ it is not known when each burst filled its buffer",
				    "without core-clock=HZ it is not known when each burst filled its buffer");
}

bool pt_entries_are_elsewhere(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].calibration != NULL && p->core[i].windowed)
			return false;
	for (size_t i = 0; i < p->n_sources; i++)
		if (p->sources[i].meets_interrupted && p->sources[i].samples > 0)
			return true;
	return false;
}

bool pt_ignored_reason(const struct pt_profile *profile, const struct pt_profile_source *source, char *text,
		       size_t room)
{
	if (source->ignored == PT_SOURCE_SECOND && source->instead < profile->n_sources) {
		snprintf(text, room,
			 "%s is a second trace of core %u, beside that of %s: its %" PRIu64
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
			 source->source, pt_program_shown_path(profile->program));
		return true;
	}
	if (source->ignored == PT_SOURCE_NO_CONFIG) {
		snprintf(
			text, room,
			"the record that says what the trace of source %u means is damaged: all that it recorded is lost",
			source->number);
		return true;
	}
	return false;
}

const char *pt_shares_from(const struct pt_profile *profile, const char *view)
{
	static const struct { const char *view, *from; bool by_bursts; } rows[] = {
		{ "functions", "samples", false }, { "irqs", "samples", false }, { "lines", "samples", true },
		{ "instructions", "samples", true }, { "tree", "bursts, fitted to samples", true },
		{ "tasks", "bursts, fitted to samples", true },
	};
	bool any = false, windowed = false;

	for (size_t i = 0; i < profile->n_cores; i++) {
		any |= profile->core[i].calibration != NULL;
		windowed |= profile->core[i].calibration != NULL && profile->core[i].windowed;
	}
	for (size_t i = 0; any && i < PT_LEN(rows); i++)
		if (strcmp(rows[i].view, view) == 0 && (windowed || !rows[i].by_bursts))
			return rows[i].from;
	return NULL;
}

const char *pt_no_shares_reason(const struct pt_profile *p)
{
	if (p->branches == 0 && p->samples == 0)
		return "the trace has values alone, and no code";
	if (strcmp(p->mode, "ring") == 0)
		return "mode=ring keeps only what ran last; without mode= a profile has them";
	if (strcmp(p->mode, "loop1") == 0)
		return "mode=loop1 leaves out repetitions; without mode= a profile has them";
	if (pt_has_no_time(p->mode) && p->bursts <= 1)
		return "the buffer holds one piece of the run; without mode= a profile has them";
	if (p->core_hz == 0 && pt_halts_of(p).by_source)
		return pt_by_door("--core-clock HZ gives them", "core-clock=HZ gives them");
	return p->samples > 0  ? "too few samples; profile for longer"
	       : p->bursts > 0 ? "too few bursts"
			       : "too small a part of the run was recorded";
}

bool pt_lacks_bursts(const struct pt_profile *profile, const char *view)
{
	bool sampled = false, windowed = false;

	for (size_t i = 0; i < profile->n_cores; i++) {
		sampled |= profile->core[i].calibration != NULL;
		windowed |= profile->core[i].windowed;
	}
	return sampled && !windowed && pt_shares_from(profile, view) == NULL &&
	       (strcmp(view, "lines") == 0 || strcmp(view, "instructions") == 0 || strcmp(view, "tree") == 0);
}

bool pt_totals_are_of_recorded(const struct pt_profile *profile)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].windowed && !profile->core[i].awake_estimated)
			return true;
	return false;
}
