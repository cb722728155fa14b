/* Writes a capture file (capture.h) while the session runs. The analysis thread puts each chunk before decoding it. The
 * writer's own thread writes it to the file at once, and makes the file durable at least every second, so other threads
 * never wait unless the disk is too slow. If more than PT_CAPTURE_BEHIND_BYTES are unwritten, put() waits. Then the
 * pool of chunks fills, and a live source that outruns the disk has LOSS, in the statistics as in the file.
 *
 * If writing fails (disk full, quota, I/O error, no progress for PT_CAPTURE_PATIENCE_S), the writer truncates the file
 * to its last complete record and warns once, and the profile goes on without a capture.
 *
 * Without a path the records go to a temporary file that has no name, up to a quota, for pt_capture_save(). */
#ifndef PT_CAPTURE_WRITE_H
#define PT_CAPTURE_WRITE_H

#include "capture/capture.h"
#include "base/error.h"
#include "base/params.h"

enum { PT_CAPTURE_BEHIND_BYTES = 4 << 20, PT_CAPTURE_PATIENCE_S = 30 };

/* capture=FILE, capture-replace, capture-compress, spool=BYTES */
extern const struct pt_param pt_capture_params[];
extern const size_t pt_n_capture_params;
bool pt_capture_knows(const char *word);	/* its KEY of "KEY=VALUE" is one of pt_capture_params */
const char *pt_capture_file_of(const char *word);	/* FILE, if word is "capture=FILE"; else NULL */
bool pt_capture_spools_more(const char *word);	/* word is spool=BYTES with more than the default */
bool pt_capture_wanted(const struct pt_params *settings);	/* capture= is given */

bool pt_capture_any(const struct pt_params *settings);	/* pt_capture_new() opens a file, possibly the temporary one */

struct pt_capture;

/* Opens the file (its name: see pt_capture_path()). settings: checked against pt_capture_params; may be NULL.
 * head: lines for the HEAD record, to which probe, target, virtual and core_hz of the first CONFIG are added; it is
 * written together with that CONFIG, and a file that got no chunk is taken away again.
 *   capture-replace=off  a file of that name stays, and FILE.1, FILE.2 ... is taken
 *   capture-replace=on   it is replaced if it is empty or a capture, else PT_EARG
 * PT_EARG: cannot be written (with the system's reason), PT_EBUSY: another process writes it, PT_ENOMEM.
 * Without capture= and with spool=0 there is nothing to do: NULL with err->code 0. Any thread. */
struct pt_capture *pt_capture_new(const struct pt_params *settings, const char *head, struct pt_err *err);
struct pt_capture *pt_capture_ref(struct pt_capture *capture);	/* any thread */
/* Releasing the last reference waits for the disk (at most PT_CAPTURE_PATIENCE_S). NULL is fine. */
void pt_capture_unref(struct pt_capture *capture);

/* These three: one thread at a time; they never fail. The chunk stays the caller's. */
void pt_capture_put(struct pt_capture *capture, const struct pt_chunk *chunk);
void pt_capture_reset(struct pt_capture *capture);	/* records that the statistics were reset here */
void pt_capture_sync(struct pt_capture *capture); /* returns when all that was put is durable, or writing has
							 * failed */

/* Any thread. */
const char *pt_capture_path(const struct pt_capture *capture);	/* "" for a temporary file */
bool pt_capture_failed(struct pt_capture *capture, struct pt_err *err);	/* err: the sentence that the user has seen */
/* "FILE: 1234 chunks, 5.6 MB": its content, and why it is incomplete; for the user. Returns text. */
char *pt_capture_describe(struct pt_capture *capture, char *text, size_t size);

/* Copies all that was put so far to path, complete or not at all: an existing file is replaced if it is empty or, with
 * replace, a capture. Blocks, so call it on another thread than the loop's. say: out, one line for the user. PT_ESTATE:
 * nothing was put; PT_EARG, PT_EIO. */
int pt_capture_save(struct pt_capture *capture, const char *path, bool replace, char *say, size_t room,
		    struct pt_err *err);

#endif
