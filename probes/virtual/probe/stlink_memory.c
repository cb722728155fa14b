/* The ST-Link's commands for memory: blocks of one width, with the address counting or not; one word; a list of words. How
 * the last block went is asked for by F2 3E; single words and lists say it themselves. */
#include <string.h>

#include "probes/virtual/probe/stlink_parts.h"
#include "base/util.h"

enum {
	READ_32 = 0x07, WRITE_32 = 0x08, READ_8 = 0x0c, WRITE_8 = 0x0d, WRITE_WORD = 0x35, READ_WORD = 0x36,
	LAST_STATUS = 0x3e, READ_16 = 0x47, WRITE_16 = 0x48, WRITE_SAME = 0x50, RUN_LIST = 0x51, LIST_RESULT = 0x52,
	LIST_MOST = 0x53, READ_SAME = 0x54,
};
enum { ITEM_ADDRESS = 1, ITEM_WRITE = 2, ITEM_READ = 3, ITEM_AP = 5 };
#define CSW_DEFAULT UINT32_C(0x23000000)

/* Source: OpenOCD, stlink_usb.c, and what pyOCD says of the versions */
static const struct block_command {
	uint8_t code, size;
	bool writes, counts;
	uint8_t since_v2, since_v3;
} blocks[] = {
	{ READ_32, 4, false, true, 0, 0 },    { WRITE_32, 4, true, true, 0, 0 },
	{ READ_8, 1, false, true, 0, 0 },     { WRITE_8, 1, true, true, 0, 0 },
	{ READ_16, 2, false, true, 26, 1 },   { WRITE_16, 2, true, true, 26, 1 },
	{ READ_SAME, 4, false, false, 32, 2 }, { WRITE_SAME, 4, true, false, 26, 1 },
};

static const struct block_command *block_command(const struct pt_vstlink *st, uint8_t code)
{
	for (size_t i = 0; i < PT_LEN(blocks); i++)
		if (blocks[i].code == code)
			return st_has(st, blocks[i].since_v2, blocks[i].since_v3) ? &blocks[i] : NULL;
	return NULL;
}

static size_t most_items(const struct pt_vstlink *st)
{
	return st->kind->v >= 3 ? ST_MOST_ITEMS : 64;
}

/* Source of the limits: OpenOCD, probe-rs. */
static size_t most_bytes(const struct pt_vstlink *st, unsigned size)
{
	if (size > 1)
		return ST_BLOCK_BYTES;
	return st->kind->v < 3 ? 64 : st->kind->j < 6 ? 255 : 512;
}

static struct st_block block_of(const struct pt_vstlink *st, const uint8_t *command, const struct block_command *row)
{
	bool has_csw = st_has(st, 32, 2);
	uint32_t csw = (uint32_t)(command[9] | command[10] << 8 | command[11] << 16) << 8;

	return (struct st_block){
		.ap = command[8], .csw_high = has_csw && csw != 0 ? csw : CSW_DEFAULT, .addr = pt_le32(command + 2),
		.size = row->size, .counts = row->counts, .n = pt_le16(command + 6) / row->size,
	};
}

/* A status where the command cannot be carried out as it is. */
static uint8_t refusal(const struct pt_vstlink *st, const uint8_t *command, const struct block_command *row)
{
	size_t n = pt_le16(command + 6);

	if (n % row->size != 0 || pt_le32(command + 2) % row->size != 0)
		return ST_ALIGNMENT;
	return n > most_bytes(st, row->size) ? ST_INTERNAL : ST_OK;
}

/* A single byte comes as two. */
static size_t read_block(struct pt_vstlink *st, const uint8_t *command, const struct block_command *row, uint8_t *reply)
{
	struct st_block block = block_of(st, command, row);
	size_t n = pt_le16(command + 6);

	st->status = refusal(st, command, row);
	st->fault_addr = block.addr;
	if (n > ST_BLOCK_BYTES)
		n = ST_BLOCK_BYTES;
	memset(reply, 0, n + 1);
	if (st->status == ST_OK)
		st->status = st_read_block(st, &block, reply, &st->fault_addr);
	return n == 1 ? 2 : n;
}

static void write_block(struct pt_vstlink *st)
{
	const struct block_command *row = block_command(st, st->command[1]);
	struct st_block block = block_of(st, st->command, row);

	st->fault_addr = block.addr;
	st->status = refusal(st, st->command, row);
	if (st->status == ST_OK)
		st->status = st_write_block(st, &block, st->data, &st->fault_addr);
}

