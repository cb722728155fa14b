/* The drivers of BDC probes (the pipe, OSBDM, USBDM of both framings) and a device that answers with arbitrary bytes from some
 * request on. Checked: no access outside the response, an end to every call in bounded time, no more done than was asked. The first
 * byte chooses the probe, the second how many requests are answered properly (255: all), the third what is odd about probe and target. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
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

/* --- what a target does with a probe: lists, as sources and run control make them */

static uint8_t bytes[1024];

/* But for what the probe says that it cannot do. */
static void run_list(struct pt_probe *probe, const struct pt_bdc_op *list, size_t n_ops)
{
	struct pt_bdc_op ops[16];
	struct pt_err err = { 0 };
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	size_t n_done = 0, n = 0;
	int rc;
	uint32_t can = bdc->can(wire);

	for (size_t i = 0; i < n_ops; i++)
		if ((can >> list[i].what & 1) != 0)
			ops[n++] = list[i];
	rc = bdc->run(wire, ops, n, 100, &n_done, &err);
	if (n_done > n || (rc < 0 && (rc != err.code || err.msg[0] == '\0')))
		abort();
}

static void run_lists(struct pt_probe *probe)
{
	static const struct pt_bdc_op while_it_runs[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1000, .n = 60, .bytes = bytes },
		{ .what = PT_BDC_DELAY, .time_us = 10 },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = 0x2000, .n = 90, .bytes = bytes },
		{ .what = PT_BDC_READ_DBGTB, .n = 20, .bytes = bytes },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 2, .addr = 0x1000, .n = 6, .bytes = bytes, .ws = true },
		{ .what = PT_BDC_POLL, .addr = FAKE_BDC_POLLED, .mask = 0x80, .value = 0x80, .time_us = 2000 },
		{ .what = PT_BDC_BACKGROUND },
		{ .what = PT_BDC_READ_RN, .crn = 11 },
		{ .what = PT_BDC_READ_BDCCSR },
	}, never[] = {
		{ .what = PT_BDC_POLL, .addr = 0x1000, .mask = 1, .value = 2, .time_us = 20000 },
	}, halted[] = {
		{ .what = PT_BDC_NOP },
		{ .what = PT_BDC_WRITE_RN, .crn = 11, .value = 0x1000 },
		{ .what = PT_BDC_STEP1 },
		{ .what = PT_BDC_READ_SAME, .size_bytes = 2, .addr = 0x104, .n = 40, .bytes = bytes },
		{ .what = PT_BDC_GO_UNTIL, .time_us = 30000 },
		{ .what = PT_BDC_GO },
		{ .what = PT_BDC_SYNC_PC, .n = 8, .bytes = bytes },
		{ .what = PT_BDC_DELAY, .time_us = 200000 },
		{ .what = PT_BDC_SYNC },
		{ .what = PT_BDC_READ_SAME, .size_bytes = 1, .addr = 0x104, .n = 3, .bytes = bytes, .ws = true },
	}, with_ack[] = {
		{ .what = PT_BDC_ACK_DISABLE },
		{ .what = PT_BDC_GO_UNTIL, .time_us = 3000 },
		{ .what = PT_BDC_ACK_ENABLE },
		{ .what = PT_BDC_WRITE_MEM, .size_bytes = 4, .addr = 0xfff0, .n = 8, .bytes = bytes },	/* off its end */
	}, odd[] = {
		{ .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1002, .n = 1, .bytes = bytes },
	};

	run_list(probe, while_it_runs, PT_LEN(while_it_runs));
	run_list(probe, never, PT_LEN(never));
	run_list(probe, halted, PT_LEN(halted));
	run_list(probe, with_ack, PT_LEN(with_ack));
	run_list(probe, while_it_runs, PT_LEN(while_it_runs));
	run_list(probe, odd, PT_LEN(odd));
}

static void capture(struct pt_probe *probe)
{
	static pt_pins_run runs[64];
	struct pt_pins_want want = { .line = { "pdo", "pdoclk" }, .n_lines = 2, .least_hz = 1000 };
	void *wire;
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &wire);
	struct pt_pins_read what;
	struct pt_err err;
	uint32_t hz;

	if (pins == NULL)
		return;
	for (size_t i = 0; pins->line(wire, i) != NULL; i++)
		want.line[i] = pins->line(wire, i);
	pins->start(wire, &(struct pt_pins_want){ .line = { "pdo", "clk" }, .n_lines = 2 }, &hz, &err);
	if (pins->start(wire, &want, &hz, &err) < 0)
		return;
	pins->start(wire, &want, &hz, &err);		/* it has begun */
	for (int i = 0; i < 12; i++)
		if (pins->read(wire, runs, i % 2 != 0 ? 3 : PT_LEN(runs), 3, &what, &err) > (int)PT_LEN(runs))
			abort();
	pins->stop(wire, &err);
	pins->read(wire, runs, PT_LEN(runs), 3, &what, &err);
	pins->stop(wire, &err);
}

