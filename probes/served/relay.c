/* Commands of CMSIS-DAP, carried out by wire dap. A list of transfers becomes a list of operations; a match is the end of
 * one, because only reads may follow a poll. Source: CMSIS-DAP 2.x reference, Commands. */
#include "probes/served/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/log.h"
#include "probes/virtual/wire/dap_bytes.h"

enum {
	CAN_SWD = 1 << 0, PORT_SWD = 1,
	REQ_AP = 1 << 0, REQ_READ = 1 << 1, REQ_A = 0xc, REQ_MATCH = 1 << 4, REQ_MASK = 1 << 5,
	ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4, ACK_NONE = 7, ACK_PROTOCOL = 8, ACK_MISMATCH = 1 << 4,
	PIN_NRESET = 1 << 7,
	MOST_TRANSFERS = 255, RUN_MS = 500,
	POLL_CLOCKS = 100,	/* of one read of a poll */
};

struct pt_relay {
	struct pt_probe *probe;
	const struct pt_dap_ops *dap;
	void *wire;
	struct pt_probe_info info;
	uint32_t speed_hz, match_mask;
	uint16_t match_retries;
	bool nreset_low, gone;
	struct pt_dap_op ops[MOST_TRANSFERS];
	uint32_t words[MOST_TRANSFERS];
};

/* --- results -------------------------------------------------------------------------------------------------------- */

static uint8_t ack_of(struct pt_relay *r, int rc, const struct pt_err *err)
{
	if (rc == PT_EIO && !r->gone) {
		pt_warn("board: %s; the host is told that nothing answers", err->msg);
		r->gone = true;
	}
	return rc == 0 ? ACK_OK : rc == PT_ETIMEOUT ? ACK_WAIT : rc == PT_EFAULT ? ACK_FAULT : ACK_NONE;
}

static uint8_t status_of(struct pt_relay *r, int rc, const struct pt_err *err)
{
	return ack_of(r, rc, err) == ACK_OK ? DAP_OK : DAP_ERROR;
}

/* --- transfers ------------------------------------------------------------------------------------------------------ */

/* A list on its way: its operations, and which request each one is. */
struct list {
	struct pt_relay *relay;
	struct dap_out *out;
	size_t n_ops;
	unsigned of[MOST_TRANSFERS];	/* request of an operation */
	unsigned n_requests, n_done;
	uint8_t ack;			/* of the last */
};

/* The values that the host reads. */
static void put_words(struct list *l, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (l->relay->ops[i].what == PT_DAP_READ)
			dap_put32(l->out, l->relay->words[i]);
}

/* False: the list ends here. */
static bool run_list(struct list *l)
{
	struct pt_relay *r = l->relay;
	struct pt_err err = { 0 };
	size_t n_done = 0;
	int rc;

	if (l->n_ops == 0) {
		l->n_done = l->n_requests;
		l->ack = ACK_OK;
		return true;
	}
	rc = r->dap->run(r->wire, r->ops, l->n_ops, RUN_MS, &n_done, &err);
	put_words(l, n_done);
	l->ack = ack_of(r, rc, &err);
	l->n_done = rc == 0 && n_done == l->n_ops ? l->n_requests : l->of[n_done < l->n_ops ? n_done : l->n_ops - 1];
	if (rc == 0 && n_done < l->n_ops)	/* the poll expired */
		l->ack |= ACK_MISMATCH;
	l->n_ops = 0;
	return l->ack == ACK_OK;
}

static void add_op(struct list *l, uint8_t request, uint32_t value)
{
	struct pt_relay *r = l->relay;
	bool read = (request & REQ_READ) != 0, match = read && (request & REQ_MATCH) != 0;
	uint64_t poll_us =
		(uint64_t)(r->match_retries + 1) * POLL_CLOCKS * 1000000 / (r->speed_hz > 0 ? r->speed_hz : 1);

	r->words[l->n_ops] = 0;
	r->ops[l->n_ops] = (struct pt_dap_op){
		.what = match ? PT_DAP_POLL : read ? PT_DAP_READ : PT_DAP_WRITE, .ap = (request & REQ_AP) != 0,
		.a = request & REQ_A, .value = value, .mask = match ? r->match_mask : 0,
		.time_us = match ? (uint32_t)(poll_us < 1000000 ? poll_us : 1000000) : 0,
		.words = match ? NULL : read ? &r->words[l->n_ops] : NULL,
	};
	l->of[l->n_ops++] = l->n_requests;
}

