/* Four steps: what machine the target is (board thread), the files of GDB's command line (an errand), what the board has
 * in memory (board thread), the choice (loop). The command waits meanwhile, and ends early when it is cancelled. */
#include "gdbstub/files/find_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "gdbstub/files/gdb_words.h"
#include "gdbstub/packets/client.h"
#include "control/changes.h"
#include "host/errand.h"
#include "host/log.h"
#include "host/process.h"
#include "session/on_board.h"

enum { LOOK_MS = 5000, PATH_BYTES = 4096 };

struct candidate {
	char path[PATH_BYTES];
	struct pt_program *program;	/* NULL: err says why not */
	struct pt_err err;
	struct pt_on_board_answer answer;
};

/* The thread's, while the errand runs. */
struct looking {
	struct pt_peer_end end;
	unsigned elf_machine;
	struct pt_params *settings;
	struct pt_process process;
	struct candidate candidate[PT_GDB_FILES_NAMED];
	size_t n_candidates;
};

/* The command's data. */
struct finding {
	struct pt_gdb_client *client;
	void (*then)(struct pt_command *cmd);
	void *data;			/* that it had before */
	struct pt_errand *errand;	/* NULL: it is not under way */
	struct looking *looking;
};

/* --- the thread --------------------------------------------------------------------------------------------------- */

static bool put_path(struct candidate *to, const char *folder, const char *file)
{
	bool whole = file[0] == '/';
	int n = snprintf(to->path, sizeof(to->path), "%s%s%s", whole ? "" : folder, whole ? "" : "/", file);

	return n > 0 && (size_t)n < sizeof(to->path) && (whole || folder[0] == '/');
}

static void look(void *data)
{
	struct looking *looking = data;
	struct pt_gdb_named named;

	if (!pt_process_find(&looking->end, "gdb", &looking->process))
		return;
	pt_gdb_words_files(looking->process.words, looking->process.words_bytes, &named);
	for (size_t i = 0; i < named.n; i++) {
		struct candidate *c = &looking->candidate[looking->n_candidates];

		if (!put_path(c, looking->process.folder, named.file[i]))
			continue;
		c->program = pt_program_open_with(c->path, looking->elf_machine, looking->settings, &c->err);
		looking->n_candidates++;
	}
}

