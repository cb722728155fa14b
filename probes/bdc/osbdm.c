/* OSBDM-JM60, the debugger on NXP's MagniV boards, in its S12Z personality: of its commands only the raw pipe to BKGD
 * works, a script of bytes to send and to receive. It sees no ACK, but gives the target time after each byte, so ACK
 * stays off; what a list has done is judged by BDCCSR at its end. One packet out, one packet in.
 * Source: OSBDM-JM60 firmware, build 31 rev 26: cmd_processing.c, commands.h, bdm_9s12z.c. */
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "probes/bdc/bdc_encode.h"
#include "probes/wires/probe.h"
#include "probes/wires/exchange.h"
#include "base/util.h"

enum {
	GET_STATUS = 0x10, RESET = 0x1b, GET_SPEED = 0x26, SPECIAL = 0x27, GET_VER = 0x50,
	DO_SYNC = 0x01, DO_SCRIPT = 0x2d,
	RESET_HARD_TO_BDM = 2, RESET_HARD_TO_RUN = 3,
	SYNC_MEASURED = 1, SYNC_MANUAL = 3, TYPE_S12Z = 9,
};
enum {
	PACKET_BYTES = 64, HEAD_BYTES = 4, VER_BYTES = 12, SPEED_BYTES = 6,
	MOST_PAIRS = 29, PAIR_SEND = 0, PAIR_RECEIVE = 1,
	MOST_COMMANDS = MOST_PAIRS,
	TICKS_HZ = 60000000, SYNC_CYCLES = 128,		/* GET_SPEED counts the SYNC pulse of 128 cycles at 60 MHz */
	PAIR_CYCLES = 9 * PT_BDC_BIT_CYCLES,		/* a byte, and a bit time of rest */
	UNKNOWN_BDCSI_HZ = 250000,
	RESET_TRIES = 20,
	POLL_READS = 1 + (MOST_PAIRS - 5) / 2,		/* READ_MEM.B, then READ_SAME.B */
};
#define RESET_NS (500 * PT_NS_PER_MS)
#define RISE_NS (5 * PT_NS_PER_MS)

struct osbdm {
	struct pt_exchange exchange;
	uint32_t bdcsi_hz;
	uint16_t errors;	/* of the flags in BDCCSR */
	char firmware[PT_PROBE_FIRMWARE_TEXT];
};

/* One packet of a script, and which commands it is made of. */
struct script {
	uint8_t bytes[PACKET_BYTES];
	uint8_t input[MOST_PAIRS];	/* which pairs receive */
	unsigned n_pairs, n_inputs;
};

/* --- commands ----------------------------------------------------------------------------------------------------- */

static size_t question(uint8_t *out)
{
	out[0] = GET_VER;
	return 1;
}

static bool answers(const uint8_t *in, size_t n_in)
{
	return n_in >= VER_BYTES && in[0] == GET_VER;
}

/* A command with its reply of at least least_bytes. Failed and unknown ones say so in place of the echo. */
static int ask(struct osbdm *osbdm, const uint8_t *request, size_t n_bytes, int least_bytes, uint64_t busy_ns,
	       struct pt_err *err)
{
	const uint8_t *in = osbdm->exchange.in;
	int n = pt_exchange_ask(&osbdm->exchange, request, n_bytes, busy_ns, err);

	if (n < 0)
		return n;
	if (n > 0 && in[0] == 1)
		return pt_fail(err, PT_EPROTO, "the probe failed at command 0x%02x", request[0]);
	if (n > 0 && in[0] == 2)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe does not know command 0x%02x", request[0]);
	if (n == 0 || in[0] != request[0])
		return pt_exchange_mistrust(&osbdm->exchange, err);
	if (n < least_bytes) {
		osbdm->exchange.out_of_step = true;
		return pt_fail(err, PT_EPROTO, "the probe's reply to command 0x%02x is cut short", request[0]);
	}
	return 0;
}

/* --- scripts ------------------------------------------------------------------------------------------------------ */

static void script_begin(struct script *script)
{
	memset(script, 0, sizeof(*script));
	script->bytes[0] = SPECIAL;
	script->bytes[1] = DO_SCRIPT;
}

