/* Writes a variable that a profile follows, by its name and in the form of its type, while the program runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_parts.h"

/* --- values ------------------------------------------------------------------------------------------------------- */

static bool take_enumerator(const struct pt_signal_definition *d, const char *value, uint64_t *raw)
{
	for (size_t i = 0; i < d->n_values; i++)
		if (strcmp(d->values[i].name, value) == 0) {
			*raw = d->values[i].value;
			return true;
		}
	return false;
}

static int take_float(const struct pt_signal_definition *d, const char *value, uint64_t *raw, struct pt_err *err)
{
	char *end;
	double real = strtod(value, &end);
	float single = (float)real;
	uint32_t bits;

	if (end == value || *end != '\0')
		return pt_fail(err, PT_EARG, "%.40s is not a number, and %.80s is a float", value, d->name);
	if (d->size_bytes == sizeof(single)) {
		memcpy(&bits, &single, sizeof(bits));
		*raw = bits;
	} else {
		memcpy(raw, &real, sizeof(*raw));
	}
	return 0;
}

static int take_integer(const struct pt_signal_definition *d, const char *value, uint64_t *raw, struct pt_err *err)
{
	unsigned bits = 8 * d->size_bytes;
	uint64_t most = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	char *end;

	errno = 0;
	*raw = value[0] == '-' ? (uint64_t)strtoll(value, &end, 0) : strtoull(value, &end, 0);
	if (end == value || *end != '\0' || errno != 0)
		return pt_fail(err, PT_EARG, "%.40s is not a value of %.80s: %s", value, d->name,
			       d->n_values > 0 ? "give an enumerator, or a number" : "give a whole number");
	if (value[0] == '-' ? !d->is_signed || (bits < 64 && (int64_t)*raw < -(int64_t)(most / 2) - 1)
			    : *raw > (d->is_signed ? most / 2 : most))
		return pt_fail(err, PT_EARG, "%.40s does not fit into %.80s, which has %u bits%s", value, d->name, bits,
			       d->is_signed ? " and a sign" : "");
	return 0;
}

static int take_value(const struct pt_signal_definition *d, const char *value, uint8_t *bytes, struct pt_err *err)
{
	uint64_t raw = 0;

	if (d->n_bits != 0 && d->n_bits != 8 * d->size_bytes)
		return pt_fail(
			err, PT_EARG,
			"%.80s is part of a word, and the program may change the rest of it meanwhile: it is not written",
			d->name);
	if (!take_enumerator(d, value, &raw) &&
	    (d->is_float ? take_float(d, value, &raw, err) : take_integer(d, value, &raw, err)) < 0)
		return err->code;
	for (uint32_t i = 0; i < d->size_bytes; i++)
		bytes[i] = (uint8_t)(raw >> 8 * (d->big_endian ? d->size_bytes - 1 - i : i));
	return 0;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

static int write_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct request *request = (struct request *)job;

	(void)board;
	(void)target;
	return pt_live_write(request->recording->live, request->addr, request->bytes, request->len_bytes, err);
}

void pt_session_write(struct pt_session *session, const char *name, const char *value, pt_session_reply reply,
		      void *arg)
{
	const struct pt_signal_definition *d;
	struct waiter waiter = { reply, arg };
	struct pt_err err = { 0 };
	struct request *request;
	uint8_t bytes[8];

	if (pt_session_refused(session, PT_SESSION_RUNNING, reply, arg))
		return;
	d = pt_recording_followed(session->recording, name, &err);
	if (d == NULL || take_value(d, value, bytes, &err) < 0) {
		pt_session_answer(&waiter, err.code, err.msg);
		return;
	}
	request = pt_session_request(session, reply, arg);
	request->addr = d->at;
	request->len_bytes = d->size_bytes;
	memcpy(request->bytes, bytes, sizeof(bytes));
	snprintf(request->say, sizeof(request->say),
		 "%.80s = %.40s was written; report timeline name=%.80s shows when\n", name, value, name);
	request->job.run = write_run;
	request->job.done = pt_session_say_done;
	pt_board_post(session->board, &request->job);
}
