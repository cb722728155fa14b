#include "session/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/door.h"
#include "host/log.h"
#include "base/util.h"

struct pt_recorder {
	struct pt_session *profile;	/* the session of the user's profiles */
	struct pt_session *own;		/* the recorder's session; NULL: not needed so far */
	const void *user;		/* the client that wants a branch history; NULL: none */
	bool timed;			/* the running profile stops by itself (for=TIME) */
	bool time_over;			/* it has stopped, and no client has asked for its end yet */
	unsigned n_uses;		/* one for the owner and one per request in progress: the last frees it */
	void (*on_closed)(void *arg);
	void *on_closed_arg;
};

struct pt_recorder *pt_recorder_new(struct pt_session *profile)
{
	struct pt_recorder *recorder = pt_alloc(sizeof(*recorder));

	recorder->profile = profile;
	recorder->n_uses = 1;
	return recorder;
}

static void release(struct pt_recorder *recorder)
{
	if (--recorder->n_uses == 0)
		free(recorder);
}

/* A request for the user's profile while the recorder stops. */
struct errand {
	struct pt_recorder *recorder;
	const char *const *words;
	size_t n_words;
	pt_session_reply reply;
	void *arg;
};

static void answer(pt_session_reply reply, void *arg, int rc, const char *why)
{
	reply(arg, rc, why, strlen(why));
}

static bool runs(const struct pt_session *session)
{
	return session != NULL && pt_session_get_state(session) == PT_SESSION_RUNNING;
}

static struct errand *new_errand(struct pt_recorder *recorder, const char *const *words, size_t n_words,
				 pt_session_reply reply, void *arg)
{
	struct errand *errand = pt_alloc(sizeof(*errand));

	*errand = (struct errand){ recorder, words, n_words, reply, arg };
	recorder->n_uses++;
	return errand;
}

static void end_errand(struct errand *errand)
{
	release(errand->recorder);
	free(errand);
}

static void nobody_cares(void *arg, int rc, const char *text, size_t len_bytes)
{
	(void)arg;
	if (rc < 0)
		pt_info("branch history: %.*s", (int)len_bytes, text);
}

/* --- the recorder ------------------------------------------------------------------------------------------------- */

/* The client may have left meanwhile. */
static void on_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_recorder *recorder = errand->recorder;

	if (rc < 0)
		recorder->user = NULL;
	else if (recorder->user == NULL)
		pt_session_stop(recorder->own, nobody_cares, NULL);
	errand->reply(errand->arg, rc, text, len_bytes);
	end_errand(errand);
}

static void start_recorder(struct pt_recorder *recorder, pt_session_reply reply, void *arg)
{
	static const char *const words[] = { "recorder=on", "analysis=none", "spool=0" };
	struct errand *errand = new_errand(recorder, NULL, 0, reply, arg);
	struct pt_err err;

	if (recorder->own == NULL)
		recorder->own = pt_session_beside(recorder->profile);
	if (recorder->own == NULL) {
		end_errand(errand);
		recorder->user = NULL;
		answer(reply, arg, PT_ENOMEM, "no memory for a branch history");
		return;
	}
	if (pt_session_set_program(recorder->own, pt_session_program(recorder->profile), &err) < 0)
		pt_info("branch history: %s", err.msg);
	pt_session_start(recorder->own, words, PT_LEN(words), on_started, errand);
}

void pt_recorder_on(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg)
{
	struct pt_session *profile = recorder->profile;

	if (pt_session_program(profile) == NULL) {
		answer(reply, arg, PT_ESTATE,
		       pt_by_door("a branch history needs the program's code: --elf FILE gives it",
				  "a branch history needs the program's code: monitor symbols FILE comes first"));
		return;
	}
	recorder->user = user;
	if (pt_session_get_state(profile) != PT_SESSION_IDLE)
		pt_session_record(profile, reply, arg);
	else
		start_recorder(recorder, reply, arg);
}

void pt_recorder_off(struct pt_recorder *recorder, const void *user, pt_session_reply reply, void *arg)
{
	if (recorder->user == user)
		recorder->user = NULL;
	if (recorder->user == NULL && runs(recorder->own))
		pt_session_stop(recorder->own, reply, arg);
	else
		reply(arg, 0, "", 0);
}

void pt_recorder_leave(struct pt_recorder *recorder, const void *user)
{
	if (recorder->user == user)
		pt_recorder_off(recorder, user, nobody_cares, NULL);
}

bool pt_recorder_is_on(const struct pt_recorder *recorder)
{
	return recorder->user != NULL || pt_session_records(recorder->profile);
}

bool pt_recorder_is_for(const struct pt_recorder *recorder, const void *user)
{
	return recorder->user == user;
}

bool pt_recorder_at_work(const struct pt_recorder *recorder)
{
	return runs(recorder->profile) || runs(recorder->own);
}

