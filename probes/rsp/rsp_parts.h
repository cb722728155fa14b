/* What the files of this connection share: rsp_stream.c has its life and what goes out, rsp_frames.c what comes in,
 * rsp_grants.c who has it, rsp_link.c the board's end of it as a link. */
#ifndef PT_PROBES_LINKS_RSP_PARTS_H
#define PT_PROBES_LINKS_RSP_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "probes/rsp/rsp_stream.h"
#include "probes/links/wake.h"
#include "base/rsp_frame.h"

enum { PT_RSP_MAX_DAMAGED = 3 };
enum pt_rsp_grant { PT_RSP_BOARDS, PT_RSP_LOOPS };

struct pt_rsp_stream {
	atomic_uint refs;
	atomic_int fd;				/* -1: it has ended */
	int socket;				/* the same, until it is closed with the last reference */
	pid_t child;				/* 0: none */
	struct pt_serial *serial;		/* NULL: none */
	void (*release)(void *server);		/* NULL: the server is not ours */
	void *server;
	char where[64];
	struct pt_wake wake;
	/* in: [begin, end) has not been taken; [begin, scanned) has been looked at */
	uint8_t in[PT_RSP_STREAM_BYTES];
	size_t begin, scanned, end;
	uint8_t sum;
	unsigned n_damaged, n_naks;		/* in a row */
	bool no_ack, ack_owed, ahead;
	uint32_t patience_ms;
	/* out */
	struct pt_rsp_frame frame;		/* the last packet, for a server that asks for it again */
	uint8_t *unsent;
	size_t unsent_bytes, unsent_room;

	pthread_mutex_t lock;
	pthread_cond_t turned;			/* of the monotonic clock */
	struct pt_rsp_shared shared;
	enum pt_rsp_grant granted;
	unsigned holds;				/* the board's */
	bool wanted;				/* by the board */
	void (*nudge)(void *arg);
	void *nudge_arg;
	char why[160];
	uint8_t *passed;
	size_t passed_bytes;
};

/* Board thread. Not connected yet; one reference, the caller's. NULL: PT_ENOMEM, PT_EIO. */
struct pt_rsp_stream *pt_rsp_stream_new(const char *address, struct pt_err *err);
void pt_rsp_stream_hung_up(struct pt_rsp_stream *s);	/* the other end has closed */
/* Sends these bytes behind all that is still unsent. With the turn. */
void pt_rsp_stream_put(struct pt_rsp_stream *s, const uint8_t *bytes, size_t len_bytes);

#endif
