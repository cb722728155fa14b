/* libFuzzer entry for the JTAG drivers (XVC, remote_bitbang, CMSIS-DAP, J-Link), the chain and the debug port on it: a server
 * that answers with arbitrary bytes from some request on, of any length or of the right one. Linked with
 * tests/fuzz/replay.c elsewhere. Checked: no access outside the answer, an end to every call in bounded time, no more
 * done than was asked. */
#include <stdlib.h>
#include <string.h>

#include "probes/wires/jtag_chain.h"
#include "probes/jtag/jtag_stream.h"
#include "probes/jtag/mpsse.h"
#include "probes/links/ftdi.h"
#include "probes/registry.h"
#include "tests/scripted_link.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { XVC, BITBANG, CMSIS_DAP, BITBANG_SWD, JLINK, JLINK_SWD, FTDI, FTDI_SWD, N_KINDS };
enum { ON_NETWORK = 0x80 };	/* of the second byte: a J-Link that is reached by TCP */

struct source {
	const uint8_t *in;
	size_t left;
	unsigned kind, honest;	/* requests answered properly before the noise begins */
};

static uint8_t next_byte(struct source *s)
{
	if (s->left == 0)
		return 0;
	s->left--;
	return *s->in++;
}

static bool letters(const struct source *s)
{
	return s->kind == BITBANG || s->kind == BITBANG_SWD;
}

static bool is_jlink(const struct source *s)
{
	return s->kind == JLINK || s->kind == JLINK_SWD;
}

/* Each command by its first byte, with what such a device without a target answers. */
static size_t of_jlink(const uint8_t *request, size_t len_bytes, uint8_t *response)
{
	static const struct { uint8_t command, n, bytes[24]; } rows[] = {
		{ 0x01, 114, "p\0J-Link compiled" }, { 0xe8, 4, { 2, 0x0a, 2, 0x88 } }, { 0xed, 32, { 2, 0x0a, 2, 0x88 } },
		{ 0xf0, 4, { 0xbc, 0x60, 1 } }, { 0xd4, 4, { 0, 4 } }, { 0x07, 8, { 0xe4, 0x0c } },
		{ 0x09, 76, { 7, 0, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 } }, { 0xc7, 4, { 3 } },
		{ 0xc0, 6, { 0, 0x1b, 0xb7, 0, 1 } },
	};

	memset(response, 0, 1024);
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].command == request[0]) {
			memcpy(response, rows[i].bytes, sizeof(rows[i].bytes));
			return rows[i].n;
		}
	return request[0] == 0xcf && len_bytes >= 4 ? ((size_t)pt_le16(request + 2) + 7) / 8 + 1 : PT_SCRIPT_NO_ANSWER;
}

static bool is_ftdi(const struct source *s)
{
	return s->kind == FTDI || s->kind == FTDI_SWD;
}

enum { FTDI_PACKET = 64, FTDI_STATUS = 2 };

/* As on USB, with status bytes in front of each packet. Inputs are low, and follow TDI where SWDIO is looked at. */
static size_t of_ftdi(const uint8_t *request, size_t len_bytes, uint8_t *response)
{
	static const uint8_t opened[] = { 0xfa, 0xaa, 0xfa, 0xab, 0x35, 0xa1, 0x16 << 3 };
	size_t left = mpsse_framing.answer_bytes(request, len_bytes), n = 0;
	uint8_t data[1024] = { 0 }, *at = data;

	left = left < sizeof(data) ? left : sizeof(data);
	if (request[0] == opened[1])
		memcpy(data, opened, sizeof(opened));
	if (left == 2)
		data[1] = 0xff;
	for (size_t part; left > 0; left -= part, at += part) {
		part = left < FTDI_PACKET - FTDI_STATUS ? left : FTDI_PACKET - FTDI_STATUS;
		response[n] = 0x32;
		response[n + 1] = 0x60;
		memcpy(response + n + FTDI_STATUS, at, part);
		n += FTDI_STATUS + part;
	}
	return n;
}

/* As a server without a target would: TDO is 0. */
static size_t proper(const struct source *s, const uint8_t *request, size_t len_bytes, uint8_t *response)
{
	size_t n = PT_FRAMING_LINE;

	if (s->kind == XVC)
		n = pt_xvc_framing.answer_bytes(request, len_bytes);
	if (letters(s))
		n = pt_bitbang_framing.answer_bytes(request, len_bytes);
	if (is_jlink(s))
		return of_jlink(request, len_bytes, response);
	if (is_ftdi(s))
		return of_ftdi(request, len_bytes, response);
	if (s->kind == CMSIS_DAP)
		n = 16;
	if (n == PT_FRAMING_LINE) {
		strcpy((char *)response, "xvcServer_v1.0:256\n");
		return strlen("xvcServer_v1.0:256\n");
	}
	n = n < 1024 ? n : 1024;
	memset(response, letters(s) ? '0' : 0, n);
	if (s->kind == XVC && n == 4)
		memcpy(response, request + 7, 4);
	if (s->kind == CMSIS_DAP)
		memcpy(response, (uint8_t[]){ request[0], request[0] == 0 ? 2 : request[0] == 2 ? request[1] : 0, 0x42 }, 3);
	return n;
}

