/* CMSIS-DAP, what the files of its driver share. One idea per file:
 *   cmsis_dap.c         the device: open, what it says about itself, its quirks, the wire's set-up
 *   cmsis_dap_habits.c  devices as they are sold: known quirks, and whether a device can do what it claims
 *   cmsis_dap_io.c      requests and responses kept in step, whatever goes wrong
 *   cmsis_dap_pack.c    a list of operations -> packets; no I/O
 *   cmsis_dap_unpack.c  responses -> the operations they answer; no I/O
 *   cmsis_dap_batch.c   the pipeline that runs a list through both
 *   cmsis_dap_jtag.c    wire jtag: lists of scans as sequences, and its set-up
 *   cmsis_dap_swo.c     wire stream: SWO
 * Source: CMSIS-DAP 2.x reference and reference firmware (facts in the comments as "DAP <command>"). */
#ifndef PT_PROBES_CMSIS_DAP_H
#define PT_PROBES_CMSIS_DAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "probes/wires/jtag_port.h"
#include "probes/wires/link.h"
#include "probes/wires/probe.h"
#include "probes/wires/stream_buffer.h"

enum {
	DAP_INFO = 0x00,
	DAP_HOST_STATUS = 0x01,
	DAP_CONNECT = 0x02,
	DAP_DISCONNECT = 0x03,
	DAP_TRANSFER_CONFIGURE = 0x04,
	DAP_TRANSFER = 0x05,
	DAP_TRANSFER_BLOCK = 0x06,
	DAP_WRITE_ABORT = 0x08,
	DAP_DELAY = 0x09,
	DAP_SWJ_PINS = 0x10,
	DAP_SWJ_CLOCK = 0x11,
	DAP_SWJ_SEQUENCE = 0x12,
	DAP_SWD_CONFIGURE = 0x13,
	DAP_JTAG_SEQUENCE = 0x14,
	DAP_EXECUTE = 0x7f,

	DAP_OK = 0x00,		/* the status byte of most responses */
};

enum {	/* a packet's bounds, whatever the device claims */
	PT_CMSIS_DAP_MIN_BYTES = 32,
	PT_CMSIS_DAP_MAX_BYTES = 4096,
	PT_CMSIS_DAP_UNKNOWN_BYTES = 64,	/* what every device takes. DAP framing */
	PT_CMSIS_DAP_MAX_DEPTH = 64,
	PT_CMSIS_DAP_ANSWER_MS = 400,	/* no command of ours takes a healthy probe longer, delays apart */
};

/* --- packets (cmsis_dap_pack.c, cmsis_dap_unpack.c) --------------------------------------------------------------- */

/* A place in a list of operations: op == n_ops is its end. word counts inside a block. */
struct pt_dap_cursor {
	size_t op;
	uint32_t word;
};

enum pt_dap_command_kind {
	PT_DAP_CMD_TRANSFER = 1,	/* any mix of reads, writes and a poll */
	PT_DAP_CMD_BLOCK,		/* one register, one direction */
	PT_DAP_CMD_DELAY,
};

enum { PT_DAP_PACKET_COMMANDS = 8 };	/* more in one packet gain nothing: delays are what splits commands */

struct pt_dap_packet {
	struct pt_dap_command {
		enum pt_dap_command_kind kind;
		struct pt_dap_cursor from, to;
		uint32_t n_steps;	/* words, or whole operations, from..to */
	} command[PT_DAP_PACKET_COMMANDS];
	unsigned n_commands;		/* more than one: wrapped in ExecuteCommands */
	struct pt_dap_cursor from, to;
	uint32_t time_us;		/* the delays in it */
	bool polls;			/* has a POLL: what follows the packet must wait for its outcome */
};

struct pt_dap_limits {
	size_t packet_bytes;
	bool atomic;			/* the device takes ExecuteCommands */
};

/* Past operations that are empty blocks. */
struct pt_dap_cursor pt_dap_skip_empty(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at);

/* Put as many operations as one packet holds, from `at` on, into bytes (limits->packet_bytes of room) and describe them
 * in packet. ops must have passed pt_dap_check, at must not be the end. Returns the packet's length. */
size_t pt_dap_pack(const struct pt_dap_limits *limits, const struct pt_dap_op *ops, size_t n_ops,
		   struct pt_dap_cursor at, struct pt_dap_packet *packet, uint8_t *bytes);

enum pt_dap_ack {
	PT_DAP_ACK_OK = 1,
	PT_DAP_ACK_WAIT,
	PT_DAP_ACK_FAULT,
	PT_DAP_ACK_EXPIRED,	/* the poll's value did not come */
	PT_DAP_ACK_NONE,	/* the line was not driven, or a parity error: the bytes are in raw */
	PT_DAP_ACK_NONSENSE,	/* not a response to this packet */
};

