/* What the files of the driver bdc-pipe share. One idea per file:
 *   bdc_pipe.c         the device: open, connect, reset
 *   bdc_pipe_io.c      requests and responses kept in step, by their sequence numbers
 *   bdc_pipe_pack.c    BDC operations -> requests; responses -> the operations that they answer; no I/O
 *   bdc_pipe_batch.c   the pipeline that runs a list of operations through both
 *   bdc_pipe_pins.c    the capture of trace pins
 * Source of the protocol: bdc_pipe.h. */
#ifndef PT_PROBES_BDC_PIPE_PARTS_H
#define PT_PROBES_BDC_PIPE_PARTS_H

#include "probes/bdc/bdc_encode.h"
#include "probes/bdc/bdc_pipe.h"
#include "probes/wires/probe.h"

enum {
	PT_PIPE_LEAST_BYTES = 64,	/* of a packet; before the device has said more, it is what every one takes */
	PT_PIPE_MOST_BYTES = 4096,
	PT_PIPE_MOST_DEPTH = 32,
	PT_PIPE_ANSWER_MS = 400,	/* no healthy probe takes longer, apart from what it is told to wait for */
	PT_PIPE_ACK_MS = 10,		/* a target answers within 512 of its clocks, or with NORESP */
	PT_PIPE_TRY_US = 5000,		/* waits in the probe, so that Ctrl-C stays quick */
};

/* A place in a list of operations; op == n_ops is its end. */
struct pt_pipe_cursor { size_t op; uint32_t i; };

struct pt_pipe_packet {
	struct pt_pipe_cursor from, to;
	bool follows;		/* the command before `from` is on the wire just before it */
	bool barrier;		/* what stands behind must wait for its answer */
	uint64_t busy_ns;	/* how long it keeps the probe busy, at most */
};

enum { PT_PIPE_MOST_PIECES = 16, PT_PIPE_CAPTURE_BYTES = 16384 };

struct pt_pipe_capture {
	bool on, stopped, ended;	/* stopped: no more is taken; ended: nothing more is to be fetched */
	uint8_t bit[PT_PINS_MOST_LINES];	/* of a run's byte, for each wanted line */
	size_t n_lines;
	uint32_t hz;
	int64_t offset_ns;		/* what the probe's clock lacks to the one that was asked for */
	uint64_t error_ns;
	bool busy;			/* the last answer was full: more is waiting */
	struct pt_pipe_piece {
		uint64_t from_ns, lost;
		size_t at, end;
		bool half;		/* of the pair at `at`, the first is given */
	} piece[PT_PIPE_MOST_PIECES]; /* fetched, not given */
	size_t first, n_pieces;
	uint8_t bytes[PT_PIPE_CAPTURE_BYTES];
	size_t n_bytes;
	struct pt_err failed;		/* code: what to say when all that was fetched has been given */
};

struct pt_pipe {
	struct pt_link *link;
	struct pt_link_info link_info;
	char firmware[PT_PROBE_FIRMWARE_TEXT];
	size_t packet_bytes;
	unsigned depth;
	bool use_ack, ack;	/* as set; whether the target sends them now */
	uint32_t bdcsi_hz;	/* 0: not known */
	uint16_t errors;	/* of the flags in BDCCSR */

	uint8_t sequence;	/* of the next request */
	unsigned owed;		/* requests whose responses were not taken: sequence - owed is the oldest */
	unsigned given_up;	/* responses that may still come, late; at most 127 */
	bool silent;		/* the last wait for an answer was in vain */
	struct pt_pipe_packet flight[PT_PIPE_MOST_DEPTH];
	struct pt_pipe_capture capture;
	uint8_t out[PT_PIPE_MOST_BYTES], in[PT_PIPE_MOST_BYTES];
	size_t n_out, n_in;
};

/* --- bdc_pipe_io.c ------------------------------------------------------------------------------------------------ */

void pt_pipe_begin(struct pt_pipe *pipe, uint8_t flags);	/* a new request in pipe->out */
void pt_pipe_put(struct pt_pipe *pipe, const uint8_t *bytes, size_t n_bytes);
int pt_pipe_send(struct pt_pipe *pipe, uint64_t deadline_ns, struct pt_err *err);
/* The next response into pipe->in, n_in bytes, at least its head. 0, PT_EPROTO (it is consumed), or the link's
 * error. */
int pt_pipe_receive(struct pt_pipe *pipe, uint64_t deadline_ns, struct pt_err *err);
/* Collect what earlier calls left. Every call of the driver begins with it. PT_EINTERRUPTED, PT_EIO. */
int pt_pipe_settle(struct pt_pipe *pipe, struct pt_err *err);
int pt_pipe_drain(struct pt_pipe *pipe, struct pt_err *err);	/* only at open */
/* Send what pt_pipe_begin and pt_pipe_put made, and wait for its response; settle comes first. busy_ns: what it takes
 * the probe. Returns its status, or an error. PT_EPROTO also for PT_PIPE_BAD_REQUEST, PT_PIPE_NO_TARGET and an unknown
 * status. */
int pt_pipe_ask(struct pt_pipe *pipe, uint64_t busy_ns, struct pt_err *err);
int pt_pipe_status(const struct pt_pipe *pipe, struct pt_err *err);	/* of the response in pipe->in, as above */

/* --- bdc_pipe_pack.c ---------------------------------------------------------------------------------------------- */

/* As many operations as one request holds, from `at` on, into pipe->out, begun already. at is not the end, nor at a
 * delay that is the host's. */
void pt_pipe_pack(struct pt_pipe *pipe, const struct pt_bdc_op *ops, size_t n_ops, struct pt_pipe_cursor at,
		  bool follows, struct pt_pipe_packet *packet);
bool pt_pipe_is_host_delay(const struct pt_bdc_op *op);	/* too long to be left to the probe */

struct pt_pipe_result {
	struct pt_pipe_cursor done;	/* the first command that was not done */
	bool long_ack;			/* the command before `done` was answered by one */
	bool suspect;			/* a line of the trace buffer looks refused: these have no CHECK */
	bool no_sync;			/* SYNC was not answered */
	uint8_t polled;			/* the last byte of a poll that expired */
	bool nonsense;			/* it is no answer to this packet */
};

/* The response in pipe->in answers packet: what it brings goes to the operations. It is untrusted. */
void pt_pipe_unpack(struct pt_pipe *pipe, const struct pt_pipe_packet *packet, struct pt_bdc_op *ops,
		    struct pt_pipe_result *result);

/* --- bdc_pipe_batch.c --------------------------------------------------------------------------------------------- */

int pt_pipe_run(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		struct pt_err *err);
uint32_t pt_pipe_can(void *state);

/* --- bdc_pipe.c --------------------------------------------------------------------------------------------------- */

/* SYNC, and tell the target whether to send ACK; one that is told to and does not is told not to. PT_EPROTO: no answer
 * to SYNC. After an error no ACK is expected. */
int pt_pipe_bring_up(struct pt_pipe *pipe, bool ack, struct pt_err *err);

/* --- bdc_pipe_pins.c ---------------------------------------------------------------------------------------------- */
extern const struct pt_pins_ops pt_pipe_pins;

#endif
