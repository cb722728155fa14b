/* monitor profile limits [FILE|off]: timing rules that profiles are checked against while they run. The file is small;
 * it is read on a thread of libuv's pool all the same, as its disk may be slow. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/rights.h"
#include "session/limits_file.h"

struct reading {
	uv_work_t work;
	struct pt_monitor_call *call;
	char path[PT_MONITOR_LINE_BYTES];
	char *word;
	struct pt_err err;
};

static void read_file(uv_work_t *work)
{
	struct reading *reading = work->data;

	reading->word = pt_limits_word(reading->path, false, &reading->err);
}

static void after_read(uv_work_t *work, int status)
{
	struct reading *reading = work->data;
	struct pt_monitor_call *call = reading->call;

	if (status < 0 || reading->word == NULL) {
		pt_monitor_fail(call, PT_EIO, "profile limits: %s",
				status < 0 ? uv_strerror(status) : reading->err.msg);
	} else {
		pt_session_set_limits(pt_monitor_session(call), reading->word, pt_monitor_session_reply, call);
	}
	free(reading->word);
	free(reading);
}

static void limits(struct pt_monitor_call *call)
{
	struct reading *reading;
	const char *name;

	if (call->n_words != 1) {
		pt_monitor_fail(call, PT_EARG,
				"profile limits FILE|off: a file of rules on the host where proftap runs");
		return;
	}
	if (strcmp(call->words[0], "off") == 0) {
		pt_session_set_limits(pt_monitor_session(call), NULL, pt_monitor_session_reply, call);
		return;
	}
	name = pt_monitor_name_file(call, call->words[0]);
	if (name == NULL)
		return;
	reading = calloc(1, sizeof(*reading));
	if (reading == NULL)
		abort();
	reading->work.data = reading;
	reading->call = call;
	strcpy(reading->path, name);
	if (uv_queue_work(call->client->stub->loop, &reading->work, read_file, after_read) == 0)
		return;
	free(reading);
	pt_monitor_fail(call, PT_ENOMEM, "profile limits: no thread to read the file");
}

const struct pt_monitor_word pt_monitor_limits_words[] = {
	{ "profile limits", "FILE|off", "check timing rules, one a line: gross(adc_convert) in 5us..7us", limits,
	  NULL },
	{ 0 },
};
