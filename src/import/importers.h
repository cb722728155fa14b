/* Several files as one stream of chunks, in order of time. One thread. */
#ifndef PT_INPUTS_INPUTS_H
#define PT_INPUTS_INPUTS_H

#include "import/importer.h"

enum { PT_INPUTS_MOST = 16, PT_INPUTS_SOURCES = 32 };	/* files; sources in all of them */

struct pt_inputs_set;	/* opaque */

struct pt_inputs_set *pt_inputs_new(pt_input_note note, void *arg);
void pt_inputs_free(struct pt_inputs_set *set);

/* Whether the word "key=value" is a setting of some input: input=, offset=, and the drivers' own. */
bool pt_inputs_know(const char *word);
/* Whether such a word means something to a file that was added. PT_EARG: to none; the sentence says to which it does. */
int pt_inputs_take(const struct pt_inputs_set *set, const char *word, struct pt_err *err);

/* Add a file: "FILE" or "FILE?key=value&key=value"; "-" is standard input. words are for every file that knows them,
 * in front of its own. The kind of file is found out, or named by input=NAME.
 * offset=TIME: how far its beginning lies behind that of the first file, or with a - before it; the first file's clock
 * is everybody's.
 * core=N: at a capture, all of it is of core N; among words, only what its core N did (all: of all of them). Other
 * files are of core N either way.
 * PT_EARG: cannot be opened, of no known kind, a wrong word (each with what would be right); or what open() says. */
int pt_inputs_add(struct pt_inputs_set *set, const char *file, const char *const *words, size_t n_words,
		  struct pt_err *err);

/* Lines of the HEAD of the first capture; NULL: there is no capture. */
const char *pt_inputs_lines(const struct pt_inputs_set *set, size_t *len_bytes);

/* The next item of all files: the chunk that begins first; what one file gave stays in its order. Sources of several
 * files are numbered anew. An item of enum pt_input_item, or what next() of a driver says (or PT_EARG, where core= makes
 * no sense for what is in the file); then this file has ended, and the next call goes on with the others. Behind all of
 * them PT_EARG, once, where none has the core that was chosen. *chunk is valid until the next call. */
int pt_inputs_next(struct pt_inputs_set *set, const struct pt_chunk **chunk, struct pt_err *err);

#endif
