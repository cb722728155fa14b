/* Reads a capture file (capture.h) from front to back, whatever became of it: what is sound comes out, what is
 * damaged is reported, and accounted for as LOSS (PT_LOSS_DAMAGED) of the sources that it may have been of. Nothing
 * in the file is trusted; memory does not grow with it. One thread at a time. */
#ifndef PT_CAPTURE_READ_H
#define PT_CAPTURE_READ_H

#include "capture/capture.h"
#include "base/error.h"
#include "host/infile.h"

struct pt_capture_reader;
struct pt_capture;	/* capture/write.h */

/* What is wrong with the file, for the user, one sentence each; at most PT_CAPTURE_MOST_NOTES, then how many more. */
typedef void (*pt_capture_note)(void *arg, const char *text);
enum { PT_CAPTURE_MOST_NOTES = 8 };

bool pt_capture_recognise(const uint8_t *bytes, size_t len_bytes);	/* the front of a file */

/* What a capture that is being written has so far, from its front; it stays as it is. Blocks: not on the loop thread.
 * PT_ESTATE: not all that was put is in it (its disk, or its quota), or nothing was put. */
struct pt_capture_reader *pt_capture_read_back(struct pt_capture *capture, struct pt_err *err);
/* Takes the file over, also on failure. note may be NULL. A file whose front is damaged is read as if it were of this
 * version. PT_EARG: not a capture; PT_EUNSUPPORTED: of a newer version (names both); PT_ENOMEM, PT_EIO. */
struct pt_capture_reader *pt_capture_read(struct pt_infile *file, pt_capture_note note, void *arg, struct pt_err *err);
void pt_capture_read_close(struct pt_capture_reader *reader);	/* and the file; NULL is fine */

/* A value of the HEAD record; "" without it. Cut at size; returns text. */
char *pt_capture_read_head(const struct pt_capture_reader *reader, const char *key, char *text, size_t size);
/* The lines of the HEAD record, not terminated. */
const char *pt_capture_read_lines(const struct pt_capture_reader *reader, size_t *len_bytes);

enum pt_capture_item { PT_CAPTURE_END, PT_CAPTURE_CHUNK, PT_CAPTURE_RESET };

/* The next item; a CHUNK is put into chunk, which has room for PT_CHUNK_BYTES. PT_EIO: the file cannot be read further
 * (with the system's reason; offset). At the end the notes have said where it was cut. */
int pt_capture_read_next(struct pt_capture_reader *reader, struct pt_chunk *chunk, struct pt_err *err);

#endif
