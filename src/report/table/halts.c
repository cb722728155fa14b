#include "report/table/halts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/params.h"
#include "report/table/units.h"

#define MUCH_LONGER 1.1		/* than the requested time: the report says why */

static bool halts_to_read(const char *mode)
{
	return strcmp(mode, "halt") == 0;
}

static uint64_t sampling_ns(const struct pt_cost *cost)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < cost->n_parts; i++)
		ns += cost->part[i].sampling.ns;
	return ns;
}

/* Includes setting up and restoring. */
static uint64_t cost_ns(const struct pt_cost *cost)
{
	uint64_t ns = sampling_ns(cost);

	for (size_t i = 0; i < cost->n_parts; i++)
		ns += cost->part[i].setup.ns;
	return ns;
}

static uint64_t account_ns(const struct pt_loss_sum *account, const char *mode)
{
	return account->by[PT_LOSS_HALTED].ns + (halts_to_read(mode) ? account->by[PT_LOSS_DRAIN].ns : 0);
}

static void add_halted(struct pt_halts *halts, uint64_t ns)
{
	halts->ns = ns > halts->ns ? ns : halts->ns;
}

/* As measured; an older capture has only the account of time. */
static double source_part(const struct pt_profile_source *s)
{
	uint64_t ns = sampling_ns(&s->cost), of_ns = s->cost.time_ns;

	if (halts_to_read(s->mode) && s->cost.n_parts == 0) {
		ns = s->loss.by[PT_LOSS_DRAIN].ns;
		of_ns = s->loss.total_ns;
	}
	return of_ns != 0 ? (double)ns / (double)of_ns : 0;
}

static void add_source(struct pt_halts *halts, const struct pt_profile_source *s)
{
	for (size_t i = 0; i < s->cost.n_parts; i++)
		halts->by_source |= s->cost.part[i].sampling.n > 0;
	halts->by_source |= halts_to_read(s->mode);
	halts->unknown |= s->cost.damaged;
	halts->source_part = fmax(halts->source_part, source_part(s));
	add_halted(halts, cost_ns(&s->cost));
}

struct pt_halts pt_halts_of(const struct pt_profile *p)
{
	bool measured = p->n_sources > 0 && p->sources[0].cost.n_parts > 0;
	struct pt_halts halts = { .by_source = halts_to_read(p->mode) };
	const struct pt_loss_sum *account;

	halts.by_source |= !measured && strncmp(p->cost, "INTRUSIVE", 9) == 0;
	for (size_t i = 0; i < p->n_sources; i++)
		add_source(&halts, &p->sources[i]);
	for (size_t i = 0; (account = pt_profile_account(p, i)) != NULL; i++)
		add_halted(&halts, account_ns(account, i < p->n_sources ? p->sources[i].mode : p->mode));
	return halts;
}

const char *pt_halts_cause(const struct pt_profile *p, enum pt_loss cause)
{
	return cause == PT_LOSS_DRAIN && pt_halts_of(p).by_source ? "halted to read" : pt_loss_name(cause);
}

/* The time in the words of profile start; 0: none. */
static uint64_t asked_ns(const struct pt_profile *p)
{
	const char *word = strstr(p->words, "for=");
	struct pt_err err;
	char time[32];
	uint64_t ns;

	if (word == NULL || (word != p->words && word[-1] != ' '))
		return 0;
	word += strlen("for=");
	snprintf(time, sizeof(time), "%.*s", (int)strcspn(word, " "), word);
	return pt_params_parse_seconds(time, &ns, &err) == 0 ? ns : 0;
}

bool pt_halts_longer(const struct pt_profile *p, char *out, size_t room)
{
	struct pt_halts halts = pt_halts_of(p);
	uint64_t asked = asked_ns(p), run = pt_profile_run_ns(p), halted = halts.ns;
	char asked_text[32], because[32];

	if (asked == 0 || halts.unknown || p->no_clock || (double)run < MUCH_LONGER * (double)asked)
		return false;
	pt_print_ns(asked_text, sizeof(asked_text), asked, " ");
	pt_print_ns(because, sizeof(because), halted > 0 ? halted : run - asked, " ");
	if (halted == 0)
		snprintf(out, room, "Longer than the %s that were asked for, as starting and ending took %s",
			 asked_text, because);
	else
		snprintf(out, room, "Longer than the %s that were asked for, as the core was halted for at most %s%s",
			 asked_text, because, run - asked > halted ? ", and starting and ending took the rest" : "");
	return true;
}

/* Other sources have other reasons why neither end of a burst is random. */
bool pt_halts_began_bursts(const struct pt_profile *p)
{
	return p->bursts_unchosen > 0 && strcmp(p->source, "mtb") == 0 && strcmp(p->mode, "burst") == 0;
}
