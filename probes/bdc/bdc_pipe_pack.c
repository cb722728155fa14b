/* A list of BDC operations as requests, and responses back into the list. What a step asks and what it answers is said
 * in one place for both directions: a step is what must stand together, a BDC command or an operation of the probe. */
#include <string.h>

#include "probes/bdc/bdc_pipe_parts.h"
#include "base/util.h"

enum { MOST_STEP_BYTES = 32, UNKNOWN_BDCSI_HZ = 250000, LONG_ACK = 2 };

/* What the bytes depend on, besides the operation. */
struct how { bool ack, follows; uint32_t bdcsi_hz; };

/* One step: the operations of the probe that make it, and what they answer. */
struct step {
	uint8_t bytes[MOST_STEP_BYTES];
	size_t n_bytes, n_answer;
	unsigned n_ops, n_acks;
	uint64_t busy_ns;
	bool barrier;
};

static uint64_t cycles_ns(const struct how *how, uint64_t cycles)
{
	return cycles * PT_NS_PER_S / (how->bdcsi_hz != 0 ? how->bdcsi_hz : UNKNOWN_BDCSI_HZ);
}

static void add(struct step *step, const uint8_t *bytes, size_t n_bytes, size_t n_answer)
{
	memcpy(step->bytes + step->n_bytes, bytes, n_bytes);
	step->n_bytes += n_bytes;
	step->n_answer += n_answer;
	step->n_ops++;
}

/* --- a BDC command ------------------------------------------------------------------------------------------------ */

static void add_gap(const struct how *how, struct step *step, uint8_t gap, uint32_t ack_ms)
{
	if (gap == PT_BDC_NO_GAP)
		return;
	if (gap == PT_BDC_ACK_GAP && how->ack) {
		add(step, (const uint8_t[]){ PT_PIPE_ACK, (uint8_t)ack_ms, 0 }, 3, 1);
		step->n_acks++;
	} else {
		add(step, (const uint8_t[]){ PT_PIPE_CYCLES, PT_BDC_DELAY_CYCLES, 0 }, 3, 0);
	}
}

static void add_command(const struct how *how, struct step *step, const struct pt_bdc_op *op, uint32_t i)
{
	uint32_t ack_ms = op->what == PT_BDC_GO_UNTIL ? PT_PIPE_TRY_US / 1000 : PT_PIPE_ACK_MS;
	struct pt_bdc_command command;

	pt_bdc_encode(op, i, how->follows, &command);
	add(step, (const uint8_t[]){ PT_PIPE_SEND, command.n_out }, 2, 0);
	memcpy(step->bytes + step->n_bytes, command.out, command.n_out);
	step->n_bytes += command.n_out;
	for (unsigned g = 0; g < 2; g++) {
		add_gap(how, step, command.gap[g], ack_ms);
		if (command.n_in[g] > 0)
			add(step, (const uint8_t[]){ PT_PIPE_RECEIVE, command.n_in[g] }, 2, command.n_in[g]);
	}
	if (step->n_acks > 0 && op->what != PT_BDC_SYNC_PC && op->what != PT_BDC_READ_DBGTB)
		add(step, (const uint8_t[]){ PT_PIPE_CHECK }, 1, 0);
	step->busy_ns += cycles_ns(how, pt_bdc_cycles(&command));
}

/* --- operations of the probe -------------------------------------------------------------------------------------- */

static uint32_t try_us(const struct pt_bdc_op *op)
{
	return op->time_us < PT_PIPE_TRY_US ? op->time_us : PT_PIPE_TRY_US;
}

static void add_poll(const struct how *how, struct step *step, const struct pt_bdc_op *op)
{
	uint8_t bytes[11] = {
		PT_PIPE_POLL, (uint8_t)(op->addr >> 16), (uint8_t)(op->addr >> 8), (uint8_t)op->addr, op->mask,
		(uint8_t)op->value, how->ack,
	};

	pt_put_le32(bytes + 7, try_us(op));
	add(step, bytes, sizeof(bytes), 2);
	step->busy_ns += try_us(op) * UINT64_C(1000) + cycles_ns(how, 1000);
}

static void add_delay(struct step *step, const struct pt_bdc_op *op)
{
	uint8_t bytes[5] = { PT_PIPE_DELAY };

	pt_put_le32(bytes + 1, op->time_us);
	add(step, bytes, sizeof(bytes), 0);
	step->busy_ns += op->time_us * UINT64_C(1000);
}

bool pt_pipe_is_host_delay(const struct pt_bdc_op *op)
{
	return op->what == PT_BDC_DELAY && op->time_us > PT_PIPE_TRY_US;
}

/* What changes how the next ones are sent, or cannot be had by a chain, is waited for. */
static bool is_barrier(const struct pt_bdc_op *op)
{
	return op->what == PT_BDC_SYNC || op->what == PT_BDC_ACK_ENABLE || op->what == PT_BDC_ACK_DISABLE ||
	       op->what == PT_BDC_GO_UNTIL;
}

static void make_step(const struct pt_pipe *pipe, const struct pt_bdc_op *op, uint32_t i, bool follows,
		      struct step *step)
{
	const struct how how = { pipe->ack || op->what == PT_BDC_ACK_ENABLE, follows, pipe->bdcsi_hz };

