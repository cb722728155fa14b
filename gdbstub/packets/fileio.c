#include "gdbstub/packets/fileio.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"
#include "base/util.h"

enum { EINTR_OF_GDB = 4, MODE_OF_NEW_FILES = 0666, SCRATCH_BYTES = 4, FROM_CURRENT = 1, FROM_END = 2 };

/* --- board thread: questions -------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int ask(struct pt_gdb_fileio *io, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(io->text, sizeof(io->text), fmt, args);
	va_end(args);
	return 1;
}

/* As GDB counts: the open flags of File-I/O, by a pair of semihosting modes (text and binary are one). */
static const unsigned open_flags[] = { 0, 2, 0x601, 0x602, 0x209, 0x20a };

/* GDB's descriptor for a handle; -1: GDB has none for it. */
static int descriptor(struct pt_host *sh, uint32_t handle)
{
	const struct pt_host_file *file = pt_host_file(sh, handle);

	if (file == NULL || file->kind == PT_HOST_FD_FEATURES || file->kind == PT_HOST_FD_FILE)
		return -1;
	return file->fd;
}

static uint32_t most(uint32_t n)
{
	return n < PT_HOST_MOST_BYTES ? n : PT_HOST_MOST_BYTES;
}

/* GDB writes the byte into target memory: below the stack, where only an exception would write, and none occurs while
 * the core is halted. */
static int ask_character(struct pt_gdb_fileio *io, struct pt_target *target, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, io->core);
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	uint64_t sp = 0;

	for (uint16_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, "sp") == 0 &&
		    target->ops->read_registers(target->state, io->core, &i, 1, &sp, err) < 0)
			return err->code;
	io->scratch = (uint32_t)sp - SCRATCH_BYTES;
	if (pt_mem_read(mem, io->scratch, io->kept, SCRATCH_BYTES, err) < 0)
		return err->code;
	return ask(io, "Fread,0,%x,1", io->scratch);
}

static int ask_text(struct pt_gdb_fileio *io, struct pt_mem *mem, struct pt_err *err)
{
	size_t n;

	if (pt_host_text_bytes(mem, io->call.arg, PT_HOST_MOST_BYTES, &n, err) < 0)
		return err->code;
	return n > 0 ? ask(io, "Fwrite,1,%x,%zx", io->call.arg, n) : 0;
}

/* SYS_OPEN: only if it is known to open a file. */
static int ask_of_file(struct pt_gdb_fileio *io, struct pt_host *sh)
{
	const struct pt_host_call *c = &io->call;
	int fd = descriptor(sh, c->word[0]);
	bool files = fd > 2; /* the console's cannot be closed, and have no length */

	switch (c->op) {
	case PT_HOST_OPEN:
		return ask(io, "Fopen,%x/%x,%x,%x", c->word[0], c->word[2] + 1, open_flags[c->word[1] / 2],
			   MODE_OF_NEW_FILES);
	case PT_HOST_WRITE:
	case PT_HOST_READ:
		return fd >= 0 && c->word[2] > 0 ? ask(io, "F%s,%x,%x,%x", c->op == PT_HOST_READ ? "read" : "write",
						       (unsigned)fd, c->word[1], most(c->word[2]))
						 : 0;
	case PT_HOST_CLOSE:
		return files ? ask(io, "Fclose,%x", (unsigned)fd) : 0;
	case PT_HOST_ISTTY:
		return files ? ask(io, "Fisatty,%x", (unsigned)fd) : 0;
	case PT_HOST_SEEK:
		return files ? ask(io, "Flseek,%x,%x,0", (unsigned)fd, c->word[1]) : 0;
	case PT_HOST_FLEN:
		return files ? ask(io, "Flseek,%x,0,%x", (unsigned)fd, FROM_CURRENT) : 0;
	case PT_HOST_REMOVE:
		return ask(io, "Funlink,%x/%x", c->word[0], c->word[1] + 1);
	case PT_HOST_RENAME:
		return ask(io, "Frename,%x/%x,%x/%x", c->word[0], c->word[1] + 1, c->word[2], c->word[3] + 1);
	default:
		return 0;
	}
}

