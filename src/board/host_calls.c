/* The board's side of semihosting: a core that halts at a semihosting BKPT has made a request, and resumes when it is
 * served. Clients are not notified of this halt; the active source is, because the core is held meanwhile. If GDB is to
 * serve the request, its client is notified as of any stop, and calls back here. */
#include <stdio.h>
#include <string.h>

#include "board/board_parts.h"
#include "host/log.h"

#define LEASE_UNIT "halting debug"
#define LEASE_OWNER "semihosting"

/* --- text --------------------------------------------------------------------------------------------------------- */

/* If no GDB waits that could show the text, it is logged. */
static void log_text(struct pt_board *board, const char *text, size_t len_bytes)
{
	for (size_t i = 0; i < len_bytes; i++) {
		bool ends = text[i] == '\n';

		if (!ends)
			board->console[board->console_bytes++] = text[i] >= ' ' || text[i] == '\t' ? text[i] : '?';
		if (ends || board->console_bytes == sizeof(board->console)) {
			pt_info("target: %.*s", (int)board->console_bytes, board->console);
			board->console_bytes = 0;
		}
	}
}

static void say(void *arg, const char *text, size_t len_bytes)
{
	struct pt_board *board = arg;
	struct pt_board_note note = { .kind = NOTE_CONSOLE };

	if (!board->host.gdb_waits)
		log_text(board, text, len_bytes);
	for (size_t at = 0, n; at < len_bytes; at += n) {
		n = len_bytes - at < sizeof(note.text) - 1 ? len_bytes - at : sizeof(note.text) - 1;
		memcpy(note.text, text + at, n);
		note.text[n] = '\0';
		for (size_t i = 0; i < n; i++)
			if (note.text[i] == '\0')
				note.text[i] = ' ';
		pt_board_send(board, &note);
	}
}

/* --- serving ------------------------------------------------------------------------------------------------------ */

static int look(struct pt_target *target, unsigned core, struct pt_host_call *call, struct pt_err *err)
{
	return target->ops->host_call != NULL ? target->ops->host_call(target->state, core, call, err) : 0;
}

/* told: the source has been notified of the halt. */
static int serve(struct pt_board *board, unsigned core, enum pt_host_how how, const struct pt_host_call *call,
		 bool told, struct pt_err *err)
{
	struct pt_target *t = board->target;
	int32_t result;
	int rc;

	rc = pt_host_serve(&board->host, t->ops->mem(t->state, core), call, pt_link_now_ns(board->link), &result, err);
	if (rc == PT_EIO)
		return rc;
	if (rc < 0) { /* the program passed a bad pointer: that is its error, and it goes on */
		pt_warn("semihosting: operation 0x%x: %s", call->number, err->msg);
		result = PT_HOST_FAILED;
	}
	if (board->host.ended)
		return 0; /* the program has exited: report the halt to clients */
	if (!told)
		pt_board_tell_source(board, core, PT_STATE_HALT);
	return pt_board_host_answer(board, core, how, result, err);
}

int pt_board_host_answer(struct pt_board *board, unsigned core, enum pt_host_how how, int32_t result,
			 struct pt_err *err)
{
	uint64_t pc;

	if (board->target->ops->host_answer(board->target->state, core, result, &pc, err) < 0 ||
	    pt_board_wrote_pc(board, core, pc, err) < 0 || (how == PT_HOST_RUN && pt_board_go_on(board, core, err) < 0))
		return err->code;
	return 1;
}

/* While GDB serves the request, the core stays at the BKPT, and no other client may resume it. */
static int serve_halt(struct pt_board *board, unsigned core, const struct pt_core_status *now, struct pt_err *err)
{
	struct pt_host *sh = &board->host;
	struct pt_host_call call;
	int rc = look(board->target, core, &call, err);

	if (rc != 1 || (sh->mode == PT_HOST_GDB && sh->gdb_waits))
		return rc == PT_EIO ? rc : 0;
	board->core[core] = *now;
	return serve(board, core, PT_HOST_RUN, &call, false, err);
}

int pt_board_host_halted(struct pt_board *board, unsigned core, const struct pt_core_status *now, struct pt_err *err)
{
	int rc;

	if (board->host.mode == PT_HOST_OFF || now->reason != PT_HALT_BKPT)
		return 0;
	pt_link_shield(board->link); /* must not be interrupted: a half-served request would leave the core halted */
	rc = serve_halt(board, core, now, err);
	pt_link_unshield(board->link);
	return rc;
}