/* The session that keeps the history now; NULL: none does, and the client has the reply. */
static struct pt_session *keeper(struct pt_recorder *recorder, pt_session_reply reply, void *arg)
{
	if (pt_session_records(recorder->profile))
		return recorder->profile;
	if (runs(recorder->own))
		return recorder->own;
	answer(reply, arg, PT_ESTATE,
	       pt_recorder_is_on(recorder)
		       ? "branches are not recorded any more: record stop, and record btrace bts again"
		       : PT_BRANCHES_NONE);
	return NULL;
}

void pt_recorder_history(struct pt_recorder *recorder, uint16_t core, uint64_t since, uint64_t pc,
			 pt_session_reply reply, void *arg)
{
	struct pt_session *session = keeper(recorder, reply, arg);

	if (session != NULL)
		pt_session_history(session, core, since, pc, reply, arg);
}

void pt_recorder_branches(struct pt_recorder *recorder, enum pt_branches how, uint16_t core, size_t top,
			  pt_session_reply reply, void *arg)
{
	struct pt_session *session = keeper(recorder, reply, arg);

	if (session != NULL)
		pt_session_branches(session, how, core, top, reply, arg);
}

/* --- the user's profile ------------------------------------------------------------------------------------------- */

static void on_time_over(void *arg, int rc, const char *text, size_t len_bytes);

static bool has_time(const struct errand *errand)
{
	for (size_t i = 0; i < errand->n_words; i++)
		if (strncmp(errand->words[i], "for=", 4) == 0)
			return true;
	return false;
}

static void on_profile_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_recorder *recorder = errand->recorder;

	if (rc >= 0)
		recorder->time_over = false;
	recorder->timed = rc >= 0 && has_time(errand);
	if (recorder->timed)
		pt_session_wait(recorder->profile, 0, on_time_over, recorder);
	if (rc >= 0 && recorder->user != NULL)
		pt_session_record(recorder->profile, nobody_cares, NULL);
	errand->reply(errand->arg, rc, text, len_bytes);
	if (rc < 0 && recorder->user != NULL)
		start_recorder(recorder, nobody_cares, NULL);
	end_errand(errand);
}

static void on_room(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;

	nobody_cares(NULL, rc, text, len_bytes);
	pt_session_start(errand->recorder->profile, errand->words, errand->n_words, on_profile_started, errand);
}

void pt_recorder_start_profile(struct pt_recorder *recorder, const char *const *words, size_t n_words,
			       pt_session_reply reply, void *arg)
{
	struct errand *errand = new_errand(recorder, words, n_words, reply, arg);

	if (runs(recorder->own))
		pt_session_stop(recorder->own, on_room, errand);
	else
		on_room(errand, 0, "", 0);
}

static void on_profile_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_recorder *recorder = errand->recorder;

	errand->reply(errand->arg, rc, text, len_bytes);
	if (recorder->user != NULL && !runs(recorder->own))
		start_recorder(recorder, nobody_cares, NULL);
	end_errand(errand);
}

static void on_stopped_by_time(void *arg, int rc, const char *text, size_t len_bytes)
{
	static const char over[] = "profile: its time is over, and the core runs on";
	struct pt_recorder *recorder = arg;

	recorder->time_over = rc >= 0;
	nobody_cares(NULL, rc, text, len_bytes);
	if (rc < 0)
		return;
	pt_info("%s", over);
	pt_board_tell(pt_session_board(recorder->profile), over);
	pt_board_tell(pt_session_board(recorder->profile), "; Ctrl-C, then: monitor profile report\n");
}

/* Also called if the profile ends in another way: then there is nothing to stop. */
static void on_time_over(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_recorder *recorder = arg;

	(void)text;
	(void)len_bytes;
	if (recorder->timed && rc >= 0 && runs(recorder->profile))
		pt_recorder_stop_profile(recorder, on_stopped_by_time, recorder);
	recorder->timed = false;
}

void pt_recorder_stop_profile(struct pt_recorder *recorder, pt_session_reply reply, void *arg)
{
	struct errand *errand;

	if (recorder->time_over && pt_session_get_state(recorder->profile) == PT_SESSION_IDLE) {
		recorder->time_over = false;
		answer(reply, arg, 0, "profile stopped by itself, as its time was over (for=TIME)\n");
		return;
	}
	errand = new_errand(recorder, NULL, 0, reply, arg);
	pt_session_stop(recorder->profile, on_profile_stopped, errand);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void on_own_closed(void *arg)
{
	struct pt_recorder *recorder = arg;

	recorder->on_closed(recorder->on_closed_arg);
	release(recorder);
}

void pt_recorder_close(struct pt_recorder *recorder, void (*on_closed)(void *arg), void *arg)
{
	recorder->user = NULL;
	recorder->on_closed = on_closed;
	recorder->on_closed_arg = arg;
	if (recorder->timed)
		pt_session_cancel_wait(recorder->profile);
	if (recorder->own != NULL)
		pt_session_close(recorder->own, on_own_closed, recorder);
	else
		on_own_closed(recorder);
}