/* 1: GDB must be asked io->text; 0: this request is not for GDB; else the target's error. */
static int first_question(struct pt_gdb_fileio *io, struct pt_host *sh, struct pt_target *target, bool *done,
			  int32_t *result, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, io->core);
	char name[PT_HOST_NAME_BYTES];
	int rc;

	switch (io->call.op) {
	case PT_HOST_WRITEC:
		return ask(io, "Fwrite,1,%x,1", io->call.arg);
	case PT_HOST_WRITE0:
		return ask_text(io, mem, err);
	case PT_HOST_READC:
		return ask_character(io, target, err);
	case PT_HOST_OPEN:
		rc = pt_host_open_special(sh, mem, &io->call, name, result, err);
		*done = rc == 0;
		return rc == 1 ? ask_of_file(io, sh) : rc;
	default:
		return ask_of_file(io, sh);
	}
}

int pt_gdb_fileio_ask(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, enum pt_host_how how,
		      struct pt_err *err)
{
	struct pt_gdb_fileio *io = &rq->client->resume.fileio;
	int32_t result = PT_HOST_FAILED;
	bool done = false;
	int rc;

	io->asked = false;
	io->step = 0;
	io->core = rq->core;
	io->how = how;
	rc = rq->client->inferior.run == PT_GDB_RUNNING ? pt_board_host_ask(board, rq->core, how, &io->call, err) : 0;
	if (rc <= 0)
		return rc;
	rc = pt_board_host(board)->mode != PT_HOST_GDB
		     ? 0
		     : first_question(io, pt_board_host(board), target, &done, &result, err);
	if (rc == PT_EIO)
		return rc;
	if (rc < 0) /* the program passed an invalid pointer */
		return pt_board_host_answer(board, rq->core, io->how, PT_HOST_FAILED, err);
	io->asked = rc == 1;
	if (done)
		return pt_board_host_answer(board, rq->core, io->how, result, err);
	return io->asked ? 0 : pt_board_host_serve(board, rq->core, io->how, &io->call, err);
}

void pt_gdb_fileio_waits(struct pt_board *board, bool waits)
{
	pt_board_host(board)->gdb_waits = waits;
}

/* --- board thread: answers ---------------------------------------------------------------------------------------- */

static int32_t not_moved(const struct pt_gdb_fileio *io)
{
	return (int32_t)(io->result < 0 || io->result > io->call.word[2] ? io->call.word[2]
									 : io->call.word[2] - (uint32_t)io->result);
}

/* Asks for the position, the end, and seeks back: 1 while there is another question. */
static int length_of_file(struct pt_gdb_fileio *io, struct pt_host *sh, int32_t *result)
{
	int fd = descriptor(sh, io->call.word[0]);

	if (fd < 0 || io->result < 0)
		return 0;
	switch (io->step++) {
	case 0:
		io->at = io->result;
		return ask(io, "Flseek,%x,0,%x", (unsigned)fd, FROM_END);
	case 1:
		io->size = io->result;
		return ask(io, "Flseek,%x,%" PRIx64 ",0", (unsigned)fd, (uint64_t)io->at);
	default:
		*result = io->size <= INT32_MAX ? (int32_t)io->size : PT_HOST_FAILED;
		return 0;
	}
}

static int take_character(struct pt_gdb_fileio *io, struct pt_target *target, int32_t *result, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, io->core);
	uint8_t byte;

	if (pt_mem_read(mem, io->scratch, &byte, 1, err) < 0 ||
	    pt_mem_write(mem, io->scratch, io->kept, SCRATCH_BYTES, err) < 0)
		return err->code;
	*result = io->result == 1 ? byte : PT_HOST_FAILED;
	return 0;
}

/* 1: there is another question; 0: *result is the program's. */
static int next_question(struct pt_gdb_fileio *io, struct pt_host *sh, struct pt_target *target, int32_t *result,
			 struct pt_err *err)
{
	struct pt_host_file *file = pt_host_file(sh, io->call.word[0]);

