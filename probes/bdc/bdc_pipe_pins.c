/* The capture of PDO and PDOCLK: runs of levels, fetched while they come. What was fetched must not get lost, so a
 * fetch is done inside a shield; only waiting for more can be interrupted. */
#include <stdlib.h>
#include <string.h>

#include "probes/bdc/bdc_pipe_parts.h"
#include "base/util.h"

enum { CAPTURED_HEAD = 1 + 8 + 4 + 2, SAMPLES = 0x3f, WAIT_MS = 1 };
enum { PAIR = 48, PDOCLK = 0x80, FAST_BYTES = 512 };

static const struct { const char *name, *number; uint8_t bit; } lines[] = { { "pdo", "0", 6 }, { "pdoclk", "1", 7 } };

static const char *pins_line(void *state, size_t i)
{
	(void)state;
	return i < PT_LEN(lines) ? lines[i].name : NULL;
}

static int find_lines(struct pt_pipe_capture *capture, const struct pt_pins_want *want, struct pt_err *err)
{
	if (want->n_lines == 0 || want->n_lines > PT_PINS_MOST_LINES)
		return pt_fail(err, PT_EARG, "a capture of %zu lines", want->n_lines);
	for (size_t i = 0; i < want->n_lines; i++) {
		size_t k = 0;

		while (k < PT_LEN(lines) && strcmp(want->line[i], lines[k].name) != 0 &&
		       strcmp(want->line[i], lines[k].number) != 0)
			k++;
		if (k == PT_LEN(lines))
			return pt_fail(err, PT_EARG, "the probe has no line %s; it has pdo (0) and pdoclk (1)",
				       want->line[i]);
		capture->bit[i] = lines[k].bit;
	}
	capture->n_lines = want->n_lines;
	return 0;
}

/* The two clocks, as near to each other as a round trip lets them be read. */
static void take_clock(struct pt_pipe *pipe, struct pt_link *clock, uint64_t before_ns)
{
	uint64_t after_ns = pt_link_now_ns(clock);

	pipe->capture.offset_ns =
		(int64_t)(before_ns + (after_ns - before_ns) / 2 - pt_le64(pipe->in + PT_PIPE_RESPONSE_HEAD + 4));
	pipe->capture.error_ns = (after_ns - before_ns + 1) / 2;
}

static int pins_start(void *state, const struct pt_pins_want *want, uint32_t *sample_hz, struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	struct pt_link *clock = want->clock != NULL ? want->clock : pipe->link;
	struct pt_pipe_capture *capture = &pipe->capture;
	uint8_t bytes[5] = { PT_PIPE_CAPTURE };
	uint64_t before_ns;
	int rc;

	if (capture->on && !capture->stopped)
		return pt_fail(err, PT_EBUSY, "the probe captures already");
	*capture = (struct pt_pipe_capture){ 0 };
	rc = find_lines(capture, want, err);
	if (rc == 0)
		rc = pt_pipe_settle(pipe, err);
	if (rc < 0)
		return rc;
	before_ns = pt_link_now_ns(clock);
	pt_put_le32(bytes + 1, want->least_hz);
	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, bytes, sizeof(bytes));
	rc = pt_pipe_ask(pipe, 0, err);
	if (rc < 0)
		return rc;
	if (rc != PT_PIPE_DONE || pipe->n_in < PT_PIPE_RESPONSE_HEAD + 12)
		return pt_fail(err, PT_EPROTO, "the probe does not begin to capture");
	*sample_hz = capture->hz = pt_le32(pipe->in + PT_PIPE_RESPONSE_HEAD);
	if (capture->hz == 0)
		return pt_fail(err, PT_EARG, "the probe cannot take %u samples a second", want->least_hz);
	take_clock(pipe, clock, before_ns);
	capture->on = true;
	return 0;
}

/* --- fetching ----------------------------------------------------------------------------------------------------- */

