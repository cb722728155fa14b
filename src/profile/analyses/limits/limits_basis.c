/* Checks what a verdict depends on besides the figures: the ELF, the core clock, the cycle model, a core that runs. If one of
 * them is known to be wrong, the rule becomes undecided. If one was not checked, the verdict's sentence says so, because
 * a CI system shows only that sentence. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/limits/limits_judge.h"

struct basis {
	struct pt_limit *limit;
	const struct pt_profile *profile;
	bool on_clock;		/* its times are of the profile's clock */
};

static void take_back(const struct basis *b, const char *why)
{
	char was[sizeof(b->limit->why)];

	memcpy(was, b->limit->why, sizeof(was));
	pt_limit_say(b->limit, PT_VERDICT_UNDECIDED, "%s (%.120s)", why, was);
	b->limit->n_extremes = 0;
}

/* --- what is known to be wrong */

static bool is_of_code(const struct basis *b)
{
	return b->limit->rule->subject == PT_RULE_FUNCTION || (b->on_clock && b->limit->rule->subject == PT_RULE_SPAN);
}

static bool is_another_program(const struct basis *b)
{
	const struct pt_profile *p = b->profile;
	char why[120];

	if (!is_of_code(b) || (p->elf_check != PT_ELF_DIFFERS && p->elf_check != PT_ELF_OTHER))
		return false;
	if (p->elf_check == PT_ELF_DIFFERS)
		snprintf(why, sizeof(why), "the chip does not hold this ELF: it differs at 0x%08" PRIx64,
			 p->elf_differs_at);
	else
		snprintf(why, sizeof(why), "the capture was made with another ELF");
	take_back(b, why);
	return true;
}

static bool beyond_clock(const struct pt_profile *p)
{
	for (size_t i = 0; p->by_bins && i < p->n_cores; i++)
		if (p->core[i].beyond_clock)
			return true;
	return false;
}

/* Of shares as well where the counts themselves are what cannot be. */
static bool is_contradicted(const struct basis *b)
{
	const struct pt_profile *p = b->profile;
	bool share = b->limit->rule->figure == PT_RULE_SHARE && b->limit->rule->subject == PT_RULE_FUNCTION;
	char why[240];

	if (p->contradiction != NULL && (b->limit->rule->unit == PT_RULE_NS || (share && p->windowed)))
		snprintf(why, sizeof(why), "contradiction: %s", p->contradiction);
	else if (beyond_clock(p) && (b->limit->rule->unit == PT_RULE_NS || share))
		snprintf(why, sizeof(why), "contradiction: more cycles than the core clock has in that time");
	else
		return false;
	take_back(b, why);
	return true;
}

/* What is too long by the core's own time is so; all else is not that of a program that runs on. */
static bool is_halted_meanwhile(const struct basis *b)
{
	const struct pt_rule *rule = b->limit->rule;
	const struct pt_loss_sum *loss = &b->profile->loss;

	if (!b->on_clock || (rule->figure != PT_RULE_PERIOD && rule->figure != PT_RULE_INACTIVE) ||
	    strcmp(b->profile->mode, "halt") != 0 || loss->by[PT_LOSS_DRAIN].ns == 0 ||
	    (b->limit->verdict == PT_VERDICT_FAILED && isinf(rule->lo) && !rule->excludes))
		return false;
	take_back(b, "in mode halt it is time of the core alone, which was halted to read the trace: not that of a "
		     "program that runs");
	return true;
}

/* --- what is said of it */

static void add(const struct basis *b, const char *text)
{
	size_t at = strlen(b->limit->why);

	snprintf(b->limit->why + at, sizeof(b->limit->why) - at, "%s", text);
}

/* A total counts what ran of its own, and a call with all that came in between. */
static bool is_without_interrupts(enum pt_rule_figure figure)
{
	return figure == PT_RULE_NET || figure == PT_RULE_GROSS;
}

static bool is_modelled(const struct basis *b)
{
	const struct pt_profile *p = b->profile;

	if (!b->on_clock || p->by_instructions || p->by_bins || p->timing == NULL)
		return false;
	return b->limit->rule->figure <= PT_RULE_INACTIVE || b->limit->rule->figure == PT_RULE_LOAD ||
	       (b->limit->rule->figure == PT_RULE_SHARE && p->shares == PT_BASIS_MODELLED);
}

/* If not all of it: how much of the ELF the chip is known to hold. */
static void add_image(const struct basis *b)
{
	const struct pt_profile *p = b->profile;
	char text[100];

	if (!is_of_code(b) || p->program == NULL || p->elf_check == PT_ELF_UNSAID)
		return;
	if (p->elf_check == PT_ELF_UNKNOWN) {
		add(b, "; it was not compared whether the chip holds this ELF");
	} else if (p->elf_compared < p->elf_bytes) {
		snprintf(text, sizeof(text), "; %.3g of %.3g KiB of the ELF were compared with the chip",
			 (double)p->elf_compared / 1024, (double)p->elf_bytes / 1024);
		add(b, text);
	}
}

static void add_basis(const struct basis *b)
{
	const struct pt_profile *p = b->profile;
	const struct pt_rule *rule = b->limit->rule;
	char text[160];

	if (b->on_clock && is_without_interrupts(rule->figure))
		add(b, ", without interrupts");
	if (is_modelled(b)) {
		snprintf(text, sizeof(text), "; by the cycle model of %.80s, not what this chip's memory adds",
			 p->timing);
		add(b, text);
	}
	if (b->on_clock && rule->unit == PT_RULE_NS && p->clock_least_hz == 0 && p->core_hz != 0) {
		snprintf(text, sizeof(text), "; by a core clock of %.6g MHz, taken on trust", (double)p->core_hz / 1e6);
		add(b, text);
	}
	add_image(b);
}

void pt_limit_basis(struct pt_limit *limit, const struct pt_profile *profile, bool on_clock)
{
	struct basis b = { limit, profile, on_clock };

	if (limit->verdict == PT_VERDICT_UNDECIDED || is_another_program(&b) || is_contradicted(&b) ||
	    is_halted_meanwhile(&b))
		return;
	add_basis(&b);
}