static void run_some(struct pt_probe *probe)
{
	void *wire;
	const struct pt_bdc_ops *bdc = pt_probe_bdc(probe, &wire);
	struct pt_probe_info info;
	struct pt_err err;
	uint32_t hz;

	pt_probe_info(probe, &info);
	bdc->connect(wire, &hz, &err);
	if (bdc->set_errors != NULL)
		bdc->set_errors(wire, PT_BDC_ERRORS);
	run_lists(probe);
	bdc->reset(wire, PT_BDC_SPECIAL, &err);
	run_lists(probe);
	capture(probe);
	bdc->reset(wire, PT_BDC_NORMAL, &err);
	if (bdc->mass_erase != NULL)
		bdc->mass_erase(wire, &err);
}

/* --- devices, each as new, but for its quirks */

static void set_target_quirks(struct fake_bdc *bdc, uint8_t quirks)
{
	bdc->absent = quirks == 1;
	bdc->mute = quirks == 2;
	bdc->fault_addr = quirks == 3 ? 0x1008 : 0;
	bdc->polls = quirks == 4 ? 60 : 0;
	bdc->until_waits = quirks == 5 ? 2 : quirks == 6 ? 100 : 0;
	bdc->bdccsr |= quirks == 7 ? 0x40 : 0;		/* it sleeps */
}

static void make_pipe(uint8_t quirks)
{
	static const uint8_t runs[600] = { 0x40, 0x81, 0xc2, 0x3f, 0xff };
	uint8_t of_probe = quirks >> 3;

	fake_bdc_pipe_init(&pipe_probe, of_probe % 2 != 0 ? 512 : 64, 4);
	pipe_probe.runs = runs;
	pipe_probe.n_runs = sizeof(runs);
	pipe_probe.no_power = of_probe == 2;
	pipe_probe.most_hz = of_probe == 4 ? 10 : pipe_probe.most_hz;
	pipe_probe.lost_at = 40;
	pipe_probe.lost = of_probe == 5 ? 9 : 0;
	set_target_quirks(&pipe_probe.bdc, quirks & 7);
}

static void make_osbdm(uint8_t quirks)
{
	uint8_t of_probe = quirks >> 3;

	fake_osbdm_init(&osbdm);
	osbdm.gaps = of_probe % 2 != 0;
	osbdm.target_type = of_probe == 2 ? 1 : osbdm.target_type;
	osbdm.ticks = of_probe == 4 ? 0 : osbdm.ticks;
	set_target_quirks(&osbdm.bdc, quirks & 7);
}

static void make_usbdm(struct fake_usbdm *usbdm, uint8_t version, uint8_t quirks)
{
	uint8_t of_probe = quirks >> 3;

	fake_usbdm_init(usbdm, version);
	usbdm->no_toggle = of_probe == 1 && version == 4;
	usbdm->busy = of_probe == 2 ? 3 : of_probe == 3 ? 100000 : 0;
	usbdm->secured = of_probe == 4;
	usbdm->caps = of_probe == 5 ? 0 : usbdm->caps;
	usbdm->most_bytes = of_probe == 6 ? 20 : usbdm->most_bytes;
	usbdm->script = &script;
	set_target_quirks(&usbdm->bdc, quirks & 7);
}

static void make_device(unsigned which, uint8_t quirks)
{
	if (which == 0)
		make_pipe(quirks);
	else if (which == 1)
		make_osbdm(quirks);
	else
		make_usbdm(which == 2 ? &usbdm_4 : &usbdm_5, which == 2 ? 4 : 5, quirks);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct source source;
	struct pt_probe *probe;

	pt_log_set("error");
	source = (struct source){ .in = in, .left = in_bytes };
	source.device = next_byte(&source) % PT_LEN(devices);
	source.honest = next_byte(&source);
	source.honest = source.honest == UINT8_MAX ? UINT_MAX : source.honest;
	make_device(source.device, next_byte(&source));
	script.head = script.n_queued = script.n_requests = 0;
	script.now_ns = script.free_ns = script.host_free_ns = 0;
	script.answer = answer;
	script.arg = &source;
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 256, .depth = 8 };
	script.packet_ns = 10000;
	probe = pt_probe_open_link(devices[source.device].ops, pt_script_link(&script), NULL, NULL);
	if (probe != NULL)
		run_some(probe);
	pt_probe_close(probe);
	if (script.now_ns > 60 * PT_NS_PER_S || script.n_requests > 5000)
		abort();
	return 0;
}
