/* Writes the lines in their order, broken between words. */
#include "report/text/details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "report/table/facts.h"
#include "report/table/origin.h"
#include "report/table/halts.h"
#include "report/table/units.h"
#include "report/text/headline.h"
#include "report/text/warnings.h"

static void title(const struct pt_profile *p, struct pt_text *out)
{
	const char *path = p->program != NULL ? pt_program_shown_path(p->program) : NULL;

	pt_text_add(out, "%sprofile of %s%s\n", p->from_virtual ? "VIRTUAL board, no hardware: " : "",
		    path != NULL ? path : "a program without symbols",
		    p->ended	? ""
		    : p->no_end ? " (cut short)"
				: " (still running)");
}

/* Where names and lines come from, if not from the ELF alone. */
static void symbols_lines(const struct pt_program *program, struct pt_text *out)
{
	if (pt_program_debug_path(program) != NULL) {
		pt_details_label(out, "symbols");
		pt_text_add(out, "what the ELF lacks is from %s\n", pt_program_debug_path(program));
	}
	if (pt_program_warning(program) != NULL) {
		pt_details_label(out, "symbols");
		pt_text_add(out, "%s\n", pt_program_warning(program));
	}
}

/* The share of the link's time that each of several sources used. */
static void link_line(const struct pt_profile *p, struct pt_text *out)
{
	char name[80];
	bool any = false;

	for (size_t i = 0; i < p->n_sources; i++) {
		const struct pt_profile_source *s = &p->sources[i];

		if (s->link_of_ns == 0)
			continue;
		if (!any)
			pt_details_label(out, "link");
		pt_text_add(out, "%s%s %.1f %%", any ? ", " : "", pt_name_source(p, i, name, sizeof(name)),
			    100 * (double)s->link_ns / (double)s->link_of_ns);
		any = true;
	}
	if (any)
		pt_text_add(out, " of the time\n");
}

/* The clock that turns cycles into seconds, and its measurement by a counter of the core. */
static void core_clock(const struct pt_profile *p, struct pt_text *out)
{
	double least = (double)p->clock_least_hz / 1e6, most = (double)p->clock_most_hz / 1e6;
	char hz[32];

	if (p->core_hz == 0) {
		pt_text_add(out, "; core clock not known (%s gives seconds)\n",
			    pt_by_door("--core-clock HZ", "core-clock=HZ"));
		return;
	}
	pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	pt_text_add(out, ", core at %s ", hz);
	if (p->clock_measured)
		pt_text_add(out, "(measured: %.4f to %.4f MHz)\n", least, most);
	else if (most > 0)
		pt_text_add(out, "(as given; a counter of it: %.4f to %.4f MHz)\n", least, most);
	else if (least > 0)
		pt_text_add(out, "(as given; a counter of it: %.4f MHz or more)\n", least);
	else
		pt_text_add(out, "(as given, and taken on trust)\n");
}

/* Assumptions behind the figures that no manual confirms. */
static void assumed_lines(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 0; i < p->n_sources; i++) {
		if (p->sources[i].assumed[0] == '\0')
			continue;
		pt_details_label(out, "assumed");
		pt_text_add(out, "%s\n", p->sources[i].assumed);
	}
}

/* Whether the chip holds the ELF, and how much of it that is known of. */
static void elf_line(const struct pt_profile *p, struct pt_text *out)
{
	if (p->elf_bytes == 0 || (p->elf_check != PT_ELF_SAME && p->elf_check != PT_ELF_DIFFERS))
		return;
	pt_details_label(out, "ELF");
	if (p->elf_check == PT_ELF_DIFFERS)
		pt_text_add(out, "the chip holds another program: it differs at 0x%08" PRIx64 "\n", p->elf_differs_at);
	else if (p->elf_compared < p->elf_bytes)
		pt_text_add(out, "the chip holds the same in the %.3g of %.3g KiB that were compared\n",
			    (double)p->elf_compared / 1024, (double)p->elf_bytes / 1024);
	else
		pt_text_add(out, "the chip holds the same: all %.3g KiB were compared\n", (double)p->elf_bytes / 1024);
}

static void source_lines(const struct pt_profile *p, struct pt_text *out)
{
	char name[80];

	pt_details_label(out, "source");
	pt_text_add(out, "%s, mode %s%s%s; probe %s\n",
		    p->n_sources > 1 ? pt_name_source(p, 0, name, sizeof(name)) : p->source, p->mode,
		    p->target[0] != '\0' ? "; target " : "", p->target, p->probe);
	for (size_t i = 1; i < p->n_sources; i++) {
		pt_details_label(out, "");
		pt_text_add(out, "%s%s%s\n", pt_name_source(p, i, name, sizeof(name)),
			    p->sources[i].mode[0] != '\0' ? ", mode " : "", p->sources[i].mode);
	}
	link_line(p, out);
	assumed_lines(p, out);
	elf_line(p, out);
	pt_details_label(out, "clock");
	if (p->no_code) {
		pt_text_add(out, "the timestamps of the sources; no code is traced\n");
		return;
	}
	if (p->program == NULL && !p->by_bins) {
		pt_text_add(out, "none: without an ELF there is no cycle model (--elf FILE)\n");
		return;
	}
	if (p->by_instructions)
		pt_text_add(out, "instructions");
	else if (p->by_bins)
		pt_text_add(out, "clock cycles, as the core counted them");
	else
		pt_text_add(out, "modelled cycles, awake only (%s)", p->timing);
	core_clock(p, out);
}

