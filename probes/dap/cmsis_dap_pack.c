/* A list of operations -> CMSIS-DAP packets.
 *
 * Round trips and packet slots are what costs, so a packet is filled as far as it goes, in whichever form holds more:
 * DAP_TransferBlock (one register, 4 bytes per word) or DAP_Transfer (any mix, 5 bytes per write). Any part of a legal
 * packet is a legal packet, so taking the longest each time gives the fewest packets. A read of memory that crosses a
 * 1 KiB border thus becomes one DAP_Transfer with the TAR write inside: the write costs no room in the response.
 * Delays are commands of their own; ExecuteCommands binds them to their neighbours where the device offers it. It could
 * also mix blocks of writes with TAR writes, for a tenth fewer packets; but hardly any host uses that command, so it is
 * kept to what gains a round trip's worth. */
#include "probes/dap/cmsis_dap_operations.h"
#include "base/util.h"

enum {	/* bits of a transfer request. DAP Transfer */
	REQ_AP = 1 << 0,
	REQ_READ = 1 << 1,
	REQ_MATCH_VALUE = 1 << 4,
	REQ_MATCH_MASK = 1 << 5,
};

enum { MAX_TRANSFERS = 255, MAX_BLOCK_WORDS = 65535 };

struct room {
	size_t out, in;
};

static uint8_t request_of(const struct pt_dap_op *op)
{
	return (uint8_t)((op->ap ? REQ_AP : 0) | (is_write(op) ? 0 : REQ_READ) | op->a);
}

static uint32_t word_to_write(const struct pt_dap_op *op, uint32_t word)
{
	return op->what == PT_DAP_WRITE_BLOCK ? op->words[word] : op->value;
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

struct pt_dap_cursor pt_dap_skip_empty(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at)
{
	while (at.op < n_ops && is_block(&ops[at.op]) && at.word >= ops[at.op].n_words)
		at = (struct pt_dap_cursor){ at.op + 1, 0 };
	return at;
}

static struct room transfer_cost(const struct pt_dap_op *op)
{
	if (is_read(op))
		return (struct room){ 1, 4 };
	if (is_write(op))
		return (struct room){ 5, 0 };
	return op->words != NULL ? (struct room){ 11, 4 } : (struct room){ 10, 0 };
}

/* --- how far one command goes ------------------------------------------------------------------------------------ */

static struct pt_dap_command longest_transfer(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at,
					      struct room room)
{
	struct pt_dap_command cmd = { PT_DAP_CMD_TRANSFER, at, at, 0 };
	unsigned n = 0;

	if (room.out < TRANSFER_OUT || room.in < TRANSFER_IN)
		return cmd;
	room.out -= TRANSFER_OUT;
	room.in -= TRANSFER_IN;
	while (cmd.to.op < n_ops && ops[cmd.to.op].what != PT_DAP_DELAY) {
		const struct pt_dap_op *op = &ops[cmd.to.op];
		struct room cost = transfer_cost(op);

		n += transfers_in(op);
		if (n > MAX_TRANSFERS || cost.out > room.out || cost.in > room.in)
			break;
		room.out -= cost.out;
		room.in -= cost.in;
		cmd.to = pt_dap_step(ops, n_ops, cmd.to);
		cmd.n_steps++;
	}
	return cmd;
}

static uint32_t block_words(const struct pt_dap_op *op, struct room room)
{
	size_t words;

	if (room.out < BLOCK_OUT || room.in < BLOCK_IN)
		return 0;
	words = is_read(op) ? (room.in - BLOCK_IN) / 4 : (room.out - BLOCK_OUT) / 4;
	return words < MAX_BLOCK_WORDS ? (uint32_t)words : MAX_BLOCK_WORDS;
}

static struct pt_dap_command longest_block(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at,
					   struct room room)
{
	struct pt_dap_command cmd = { PT_DAP_CMD_BLOCK, at, at, 0 };
	const struct pt_dap_op *first = &ops[at.op];
	uint32_t words;

	if (!is_read(first) && !is_write(first))
		return cmd;
	words = block_words(first, room);
	while (cmd.to.op < n_ops && cmd.n_steps < words) {
		const struct pt_dap_op *op = &ops[cmd.to.op];

		if ((!is_read(op) && !is_write(op)) || request_of(op) != request_of(first))
			break;
		cmd.to = pt_dap_step(ops, n_ops, cmd.to);
		cmd.n_steps++;
	}
	return cmd;
}

static struct pt_dap_command longest_command(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at,
					     struct room room)
{
	struct pt_dap_command transfer, block;

	if (ops[at.op].what == PT_DAP_DELAY) {
		bool fits = room.out >= DELAY_OUT && room.in >= DELAY_IN;

		return (struct pt_dap_command){ PT_DAP_CMD_DELAY, at, fits ? pt_dap_step(ops, n_ops, at) : at, fits };
	}
	transfer = longest_transfer(ops, n_ops, at, room);
	block = longest_block(ops, n_ops, at, room);
	/* One word is shorter as a transfer; equal lengths are shorter as a block. */
	return block.n_steps > 1 && block.n_steps >= transfer.n_steps ? block : transfer;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static uint8_t *put_word(uint8_t *p, uint32_t word)
{
	pt_put_le32(p, word);
	return p + 4;
}

static uint8_t *put_poll(uint8_t *p, const struct pt_dap_op *op)
{
	*p++ = REQ_MATCH_MASK;
	p = put_word(p, op->mask);
	*p++ = request_of(op) | REQ_MATCH_VALUE;
	p = put_word(p, op->value);
	if (op->words != NULL)
		*p++ = request_of(op);
	return p;
}

static uint8_t *put_transfer(uint8_t *p, const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd)
{
	struct pt_dap_cursor at = cmd->from;
	uint8_t *head = p;

	p += TRANSFER_OUT;
	head[0] = DAP_TRANSFER;
	head[1] = 0;	/* DAP index, JTAG only */
	head[2] = 0;
	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at)) {
		const struct pt_dap_op *op = &ops[at.op];

		head[2] = (uint8_t)(head[2] + transfers_in(op));
		if (op->what == PT_DAP_POLL) {
			p = put_poll(p, op);
			continue;
		}
		*p++ = request_of(op);
		if (is_write(op))
			p = put_word(p, word_to_write(op, at.word));
	}
	return p;
}