struct pt_dap_result {
	enum pt_dap_ack ack;
	uint8_t raw;
	struct pt_dap_cursor done;	/* the first step that may not have been done */
	bool progress;		/* something was done, or may have been */
	bool repeatable;	/* WAIT only: going on at `done` repeats and skips nothing */
};

/* Read the response to a packet: words go to their operations. The response is untrusted; it may be longer than
 * needed (HID reports are padded). */
void pt_dap_unpack(const struct pt_dap_packet *packet, const struct pt_dap_op *ops, size_t n_ops, const uint8_t *bytes,
		   size_t len_bytes, struct pt_dap_result *result);

/* --- the device -------------------------------------------------------------------------------------------------- */

enum pt_cmsis_dap_quirk {
	PT_DAP_QUIRK_CLOCK_AFTER_SEQUENCE = 1 << 0,	/* SWJ_Clock is forgotten by SWJ_Sequence */
	PT_DAP_QUIRK_DISCONNECT_FIRST = 1 << 1,		/* a second Connect fails without Disconnect */
	PT_DAP_QUIRK_ONE_PACKET = 1 << 2,		/* answers one packet at a time whatever it says */
	PT_DAP_QUIRK_OLD_FIRMWARE = 1 << 3,		/* known to lose data: the user is told to update */
};

/* A packet that is with the probe. */
struct pt_cmsis_dap_flight {
	struct pt_dap_packet packet;
	bool configures;	/* not of the list: a TransferConfigure */
};

struct pt_cmsis_dap_swo {
	bool uart, manchester;		/* the codings it says it has */
	bool index;			/* it counts what it has received */
	bool endpoint;			/* it can send SWO by an endpoint of its own */
	bool by_endpoint;		/* and does */
	uint32_t ring_bytes;		/* 0: it does not say */
	bool active;			/* from start() to stop() */
	uint32_t bits_per_s;
	struct pt_link *clock;		/* of the times */
	struct pt_stream_buffer buffer;
	uint64_t received_least;	/* bytes that the probe had at least when it was last asked for its status */
	uint64_t paused_at;		/* what it had when its last status said PAUSED; PT_UNKNOWN: it did not */
	uint64_t agreed;		/* bytes that had come when the index last was compared */
	uint64_t cut_bytes;		/* what the index has more than came, so far */
	bool unsure;			/* answers were lost, and the index was not compared since */
	bool lost_since_status;		/* an answer said so, behind the last status */
	bool crowded;			/* its ring was more than half full */
	bool drained;			/* and is empty */
	unsigned n_asked, n_answered;	/* of the poll under way; n_asked 0: there is none */
	size_t ask_bytes, last_bytes;	/* of one request for data; of the last poll in all */
	uint64_t came_before, asked_ns, answered_ns;
};

struct pt_cmsis_dap {
	struct pt_link *link;
	struct pt_link_info link_info;
	struct pt_dap_limits limits;
	unsigned depth;		/* packets that may be outstanding, 1..PT_CMSIS_DAP_MAX_DEPTH */
	bool has_swd, has_jtag;
	struct pt_cmsis_dap_swo swo;
	unsigned quirks;	/* enum pt_cmsis_dap_quirk */
	char firmware[PT_PROBE_FIRMWARE_TEXT], protocol[16];
	uint32_t speed_hz;
	uint8_t idle_cycles;
	uint16_t match_retry;			/* as the probe is set */
	uint32_t wait_retry_asked, match_retry_asked;	/* by settings; 0: from the speed */
	struct pt_jtag_port jtag;
	uint32_t answer_ms;		/* how long an answer is waited for; 0: PT_CMSIS_DAP_ANSWER_MS */
	bool connected;			/* DAP_Connect was sent */
	bool on_jtag;			/* the port was brought up for JTAG, not for SWD */

	unsigned owed;		/* requests sent whose responses were not taken */
	unsigned asked;		/* questions for a new start whose answers have not come */
	bool lost_ahead;	/* a response did not come while others were outstanding */
	unsigned n_lost_ahead;	/* how often, until it was found out */
	bool silent;		/* the last wait for an answer was in vain */
	bool out_of_step;	/* responses may be stale or lost: agree on a new start before the next request */
	struct pt_cmsis_dap_flight flight[PT_CMSIS_DAP_MAX_DEPTH];	/* of the list under way */
	uint8_t out[PT_CMSIS_DAP_MAX_BYTES], in[PT_CMSIS_DAP_MAX_BYTES];
};

/* --- requests and responses (cmsis_dap_io.c) ---------------------------------------------------------------------- */

/* Collect what earlier calls left with the probe, so that the next response is to the next request. Every operation
 * begins with it. PT_ETIMEOUT: the probe does not answer; PT_EINTERRUPTED, PT_EIO. */
