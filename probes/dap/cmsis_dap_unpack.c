/* CMSIS-DAP responses -> the operations they answer, and where a list stopped when it did. The bytes come from a device
 * that may lie about every count and length: nothing is believed that does not fit the packet it answers. */
#include "probes/dap/cmsis_dap_operations.h"
#include "base/util.h"

enum { ACK_MASK = 7, ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4, ACK_PROTOCOL = 1 << 3, ACK_MISMATCH = 1 << 4 };

struct reader {
	const uint8_t *p;
	size_t left;
};

static bool take(struct reader *in, size_t n, const uint8_t **p)
{
	if (in->left < n)
		return false;
	*p = in->p;
	in->p += n;
	in->left -= n;
	return true;
}

static enum pt_dap_ack ack_of(uint8_t raw)
{
	if ((raw & ACK_PROTOCOL) != 0)
		return PT_DAP_ACK_NONE;
	if ((raw & ACK_MASK) == ACK_WAIT)
		return PT_DAP_ACK_WAIT;
	if ((raw & ACK_MASK) == ACK_FAULT)
		return PT_DAP_ACK_FAULT;
	if ((raw & ACK_MASK) != ACK_OK)
		return PT_DAP_ACK_NONE;
	return (raw & ACK_MISMATCH) != 0 ? PT_DAP_ACK_EXPIRED : PT_DAP_ACK_OK;
}

/* Take the word of one step if it has one; false: the response is too short. */
static bool take_word(struct reader *in, const struct pt_dap_op *op, uint32_t word)
{
	const uint8_t *p;

	if (!yields_word(op))
		return true;
	if (!take(in, 4, &p))
		return false;
	op->words[word] = pt_le32(p);
	return true;
}

/* A transfer stopped after n_ok transfers. The step before the one that failed is in doubt too if it was an access of
 * the AP: the firmware counts a read when it is posted, before its word has come, and the bus refuses a posted write
 * only at the next access. So `done` goes back to the last AP access.
 * Source: reference firmware DAP.c, DAP_SWD_Transfer (response_count, post_read, check_write). */
static void find_stop(const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd, unsigned n_ok,
		      struct pt_dap_result *result)
{
	struct pt_dap_cursor at = cmd->from, doubt = at;
	bool in_doubt = false, unread = false;

	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at)) {
		const struct pt_dap_op *op = &ops[at.op];

		if (n_ok < transfers_in(op))
			break;
		n_ok -= transfers_in(op);
		unread = op->ap && yields_word(op);
		if (op->ap) {
			doubt = at;
			in_doubt = true;
		}
	}
	/* After WAIT nothing was refused: writes that were counted are on their way, except that the last one of all is
	 * unconfirmed. */
	result->repeatable = result->ack == PT_DAP_ACK_WAIT && !unread && before(at, cmd->to);
	result->done = in_doubt && !result->repeatable ? doubt : at;
}

static bool read_transfer(struct reader *in, const struct pt_dap_op *ops, size_t n_ops,
			  const struct pt_dap_command *cmd, struct pt_dap_result *result)
{
	struct pt_dap_cursor at = cmd->from;
	const uint8_t *head;
	unsigned n = 0;

	if (!take(in, TRANSFER_IN, &head) || head[0] != DAP_TRANSFER)
		return false;
	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at))
		n += transfers_in(&ops[at.op]);
	result->raw = head[2];
	result->ack = ack_of(head[2]);
	if (head[1] > n || (result->ack == PT_DAP_ACK_OK && head[1] != n))
		return false;
	result->progress |= head[1] > 0;
	if (result->ack != PT_DAP_ACK_OK)
		n = head[1];
	at = cmd->from;
	for (uint32_t i = 0; i < cmd->n_steps; i++, at = pt_dap_step(ops, n_ops, at)) {
		if (n < transfers_in(&ops[at.op]))
			break;
		n -= transfers_in(&ops[at.op]);
		if (!take_word(in, &ops[at.op], at.word))
			return result->ack != PT_DAP_ACK_OK;	/* a failed batch may lack its last word */
	}
	return true;
}

