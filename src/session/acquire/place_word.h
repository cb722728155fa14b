/* Names of the program in settings of sources, which take numbers. */
#ifndef PT_SESSION_PLACE_WORD_H
#define PT_SESSION_PLACE_WORD_H

#include "base/params.h"
#include "program/model/program.h"

/* word as the source takes it, into out: where a row of its key is a PLACE, a name is replaced by its address, that of a
 * variable with its size ("write:state=3": "write:0x1ffff010/1=3"). program may be NULL. PT_EARG: the program has no such
 * name; the sentence says what there is. */
int pt_place_word(const struct pt_program *program, const struct pt_param *rows, size_t n_rows, const char *word,
		  char *out, size_t size, struct pt_err *err);

#endif
