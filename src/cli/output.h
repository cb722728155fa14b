/* Shared by subcommands that make a report: which report, and where it is written. */
#ifndef PT_CLI_OUTPUT_H
#define PT_CLI_OUTPUT_H

#include <stdbool.h>

#include "cli/options.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"

/* Reads --format and the words of a query ("calls", "sort=gross", "top=10"). PT_EARG. */
int pt_output_query(struct pt_query *query, const struct pt_options *options, const char *const *words, size_t n_words,
		    struct pt_err *err);

/* Is this argument the name of a capture (capture/capture.h)? */
bool pt_output_is_capture(const char *path);

/* If standard output is a terminal: its width, and whether it shows colour and characters beyond ASCII. */
void pt_output_fit_terminal(struct pt_query *query);

/* Prints lines, wrapped between words if standard output is a terminal that is too narrow. */
void pt_output_lines(const struct pt_text *lines);

/* The setting "analysis=..." with everything needed: from the options, else given before (NULL: the default ones), and
 * what view and format of the query use. To be freed; NULL: not given and not needed, or no memory. */
char *pt_output_analyses(const struct pt_query *query, const struct pt_options *options, const char *before);

/* Checks before the work that --output (NULL or "-": standard output) can be written, and that neither it nor --junit
 * would overwrite a capture; leaves no file behind. Returns an exit status; errors have been printed. */
int pt_output_try(const struct pt_query *query, const struct pt_options *options);
/* Writes the report; to standard output if path cannot be written any more. A format of several files makes path a
 * folder; on standard output it is an archive. Returns an exit status; errors have been printed. */
int pt_output_write(const struct pt_query *query, const char *path, const char *text, size_t len_bytes);

#endif
