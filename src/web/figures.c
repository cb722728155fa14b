/* The figures of each board, once a second while it profiles and once more when that has ended: a scrape gets the
 * last ones, and asks neither the board nor its analysis thread. */
#include "web/web_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "web/snapshot.h"

struct look {
	struct pt_web *web;
	struct pt_web_board *board;
	uint64_t number;
	bool last;
};

static void on_snapshot(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct look *look = arg;
	struct pt_web_board *board = look->board;
	struct pt_web *web = look->web;
	struct pt_web_snapshot *snapshot;

	board->looking = false;
	/* where the statistics began anew meanwhile, it may be of those before */
	if (rc == 0 && len_bytes == sizeof(*snapshot) && look->number == pt_session_number(board->config.session)) {
		snapshot = pt_alloc(sizeof(*snapshot));
		memcpy(snapshot, text, sizeof(*snapshot));
		board->last = *snapshot;
		pt_web_totals_add(&board->totals, look->number, snapshot);
		free(snapshot);
		board->taken_ms = uv_now(web->loop);
	}
	if (look->last)
		board->complete = look->number;
	pt_web_board_unref(board);
	free(look);
	web->n_looks--;
	pt_web_go_on_closing(web);
}

static void look_at(struct pt_web *web, struct pt_web_board *board)
{
	enum pt_session_state state = pt_session_get_state(board->config.session);
	uint64_t number = pt_session_number(board->config.session);
	struct look *look;

	if (board->looking || number == 0 || board->complete == number || state == PT_SESSION_STARTING)
		return;
	look = pt_alloc(sizeof(*look));
	*look = (struct look){ web, board, number, state == PT_SESSION_IDLE };
	board->looking = true;
	board->users++;
	web->n_looks++;
	pt_session_visit(board->config.session, pt_web_snapshot_take, on_snapshot, look);
}

void pt_web_look(struct pt_web *web)
{
	for (struct pt_web_board *board = web->boards, *next; board != NULL; board = next) {
		next = board->next;
		look_at(web, board);
	}
}
