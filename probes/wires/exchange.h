/* One request, one reply, in turns, for devices whose replies do not name their request: keeps both in step after any
 * error. A call that ends early leaves its reply outstanding, and the next request collects it first; if replies may be
 * lost or late, a question with a recognisable answer finds the end of the stale ones. Board thread. */
#ifndef PT_PROBES_EXCHANGE_H
#define PT_PROBES_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "probes/wires/link.h"

enum {
	PT_EXCHANGE_BYTES = 9856,	/* of a reply: the longest, a list of an ST-Link V3; a shift of a J-Link is 8256 */
	PT_EXCHANGE_ANSWER_MS = 400
}; /* no healthy probe takes longer, besides the time for the request itself */

struct pt_exchange {
	struct pt_link *link;		/* set by the driver before the first call */
	const char *name;		/* for the log */
	/* Writes a request that changes nothing to out (64 bytes); and whether a reply is its answer. */
	size_t (*question)(uint8_t *out);
	bool (*answers)(const uint8_t *in, size_t n_in);

	uint32_t answer_ms;		/* time limit for a reply; 0: PT_EXCHANGE_ANSWER_MS */
	size_t room;			/* length of the reply to the next request, or its limit; 0: any */
	uint8_t in[PT_EXCHANGE_BYTES];	/* the last reply */
	unsigned debt;			/* replies that were not taken */
	unsigned asked;			/* questions whose answers have not come */
	bool silent, out_of_step;
};

/* For drivers with several outstanding requests: settle collects the replies of earlier calls, once before the first
 * request; then send and receive in order. send: 0 or the link's error; receive: the reply's length, into exchange->in,
 * or the link's error. */
int pt_exchange_settle(struct pt_exchange *exchange, struct pt_err *err);
int pt_exchange_send(struct pt_exchange *exchange, const uint8_t *bytes, size_t n_bytes, struct pt_err *err);
int pt_exchange_receive(struct pt_exchange *exchange, uint64_t deadline_ns, struct pt_err *err);

/* Drops the replies that a killed host has left; only at open. */
int pt_exchange_drain(struct pt_exchange *exchange, struct pt_err *err);
/* Sends a request; then the reply is in exchange->in. busy_ns: the time that the device may need. Returns its length,
 * or PT_ETIMEOUT, PT_EINTERRUPTED, PT_EIO, PT_EPROTO (a reply of more than PT_EXCHANGE_BYTES). */
int pt_exchange_ask(struct pt_exchange *exchange, const uint8_t *request, size_t n_bytes, uint64_t busy_ns,
		    struct pt_err *err);
/* The same for one that goes in two packets. */
int pt_exchange_ask_parts(struct pt_exchange *exchange, const uint8_t *first, size_t n_first, const uint8_t *rest,
			  size_t n_rest, uint64_t busy_ns, struct pt_err *err);
/* Receives another reply to the same request, which the last one announced. As pt_exchange_ask. */
int pt_exchange_again(struct pt_exchange *exchange, uint64_t busy_ns, struct pt_err *err);
/* The last reply was not for the last request: resynchronises before the next. Returns PT_EPROTO with the sentence. */
int pt_exchange_mistrust(struct pt_exchange *exchange, struct pt_err *err);

#endif
