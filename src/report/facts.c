#include "report/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/units.h"
#include "util.h"

const char *pt_basis_name(enum pt_basis basis)
{
	static const char *const names[] = { "not measured", "exact", "modelled", "estimated" };

	return basis < PT_LEN(names) ? names[basis] : "?";
}

static void title(char *out, const struct pt_profile *p)
{
	const char *path = p->program != NULL ? pt_program_path(p->program) : "a program without symbols";
	const char *slash = strrchr(path, '/');

	snprintf(out, PT_FACTS_BYTES, "%s%.200s on %s%s", p->from_virtual ? "VIRTUAL board, no hardware: " : "",
		 slash != NULL ? slash + 1 : path, p->target, p->ended ? "" : " (still running)");
}

static void method(char *out, const struct pt_profile *p)
{
	char hz[32] = "core clock not known";

	if (p->core_hz != 0)
		pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	snprintf(out, PT_FACTS_BYTES, "source %s, mode %s, probe %s; %s%s", p->source, p->mode, p->probe,
		 p->no_code ? "times by the sources' stamps" : p->by_instructions ? "times in instructions"
		 : p->by_bins ? "counted cycles, " : p->awake_only ? "modelled cycles, awake only, " : "modelled cycles, ",
		 p->by_instructions || p->no_code ? "" : hz);
}

static void time_of(char *out, const struct pt_profile *p)
{
	char observed[32], total[32], unobserved[32], lost[32];

	pt_print_ns(total, sizeof(total), p->loss.total_ns, " ");
	pt_print_ns(observed, sizeof(observed), p->loss.observed_ns, " ");
	pt_print_ns(unobserved, sizeof(unobserved), p->loss.unobserved_ns, " ");
	pt_print_ns(lost, sizeof(lost), p->loss.lost_ns, " ");
	snprintf(out, PT_FACTS_BYTES, "%s = %s%s observed + %s unobserved + %s lost", total,
		 p->observed_is_bound ? "at most " : "", observed, unobserved, lost);
}

void pt_facts_make(struct pt_facts *facts, const struct pt_profile *p)
{
	title(facts->line[0], p);
	method(facts->line[1], p);
	time_of(facts->line[2], p);
	snprintf(facts->line[3], PT_FACTS_BYTES, "counts %s, times %s, shares %s", pt_basis_name(p->counts),
		 pt_basis_name(p->times), pt_basis_name(p->shares));
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

const char *pt_bound_reason(const char *mode)
{
	return strcmp(mode, "halt") == 0
	       ? "a core that the full buffer halted is found so a round trip later"
	       : "when a burst filled its buffer is known where the core clock is (core-clock=HZ)";
}
