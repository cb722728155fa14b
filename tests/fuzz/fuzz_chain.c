/* JTAG chains and the debug port on them behind a wire whose bits are not always right: TAPs that the input chooses, and then what
 * becomes of each list of operations: it is done, fails, or some of the bits that came back are others. Checked: every call ends
 * in bounded time, no more is done than was asked, and with a wire that is right the chain is the one that there is.
 * The input: the number of TAPs and their kinds, a byte of how the port answers, words of settings up to a zero, then a byte for
 * each list: 0 it is right, 1 it fails, others change that many bits, two bytes each (position). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "probes/virtual/wire/jtag_dp.h"
#include "probes/wires/jtag_chain.h"
#include "probes/wires/jtag_dap.h"
#include "tests/busy_ap.h"
#include "tests/fake_jtag.h"
#include "tests/scripted_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_TAPS = 5, MOST_LISTS = 100000 };

static const struct pt_vjtap_config kinds[] = {
	{ .ir_bits = 6, .ir_capture = 0x11, .has_idcode = true, .idcode = 0x13722093, .idcode_ir = 9 },
	{ .ir_bits = 5, .ir_capture = 1 },
	{ .ir_bits = 12, .ir_capture = 1, .has_idcode = true, .idcode = 0x14710093, .idcode_ir = 0x249 },
	{ .ir_bits = 4, .ir_capture = 1, .has_idcode = true, .idcode = 0x12345677, .idcode_ir = 2 },
	{ .ir_bits = 8, .ir_capture = 2, .has_idcode = true, .idcode = 0x0badf00d, .idcode_ir = 2 },
};

static struct noisy {
	struct fake_jtag fake;
	const uint8_t *in;
	size_t left;
	bool was_right;
} wire;
static struct pt_vjtap taps[MOST_TAPS];
static struct pt_vjtag_dp jtag_dp;
static struct pt_vdp port;
static struct busy_ap behind;
static struct pt_script script;

static uint8_t next_byte(void)
{
	if (wire.left == 0)
		return 0;
	wire.left--;
	return *wire.in++;
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

static int connect_wire(void *state, struct pt_err *err)
{
	return fake_jtag_ops.connect(state, err);
}

static void change_bit(struct pt_jtag_op *ops, size_t n_ops)
{
	struct pt_jtag_op *op = &ops[next_byte() % n_ops];
	uint32_t at = next_byte();

	if ((op->what != PT_JTAG_DR && op->what != PT_JTAG_IR) || op->in == NULL || op->n_bits == 0)
		return;
	at %= op->n_bits;
	op->in[at / 8] ^= (uint8_t)(1 << at % 8);
	wire.was_right = false;
}

static int run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	uint8_t how = next_byte();
	int rc;

	if (wire.fake.n_lists > MOST_LISTS)
		abort();
	wire.fake.fail = how == 1;
	wire.was_right = wire.was_right && how != 1;
	rc = fake_jtag_ops.run(state, ops, n_ops, timeout_ms, n_done, err);
	for (unsigned i = 2; rc == 0 && n_ops > 0 && i <= how; i++)
		change_bit(ops, n_ops);
	port.clocks += 100;	/* power takes clocks that the fake chain does not give it */
	return rc;
}

static int set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	return fake_jtag_ops.set_speed(state, hz, hz_used, err);
}

static int set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	return fake_jtag_ops.set_reset(state, trst, srst, err);
}

static const struct pt_jtag_ops noisy_ops = {
	.connect = connect_wire, .run = run, .set_speed = set_speed, .set_reset = set_reset,
};

/* --- what is on it ------------------------------------------------------------------------------------------------ */

static struct pt_vap *ap_of(void *arg, unsigned apsel)
{
	(void)arg;
	return apsel == 0 ? &behind.ap : NULL;
}

static void on_sync(void *arg)
{
	(void)arg;
}

/* The debug port is one of them, or none is. Returns how many there are. */
static size_t make_chain(const struct pt_vjtap *of[MOST_TAPS])
{
	static const struct pt_vdp_board board = { .ap = ap_of, .sync = on_sync };
	size_t n = next_byte() % (MOST_TAPS + 1), at = next_byte() % (MOST_TAPS + 1);
	uint8_t how = next_byte();
	struct pt_vjtap *list[MOST_TAPS + 1];

	pt_vdp_init(&port, &board, 0x0bc11477, 0);
	pt_vjtag_dp_init(&jtag_dp, &port);
	busy_ap_init(&behind);
	behind.busy_each = how % 8;
	behind.busy_for = how / 8 % 8 < 7 ? how / 8 % 8 : 4000;	/* 4000: longer than a list may take */
	behind.fault_at = how / 64 * 3;
	for (size_t i = 0; i < n; i++) {
		pt_vjtap_init(&taps[i], &kinds[next_byte() % PT_LEN(kinds)]);
		list[i] = i == at ? &jtag_dp.tap : &taps[i];
		of[i] = list[i];
	}
	fake_jtag_init(&wire.fake, list, n);
	wire.fake.link = &script;
	wire.fake.pass_ns = 1000000;
	return n;
}

