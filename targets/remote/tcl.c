#include "targets/remote/tcl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/log.h"
#include "probes/links/links.h"
#include "host/clock.h"
#include "targets/remote/tcl_text.h"
#include "base/util.h"

enum { PORT = 6666, END = 0x1a, REST_MS = 250, WHERE_BYTES = 64 };

struct pt_tcl {
	struct pt_tcl_setup setup;
	char address[WHERE_BYTES];
	char wanted[PT_TCL_NAME_BYTES], target[PT_TCL_NAME_BYTES];	/* target: as OpenOCD reported it */
	struct pt_link *link;		/* NULL: not connected */
	bool believed;			/* this connection is verified */
	bool was_believed;		/* an earlier connection was verified */
	bool owed;			/* the answer to the last command is pending */
	uint32_t number;		/* of the last command */
	uint64_t again_ns;		/* earliest time of the next attempt to connect */
	struct pt_err why;		/* why it is not connected */
	char text[PT_TCL_TEXT_BYTES];
};

static size_t answer_bytes(const uint8_t *request, size_t len_bytes)
{
	(void)request;
	(void)len_bytes;
	return PT_FRAMING_LINE;
}

static const struct pt_framing framing = {
	.protocol = "OpenOCD's TCL RPC", .port = PORT, .answer_bytes = answer_bytes, .line_end = END,
	.line_bytes = PT_TCL_TEXT_BYTES,
};

/* --- commands ----------------------------------------------------------------------------------------------------- */

/* Closes an unusable connection, with any pending answer. Whatever the error was, the port may come back, so the caller
 * gets a timeout. (PT_EIO would end the board, PT_EPROTO would mean a target without power.) */
static int hang_up(struct pt_tcl *t, struct pt_err *err)
{
	t->again_ns = pt_host_now_ns() + REST_MS * PT_NS_PER_MS;
	pt_link_close(t->link);
	t->link = NULL;
	t->owed = t->believed = false;
	pt_wrap(err, "OpenOCD's TCL port (upstream-tcl=%s)", t->address);
	err->code = PT_ETIMEOUT;
	if (strcmp(t->why.msg, err->msg) != 0)
		pt_warn("%s", err->msg);
	t->why = *err;
	return err->code;
}

/* Receives an answer into text; the length excludes its end byte. */
static int receive(struct pt_tcl *t, uint32_t timeout_ms, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(t->link) + timeout_ms * PT_NS_PER_MS;
	int len = pt_link_receive(t->link, (uint8_t *)t->text, sizeof(t->text), until_ns, err);

	if (len == PT_ETIMEOUT)
		return pt_fail(err, PT_ETIMEOUT, "OpenOCD's TCL port (upstream-tcl=%s) has not answered for %u ms",
			       t->address, (unsigned)timeout_ms);
	if (len < 0)
		return hang_up(t, err);
	t->owed = false;
	return len - 1;
}

/* Sends the command in text, and receives the answer into text. Returns its length. */
static int exchange(struct pt_tcl *t, size_t len, uint32_t timeout_ms, struct pt_err *err)
{
	t->text[len] = END;
	if (pt_link_submit(t->link, (uint8_t *)t->text, len + 1, pt_link_now_ns(t->link) + timeout_ms * PT_NS_PER_MS,
			   err) < 0)
		return hang_up(t, err);
	t->owed = true;
	return receive(t, timeout_ms, err);
}

/* Runs pieces that fit into one command, and gets their results. */
static int run_pieces(struct pt_tcl *t, const struct pt_tcl_piece *pieces, size_t n, uint32_t timeout_ms,
		      struct pt_tcl_answer *answer, struct pt_err *err)
{
	size_t len =
		pt_tcl_command(t->text, sizeof(t->text) - 1, ++t->number, t->target, pieces, n, t->setup.big_endian);
	int rc;