static uint8_t *put_block(uint8_t *p, const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd)
{
	struct pt_dap_cursor at = cmd->from;

	p[0] = DAP_TRANSFER_BLOCK;
	p[1] = 0;
	pt_put_le16(p + 2, (uint16_t)cmd->n_steps);
	p[4] = request_of(&ops[at.op]);
	p += BLOCK_OUT;
	if (is_read(&ops[at.op]))
		return p;
	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at))
		p = put_word(p, word_to_write(&ops[at.op], at.word));
	return p;
}

static uint8_t *put_command(uint8_t *p, const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd)
{
	if (cmd->kind == PT_DAP_CMD_TRANSFER)
		return put_transfer(p, ops, n_ops, cmd);
	if (cmd->kind == PT_DAP_CMD_BLOCK)
		return put_block(p, ops, n_ops, cmd);
	p[0] = DAP_DELAY;
	pt_put_le16(p + 1, (uint16_t)ops[cmd->from.op].time_us);
	return p + DELAY_OUT;
}

static struct room command_cost(const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd)
{
	struct pt_dap_cursor at = cmd->from;
	struct room sum = { TRANSFER_OUT, TRANSFER_IN };

	if (cmd->kind == PT_DAP_CMD_DELAY)
		return (struct room){ DELAY_OUT, DELAY_IN };
	if (cmd->kind == PT_DAP_CMD_BLOCK) {
		size_t words = (size_t)4 * cmd->n_steps;

		return is_read(&ops[at.op]) ? (struct room){ BLOCK_OUT, BLOCK_IN + words }
					    : (struct room){ BLOCK_OUT + words, BLOCK_IN };
	}
	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at)) {
		struct room cost = transfer_cost(&ops[at.op]);

		sum.out += cost.out;
		sum.in += cost.in;
	}
	return sum;
}

