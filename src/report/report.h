/* Rendering: views x formats. Every door (monitor, osdata, vFile, http, command line) parses one query and hands it
 * to the analysis thread, which renders between two chunks. */
#ifndef PT_REPORT_H
#define PT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "report/table/format.h"
#include "report/table/query.h"

/* Parse words such as "calls", "sort=gross", "top=10", "format=json", "from=2ms", "name=uart_*". PT_EARG: the error
 * lists the valid words. Empty names mean the first view, the first format and the view's own order. */
bool pt_query_knows(const char *word); /* whether the word belongs to a query, valid or not: a view's name, or
				        * "sort=...", "top=...", ... */
int pt_query_parse(struct pt_query *query, const char *const *words, size_t n_words, struct pt_err *err);

int pt_report_render(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out,
		     struct pt_err *err);

/* All formats, NULL-terminated, for help and for completeness tests. The first is the default. */
extern const struct pt_format *const pt_formats[];
const struct pt_format *pt_format_find(const char *name);	/* NULL: there is none */
const struct pt_format *pt_format_of_file(const char *path);	/* by the suffix of the name; NULL: no format has it */

#endif