/* False: the list ends here, in front of this request or behind it. */
static bool take_request(struct list *l, struct dap_in *in)
{
	uint8_t request = dap_get8(in);
	bool read = (request & REQ_READ) != 0, match = read && (request & REQ_MATCH) != 0;
	uint32_t value = !read || match ? dap_get32(in) : 0;

	if (in->cut) {
		run_list(l);
		l->ack = ACK_PROTOCOL;
		return false;
	}
	if (!read && (request & REQ_MASK) != 0) {
		if (!run_list(l))	/* a match before it has the mask from before */
			return false;
		l->relay->match_mask = value;
	} else {
		add_op(l, request, value);
	}
	l->n_requests++;
	return match ? run_list(l) : true;
}

static void skip_requests(struct dap_in *in, unsigned n)
{
	while (n-- > 0 && !in->cut) {
		uint8_t request = dap_get8(in);

		if ((request & REQ_READ) == 0 || (request & REQ_MATCH) != 0)
			dap_get32(in);
	}
}

static void transfer(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct list l = { .relay = r, .out = out };
	size_t head = out->len_bytes;
	unsigned count;
	bool more = true;

	dap_get8(in);		/* index of the DAP in a JTAG chain */
	count = dap_get8(in);
	dap_put16(out, 0);
	if (in->cut || out->full)
		return;
	while (more && l.n_requests < count)
		more = take_request(&l, in);
	if (more)
		run_list(&l);
	else
		skip_requests(in, count - l.n_requests);
	out->bytes[head] = (uint8_t)l.n_done;
	out->bytes[head + 1] = l.ack;
}

static void transfer_block(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	struct pt_dap_op op = { .words = r->words };
	size_t n_done = 0;
	unsigned count;
	uint8_t request;
	int rc = PT_EPROTO;

	dap_get8(in);
	count = dap_get16(in);
	request = dap_get8(in);
	op.what = (request & REQ_READ) != 0 ? PT_DAP_READ_BLOCK : PT_DAP_WRITE_BLOCK;
	op.ap = (request & REQ_AP) != 0;
	op.a = request & REQ_A;
	op.n_words = count;
	for (unsigned i = 0; op.what == PT_DAP_WRITE_BLOCK && i < count && i < MOST_TRANSFERS; i++)
		r->words[i] = dap_get32(in);
	if (!in->cut && count > 0 && count <= MOST_TRANSFERS)
		rc = r->dap->run(r->wire, &op, 1, RUN_MS, &n_done, &err);
	dap_put16(out, rc == 0 ? (uint16_t)count : 0);	/* how far it came is not known */
	dap_put8(out, rc == PT_EPROTO && err.code == 0 ? ACK_PROTOCOL : ack_of(r, rc, &err));
	for (unsigned i = 0; rc == 0 && op.what == PT_DAP_READ_BLOCK && i < count; i++)
		dap_put32(out, r->words[i]);
}

static void transfer_configure(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	dap_get8(in);		/* idle cycles and retries of WAIT are the driver's */
	dap_get16(in);
	r->match_retries = dap_get16(in);
	dap_put8(out, DAP_OK);
}

static void write_abort(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	uint32_t value;
	int rc = 0;

	dap_get8(in);
	value = dap_get32(in);
	if (!in->cut)
		rc = r->dap->write_abort(r->wire, value, &err);
	dap_put8(out, status_of(r, rc, &err));
}

/* --- the wire ------------------------------------------------------------------------------------------------------- */

static void connect(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	unsigned port = dap_get8(in);
	int rc = port <= PORT_SWD ? r->dap->connect(r->wire, PT_DAP_SWD, &err) : PT_EUNSUPPORTED;

	dap_put8(out, ack_of(r, rc, &err) == ACK_OK ? PORT_SWD : 0);
}

static void set_reset(struct pt_relay *r, bool low)
{
	struct pt_err err = { 0 };

	if (low != r->nreset_low && r->dap->set_reset(r->wire, low, &err) == 0)
		r->nreset_low = low;
}

/* SWCLK and SWDIO by hand are no operation of wire dap: the answer says that they did not move. */
static void swj_pins(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	uint8_t level = dap_get8(in), select = dap_get8(in);

	dap_get32(in);		/* how long to wait: the driver does, after a release */
	if (!in->cut && (select & PIN_NRESET) != 0)
		set_reset(r, (level & PIN_NRESET) == 0);
	dap_put8(out, r->nreset_low ? 0 : PIN_NRESET);
}

static void swj_clock(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	uint32_t hz = dap_get32(in);
	int rc = in->cut || hz == 0 ? PT_EARG : r->dap->set_speed(r->wire, hz, &r->speed_hz, &err);

	dap_put8(out, status_of(r, rc, &err));
}

