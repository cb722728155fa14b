/* The facts of the page: the first screen, the account of time, the details. */
#include "report/page/page_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "profile/result/profile.h"
#include "report/shared/json_values.h"
#include "report/table/facts.h"
#include "report/text/details.h"
#include "report/text/headline.h"

size_t pt_page_name(struct pt_page_names *names, const char *name, bool exception)
{
	size_t i = pt_pool_text(&names->pool, &names->map, &names->list, name);

	if (i == json_array_size(names->array))
		json_array_append_new(names->array, json_pack("{s:o}", "name", pt_json_text(name)));
	if (exception)
		json_object_set_new(json_array_get(names->array, i), "irq", json_true());
	return i;
}

const char *pt_page_loss_kind(enum pt_loss cause)
{
	return cause == PT_LOSS_SLEEP ? "asleep" : pt_loss_is_fault(cause) ? "lost" : "unobserved";
}

static json_t *headline_of(const struct pt_profile *p)
{
	json_t *object = json_object();
	struct pt_headline h;

	pt_headline_make(&h, p);
	json_object_set_new(object, "title", pt_json_text(h.line[PT_HEADLINE_TITLE]));
	for (int i = PT_HEADLINE_OBSERVED; i < PT_HEADLINE_LINES; i++)
		json_object_set_new(object,
				    i == PT_HEADLINE_WARNING ? "warning" : pt_headline_label((enum pt_headline_line)i),
				    pt_json_text(h.line[i]));
	return object;
}

static json_t *ns_or_null(const struct pt_profile *p, uint64_t ns)
{
	return pt_json_number(p->no_clock ? PT_UNKNOWN : ns);
}

/* Null for the only source, which needs no name. */
static json_t *source_name(const struct pt_profile *p, size_t i, char *name, size_t size)
{
	return p->n_sources > 1 ? pt_json_text(pt_name_source(p, i, name, size)) : json_null();
}

/* The accounts of time, one per source. */
static json_t *accounts_of(const struct pt_profile *p)
{
	const struct pt_loss_sum *loss;
	json_t *array = json_array();
	char name[64];

	for (size_t i = 0; (loss = pt_profile_account(p, i)) != NULL; i++) {
		bool bound = p->n_sources > i ? p->sources[i].observed_is_bound : p->observed_is_bound;

		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "source",
						source_name(p, i, name, sizeof(name)), "total_ns",
						ns_or_null(p, loss->total_ns), "observed_ns",
						ns_or_null(p, loss->observed_ns), "at_most", (int)bound, "asleep_ns",
						ns_or_null(p, loss->by[PT_LOSS_SLEEP].ns), "unobserved_ns",
						ns_or_null(p, loss->unobserved_ns), "lost_ns",
						ns_or_null(p, pt_loss_any_untimed(loss) ? PT_UNKNOWN : loss->lost_ns)));
	}
	return array;
}

/* The losses of all sources, by cause. */
static json_t *losses_of(const struct pt_profile *p)
{
	const struct pt_loss_sum *loss;
	json_t *array = json_array();
	char name[64];

	for (size_t i = 0; (loss = pt_profile_account(p, i)) != NULL; i++)
		for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
			enum pt_loss c = (enum pt_loss)cause;

			if (loss->by[cause].events == 0 && loss->by[cause].ns == 0)
				continue;
			json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:o}", "cause",
							       pt_loss_name(c), "kind", pt_page_loss_kind(c), "source",
							       source_name(p, i, name, sizeof(name)), "events",
							       pt_json_number(loss->by[cause].events), "ns",
							       ns_or_null(p, pt_loss_is_untimed(loss, cause)
										     ? PT_UNKNOWN
										     : loss->by[cause].ns),
							       "meaning", pt_loss_meaning(c), "advice",
							       pt_json_text(pt_loss_advice(c))));
		}
	return array;
}

static json_t *details_of(const struct pt_profile *p)
{
	struct pt_text text = { 0 };
	json_t *details;

	pt_details_write(p, PT_DETAILS_COLUMNS, &text);
	details = pt_json_text(text.bytes);
	pt_text_free(&text);
	return details;
}

static const char *unit_of(const struct pt_profile *p)
{
	return p->by_instructions ? "instructions" : p->core_hz != 0 || p->no_code ? "ns" : "cycles";
}

static void put_facts(json_t *data, const struct pt_profile *p)
{
	char made[PT_PROFILE_TEXT + 64];

	json_object_set_new(data, "schema", json_string("proftap-page-1"));
	json_object_set_new(data, "made_by", pt_json_text(pt_origin_text(p, made, sizeof(made))));
	json_object_set_new(data, "headline", headline_of(p));
	json_object_set_new(data, "unit", json_string(unit_of(p)));
	json_object_set_new(data, "ns_per_tick",
			    p->core_hz != 0 && !p->by_instructions ? json_real(1e9 / (double)p->core_hz) : json_null());
	json_object_set_new(data, "run_ns", ns_or_null(p, pt_profile_run_ns(p)));
	json_object_set_new(data, "accounts", accounts_of(p));
	json_object_set_new(data, "loss", losses_of(p));
	json_object_set_new(data, "details", details_of(p));
}

json_t *pt_page_data(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		     struct pt_err *err)
{
	struct pt_page_names names = { .array = json_array() };
	json_t *tables = pt_page_tables(p, view, query, err), *data;

	if (tables == NULL) {
		json_decref(names.array);
		return NULL;
	}
	data = json_object();
	put_facts(data, p);
	json_object_set_new(data, "view", json_string(view->name));
	json_object_set_new(data, "tables", tables);
	for (size_t i = 0; i < p->n_irqs; i++)
		if (p->irq[i].function != NULL && p->irq[i].function->function != NULL)
			pt_page_name(&names, p->irq[i].function->function->name, true);
	json_object_set_new(data, "tree", pt_page_tree(p, &names));
	json_object_set_new(data, "timeline", pt_page_timeline(p, &names));
	json_object_set_new(data, "functions", names.array);
	pt_pool_free(&names.pool);
	return data;
}
