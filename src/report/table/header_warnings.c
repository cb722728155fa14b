/* What is wrong with a profile, or not in it. */
#include <inttypes.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/counters/counters.h"
#include "report/table/facts.h"
#include "report/table/header.h"
#include "report/table/units.h"
#include "base/util.h"

static void task_lines(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 0; p->task_note != NULL && p->task_note[i][0] != '\0'; i++) {
		pt_header_label(out, "tasks");
		pt_text_add(out, "%s\n", p->task_note[i]);
	}
}

/* What did not fit, or not together. */
static void bounds_lines(const struct pt_profile *p, struct pt_text *out)
{
	const struct { uint64_t n; const char *what; } rows[] = {
		{ p->sources_refused, "sources found no room" },
		{ p->out_of_order, "events came too late to be put in order with those of other sources" },
		{ p->values_incomplete, "parts of values that never became whole" },
		{ p->values_unplaced, "accesses to places that found no room (variables= names those to follow)" },
		{ p->counters != NULL ? p->counters->refused : 0, "readings of counters that found no room" },
		{ p->bins != NULL ? p->bins->dropped : 0, "hits at addresses that found no room" },
		{ p->bins != NULL ? p->bins->full : 0,
		  "readings of bins that were full: their hits are at least what is shown" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].n != 0) {
			pt_header_label(out, "trouble");
			pt_text_add(out, "%" PRIu64 " %s\n", rows[i].n, rows[i].what);
		}
}

/* One of the two is wrong, and with it each time that is made of them. */
static void beyond_clock_lines(const struct pt_profile *p, struct pt_text *out)
{
	char hz[32];

	pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	for (size_t i = 0; p->by_bins && p->contradiction == NULL && i < p->n_cores; i++)
		if (p->core[i].beyond_clock) {
			pt_header_label(out, "trouble");
			pt_text_add(out,
				    "core %u: %" PRIu64
				    " cycles are more than a clock of %s has in the time observed: the "
				    "core's clock (core-clock=) is another, or the bins are (mb.prof.size=); times and "
				    "shares are not to be relied on\n",
				    p->core[i].core, p->core[i].cycles, hz);
		}
}

static void ignored_lines(const struct pt_profile *p, struct pt_text *out)
{
	char text[200];

	for (size_t i = 0; i < p->n_sources; i++) {
		if (!pt_ignored_reason(p, &p->sources[i], text, sizeof(text)))
			continue;
		pt_header_label(out, "ignored");
		pt_text_add(out, "%s\n", text);
	}
}

void pt_header_trouble(const struct pt_profile *p, struct pt_text *out)
{
	const char *between = "";

	if (p->elf_check == PT_ELF_DIFFERS) {
		pt_header_label(out, "warning");
		pt_text_add(out,
			    "the chip does not hold this ELF: first difference at 0x%08" PRIx64
			    "; names and times may be wrong\n",
			    p->elf_differs_at);
	} else if (p->elf_check == PT_ELF_UNKNOWN && p->program != NULL) {
		pt_header_label(out, "warning");
		pt_text_add(out, "whether the chip holds this ELF is not known: they could not be compared\n");
	}
	if (p->contradiction != NULL) {
		pt_header_label(out, "warning");
		pt_text_add(out, "%s\n", p->contradiction);
	}
	if (p->not_code != 0) {
		pt_header_label(out, "trouble");
		pt_text_add(out, "%" PRIu64 " packets that the code does not allow", p->not_code);
		if (p->not_code_from != PT_UNKNOWN)
			pt_text_add(out,
				    ", the last 0x%08" PRIx64 " to 0x%08" PRIx64 ": is this the program in the chip?",
				    p->not_code_from, p->not_code_to);
		pt_text_add(out, "\n");
	}
	bounds_lines(p, out);
	beyond_clock_lines(p, out);
	ignored_lines(p, out);
	task_lines(p, out);
	for (unsigned i = 0; i < PT_N_EXECUTION_ERRORS; i++) {
		if (p->errors.n[i] == 0)
			continue;
		if (*between == '\0')
			pt_header_label(out, "irregular");
		pt_text_add(out, "%s%s: %" PRIu64, between, pt_execution_error_name((enum pt_execution_error)i),
			    p->errors.n[i]);
		between = "; ";
	}
	if (*between != '\0' && p->errors.address != PT_UNKNOWN)
		pt_text_add(out, "; the last before 0x%08" PRIx64, p->errors.address);
	if (*between != '\0')
		pt_text_add(out, "\n");
}
