/* Who has the connection, and what both threads know of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/rsp/rsp_parts.h"
#include "base/util.h"

enum { PASSED_BYTES = 256 * 1024 };

struct pt_rsp_shared *pt_rsp_stream_lock(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	return &s->shared;
}

void pt_rsp_stream_unlock(struct pt_rsp_stream *s)
{
	pthread_mutex_unlock(&s->lock);
}

void pt_rsp_stream_ask_known(struct pt_rsp_stream *s)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(s);
	bool ask = shared->owed > 0 && !shared->asked_known && shared->known_answer[0] != '\0';
	char question[PT_RSP_KNOWN_BYTES];

	memcpy(question, shared->known_question, sizeof(question));
	shared->asked_known |= ask;
	shared->owed += ask;
	pt_rsp_stream_unlock(s);
	if (ask)
		pt_rsp_stream_send(s, question, strlen(question));
}

bool pt_rsp_stream_settle(struct pt_rsp_stream *s, const void *payload, size_t len_bytes)
{
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(s);
	size_t known = strlen(shared->known_answer);
	bool none;

	if (shared->asked_known && len_bytes >= known && memcmp(payload, shared->known_answer, known) == 0)
		shared->owed = 0;
	else if (shared->owed > 0)
		shared->owed--;
	none = shared->owed == 0;
	shared->asked_known &= !none;
	pt_rsp_stream_unlock(s);
	return none;
}

void pt_rsp_stream_set_no_ack(struct pt_rsp_stream *s)
{
	s->no_ack = true;
}

uint32_t pt_rsp_stream_patience_ms(const struct pt_rsp_stream *s)
{
	return s->patience_ms;
}

void pt_rsp_stream_set_patience(struct pt_rsp_stream *s, uint32_t ms)
{
	s->patience_ms = ms;
}

static struct timespec patience(const struct pt_rsp_stream *s)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += s->patience_ms / 1000;
	until.tv_nsec += s->patience_ms % 1000 * (long)PT_NS_PER_MS;
	until.tv_sec += until.tv_nsec / (long)PT_NS_PER_S;
	until.tv_nsec %= (long)PT_NS_PER_S;
	return until;
}

int pt_rsp_stream_hold(struct pt_rsp_stream *s, struct pt_err *err)
{
	struct timespec until = patience(s);
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	if (s->holds == 0 && s->granted != PT_RSP_BOARDS) {
		s->wanted = true;
		s->nudge(s->nudge_arg);
		while (s->granted != PT_RSP_BOARDS && s->why[0] == '\0' && rc == 0)
			rc = pthread_cond_timedwait(&s->turned, &s->lock, &until);
		s->wanted = false;
	}
	if (s->why[0] != '\0')
		rc = pt_fail(err, PT_EIO, "%s", s->why);
	else if (s->holds == 0 && s->granted != PT_RSP_BOARDS)
		rc = pt_fail(err, PT_EBUSY, "%s: a debugger's packet is not answered yet", s->where);
	else
		rc = 0;
	s->holds += rc == 0;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void give(struct pt_rsp_stream *s)	/* under the lock */
{
	if (s->holds > 0 || s->nudge == NULL || s->granted == PT_RSP_LOOPS)
		return;
	s->granted = PT_RSP_LOOPS;
	s->nudge(s->nudge_arg);
}

void pt_rsp_stream_release(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->holds--;
	give(s);
	pthread_mutex_unlock(&s->lock);
}

bool pt_rsp_stream_pass(struct pt_rsp_stream *s, const struct pt_rsp_raw *raw)
{
	uint8_t *room = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->nudge != NULL && s->passed_bytes + raw->len_bytes <= PASSED_BYTES)
		room = realloc(s->passed, s->passed_bytes + raw->len_bytes);
	if (room != NULL) {
		s->passed = room;
		memcpy(room + s->passed_bytes, raw->bytes, raw->len_bytes);
		s->passed_bytes += raw->len_bytes;
	}
	pthread_mutex_unlock(&s->lock);
	return room != NULL;
}

bool pt_rsp_stream_attach(struct pt_rsp_stream *s, void (*nudge)(void *arg), void *arg)
{
	bool free_now;

	pthread_mutex_lock(&s->lock);
	free_now = s->nudge == NULL;
	if (free_now) {
		s->nudge = nudge;
		s->nudge_arg = arg;
		s->shared.unheard = false;	/* it asks for what there is */
		give(s);
	}
	pthread_mutex_unlock(&s->lock);
	return free_now;
}

void pt_rsp_stream_detach(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->nudge = NULL;
	s->granted = PT_RSP_BOARDS;
	s->passed_bytes = 0;
	s->shared.thread[0] = '\0';
	s->shared.run.client_waits = s->shared.client_interrupts = false;
	s->shared.unheard = s->shared.run.non_stop;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

bool pt_rsp_stream_has_turn(struct pt_rsp_stream *s)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->granted == PT_RSP_LOOPS;
	pthread_mutex_unlock(&s->lock);
	return has;
}

bool pt_rsp_stream_wanted(struct pt_rsp_stream *s)
{
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = s->wanted;
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

void pt_rsp_stream_yield(struct pt_rsp_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->granted = PT_RSP_BOARDS;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

uint8_t *pt_rsp_stream_take_passed(struct pt_rsp_stream *s, size_t *len_bytes)
{
	uint8_t *bytes;

	pthread_mutex_lock(&s->lock);
	bytes = s->passed;
	*len_bytes = s->passed_bytes;
	s->passed = NULL;
	s->passed_bytes = 0;
	pthread_mutex_unlock(&s->lock);
	return bytes;
}