static int take_piece(struct pt_pipe *pipe, struct pt_err *err)
{
	const uint8_t *in = pipe->in + PT_PIPE_RESPONSE_HEAD;
	struct pt_pipe_capture *capture = &pipe->capture;
	size_t n = pipe->n_in - PT_PIPE_RESPONSE_HEAD, n_bytes = n < CAPTURED_HEAD ? 0 : pt_le16(in + 13);
	struct pt_pipe_piece piece = { .at = capture->n_bytes, .end = capture->n_bytes + n_bytes };

	if (n < CAPTURED_HEAD || in[0] > 1 || n_bytes > n - CAPTURED_HEAD || piece.end > sizeof(capture->bytes))
		return pt_fail(err, PT_EPROTO, "the probe's capture is cut short");
	piece.from_ns = pt_le64(in + 1);
	piece.lost = pt_le32(in + 9);
	capture->ended = in[0] == 1;
	capture->busy = 2 * n_bytes > pipe->packet_bytes;
	memcpy(capture->bytes + capture->n_bytes, in + CAPTURED_HEAD, n_bytes);
	capture->n_bytes = piece.end;
	if (n_bytes > 0 || piece.lost > 0)
		capture->piece[capture->n_pieces++] = piece;
	return 0;
}

static int ask_piece(struct pt_pipe *pipe, struct pt_err *err)
{
	size_t room = pipe->packet_bytes - PT_PIPE_RESPONSE_HEAD - CAPTURED_HEAD;

	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_CAPTURED, (uint8_t)room, (uint8_t)(room >> 8) }, 3);
	return pt_pipe_send(pipe, pt_link_now_ns(pipe->link) + PT_PIPE_ANSWER_MS * PT_NS_PER_MS, err);
}

static int get_piece(struct pt_pipe *pipe, struct pt_err *err)
{
	int rc = pt_pipe_receive(pipe, pt_link_now_ns(pipe->link) + PT_PIPE_ANSWER_MS * PT_NS_PER_MS, err);

	if (rc == PT_ETIMEOUT)
		return pt_fail(err, rc, "the probe does not answer");
	if (rc == 0)
		rc = pt_pipe_status(pipe, err);
	if (rc > 0)
		rc = pt_fail(err, PT_EPROTO, "the probe does not give what it captured");
	return rc < 0 ? rc : take_piece(pipe, err);
}

/* One answer where little comes; where much does, as many as the probe queues, and on a fast link
 * several times that. */
static size_t n_to_ask(const struct pt_pipe *pipe)
{
	size_t most = PT_PIPE_CAPTURE_BYTES / pipe->packet_bytes,
	       queued = pipe->packet_bytes < FAST_BYTES ? pipe->depth : most;

	most = most < PT_PIPE_MOST_PIECES ? most : PT_PIPE_MOST_PIECES;
	most = most < queued ? most : queued;
	return pipe->capture.busy ? most : 1;
}

static int fetch(struct pt_pipe *pipe, struct pt_err *err)
{
	struct pt_pipe_capture *capture = &pipe->capture;
	size_t n = n_to_ask(pipe), asked = 0, got = 0;
	int rc = pt_pipe_settle(pipe, err);

	if (rc < 0)
		return rc;
	capture->first = capture->n_pieces = capture->n_bytes = 0;
	pt_link_shield(pipe->link);
	while (rc == 0 && got < n) {	/* the queue is kept full: the probe never waits for us */
		while (rc == 0 && asked < n && asked - got < pipe->depth && (rc = ask_piece(pipe, err)) == 0)
			asked++;
		if (rc == 0 && (rc = get_piece(pipe, err)) == 0)
			got++;
	}
	pt_link_unshield(pipe->link);
	if (rc < 0 && capture->n_pieces > 0) {
		capture->failed = err != NULL ? *err : (struct pt_err){ .msg = "" };
		capture->failed.code = rc;
		rc = 0;
	}
	return rc;
}

/* Waits for something to give, for at most timeout_ms. */
static int fetch_until(struct pt_pipe *pipe, uint32_t timeout_ms, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(pipe->link) + timeout_ms * PT_NS_PER_MS, next_ns;
	int rc = fetch(pipe, err);

	while (rc == 0 && pipe->capture.n_pieces == 0 && !pipe->capture.ended) {
		next_ns = pt_link_now_ns(pipe->link) + WAIT_MS * PT_NS_PER_MS;
		if (pt_link_now_ns(pipe->link) >= until_ns)
			return 0;
		rc = pt_link_wait(pipe->link, next_ns < until_ns ? next_ns : until_ns, err);
		if (rc == 0)
			rc = fetch(pipe, err);
	}
	return rc;
}

/* --- giving ------------------------------------------------------------------------------------------------------- */

static uint32_t levels(const struct pt_pipe_capture *capture, uint8_t run)
{
	uint32_t out = 0;

	for (size_t i = 0; i < capture->n_lines; i++)
		out |= (uint32_t)(run >> capture->bit[i] & 1) << (PT_PINS_LEVELS + i);
	return out;
}

