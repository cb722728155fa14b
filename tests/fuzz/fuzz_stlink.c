/* libFuzzer entry for the ST-Link driver: the model of a firmware, old or new, whose replies are spoilt from some request
 * on: other bytes, other lengths, none. Or its target is busy for a while. Linked with tests/fuzz/replay.c elsewhere. Checked: no access outside a reply, an
 * end to every call in bounded time, no more done than was asked. */
#include <stdlib.h>
#include <string.h>

#include "probes/registry.h"
#include "tests/fake_cmsis_dap.h"
#include "tests/fake_stlink.h"
#include "tests/scripted_link.h"
#include "base/params.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

struct source {
	const uint8_t *in;
	size_t left;
	unsigned honest;	/* requests answered properly before the noise begins */
	struct fake_stlink fake;
};

static uint8_t next_byte(struct source *s)
{
	if (s->left == 0)
		return 0;
	s->left--;
	return *s->in++;
}

/* Mostly of the right length, so that the noise gets past the first check; where nothing is left the device is honest. */
static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct source *s = arg;
	size_t n = fake_stlink_answer(&s->fake, request, len_bytes, response, took_ns);
	uint8_t how;

	if (s->honest > 0 || s->left == 0) {
		s->honest -= s->honest > 0;
		return n;
	}
	how = next_byte(s);
	if (how < 8)
		return PT_SCRIPT_NO_ANSWER;
	if (how < 24 || n == PT_SCRIPT_NO_ANSWER)
		return how < 24 ? next_byte(s) : n;
	for (unsigned i = 0; i < (how & 3) && n > 0; i++)	/* the first byte, often a status, and some others */
		response[i == 0 ? 0 : next_byte(s) % n] = next_byte(s);
	return n;
}

static void run_list(struct pt_probe *probe, struct pt_dap_op *ops, size_t n_ops)
{
	struct pt_err err = { 0 };
	size_t n_done;
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	int rc = dap->run(wire, ops, n_ops, 100, &n_done, &err);

	if (n_done > n_ops || (rc < 0 && n_done == n_ops))
		abort();
	if (rc == PT_EFAULT)
		dap->write_abort(wire, 0x1e, &err);
}

/* Accesses that are no rows of memory, each a list of its own, as one that is refused ends its list. */
static void access_registers(struct pt_probe *probe)
{
	static uint32_t words[8];
	static const struct pt_dap_op single[] = {
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000001 }, { .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_POLL, .a = 4, .mask = 0xa0000000, .value = 0xa0000000, .time_us = 2000, .words = words },
		{ .what = PT_DAP_POLL, .a = 4, .mask = 1, .value = 2, .time_us = 2000 },
		{ .what = PT_DAP_READ, .a = 0xc, .words = words }, { .what = PT_DAP_READ, .ap = true, .a = 0, .words = words },
		{ .what = PT_DAP_READ, .ap = true, .a = 8, .words = words }, { .what = PT_DAP_WRITE, .ap = true, .a = 8, .value = 1 },
		{ .what = PT_DAP_POLL, .ap = true, .a = 0, .mask = 0x40, .value = 0x40, .time_us = 2000, .words = words },
		{ .what = PT_DAP_READ, .ap = true, .a = 4, .words = words },
	};
	static const uint32_t csw[] = { 0x22000011, 0x23000012, 0x22000013, 0x22000022, 0x22000010 };
	struct pt_dap_op odd[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 2 },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = words },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0xc, .value = 0x55 },
	};
	struct pt_dap_op op, select = { .what = PT_DAP_WRITE, .a = 8 };

	for (size_t i = 0; i < PT_LEN(csw); i++) {
		odd[0].value = csw[i];
		run_list(probe, odd, PT_LEN(odd));
	}
	for (unsigned bank = 0; bank < 3; bank++) {
		select.value = bank == 1 ? 0xf0 : bank == 2 ? 0x03000001 : 0;
		run_list(probe, &select, 1);
		for (size_t i = 0; i < PT_LEN(single); i++) {
			op = single[i];
			run_list(probe, &op, 1);
		}
	}
}

