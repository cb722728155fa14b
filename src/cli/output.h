/* What subcommands that make a report share: which one is asked for, and where it goes. */
#ifndef PT_CLI_OUTPUT_H
#define PT_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/options.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"

/* --format and words of a query ("calls", "sort=gross", "top=10"). PT_EARG. */
int pt_output_query(struct pt_query *query, const struct pt_options *options, const char *const *words, size_t n_words,
		    struct pt_err *err);

/* Is a word of the command line the name of a capture (capture/capture.h)? */
bool pt_output_is_capture(const char *path);

/* Where standard output is a terminal: its columns, whether it shows colour, and signs beyond ASCII. */
void pt_output_fit_terminal(struct pt_query *query);

/* Prints lines, broken between words where standard output is a terminal that they do not fit. */
void pt_output_lines(const struct pt_text *lines);

/* The word "analysis=..." that has all that is wanted: what the options say, else what was given before (NULL: the
 * standard ones), and what view and format of the query are made of. To be freed; NULL: nothing was given and nothing
 * is needed besides, or no memory. */
char *pt_output_analyses(const struct pt_query *query, const struct pt_options *options, const char *before);

/* Whether --output (NULL or "-": standard output) can be written, before anything is done for it, and whether neither it nor
 * --junit is a capture that is to stay; leaves no file behind. An exit status; says why not. */
int pt_output_try(const struct pt_query *query, const struct pt_options *options);
/* Writes the report; to standard output if path cannot be had any more. A format that is a folder makes path one; to
 * standard output it goes as an archive. An exit status; says what went wrong. */
int pt_output_write(const struct pt_query *query, const char *path, const char *text, size_t len_bytes);

#endif
