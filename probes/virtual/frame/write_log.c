#include "probes/virtual/frame/write_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct pt_vwrite_log {
	FILE *file;
	struct pt_vbus *bus;
};

static void put_write(void *arg, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vwrite_log *log = arg;

	fprintf(log->file, "%08" PRIx32 " %u %08" PRIx32 "\n", access->addr, access->size_bytes, value);
	fflush(log->file);	/* read while the board runs */
}

struct pt_vwrite_log *pt_vwrite_log_open(const char *path, struct pt_vbus *bus, struct pt_err *err)
{
	FILE *file = fopen(path, "w");
	struct pt_vwrite_log *log;

	if (file == NULL) {
		pt_fail(err, PT_EARG, "write-log %s: %s", path, strerror(errno));
		return NULL;
	}
	log = pt_alloc(sizeof(*log));
	log->file = file;
	log->bus = bus;
	bus->debug_wrote = put_write;
	bus->debug_listener = log;
	return log;
}

void pt_vwrite_log_close(struct pt_vwrite_log *log)
{
	if (log == NULL)
		return;
	log->bus->debug_wrote = NULL;
	fclose(log->file);
	free(log);
}
