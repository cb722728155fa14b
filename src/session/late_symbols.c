#include "session/late_symbols.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "capture/read.h"
#include "host/errand.h"
#include "trace/chunk.h"

struct reading {		/* owned by the thread while it runs */
	struct pt_capture *capture;
	struct pt_program *program;
	struct pt_params *settings;
	struct pt_pipeline *pipeline;
	struct pt_err err;
};

struct asker { pt_late_symbols_done done; void *arg; };

/* --- the thread --------------------------------------------------------------------------------------------------- */

static int begin(struct reading *r)
{
	pt_pipeline_free(r->pipeline);
	r->pipeline = pt_pipeline_new(r->program, r->settings, &r->err);
	return r->pipeline != NULL ? 0 : r->err.code;
}

static int feed_all(struct reading *r, struct pt_capture_reader *reader, struct pt_chunk *chunk)
{
	int item;

	while ((item = pt_capture_read_next(reader, chunk, &r->err)) > PT_CAPTURE_END)
		if (item == PT_CAPTURE_CHUNK)
			pt_pipeline_feed(r->pipeline, chunk);
		else if (begin(r) < 0)		/* the statistics were restarted here */
			return r->err.code;
	return item;
}

static void read_trace(void *data)
{
	struct reading *r = data;
	struct pt_capture_reader *reader = begin(r) == 0 ? pt_capture_read_back(r->capture, &r->err) : NULL;
	struct pt_chunk *chunk = pt_alloc(sizeof(*chunk) + PT_CHUNK_BYTES);

	if (reader != NULL && feed_all(r, reader, chunk) == 0)
		pt_pipeline_over(r->pipeline);
	pt_capture_read_close(reader);
	free(chunk);
}

static void forget(void *data)
{
	struct reading *r = data;

	pt_pipeline_free(r->pipeline);
	pt_params_free(r->settings);
	pt_program_unref(r->program);
	pt_capture_unref(r->capture);
	free(r);
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

static void on_read(void *data, void *arg, bool late)
{
	struct asker asker = *(struct asker *)arg;
	struct reading *r = data;
	struct pt_pipeline *pipeline = NULL;
	struct pt_err err = { 0 };

	free(arg);
	if (late) {
		pt_errand_late(&err, "its trace");
	} else {
		err = r->err;
		if (err.code == 0) {
			pipeline = r->pipeline;
			r->pipeline = NULL;
		}
		forget(r);
	}
	asker.done(asker.arg, pipeline, &err);
}

static const struct pt_errand_kind kind = { read_trace, on_read, forget, .timeout_ms = PT_ERRAND_MS,
					    .place = PT_ERRAND_OWN };

void pt_late_symbols(uv_loop_t *loop, struct pt_capture *capture, struct pt_program *program,
		     const struct pt_params *settings, pt_late_symbols_done done, void *arg)
{
	struct reading *r = pt_alloc(sizeof(*r));
	struct asker *asker = pt_alloc(sizeof(*asker));

	*asker = (struct asker){ done, arg };
	r->capture = pt_capture_ref(capture);
	r->program = pt_program_ref(program);
	r->settings = pt_params_copy(settings);
	if (pt_errand_start(loop, &kind, r, asker, &r->err) < 0)
		on_read(r, asker, false);
}
