/* How the CMSIS-DAP packer and unpacker walk a list of operations: by the same steps, so a packet needs no copy of what
 * it asked for. A step is one word of a block, or one whole operation; a poll is one step of two or three transfers. */
#ifndef PT_PROBES_CMSIS_DAP_STEPS_H
#define PT_PROBES_CMSIS_DAP_STEPS_H

#include "probes/dap/cmsis_dap.h"

enum {	/* bytes around the words of a command, out and in. DAP Transfer, TransferBlock, Delay, ExecuteCommands */
	TRANSFER_OUT = 3, TRANSFER_IN = 3,
	BLOCK_OUT = 5, BLOCK_IN = 4,
	DELAY_OUT = 3, DELAY_IN = 2,
	EXECUTE_OUT = 2, EXECUTE_IN = 2,
};

static inline bool is_block(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_READ_BLOCK || op->what == PT_DAP_WRITE_BLOCK;
}

static inline bool is_read(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_READ || op->what == PT_DAP_READ_BLOCK;
}

static inline bool is_write(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_WRITE || op->what == PT_DAP_WRITE_BLOCK;
}

/* Its step ends with a word in the response. A poll whose value is wanted reads the register once more. */
static inline bool yields_word(const struct pt_dap_op *op)
{
	return is_read(op) || (op->what == PT_DAP_POLL && op->words != NULL);
}

static inline unsigned transfers_in(const struct pt_dap_op *op)
{
	if (op->what != PT_DAP_POLL)
		return 1;
	return op->words != NULL ? 3 : 2;	/* mask, match, and the read */
}

static inline struct pt_dap_cursor pt_dap_step(const struct pt_dap_op *ops, size_t n_ops, struct pt_dap_cursor at)
{
	if (is_block(&ops[at.op]))
		at.word++;
	else
		at = (struct pt_dap_cursor){ at.op + 1, 0 };
	return pt_dap_skip_empty(ops, n_ops, at);
}

static inline bool before(struct pt_dap_cursor a, struct pt_dap_cursor b)
{
	return a.op < b.op || (a.op == b.op && a.word < b.word);
}

/* The poll in from..to, or to. */
static inline size_t find_poll(const struct pt_dap_op *ops, size_t from, size_t to)
{
	while (from < to && ops[from].what != PT_DAP_POLL)
		from++;
	return from;
}

#endif