/* The first word of a block is posted before any is counted. */
static bool posts_reads(const struct pt_dap_op *ops, const struct pt_dap_command *cmd)
{
	return ops[cmd->from.op].ap && is_read(&ops[cmd->from.op]);
}

static bool read_block(struct reader *in, const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd,
		       struct pt_dap_result *result)
{
	struct pt_dap_cursor at = cmd->from;
	const uint8_t *head;
	unsigned n;

	if (!take(in, BLOCK_IN, &head) || head[0] != DAP_TRANSFER_BLOCK)
		return false;
	n = pt_le16(head + 1);
	result->raw = head[3];
	result->ack = ack_of(head[3]);
	if (n > cmd->n_steps || (result->ack == PT_DAP_ACK_OK && n != cmd->n_steps))
		return false;
	if (result->ack == PT_DAP_ACK_EXPIRED)	/* without a poll? */
		return false;
	result->progress |= n > 0 || posts_reads(ops, cmd);
	for (unsigned i = 0; i < n; i++, at = pt_dap_step(ops, n_ops, at))
		if (!take_word(in, &ops[at.op], at.word))
			return false;
	return true;
}

/* A block that stopped: a read word was stored when it was counted, but one more may have been posted; a write that was
 * counted may be the one that failed. */
static void find_block_stop(const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd, unsigned n_ok,
			    struct pt_dap_result *result)
{
	bool ap = ops[cmd->from.op].ap, reads = is_read(&ops[cmd->from.op]);
	struct pt_dap_cursor at = cmd->from;

	result->repeatable = result->ack == PT_DAP_ACK_WAIT && !(ap && reads) && n_ok < cmd->n_steps;
	if (ap && !reads && !result->repeatable && n_ok > 0)
		n_ok--;
	for (unsigned i = 0; i < n_ok; i++)
		at = pt_dap_step(ops, n_ops, at);
	result->done = at;
}

/* False: not a response to this command. */
static bool read_command(struct reader *in, const struct pt_dap_op *ops, size_t n_ops, const struct pt_dap_command *cmd,
			 struct pt_dap_result *result)
{
	const uint8_t *head = in->p;

	if (cmd->kind == PT_DAP_CMD_DELAY) {
		result->progress = true;
		return take(in, DELAY_IN, &head) && head[0] == DAP_DELAY && head[1] == DAP_OK;
	}
	if (cmd->kind == PT_DAP_CMD_BLOCK) {
		if (!read_block(in, ops, n_ops, cmd, result))
			return false;
		if (result->ack != PT_DAP_ACK_OK)
			find_block_stop(ops, n_ops, cmd, pt_le16(head + 1), result);
		return true;
	}
	if (!read_transfer(in, ops, n_ops, cmd, result))
		return false;
	if (result->ack == PT_DAP_ACK_EXPIRED) {
		result->done = (struct pt_dap_cursor){ find_poll(ops, cmd->from.op, cmd->to.op), 0 };
		return result->done.op < cmd->to.op;	/* a mismatch without a poll */
	}
	if (result->ack != PT_DAP_ACK_OK)
		find_stop(ops, n_ops, cmd, head[1], result);
	return true;
}

void pt_dap_unpack(const struct pt_dap_packet *packet, const struct pt_dap_op *ops, size_t n_ops, const uint8_t *bytes,
		   size_t len_bytes, struct pt_dap_result *result)
{
	struct reader in = { bytes, len_bytes };
	const uint8_t *head;
	bool sound = true;

	*result = (struct pt_dap_result){ .ack = PT_DAP_ACK_OK, .done = packet->from };
	if (packet->n_commands > 1)
		sound = take(&in, EXECUTE_IN, &head) && head[0] == DAP_EXECUTE && head[1] == packet->n_commands;
	for (unsigned i = 0; sound && i < packet->n_commands; i++) {
		sound = read_command(&in, ops, n_ops, &packet->command[i], result);
		if (!sound || result->ack != PT_DAP_ACK_OK) {
			/* The device went on with the commands behind it, and nobody can tell how far. */
			result->repeatable &= i + 1 == packet->n_commands;
			break;
		}
		result->done = packet->command[i].to;
	}
	if (!sound) {
		result->ack = PT_DAP_ACK_NONSENSE;
		result->repeatable = false;
		result->progress = true;
	}
}
