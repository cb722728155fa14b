/* Registers, by the target's rows: one row is one register of g and p, in the byte order of the target. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/run.h"
#include "session/os_threads.h"
#include "host/log.h"
#include "base/util.h"

enum { MAX_ROWS = 256, MAX_REGISTER_BYTES = sizeof(uint64_t) };

/* --- values and digits -------------------------------------------------------------------------------------------- */

static size_t size_of(const struct pt_register *row)
{
	return (row->bits + 7u) / 8 < MAX_REGISTER_BYTES ? (row->bits + 7u) / 8 : MAX_REGISTER_BYTES;
}

static void to_bytes(uint8_t *out, size_t n, bool big_endian, uint64_t value)
{
	for (size_t i = 0; i < n; i++)
		out[big_endian ? n - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static uint64_t from_bytes(const uint8_t *in, size_t n, bool big_endian)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value |= (uint64_t)in[big_endian ? n - 1 - i : i] << (8 * i);
	return value;
}

static void put_register(struct pt_rsp_frame *frame, const struct pt_register *row, bool big_endian, uint64_t value)
{
	uint8_t bytes[MAX_REGISTER_BYTES];

	to_bytes(bytes, size_of(row), big_endian, value);
	pt_rsp_hex(frame, bytes, size_of(row));
}

static void put_unavailable(struct pt_rsp_frame *frame, const struct pt_register *row)
{
	for (size_t i = 0; i < size_of(row); i++)
		pt_rsp_text(frame, "xx");
}

size_t pt_gdb_register_text(char *out, size_t out_bytes, const struct pt_register *row, bool big_endian, uint64_t value)
{
	uint8_t bytes[MAX_REGISTER_BYTES];
	size_t n = size_of(row);

	if (2 * n + 1 > out_bytes)
		return 0;
	to_bytes(bytes, n, big_endian, value);
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
	return 2 * n;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* The link register may be typed as a code pointer too; the program counter is the one that says so by name. */
const struct pt_register *pt_gdb_pc_row(const struct pt_register *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].type != NULL && strcmp(rows[i].type, "code_ptr") == 0 && strchr(rows[i].name, 'p') != NULL)
			return &rows[i];
	return NULL;
}

static const struct pt_register *rows_of(struct pt_target *target, size_t *n)
{
	const struct pt_register *rows = target->ops->registers(target->state, n);

	if (*n > MAX_ROWS)
		*n = MAX_ROWS;
	return rows;
}

static int find_row(const struct pt_register *rows, size_t n, uint64_t number, uint16_t *row, struct pt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].gdb_number == number) {
			*row = (uint16_t)i;
			return 0;
		}
	}
	return pt_fail(err, PT_EARG, "there is no register %u", (unsigned)number);
}

