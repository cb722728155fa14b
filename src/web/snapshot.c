/* Figures come from the view of functions, as every format has them, so that a metric cannot differ from a report. */
#include "web/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harmless.h"
#include "base/util.h"
#include "profile/result/profile.h"
#include "report/table/order.h"
#include "report/views/views.h"

static void put_text(char *out, size_t room, const char *text)
{
	snprintf(out, room, "%.*s", (int)room - 1, text != NULL && text[0] != '\0' ? text : "(no symbol)");
	pt_harmless(out, "");		/* cut in the middle of a character, too */
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static void put_source(struct pt_web_source *to, const struct pt_profile_source *from)
{
	if (from->core != 0)
		snprintf(to->name, sizeof(to->name), "%.12s core %u", from->source, from->core);
	else
		snprintf(to->name, sizeof(to->name), "%s", from->source);
	to->no_clock = from->no_clock;
	to->is_bound = from->observed_is_bound;
	to->loss = from->loss;
}

static void put_sources(struct pt_web_snapshot *to, const struct pt_profile *profile)
{
	for (size_t i = 0; i < profile->n_sources && i < PT_WEB_SOURCES; i++)
		put_source(&to->source[to->n_sources++], &profile->sources[i]);
	if (profile->n_sources > 0)
		return;
	to->n_sources = 1;		/* a profile made by hand */
	snprintf(to->source[0].name, sizeof(to->source[0].name), "%s", profile->source);
	to->source[0].no_clock = profile->no_clock;
	to->source[0].is_bound = profile->observed_is_bound;
	to->source[0].loss = profile->loss;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static int column_of(const struct pt_view *view, const char *key)
{
	for (size_t i = 0; i < view->n_columns; i++)
		if (strcmp(view->columns[i].key, key) == 0)
			return (int)i;
	return -1;
}

static void put_share(struct pt_web_share *to, const struct pt_value *name, const struct pt_value *share,
		      const struct pt_value *core)
{
	bool interval = share->hi > share->lo && (share->basis == PT_BASIS_ESTIMATED || share->bounds);

	put_text(to->name, sizeof(to->name), name->text);
	to->core = core != NULL && core->u != PT_UNKNOWN ? (uint16_t)core->u : 0;
	to->share = share->at_least ? NAN : share->f;
	to->low = share->at_least ? share->f : interval ? share->lo : NAN;
	to->high = interval && !share->at_least ? share->hi : NAN;
}

static void put_functions(struct pt_web_snapshot *to, const struct pt_profile *profile)
{
	const struct pt_query query = { .sort = "net_share" };
	const struct pt_view *view = pt_view_find("functions");
	int name = column_of(view, "name"), share = column_of(view, "net_share"), core = column_of(view, "core");
	struct pt_value *row = pt_alloc_array(view->n_columns, sizeof(*row));
	size_t *rows = NULL, n = 0;

	to->other = NAN;
	if (pt_report_order(profile, view, &query, &rows, &n, NULL) < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct pt_web_share rest = { .share = NAN };
		bool kept = i < PT_WEB_FUNCTIONS;

		pt_report_row(profile, view, rows[i], row);
		put_share(kept ? &to->function[to->n_functions++] : &rest, &row[name], &row[share],
			  core >= 0 ? &row[core] : NULL);
		if (!kept)
			to->other = i == PT_WEB_FUNCTIONS ? rest.share : to->other + rest.share;
	}
	free(rows);
	free(row);
}

int pt_web_snapshot_take(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err)
{
	struct pt_web_snapshot *to = pt_alloc(sizeof(*to));

	(void)err;
	put_text(to->target, sizeof(to->target), profile->target);
	to->from_virtual = profile->from_virtual;
	to->ended = profile->ended;
	put_sources(to, profile);
	put_functions(to, profile);
	pt_text_bytes(out, to, sizeof(*to));
	free(to);
	return 0;
}
