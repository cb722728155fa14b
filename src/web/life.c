/* How long boards and the door itself live: until nothing of them is under way. */
#include "web/web_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

/* --- boards ------------------------------------------------------------------------------------------------------- */

static void on_state(void *arg, enum pt_board_state state, const char *why)
{
	struct pt_web_board *board = arg;

	(void)why;
	board->n_lost += board->ready && state == PT_BOARD_CLOSED;
	board->ready = state == PT_BOARD_READY;
}

struct pt_web_board *pt_web_add(struct pt_web *web, const struct pt_web_board_config *config)
{
	struct pt_web_board *board = pt_alloc(sizeof(*board)), **last = &web->boards;
	const char *why;

	board->config = *config;
	snprintf(board->name, sizeof(board->name), "%s", config->name);
	for (char *at = board->name; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	board->config.name = board->name;
	board->users = 1;
	board->ready = pt_board_get_state(config->board, &why) == PT_BOARD_READY;
	board->listener = (struct pt_board_listener){ .arg = board, .on_state = on_state };
	pt_board_listen(config->board, &board->listener);
	while (*last != NULL)
		last = &(*last)->next;
	*last = board;
	return board;
}

void pt_web_board_unref(struct pt_web_board *board)
{
	if (board == NULL || --board->users > 0)
		return;
	free(board->told);
	free(board);
}

void pt_web_forget_board(struct pt_web *web, struct pt_web_board *board)
{
	struct pt_web_board **at = &web->boards;

	while (*at != board)
		at = &(*at)->next;
	*at = board->next;
	pt_board_unlisten(board->config.board, &board->listener);
	pt_web_board_unref(board);
}

/* --- the end ------------------------------------------------------------------------------------------------------- */

void pt_web_finish(struct pt_web *web)
{
	while (web->boards != NULL)
		pt_web_forget_board(web, web->boards);
	pt_sparing_close(web->sparing);
	if (web->on_closed != NULL)
		web->on_closed(web->closed_arg);
	free(web);
}

void pt_web_go_on_closing(struct pt_web *web)
{
	if (web->closing && web->n_handles == 0 && web->n_waiting == 0 && web->n_looks == 0)
		pt_web_finish(web);
}

void pt_web_on_handle_closed(uv_handle_t *handle)
{
	struct pt_web *web = handle->data;

	web->n_handles--;
	pt_web_go_on_closing(web);
}