/* After a single-step onto a BKPT the halt's reason is the step, so the reason is not checked. In mode CONSOLE only a
 * single-step must check: the request of a running core is served before clients see the halt. */
int pt_board_host_ask(struct pt_board *board, unsigned core, enum pt_host_how how, struct pt_host_call *call,
		      struct pt_err *err)
{
	struct pt_host *sh = &board->host;
	struct pt_core_status status;

	if (sh->mode == PT_HOST_OFF || (sh->mode == PT_HOST_CONSOLE && how == PT_HOST_RUN) || sh->ended)
		return 0;
	if (board->target->ops->status(board->target->state, core, &status, err) < 0)
		return err->code;
	if (status.state != PT_HALTED || (how == PT_HOST_RUN && status.reason != PT_HALT_BKPT))
		return 0;
	return look(board->target, core, call, err);
}

int pt_board_host_serve(struct pt_board *board, unsigned core, enum pt_host_how how, const struct pt_host_call *call,
			struct pt_err *err)
{
	return serve(board, core, how, call, true, err);
}

/* --- on and off --------------------------------------------------------------------------------------------------- */

struct pt_host *pt_board_host(struct pt_board *board)
{
	return &board->host;
}

/* Only targets whose programs can make requests have settings for it. */
static const struct pt_param *row_of(const struct pt_board *board, const char *key)
{
	const struct pt_target_ops *ops = board->target->ops;

	for (size_t i = 0; i < ops->n_params; i++)
		if (strcmp(ops->params[i].key, key) == 0)
			return &ops->params[i];
	return NULL;
}

/* With halting debug disabled a BKPT raises HardFault; enabling it needs a short halt. */
static int turn_debug_on(struct pt_board *board, struct pt_err *err)
{
	unsigned n = board->target->ops->n_cores(board->target->state);

	if (pt_lease_take(board->target, LEASE_UNIT, LEASE_OWNER, err) < 0)
		return err->code;
	for (unsigned core = 0; core < n && core < PT_BOARD_CORES; core++) {
		if (board->core[core].state == PT_HALTED)
			continue;
		if (pt_board_halt(board, core, err) < 0 || pt_board_resume(board, core, err) < 0)
			return err->code;
	}
	return 0;
}

int pt_board_host_set(struct pt_board *board, enum pt_host_mode mode, struct pt_err *err)
{
	const struct pt_param *dir_row = row_of(board, "semihost-dir");
	const char *dir = dir_row != NULL ? pt_params_text(board->settings, dir_row) : NULL;
	struct pt_host *sh = &board->host;
	bool was_off = sh->mode == PT_HOST_OFF;

	dir = dir != NULL ? dir : "";
	if (strlen(dir) >= sizeof(sh->dir))
		return pt_fail(err, PT_EARG, "the name of the directory is too long");
	if (board->target->ops->host_call == NULL)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"programs on this target cannot ask for files or text (those on an Arm can: semihosting)");
	if (mode == PT_HOST_OFF) {
		pt_host_reset(sh, 0);
		sh->mode = mode;
		pt_lease_drop(board->target, LEASE_UNIT, LEASE_OWNER);
		return 0;
	}
	if (was_off && turn_debug_on(board, err) < 0) {
		pt_lease_drop(board->target, LEASE_UNIT, LEASE_OWNER);
		return err->code;
	}
	if (was_off)
		pt_host_reset(sh, pt_link_now_ns(board->link));
	snprintf(sh->dir, sizeof(sh->dir), "%s", dir);
	sh->mode = mode;
	sh->say = say;
	sh->arg = board;
	return 0;
}

void pt_board_host_begin(struct pt_board *board)
{
	const struct pt_param *row = row_of(board, "semihost");
	const char *mode = row != NULL ? pt_params_text(board->settings, row) : "off";
	struct pt_err err = { 0 };

	pt_link_shield(board->link); /* a client may be using it already */
	if (strcmp(mode, "off") != 0 &&
	    pt_board_host_set(board, strcmp(mode, "gdb") == 0 ? PT_HOST_GDB : PT_HOST_CONSOLE, &err) < 0)
		pt_warn("board: semihosting: %s", err.msg);
	pt_link_unshield(board->link);
}
