/* The clock of one file against the first one's, where sync= found out (importers.h). One thread. */
#ifndef PT_INPUTS_FILE_CLOCK_H
#define PT_INPUTS_FILE_CLOCK_H

#include "base/error.h"
#include "import/importers.h"

struct pt_file_clock;

/* one_anchor: the file's chunks tell its clock once, at its beginning. */
struct pt_file_clock *pt_file_clock_new(const struct pt_inputs_clock *clock, const char *assumed, bool one_anchor);
void pt_file_clock_free(struct pt_file_clock *clock);
void pt_file_clock_shift(struct pt_file_clock *clock, uint64_t ns);	/* all times of the set are so much later */

/* Times of the file become those of the first one; a CONFIG says what that rests on. */
void pt_file_clock_take(struct pt_file_clock *clock, struct pt_chunk *chunk);
/* The chunk that follows the last one, if that needs one more. Sources have the file's own numbers. */
bool pt_file_clock_next(struct pt_file_clock *clock, struct pt_chunk *chunk);

/* "MIN..MAX": times, which may be below 0. */
int pt_file_clock_delay(const char *text, double *least_ns, double *most_ns, struct pt_err *err);

#endif
