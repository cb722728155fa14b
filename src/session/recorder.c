#include "session/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/client.h"
#include "host/log.h"
#include "base/util.h"

/* A request of the user's profile, while the recorder makes room. */
struct errand {
	struct pt_gdbstub *stub;
	const char *const *words;
	size_t n_words;
	pt_session_reply reply;
	void *arg;
};

static void refuse(pt_session_reply reply, void *arg, int rc, const char *why)
{
	reply(arg, rc, why, strlen(why));
}

static bool runs(const struct pt_session *session)
{
	return session != NULL && pt_session_get_state(session) == PT_SESSION_RUNNING;
}

static struct errand *new_errand(struct pt_gdbstub *stub, const char *const *words, size_t n_words,
				 pt_session_reply reply, void *arg)
{
	struct errand *errand = malloc(sizeof(*errand));

	if (errand != NULL)
		*errand = (struct errand){ stub, words, n_words, reply, arg };
	return errand;
}

static void nobody_cares(void *arg, int rc, const char *text, size_t len_bytes)
{
	(void)arg;
	if (rc < 0)
		pt_info("branch history: %.*s", (int)len_bytes, text);
}

/* --- the recorder ------------------------------------------------------------------------------------------------- */

/* Whoever wanted it may have left meanwhile. */
static void on_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_gdbstub *stub = errand->stub;

	if (rc < 0)
		stub->recording = NULL;
	else if (stub->recording == NULL)
		pt_session_stop(stub->recorder, nobody_cares, NULL);
	errand->reply(errand->arg, rc, text, len_bytes);
	free(errand);
}

static void start_recorder(struct pt_gdbstub *stub, pt_session_reply reply, void *arg)
{
	static const char *const words[] = { "recorder=on", "analysis=none", "spool=0" };
	struct errand *errand = new_errand(stub, NULL, 0, reply, arg);
	struct pt_err err;

	if (stub->recorder == NULL)
		stub->recorder = pt_session_beside(stub->config.session);
	if (errand == NULL || stub->recorder == NULL) {
		free(errand);
		stub->recording = NULL;
		refuse(reply, arg, PT_ENOMEM, "no memory for a branch history");
		return;
	}
	if (pt_session_set_program(stub->recorder, pt_session_program(stub->config.session), &err) < 0)
		pt_info("branch history: %s", err.msg);
	pt_session_start(stub->recorder, words, PT_LEN(words), on_started, errand);
}

void pt_recorder_on(struct pt_gdb_client *client, pt_session_reply reply, void *arg)
{
	struct pt_gdbstub *stub = client->stub;
	struct pt_session *profile = stub->config.session;

	if (pt_session_program(profile) == NULL) {
		refuse(reply, arg, PT_ESTATE,
		       "a branch history needs the program's code: monitor symbols FILE comes first");
		return;
	}
	stub->recording = client;
	if (pt_session_get_state(profile) != PT_SESSION_IDLE)
		pt_session_record(profile, reply, arg);
	else
		start_recorder(stub, reply, arg);
}

void pt_recorder_off(struct pt_gdb_client *client, pt_session_reply reply, void *arg)
{
	struct pt_gdbstub *stub = client->stub;

	reply = reply != NULL ? reply : nobody_cares;
	if (stub->recording == client)
		stub->recording = NULL;
	if (stub->recording == NULL && runs(stub->recorder))
		pt_session_stop(stub->recorder, reply, arg);
	else
		reply(arg, 0, "", 0);
}

bool pt_recorder_is_on(const struct pt_gdbstub *stub)
{
	return stub->recording != NULL || pt_session_records(stub->config.session);
}

bool pt_recorder_at_work(const struct pt_gdbstub *stub)
{
	return runs(stub->config.session) || runs(stub->recorder);
}

/* Who has the history now; NULL: nobody, and that was the reply. */
static struct pt_session *keeper(struct pt_gdbstub *stub, pt_session_reply reply, void *arg)
{
	if (pt_session_records(stub->config.session))
		return stub->config.session;
	if (runs(stub->recorder))
		return stub->recorder;
	refuse(reply, arg, PT_ESTATE, pt_recorder_is_on(stub)
	       ? "nothing records branches any more: record stop, and record btrace bts again"
	       : "no branch history is kept: record btrace bts, or monitor profile start mode=ring");
	return NULL;
}

void pt_recorder_history(struct pt_gdbstub *stub, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			 void *arg)
{
	struct pt_session *session = keeper(stub, reply, arg);

	if (session != NULL)
		pt_session_history(session, core, since, pc, reply, arg);
}

void pt_recorder_branches(struct pt_gdbstub *stub, enum pt_branches how, uint16_t core, size_t top,
			  pt_session_reply reply, void *arg)
{
	struct pt_session *session = keeper(stub, reply, arg);

	if (session != NULL)
		pt_session_branches(session, how, core, top, reply, arg);
}

/* --- the user's profile ------------------------------------------------------------------------------------------- */

static void on_profile_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_gdbstub *stub = errand->stub;

	if (rc >= 0 && stub->recording != NULL)
		pt_session_record(stub->config.session, nobody_cares, NULL);
	errand->reply(errand->arg, rc, text, len_bytes);
	if (rc < 0 && stub->recording != NULL && !stub->closing)
		start_recorder(stub, nobody_cares, NULL);
	free(errand);
}

static void on_room(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;

	nobody_cares(NULL, rc, text, len_bytes);
	pt_session_start(errand->stub->config.session, errand->words, errand->n_words, on_profile_started, errand);
}

void pt_recorder_start_profile(struct pt_gdbstub *stub, const char *const *words, size_t n_words,
			       pt_session_reply reply, void *arg)
{
	struct errand *errand = new_errand(stub, words, n_words, reply, arg);

	if (errand == NULL)
		refuse(reply, arg, PT_ENOMEM, "no memory for a profile");
	else if (runs(stub->recorder))
		pt_session_stop(stub->recorder, on_room, errand);
	else
		on_room(errand, 0, "", 0);
}

static void on_profile_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct errand *errand = arg;
	struct pt_gdbstub *stub = errand->stub;

	errand->reply(errand->arg, rc, text, len_bytes);
	if (stub->recording != NULL && !stub->closing && !runs(stub->recorder))
		start_recorder(stub, nobody_cares, NULL);
	free(errand);
}

void pt_recorder_stop_profile(struct pt_gdbstub *stub, pt_session_reply reply, void *arg)
{
	struct errand *errand = new_errand(stub, NULL, 0, reply, arg);

	if (errand == NULL)
		refuse(reply, arg, PT_ENOMEM, "no memory to stop the profile");
	else
		pt_session_stop(stub->config.session, on_profile_stopped, errand);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

void pt_recorder_close(struct pt_gdbstub *stub, void (*on_closed)(void *arg), void *arg)
{
	struct pt_session *recorder = stub->recorder;

	stub->recording = NULL;
	stub->recorder = NULL;
	if (recorder != NULL)
		pt_session_close(recorder, on_closed, arg);
	else
		on_closed(arg);
}
