/* The data of the page (page.html, *.js): JSON, schema proftap-page-1. Names end with their unit if it is fixed (_ns);
 * unknown values are null. Functions and spans are named by their index in "functions". Pure. */
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

/* Returns the index of a name, and adds it if it is new; exception: it is a handler. The text lives as long as the
 * names. */
size_t pt_page_name(struct pt_page_names *names, const char *name, bool exception);

/* "lost", "unobserved" or "asleep": decides how it is drawn. */
const char *pt_page_loss_kind(enum pt_loss cause);

/* The whole data; NULL with err. view: shown first, with the order and rows of query. */
json_t *pt_page_data(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_err *err);

/* --- its parts, a file each */

/* [{ "name", "help", "columns": [{ "key", "title", "unit", "rank" }], "rows", "of": number of all rows, "notes" }]. A
 * cell is null, a text, [text, indent], or [number, text for people, lower limit, upper limit]. */
json_t *pt_page_tables(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		       struct pt_err *err);
/* For the table of instructions: inserts the disassembly of each address after the first column. */
void pt_page_add_code(json_t *table, const struct pt_profile *profile);
/* { "unit", "name", "parent", "self", "count" }: one array per column, indexed by node; a parent comes before its
 * children; the root has parent -1, and name -1 is a caller that was not seen. NULL: chains of calls are not known. */
json_t *pt_page_tree(const struct pt_profile *profile, struct pt_page_names *names);
/* See page_timeline.c; { "missing": why } without a timeline. */
json_t *pt_page_timeline(const struct pt_profile *profile, struct pt_page_names *names);

#endif