	*result = io->result < 0 ? PT_HOST_FAILED : 0;
	if (io->result < 0)
		sh->last_errno = io->error;
	switch (io->call.op) {
	case PT_HOST_OPEN:
		if (io->result >= 0 && io->result <= INT32_MAX)
			*result = pt_host_add_file(sh, PT_HOST_FD_GDB, (int)io->result);
		return 0;
	case PT_HOST_CLOSE:
		if (file != NULL)
			file->kind = PT_HOST_FD_FREE;
		return 0;
	case PT_HOST_WRITEC:
	case PT_HOST_WRITE0:
		*result = (int32_t)io->call.number;
		return 0;
	case PT_HOST_WRITE:
	case PT_HOST_READ:
		*result = not_moved(io);
		return 0;
	case PT_HOST_READC:
		return take_character(io, target, result, err);
	case PT_HOST_ISTTY:
		*result = io->result == 1;
		return 0;
	case PT_HOST_FLEN:
		return length_of_file(io, sh, result);
	default:
		return 0;
	}
}

/* GDB was interrupted before it did anything: the program is still at its BKPT, and repeats the request when it is
 * resumed. */
static int take_answer(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_gdb_fileio *io = &rq->client->resume.fileio;
	int32_t result;
	int rc;

	io->asked = false;
	if (io->interrupted && io->result < 0 && io->error == EINTR_OF_GDB)
		return 0;
	rc = next_question(io, pt_board_host(board), target, &result, err);
	if (rc < 0)
		return rc;
	io->asked = rc == 1;
	if (io->asked)
		return 0;
	if (pt_board_host_answer(board, io->core, io->how, result, err) < 0)
		return err->code;
	return io->how == PT_HOST_STEP ? pt_gdb_stop_registers(rq, target, err) : 0;
}

/* --- loop thread -------------------------------------------------------------------------------------------------- */

void pt_gdb_fileio_send(struct pt_gdb_client *client, pt_gdb_fileio_done *done)
{
	client->resume.fileio.done = done;
	client->resume.fileio.asked = false;
	client->resume.fileio.active = true;
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "%s", client->resume.fileio.text);
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

static void after_answer(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (rc < 0) {
		pt_warn("gdb: semihosting: %s", err->msg);
		client->resume.interrupted = true; /* it stays halted there, and the user must see this */
	}
	if (client->resume.fileio.asked && client->inferior.run == PT_GDB_RUNNING)
		pt_gdb_fileio_send(client, client->resume.fileio.done);
	else
		client->resume.fileio.done(client, rq);
	pt_rsp_finish(&client->rsp);
}

/* "-1": hex, with a sign. */
static bool take_signed(struct pt_rsp_args *args, int64_t *value)
{
	bool negative = pt_rsp_take(args, "-");
	uint64_t number;

	if (!pt_rsp_number(args, &number) || number > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)number : (int64_t)number;
	return true;
}

/* F result[,errno[,C]][;attachment] */
static void handle_fileio_reply(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_fileio *io = &client->resume.fileio;
	uint64_t error = 0;

	if (!io->active || client->inferior.run != PT_GDB_RUNNING) {
		pt_rsp_finish(&client->rsp); /* no request was sent, so there is no reply */
		return;
	}
	io->interrupted = false;
	io->result = -1;
	if (!take_signed(args, &io->result) || (pt_rsp_take(args, ",") && !pt_rsp_number(args, &error)))
		pt_warn("gdb: %s: an answer to File-I/O that makes no sense", client->rsp.peer);
	io->interrupted = pt_rsp_take(args, ",C");
	io->error = (int)(error & 0xffff);
	io->active = false;
	client->resume.interrupted |= io->interrupted;
	client->request.core = io->core;
	pt_gdb_post(&client->request, take_answer, after_answer);
}

const struct pt_packet_row pt_packets_fileio[] = {
	{ "F", PT_PACKET_TARGET, handle_fileio_reply },
	{ 0 },
};
