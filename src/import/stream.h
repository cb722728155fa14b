/* What drivers of foreign files share: a few notes out of many, and records in order of time made into chunks. */
#ifndef PT_INPUTS_STREAM_H
#define PT_INPUTS_STREAM_H

#include "import/importer.h"
#include "base/error.h"
#include "base/text.h"
#include "trace/formats.h"

struct pt_notes { pt_input_note note; void *arg; unsigned n; };
enum { PT_NOTES_MOST = 8 };

void pt_notes_init(struct pt_notes *notes, const struct pt_input_setup *setup);
void pt_notes_add(struct pt_notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_notes_end(struct pt_notes *notes);	/* how many more there were; once */

/* The keys that every CONFIG has (formats.h), for a file, into text. */
void pt_stream_config(struct pt_text *text, const char *format, const char *source, const char *mode,
		      const struct pt_input_setup *setup);
/* A CONFIG chunk of text at from_ns, as source 0; what does not fit is left out at the end of a line. */
void pt_stream_put_config(struct pt_chunk *chunk, const struct pt_text *text, uint64_t from_ns);

struct pt_stream_record { uint64_t ticks; uint8_t bytes[PT_VALUES_MOST_BYTES]; uint8_t n_bytes; };

/* Lay out a record of "lines": n_bytes of value, 0: the level is not known. */
void pt_stream_line(struct pt_stream_record *record, uint64_t ticks, unsigned line, uint64_t value, unsigned n_bytes);

/* A stream of records. A chunk spans at most PT_STREAM_SPAN_NS or one record, so that several files can be merged. */
enum { PT_STREAM_SPAN_NS = 1000000 };
struct pt_stream {
	/* the driver's: the next record, its ticks not below those of the one before. 1: it is in record; 0: there is
	 * none any more, and record->ticks is the end of the recording; or an error of next(). */
	int (*pull)(void *state, struct pt_stream_record *record, struct pt_err *err);
	void *state;
	struct pt_text config;		/* freed by pt_stream_fini() */
	uint64_t tick_hz;		/* 1 or more */
	/* its own, zeroed */
	bool lost;			/* pt_stream_lose(), and no LOSS has said so yet */
	uint64_t lost_bytes;
	unsigned phase;
	bool over;
	struct pt_err failed;		/* of pull(), to be told behind what came before; code 0: it has not */
	struct pt_stream_record ready;
	uint64_t told_ns;
};

/* For pull(): something before the record that it gives next could not be used, so many bytes of the file (PT_UNKNOWN:
 * not known how many). It becomes a LOSS in its place. */
void pt_stream_lose(struct pt_stream *stream, uint64_t n_bytes);

/* as next() of a driver */
int pt_stream_next(struct pt_stream *stream, struct pt_chunk *chunk, struct pt_err *err);
void pt_stream_fini(struct pt_stream *stream);

#endif
