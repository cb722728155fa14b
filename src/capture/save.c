/* One thread of libuv's pool copies, whatever the disk takes. */
#include "capture/save.h"

#include <stdlib.h>
#include <string.h>

struct save {
	uv_work_t work;
	struct pt_capture *capture;
	char *path;
	pt_capture_saved done;
	void *arg;
	int rc;
	struct pt_err err;
	char say[400];
};

static void copy(uv_work_t *work)
{
	struct save *save = work->data;

	save->rc = pt_capture_save(save->capture, save->path, save->say, sizeof(save->say), &save->err);
}

static void answer(uv_work_t *work, int status)
{
	struct save *save = work->data;

	(void)status;
	save->done(save->arg, save->rc, save->rc < 0 ? save->err.msg : save->say);
	pt_capture_unref(save->capture);
	free(save->path);
	free(save);
}

void pt_capture_save_later(uv_loop_t *loop, struct pt_capture *capture, const char *path, pt_capture_saved done,
			   void *arg)
{
	struct save *save = calloc(1, sizeof(*save));

	if (save == NULL || (save->path = strdup(path)) == NULL)
		abort();
	save->capture = pt_capture_ref(capture);
	save->done = done;
	save->arg = arg;
	save->work.data = save;
	uv_queue_work(loop, &save->work, copy, answer);
}
