/* Schema proftap-profile-1 (doc/proftap-profile-1.schema.json): one object with the facts and every view as an array of
 * objects. A column key with a point is an object inside. Unknown values are null; a table whose analysis was not
 * selected is missing. Ticks are on the clock that "clock" names. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/profile.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/calls/timeline.h"
#include "report/table/facts.h"
#include "report/table/origin.h"
#include "report/views/views.h"
#include "report/table/format.h"
#include "report/text/details.h"
#include "report/shared/json_values.h"
#include "base/util.h"
#include "report/table/order.h"
#include "report/views/views.h"

extern const struct pt_format pt_format_json;

#define WHOLE_BELOW 0x1p53	/* a double represents every whole number up to here */

static json_t *basis(enum pt_basis b)
{
	static const char *const names[] = { NULL, "exact", "modelled", "estimated" };

	return b < PT_LEN(names) ? pt_json_text(names[b]) : json_null();
}

/* The share of all time asleep; with one core only, because several cores sleep at different times. */
static json_t *asleep(const struct pt_profile *p)
{
	const struct pt_share *s = p->n_cores == 1 && p->core[0].windowed ? &p->core[0].asleep : NULL;

	return s != NULL ? json_pack("{s:f,s:[f,f]}", "share", s->share, "ci95", s->lo, s->hi) : json_null();
}

/* --- rows */

static json_t *value_of(const struct pt_column *column, const struct pt_value *value)
{
	if (column->unit == PT_UNIT_NONE)
		return pt_json_text(value->text);
	if (value->undecided_ns != 0 || value->at_least)
		return json_null();
	if (column->unit == PT_UNIT_REAL && value->f == trunc(value->f) && fabs(value->f) < WHOLE_BELOW)
		return json_integer((json_int_t)value->f);	/* with all digits */
	if (pt_unit_is_real(column->unit))
		return pt_json_real(value->f);
	return pt_json_number(value->u);
}

/* Puts a value under "a.b" as { "a": { "b": ... } }. */
static void put(json_t *object, const char *key, json_t *value)
{
	const char *dot = strchr(key, '.');
	char outer[48];
	json_t *inner;

	if (dot == NULL || (size_t)(dot - key) >= sizeof(outer)) {
		json_object_set_new(object, key, value);
		return;
	}
	memcpy(outer, key, (size_t)(dot - key));
	outer[dot - key] = '\0';
	inner = json_object_get(object, outer);
	if (!json_is_object(inner)) {
		inner = json_object();
		json_object_set_new(object, outer, inner);
	}
	json_object_set_new(inner, dot + 1, value);
}

static bool has_interval(const struct pt_column *column, const struct pt_value *value)
{
	return value->basis == PT_BASIS_ESTIMATED && (!value->at_least || value->bounds) &&
	       (column->unit == PT_UNIT_SHARE || (column->unit != PT_UNIT_NONE && value->hi > value->lo));
}

static void put_limits(json_t *object, const struct pt_column *column, const struct pt_value *value, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", column->key, what);
	put(object, key, value->hi > value->lo ? json_pack("[f,f]", value->lo, value->hi) : json_null());
}

static json_t *row_of(const struct pt_view *view, const struct pt_value *values)
{
	json_t *object = json_object();
	char key[64];

	for (size_t c = 0; c < view->n_columns; c++) {
		const struct pt_column *column = &view->columns[c];

		put(object, column->key, value_of(column, &values[c]));
		if (values[c].at_least) {
			snprintf(key, sizeof(key), "%s_at_least", column->key);
			put(object, key,
			    pt_unit_is_real(column->unit) ? pt_json_real(values[c].f) : pt_json_number(values[c].u));
		}
		if (values[c].undecided_ns != 0) {
			snprintf(key, sizeof(key), "%s_undecided_ns", column->key);
			put(object, key, pt_json_number(values[c].undecided_ns));
		}
		if (!has_interval(column, &values[c]))
			continue;
		put_limits(object, column, &values[c], "ci95");
		if (values[c].bounds)	/* and with their former name */
			put_limits(object, column, &values[c], "bounds");
	}
	return object;
}