static void add_pair(struct script *script, uint8_t what, uint8_t byte)
{
	uint8_t *at = script->bytes + HEAD_BYTES + 1 + 2 * script->n_pairs;	/* 1: a byte that means nothing */

	at[0] = what;
	at[1] = byte;
	if (what == PAIR_RECEIVE)
		script->input[script->n_inputs++] = (uint8_t)script->n_pairs;
	script->n_pairs++;
}

static unsigned pairs_of(const struct pt_bdc_command *c)
{
	return (unsigned)c->n_out + c->n_in[0] + c->n_in[1];
}

static bool add_command(struct script *script, const struct pt_bdc_command *c)
{
	if (script->n_pairs + pairs_of(c) > MOST_PAIRS)
		return false;
	for (unsigned i = 0; i < c->n_out; i++)
		add_pair(script, PAIR_SEND, c->out[i]);
	for (unsigned i = 0; i < (unsigned)c->n_in[0] + c->n_in[1]; i++)
		add_pair(script, PAIR_RECEIVE, 0);
	return true;
}

/* What came in, to `received`. The firmware gives what it received; whether it leaves gaps for what it sent was not
 * verified, so a reply with a byte for every pair is understood, too. */
static int run_script(struct osbdm *osbdm, struct script *script, uint8_t *received, struct pt_err *err)
{
	uint32_t hz = osbdm->bdcsi_hz != 0 ? osbdm->bdcsi_hz : UNKNOWN_BDCSI_HZ;
	const uint8_t *out = osbdm->exchange.in + HEAD_BYTES;
	size_t n_input = 1 + 2 * (size_t)script->n_pairs, n;
	int rc;

	script->bytes[2] = (uint8_t)(n_input >> 8);
	script->bytes[3] = (uint8_t)n_input;
	rc = ask(osbdm, script->bytes, HEAD_BYTES + n_input, HEAD_BYTES + (int)script->n_inputs,
		 script->n_pairs * PAIR_CYCLES * PT_NS_PER_S / hz, err);
	if (rc < 0)
		return rc;
	n = pt_be16(osbdm->exchange.in + 2);
	if (n != script->n_inputs && n != script->n_pairs) {
		osbdm->exchange.out_of_step = true;
		return pt_fail(err, PT_EPROTO, "the probe received %zu bytes, not %u", n, script->n_inputs);
	}
	for (unsigned i = 0; i < script->n_inputs; i++)
		received[i] = n == script->n_inputs ? out[i] : out[script->input[i]];
	return 0;
}

static int run_one(struct osbdm *osbdm, struct pt_bdc_op *op, struct pt_err *err)
{
	uint8_t received[MOST_PAIRS];
	struct pt_bdc_command command;
	struct script script;
	int rc;

	script_begin(&script);
	pt_bdc_encode(op, 0, false, &command);
	add_command(&script, &command);
	rc = run_script(osbdm, &script, received, err);
	if (rc == 0)
		pt_bdc_take(op, 0, received);
	return rc;
}

static int read_bdccsr(struct osbdm *osbdm, uint16_t *bdccsr, struct pt_err *err)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_BDCCSR };
	int rc = run_one(osbdm, &op, err);

	*bdccsr = (uint16_t)op.value;
	return rc;
}

/* --- SYNC and reset ----------------------------------------------------------------------------------------------- */

/* 0 Hz: the target does not answer. */
static int measure(struct osbdm *osbdm, struct pt_err *err)
{
	const uint8_t *in = osbdm->exchange.in;
	uint32_t ticks;
	int rc = ask(osbdm, (const uint8_t[]){ SPECIAL, DO_SYNC, 0, 0 }, 4, HEAD_BYTES, 0, err);

	osbdm->bdcsi_hz = 0;
	if (rc == 0)
		rc = ask(osbdm, (const uint8_t[]){ GET_STATUS }, 1, 5, 0, err);
	if (rc < 0 || (in[4] != SYNC_MEASURED && in[4] != SYNC_MANUAL))
		return rc;
	rc = ask(osbdm, (const uint8_t[]){ GET_SPEED }, 1, SPEED_BYTES, 0, err);
	if (rc < 0)
		return rc;
	ticks = (uint32_t)pt_be16(in + 2) << 16 | pt_be16(in + 4);
	osbdm->bdcsi_hz = ticks != 0 ? (uint32_t)((uint64_t)TICKS_HZ * SYNC_CYCLES / ticks) : 0;
	return 0;
}