/* A driver that sends no bits by hand has brought the wire up when the host connected, and there is nothing to switch. */
static void send_bits(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	unsigned n_bits = dap_get8(in);
	uint8_t bits[32];
	int rc = PT_EARG;

	n_bits = n_bits == 0 ? 256 : n_bits;
	for (unsigned i = 0; i < (n_bits + 7) / 8; i++)
		bits[i] = dap_get8(in);
	if (!in->cut)
		rc = r->dap->sequence(r->wire, bits, n_bits, &err);
	dap_put8(out, status_of(r, rc == PT_EUNSUPPORTED ? 0 : rc, &err));
}

static void disconnect(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	(void)in;
	set_reset(r, false);
	dap_put8(out, DAP_OK);
}

/* --- the rest of the commands ----------------------------------------------------------------------------------------- */

static void put_text(struct dap_out *out, const char *text)
{
	size_t len = strlen(text) + 1;

	dap_put8(out, (uint8_t)len);
	for (size_t i = 0; i < len; i++)
		dap_put8(out, (uint8_t)text[i]);
}

static void info(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	switch (dap_get8(in)) {
	case 0x01: put_text(out, "proftap"); break;
	case 0x02: put_text(out, r->info.link.product[0] != '\0' ? r->info.link.product : r->info.name); break;
	case 0x03: put_text(out, r->info.link.serial); break;
	case 0x04: put_text(out, "2.0.0"); break;
	case 0x09: put_text(out, r->info.firmware); break;
	case 0xf0: dap_put8(out, 1), dap_put8(out, CAN_SWD); break;
	case 0xfe: dap_put8(out, 1), dap_put8(out, PT_RELAY_PACKETS); break;
	case 0xff: dap_put8(out, 2), dap_put16(out, PT_RELAY_PACKET_BYTES); break;
	default: dap_put8(out, 0);
	}
}

static void host_status(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	(void)r;
	dap_get16(in);
	dap_put8(out, DAP_OK);
}

static void delay(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	struct pt_err err = { 0 };
	struct pt_dap_op op = { .what = PT_DAP_DELAY, .time_us = dap_get16(in) };
	size_t n_done;
	int rc = op.time_us == 0 ? 0 : r->dap->run(r->wire, &op, 1, RUN_MS, &n_done, &err);

	dap_put8(out, status_of(r, rc, &err));
}

static void reset_target(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	(void)r, (void)in;
	dap_put8(out, DAP_OK);
	dap_put8(out, 0);	/* no sequence of the device's own was executed */
}

static void swd_configure(struct pt_relay *r, struct dap_in *in, struct dap_out *out)
{
	(void)r;
	dap_put8(out, dap_get8(in) == 0 ? DAP_OK : DAP_ERROR);	/* one clock of turnaround, no data phase on WAIT */
}

static const struct row { uint8_t id; void (*run)(struct pt_relay *r, struct dap_in *in, struct dap_out *out); } commands[] = {
	{ 0x00, info }, { 0x01, host_status }, { 0x02, connect }, { 0x03, disconnect }, { 0x04, transfer_configure },
	{ 0x05, transfer }, { 0x06, transfer_block }, { 0x08, write_abort }, { 0x09, delay }, { 0x0a, reset_target },
	{ 0x10, swj_pins }, { 0x11, swj_clock }, { 0x12, send_bits }, { 0x13, swd_configure },
};

/* --- from outside --------------------------------------------------------------------------------------------------- */

size_t pt_relay_answer(struct pt_relay *r, const uint8_t *request, size_t len_bytes, uint8_t *response)
{
	struct dap_in in = { .at = request, .left_bytes = len_bytes };
	struct dap_out out = { .bytes = response, .room_bytes = PT_RELAY_PACKET_BYTES };
	uint8_t id = dap_get8(&in);
	size_t i = 0;

	while (i < PT_LEN(commands) && commands[i].id != id)
		i++;
	dap_put8(&out, i < PT_LEN(commands) ? id : DAP_INVALID);
	if (i < PT_LEN(commands))
		commands[i].run(r, &in, &out);
	return out.len_bytes;
}

void pt_relay_left(struct pt_relay *r)
{
	set_reset(r, false);
}

void pt_relay_free(struct pt_relay *r)
{
	free(r);
}

struct pt_relay *pt_relay_new(struct pt_probe *probe, struct pt_err *err)
{
	struct pt_relay *r = pt_alloc(sizeof(*r));

	r->probe = probe;
	r->dap = pt_probe_dap(probe, &r->wire);
	pt_probe_info(probe, &r->info);
	r->speed_hz = r->info.speed_hz;
	if (r->dap != NULL)
		return r;
	free(r);
	pt_fail(err, PT_EUNSUPPORTED, "this probe reaches no debug port of Arm's, so it cannot be served as CMSIS-DAP");
	return NULL;
}
