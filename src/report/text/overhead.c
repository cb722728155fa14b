/* What profiling did to the program: as the sources measured it, else as they announced it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/table/facts.h"
#include "report/text/details.h"
#include "report/table/units.h"

static uint64_t halts_for_samples(const struct pt_cost *cost)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cost->n_parts; i++)
		n += cost->part[i].sampling.n;
	return n;
}

/* "partly" if some samples were taken without a halt. */
static const char *disturbs(const struct pt_cost *cost)
{
	if (halts_for_samples(cost) == 0)
		return "";
	for (size_t i = 0; i < cost->n_parts; i++)
		if (cost->part[i].sampling.n == 0 && cost->part[i].samples > 0)
			return "partly INTRUSIVE: ";
	return "INTRUSIVE: ";
}

static void say_halts(const struct pt_cost_halts *halts, uint64_t time_ns, struct pt_text *out)
{
	char mean[32], least[32], most[32], all[32];

	pt_print_ns(mean, sizeof(mean), halts->ns / halts->n, " ");
	pt_print_ns(least, sizeof(least), halts->shortest_ns, " ");
	pt_print_ns(most, sizeof(most), halts->longest_ns, " ");
	pt_print_ns(all, sizeof(all), time_ns, " ");
	pt_text_add(out, "%" PRIu64 " halt%s of %s", halts->n, halts->n == 1 ? "" : "s", mean);
	if (halts->n > 1)
		pt_text_add(out, " (%s to %s)", least, most);
	if (time_ns != 0)
		pt_text_add(out, ", %.2g %% of %s", 100.0 * (double)halts->ns / (double)time_ns, all);
}

static void say_part(const struct pt_cost_part *part, uint64_t time_ns, struct pt_text *out)
{
	char each[32];

	pt_text_add(out, "%s", part->way);
	if (part->samples > 0 || part->sampling.n > 0 || part->setup.n == 0)
		pt_text_add(out, ", %" PRIu64 " sample%s: ", part->samples, part->samples == 1 ? "" : "s");
	if (part->sampling.n > 0)
		say_halts(&part->sampling, time_ns, out);
	else if (part->samples > 0 || part->setup.n == 0)
		pt_text_add(out, "0 halts");
	if (part->packets > 0 && part->samples > 0)
		pt_text_add(out, ", %.1f packets a sample", (double)part->packets / (double)part->samples);
	if (part->setup.n == 0)
		return;
	pt_print_ns(each, sizeof(each), part->setup.ns / part->setup.n, " ");
	pt_text_add(out, "%s set up and put back by %" PRIu64 " halt%s of %s",
		    part->samples > 0 || part->sampling.n > 0 ? ";" : ":", part->setup.n, part->setup.n == 1 ? "" : "s",
		    each);
}

/* besides: also print facts that have no figure. */
static void say_cost(const struct pt_profile_source *s, bool besides, struct pt_text *out)
{
	pt_text_add(out, "%s", disturbs(&s->cost));
	for (size_t i = 0; i < s->cost.n_parts; i++) {
		pt_text_add(out, "%s", i > 0 ? "; " : "");
		say_part(&s->cost.part[i], s->cost.time_ns, out);
	}
	if (s->cost.damaged)
		pt_text_add(out, "; at least, as the last record of it is damaged");
	if (besides && s->cost_besides[0] != '\0')
		pt_text_add(out, "; %s", s->cost_besides);
}

/* The fact without a figure that all of several sources state in the same words; NULL: none. */
static const char *besides_of_all(const struct pt_profile *p)
{
	const char *first = p->n_sources > 1 ? p->sources[0].cost_besides : "";

	for (size_t i = 0; i < p->n_sources; i++)
		if (p->sources[i].cost.n_parts == 0 || strcmp(p->sources[i].cost_besides, first) != 0)
			return NULL;
	return first[0] != '\0' ? first : NULL;
}

/* A line for each source that measured its overhead; if the first did not, what it announced. */
static bool cost_of(const struct pt_profile *p, size_t i, bool besides, struct pt_text *out)
{
	char name[80];

	if (i < p->n_sources && p->sources[i].cost.n_parts > 0) {
		if (p->n_sources > 1)
			pt_text_add(out, "%s: ", pt_name_source(p, i, name, sizeof(name)));
		say_cost(&p->sources[i], besides, out);
		return true;
	}
	if (i == 0)
		pt_text_add(out, "%s%s", p->cost,
			    p->n_sources > 0 && p->sources[0].cost.damaged
				    ? "; what was measured is lost, as its record is damaged"
				    : "");
	return i == 0 && p->cost[0] != '\0';
}

void pt_details_overhead(const struct pt_profile *p, struct pt_text *out)
{
	const char *besides = besides_of_all(p);
	size_t n = 0;

	for (size_t i = 0; i == 0 || i < p->n_sources; i++) {
		struct pt_text line = { 0 };

		if (cost_of(p, i, besides == NULL, &line)) {
			pt_details_label(out, n++ == 0 ? "overhead" : "");
			pt_text_add(out, "%s\n", line.bytes);
		}
		pt_text_free(&line);
	}
	if (besides != NULL) {
		pt_details_label(out, "");
		pt_text_add(out, "each of them: %s\n", besides);
	}
	if (n == 0) {
		pt_details_label(out, "overhead");
		pt_text_add(out, "not stated\n");
	}
}

void pt_overhead_line(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 0; i == 0 || i < p->n_sources; i++) {
		struct pt_text line = { 0 };

		if (cost_of(p, i, true, &line))
			pt_text_add(out, "%s%s", out->len_bytes > 0 ? "; " : "", line.bytes);
		pt_text_free(&line);
	}
}