static int sync_target(struct osbdm *osbdm, struct pt_err *err)
{
	int rc = measure(osbdm, err);

	if (rc == 0 && osbdm->bdcsi_hz == 0)
		rc = pt_fail(err, PT_EPROTO, "the target does not answer SYNC: no power, no clock, or not wired");
	return rc;
}

static int connect_target(void *state, uint32_t *bdcsi_hz, struct pt_err *err)
{
	struct pt_bdc_op no_ack = { .what = PT_BDC_ACK_DISABLE };
	struct osbdm *osbdm = state;
	int rc = sync_target(osbdm, err);

	*bdcsi_hz = osbdm->bdcsi_hz;
	return rc == 0 ? run_one(osbdm, &no_ack, err) : rc;
}

/* The clock may take its time to come up. */
static int reset_target(void *state, enum pt_bdc_mode mode, struct pt_err *err)
{
	uint8_t request[2] = { RESET, mode == PT_BDC_SPECIAL ? RESET_HARD_TO_BDM : RESET_HARD_TO_RUN };
	struct osbdm *osbdm = state;
	uint32_t hz;
	int rc = ask(osbdm, request, 2, 2, RESET_NS, err);

	for (unsigned i = 0; rc == 0 && i < RESET_TRIES; i++) {
		rc = measure(osbdm, err);
		if (rc < 0 || osbdm->bdcsi_hz != 0)
			break;
		rc = pt_link_wait(osbdm->exchange.link, pt_link_now_ns(osbdm->exchange.link) + RISE_NS, err);
	}
	return rc == 0 ? connect_target(osbdm, &hz, err) : rc;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

struct list {
	struct osbdm *osbdm;
	struct pt_bdc_op *ops;
	size_t n_ops, op;		/* op, i: the next command to be sent */
	uint32_t i;
	bool follows;
	bool unjudged;			/* something since the last look at BDCCSR may have failed */
	size_t n_done, proven;		/* proven: the first operation that may have failed since then */
	bool looked;			/* the last packet had room for that look */
	uint16_t bdccsr;
};

struct sent { size_t op; uint32_t i; };

static uint64_t now_ns(const struct list *l)
{
	return pt_link_now_ns(l->osbdm->exchange.link);
}

static void next_command(struct list *l)
{
	l->follows = ++l->i < pt_bdc_n_commands(&l->ops[l->op]);
	if (!l->follows) {
		l->op++;
		l->i = 0;
	}
}

static void take_command(struct list *l, const struct sent *sent, const uint8_t *received)
{
	struct pt_bdc_op *op = &l->ops[sent->op];
	bool answered = pt_bdc_take(op, sent->i, received);
	bool reads = op->what == PT_BDC_READ_MEM || op->what == PT_BDC_READ_SAME || op->what == PT_BDC_READ_DBGTB ||
		     op->what == PT_BDC_READ_RN || op->what == PT_BDC_SYNC_PC;

	if (pt_bdc_may_fail(op) && op->what != PT_BDC_SYNC_PC && !op->ws) {
		l->unjudged = true;
		if ((!answered || !reads) && l->proven == SIZE_MAX)
			l->proven = sent->op;
	}
	if (sent->i + 1 == pt_bdc_n_commands(op)) {
		op->done_ns = now_ns(l);
		l->n_done = sent->op + 1;
	}
}

/* The look at BDCCSR that ends a list goes along with its last packet, where that has room. */
static void add_look(struct list *l, struct script *script)
{
	const struct pt_bdc_op op = { .what = PT_BDC_READ_BDCCSR };
	struct pt_bdc_command command;

	pt_bdc_encode(&op, 0, false, &command);
	l->looked = l->op == l->n_ops && l->ops[l->op - 1].what != PT_BDC_GO_UNTIL && add_command(script, &command);
}

/* As many commands as a packet holds. */
static int run_packet(struct list *l, struct pt_err *err)
{
	struct sent sent[MOST_COMMANDS];
	uint8_t received[MOST_PAIRS], *at = received, n_in[MOST_COMMANDS];
	struct pt_bdc_command command;
	struct script script;
	unsigned n = 0;
	int rc;

	script_begin(&script);
	while (l->op < l->n_ops && pt_bdc_n_commands(&l->ops[l->op]) > 0) {
		pt_bdc_encode(&l->ops[l->op], l->i, l->follows, &command);
		if (!add_command(&script, &command))
			break;
		if (l->i == 0)
			l->ops[l->op].sent_ns = now_ns(l);
		sent[n] = (struct sent){ l->op, l->i };
		n_in[n++] = (uint8_t)(command.n_in[0] + command.n_in[1]);
		next_command(l);
		if (l->ops[sent[n - 1].op].what == PT_BDC_GO_UNTIL)
			break;
	}
	add_look(l, &script);
	rc = run_script(l->osbdm, &script, received, err);
	for (unsigned k = 0; rc == 0 && k < n; at += n_in[k++])
		take_command(l, &sent[k], at);
	if (l->looked)
		l->bdccsr = pt_be16(at);
	return rc;
}

static int judge(struct list *l, struct pt_err *err)
{
	int rc = 0;

	if (!l->unjudged)
		return 0;
	if (!l->looked)
		rc = read_bdccsr(l->osbdm, &l->bdccsr, err);
	if (rc == 0)
		rc = pt_bdc_judge(l->bdccsr, l->osbdm->errors, err);
	if (rc == PT_EFAULT && l->proven < l->n_done)
		l->n_done = l->proven;
	l->unjudged = false;
	l->proven = SIZE_MAX;
	return rc;
}

static int poll(struct list *l, struct pt_bdc_op *op, bool *expired, struct pt_err *err)
{
	uint8_t got[POLL_READS] = { 0 };
	struct pt_bdc_op same = {
		.what = PT_BDC_READ_SAME, .size_bytes = 1, .addr = op->addr, .n = POLL_READS, .bytes = got
	};
	struct list reads = { .osbdm = l->osbdm, .ops = &same, .n_ops = 1, .proven = SIZE_MAX };
	uint64_t until_ns;
	int rc = 0;

	op->sent_ns = now_ns(l);
	until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	do {
		reads.op = reads.i = 0;
		reads.follows = false;
		while (rc == 0 && reads.op == 0)
			rc = run_packet(&reads, err);
		for (unsigned i = 0; rc == 0 && i < POLL_READS; i++) {
			if ((got[i] & op->mask) != (uint8_t)op->value && i + 1 < POLL_READS)
				continue;
			*expired = (got[i] & op->mask) != (uint8_t)op->value;
			if (!*expired || now_ns(l) >= until_ns)
				op->value = got[i];
			break;
		}
	} while (rc == 0 && *expired && now_ns(l) < until_ns);
	l->unjudged = true;
	l->looked = false;
	return rc;
}

/* No ACK tells when it is over; BDMACT does. */
static int wait_for_halt(struct list *l, const struct pt_bdc_op *op, struct pt_err *err)
{
	uint64_t until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	uint16_t bdccsr;
	int rc;

	do {
		rc = read_bdccsr(l->osbdm, &bdccsr, err);
		if (rc < 0 || (bdccsr & PT_BDC_BDMACT) != 0)
			return rc;
	} while (now_ns(l) < until_ns);
	l->n_done--;
	return pt_fail(err, PT_ETIMEOUT, "the core has not come to a halt");
}

/* What is no command on the wire: the host's, or the probe's. */
static int run_host_op(struct list *l, bool *expired, struct pt_err *err)
{
	struct pt_bdc_op *op = &l->ops[l->op];
	int rc;

	op->sent_ns = now_ns(l);
	if (op->what == PT_BDC_SYNC)
		rc = sync_target(l->osbdm, err);
	else if (op->what == PT_BDC_DELAY)
		rc = pt_link_wait(l->osbdm->exchange.link, op->sent_ns + op->time_us * UINT64_C(1000), err);
	else
		rc = poll(l, op, expired, err);
	if (rc < 0 || *expired)
		return rc;
	if (op->what == PT_BDC_SYNC)
		op->value = l->osbdm->bdcsi_hz;
	op->done_ns = now_ns(l);
	l->n_done = ++l->op;
	l->follows = l->looked = false;
	return 0;
}

static int run_list(struct list *l, struct pt_err *err)
{
	bool expired = false;
	int rc = 0;

	while (rc == 0 && !expired && l->op < l->n_ops) {
		if (pt_bdc_n_commands(&l->ops[l->op]) == 0) {
			rc = run_host_op(l, &expired, err);
			continue;
		}
		rc = run_packet(l, err);
		if (rc == 0 && l->n_done > 0 && l->n_done == l->op && l->ops[l->op - 1].what == PT_BDC_GO_UNTIL)
			rc = wait_for_halt(l, &l->ops[l->op - 1], err);
	}
	return rc == 0 ? judge(l, err) : rc;
}

static uint32_t can(void *state)
{
	(void)state;
	return ((1u << PT_N_BDC_DOS) - 1) & ~(1u << PT_BDC_ACK_ENABLE);
}

static int run(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	struct list list = { .osbdm = state, .ops = ops, .n_ops = n_ops, .proven = SIZE_MAX };
	int rc = pt_bdc_check(ops, n_ops, can(state), err);

	(void)timeout_ms;	/* the probe answers within its own time, whatever the target does */
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		ops[i].status = 0;
	if (rc == 0)
		rc = run_list(&list, err);
	*n_done = list.n_done;
	pt_debug(PT_LOG_DAP, "osbdm: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

static int open_probe(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct osbdm *osbdm = state;
	const uint8_t *in = osbdm->exchange.in;
	int rc;

	(void)settings;
	osbdm->errors = PT_BDC_ERRORS;
	osbdm->exchange = (struct pt_exchange){ .link = link, .name = "osbdm", .question = question, .answers = answers };
	pt_link_set_packet_bytes(link, PACKET_BYTES);
	rc = pt_exchange_drain(&osbdm->exchange, err);
	if (rc == 0)
		rc = ask(osbdm, (const uint8_t[]){ GET_VER }, 1, VER_BYTES, 0, err);
	if (rc < 0)
		return rc;
	if (in[5] != TYPE_S12Z)
		return pt_fail(err, PT_EPROTO,
			       "this OSBDM has firmware for another family of chips (type %u, S12Z is %d)", in[5],
			       TYPE_S12Z);
	snprintf(osbdm->firmware, sizeof(osbdm->firmware), "build %u rev %u", in[4], in[7]);
	return 0;
}

static void close_probe(void *state)
{
	(void)state;	/* the core is left as it is, and nothing is outstanding that the next host would not drain */
}

static void info(void *state, struct pt_probe_info *out)
{
	const struct osbdm *osbdm = state;

	memcpy(out->firmware, osbdm->firmware, sizeof(out->firmware));
	strcpy(out->protocol, "osbdm");
	out->packet_bytes = PACKET_BYTES;
	out->packet_count = 1;
	out->speed_hz = osbdm->bdcsi_hz;
}

static void set_errors(void *state, uint16_t errors)
{
	((struct osbdm *)state)->errors = errors;
}

static const struct pt_bdc_ops bdc_ops = {
	.connect = connect_target, .run = run, .can = can, .set_errors = set_errors, .reset = reset_target,
};

/* OSBDM-JM60, newest first; 15a2:0035 is its boot loader and no probe. Source: OSBDM-JM60, Usb_Descriptor.c */
static const struct pt_usb_id usb[] = {
	{ .vid = 0x15a2, .pid = 0x005e, .out = 0x01, .in = 0x82 }, { .vid = 0x15a2, .pid = 0x0042, .out = 0x01, .in = 0x82 },
	{ .vid = 0x15a2, .pid = 0x0058, .out = 0x01, .in = 0x82 }, { .vid = 0x15a2, .pid = 0x0021, .out = 0x01, .in = 0x82 },
};

const struct pt_probe_ops pt_osbdm_ops = {
	.name = "osbdm",
	.help = "OSBDM, on NXP's MagniV boards",
	.usb = usb,
	.n_usb = PT_LEN(usb),
	.address = "osbdm:[serial=S|usb=BUS-PORT]",
	.state_bytes = sizeof(struct osbdm),
	.open = open_probe,
	.close = close_probe,
	.info = info,
	.bdc = &bdc_ops,
};