static void forget(void *data)
{
	struct looking *looking = data;

	for (size_t i = 0; i < looking->n_candidates; i++)
		pt_program_unref(looking->candidate[i].program);
	pt_params_free(looking->settings);
	free(looking);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void go_on(struct pt_command *cmd)
{
	struct finding *finding = cmd->data;
	void (*then)(struct pt_command * cmd) = finding->then;

	cmd->data = finding->data;
	cmd->cancel = NULL;
	if (finding->looking != NULL)
		forget(finding->looking);
	free(finding);
	if (cmd->cancelled)
		pt_command_fail(cmd, PT_EINTERRUPTED, "%s: interrupted", cmd->row.name);
	else
		then(cmd);
}

/* The file as the user can name it: names with blanks cannot be written in a line of words. */
static void say_how(struct pt_command *cmd, const char *ahead, const char *path)
{
	if (strpbrk(path, " \t") != NULL)
		pt_command_say(cmd, "%s: remote put \"%s\" firmware.elf", ahead, path);
	else
		pt_command_say(cmd, "%s: monitor symbols %s", ahead, path);
}

static void say_why_not(struct pt_command *cmd, const struct candidate *c)
{
	char ahead[2 * PATH_BYTES];

	if (c->program == NULL) {
		pt_command_say(
			cmd,
			"symbols: none from the file that GDB was started with: %s; another one: monitor symbols FILE",
			c->err.msg);
	} else if (c->answer.what == PT_ON_BOARD_OTHER) {
		snprintf(ahead, sizeof(ahead),
			 "symbols: none: %s, which GDB was started with, is not what the board holds (at 0x%08" PRIx64
			 "). load writes it; to use it all the same",
			 c->path, c->answer.at);
		say_how(cmd, ahead, c->path);
	} else {
		snprintf(
			ahead, sizeof(ahead),
			"symbols: none: proftap does not know whether the board holds %s, which GDB was started with (%s). "
			"If it does",
			c->path, c->answer.why);
		say_how(cmd, ahead, c->path);
	}
}

static void say_found(struct pt_command *cmd, const struct candidate *c)
{
	char how[120];

	if (c->answer.what == PT_ON_BOARD_ID)
		snprintf(how, sizeof(how), "its build-id is the one on the board");
	else
		snprintf(how, sizeof(how), "%" PRIu64 " bytes of it were compared, and are on the board",
			 c->answer.n_bytes);
	pt_command_say(cmd, "symbols: %s, which GDB was started with; %s", c->path, how);
	if (pt_program_warning(c->program) != NULL)
		pt_command_say(cmd, "warning: %s", pt_program_warning(c->program));
}

/* The same file again: it was checked because the board may have got another program, and nothing has changed. */
static bool is_in_use(struct pt_gdb_client *client, const struct pt_program *program)
{
	const struct pt_program *now = pt_session_program(client->stub->config.session);

	return now != NULL && strcmp(pt_program_sha256(now), pt_program_sha256(program)) == 0;
}

static bool may_take(struct pt_gdb_client *client)
{
	const struct pt_program *now = pt_session_program(client->stub->config.session);

	return now == NULL || now == client->stub->found_program;
}

static void use(struct pt_command *cmd, struct pt_gdb_client *client, const struct candidate *c)
{
	struct pt_gdbstub *stub = client->stub;
	struct pt_err err;

	if (is_in_use(client, c->program))
		return;
	if (pt_session_set_program(stub->config.session, c->program, &err) < 0) {
		pt_command_say(cmd, "symbols: %s", err.msg);
		return;
	}
	pt_program_unref(stub->found_program);
	stub->found_program = pt_program_ref(c->program);
	say_found(cmd, c);
	pt_changes_program(stub->config.changes, client->rsp.peer, c->program);
}

static void choose(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct finding *finding = cmd->data;
	struct looking *looking = finding->looking;
	const struct candidate *found = NULL;

	(void)err;
	for (size_t i = looking->n_candidates; rc == 0 && i-- > 0;)
		if (looking->candidate[i].answer.what >= PT_ON_BOARD_ID)
			found = &looking->candidate[i];
	if (rc == 0 && may_take(finding->client)) {
		if (found != NULL)
			use(cmd, finding->client, found);
		else if (pt_session_program(finding->client->stub->config.session) == NULL)
			say_why_not(cmd, &looking->candidate[0]);
	}
	go_on(cmd);
}

/* --- from step to step -------------------------------------------------------------------------------------------- */

static int compare(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct finding *finding = cmd->data;
	struct looking *looking = finding->looking;

	(void)board;
	(void)err;
	for (size_t i = 0; i < looking->n_candidates; i++)
		if (looking->candidate[i].program != NULL)
			pt_on_board(looking->candidate[i].program, target, &looking->candidate[i].answer);
	return 0;
}

static void looked(void *data, void *arg, bool late)
{
	struct pt_command *cmd = arg;
	struct finding *finding = cmd->data;

	finding->errand = NULL;
	if (late) {
		finding->looking = NULL;		/* the thread's */
		if (!cmd->cancelled)
			pt_command_say(
				cmd, "symbols: the disk of the file that GDB was started with does not answer; another "
				     "one: monitor symbols FILE");
		go_on(cmd);
		return;
	}
	finding->looking = data;
	if (cmd->cancelled || finding->looking->n_candidates == 0)
		go_on(cmd);
	else
		pt_command_on_board(cmd, compare, choose);
}

static const struct pt_errand_kind looking_kind = { look, looked, forget, .timeout_ms = LOOK_MS };

static void stop_looking(struct pt_command *cmd)
{
	struct finding *finding = cmd->data;

	if (finding->errand != NULL)
		pt_errand_cancel(finding->errand);
}

static void start_looking(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct finding *finding = cmd->data;
	struct pt_err failed;

	(void)err;
	if (rc < 0 || cmd->cancelled) {		/* without a target there is no memory to compare with */
		go_on(cmd);
		return;
	}
	finding->errand = pt_errand_new(cmd->ctx->loop, &looking_kind, finding->looking, cmd, &failed);
	if (finding->errand == NULL) {
		pt_command_say(cmd, "symbols: %s", failed.msg);
		go_on(cmd);
		return;
	}
	finding->looking = NULL;		/* the thread's */
	cmd->cancel = stop_looking;
}

static int find_machine(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct finding *finding = cmd->data;

	(void)board;
	(void)err;
	finding->looking->elf_machine = target->ops->arch.elf_machine;
	return 0;
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* GDB starts a bridge, or us, by its command "target remote | ...". */
static bool find_end(struct pt_gdb_client *client, struct pt_peer_end *end)
{
	int fd;

	*end = (struct pt_peer_end){ .pid = getppid() };
	if (pt_rsp_is_stdio(&client->rsp))
		return true;
	return uv_fileno(&client->rsp.in.handle, &fd) == 0 && pt_peer_find_end(fd, end);
}

static bool is_wanted(struct pt_gdb_client *client)
{
	const struct pt_session *session = client->stub->config.session;

	return client->rsp.own && !client->stub->config.restricted && !pt_gdb_looks_on(client) && may_take(client) &&
	       (pt_session_get_state(session) == PT_SESSION_IDLE || client->stub->found_program == NULL);
}

void pt_gdb_find_program(void *door, struct pt_command *cmd, void (*then)(struct pt_command *cmd))
{
	struct pt_gdb_client *client = door;
	struct finding *finding;
	struct pt_peer_end end;

	if (!is_wanted(client) || !find_end(client, &end)) {
		then(cmd);
		return;
	}
	finding = pt_alloc(sizeof(*finding));
	finding->client = client;
	finding->then = then;
	finding->data = cmd->data;
	finding->looking = pt_alloc(sizeof(*finding->looking));
	finding->looking->end = end;
	finding->looking->settings = pt_params_copy(client->stub->config.symbols);
	cmd->data = finding;
	pt_command_on_board(cmd, find_machine, start_looking);
}
