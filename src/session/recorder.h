/* Provides the branch history: from the running profile, else from a session of its own, in which the trace unit runs
 * as a flight recorder. The trace unit has one user at a time: a profile that starts gets it and keeps the history,
 * too; after it the recorder goes on. Loop thread. */
#ifndef PT_RECORDER_H
#define PT_RECORDER_H

#include "session/session.h"

struct pt_recorder;

/* profile: the session of the user's profiles, to be closed later. NULL: no memory. */
struct pt_recorder *pt_recorder_new(struct pt_session *profile);

/* Records from now on for this user, identified by a pointer (a GDB client). Replies when it records, or with the
 * reason why it cannot: there are no symbols, no source of this chip can record branches, another profile has the
 * unit. */
void pt_recorder_on(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg);
/* Stops recording for this user. */
void pt_recorder_off(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg);
/* The user has left: stops recording, without a reply, if it was for him. */
void pt_recorder_leave(struct pt_recorder *recorder, const void *user);
/* Has a user or a profile that is a recorder switched it on? */
bool pt_recorder_is_on(const struct pt_recorder *recorder);
/* Did this user switch it on, and no other since? */
bool pt_recorder_is_for(const struct pt_recorder *recorder, const void *user);
/* Does some source of this daemon observe the target now? */
bool pt_recorder_at_work(const struct pt_recorder *recorder);
/* As pt_session_history() and pt_session_branches(). */
void pt_recorder_history(struct pt_recorder *recorder, uint16_t core, uint64_t since, uint64_t pc,
			 pt_session_reply reply, void *arg);
void pt_recorder_branches(struct pt_recorder *recorder, enum pt_branches how, uint16_t core, size_t top,
			  pt_session_reply reply, void *arg);

/* pt_session_start() and pt_session_stop() for the user's profile; the recorder stops meanwhile. The words must stay
 * valid until the reply. With for=TIME the profile stops by itself, and the next stop reports that; a client that then
 * calls pt_session_wait() takes over this duty. */
void pt_recorder_start_profile(struct pt_recorder *recorder, const char *const *words, size_t n_words,
			       pt_session_reply reply, void *arg);
void pt_recorder_stop_profile(struct pt_recorder *recorder, pt_session_reply reply, void *arg);

/* Call it when it is not used any more: stops and frees it, then calls on_closed. */
void pt_recorder_close(struct pt_recorder *recorder, void (*on_closed)(void *arg), void *arg);

#endif