/* Words here and there, of two ports, as a profile reads them: lists, where the firmware has them. */
static void read_places(struct pt_probe *probe)
{
	enum { PLACES = 9 };
	static uint32_t words[PLACES];
	struct pt_dap_op ops[2 + 2 * PLACES + 4], *op = ops;

	*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0 };
	*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 };
	for (uint32_t i = 0; i < PLACES; i++) {
		if (i == 4) {
			*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0x01000000 };
			*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 };
		}
		*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 0x40 * i };
		*op++ = (struct pt_dap_op){ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = &words[i] };
	}
	*op++ = (struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0 };
	run_list(probe, ops, (size_t)(op - ops));
}

static void run_some(struct pt_probe *probe)
{
	static uint32_t words[600];
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = words },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 500 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE + 8 },
		{ .what = PT_DAP_READ, .ap = true, .a = 0xc, .words = words },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 40 },
		{ .what = PT_DAP_DELAY, .time_us = 10 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000010 },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 70 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000002 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0xc, .value = 7 },
		{ .what = PT_DAP_POLL, .ap = true, .a = 0xc, .mask = 1, .value = 1, .time_us = 2000, .words = words },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 20 },
		{ .what = PT_DAP_READ, .a = 4, .words = words },
	};
	const struct pt_dap_ops *dap;
	uint32_t used;
	struct pt_err err = { 0 };
	struct pt_probe_info info;
	void *wire;

	dap = pt_probe_dap(probe, &wire);
	dap->connect(wire, PT_DAP_SWD, &err);
	for (int i = 0; i < 3; i++) {
		run_list(probe, ops, PT_LEN(ops));
		read_places(probe);
	}
	access_registers(probe);
	dap->set_speed(wire, 0, &used, &err);
	dap->set_speed(wire, 1000000, &used, &err);
	dap->sequence(wire, (const uint8_t *)words, 60, &err);
	pt_probe_info(probe, &info);
	dap->set_reset(wire, true, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static const char *const kinds[] = { "v2j37", "v3j7", "v2j27", "v2j31" };
	static const uint16_t pids[] = { 0, 0x3744, 0x374d, 0x3755 };	/* an ST-Link V1, and boot loaders */
	static struct pt_script script;
	static struct source source;
	struct pt_params *settings = pt_params_new();
	struct pt_probe *probe;
	uint8_t what;

	source.in = in;
	source.left = in_bytes;
	what = next_byte(&source);
	source.honest = next_byte(&source) % 40;
	fake_stlink_init(&source.fake, kinds[what & 3]);
	if ((what & 4) != 0)
		source.fake.cpuid = 0x410fc241;
	if ((what & 0x38) == 8)
		pt_params_add(settings, pt_probe_params, pt_n_probe_params, "transport=jtag", NULL);
	if ((what & 0x38) == 0x10) {
		source.fake.n_ports = 2;
		source.fake.wait_from = next_byte(&source) * 4u;
		source.fake.wait_acks = next_byte(&source) % 32;
	}
	script.head = script.n_queued = script.n_requests = 0;
	script.now_ns = script.free_ns = script.host_free_ns = 0;
	script.answer = answer;
	script.arg = &source;
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = PT_VSTLINK_MOST_BYTES, .depth = 1 };
	script.info.usb_pid = pids[what >> 6];
	script.packet_ns = 10000;
	probe = pt_probe_open_link(&pt_stlink_ops, pt_script_link(&script), settings, NULL);
	if (probe != NULL)
		run_some(probe);
	pt_probe_close(probe);
	pt_params_free(settings);
	fake_stlink_fini(&source.fake);
	if (script.now_ns > 20 * PT_NS_PER_S || script.n_requests > 4000)
		abort();
	return 0;
}
