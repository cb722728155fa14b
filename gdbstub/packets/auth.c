/* monitor auth TOKEN: until a client has given the token of --token-file, all else is closed to it (dispatch.c). */
#include "gdbstub/rsp/admit.h"
#include "gdbstub/packets/monitor.h"

#include "host/log.h"
#include "host/token.h"

enum { MOST_WRONG = 3 };

static void refuse_token(struct pt_command *cmd)
{
	struct pt_gdb_client *client = pt_gdb_client_of(cmd);
	unsigned n = ++client->auth.n_wrong;

	pt_sparing_warn(client->stub->sparing, "a wrong token", "gdb: %s has given a wrong token (%u of %d)",
			client->rsp.peer, n, MOST_WRONG);
	pt_command_fail(cmd, PT_EPERM, "a wrong token (%u of %d)", n, MOST_WRONG);
	if (n >= MOST_WRONG)
		pt_rsp_hang_up(&client->rsp, "its tokens were wrong");
}

void pt_gdb_auth(struct pt_command *cmd)
{
	struct pt_gdb_client *client = pt_gdb_client_of(cmd);
	const struct pt_token *token = client->stub->config.token;

	if (cmd->n_words != 1) {
		pt_command_fail(cmd, PT_EARG, "auth takes the token, one word");
	} else if (token == NULL) {
		pt_command_fail(cmd, PT_EARG, "this server wants no token: it was started without --token-file");
	} else if (!client->auth.locked) {
		pt_command_say(cmd, "the token was given before");
		pt_command_done(cmd, 0, NULL);
	} else if (pt_token_fits(token, cmd->words[0])) {
		pt_rsp_admit_within(&client->rsp, 0);
		client->auth.locked = false;
		client->auth.late = true;
		pt_info("gdb: %s has given the token", client->rsp.peer);
		pt_command_say(cmd, "the token is right; attach 1 attaches to the program");
		pt_command_done(cmd, 0, NULL);
	} else {
		refuse_token(cmd);
	}
}
