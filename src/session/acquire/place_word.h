/* Replaces names of the program in settings of sources by addresses. */
#ifndef PT_SESSION_PLACE_WORD_H
#define PT_SESSION_PLACE_WORD_H

#include "base/params.h"
#include "program/model/program.h"

/* Writes word to out as the source takes it: if the row of its key is a PLACE, a name becomes its address, and for an
 * access to a variable also its size ("write:state=3": "write:0x1ffff010/1=3"). program may be NULL. PT_EARG: the
 * program has no such name. */
int pt_place_word(const struct pt_program *program, const struct pt_param *rows, size_t n_rows, const char *word,
		  char *out, size_t size, struct pt_err *err);

#endif
