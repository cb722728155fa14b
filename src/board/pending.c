/* Registers to restore in a chip are kept in a file while they are pending, so that the next process that opens the
 * probe, or this one when the probe is plugged in again, restores them (targets/contract/pending.h). Virtual boards in
 * this process end with it: nothing is kept for them. */
#include <stdlib.h>
#include <string.h>

#include "board/board_parts.h"
#include "host/log.h"
#include "host/probe_notes.h"

static void keep(void *arg, const char *text, size_t len_bytes)
{
	struct pt_board *board = arg;
	struct pt_err err = { 0 };

	if (pt_kept_write(board->kept, text, len_bytes, &err) == 0 || board->keep_failed)
		return;
	board->keep_failed = true;
	pt_warn("board: cannot note which registers of the target are changed, so they would not be restored after a crash: %s",
		err.msg);
}

static void on_change(void *arg, const char *text)
{
	struct pt_board_note note = { .kind = NOTE_CHANGE };

	snprintf(note.text, sizeof(note.text), "%s", text);
	pt_board_send(arg, &note);
}

static void told(void *arg, bool done, const char *sentence)
{
	struct pt_board *board = arg;
	char line[400];

	if (done)
		pt_info("restore: %s", sentence);
	else
		pt_warn("restore: %s", sentence);
	pt_text_add(&board->put_back, "%s\n", sentence);
	snprintf(line, sizeof(line), "restore: %s", sentence);
	on_change(board, line);
}

static bool is_the_same(struct pt_board *board, const struct pt_pending *pending)
{
	const struct pt_target *t = board->target;
	char line[240];

	if (strcmp(pt_pending_of_target(pending), t->ops->name) == 0 &&
	    strcmp(pt_pending_of_chip(pending), t->ops->chip(t->state)) == 0)
		return true;
	snprintf(line, sizeof(line), "this is %.60s, but the notes are of %.60s: nothing is restored",
		 t->ops->chip(t->state), pt_pending_of_chip(pending));
	told(board, false, line);
	return false;
}

/* Restores what the file says. The notes of another chip are dropped: it is unknown where that chip is now. */
static int put_back(struct pt_board *board, struct pt_pending *pending, const uint8_t *text, size_t len_bytes,
		    struct pt_err *err)
{
	struct pt_target *t = board->target;
	struct pt_err why = { 0 };

	if (pt_pending_parse(pending, (const char *)text, len_bytes, &why) < 0) {
		told(board, false, why.msg);
		keep(board, NULL, 0);
		return 0;
	}
	if (!is_the_same(board, pending)) {
		pt_pending_parse(pending, "", 0, &why);
		keep(board, NULL, 0);
		return 0;
	}
	if (pt_pending_put_back(pending, t, told, board, err) == PT_EIO)
		return err->code;
	return t->ops->look_again != NULL ? t->ops->look_again(t->state, err) : 0;
}

int pt_board_keep_pending(struct pt_board *board, struct pt_err *err)
{
	struct pt_link_info info;
	struct pt_err why = { 0 };
	struct pt_pending *pending;
	size_t len_bytes;
	uint8_t *text;
	int rc = 0;

	pt_link_info(pt_probe_link(board->target->probe), &info);
	if (info.is_virtual)
		return 0;
	board->kept = pt_kept_open(info.where, &why);
	if (board->kept == NULL) {
		pt_warn("board: changed registers of the target are not noted, and those that an earlier proftap left are not restored: %s",
			why.code == PT_EBUSY ? "another proftap uses this probe" : why.msg);
		return 0;
	}
	pending = pt_pending_new(keep, board);
	pt_pending_listen(pending, on_change, board);
	text = pt_kept_read(board->kept, PT_PENDING_TEXT, &len_bytes, &why);
	if (text != NULL)
		rc = put_back(board, pending, text, len_bytes, err);
	else if (why.code != 0)
		told(board, false, why.msg);
	free(text);
	board->stays_noted = pt_pending_rows(pending) > 0;
	board->target->pending = pending;
	if (board->target->ops->note_changes != NULL)
		board->target->ops->note_changes(board->target->state);
	return rc;
}

struct pt_pending *pt_board_take_pending(struct pt_board *board)
{
	return board->target->pending;
}

void pt_board_end_pending(struct pt_board *board, struct pt_pending *pending)
{
	pt_pending_free(pending);
	pt_kept_close(board->kept);
	board->kept = NULL;
}

bool pt_board_stays_noted(const struct pt_board *board)
{
	return board->stays_noted;
}

const char *pt_board_put_back(const struct pt_board *board)
{
	return board->put_back.bytes != NULL ? board->put_back.bytes : "";
}