static struct pt_params *read_settings(void)
{
	struct pt_params *settings = pt_params_new();
	char word[40];
	size_t n = 0;

	for (uint8_t c = next_byte(); c != 0; c = next_byte()) {
		if (c != '\n' && n + 1 < sizeof(word)) {
			word[n++] = (char)c;
			continue;
		}
		word[n] = '\0';
		n = 0;
		pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, word, NULL);
	}
	return settings;
}

/* --- what is done on it ------------------------------------------------------------------------------------------- */

static void use_chain(struct pt_jtag_chain *chain, const struct pt_params *settings)
{
	static uint8_t in[8], out[8];
	struct pt_err err = { 0 };
	size_t n_done;
	int tap = pt_jtag_chain_tap(chain, settings, &err);

	if (tap >= (int)chain->n_taps || (tap < 0 && err.msg[0] == '\0'))
		abort();
	for (size_t i = 0; i < chain->n_taps; i++) {
		struct pt_jtag_op ops[] = {
			{ .what = PT_JTAG_IR, .n_bits = chain->tap[i].ir_bits, .in = in, .out = out },
			{ .what = PT_JTAG_DR, .n_bits = 36, .in = in, .out = out },
			{ .what = PT_JTAG_IDLE, .n_bits = 7 },
			{ .what = PT_JTAG_DR, .n_bits = 1, .in = in },
		};
		uint32_t code;

		n_done = 0;
		pt_jtag_chain_run(chain, i, ops, PT_LEN(ops), 100, &n_done, &err);
		if (n_done > PT_LEN(ops))
			abort();
		pt_jtag_chain_run(chain, i, ops + 1, 1, 100, &n_done, &err);	/* no IR scan at this TAP before */
		for (unsigned user = 1; user <= 4; user++)
			pt_jtag_chain_user(chain, i, user, settings, &code, &err);
	}
}

static void check_chain(const struct pt_jtag_chain *chain, const struct pt_vjtap *const *of, size_t n)
{
	if (!wire.was_right)
		return;
	if (chain->n_taps != n)
		abort();
	for (size_t i = 0; i < n; i++)
		if (chain->tap[i].has_idcode != of[i]->config.has_idcode ||
		    chain->tap[i].ir_bits != of[i]->config.ir_bits ||
		    (chain->tap[i].has_idcode && chain->tap[i].idcode != of[i]->config.idcode))
			abort();
}

static void use_port(const struct pt_params *settings)
{
	static uint32_t
		words[300]; /* a port that is busy often has all behind it scanned again, so that is a short row */
	struct pt_dap_op power[] = {
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .mask = 0xa0000000, .value = 0xa0000000, .time_us = 5000, .words = words },
	}, ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = words },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = 7 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = behind.busy_each > 0 ? 20 : 280 },
		{ .what = PT_DAP_DELAY, .time_us = 20 },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 3 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 0 },
		{ .what = PT_DAP_POLL, .ap = true, .a = 0xc, .mask = 1, .value = 2, .time_us = 300, .words = words },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = words },
	};
	struct pt_link *link = pt_script_link(&script);
	struct pt_jtag_dap *dap = pt_jtag_dap_new(&noisy_ops, &wire, link, settings);
	struct pt_err err = { 0 };
	uint32_t hz;
	size_t n_done;

	for (int i = 0; dap != NULL && i < 3; i++) {
		if (i != 1 && pt_jtag_dap_ops.connect(dap, PT_DAP_SWD, &err) < 0)
			continue;
		n_done = 0;
		pt_jtag_dap_ops.run(dap, power, PT_LEN(power), 50, &n_done, &err);
		pt_jtag_dap_ops.run(dap, ops, PT_LEN(ops), 50, &n_done, &err);
		if (n_done > PT_LEN(ops))
			abort();
		pt_jtag_dap_ops.write_abort(dap, 0x1f, &err);
		pt_jtag_dap_ops.set_speed(dap, 1000000, &hz, &err);
		pt_jtag_dap_ops.set_reset(dap, i == 1, &err);
		pt_jtag_dap_connected(dap);
	}
	pt_jtag_dap_free(dap);
	pt_link_close(link);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	const struct pt_vjtap *of[MOST_TAPS + 1];
	struct pt_jtag_chain chain = { 0 };
	struct pt_params *settings;
	struct pt_err err = { 0 };
	bool asks_lengths;
	size_t n;

	wire.in = in;
	wire.left = in_bytes;
	memset(&script, 0, sizeof(script));
	n = make_chain(of);
	wire.was_right = true;
	settings = read_settings();
	asks_lengths = pt_params_given(settings, &pt_jtag_params[PT_JTAG_IR_LEN]);
	connect_wire(&wire, &err);
	if (pt_jtag_chain_find(&chain, &noisy_ops, &wire, settings, &err) == 0) {
		if (!asks_lengths)
			check_chain(&chain, of, n);
		use_chain(&chain, settings);
	} else if (err.msg[0] == '\0') {
		abort();
	}
	use_port(settings);
	pt_params_free(settings);
	return 0;
}