static json_t *rows_of(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query)
{
	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	json_t *array = json_array();
	size_t *rows = NULL, n = 0;

	if (pt_report_order(p, view, query, &rows, &n, NULL) == 0)
		for (size_t r = 0; r < n; r++) {
			pt_report_row(p, view, rows[r], values);
			json_array_append_new(array, row_of(view, values));
		}
	free(values);
	free(rows);
	return array;
}

/* --- facts */

static json_t *elf(const struct pt_profile *p)
{
	static const char *const checks[] = {
		[PT_ELF_UNSAID] = "unknown",
		[PT_ELF_SAME] = "same",
		[PT_ELF_DIFFERS] = "different",
		[PT_ELF_UNKNOWN] = "unknown",
		[PT_ELF_OTHER] = "unknown",
	};
	json_t *object;

	if (p->program == NULL)
		return json_null();
	object = json_object();
	json_object_set_new(object, "path", pt_json_text(pt_program_path(p->program)));
	json_object_set_new(object, "build_id", pt_json_text(pt_program_build_id(p->program)));
	if (pt_program_debug_path(p->program) != NULL)
		json_object_set_new(object, "debug_path", pt_json_text(pt_program_debug_path(p->program)));
	if (pt_program_warning(p->program) != NULL)
		json_object_set_new(object, "warning", pt_json_text(pt_program_warning(p->program)));
	json_object_set_new(object, "chip_holds", json_string(checks[p->elf_check]));
	json_object_set_new(object, "compared_bytes",
			    p->elf_bytes == 0 ? json_null() : pt_json_number(p->elf_compared));
	json_object_set_new(object, "bytes", p->elf_bytes == 0 ? json_null() : pt_json_number(p->elf_bytes));
	json_object_set_new(object, "differs_at",
			    p->elf_check == PT_ELF_DIFFERS ? pt_json_number(p->elf_differs_at) : json_null());
	return object;
}

/* The names of figures that do not include the time asleep in between. */
static json_t *awake_only(const struct pt_profile *p)
{
	static const char *const groups[] = { "period", "call", "inactive" };
	json_t *array = json_array();

	for (size_t i = 0; p->awake_only && i < PT_LEN(groups); i++)
		json_array_append_new(array, json_string(groups[i]));
	return array;
}

static json_t *clock_of(const struct pt_profile *p)
{
	const char *name = p->no_code ? "stamps" : p->by_instructions ? "instructions" : "cycles";
	bool cycles = !p->no_code && !p->by_instructions;
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(name));
	json_object_set_new(object, "hz", !cycles || p->core_hz == 0 ? json_null() : pt_json_number(p->core_hz));
	json_object_set_new(object, "hz_least",
			    p->clock_least_hz == 0 ? json_null() : pt_json_number(p->clock_least_hz));
	json_object_set_new(object, "hz_most", p->clock_most_hz == 0 ? json_null() : pt_json_number(p->clock_most_hz));
	json_object_set_new(object, "model", !cycles || p->program == NULL ? json_null() : pt_json_text(p->timing));
	json_object_set_new(object, "awake_only", awake_only(p));
	return object;
}

/* Events and bytes of several sources add up; their times do not, because they are about the same run. */
static json_t *loss(const struct pt_loss_sum *sum, bool of_several)
{
	json_t *array = json_array();

	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
		json_t *object;

		if (sum->by[cause].events == 0 && sum->by[cause].ns == 0)
			continue;
		object = json_object();
		json_object_set_new(object, "cause", json_string(pt_loss_name((enum pt_loss)cause)));
		json_object_set_new(object, "fault", json_boolean(pt_loss_is_fault((enum pt_loss)cause)));
		if (pt_loss_advice((enum pt_loss)cause) != NULL)
			json_object_set_new(object, "advice", json_string(pt_loss_advice((enum pt_loss)cause)));
		json_object_set_new(object, "events", pt_json_number(sum->by[cause].events));
		json_object_set_new(object, "bytes",
				    pt_json_number(sum->unsized[cause] > 0 ? PT_UNKNOWN : sum->by[cause].bytes));
		if (sum->unsized[cause] > 0)
			json_object_set_new(object, "bytes_at_least", pt_json_number(sum->by[cause].bytes));
		json_object_set_new(object, "ns",
				    pt_json_number(of_several || pt_loss_is_untimed(sum, cause) ? PT_UNKNOWN
												: sum->by[cause].ns));
		json_array_append_new(array, object);
	}
	return array;
}