/* False: the bytes are at their end, or cut in the middle of a run, which the protocol does not allow: left out. */
static bool next_run(struct pt_pipe_capture *capture, struct pt_pipe_piece *piece, pt_pins_run *run)
{
	const uint8_t *at = capture->bytes + piece->at;
	size_t left = piece->end - piece->at;
	unsigned code = left > 0 ? at[0] & SAMPLES : 0;
	uint32_t samples;

	if (code >= PAIR) {
		*run = piece->half ? levels(capture, at[0] ^ PDOCLK) | ((code - PAIR) % 4 + 1)
				   : levels(capture, at[0]) | ((code - PAIR) / 4 + 1);
		piece->at += piece->half;
		piece->half = !piece->half;
		return true;
	}
	if (left == 0 || ((at[0] & SAMPLES) == 0 && left < 4)) {
		piece->at = piece->end;
		return false;
	}
	samples = (at[0] & SAMPLES) != 0 ? at[0] & SAMPLES : at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16;
	piece->at += (at[0] & SAMPLES) != 0 ? 1 : 4;
	*run = levels(capture, at[0]) | samples;
	return true;
}

/* A piece's runs into the caller's room, n of which are full; those that are equal become one. Returns how many are
 * then. */
static size_t give(struct pt_pipe_capture *capture, struct pt_pipe_piece *piece, pt_pins_run *runs, size_t n,
		   size_t room)
{
	uint64_t n_samples = 0;
	pt_pins_run run;

	while (n < room && next_run(capture, piece, &run)) {
		uint32_t samples = run & PT_PINS_SAMPLES;

		n_samples += samples;
		if (samples == 0)
			continue;
		if (n > 0 && ((runs[n - 1] ^ run) & ~PT_PINS_SAMPLES) == 0 &&
		    (runs[n - 1] & PT_PINS_SAMPLES) + samples <= PT_PINS_SAMPLES)
			runs[n - 1] += samples;
		else
			runs[n++] = run;
	}
	piece->from_ns += n_samples * PT_NS_PER_S / capture->hz;
	return n;
}

/* Pieces that continue each other, up to one that something is lost before. */
static size_t give_pieces(struct pt_pipe_capture *capture, pt_pins_run *runs, size_t room, struct pt_pins_read *what)
{
	size_t n = 0;

	while (capture->first < capture->n_pieces && n < room) {
		struct pt_pipe_piece *piece = &capture->piece[capture->first];

		if (n > 0 && piece->lost > 0)
			break;
		if (n == 0) {
			what->from_ns = piece->from_ns + (uint64_t)capture->offset_ns;
			what->lost_samples += piece->lost;
			piece->lost = 0;
		}
		n = give(capture, piece, runs, n, room);
		if (piece->at == piece->end)
			capture->first++;
	}
	return n;
}

static int pins_read(void *state, pt_pins_run *runs, size_t room, uint32_t timeout_ms, struct pt_pins_read *what,
		     struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	struct pt_pipe_capture *capture = &pipe->capture;
	size_t n;
	int rc = 0;

	*what = (struct pt_pins_read){ .ended = !capture->on, .error_ns = capture->error_ns };
	if (!capture->on)
		return 0;
	if (capture->first == capture->n_pieces && capture->failed.code != 0) {
		rc = pt_fail(err, capture->failed.code, "%s", capture->failed.msg);
		capture->failed.code = 0;
		return rc;
	}
	if (capture->first == capture->n_pieces && !capture->ended)
		rc = fetch_until(pipe, timeout_ms, err);
	if (rc < 0)
		return rc;
	n = give_pieces(capture, runs, room, what);
	what->ended = capture->ended && capture->first == capture->n_pieces;
	if (what->ended && n == 0 && what->lost_samples == 0)
		capture->on = false;
	return (int)n;
}

static int pins_stop(void *state, struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	int rc;

	if (!pipe->capture.on || pipe->capture.stopped)
		return 0;
	pt_link_shield(pipe->link);
	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_CAPTURE_STOP }, 1);
	rc = pt_pipe_ask(pipe, 0, err);
	pt_link_unshield(pipe->link);
	pipe->capture.stopped = true;
	return rc <= 0 ? rc : pt_fail(err, PT_EPROTO, "the probe does not stop its capture");
}

const struct pt_pins_ops pt_pipe_pins = {
	.start = pins_start, .read = pins_read, .stop = pins_stop, .line = pins_line,
};
