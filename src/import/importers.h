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

/* --- clocks of two instruments (sync=) */

struct pt_inputs_sync {
	const char *text;		/* LINE:FUNCTION, or LINE:fall->FUNCTION */
	bool own;			/* it stands at this file, which has the line */
	bool has_delay;
	double least_ns, most_ns;	/* sync-delay= */
};
/* What sync= says of the i-th file. False: nothing, or there is no such file. */
bool pt_inputs_sync(const struct pt_inputs_set *set, size_t i, struct pt_inputs_sync *sync);
size_t pt_inputs_count(const struct pt_inputs_set *set);
/* Which file has this source of the set, and its name; the number of files: none. */
size_t pt_inputs_file_of(const struct pt_inputs_set *set, uint16_t source);
const char *pt_inputs_path(const struct pt_inputs_set *set, size_t i);

/* The clock of a file against the first one's, as the times of a set without it are; a straight line between two times. */
struct pt_inputs_clock { uint64_t at_ns[2]; double offset_ns[2], error_ns[2]; };
/* Before the first pt_inputs_next(): the i-th file has this clock. assumed: a sentence for its CONFIG. */
void pt_inputs_set_clock(struct pt_inputs_set *set, size_t i, const struct pt_inputs_clock *clock, const char *assumed);

/* Lines of the HEAD of the first capture; NULL: there is no capture. */
const char *pt_inputs_lines(const struct pt_inputs_set *set, size_t *len_bytes);

/* The next item of all files: the chunk that begins first; what one file gave stays in its order. Sources of several
 * files are numbered anew. An item of enum pt_input_item, or what next() of a driver says (or PT_EARG, where core= makes
 * no sense for what is in the file); then this file has ended, and the next call goes on with the others. Behind all of
 * them PT_EARG, once, where none has the core that was chosen. *chunk is valid until the next call. */
int pt_inputs_next(struct pt_inputs_set *set, const struct pt_chunk **chunk, struct pt_err *err);

#endif