/* The account of time; unknown without a clock. If the observed time is an upper bound, the unobserved one is a lower
 * bound, and neither is written as a number. */
static void account(json_t *object, const struct pt_loss_sum *loss, uint64_t mismatch_ns, bool no_clock, bool is_bound)
{
	bool untimed = pt_loss_any_untimed(loss);
	const struct { const char *key; uint64_t ns; } rows[] = {
		{ "observed_ns", is_bound ? PT_UNKNOWN : loss->observed_ns },
		{ "unobserved_ns", is_bound ? PT_UNKNOWN : loss->unobserved_ns },
		{ "lost_ns", untimed ? PT_UNKNOWN : loss->lost_ns },
		{ "total_ns", loss->total_ns }, { "mismatch_ns", mismatch_ns },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		json_object_set_new(object, rows[i].key, pt_json_number(no_clock ? PT_UNKNOWN : rows[i].ns));
	if (is_bound && !no_clock) {
		json_object_set_new(object, "observed_ns_at_most", pt_json_number(loss->observed_ns));
		json_object_set_new(object, "unobserved_ns_at_least", pt_json_number(loss->unobserved_ns));
	}
	if (untimed && !no_clock)
		json_object_set_new(object, "lost_ns_at_least", pt_json_number(loss->lost_ns));
}

/* With several sources: the length of the run; the observed times are in the accounts of the sources. */
static void run_time(json_t *object, const struct pt_profile *p)
{
	const struct pt_loss_sum all = {
		.total_ns = pt_profile_run_ns(p), .observed_ns = PT_UNKNOWN, .unobserved_ns = PT_UNKNOWN,
		.lost_ns = PT_UNKNOWN,
	};

	account(object, &all, p->mismatch_ns, p->no_clock, p->observed_is_bound);
}

static json_t *source_of(const struct pt_profile *p, const struct pt_profile_source *s)
{
	json_t *object = json_object();
	char ignored[200];

	json_object_set_new(object, "source", pt_json_text(s->source));
	json_object_set_new(object, "mode", pt_json_text(s->mode));
	json_object_set_new(object, "format", pt_json_text(s->format));
	json_object_set_new(object, "number", pt_json_number(s->number));
	json_object_set_new(object, "core", pt_json_number(s->core));
	json_object_set_new(object, "observed_is_bound", json_boolean(s->observed_is_bound));
	if (s->observed_is_bound)
		json_object_set_new(object, "observed_bound_reason",
				    json_string(pt_bound_reason(s->mode, s->triggered, &s->loss)));
	account(object, &s->loss, s->mismatch_ns, s->no_clock, s->observed_is_bound);
	json_object_set_new(object, "loss", loss(&s->loss, false));
	json_object_set_new(object, "branches", pt_json_number(s->branches));
	json_object_set_new(object, "samples", pt_json_number(s->samples));
	json_object_set_new(object, "values", pt_json_number(s->values));
	json_object_set_new(object, "looks", pt_json_number(s->looks));
	json_object_set_new(object, "in_functions", json_boolean(s->ignored == PT_SOURCE_USED));
	json_object_set_new(object, "ignored",
			    pt_ignored_reason(p, s, ignored, sizeof(ignored)) ? pt_json_text(ignored) : json_null());
	json_object_set_new(object, "ended", json_boolean(s->ended));
	if (s->link_of_ns != 0)
		json_object_set_new(object, "link_share", pt_json_real((double)s->link_ns / (double)s->link_of_ns));
	return object;
}

/* Only with several sources: the fields around this are those of a single one. */
static void sources(json_t *object, const struct pt_profile *p)
{
	json_t *array;

	if (p->n_sources < 2)
		return;
	array = json_array();
	for (size_t i = 0; i < p->n_sources; i++)
		json_array_append_new(array, source_of(p, &p->sources[i]));
	json_object_set_new(object, "sources", array);
	json_object_set_new(object, "out_of_order", pt_json_number(p->out_of_order));
	json_object_set_new(object, "sources_refused", pt_json_number(p->sources_refused));
	json_object_set_new(object, "events_dropped", pt_json_number(0));	/* a key of earlier versions */
}

/* Present if figures are based on assumptions that no manual confirms. */
static void assumed(json_t *object, const struct pt_profile *p)
{
	json_t *array = json_array();

	for (size_t i = 0; i < p->n_sources; i++)
		if (p->sources[i].assumed[0] != '\0')
			json_array_append_new(array, pt_json_text(p->sources[i].assumed));
	if (json_array_size(array) > 0)
		json_object_set(object, "assumed", array);
	json_decref(array);
}

/* If there are samples and bursts: from which of them the shares of each table come. */
static void shares_from(json_t *object, const struct pt_profile *p)
{
	json_t *from = json_object();

	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (pt_shares_from(p, pt_views[i]->name) != NULL)
			json_object_set_new(from, pt_views[i]->name, json_string(pt_shares_from(p, pt_views[i]->name)));
	if (json_object_size(from) > 0)
		json_object_set(object, "shares_from", from);
	json_decref(from);
	if (pt_totals_are_of_recorded(p))
		json_object_set_new(object, "totals_of", json_string("recorded"));
}

/* Only with several cores: the fields around this are those of a single one. */
static void cores(json_t *object, const struct pt_profile *p)
{
	json_t *array;

	if (p->n_cores < 2)
		return;
	array = json_array();
	for (size_t i = 0; i < p->n_cores; i++) {
		const struct pt_profile_core *c = &p->core[i];

		json_array_append_new(array, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "core", (int)c->core,
						       "branches", pt_json_number(c->branches), "instructions",
						       pt_json_number(c->instructions), "cycles",
						       pt_json_number(p->timing != NULL || p->by_bins ? c->cycles
												      : PT_UNKNOWN),
						       "samples", pt_json_number(c->samples), "bursts",
						       pt_json_number(c->bursts), "bursts_used",
						       pt_json_number(c->bursts_used)));
	}
	json_object_set_new(object, "cores", array);
}

