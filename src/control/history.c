/* monitor history [calls|back] [top=N]: the branch history as people read it. GDB cannot tell calls from jumps on most
 * instruction sets, so its own record function-call-history is flat. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/packets/monitor.h"
#include "session/recorder.h"

enum { USUAL_LINES = 60 };

static bool take_word(const char *word, enum pt_branches *how, size_t *top)
{
	char *end;

	if (strcmp(word, "calls") == 0) {
		*how = PT_BRANCHES_CALLS;
	} else if (strcmp(word, "back") == 0) {
		*how = PT_BRANCHES_BACK;
	} else if (strncmp(word, "top=", 4) == 0) {
		*top = strtoul(word + 4, &end, 10);
		return end != word + 4 && *end == '\0';
	} else {
		return false;
	}
	return true;
}

static void history(struct pt_monitor_call *call)
{
	enum pt_branches how = PT_BRANCHES_CALLS;
	size_t top = USUAL_LINES;

	for (size_t i = 0; i < call->n_words; i++) {
		if (!take_word(call->words[i], &how, &top)) {
			pt_monitor_fail(call, PT_EARG, "history takes calls, back and top=N, not %.40s",
					call->words[i]);
			return;
		}
	}
	pt_recorder_branches(call->client->stub, how, pt_gdb_traced_core(call->client), top, pt_monitor_session_reply,
			     call);
}

const struct pt_monitor_word pt_monitor_history_words[] = {
	{ "history", "[calls|back] [top=N]",
	  "the last branches: who called whom, or how it got to where it is (record btrace bts, or "
	  "profile start mode=ring)", history, NULL, 0 },
	{ 0 },
};
