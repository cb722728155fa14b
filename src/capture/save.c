/* A thread with a deadline (errand.h) copies; if the disk does not answer, the thread is abandoned. */
#include "capture/save.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/errand.h"
#include "host/log.h"

struct asker { pt_capture_saved done; void *arg; };

struct save {
	struct pt_capture *capture;
	char *path;
	bool replace;
	int rc;
	struct pt_err err;
	char say[400];
};

static void copy(void *data)
{
	struct save *save = data;

	save->rc = pt_capture_save(save->capture, save->path, save->replace, save->say, sizeof(save->say), &save->err);
	pt_capture_unref(save->capture);	/* on this thread, because the last reference waits for the disk */
	save->capture = NULL;
}

static void forget(void *data)
{
	struct save *save = data;

	pt_capture_unref(save->capture);
	free(save->path);
	free(save);
}

static void answer(void *data, void *arg, bool late)
{
	struct asker asker = *(struct asker *)arg;
	struct save *save = data;
	struct pt_err err;

	free(arg);
	if (late) {
		pt_errand_late(&err, "profile save");
		asker.done(asker.arg, err.code, err.msg);
		return;
	}
	asker.done(asker.arg, save->rc, save->rc < 0 ? save->err.msg : save->say);
	forget(save);
}

static const struct pt_errand_kind saving = { copy, answer, forget, .timeout_ms = PT_ERRAND_MS };

void pt_capture_save_later(uv_loop_t *loop, struct pt_capture *capture, const char *path, bool replace,
			   pt_capture_saved done, void *arg)
{
	struct save *save = pt_alloc(sizeof(*save));
	struct asker *asker = pt_alloc(sizeof(*asker));

	*asker = (struct asker){ done, arg };
	save->path = pt_strdup(path);
	save->replace = replace;
	save->capture = pt_capture_ref(capture);
	if (pt_errand_start(loop, &saving, save, asker, &save->err) < 0) {
		save->rc = save->err.code;
		answer(save, asker, false);
	}
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

struct closer { void (*done)(void *arg); void *arg; };

static void close_file(void *data)
{
	pt_capture_unref(data);
}

static void is_closed(void *data, void *arg, bool late)
{
	struct closer closer = *(struct closer *)arg;

	(void)data;
	free(arg);
	if (late)
		pt_warn("capture: the disk does not answer: the file may be incomplete");
	closer.done(closer.arg);
}

static void nothing_left(void *data)
{
	(void)data;
}

static const struct pt_errand_kind closing = { close_file, is_closed, nothing_left,
					       .timeout_ms = PT_CAPTURE_PATIENCE_S * 1000, .always = true };

void pt_capture_unref_later(uv_loop_t *loop, struct pt_capture *capture, void (*done)(void *arg), void *arg)
{
	struct closer *closer;
	struct pt_err err;

	if (capture == NULL) {
		done(arg);
		return;
	}
	closer = pt_alloc(sizeof(*closer));
	*closer = (struct closer){ done, arg };
	if (pt_errand_start(loop, &closing, capture, closer, &err) == 0)
		return;
	pt_capture_unref(capture);
	is_closed(NULL, closer, false);
}