/* Half of the noise has the right length, and letters that a level may be. */
static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct source *s = arg;
	size_t len = proper(s, request, len_bytes, response);
	uint8_t how;

	(void)took_ns;
	if (s->honest > 0 || len == PT_SCRIPT_NO_ANSWER) {
		s->honest -= s->honest > 0;
		return len;
	}
	how = next_byte(s);
	if ((how & 1) == 0)
		len = how;
	for (size_t i = s->kind == CMSIS_DAP && (how & 2) != 0 ? 2 : 0; i < len; i++)
		response[i] = letters(s) && (how & 2) != 0 ? '0' + (next_byte(s) & 1) : next_byte(s);
	return len;
}

static void scan(struct pt_probe *probe)
{
	static uint8_t in[300];
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IR, .n_bits = 6, .out = in, .end = PT_JTAG_TO_NEXT },
		{ .what = PT_JTAG_DR, .n_bits = 8 * sizeof(in) - 3, .in = in, .out = in, .head_bits = 2 },
		{ .what = PT_JTAG_DELAY, .time_us = 10 },
		{ .what = PT_JTAG_IDLE, .n_bits = 100 },
		{ .what = PT_JTAG_DR, .n_bits = 1, .in = in, .tail_bits = 3 },
	};
	struct pt_jtag_chain chain;
	struct pt_err err = { 0 };
	uint32_t used;
	size_t n_done;
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	jtag->connect(wire, &err);
	jtag->run(wire, ops, PT_LEN(ops), 100, &n_done, &err);
	if (n_done > PT_LEN(ops))
		abort();
	jtag->set_speed(wire, 1000000, &used, &err);
	if (pt_jtag_chain_find(&chain, jtag, wire, NULL, &err) == 0)
		for (size_t i = 0; i < chain.n_taps; i++) {
			ops[0].n_bits = chain.tap[i].ir_bits;
			pt_jtag_chain_run(&chain, i, ops, PT_LEN(ops), 100, &n_done, &err);
		}
	jtag->set_reset(wire, true, true, &err);
}

static void access_port(struct pt_probe *probe)
{
	static uint32_t words[300];
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 280 },
		{ .what = PT_DAP_POLL, .ap = true, .a = 4, .mask = 1, .value = 1, .time_us = 2000, .words = words },
		{ .what = PT_DAP_READ, .a = 4, .words = words },
	};
	struct pt_err err = { 0 };
	size_t n_done;
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	if (dap->connect(wire, PT_DAP_SWD, &err) == 0)
		dap->run(wire, ops, PT_LEN(ops), 100, &n_done, &err);
	dap->write_abort(wire, 0x1f, &err);
	dap->sequence(wire, (const uint8_t *)words, 300, &err);
	dap->set_reset(wire, false, &err);
}

/* What a J-Link on the network sends first. */
static void leave_hello(struct pt_script *script, struct source *s)
{
	uint8_t hello[7];

	for (size_t i = 0; i < sizeof(hello); i++)
		hello[i] = next_byte(s);
	pt_script_leave(script, hello, sizeof(hello));
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static const struct pt_probe_ops *const drivers[N_KINDS] = {
		&pt_xvc_ops, &pt_bitbang_ops, &pt_cmsis_dap_ops, &pt_bitbang_ops, &pt_jlink_ops, &pt_jlink_ops,
		&pt_ftdi_ops, &pt_ftdi_ops,
	};
	static struct pt_script script;
	struct source source = { .in = in, .left = in_bytes };
	struct pt_params *settings = pt_params_new();
	struct pt_probe *probe;
	struct pt_link *link;
	bool on_network;

	source.kind = next_byte(&source) % N_KINDS;
	source.honest = next_byte(&source);
	on_network = is_jlink(&source) && (source.honest & ON_NETWORK) != 0;
	source.honest = source.honest % ON_NETWORK % 20;
	script.head = script.n_queued = script.n_requests = 0;
	script.now_ns = script.free_ns = script.host_free_ns = 0;
	script.gone = script.interrupted = false;
	script.answer = answer;
	script.arg = &source;
	if (on_network)
		leave_hello(&script, &source);
	script.info = (struct pt_link_info){ .transport = "tcp", .packet_bytes = letters(&source) ? 1000 : 256, .usb_pid = 0x0101, .depth = 8 };
	if (is_jlink(&source) && !on_network)
		strcpy(script.info.transport, "bulk");
	script.packet_ns = 10000;
	if (is_ftdi(&source)) {
		script.info.packet_bytes = 1024;
		script.info.usb_release = 0x0700;
	}
	if (settings != NULL && (source.kind == BITBANG_SWD || source.kind == JLINK_SWD || source.kind == FTDI_SWD))
		pt_params_add(settings, pt_probe_params, pt_n_probe_params, "transport=swd", NULL);
	if (settings != NULL && (source.kind == JLINK || source.kind == FTDI))
		pt_params_add(settings, pt_probe_params, pt_n_probe_params, "transport=jtag", NULL);
	link = pt_script_link(&script);
	if (is_ftdi(&source))
		link = pt_ftdi_link_new(link, &mpsse_framing, FTDI_PACKET);
	probe = pt_probe_open_link(drivers[source.kind], link, settings, NULL);
	pt_params_free(settings);
	if (probe != NULL) {
		struct pt_probe_info info;

		if (source.kind != JLINK_SWD && source.kind != FTDI_SWD)
			scan(probe);
		access_port(probe);
		pt_probe_info(probe, &info);
	}
	pt_probe_close(probe);
	if (script.now_ns > 60 * PT_NS_PER_S || script.n_requests > 20000)
		abort();
	return 0;
}
