/* libFuzzer entry for the drivers of BDC probes (the pipe, OSBDM, USBDM of both framings): a device that answers with
 * arbitrary bytes from some request on. Linked with tests/fuzz/replay.c elsewhere. Checked: no access outside the
 * response, an end to every call in bounded time, no more done than was asked. */
#include <stdlib.h>
#include <string.h>

#include "probes/registry.h"
#include "tests/fake_bdc_pipe.h"
#include "tests/fake_osbdm.h"
#include "tests/fake_usbdm.h"
#include "tests/scripted_link.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

typedef size_t answer_fn(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

static struct fake_bdc_pipe pipe_probe;
static struct fake_osbdm osbdm;
static struct fake_usbdm usbdm_4, usbdm_5;
static struct pt_script script;

static const struct {
	const struct pt_probe_ops *ops;
	answer_fn *answer;
	void *arg;
} devices[] = {
	{ &pt_bdc_pipe_ops, fake_bdc_pipe_answer, &pipe_probe },
	{ &pt_osbdm_ops, fake_osbdm_answer, &osbdm },
	{ &pt_usbdm_ops, fake_usbdm_answer, &usbdm_4 },
	{ &pt_usbdm_ops, fake_usbdm_answer, &usbdm_5 },
};

struct source {
	const uint8_t *in;
	size_t left;
	unsigned honest;	/* requests answered properly before the noise begins */
	unsigned device;
};

static uint8_t next_byte(struct source *s)
{
	if (s->left == 0)
		return 0;
	s->left--;
	return *s->in++;
}

/* Mostly a proper head, so that the noise gets past the first check; often a proper answer with a byte changed. */
static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct source *s = arg;
	uint8_t how = s->honest > 0 ? 1 : next_byte(s);
	size_t len;

	if (s->honest > 0)
		s->honest--;
	if ((how & 1) != 0) {
		len = devices[s->device].answer(devices[s->device].arg, request, len_bytes, response, took_ns);
		if ((how & 2) != 0 && len > 0 && len < PT_SCRIPT_BYTES)
			response[next_byte(s) % len] = next_byte(s);
		return len;
	}
	len = next_byte(s);
	for (size_t i = 0; i < len; i++)
		response[i] = next_byte(s);
	if (len > 0 && (how & 4) != 0)
		response[0] = s->device >= 2 ? request[1] & 0xc0 : request[0];
	return len;
}

static void run_some(struct pt_probe *probe)
{
	static uint8_t bytes[1024];
	static pt_pins_run runs[64];
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1000, .n = 60, .bytes = bytes },
		{ .what = PT_BDC_DELAY, .time_us = 10 },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = 0x2000, .n = 90, .bytes = bytes },
		{ .what = PT_BDC_READ_DBGTB, .n = 20, .bytes = bytes },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 2, .addr = 0x1000, .n = 6, .bytes = bytes, .ws = true },
		{ .what = PT_BDC_POLL, .addr = 0x1000, .mask = 1, .value = 1, .time_us = 2000 },
		{ .what = PT_BDC_BACKGROUND },
		{ .what = PT_BDC_READ_RN, .crn = 11 },
		{ .what = PT_BDC_READ_BDCCSR },
	};
	struct pt_pins_want want = { .line = { "pdo", "pdoclk" }, .n_lines = 2, .least_hz = 1000 };
	void *wire, *pins_wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &pins_wire);
	struct pt_pins_read what;
	struct pt_err err;
	uint32_t hz;
	size_t n_done;

	bdc->connect(wire, &hz, &err);
	for (int i = 0; i < 3; i++) {
		bdc->run(wire, ops, PT_LEN(ops), 100, &n_done, &err);
		if (n_done > PT_LEN(ops))
			abort();
		ops[6].value = 1;
	}
	bdc->reset(wire, PT_BDC_SPECIAL, &err);
	if (pins == NULL || pins->start(pins_wire, &want, &hz, &err) < 0)
		return;
	for (int i = 0; i < 4; i++)
		if (pins->read(pins_wire, runs, PT_LEN(runs), 3, &what, &err) > (int)PT_LEN(runs))
			abort();
	pins->stop(pins_wire, &err);
}

static void make_devices(void)
{
	fake_bdc_pipe_init(&pipe_probe, 64, 4);
	fake_osbdm_init(&osbdm);
	fake_usbdm_init(&usbdm_4, 4);
	fake_usbdm_init(&usbdm_5, 5);
	usbdm_4.script = usbdm_5.script = &script;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct source source;
	struct pt_probe *probe;

	if (pipe_probe.packet_bytes == 0)
		make_devices();
	source = (struct source){ .in = in, .left = in_bytes };
	source.device = next_byte(&source) % PT_LEN(devices);
	source.honest = next_byte(&source) % 24;
	script.head = script.n_queued = script.n_requests = 0;
	script.now_ns = script.free_ns = script.host_free_ns = 0;
	script.answer = answer;
	script.arg = &source;
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 256, .depth = 8 };
	script.packet_ns = 10000;
	usbdm_4.n_request = 0;
	probe = pt_probe_open_link(devices[source.device].ops, pt_script_link(&script), NULL, NULL);
	if (probe != NULL)
		run_some(probe);
	pt_probe_close(probe);
	if (script.now_ns > 60 * PT_NS_PER_S || script.n_requests > 5000)
		abort();
	return 0;
}
