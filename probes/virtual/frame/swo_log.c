#include "probes/virtual/frame/swo_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct pt_vswo_log {
	FILE *file;
	struct pt_vswo *pin;
	struct pt_vswo_listener listener;
};

static void put_byte(void *arg, const struct pt_vswo_byte *byte)
{
	putc(byte->byte, ((struct pt_vswo_log *)arg)->file);
}

struct pt_vswo_log *pt_vswo_log_open(const char *path, struct pt_vswo *pin, struct pt_err *err)
{
	FILE *file = fopen(path, "wb");
	struct pt_vswo_log *log;

	if (file == NULL) {
		pt_fail(err, PT_EARG, "swo-log %s: %s", path, strerror(errno));
		return NULL;
	}
	log = pt_alloc(sizeof(*log));
	log->file = file;
	log->pin = pin;
	log->listener = (struct pt_vswo_listener){ log, put_byte };
	pin->log = &log->listener;
	return log;
}

void pt_vswo_log_close(struct pt_vswo_log *log)
{
	if (log == NULL)
		return;
	log->pin->log = NULL;
	fclose(log->file);
	free(log);
}
