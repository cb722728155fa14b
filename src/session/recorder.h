/* Where the branch history for GDB comes from: the profile that runs, else a session of the server's own, in which the
 * trace unit is left running as a flight recorder. The unit has one user: a profile that is to start gets it, keeps the
 * history, too, and when it ends the recorder goes on. Loop thread. */
#ifndef PT_GDBSTUB_RECORDER_H
#define PT_GDBSTUB_RECORDER_H

#include "gdbstub/packets/stub.h"

/* Record from now on, for this client. The reply comes when it does, or says why it cannot: there are no symbols, no
 * source of this chip can, somebody else has the unit. */
void pt_recorder_on(struct pt_gdb_client *client, pt_session_reply reply, void *arg);
/* No more for this client; reply may be NULL. Also when it is gone. */
void pt_recorder_off(struct pt_gdb_client *client, pt_session_reply reply, void *arg);
/* Has it been switched on, by a GDB or by a profile that is a recorder? */
bool pt_recorder_is_on(const struct pt_gdbstub *stub);
/* Does a source of ours watch the target at present, for whomever? */
bool pt_recorder_at_work(const struct pt_gdbstub *stub);
/* As pt_session_history() and pt_session_branches(). */
void pt_recorder_history(struct pt_gdbstub *stub, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			 void *arg);
void pt_recorder_branches(struct pt_gdbstub *stub, enum pt_branches how, uint16_t core, size_t top,
			  pt_session_reply reply, void *arg);

/* pt_session_start() and pt_session_stop() of the user's profile, with the recorder out of its way meanwhile. The words
 * stay until the reply. */
void pt_recorder_start_profile(struct pt_gdbstub *stub, const char *const *words, size_t n_words,
			       pt_session_reply reply, void *arg);
void pt_recorder_stop_profile(struct pt_gdbstub *stub, pt_session_reply reply, void *arg);

/* The server ends: then on_closed. */
void pt_recorder_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg);

#endif