/* A source's account of time. bound: why the observed time is an upper bound; NULL: it is exact. who: "mtb: ", or
 * "". */
static void time_line(const struct pt_loss_sum *loss, const char *bound, uint64_t mismatch_ns, const char *who,
		      struct pt_text *out)
{
	char total[32], observed[32], unobserved[32], lost[32], mismatch[32];
	bool untimed = pt_loss_any_untimed(loss);

	pt_print_ns(total, sizeof(total), loss->total_ns, " ");
	pt_print_ns(observed, sizeof(observed), loss->observed_ns, " ");
	pt_print_ns(unobserved, sizeof(unobserved), loss->unobserved_ns, " ");
	pt_print_ns(lost, sizeof(lost), loss->lost_ns, " ");
	pt_text_add(out, "%s%s = %s%s observed", who, total, bound != NULL ? "at most " : "", observed);
	if (loss->total_ns != 0 && bound == NULL)
		pt_text_add(out, " (%.2f %%)", 100.0 * (double)loss->observed_ns / (double)loss->total_ns);
	pt_text_add(out, " + %s%s unobserved + %s%s lost\n", bound != NULL ? "at least " : "", unobserved,
		    untimed && loss->lost_ns > 0 ? "at least " : "",
		    untimed && loss->lost_ns == 0 ? "an unknown time" : lost);
	if (bound != NULL) {
		pt_details_label(out, "");
		pt_text_add(out, "at most: %s\n", bound);
	}
	if (mismatch_ns != 0) {
		pt_print_ns(mismatch, sizeof(mismatch), mismatch_ns, " ");
		pt_details_label(out, "");
		pt_text_add(out, "the source's account has %s too few or too many\n", mismatch);
	}
}

/* If the source does not halt the core, the time of halts says so: it would contradict the line about overhead. */
static void causes(const struct pt_profile *p, const struct pt_loss_sum *loss, bool faults, const char *who,
		   struct pt_text *out)
{
	const char *whose = pt_halts_of(p).by_source ? "" : " (not by the source)";
	bool any = false;
	char ns[32];

	pt_text_add(out, "%s", who);
	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
		if (pt_loss_is_fault((enum pt_loss)cause) != faults ||
		    (loss->by[cause].events == 0 && loss->by[cause].ns == 0))
			continue;
		pt_print_ns(ns, sizeof(ns), loss->by[cause].ns, " ");
		pt_text_add(out, "%s%s %s", any ? "; " : "", pt_halts_cause(p, (enum pt_loss)cause),
			    pt_loss_is_untimed(loss, cause) ? "(for how long is not known)" : ns);
		if (loss->by[cause].events != 0)
			pt_text_add(out, " in %" PRIu64, loss->by[cause].events);
		if (loss->by[cause].bytes != 0)
			pt_text_add(out, ", %s%" PRIu64 " bytes", loss->unsized[cause] > 0 ? "at least " : "",
				    loss->by[cause].bytes);
		pt_text_add(out, "%s", cause == PT_LOSS_HALTED ? whose : "");
		any = true;
	}
	pt_text_add(out, "%s\n", any ? "" : "nothing");
}

/* How to avoid the losses, a line for each cause. */
static void advise(const struct pt_profile *p, struct pt_text *out)
{
	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
		const char *advice = pt_loss_advice((enum pt_loss)cause);

		if (advice == NULL || p->loss.by[cause].events == 0)
			continue;
		pt_details_label(out, "advice");
		pt_text_add(out, "%s: %s\n", pt_loss_name((enum pt_loss)cause), advice);
	}
}

/* "mtb: ", for the line of one of several sources. */
static const char *who_is(const struct pt_profile *p, size_t i, char who[84])
{
	char name[80];

	snprintf(who, 84, "%s: ", pt_name_source(p, i, name, sizeof(name)));
	return who;
}

/* A line for each source; a single line if all would be equal. */
static void causes_of_each(const struct pt_profile *p, const char *label, bool faults, struct pt_text *out)
{
	struct pt_text first = { 0 };
	bool alike = true;
	char who[84];

	causes(p, &p->sources[0].loss, faults, "", &first);
	for (size_t i = 1; alike && i < p->n_sources; i++) {
		struct pt_text other = { 0 };

		causes(p, &p->sources[i].loss, faults, "", &other);
		alike = first.bytes != NULL && other.bytes != NULL && strcmp(first.bytes, other.bytes) == 0;
		pt_text_free(&other);
	}
	pt_text_free(&first);
	for (size_t i = 0; i < (alike ? 1 : p->n_sources); i++) {
		pt_details_label(out, i == 0 ? label : "");
		causes(p, &p->sources[i].loss, faults, alike ? "" : who_is(p, i, who), out);
	}
}