static json_t *errors(const struct pt_profile *p)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		if (p->errors.n[i] != 0)
			json_array_append_new(array, json_pack("{s:s,s:I}", "error",
							       pt_execution_error_name((enum pt_execution_error)i),
							       "count", (json_int_t)p->errors.n[i]));
	return array;
}

static void halts(json_t *object, const char *prefix, const struct pt_cost_halts *h)
{
	const struct { const char *name; uint64_t n; } rows[] = {
		{ "halts", h->n }, { "halted_ns", h->ns }, { "shortest_halt_ns", h->shortest_ns },
		{ "longest_halt_ns", h->longest_ns },
	};
	char key[32];

	/* without the extremes of setting up, which no capture contains */
	for (size_t i = 0; i < (prefix[0] == '\0' ? PT_LEN(rows) : 2); i++) {
		snprintf(key, sizeof(key), "%s%s", prefix, rows[i].name);
		json_object_set_new(object, key, pt_json_number(rows[i].n));
	}
}

/* The overhead as a sentence, and as the sources measured it, for each access method. */
static void costs(json_t *object, const struct pt_profile *p)
{
	json_t *array = json_array();
	struct pt_text line = { 0 };

	pt_overhead_line(p, &line);
	json_object_set_new(object, "target_cost", pt_json_text(line.bytes != NULL ? line.bytes : ""));
	pt_text_free(&line);
	for (size_t i = 0; i < p->n_sources; i++)
		for (size_t k = 0; k < p->sources[i].cost.n_parts; k++) {
			const struct pt_cost_part *part = &p->sources[i].cost.part[k];
			json_t *row = json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "source",
						pt_json_text(p->sources[i].source), "core", (int)p->sources[i].core,
						"way", pt_json_text(part->way), "samples",
						pt_json_number(part->samples), "packets", pt_json_number(part->packets),
						"time_ns", pt_json_number(p->sources[i].cost.time_ns));

			halts(row, "", &part->sampling);
			halts(row, "setup_", &part->setup);
			json_array_append_new(array, row);
		}
	json_object_set_new(object, "cost_measured", array);
}