	if (len == 0)
		return pt_fail(err, PT_EARG, "too many accesses for a command of OpenOCD's TCL port");
	rc = exchange(t, len, timeout_ms, err);
	if (rc < 0)
		return rc;
	rc = pt_tcl_answer(t->text, (size_t)rc, t->number, pieces, n, t->setup.big_endian, answer, err);
	return rc < 0 ? hang_up(t, err) : 0;
}

/* --- connection --------------------------------------------------------------------------------------------------- */

static int ask_target(struct pt_tcl *t, struct pt_err *err)
{
	static const char question[] = "return -code exit -level 0 [target current]";
	int len;

	if (t->wanted[0] != '\0') {
		strcpy(t->target, t->wanted);
		return 0;
	}
	memcpy(t->text, question, sizeof(question));
	len = exchange(t, strlen(question), t->setup.patience_ms, err);
	if (len < 0)
		return len;
	t->text[len] = '\0';
	if (!pt_tcl_is_name(t->text))
		return pt_fail(err, PT_EPROTO, "it answers \"%.60s\" where the name of a target was expected", t->text);
	memcpy(t->target, t->text, (size_t)len + 1);	/* a valid name fits */
	return 0;
}

static int compare(struct pt_tcl *t, uint64_t addr, const uint8_t known[4], struct pt_err *err)
{
	uint8_t seen[4] = { 0 };
	const struct pt_tcl_piece piece = { .what = PT_MEM_READ, .width_bytes = 4, .n = 1, .addr = addr,
					    .bytes = seen };
	struct pt_tcl_answer answer;
	int rc = run_pieces(t, &piece, 1, t->setup.patience_ms, &answer, err);

	if (rc < 0)
		return rc;
	if (answer.n_done == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "read of 0x%" PRIx64 " by target %s: %s", addr, t->target,
			       answer.refused);
	return memcmp(known, seen, 4) == 0
		       ? 0
		       : pt_fail(err, PT_EUNSUPPORTED,
				 "at 0x%" PRIx64 " its target %s has %02x%02x%02x%02x, the GDB port's "
				 "%02x%02x%02x%02x: not the same one (upstream-tcl-target=NAME)",
				 addr, t->target, seen[0], seen[1], seen[2], seen[3], known[0], known[1], known[2],
				 known[3]);
}

/* Verifies the port by reading words with known contents. */
static int prove(struct pt_tcl *t, struct pt_err *err)
{
	uint8_t word[4];
	uint64_t addr;
	unsigned n = 0;
	int rc;

	while ((rc = t->setup.known(t->setup.arg, n, &addr, word, err)) == 1) {
		rc = compare(t, addr, word, err);
		if (rc < 0)
			return rc;
		n++;
	}
	if (rc == PT_ESTATE && (n > 0 || t->was_believed))
		return 0;
	if (rc == 0 && n == 0)
		rc = pt_fail(err, PT_ESTATE, "nothing is known to compare what it reads with");
	return rc < 0 ? rc : 0;
}

static int connect_to(struct pt_tcl *t, struct pt_err *err)
{
	int rc;

	if (pt_host_now_ns() < t->again_ns) {
		*err = t->why;
		return err->code;
	}
	t->link = pt_stream_link_open(t->address, &framing, err);
	if (t->link == NULL)
		return hang_up(t, err);
	rc = ask_target(t, err);
	if (rc == 0)
		rc = prove(t, err);
	if (rc == 0) {
		t->believed = t->was_believed = true;
		t->why.msg[0] = '\0';
		pt_info("upstream: memory by OpenOCD's TCL port at %s, target %s", t->address, t->target);
		return 0;
	}
	return t->link != NULL && rc != PT_EBUSY && rc != PT_EINTERRUPTED ? hang_up(t, err) : rc;
}

/* Makes the connection ready for a command. */
static int make_ready(struct pt_tcl *t, uint32_t timeout_ms, struct pt_err *err)
{
	int rc;

	if (t->link != NULL && t->owed) {
		rc = receive(t, timeout_ms, err);
		if (rc < 0)
			return rc;
	}
	if (t->link != NULL && t->believed)
		return 0;
	pt_link_close(t->link);		/* the GDB connection was busy during verification */
	t->link = NULL;
	return connect_to(t, err);
}