/* Each source has its own account of the same time: their sum would be meaningless. */
static void accounts(const struct pt_profile *p, struct pt_text *out)
{
	char who[84];

	for (size_t i = 0; i < p->n_sources; i++) {
		const struct pt_profile_source *s = &p->sources[i];

		pt_details_label(out, i == 0 ? "time" : "");
		if (s->no_clock)
			pt_text_add(out, "%s%s\n", who_is(p, i, who), PT_NO_CLOCK);
		else
			time_line(&s->loss,
				  s->observed_is_bound ? pt_bound_reason(s->mode, s->triggered, &s->loss) : NULL,
				  s->mismatch_ns, who_is(p, i, who), out);
	}
	causes_of_each(p, "unobserved", false, out);
	causes_of_each(p, "lost", true, out);
}

static void length_line(const struct pt_profile *p, struct pt_text *out)
{
	char why[160];

	if (!pt_halts_longer(p, why, sizeof(why)))
		return;
	pt_details_label(out, "length");
	pt_text_add(out, "%s\n", why);
}

static void time_lines(const struct pt_profile *p, struct pt_text *out)
{
	if (p->n_sources > 1) {
		accounts(p, out);
	} else {
		pt_details_label(out, "time");
		if (p->no_clock)
			pt_text_add(out, "%s\n", PT_NO_CLOCK);
		else
			time_line(&p->loss,
				  p->observed_is_bound ? pt_bound_reason(p->mode, p->triggered, &p->loss) : NULL,
				  p->mismatch_ns, "", out);
		pt_details_label(out, "unobserved");
		causes(p, &p->loss, false, "", out);
		pt_details_label(out, "lost");
		causes(p, &p->loss, true, "", out);
	}
	length_line(p, out);
	advise(p, out);
}

static void accuracy_line(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_headline headline;

	pt_headline_make(&headline, p);
	pt_details_label(out, "accuracy");
	pt_text_add(out, "%s\n", headline.line[PT_HEADLINE_ACCURACY]);
}

static void buffer_line(const struct pt_profile *p, struct pt_text *out)
{
	if (p->buffer_bytes == 0)
		return;
	pt_details_label(out, "buffer");
	pt_text_add(out, "%" PRIu64 " bytes of the target's RAM at 0x%08" PRIx64 "%s\n", p->buffer_bytes,
		    p->buffer_addr, p->buffer_in_use ? ", where the program may have data of its own" : "");
}

static void warning_lines(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_warnings w;

	pt_warnings_find(&w, p);
	for (size_t i = 0; i < w.n; i++) {
		pt_details_label(out, i < w.n_grave ? "warning" : "note");
		pt_text_add(out, "%s\n", w.text[i]);
	}
}

static void origin_line(const struct pt_profile *p, struct pt_text *out)
{
	char origin[PT_PROFILE_TEXT + 80];

	if (pt_origin_text(p, origin, sizeof(origin))[0] == '\0')
		return;
	pt_details_label(out, "made by");
	pt_text_add(out, "%s\n", origin);
}

static void plain_details(const struct pt_profile *p, struct pt_text *out)
{
	title(p, out);
	if (p->program != NULL)
		symbols_lines(p->program, out);
	source_lines(p, out);
	time_lines(p, out);
	pt_details_data(p, out);
	accuracy_line(p, out);
	warning_lines(p, out);
	buffer_line(p, out);
	pt_details_overhead(p, out);
	origin_line(p, out);
}

static void wrap(struct pt_text *plain, size_t columns, struct pt_text *out)
{
	for (const char *line = plain->bytes, *end; line != NULL && *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		if (end == NULL)
			break;
		pt_text_wrapped(out, line, (size_t)(end - line), columns, PT_LABEL_COLUMNS);
	}
	pt_text_free(plain);
}

/* Not wrapped, so that it can be pasted into a shell. */
static void again_line(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_text command = { 0 };

	if (pt_origin_command(p, &command)) {
		pt_details_label(out, "again");
		pt_text_add(out, "%s\n", command.bytes);
	}
	pt_text_free(&command);
}

void pt_details_write(const struct pt_profile *p, size_t columns, struct pt_text *out)
{
	struct pt_text plain = { 0 };

	plain_details(p, &plain);
	wrap(&plain, columns, out);
	again_line(p, out);
}

void pt_details_warnings(const struct pt_profile *p, size_t columns, struct pt_text *out)
{
	struct pt_text plain = { 0 };

	warning_lines(p, &plain);
	wrap(&plain, columns, out);
}