static json_t *origin(const struct pt_profile *p)
{
	struct pt_text command = { 0 };
	json_t *made;
	bool known;

	if (p->version[0] == '\0')
		return json_null();
	known = pt_origin_command(p, &command);
	made = json_pack("{s:o, s:o, s:o, s:o}", "version", pt_json_text(p->version), "seed", pt_json_number(p->seed),
			 "words", pt_json_text(p->words), "command", known ? pt_json_text(command.bytes) : json_null());
	pt_text_free(&command);
	return made;
}

static json_t *may_lack(const char *text)
{
	return text[0] != '\0' ? pt_json_text(text) : json_null();
}

static void facts(json_t *object, const struct pt_profile *p)
{
	json_object_set_new(object, "schema", json_string("proftap-profile-1"));
	json_object_set_new(object, "target", pt_json_text(p->target));
	json_object_set_new(object, "probe", pt_json_text(p->probe));
	json_object_set_new(object, "elf", elf(p));
	json_object_set_new(object, "elf_unread", may_lack(p->elf_unread));
	json_object_set_new(object, "virtual", json_boolean(p->from_virtual));
	json_object_set_new(object, "source", pt_json_text(p->source));
	json_object_set_new(object, "fallback", may_lack(p->fallback));
	json_object_set_new(object, "mode", pt_json_text(p->mode));
	json_object_set_new(object, "analysis", pt_json_text(p->analysis));
	json_object_set_new(object, "exactness", basis(pt_profile_weakest(p)));
	json_object_set_new(object, "count_exactness",
			    basis(pt_counters_are_rough(p->counters) ? PT_BASIS_ESTIMATED : p->counts));
	json_object_set_new(object, "time_exactness", basis(p->times));
	json_object_set_new(object, "share_exactness", basis(p->shares));
	json_object_set_new(object, "incomplete", pt_json_text(p->incomplete));
	json_object_set_new(object, "contradiction", pt_json_text(p->contradiction));
	json_object_set_new(object, "clock", clock_of(p));
	costs(object, p);
	json_object_set_new(object, "made_by", origin(p));
	json_object_set_new(object, "buffer",
			    p->buffer_bytes == 0
				    ? json_null()
				    : json_pack("{s:I, s:I, s:b}", "address", (json_int_t)p->buffer_addr, "bytes",
						(json_int_t)p->buffer_bytes, "in_use", p->buffer_in_use));
	json_object_set_new(object, "ended", json_boolean(p->ended));
	json_object_set_new(object, "cut_short", json_boolean(p->no_end));
}

/* The parts of the OS that cannot be followed, with reasons. */
static json_t *task_notes(const struct pt_profile *p)
{
	json_t *array = json_array();

	for (size_t i = 0; p->task_note[i][0] != '\0'; i++)
		json_array_append_new(array, pt_json_text(p->task_note[i]));
	return array;
}

