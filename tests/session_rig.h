/* A board rig with a session: a virtual KL27 on a virtual clock, behind a link of some kind, and a profile of some
 * kind. What goes wrong fails the test. */
#ifndef PT_TESTS_SESSION_RIG_H
#define PT_TESTS_SESSION_RIG_H

#include "board_rig.h"
#include "session/session.h"

struct session_rig {
	struct board_rig board;
	struct pt_session *session;
	struct { bool done; int rc; char text[8192]; } answer;	/* the last */
};

void session_rig_open(struct session_rig *rig, const char *link);	/* "hid-fs"; until the board is ready */
void session_rig_start(struct session_rig *rig, const char *profile);	/* a word of profile start: "mode=burst" */
void session_rig_stop(struct session_rig *rig);
void session_rig_close(struct session_rig *rig);

#endif
