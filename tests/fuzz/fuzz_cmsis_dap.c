/* libFuzzer entry for the CMSIS-DAP driver: a device that answers with arbitrary bytes from some request on. Linked
 * with tests/fuzz/replay.c elsewhere. Checked: no access outside the response, an end to every call in bounded time, no
 * more done than was asked. */
#include <stdlib.h>
#include <string.h>

#include "probes/registry.h"
#include "tests/fake_cmsis_dap.h"
#include "tests/scripted_link.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

struct source {
	const uint8_t *in;
	size_t left;
	unsigned honest;	/* requests answered properly before the noise begins */
	struct fake_cmsis_dap fake;
};

static uint8_t next_byte(struct source *s)
{
	if (s->left == 0)
		return 0;
	s->left--;
	return *s->in++;
}

/* Mostly a proper head, so that the noise gets past the first check. */
static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct source *s = arg;
	size_t len;

	if (s->honest > 0) {
		s->honest--;
		return fake_cmsis_dap_answer(&s->fake, request, len_bytes, response, took_ns);
	}
	len = next_byte(s);
	for (size_t i = 0; i < len; i++)
		response[i] = next_byte(s);
	if (len > 0 && (response[0] & 3) != 0)
		response[0] = request[0];
	return len;
}

static void run_some(struct pt_probe *probe)
{
	static uint32_t words[300];
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 200 },
		{ .what = PT_DAP_DELAY, .time_us = 10 },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 40 },
		{ .what = PT_DAP_POLL, .ap = true, .a = 4, .mask = 1, .value = 1, .time_us = 2000, .words = words },
		{ .what = PT_DAP_READ, .a = 4, .words = words },
	};
	const struct pt_dap_ops *dap;
	struct pt_err err;
	size_t n_done;
	void *wire;

	dap = pt_probe_dap(probe, &wire);
	dap->connect(wire, PT_DAP_SWD, &err);
	for (int i = 0; i < 3; i++) {
		dap->run(wire, ops, PT_LEN(ops), 100, &n_done, &err);
		if (n_done > PT_LEN(ops))
			abort();
	}
	dap->set_reset(wire, true, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct pt_script script;
	static struct source source;
	struct pt_probe *probe;

	source.in = in;
	source.left = in_bytes;
	source.honest = next_byte(&source) % 20;
	if (source.fake.packet_bytes == 0)
		fake_cmsis_dap_init(&source.fake, 64, 4);
	script.head = script.n_queued = script.n_requests = 0;
	script.now_ns = script.free_ns = script.host_free_ns = 0;
	script.answer = answer;
	script.arg = &source;
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 256, .depth = 8 };
	script.packet_ns = 10000;
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, pt_script_link(&script), NULL, NULL);
	if (probe != NULL)
		run_some(probe);
	pt_probe_close(probe);
	if (script.now_ns > 20 * PT_NS_PER_S || script.n_requests > 2000)
		abort();
	return 0;
}