/* --- packets ----------------------------------------------------------------------------------------------------- */

static void plan_single(const struct pt_dap_limits *limits, const struct pt_dap_op *ops, size_t n_ops,
			struct pt_dap_cursor at, struct pt_dap_packet *packet)
{
	struct room room = { limits->packet_bytes, limits->packet_bytes };

	packet->command[0] = longest_command(ops, n_ops, at, room);
	packet->n_commands = 1;
	packet->from = at;
	packet->to = packet->command[0].to;
}

static void plan_execute(const struct pt_dap_limits *limits, const struct pt_dap_op *ops, size_t n_ops,
			 struct pt_dap_cursor at, struct pt_dap_packet *packet)
{
	struct room room = { limits->packet_bytes - EXECUTE_OUT, limits->packet_bytes - EXECUTE_IN };

	packet->n_commands = 0;
	packet->from = packet->to = at;
	while (packet->to.op < n_ops && packet->n_commands < PT_DAP_PACKET_COMMANDS) {
		struct pt_dap_command cmd = longest_command(ops, n_ops, packet->to, room);
		struct room cost = command_cost(ops, n_ops, &cmd);

		if (cmd.n_steps == 0)
			break;
		packet->command[packet->n_commands++] = cmd;
		packet->to = cmd.to;
		room.out -= cost.out;
		room.in -= cost.in;
	}
}

static struct pt_dap_packet plan(const struct pt_dap_limits *limits, const struct pt_dap_op *ops, size_t n_ops,
				 struct pt_dap_cursor at)
{
	struct pt_dap_packet single, execute;

	plan_single(limits, ops, n_ops, at, &single);
	if (!limits->atomic || single.to.op >= n_ops ||
	    (ops[at.op].what != PT_DAP_DELAY && ops[single.to.op].what != PT_DAP_DELAY))
		return single;
	plan_execute(limits, ops, n_ops, at, &execute);
	return before(single.to, execute.to) ? execute : single;
}

/* What follows a poll's packet waits for its outcome: a round trip. So where poll and reads fit one packet of their
 * own, the packet ends before the poll: a packet more, but no round trip. */
static struct pt_dap_packet plan_around_poll(const struct pt_dap_limits *limits, const struct pt_dap_op *ops,
					     size_t n_ops, struct pt_dap_cursor at)
{
	struct pt_dap_packet packet = plan(limits, ops, n_ops, at);
	size_t poll = find_poll(ops, at.op, packet.to.op);

	if (poll == packet.to.op || poll == at.op || packet.to.op == n_ops)
		return packet;
	if (plan(limits, ops, n_ops, (struct pt_dap_cursor){ poll, 0 }).to.op < n_ops)
		return packet;
	return plan(limits, ops, poll, at);
}

size_t pt_dap_pack(const struct pt_dap_limits *limits, const struct pt_dap_op *ops, size_t n_ops,
		   struct pt_dap_cursor at, struct pt_dap_packet *packet, uint8_t *bytes)
{
	uint8_t *p = bytes;

	*packet = plan_around_poll(limits, ops, n_ops, at);
	packet->time_us = 0;
	packet->polls = find_poll(ops, at.op, packet->to.op) < packet->to.op;
	if (packet->n_commands > 1) {
		*p++ = DAP_EXECUTE;
		*p++ = (uint8_t)packet->n_commands;
	}
	for (unsigned i = 0; i < packet->n_commands; i++) {
		const struct pt_dap_command *cmd = &packet->command[i];

		p = put_command(p, ops, n_ops, cmd);
		if (cmd->kind == PT_DAP_CMD_DELAY)
			packet->time_us += ops[cmd->from.op].time_us;
	}
	return (size_t)(p - bytes);
}
