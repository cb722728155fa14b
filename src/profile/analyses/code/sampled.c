#include "profile/analyses/code/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"
#include "profile/stats/flat.h"
#include "trace/config.h"

struct source {
	uint16_t number;
	struct pt_flat *flat;		/* NULL: it has given no sample */
	struct pt_sampled_event event;
};

struct ranked { size_t id; uint16_t core; double most; };	/* of a function: its largest part in any event */

struct sampled {
	const struct pt_program *program;
	const struct pt_codemap *map;
	size_t n_ids;
	struct source source[PT_SAMPLED_SOURCES];
	size_t n_sources;
	struct pt_sampled result;
	struct pt_sampled_event events[PT_SAMPLED_SOURCES];
	struct pt_sampled_row *rows;
	struct ranked *ranked;
	size_t room;			/* of rows, and of ranked */
};

static struct source *source_of(struct sampled *s, uint16_t number)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->source[i].number == number)
			return &s->source[i];
	return NULL;
}

static void take_config(void *analysis, uint16_t number, const struct pt_config *config)
{
	struct sampled *s = analysis;
	struct source *of = source_of(s, number);

	if (of == NULL && s->n_sources == PT_SAMPLED_SOURCES)
		return;
	if (of == NULL)
		of = &s->source[s->n_sources++];
	of->number = number;
	pt_config_text(config, "event", of->event.name, sizeof(of->event.name));
	of->event.every = pt_config_number(config, "every", 0);
	if (of->event.name[0] == '\0')
		strcpy(of->event.name, "time");
}

/* Where the flat profile of all samples has its ends, too: two tables of the same samples have the same intervals. */
static void end_batch(void *analysis, uint16_t number)
{
	struct source *of = source_of(analysis, number);

	if (of != NULL && of->flat != NULL)
		pt_flat_end_batch(of->flat);
}

static void take_sample(struct sampled *s, struct source *of, const struct pt_event *e)
{
	const struct pt_code_unit *unit;

	if (of->flat == NULL)
		of->flat = pt_flat_new(s->n_ids);
	of->event.core = e->core;
	if (e->branch.to == PT_UNKNOWN) {
		pt_flat_asleep(of->flat);
	} else {
		unit = pt_codemap_at(s->map, e->branch.to);
		pt_flat_sample(of->flat, unit != NULL ? unit->function : PT_NO_FUNCTION);
	}
}

static void take_events(void *analysis, const struct pt_event *e, const struct pt_timestamp *at, size_t n)
{
	struct sampled *s = analysis;

	(void)at;
	for (; n-- > 0; e++) {
		struct source *of = e->kind == PT_EV_SAMPLE ? source_of(s, e->source) : NULL;

		if (of != NULL)
			take_sample(s, of, e);
	}
}

/* --- result */

static size_t tell_events(struct sampled *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		struct pt_flat_summary summary;

		if (s->source[i].flat == NULL)
			continue;
		summary = pt_flat_summary(s->source[i].flat);
		s->events[n] = s->source[i].event;
		s->events[n].samples = summary.samples - summary.asleep;
		s->events[n++].effective = summary.effective;
	}
	return n;
}

static void make_room(struct sampled *s, size_t n)
{
	if (n <= s->room)
		return;
	s->rows = pt_realloc_array(s->rows, n, sizeof(*s->rows));
	s->ranked = pt_realloc_array(s->ranked, n, sizeof(*s->ranked));
	s->room = n;
}

/* Functions of a core that any event was found in. */
static size_t rank_core(struct sampled *s, uint16_t core, size_t n)
{
	for (size_t id = 0; id < s->n_ids; id++) {
		double most = -1;

		for (size_t i = 0; i < s->n_sources; i++) {
			const struct source *of = &s->source[i];
			double share;

			if (of->flat == NULL || of->event.core != core || pt_flat_samples(of->flat, (uint16_t)id) == 0)
				continue;
			share = pt_flat_share(of->flat, (uint16_t)id).share;
			most = share > most ? share : most;
		}
		if (most >= 0)
			s->ranked[n++] = (struct ranked){ id, core, most };
	}
	return n;
}

static int by_most(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->most != y->most)
		return x->most > y->most ? -1 : 1;
	return x->core != y->core ? (x->core < y->core ? -1 : 1) : x->id < y->id ? -1 : x->id > y->id;
}

static bool is_first_of_core(const struct sampled *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (s->source[k].flat != NULL && s->source[k].event.core == s->source[i].event.core)
			return false;
	return s->source[i].flat != NULL;
}

static void tell_rows(struct sampled *s)
{
	size_t n_ranked = 0, n = 0, n_functions = 0;
	const struct pt_function *functions =
		s->program != NULL ? pt_program_functions(s->program, &n_functions) : NULL;

	for (size_t i = 0; i < s->n_sources; i++)
		if (is_first_of_core(s, i))
			n_ranked = rank_core(s, s->source[i].event.core, n_ranked);
	qsort(s->ranked, n_ranked, sizeof(*s->ranked), by_most);
	for (size_t k = 0; k < n_ranked; k++)
		for (size_t i = 0, event = 0; i < s->n_sources; i++) {
			const struct source *of = &s->source[i];
			uint16_t id = (uint16_t)s->ranked[k].id;

			if (of->flat != NULL && of->event.core == s->ranked[k].core)
				s->rows[n++] = (struct pt_sampled_row){
					.function =
						id != PT_NO_FUNCTION && id <= n_functions ? &functions[id - 1] : NULL,
					.event = event,
					.samples = pt_flat_samples(of->flat, id),
					.share = pt_flat_share(of->flat, id),
				};
			event += of->flat != NULL;
		}
	s->result.n_rows = n;
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct sampled *s = analysis;

	s->result = (struct pt_sampled){ .event = s->events, .n_events = tell_events(s) };
	if (s->result.n_events > 1) {
		make_room(s, s->n_ids * s->result.n_events);
		tell_rows(s);
	}
	s->result.row = s->rows;
	profile->sampled = &s->result;
}

/* --- life */

static void sampled_free(void *analysis)
{
	struct sampled *s = analysis;

	for (size_t i = 0; i < s->n_sources; i++)
		pt_flat_free(s->source[i].flat);
	free(s->rows);
	free(s->ranked);
	free(s);
}

static void *sampled_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	struct sampled *s = pt_alloc(sizeof(*s));

	(void)err;
	s->program = setup->program;
	s->map = setup->map;
	s->n_ids = setup->n_functions;
	return s;
}

const struct pt_analysis pt_analysis_sampled = {
	.name = "sampled", .help = "samples by several events: the functions' part in each", .standard = true,
	.open = sampled_new, .close = sampled_free, .events = take_events, .batch_end = end_batch, .config = take_config,
	.result = give,
};
