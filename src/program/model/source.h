/* Source text, for annotated listings: files found by the paths that DWARF has, by substituted ones, or in folders that
 * the user names. A file is read when its first line is requested. One thread at a time; the caller frees only the
 * struct. */
#ifndef PT_PROGRAM_SOURCE_H
#define PT_PROGRAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Limits: larger files are not taken for source; all files together are at most the second. */
enum { PT_SOURCE_MAX_FILE_BYTES = 8 << 20, PT_SOURCE_MAX_BYTES = 256 << 20 };

struct pt_sources;

/* places: comma-separated "FROM:TO" (a path that begins with the folder FROM is looked up in the folder TO instead, the
 * first that fits) and "DIR" (a folder where files are looked up with as many of their last path components as are
 * there: DIR/drivers/uart.c before DIR/uart.c). NULL: DWARF's paths only. PT_EARG: an invalid word. */
struct pt_sources *pt_sources_new(const char *places, struct pt_err *err);
struct pt_program;
/* uses its setting source-path */
struct pt_sources *pt_sources_of(const struct pt_program *program, struct pt_err *err);
void pt_sources_free(struct pt_sources *sources);	/* NULL is fine */

/* Line line (from 1) of the file with this path, without its end: *len_bytes of text, which are not terminated, may
 * hold any byte and live as long as sources. NULL: no such line, or the file is missing. */
const char *pt_source_line(struct pt_sources *sources, const char *path, uint32_t line, size_t *len_bytes);
uint32_t pt_source_n_lines(struct pt_sources *sources, const char *path);	/* 0: empty or missing */
/* Where the file was found; NULL: missing. */
const char *pt_source_found(struct pt_sources *sources, const char *path);
/* Why the file is missing; NULL: it is not. */
const char *pt_source_missing(struct pt_sources *sources, const char *path);

#endif