/* --- accesses ----------------------------------------------------------------------------------------------------- */

struct place { size_t op, offset; };	/* index in the list of operations, and byte offset in it */

/* The widest accesses possible at this place of the operation, as many as have the same width. */
static struct pt_tcl_piece piece_at(const struct pt_mem_op *op, size_t offset, size_t n_most)
{
	struct pt_tcl_piece p = { .what = op->what, .fixed = op->fixed, .addr = op->addr + (op->fixed ? 0 : offset) };
	size_t left = op->len_bytes - offset, alike = left;

	p.width_bytes = op->width_bytes != 0 ? op->width_bytes : op->fixed ? 4 : 1;
	if (op->width_bytes == 0 && !op->fixed && p.addr % 4 == 0 && left >= 4)
		p.width_bytes = 4;
	else if (op->width_bytes == 0 && !op->fixed && p.addr % 2 == 0 && left >= 2)
		p.width_bytes = 2;
	if (op->width_bytes == 0 && p.width_bytes < 4 && !op->fixed)
		alike = p.width_bytes;
	p.n = (uint32_t)(alike / p.width_bytes < n_most ? alike / p.width_bytes : n_most);
	p.bytes = (uint8_t *)op->bytes + offset;
	return p;
}

/* The piece of a poll; the value read goes to `word`. */
static struct pt_tcl_piece poll_piece(const struct pt_mem_op *op, uint8_t *word)
{
	return (struct pt_tcl_piece){ .what = PT_MEM_POLL, .width_bytes = 4, .n = 1, .addr = op->addr, .bytes = word,
				      .mask = op->mask, .match = op->match, .time_us = op->time_us };
}

struct command {
	struct pt_tcl_piece piece[PT_TCL_PIECES];
	struct place behind[PT_TCL_PIECES];	/* each piece */
	size_t n;
	uint8_t polled[4];
	size_t poll_op;			/* SIZE_MAX: none */
	uint32_t poll_ms;
};

static void gather(struct command *c, const struct pt_mem_op *ops, size_t n_ops, struct place at)
{
	size_t n_values = 0;

	*c = (struct command){ .poll_op = SIZE_MAX };
	while (at.op < n_ops && c->n < PT_TCL_PIECES && n_values < PT_TCL_VALUES) {
		const struct pt_mem_op *op = &ops[at.op];
		struct pt_tcl_piece *p = &c->piece[c->n];

		if (op->what == PT_MEM_POLL && c->poll_op != SIZE_MAX)
			break;
		if (op->what == PT_MEM_POLL) {
			*p = poll_piece(op, c->polled);
			c->poll_op = at.op++;
			c->poll_ms = op->time_us / 1000 + 1;
		} else {
			*p = piece_at(op, at.offset, PT_TCL_VALUES - n_values);
			at.offset += (size_t)p->n * p->width_bytes;
			if (at.offset >= op->len_bytes)
				at = (struct place){ at.op + 1, 0 };
		}
		n_values += p->n;
		c->behind[c->n++] = at;
	}
}

/* Notes how far the command was executed, with its times. */
static void note(struct command *c, const struct pt_tcl_answer *answer, struct pt_mem_op *ops, struct place *at,
		 uint64_t sent_ns, uint64_t done_ns, bool big_endian)
{
	struct place to = answer->n_done > 0 ? c->behind[answer->n_done - 1] : *at;

	for (size_t i = at->op; i < to.op + (answer->n_done < c->n || to.offset > 0); i++) {
		if (i > at->op || at->offset == 0)
			ops[i].sent_ns = sent_ns;
		ops[i].done_ns = done_ns;
	}
	if (c->poll_op != SIZE_MAX && (to.op > c->poll_op || answer->expired))
		ops[c->poll_op].match_seen = big_endian ? pt_be32(c->polled) : pt_le32(c->polled);
	*at = to;
}

