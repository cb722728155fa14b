#include "gdbstub/packets/rights.h"

#include <stdio.h>
#include <string.h>

#include "capture/write.h"
#include "host/named_file.h"
#include "base/util.h"

/* --- files -------------------------------------------------------------------------------------------------------- */

static void refuse_name(struct pt_monitor_call *call)
{
	pt_monitor_fail(
		call, PT_EPERM,
		"%s: %s is not the user that runs proftap, and may name %s; remote put and get move files",
		call->word->name, call->client->rsp.peer,
		pt_named_has_folder() ? "files below the folder of --files only: a relative name"
				      : "no file of that host (proftap --files DIR: those below DIR)");
}

/* key: what stands ahead of the name, "" or "capture=". */
static const char *name_behind(struct pt_monitor_call *call, const char *key, const char *name)
{
	char *at = call->named + call->named_bytes;

	if (strlen(name) >= PT_MONITOR_NAME_BYTES) {
		pt_monitor_fail(call, PT_EARG, "%s: a name of more than %d characters", call->word->name,
				PT_MONITOR_NAME_BYTES - 1);
		return NULL;
	}
	if (!call->client->rsp.own && (!pt_named_has_folder() || name[0] == '/')) {
		refuse_name(call);
		return NULL;
	}
	call->named_bytes +=
		(size_t)snprintf(at, sizeof(call->named) - call->named_bytes, "%s%s%s", key,
				 call->client->rsp.own || pt_named_is_below(name) ? "" : PT_NAMED_BELOW, name) +
		1;
	return at;
}

const char *pt_monitor_name_file(struct pt_monitor_call *call, const char *name)
{
	return name_behind(call, "", name);
}

bool pt_monitor_name_files(struct pt_monitor_call *call)
{
	for (size_t i = 0; i < call->n_words; i++) {
		const char *name = pt_capture_file_of(call->words[i]);

		if (name != NULL)
			call->words[i] = name_behind(call, "capture=", name);
		if (call->words[i] == NULL)
			return false;
	}
	return true;
}

bool pt_monitor_need_own(struct pt_monitor_call *call, const char *what)
{
	if (call->client->rsp.own)
		return true;
	pt_monitor_fail(call, PT_EPERM, "%s: %s is for the user that runs proftap, which %s is not", call->word->name,
			what, call->client->rsp.peer);
	return false;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

const char pt_gdb_restricted[] = "proftap runs with --restrict: clients may look, and change nothing";

/* With arguments, or without alone. */
static const struct {
	const char *word;
	bool args;
} looks[] = {
	{ "help", true },	    { "status", true },	      { "sources", true },   { "profile status", true },
	{ "profile report", true }, { "profile live", true }, { "history", true },   { "threads", true },
	{ "exits", true },	    { "symbols", false },     { "semihost", false }, { "bdccsr", true },
};

bool pt_gdb_may_call(const struct pt_monitor_call *call)
{
	if (!call->client->stub->config.restricted)
		return true;
	for (size_t i = 0; i < PT_LEN(looks); i++)
		if (strcmp(looks[i].word, call->word->name) == 0)
			return looks[i].args || call->n_words == 0;
	return false;
}

void pt_gdb_refuse_restricted(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EPERM, "%s", pt_gdb_restricted);
	pt_gdb_reply_sentence(client, &err);
}
