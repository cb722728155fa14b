/* Files as sources of chunks: captures, and what other instruments wrote. A driver, one file in this folder,
 * recognises its kind of file and gives chunks in order of time, CONFIG first and END last, as a source of a chip
 * does. Files are untrusted and may be larger than memory: a driver reads on as it is asked, in bounded memory, and
 * reports what it cannot use instead of failing, as long as what follows makes sense.
 *
 * To add one: a file with a struct pt_input_ops, one word in PT_INPUTS. tests/fuzz/fuzz_inputs.c runs all in the
 * list. */
#ifndef PT_INPUTS_INPUT_H
#define PT_INPUTS_INPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "host/infile.h"
#include "base/params.h"
#include "trace/chunk.h"

typedef void (*pt_input_note)(void *arg, const char *text);	/* a sentence for the user */

struct pt_input_setup {
	const char *path;			/* for messages and reports */
	const struct pt_params *settings;	/* checked against the driver's rows */
	pt_input_note note;			/* may be NULL */
	void *note_arg;
};

enum pt_input_item {
	PT_INPUT_END,
	PT_INPUT_CHUNK,
	PT_INPUT_RESET,			/* the statistics were begun anew here, by the maker of the file */
};

struct pt_input_ops {
	const char *name, *help;	/* "vcd", as input= names it */
	const struct pt_param *params;	/* its settings; may be NULL */
	size_t n_params;
	size_t state_bytes;		/* zeroed before open() */
	bool knows_cores;		/* its chunks say which core they are of */
	/* Whether bytes, the front of a file (all of it, or 512), are of this kind. NULL: it cannot be seen, only
	 * input=. */
	bool (*recognise)(const uint8_t *bytes, size_t len_bytes);
	/* file: the driver's from here on, also on failure. No close() follows a failure. PT_EARG: not such a file, or
	 * a setting makes no sense for it; PT_EUNSUPPORTED, PT_EIO, PT_ENOMEM. */
	int (*open)(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err);
	/* The next item; a CHUNK is put into chunk, which has room for PT_CHUNK_BYTES. Sources are numbered from 0.
	 * PT_EIO: the file cannot be read further; PT_EPROTO: what follows makes no sense. */
	int (*next)(void *state, struct pt_chunk *chunk, struct pt_err *err);
	void (*close)(void *state);
	/* The lines of a capture's HEAD; NULL: there is none. */
	const char *(*lines)(const void *state, size_t *len_bytes);
};

#define PT_INPUTS(X) X(capture) X(vcd) X(sr) X(values) X(mtb) X(swo) X(pdo) X(csv) X(btf) X(sigrok)
#define X(input) extern const struct pt_input_ops pt_input_##input;
PT_INPUTS(X)
#undef X
extern const struct pt_input_ops *const pt_inputs[];	/* NULL-terminated */

#endif
