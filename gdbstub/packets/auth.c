/* monitor auth TOKEN: until a client has given the token of --token-file, all else is closed to it (commands.c). */
#include "gdbstub/rsp/admit.h"
#include "gdbstub/packets/monitor.h"

#include "host/log.h"
#include "host/token.h"

enum { MOST_WRONG = 3 };

static void refuse_token(struct pt_monitor_call *call)
{
	struct pt_gdb_client *client = call->client;
	unsigned n = ++client->auth.n_wrong;

	pt_warn("gdb: %s has given a wrong token (%u of %d)", client->rsp.peer, n, MOST_WRONG);
	pt_monitor_fail(call, PT_EPERM, "a wrong token (%u of %d)", n, MOST_WRONG);
	if (n >= MOST_WRONG)
		pt_rsp_hang_up(&client->rsp, "its tokens were wrong");
}

static void auth(struct pt_monitor_call *call)
{
	struct pt_gdb_client *client = call->client;
	const struct pt_token *token = client->stub->config.token;

	if (call->n_words != 1) {
		pt_monitor_fail(call, PT_EARG, "auth takes the token, one word");
	} else if (token == NULL) {
		pt_monitor_fail(call, PT_EARG, "this server wants no token: it was started without --token-file");
	} else if (!client->auth.locked) {
		pt_monitor_say(call, "the token was given before");
		pt_monitor_done(call, 0, NULL);
	} else if (pt_token_fits(token, call->words[0])) {
		pt_rsp_admit_within(&client->rsp, 0);
		client->auth.locked = false;
		client->auth.late = true;
		pt_info("gdb: %s has given the token", client->rsp.peer);
		pt_monitor_say(call, "the token is right; attach 1 attaches to the program");
		pt_monitor_done(call, 0, NULL);
	} else {
		refuse_token(call);
	}
}

const struct pt_monitor_word pt_monitor_auth_words[] = {
	{ "auth", "TOKEN", "give the token that the server was started with (--token-file)", auth, NULL, 0 },
	{ 0 },
};
