/* Rendering: views x formats. Every door (monitor, osdata, vFile, http, command line) parses one query and hands it
 * to the analyst, which renders between two chunks. */
#ifndef PT_REPORT_H
#define PT_REPORT_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "report/table/view.h"

struct pt_profile;

/* What the board knows of a view's rows, to stand beside them as columns of their own: GDB's table of tasks has the
 * tasks as their OS has them now. A row belongs to the view's row that has its name, else to the one that has what
 * it is also called, if it is the only one that is called so. Those that belong to none come last. The caller's,
 * until the report is there. */
enum { PT_BESIDE_COLUMNS = 3 };
struct pt_beside_row { const char *name, *also, *cell[PT_BESIDE_COLUMNS]; };	/* also: NULL: nothing */
struct pt_beside {
	const char *heading[PT_BESIDE_COLUMNS];
	struct pt_beside_row *row;
	size_t n_rows;
};

struct pt_query {
	char view[24];		/* "functions" */
	char format[16];	/* "text" */
	char sort[24];		/* "net" */
	uint32_t top;		/* rows at most; 0 = all */
	bool top_given;		/* somebody said so, be it 0 */
	uint64_t from_ns, to_ns;	/* of the timeline, on the probe's clock; to_ns 0: no end */
	char name[64];		/* rows with this name; a pattern with * and ?; "": all */
	const struct pt_beside *beside;	/* format osdata alone; NULL: nothing */
};

/* Does it ask for a part of a view (struct pt_view, match)? */
static inline bool pt_query_zooms(const struct pt_query *query)
{
	return query->from_ns != 0 || query->to_ns != 0 || query->name[0] != '\0';
}

/* Parse words such as "calls", "sort=gross", "top=10", "format=json", "from=2ms", "name=uart_*". PT_EARG names the
 * right words. Empty names mean the first view, the first format and the view's own order. */
bool pt_query_knows(const char *word);	/* is it for a query, right or wrong: a view's name,
					 * or "sort=...", "top=...", ... */
int pt_query_parse(struct pt_query *query, const char *const *words, size_t n_words, struct pt_err *err);

/* A growing text: the bound keeps a report from eating the machine. */
struct pt_text { char *bytes; size_t len_bytes, room_bytes; bool overflow; };
void pt_text_add(struct pt_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_text_add_list(struct pt_text *text, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
void pt_text_bytes(struct pt_text *text, const void *bytes, size_t len_bytes);
void pt_text_free(struct pt_text *text);

struct pt_format {		/* one file each in report/, one word in the list */
	const char *name, *help;
	const char *needs;	/* analyses that it is made of, "tree,lines"; a verb that writes this format selects
				 * them. NULL: whatever there is */
	bool binary;		/* no text: nothing for a terminal */
	bool folder;		/* what it writes is several files: out is an archive of
				 * them (ustar), which a verb unpacks */
	int (*write)(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err);
};

/* The column a sort word means: its key, "gross" for "gross.total", "max" for the first that ends in it. -1: none. */
int pt_view_column(const struct pt_view *view, const char *word);

/* The column that a table for people shows as its i-th, if it shows it: as they come, but whose core a row is of stands
 * behind its name. */
size_t pt_view_shown_as(const struct pt_view *view, size_t i);

/* PT_ESTATE: the profile was made without what this needs; the sentence says which word to start it with. */
int pt_report_lacks(const char *what, const char *analysis, struct pt_err *err);

/* The rows to show, in the query's order: indices, n of them. Sorted by the query's column, largest first (texts: in
 * order), unknown ones last; by the view's own order without one. PT_EARG: no such column. free() them. */
int pt_report_order(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		    size_t *n, struct pt_err *err);

int pt_report_render(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out,
		     struct pt_err *err);

/* All of them, NULL-terminated, for help and for completeness tests. */
extern const struct pt_view *const pt_views[];
extern const struct pt_format *const pt_formats[];
const struct pt_view *pt_view_find(const char *name);		/* NULL: there is none */
const struct pt_format *pt_format_find(const char *name);

#endif
