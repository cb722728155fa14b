/* The data of the page (page.html, *.js): JSON, schema proftap-page-1. Names end in their unit where it is fixed (_ns);
 * what is not known is null. Functions and spans are named by their index in "functions". Pure. */
#ifndef PT_REPORT_PAGE_DATA_H
#define PT_REPORT_PAGE_DATA_H

#include <jansson.h>

#include "base/error.h"
#include "report/shared/pool.h"
#include "report/table/query.h"
#include "report/table/view.h"
#include "trace/loss.h"

struct pt_profile;

/* Names, each once: { "name", "irq" }. */
struct pt_page_names {
	struct pt_pool pool;
	struct pt_pool_map map;
	struct pt_pool_list list;
	json_t *array;
};

/* The index of a name; exception: it is a handler's. The text lives as long as the names. */
size_t pt_page_name(struct pt_page_names *names, const char *name, bool exception);

/* "lost", "unobserved" or "asleep": how it is drawn. */
const char *pt_page_loss_kind(enum pt_loss cause);

/* All of it; NULL with err. view is the table that is shown first, in the order and with the rows of query. */
json_t *pt_page_data(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_err *err);

/* --- its parts, a file each */

/* [{ "name", "help", "columns": [{ "key", "title", "unit", "rank" }], "rows", "of": rows that there are, "notes" }].
 * A cell is null, a text, [text, indent], or [number, as people read it, lower limit, upper limit]. */
json_t *pt_page_tables(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		       struct pt_err *err);
/* Puts what each address says, by the program's bytes, behind the first column: of the table of instructions. */
void pt_page_add_code(json_t *table, const struct pt_profile *profile);
/* { "unit", "name", "parent", "self", "count" }: columns by node; a parent comes before its children; the root has
 * parent -1, and name -1 is a caller that was not seen. NULL: nothing is known of chains. */
json_t *pt_page_tree(const struct pt_profile *profile, struct pt_page_names *names);
/* See page_timeline.c; { "missing": why } where there is none. */
json_t *pt_page_timeline(const struct pt_profile *profile, struct pt_page_names *names);

#endif
