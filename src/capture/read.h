/* Reads a capture file (capture.h) from start to end, in whatever condition: sound records are returned; damaged ones
 * are reported and become LOSS (PT_LOSS_DAMAGED) of the sources they may have belonged to. Nothing in the file is
 * trusted; memory use does not depend on its size. One thread at a time. */
#ifndef PT_CAPTURE_READ_H
#define PT_CAPTURE_READ_H

#include "capture/capture.h"
#include "base/error.h"
#include "host/infile.h"

struct pt_capture_reader;
struct pt_capture;	/* capture/write.h */

/* Reports damage to the user, one sentence per call; at most PT_CAPTURE_MOST_NOTES, then the number of the others. */
typedef void (*pt_capture_note)(void *arg, const char *text);
enum { PT_CAPTURE_MOST_NOTES = 8 };

bool pt_capture_recognise(const uint8_t *bytes, size_t len_bytes);	/* bytes: the start of a file */

/* Reads what a capture in progress contains so far, from its start; the capture is not changed. Blocks, so call it on
 * another thread than the loop's. PT_ESTATE: not everything that was put is in the file (the disk or the quota is
 * full), or nothing was put. */
struct pt_capture_reader *pt_capture_read_back(struct pt_capture *capture, struct pt_err *err);
/* Owns the file from now on, also after an error. note may be NULL. A file whose preamble is damaged is read as this
 * version. PT_EARG: not a capture; PT_EUNSUPPORTED: of a newer version (names both); PT_ENOMEM, PT_EIO. */
struct pt_capture_reader *pt_capture_read(struct pt_infile *file, pt_capture_note note, void *arg, struct pt_err *err);
void pt_capture_read_close(struct pt_capture_reader *reader);	/* closes the file, too; NULL is fine */

/* A value of the HEAD record; "" if it is not there. Truncated to size; returns text. */
char *pt_capture_read_head(const struct pt_capture_reader *reader, const char *key, char *text, size_t size);
/* The lines of the HEAD record, not terminated. */
const char *pt_capture_read_lines(const struct pt_capture_reader *reader, size_t *len_bytes);

enum pt_capture_item { PT_CAPTURE_END, PT_CAPTURE_CHUNK, PT_CAPTURE_RESET };

/* Reads the next item; a CHUNK is copied into chunk, which needs PT_CHUNK_BYTES. PT_EIO: reading failed (with the
 * system's reason and the offset). Before PT_CAPTURE_END the notes have said whether and where the file was cut. */
int pt_capture_read_next(struct pt_capture_reader *reader, struct pt_chunk *chunk, struct pt_err *err);

#endif
