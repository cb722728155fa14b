/* Describes a board in JSON, the same at all doors (doc/proftap-boards-1.schema.json). Loop thread; asks neither board
 * nor analysis. */
#ifndef PT_BOARD_JSON_H
#define PT_BOARD_JSON_H

#include <jansson.h>

#include "board/board.h"
#include "session/session.h"

json_t *pt_board_json(const char *name, const struct pt_board *board, const struct pt_session *session);

#endif
