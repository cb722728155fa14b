#include "report/text/small_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "base/text.h"
#include "base/util.h"
#include "report/table/facts.h"
#include "report/table/halts.h"
#include "report/table/units.h"

struct teller {
	void (*each)(void *arg, const char *line);
	void *arg;
};

static void say(const struct teller *teller, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct teller *teller, const char *format, ...)
{
	struct pt_text line = { 0 };
	va_list ap;

	va_start(ap, format);
	pt_text_add_list(&line, format, ap);
	va_end(ap);
	teller->each(teller->arg, line.bytes);
	pt_text_free(&line);
}

static bool is_total(const struct pt_column *column)
{
	static const char *const keys[] = { "count", "net_instructions", "instructions", "net.total", "gross.total", "net",
					    "gross" };

	for (size_t i = 0; i < PT_LEN(keys); i++)
		if (strcmp(column->key, keys[i]) == 0)	/* in some views "instructions" is the size of the code */
			return strcmp(column->key, "instructions") != 0 || column->unit == PT_UNIT_INSTRUCTIONS;
	return false;
}

/* "count, total": the headings of shown figures that grow with the profile's time; "": none. */
static void list_totals(const struct pt_small_print *print, char *out, size_t room)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < print->view->n_columns && at < room; i++)
		if (print->shown[i] && is_total(&print->view->columns[i]))
			at += (size_t)snprintf(out + at, room - at, "%s%s", at > 0 ? ", " : "",
					       print->view->columns[i].heading);
}

/* Whether a time on the profile's clock is shown. */
static bool shows_ticks(const struct pt_small_print *print)
{
	for (size_t i = 0; i < print->view->n_columns; i++)
		if (print->shown[i] &&
		    (print->view->columns[i].unit == PT_UNIT_TICKS || print->view->columns[i].unit == PT_UNIT_MEAN))
			return true;
	return false;
}

static void of_units(const struct pt_small_print *print, const struct teller *to)
{
	const struct pt_profile *p = print->profile;
	bool in_ticks = shows_ticks(print), by_clock = p->core_hz == 0 && !p->by_instructions;
	const char *clock_word = pt_by_door("--core-clock HZ", "core-clock=HZ");
	char clock[32], totals[120];

	pt_print_scaled(clock, sizeof(clock), (double)p->core_hz, " ", "Hz");
	if (in_ticks && p->by_instructions)
		say(to, "Times are in instructions.");
	else if (in_ticks && p->core_hz == 0)
		say(to, "Times are in cycles: %s gives seconds.", clock_word);
	else if (in_ticks && !p->no_code && p->clock_least_hz == 0)
		say(to, "Times are by a core clock of %s, taken on trust: no counter checked it.", clock);
	list_totals(print, totals, sizeof(totals));
	if (pt_totals_are_of_recorded(p) && totals[0] != '\0')
		say(to, "%s: for as long as was recorded%s%s%s.", totals,
		    by_clock ? "; " : ", not for the whole profile", by_clock ? clock_word : "",
		    by_clock ? " gives those of the whole profile" : "");
}

static void of_shares(const struct pt_small_print *print, const struct teller *to)
{
	const char *from = pt_shares_from(print->profile, print->view->name);

	if (pt_lacks_bursts(print->profile, print->view->name))
		say(to, "No self %% here: too few bursts began at random times. Profile for longer.");
	if (from != NULL)
		say(to, "Shares are from %s.", from);
}

static void of_length(const struct pt_small_print *print, const struct teller *to)
{
	char why[160];

	if (print->profile->diff == NULL && pt_halts_longer(print->profile, why, sizeof(why)))
		say(to, "%s.", why);
}

static void of_view(const struct pt_small_print *print, const struct teller *to)
{
	char groups[64], remark[320];

	if (pt_awake_only(print->profile, print->view, print->shown, groups, sizeof(groups)))
		say(to, "%s: time awake only; what the core slept in between is not included.", groups);
	if (print->view->note != NULL)
		say(to, "%s.", print->view->note);
	if (print->view->remark != NULL && print->view->remark(print->profile, print->shown, remark, sizeof(remark)))
		say(to, "%s.", remark);
}

/* With bursts, self is an estimate, but total is only a lower bound, often the lower limit of self: it may be less than
 * self. */
static bool totals_may_be_less(const struct pt_small_print *print)
{
	bool total = false, self = false;

	for (size_t i = 0; print->profile->windowed && i < print->view->n_columns; i++) {
		const char *key = print->view->columns[i].key;

		total |= print->shown[i] && (strcmp(key, "gross.total") == 0 || strcmp(key, "gross_share") == 0);
		self |= print->shown[i] && (strcmp(key, "net.total") == 0 || strcmp(key, "net_share") == 0);
	}
	return total && self;
}

void pt_small_print_each(const struct pt_small_print *print, void (*each)(void *arg, const char *line), void *arg)
{
	const struct teller to = { .each = each, .arg = arg };

	of_units(print, &to);
	of_shares(print, &to);
	if (print->has_bounds)
		say(&to, "%s: lower bound, as the trace did not show all of it%s.", print->ascii ? ">=" : "≥",
		    totals_may_be_less(print) ? "; that of total may be less than self" : "");
	of_view(print, &to);
	of_length(print, &to);
}
