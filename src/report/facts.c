#include "report/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/units.h"

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
		 p->by_instructions ? "times in instructions" : "modelled cycles, ", p->by_instructions ? "" : hz);
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
