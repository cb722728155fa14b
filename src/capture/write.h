/* Writes a capture file (capture.h) while the session runs. The analysis thread puts each chunk before it decodes it; a thread
 * of the writer's own carries what was put to the file at once, and makes it durable at least every second, so that no
 * other thread ever waits for a disk that keeps up. What is behind by more than PT_CAPTURE_BEHIND_BYTES makes put()
 * wait: then the pool of chunks fills, and a live source that outruns the disk has LOSS, in the statistics as in the
 * file.
 *
 * When writing fails (disk full, quota, I/O error, no progress for PT_CAPTURE_PATIENCE_S) the file is cut back to its
 * last whole record, one warning is given, and the profile goes on without it.
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
bool pt_capture_knows(const char *word);	/* the key of "key=value" is one of them */
const char *pt_capture_file_of(const char *word);	/* FILE of "capture=FILE"; NULL: it is another word */
bool pt_capture_spools_more(const char *word);	/* it is spool=BYTES with more than the default */
bool pt_capture_wanted(const struct pt_params *settings);	/* capture= is given */

bool pt_capture_any(const struct pt_params *settings);	/* pt_capture_new() opens a file, be it the temporary one */

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
/* The last one waits for the disk (at most PT_CAPTURE_PATIENCE_S). NULL is fine. */
void pt_capture_unref(struct pt_capture *capture);

/* One thread at a time, all three; never fail. The chunk stays the caller's. */
void pt_capture_put(struct pt_capture *capture, const struct pt_chunk *chunk);
void pt_capture_reset(struct pt_capture *capture);	/* the statistics begin anew here */
void pt_capture_sync(struct pt_capture *capture);	/* all that was put is durable, or writing has failed */

/* Any thread. */
const char *pt_capture_path(const struct pt_capture *capture);	/* "" for a temporary file */
bool pt_capture_failed(struct pt_capture *capture, struct pt_err *err);	/* the sentence the user was told */
/* "FILE: 1234 chunks, 5.6 MB": what is in it, and why it is not all; for the user. Returns text. */
char *pt_capture_describe(struct pt_capture *capture, char *text, size_t size);

/* Copies what was put so far to path, complete or not at all: a file of that name is replaced if it is empty or, with
 * replace, a capture. Blocks: not on the loop thread. say: one line for the user. PT_ESTATE: nothing was put; PT_EARG, PT_EIO. */
int pt_capture_save(struct pt_capture *capture, const char *path, bool replace, char *say, size_t room,
		    struct pt_err *err);

#endif
