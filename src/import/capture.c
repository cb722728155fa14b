/* A capture file of our own: its chunks are chunks already. */
#include "capture/read.h"
#include "import/importer.h"

struct capture { struct pt_capture_reader *reader; };

_Static_assert((int)PT_CAPTURE_END == (int)PT_INPUT_END && (int)PT_CAPTURE_CHUNK == (int)PT_INPUT_CHUNK &&
		       (int)PT_CAPTURE_RESET == (int)PT_INPUT_RESET,
	       "items are the same");

static int open_capture(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct capture *c = state;

	c->reader = pt_capture_read(file, setup->note, setup->note_arg, err);
	return c->reader != NULL ? 0 : err->code;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_capture_read_next(((struct capture *)state)->reader, chunk, err);
}

static void close_capture(void *state)
{
	pt_capture_read_close(((struct capture *)state)->reader);
}

static const char *lines(const void *state, size_t *len_bytes)
{
	return pt_capture_read_lines(((const struct capture *)state)->reader, len_bytes);
}

const struct pt_input_ops pt_input_capture = {
	.name = "capture",
	.help = "written by --capture or profile save",
	.state_bytes = sizeof(struct capture),
	.knows_cores = true,
	.recognise = pt_capture_recognise,
	.open = open_capture,
	.next = next,
	.close = close_capture,
	.lines = lines,
};