int pt_cmsis_dap_settle(struct pt_cmsis_dap *dap, struct pt_err *err);

/* Throw away what a killed host left in the pipe. Only at open. */
int pt_cmsis_dap_drain(struct pt_cmsis_dap *dap, struct pt_err *err);

/* The request in dap->out. */
int pt_cmsis_dap_send(struct pt_cmsis_dap *dap, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err);
/* The next response into dap->in; its length, or the link's error. */
int pt_cmsis_dap_receive(struct pt_cmsis_dap *dap, uint64_t deadline_ns, struct pt_err *err);

/* One command and its response in dap->in, of at least min_bytes. settle() comes first. */
int pt_cmsis_dap_command(struct pt_cmsis_dap *dap, const uint8_t *request, size_t len_bytes, size_t min_bytes,
			 struct pt_err *err);

/* The response to a command that was sent, into dap->in; its length. */
int pt_cmsis_dap_take_answer(struct pt_cmsis_dap *dap, uint8_t command, size_t min_bytes, struct pt_err *err);

/* Commands that answer with a status byte, sent together as far as the depth allows. A command with any_status may
 * answer what it likes, also "unknown command". what: for the sentence. */
struct pt_cmsis_dap_order {
	const char *what;
	uint8_t bytes[24];
	size_t len_bytes;
	uint8_t want;		/* the response's second byte */
	bool any_status;
};
int pt_cmsis_dap_orders(struct pt_cmsis_dap *dap, const struct pt_cmsis_dap_order *orders, size_t n_orders,
			struct pt_err *err);

/* --- devices as they are sold (cmsis_dap_habits.c) ----------------------------------------------------------------- */

unsigned pt_cmsis_dap_quirks_of(const struct pt_link_info *link);

/* Data of one DAP Info. */
struct pt_cmsis_dap_said {
	uint8_t bytes[64];
	size_t len_bytes;
};
/* Asks these by packets as long and as many at a time as the device claims to take. One that does not answer so is asked
 * again with less: limits and depth become what it can do, and the log says so. The first is to be the capabilities. */
int pt_cmsis_dap_ask_as_claimed(struct pt_cmsis_dap *dap, const uint8_t *ids, size_t n, struct pt_cmsis_dap_said *said,
				struct pt_err *err);
void pt_cmsis_dap_one_at_a_time(struct pt_cmsis_dap *dap);	/* it lost a packet: it claims too many */

/* --- set-up (cmsis_dap.c), and wire jtag (cmsis_dap_jtag.c) ------------------------------------------------------- */

struct pt_cmsis_dap_order pt_cmsis_dap_clock_order(uint32_t hz);
int pt_cmsis_dap_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err);
/* Pins of reset: those in select are driven, those of them in low are asserted. */
enum { PT_CMSIS_DAP_NTRST = 1 << 5, PT_CMSIS_DAP_NRESET = 1 << 7 };
int pt_cmsis_dap_drive_resets(struct pt_cmsis_dap *dap, uint8_t select, uint8_t low, struct pt_err *err);

void pt_cmsis_dap_jtag_init(struct pt_cmsis_dap *dap);	/* when all else is known */
extern const struct pt_jtag_ops pt_cmsis_dap_jtag_ops;	/* their state is a struct pt_cmsis_dap */

/* --- wire stream (cmsis_dap_swo.c) -------------------------------------------------------------------------------- */

extern const struct pt_stream_ops pt_cmsis_dap_stream_ops;	/* their state is a struct pt_cmsis_dap */
/* A response of n bytes came into dap->in: takes it if it is one to a poll. */
void pt_cmsis_dap_swo_take(struct pt_cmsis_dap *dap, size_t n);
bool pt_cmsis_dap_swo_answers(const struct pt_cmsis_dap *dap);	/* the last response was one to a poll */
void pt_cmsis_dap_swo_ask_ahead(struct pt_cmsis_dap *dap);	/* behind other work, if it is time to */
void pt_cmsis_dap_swo_close(struct pt_cmsis_dap *dap);

/* --- lists of operations (cmsis_dap_batch.c) ---------------------------------------------------------------------- */

/* How often the probe repeats a poll by itself so that one packet's poll lasts at most poll_us at this speed. */
uint16_t pt_cmsis_dap_match_retry(const struct pt_cmsis_dap *dap, uint32_t poll_us);
/* TransferConfigure for match_retry; returns its length. */
size_t pt_cmsis_dap_configure(const struct pt_cmsis_dap *dap, uint16_t match_retry, uint8_t *bytes);

enum { PT_CMSIS_DAP_POLL_US = 5000 };	/* one packet's poll, so that Ctrl-C stays quick */

int pt_cmsis_dap_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		     struct pt_err *err);

#endif
