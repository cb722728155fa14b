/* Passes the board thread's reports to the loop as notes in one list, which keeps their order. */
#include "base/alloc.h"
#include "board/board_parts.h"

#include <stdio.h>

void pt_board_send(struct pt_board *board, const struct pt_board_note *what)
{
	struct pt_board_note *note = pt_alloc(sizeof(*note));

	*note = *what;
	note->next = NULL;
	uv_mutex_lock(&board->lock);
	*board->notes_tail = note;
	board->notes_tail = &note->next;
	uv_mutex_unlock(&board->lock);
	uv_async_send(&board->async);
}

void pt_board_tell_state(struct pt_board *board, enum pt_board_state state, int code, const char *why)
{
	struct pt_board_note note = { .kind = NOTE_STATE, .state = state, .code = code };

	snprintf(note.text, sizeof(note.text), "%s", why);
	pt_board_send(board, &note);
}

struct pt_board_note *pt_board_take_notes(struct pt_board *board)
{
	struct pt_board_note *notes;

	uv_mutex_lock(&board->lock);
	notes = board->notes;
	board->notes = NULL;
	board->notes_tail = &board->notes;
	uv_mutex_unlock(&board->lock);
	return notes;
}
