/* What another program prints: run to its end, with a deadline and a bound. */
#ifndef PT_OUTPUT_OF_H
#define PT_OUTPUT_OF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* words: the program, looked for in PATH, and its arguments, NULL at the end. Its input is empty. out: its standard output, the
 * caller frees it, also after an error. It and its children are killed when the deadline has passed, and when it prints more
 * than most_bytes. Blocks.
 * PT_EUNSUPPORTED: there is no such program; PT_ETIMEOUT: it was late; PT_ENOMEM: it printed too much; PT_EIO: it failed (the
 * sentence has the first line of its standard error). */
int pt_output_of(const char *const *words, uint64_t deadline_ms, size_t most_bytes, struct pt_text *out,
		 struct pt_err *err);

#endif