static unsigned width_of(const struct pt_mem_op *op)
{
	if (op->what == PT_MEM_POLL || (op->width_bytes == 0 && op->fixed))
		return 4;
	return op->width_bytes != 0 ? op->width_bytes : 1;
}

static int check(const struct pt_mem_op *ops, size_t n_ops, struct pt_err *err)
{
	for (size_t i = 0; i < n_ops; i++) {
		const struct pt_mem_op *op = &ops[i];
		unsigned width = width_of(op);
		bool known = op->what == PT_MEM_READ || op->what == PT_MEM_WRITE || op->what == PT_MEM_POLL;

		if (!known || width == 3 || width > 4 || op->addr % width != 0 ||
		    (op->what != PT_MEM_POLL && (op->len_bytes == 0 || op->len_bytes % width != 0)))
			return pt_fail(err, PT_EARG, "no such memory operation");
	}
	return 0;
}

static int refused(const struct pt_mem_op *op, const struct pt_tcl_piece *p, const struct pt_tcl_answer *answer,
		   uint64_t *fault_addr, struct pt_err *err)
{
	*fault_addr = p->addr;
	return pt_fail(err, PT_EFAULT, "%s memory at 0x%" PRIx64 ": OpenOCD's TCL port refuses it: %s",
		       op->what == PT_MEM_WRITE ? "write" : "read", p->addr, answer->refused);
}

int pt_tcl_run(struct pt_tcl *t, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	uint32_t each_ms = timeout_ms > t->setup.patience_ms ? timeout_ms : t->setup.patience_ms;
	struct pt_tcl_answer answer = { 0 };
	struct place at = { 0, 0 };
	struct pt_err own = { 0 };
	struct command c;
	uint64_t sent_ns;
	int rc;

	err = err != NULL ? err : &own;	/* the reason of a failure is kept for pt_tcl_describe */
	*n_done = 0;
	if (check(ops, n_ops, err) < 0)
		return err->code;
	while (at.op < n_ops) {
		rc = make_ready(t, t->setup.patience_ms, err);
		if (rc < 0)
			return rc;
		gather(&c, ops, n_ops, at);
		sent_ns = pt_link_now_ns(t->link);
		rc = run_pieces(t, c.piece, c.n, each_ms + c.poll_ms, &answer, err);
		if (rc < 0)
			return rc;
		note(&c, &answer, ops, &at, sent_ns, pt_link_now_ns(t->link), t->setup.big_endian);
		*n_done = at.op;
		if (answer.expired)
			return 0;
		if (answer.n_done < c.n)
			return refused(&ops[at.op], &c.piece[answer.n_done], &answer, fault_addr, err);
	}
	return 0;
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

struct pt_tcl *pt_tcl_new(const struct pt_tcl_setup *setup, struct pt_err *err)
{
	struct pt_tcl *t;

	if (setup->target != NULL && !pt_tcl_is_name(setup->target)) {
		pt_fail(err, PT_EARG, "upstream-tcl-target=%.40s is not the name of a target of OpenOCD's",
			setup->target);
		return NULL;
	}
	t = pt_alloc(sizeof(*t));
	t->setup = *setup;
	snprintf(t->address, sizeof(t->address), "%s", setup->address);
	snprintf(t->wanted, sizeof(t->wanted), "%s", setup->target != NULL ? setup->target : "");
	return t;
}

void pt_tcl_free(struct pt_tcl *t)
{
	if (t == NULL)
		return;
	pt_link_close(t->link);
	free(t);
}

void pt_tcl_describe(const struct pt_tcl *t, char *line, size_t room_bytes)
{
	if (t->believed)
		snprintf(line, room_bytes, "memory goes by OpenOCD's TCL port at %s, target %s", t->address, t->target);
	else if (t->why.msg[0] != '\0')
		snprintf(line, room_bytes, "memory: %.160s (tried again at each access)", t->why.msg);
	else
		snprintf(line, room_bytes, "memory goes by OpenOCD's TCL port at %s, not yet tried", t->address);
}