static void figures(json_t *object, const struct pt_profile *p)
{
	json_object_set_new(object, "observed_is_bound", json_boolean(p->observed_is_bound));
	if (p->observed_is_bound)
		json_object_set_new(object, "observed_bound_reason",
				    json_string(pt_bound_reason(p->mode, p->triggered, &p->loss)));
	if (p->n_sources > 1)
		run_time(object, p);
	else
		account(object, &p->loss, p->mismatch_ns, p->no_clock, p->observed_is_bound);
	json_object_set_new(object, "loss", loss(&p->loss, p->n_sources > 1));
	sources(object, p);
	cores(object, p);
	shares_from(object, p);
	assumed(object, p);
	json_object_set_new(object, "samples", pt_json_number(p->samples));
	json_object_set_new(object, "samples_asleep", pt_json_number(p->samples_asleep));
	json_object_set_new(object, "sleep_counted", json_boolean(p->sleep_counted));
	json_object_set_new(object, "samples_refused", pt_json_number(p->samples_refused));
	if (p->sampled_by[0] != '\0') {
		json_object_set_new(object, "sampled_by", pt_json_text(p->sampled_by));
		json_object_set_new(object, "sampled_every", pt_json_number(p->sampled_every));
	}
	json_object_set_new(object, "samples_effective",
			    p->samples_effective > 0 ? pt_json_real(p->samples_effective) : json_null());
	json_object_set_new(object, "branches", pt_json_number(p->branches));
	json_object_set_new(object, "instructions", pt_json_number(p->instructions));
	if (p->turns_uncounted)
		json_object_set_new(object, "instructions_at_least", json_true());
	json_object_set_new(object, "cycles", pt_json_number(p->timing != NULL ? p->cycles : PT_UNKNOWN));
	json_object_set_new(object, "asleep_share", asleep(p));
	json_object_set_new(object, "bursts",
			    json_pack("{s:I,s:I,s:I,s:I,s:I}", "all", (json_int_t)p->bursts, "used",
				      (json_int_t)p->bursts_used, "began_asleep", (json_int_t)p->bursts_asleep,
				      "cut_short", (json_int_t)p->bursts_cut_short, "cycles",
				      (json_int_t)p->burst_cycles));
	if (p->bursts_unchosen > 0)
		json_object_set_new(json_object_get(object, "bursts"), "unchosen", pt_json_number(p->bursts_unchosen));
	json_object_set_new(object, "unseen_share_max", p->unseen.hi > 0 ? pt_json_real(p->unseen.hi) : json_null());
	json_object_set_new(object, "not_code", pt_json_number(p->not_code));
	if (p->doubtful_silent + p->doubtful_recorded > 0)
		json_object_set_new(object, "doubtful_jumps",
				    json_pack("{s:o, s:o}", "not_in_trace", pt_json_number(p->doubtful_silent),
					      "in_trace", pt_json_number(p->doubtful_recorded)));
	json_object_set_new(object, "errors", errors(p));
	if (p->timeline != NULL)
		json_object_set_new(object, "timeline_events",
				    json_pack("{s:o, s:o}", "all", pt_json_number(p->timeline->seen), "kept",
					      pt_json_number(p->timeline->n)));
	if (p->task_note != NULL && p->task_note[0][0] != '\0')
		json_object_set_new(object, "task_notes", task_notes(p));
}

/* Puts the rows under the view's name, or under NAME_rows if a fact has this name: "instructions" is the number of
 * executed ones in each report. */
static void put_rows(json_t *object, const struct pt_view *view, json_t *rows)
{
	char key[40];

	snprintf(key, sizeof(key), "%s%s", view->name, json_object_get(object, view->name) != NULL ? "_rows" : "");
	json_object_set_new(object, key, rows);
}

static int write_json(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	const struct pt_query plain = { .top = 0 };
	json_t *object = json_object();

	facts(object, profile);
	figures(object, profile);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (pt_views[i]->n_rows(profile) != (size_t)PT_NOT_MADE && (!pt_views[i]->bulky || pt_views[i] == view))
			put_rows(object, pt_views[i],
				 rows_of(profile, pt_views[i], pt_views[i] == view ? query : &plain));
	return pt_json_write(out, object, err);
}

const struct pt_format pt_format_json = { .name = "json", .suffix = ".json", .help = "everything, schema proftap-profile-1",
					  .write = write_json };