/* --- words */

static struct st_block one_word(uint8_t ap, uint32_t addr)
{
	return (struct st_block){ .ap = ap, .csw_high = CSW_DEFAULT, .addr = addr, .size = 4, .n = 1 };
}

static size_t read_word(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	struct st_block block = one_word(0, pt_le32(command + 2));
	uint32_t ignored;

	memset(reply, 0, 8);
	reply[0] = block.addr % 4 != 0 ? ST_ALIGNMENT : st_read_block(st, &block, reply + 4, &ignored);
	return 8;
}

static size_t write_word(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply)
{
	struct st_block block = one_word(0, pt_le32(command + 2));
	uint32_t ignored;

	memset(reply, 0, 2);
	reply[0] = block.addr % 4 != 0 ? ST_ALIGNMENT : st_write_block(st, &block, command + 6, &ignored);
	return 2;
}

static uint8_t run_item(struct pt_vstlink *st, uint8_t what, uint32_t argument, struct st_block *block, uint8_t *value)
{
	uint8_t word[4];
	uint32_t ignored;

	switch (what) {
	case ITEM_ADDRESS:
		block->addr = argument;
		return ST_OK;
	case ITEM_WRITE:
		pt_put_le32(word, argument);
		return st_write_block(st, block, word, &ignored);
	case ITEM_READ:
		block->addr = argument;
		return st_read_block(st, block, value, &ignored);
	case ITEM_AP:
		block->ap = (uint8_t)argument;
		return ST_OK;
	default:
		return ST_INTERNAL;
	}
}

/* All of it, whatever becomes of one. */
static void run_list(struct pt_vstlink *st)
{
	struct st_block block = one_word(0, 0);
	size_t n = pt_le32(st->command + 2), values_at = (n + 3) / 4 * 4;

	memset(st->items, 0, 8 * n);
	st->n_items = n;
	for (size_t i = 0; i < n; i++)
		st->items[4 * (n + i)] =
			run_item(st, st->data[i], pt_le32(st->data + values_at + 4 * i), &block, st->items + 4 * i);
}

/* --- commands */

static void await_data(struct pt_vstlink *st, const uint8_t *command, size_t n)
{
	memcpy(st->command, command, ST_COMMAND_BYTES);
	st->n_data = n;
	st->got = 0;
}

static bool begin_list(struct pt_vstlink *st, const uint8_t *command)
{
	uint32_t n = pt_le32(command + 2);

	if (n > 0 && n <= most_items(st))
		await_data(st, command, (n + 3) / 4 * 4 + 4 * n);
	else
		st->hung = true;	/* nothing says how much will follow */
	return true;
}

static size_t put_last_status(const struct pt_vstlink *st, uint8_t *reply)
{
	memset(reply, 0, 12);
	reply[0] = st->status;
	pt_put_le32(reply + 4, st->status != ST_OK ? st->fault_addr : 0);
	return 12;
}

static void run_block_command(struct pt_vstlink *st, const uint8_t *command, const struct block_command *row,
			      uint8_t *reply, size_t *n_reply)
{
	size_t n = pt_le16(command + 6);

	if (n == 0 || (n % 2 != 0 && n != 1) || (n == 1 && row->size > 1))
		st->hung = true;
	else if (!row->writes)
		*n_reply = read_block(st, command, row, reply);
	else if (n <= ST_BLOCK_BYTES)
		await_data(st, command, n);
	else
		st->hung = true;
}

bool st_memory_command(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply, size_t *n_reply)
{
	const struct block_command *row = block_command(st, command[1]);
	bool lists = st_has(st, 32, 2);

	if (row != NULL)
		run_block_command(st, command, row, reply, n_reply);
	else if (command[1] == READ_WORD)
		*n_reply = read_word(st, command, reply);
	else if (command[1] == WRITE_WORD)
		*n_reply = write_word(st, command, reply);
	else if (command[1] == LAST_STATUS && st_has(st, 15, 1))
		*n_reply = put_last_status(st, reply);
	else if (command[1] == RUN_LIST && lists)
		return begin_list(st, command);
	else if (command[1] == LIST_RESULT && lists)
		memcpy(reply, st->items, *n_reply = 8 * st->n_items);
	else
		return false;
	return true;
}

void st_memory_data(struct pt_vstlink *st)
{
	if (st->command[1] == RUN_LIST)
		run_list(st);
	else
		write_block(st);
}
