/* Where the branch history comes from: the profile that runs, else a session of the recorder's own, in which the trace
 * unit is left running as a flight recorder. The unit has one user: a profile that is to start gets it, keeps the
 * history, too, and when it ends the recorder goes on. Loop thread. */
#ifndef PT_RECORDER_H
#define PT_RECORDER_H

#include "session/session.h"

struct pt_recorder;

/* For the profiles of this session, which closes after it. NULL: no memory. */
struct pt_recorder *pt_recorder_new(struct pt_session *profile);

/* Record from now on, for this user of it, which a pointer names (a GDB client). The reply comes when it does, or says
 * why it cannot: there are no symbols, no source of this chip can, another profile has the unit. */
void pt_recorder_on(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg);
/* No more for this user. */
void pt_recorder_off(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg);
/* The user is gone: the same, without a reply, if it is for this one that the recorder is at work. */
void pt_recorder_leave(struct pt_recorder *recorder, const void *user);
/* Has it been switched on, by a user or by a profile that is a recorder? */
bool pt_recorder_is_on(const struct pt_recorder *recorder);
/* Did this user switch it on, and no other since? */
bool pt_recorder_is_for(const struct pt_recorder *recorder, const void *user);
/* Does a source of ours watch the target at present, for whomever? */
bool pt_recorder_at_work(const struct pt_recorder *recorder);
/* As pt_session_history() and pt_session_branches(). */
void pt_recorder_history(struct pt_recorder *recorder, uint16_t core, uint64_t since, uint64_t pc,
			 pt_session_reply reply, void *arg);
void pt_recorder_branches(struct pt_recorder *recorder, enum pt_branches how, uint16_t core, size_t top,
			  pt_session_reply reply, void *arg);

/* pt_session_start() and pt_session_stop() of the user's profile, with the recorder out of its way meanwhile. The words
 * stay until the reply. With for=TIME among them the profile stops by itself, and the first stop afterwards is told so;
 * who then waits for another time (pt_session_wait()) takes that over. */
void pt_recorder_start_profile(struct pt_recorder *recorder, const char *const *words, size_t n_words,
			       pt_session_reply reply, void *arg);
void pt_recorder_stop_profile(struct pt_recorder *recorder, pt_session_reply reply, void *arg);

/* It is not used any more: it is stopped and freed, then on_closed. */
void pt_recorder_close(struct pt_recorder *recorder, void (*on_closed)(void *arg), void *arg);

#endif