	*step = (struct step){ .barrier = is_barrier(op) };
	if (op->what == PT_BDC_SYNC) {
		add(step, (const uint8_t[]){ PT_PIPE_SYNC }, 1, 4);
		step->busy_ns = cycles_ns(&how, 1000);
	} else if (op->what == PT_BDC_DELAY) {
		add_delay(step, op);
	} else if (op->what == PT_BDC_POLL) {
		add_poll(&how, step, op);
	} else {
		add_command(&how, step, op, i);
	}
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static struct pt_pipe_cursor behind(const struct pt_bdc_op *ops, struct pt_pipe_cursor at)
{
	if (++at.i < pt_bdc_n_commands(&ops[at.op]))
		return at;
	return (struct pt_pipe_cursor){ at.op + 1, 0 };
}

void pt_pipe_pack(struct pt_pipe *pipe, const struct pt_bdc_op *ops, size_t n_ops, struct pt_pipe_cursor at,
		  bool follows, struct pt_pipe_packet *packet)
{
	size_t n_answer = PT_PIPE_RESPONSE_HEAD;
	unsigned n_steps = 0;
	struct step step;

	*packet = (struct pt_pipe_packet){ .from = at, .to = at, .follows = follows,
					   .busy_ns = PT_PIPE_ACK_MS * PT_NS_PER_MS };
	while (at.op < n_ops && !packet->barrier && !pt_pipe_is_host_delay(&ops[at.op])) {
		make_step(pipe, &ops[at.op], at.i, follows, &step);
		if (pipe->n_out + step.n_bytes > pipe->packet_bytes || n_answer + step.n_answer > pipe->packet_bytes ||
		    n_steps + step.n_ops > UINT8_MAX)
			break;
		pt_pipe_put(pipe, step.bytes, step.n_bytes);
		n_answer += step.n_answer;
		n_steps += step.n_ops;
		packet->busy_ns += step.busy_ns;
		packet->barrier = step.barrier;
		at = behind(ops, at);
		follows = at.i > 0;
	}
	packet->to = at;
}

/* --- responses ---------------------------------------------------------------------------------------------------- */

struct reader { const uint8_t *in; size_t left; unsigned ops_left; };

static const uint8_t *take(struct reader *r, size_t n)
{
	const uint8_t *at = r->in;

	if (n > r->left)
		return NULL;
	r->in += n;
	r->left -= n;
	return at;
}

/* The answers of a command, in the order of its gaps; the pulses are told apart from the data. */
static bool take_command(struct reader *r, struct pt_bdc_op *op, uint32_t i, const struct step *step, bool *long_ack,
			 bool *refused)
{
	bool acks = step->n_acks > 0;
	struct pt_bdc_command command;
	uint8_t data[PT_BDC_MOST_IN];
	size_t n = 0;

	pt_bdc_encode(op, i, false, &command);
	for (unsigned g = 0; g < 2; g++) {
		const uint8_t *at;

		if (acks && command.gap[g] == PT_BDC_ACK_GAP) {
			at = take(r, 1);
			if (at == NULL || *at == 0 || *at > LONG_ACK)
				return false;
			*long_ack |= *at == LONG_ACK;
		}
		at = take(r, command.n_in[g]);
		if (at == NULL)
			return false;
		memcpy(data + n, at, command.n_in[g]);
		n += command.n_in[g];
	}
	*refused = !pt_bdc_take(op, i, data) && *long_ack;
	return true;
}

static bool take_sync(struct pt_pipe *pipe, struct reader *r, struct pt_bdc_op *op, struct pt_pipe_result *result)
{
	const uint8_t *at = take(r, 4);

	if (at == NULL)
		return false;
	pipe->bdcsi_hz = op->value = pt_le32(at);
	result->no_sync = op->value == 0;
	return true;
}

/* A poll that is to be tried again still needs the value that it waits for. */
static bool take_poll(struct reader *r, struct pt_bdc_op *op, struct pt_pipe_result *result, bool *came)
{
	const uint8_t *at = take(r, 2);

	if (at == NULL || at[0] > 1)
		return false;
	*came = at[0] == 1;
	result->polled = at[1];
	if (*came)
		op->value = at[1];
	return true;
}

/* The answers of one whole step. False: the response is nonsense, or cut short. */
static bool take_step(struct pt_pipe *pipe, struct reader *r, struct pt_bdc_op *op, uint32_t i, const struct step *step,
		      struct pt_pipe_result *result, bool *done)
{
	bool refused = false;

	*done = true;
	result->long_ack = false;
	if (op->what == PT_BDC_SYNC) {
		*done = take_sync(pipe, r, op, result) && !result->no_sync;
		return *done || result->no_sync;
	}
	if (op->what == PT_BDC_POLL)
		return take_poll(r, op, result, done);
	if (op->what == PT_BDC_DELAY)
		return true;
	if (!take_command(r, op, i, step, &result->long_ack, &refused))
		return false;
	result->suspect |= refused && op->what == PT_BDC_READ_DBGTB;
	return true;
}

void pt_pipe_unpack(struct pt_pipe *pipe, const struct pt_pipe_packet *packet, struct pt_bdc_op *ops,
		    struct pt_pipe_result *result)
{
	struct reader r = { pipe->in + PT_PIPE_RESPONSE_HEAD, pipe->n_in - PT_PIPE_RESPONSE_HEAD, pipe->in[2] };
	struct pt_pipe_cursor at = packet->from;
	bool follows = packet->follows, done = true;
	struct step step;

	*result = (struct pt_pipe_result){ .done = at };
	while (done && (at.op != packet->to.op || at.i != packet->to.i)) {
		make_step(pipe, &ops[at.op], at.i, follows, &step);
		if (r.ops_left < step.n_ops)
			return;
		r.ops_left -= step.n_ops;
		if (!take_step(pipe, &r, &ops[at.op], at.i, &step, result, &done)) {
			result->nonsense = true;
			return;
		}
		if (done)
			result->done = at = behind(ops, at);
		follows = at.i > 0;
	}
	result->nonsense = r.ops_left > 0;	/* more than it was asked for */
}
