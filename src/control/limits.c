/* monitor profile limits [FILE|off]: timing rules that profiles are checked against while they run. The file is small;
 * it is read as an errand all the same: its disk may not answer. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/rights.h"
#include "host/errand.h"
#include "session/limits_file.h"

struct reading {
	char path[PT_MONITOR_LINE_BYTES];
	char *word;
	struct pt_err err;
};

static void read_file(void *data)
{
	struct reading *reading = data;

	reading->word = pt_limits_word(reading->path, false, &reading->err);
}

static void forget(void *data)
{
	struct reading *reading = data;

	free(reading->word);
	free(reading);
}

static void after_read(void *data, void *arg, bool late)
{
	struct pt_monitor_call *call = arg;
	struct reading *reading = data;
	struct pt_err err;

	if (late) {
		pt_errand_late(&err, "profile limits");
		pt_monitor_done(call, err.code, &err);
		return;
	}
	if (reading->word == NULL)
		pt_monitor_fail(call, PT_EIO, "profile limits: %s", reading->err.msg);
	else
		pt_session_set_limits(pt_monitor_session(call), reading->word, pt_monitor_session_reply, call);
	forget(reading);
}

static const struct pt_errand_kind reading_kind = { read_file, after_read, forget, PT_ERRAND_MS };

static void limits(struct pt_monitor_call *call)
{
	struct reading *reading;
	const char *name;
	struct pt_err err;

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
	strcpy(reading->path, name);
	if (pt_errand_start(call->client->stub->loop, &reading_kind, reading, call, &err) == 0)
		return;
	free(reading);
	pt_monitor_fail(call, err.code, "profile limits: %s", err.msg);
}

const struct pt_monitor_word pt_monitor_limits_words[] = {
	{ "profile limits", "FILE|off", "check timing rules, one a line: gross(adc_convert) in 5us..7us", limits,
	  NULL, PT_MONITOR_CHANGES | PT_MONITOR_ASKS },
	{ 0 },
};
