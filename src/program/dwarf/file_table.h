/* Tables of source files while they are made, for the readers of DWARF: paths come in by the thousand, mostly the same
 * few, from every unit again. */
#ifndef PT_PROGRAM_FILES_H
#define PT_PROGRAM_FILES_H

#include "program/model/program_parts.h"

/* Room for a path; longer ones are cut in front, where they say least. */
enum { PT_PATH_BYTES = 4096 };

/* path in its plain form: no "//", no "." and, as far as folders stand before it, no "..". */
void pt_path_plain(const char *path, char out[PT_PATH_BYTES]);

struct pt_file_table;

/* Strings go into the arena, which outlives the table. NULL: no memory. */
struct pt_file_table *pt_file_table_new(struct pt_arena *arena);
/* The index of a path in the order of coming; PT_NO_FILE: no memory, or the arena is full. path must keep its address
 * as long as the table lives: it is told by its address where it comes again. */
uint32_t pt_file_table_add(struct pt_file_table *table, const char *path);
const char *pt_file_table_path(const struct pt_file_table *table, uint32_t file);
/* All files with their display names, by path, for the caller to free(); old_to_new (n entries, for the caller to
 * free(), too) turns indices of pt_file_table_add() into those of the result. Frees the table. False: no memory. */
bool pt_file_table_finish(struct pt_file_table *table, struct pt_source_file **files, size_t *n, uint32_t **old_to_new);
void pt_file_table_free(struct pt_file_table *table);	/* NULL is fine */

#endif