static int write_rows(struct pt_board *board, struct pt_target *target, unsigned core, const uint16_t *rows, size_t n,
		      const uint64_t *values, struct pt_err *err)
{
	size_t n_rows;
	const struct pt_register *all = rows_of(target, &n_rows), *pc = pt_gdb_pc_row(all, n_rows);

	if (target->ops->write_registers(target->state, core, rows, n, values, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		if (&all[rows[i]] == pc)
			return pt_board_wrote_pc(board, core, values[i], err);
	return 0;
}

int pt_gdb_set_pc(struct pt_board *board, struct pt_target *target, unsigned core, uint64_t pc, struct pt_err *err)
{
	size_t n_rows;
	const struct pt_register *all = rows_of(target, &n_rows), *pc_row = pt_gdb_pc_row(all, n_rows);
	uint16_t row;

	if (pc_row == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this target has no program counter to set");
	row = (uint16_t)(pc_row - all);
	return write_rows(board, target, core, &row, 1, &pc, err);
}

/* --- g, p --------------------------------------------------------------------------------------------------------- */

/* One by one, and what cannot be read is unavailable; while the core runs nothing can. */
static int read_singly(struct pt_gdb_request *rq, struct pt_target *target, const struct pt_register *rows, size_t n,
		       struct pt_err *err)
{
	pt_rsp_begin(&rq->frame, '$');
	for (uint16_t i = 0; i < n; i++) {
		uint64_t value;
		int rc = target->ops->read_registers(target->state, rq->core, &i, 1, &value, err);

		if (rc == PT_EFAULT || rc == PT_EUNSUPPORTED)
			put_unavailable(&rq->frame, &rows[i]);
		else if (rc < 0)
			return rc;
		else
			put_register(&rq->frame, &rows[i], pt_target_is_big_endian(target), value);
	}
	return 0;
}

/* Of a task that does not run. What belongs to the core and to no task (MSP, masks) is as the core has it now. */
static int put_saved(struct pt_gdb_request *rq, struct pt_target *target, const struct pt_saved *saved, uint16_t row,
		     struct pt_err *err)
{
	size_t n;
	const struct pt_register *at = &rows_of(target, &n)[row];
	const struct pt_saved_register *reg = pt_saved_find(saved, at->name);
	uint64_t value;

	if (reg != NULL && reg->bytes > 0)
		put_register(&rq->frame, at, pt_target_is_big_endian(target), reg->value);
	else if (reg != NULL || saved->n_regs == 0 || at->group == NULL || strcmp(at->group, "system") != 0)
		put_unavailable(&rq->frame, at);
	else if (target->ops->read_registers(target->state, rq->core, &row, 1, &value, err) < 0)
		return err->code;
	else
		put_register(&rq->frame, at, pt_target_is_big_endian(target), value);
	return 0;
}

/* A GDB that only watches is shown a core that stands still, whatever it does: registers are 0. */
static bool hides_registers(const struct pt_gdb_request *rq, struct pt_target *target)
{
	struct pt_core_status status;

	if (!rq->client->inferior.watches || !rq->client->stub->config.restricted)
		return rq->client->inferior.watches;
	return target->ops->status(target->state, rq->core, &status, NULL) < 0 || status.state != PT_HALTED;
}

static int read_all(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	size_t n;
	const struct pt_register *rows = rows_of(target, &n);
	struct pt_saved saved;
	uint64_t values[MAX_ROWS];
	uint16_t which[MAX_ROWS];
	int rc = pt_gdb_task_registers(pt_gdb_threads_of(rq->client), target, rq->task, &rq->core, &saved, err);
	bool hides = hides_registers(rq, target);

	(void)board;
	for (size_t i = 0; hides && i < n; i++)
		put_register(&rq->frame, &rows[i], pt_target_is_big_endian(target), 0);
	if (hides)
		return 0;
	for (uint16_t i = 0; rc == 1 && i < n; i++)
		if (put_saved(rq, target, &saved, i, err) < 0)
			return err->code;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < n; i++)
		which[i] = (uint16_t)i;
	rc = target->ops->read_registers(target->state, rq->core, which, n, values, err);
	if (rc == PT_EFAULT || rc == PT_EUNSUPPORTED)
		return read_singly(rq, target, rows, n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		put_register(&rq->frame, &rows[i], pt_target_is_big_endian(target), values[i]);
	return rc;
}

static int read_one(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	size_t n;
	const struct pt_register *rows = rows_of(target, &n);
	struct pt_saved saved;
	uint64_t value;
	uint16_t row;
	int rc;

	(void)board;
	if (find_row(rows, n, rq->addr, &row, err) < 0)
		return err->code;
	rc = pt_gdb_task_registers(pt_gdb_threads_of(rq->client), target, rq->task, &rq->core, &saved, err);
	if (rc != 0)
		return rc < 0 ? rc : put_saved(rq, target, &saved, row, err);
	value = 0;	/* which is all that a GDB has of it that only watches */
	if (!hides_registers(rq, target) &&
	    target->ops->read_registers(target->state, rq->core, &row, 1, &value, err) < 0)
		return err->code;
	put_register(&rq->frame, &rows[row], pt_target_is_big_endian(target), value);
	return 0;
}

static void handle_read_registers(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	client->request.core = client->inferior.core;
	client->request.task = client->inferior.task;
	pt_gdb_post(&client->request, read_all, NULL);
}

static void handle_read_register(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	if (!pt_rsp_number(args, &client->request.addr) || pt_rsp_left(args) != 0) {
		pt_gdb_reply_malformed(client);
		return;
	}
	client->request.core = client->inferior.core;
	client->request.task = client->inferior.task;
	pt_gdb_post(&client->request, read_one, NULL);
}

/* --- G, P --------------------------------------------------------------------------------------------------------- */

/* G carries all of them, most as they were read, and those that nobody knows as something. */
static int write_changed(struct pt_target *target, const struct pt_saved *saved, const struct pt_register *rows,
			 size_t n, const uint64_t *values, struct pt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct pt_saved_register *reg = pt_saved_find(saved, rows[i].name);

		if (reg != NULL && reg->bytes > 0 && reg->value != values[i] &&
		    pt_gdb_task_write(target, saved, rows[i].name, values[i], err) < 0)
			return err->code;
	}
	return 0;
}

static int write_all(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	size_t n, digits = 0;
	const struct pt_register *rows = rows_of(target, &n);
	uint8_t bytes[MAX_REGISTER_BYTES];
	struct pt_saved saved;
	uint64_t values[MAX_ROWS];
	uint16_t which[MAX_ROWS];
	int rc;

	for (size_t i = 0; i < n; i++)
		digits += 2 * size_of(&rows[i]);
	if (pt_rsp_left(&rq->args) != digits)
		return pt_fail(err, PT_EARG, "G with %zu digits, not %zu", pt_rsp_left(&rq->args), digits);
	rc = pt_gdb_task_registers(pt_gdb_threads_of(rq->client), target, rq->task, &rq->core, &saved, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		if (!pt_rsp_bytes(&rq->args, bytes, size_of(&rows[i])))
			return pt_fail(err, PT_EARG, "G with something else than hex digits");
		which[i] = (uint16_t)i;
		values[i] = from_bytes(bytes, size_of(&rows[i]), pt_target_is_big_endian(target));
	}
	rc = rc == 1 ? write_changed(target, &saved, rows, n, values, err)
		     : write_rows(board, target, rq->core, which, n, values, err);
	if (rc < 0)
		return rc;
	pt_rsp_text(&rq->frame, "OK");
	return 0;
}

static int write_one(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	size_t n;
	const struct pt_register *rows = rows_of(target, &n);
	uint8_t bytes[MAX_REGISTER_BYTES];
	struct pt_saved saved;
	uint64_t value;
	uint16_t row;
	int rc;

	if (find_row(rows, n, rq->addr, &row, err) < 0)
		return err->code;
	if (pt_rsp_left(&rq->args) != 2 * size_of(&rows[row]) || !pt_rsp_bytes(&rq->args, bytes, size_of(&rows[row])))
		return pt_fail(err, PT_EARG, "P for %s without its %u bits", rows[row].name, rows[row].bits);
	value = from_bytes(bytes, size_of(&rows[row]), pt_target_is_big_endian(target));
	rc = pt_gdb_task_registers(pt_gdb_threads_of(rq->client), target, rq->task, &rq->core, &saved, err);
	if (rc == 1)
		rc = pt_gdb_task_write(target, &saved, rows[row].name, value, err);
	else if (rc == 0)
		rc = write_rows(board, target, rq->core, &row, 1, &value, err);
	if (rc < 0)
		return rc;
	pt_rsp_text(&rq->frame, "OK");
	return 0;
}

static void handle_write_registers(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	client->request.args = *args;
	client->request.core = client->inferior.core;
	client->request.task = client->inferior.task;
	pt_gdb_post(&client->request, write_all, pt_gdb_reply_checked);
}

static void handle_write_register(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	if (!pt_rsp_number(args, &client->request.addr) || !pt_rsp_take(args, "=")) {
		pt_gdb_reply_malformed(client);
		return;
	}
	client->request.args = *args;
	client->request.core = client->inferior.core;
	client->request.task = client->inferior.task;
	pt_gdb_post(&client->request, write_one, pt_gdb_reply_checked);
}

const struct pt_packet_row pt_packets_registers[] = {
	{ "g", PT_PACKET_TARGET | PT_PACKET_EXACT | PT_PACKET_HALTED | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_read_registers },
	{ "G", PT_PACKET_TARGET | PT_PACKET_HALTED | PT_PACKET_CHANGES, handle_write_registers },
	{ "p", PT_PACKET_TARGET | PT_PACKET_HALTED | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_read_register },
	{ "P", PT_PACKET_TARGET | PT_PACKET_HALTED | PT_PACKET_CHANGES, handle_write_register },
	{ 0 },
};
