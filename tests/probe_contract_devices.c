/* The devices of the probe contract test, one for each driver. A wire's calls find in them what they expect: memory of
 * words at FAKE_DAP_BASE behind the first AP, an S12Z behind BKGD. */
#include <string.h>

#include "fake_bdc_pipe.h"
#include "fake_cmsis_dap.h"
#include "fake_jtag.h"
#include "fake_osbdm.h"
#include "fake_stlink.h"
#include "fake_usbdm.h"
#include "probe_contract.h"
#include "probes/registry.h"
#include "probes/virtual/probe/cmsis_dap.h"
#include "probes/virtual/probe/jlink.h"
#include "probes/virtual/probe/mpsse.h"
#include "probes/virtual/probe/remote_bitbang.h"
#include "probes/virtual/probe/stlink.h"
#include "probes/virtual/probe/xvc.h"
#include "swo_pin.h"
#include "base/util.h"

static struct fake_cmsis_dap dap;

static void make_cmsis_dap(struct pt_script *script)
{
	fake_cmsis_dap_init(&dap, 64, 4);
	script->answer = fake_cmsis_dap_answer;
	script->arg = &dap;
}

static void break_cmsis_dap(uint32_t fault_addr)
{
	dap.fault_addr = fault_addr;
}

static struct fake_stlink stlink;
static const char *stlink_kind;

static void plug_stlink(void)
{
	fake_stlink_init(&stlink, stlink_kind);
}

static void make_stlink_kind(struct pt_script *script, const char *kind)
{
	stlink_kind = kind;
	plug_stlink();
	script->answer = fake_stlink_answer;
	script->arg = &stlink;
	script->info.packet_bytes = PT_VSTLINK_MOST_BYTES;
}

static void make_stlink(struct pt_script *script)
{
	make_stlink_kind(script, "v2j37");
}

static void make_old_stlink(struct pt_script *script)
{
	make_stlink_kind(script, "v2j27");
}

static void make_stlink_3(struct pt_script *script)
{
	make_stlink_kind(script, "v3j7");
}

static void break_stlink(uint32_t fault_addr)
{
	stlink.fault_addr = fault_addr;
}

static struct fake_bdc_pipe pipe_probe;
static const uint8_t runs[] = { 0x85, 0x41, 0xc3, 0x00, 0x10, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x42, 0x42 };

static void make_bdc_pipe(struct pt_script *script)
{
	fake_bdc_pipe_init(&pipe_probe, 64, 4);
	pipe_probe.bdc.bdccsr = 0x8000;
	pipe_probe.runs = runs;
	pipe_probe.n_runs = sizeof(runs);
	script->answer = fake_bdc_pipe_answer;
	script->arg = &pipe_probe;
}

static void break_bdc_pipe(uint32_t fault_addr)
{
	pipe_probe.bdc.fault_addr = fault_addr;
}

static struct fake_osbdm osbdm;

static void make_osbdm(struct pt_script *script)
{
	fake_osbdm_init(&osbdm);
	osbdm.bdc.bdccsr = 0x8000;
	script->info.packet_bytes = 64;
	script->answer = fake_osbdm_answer;
	script->arg = &osbdm;
}

static void make_osbdm_with_gaps(struct pt_script *script)
{
	make_osbdm(script);
	osbdm.gaps = true;
}

static void break_osbdm(uint32_t fault_addr)
{
	osbdm.bdc.fault_addr = fault_addr;
}

static struct fake_usbdm usbdm;

/* As found by the contract's calls: connected, as after another host. */
static void make_usbdm(struct pt_script *script, uint8_t version)
{
	fake_usbdm_init(&usbdm, version);
	usbdm.bdc.bdccsr |= 0x8000;
	usbdm.connected = true;
	usbdm.target = 11;
	usbdm.script = script;
	usbdm.last_sequence = 0xff;
	script->answer = fake_usbdm_answer;
	script->arg = &usbdm;
}

static void make_usbdm_4(struct pt_script *script)
{
	make_usbdm(script, 4);
}

static void make_usbdm_4_without_toggle(struct pt_script *script)
{
	make_usbdm(script, 4);
	usbdm.no_toggle = true;
}

static void make_usbdm_5(struct pt_script *script)
{
	make_usbdm(script, 5);
}

static void break_usbdm(uint32_t fault_addr)
{
	usbdm.bdc.fault_addr = fault_addr;
}

/* --- servers in front of a chain of TAPs */

static uint64_t kept;

static uint64_t capture(void *arg)
{
	(void)arg;
	return kept;
}

static void update(void *arg, uint64_t value)
{
	(void)arg;
	kept = value;
}

static struct server {
	const struct pt_vengine_ops *engine;
	void *state;
	struct fake_jtag chain;
	struct pt_vjtap taps[2];
	struct pt_vfaults faults;
	uint8_t *response;
	size_t len_bytes;
	bool answered;
} server;

static void on_response(void *arg, const uint8_t *response, size_t len_bytes, uint64_t done_ns)
{
	(void)arg, (void)done_ns;
	memcpy(server.response + server.len_bytes, response, len_bytes);
	server.len_bytes += len_bytes;
	server.answered = true;
}

static size_t serve(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	(void)arg, (void)took_ns;
	server.response = response;
	server.len_bytes = 0;
	server.answered = false;
	server.engine->process(server.state, request, len_bytes, 0, on_response, NULL);
	return server.answered ? server.len_bytes : PT_SCRIPT_NO_ANSWER;
}

static void make_chain(struct pt_script *script, const struct pt_vengine_ops *engine)
{
	static const struct pt_vdr rows[] = { { .ir = 3, .bits = 64, .capture = capture, .update = update } };
	static const struct pt_vjtap_config configs[2] = {
		{ .ir_bits = 4, .ir_capture = 1, .has_idcode = true, .idcode = 0x4ba00477, .idcode_ir = 0xe },
		{ .ir_bits = 6, .ir_capture = 1, .has_idcode = true, .idcode = 0x13722093, .idcode_ir = 9, .rows = rows, .n_rows = 1 },
	};

	if (server.engine != NULL)
		server.engine->free(server.state);
	server.engine = engine;
	for (size_t i = 0; i < PT_LEN(configs); i++)
		pt_vjtap_init(&server.taps[i], &configs[i]);
	fake_jtag_init(&server.chain, (struct pt_vjtap *const[]){ &server.taps[0], &server.taps[1] }, 2);
	script->info.transport[0] = 0;
	script->answer = serve;
}

static void make_xvc(struct pt_script *script)
{
	make_chain(script, &pt_vxvc_engine);
	server.state = pt_vxvc_new(4000000, &server.chain.pace);
	script->info.packet_bytes = 266;
}

static void make_bitbang(struct pt_script *script)
{
	make_chain(script, &pt_vbitbang_engine);
	server.state = pt_vbitbang_new(4000000, &server.chain.pace, &server.faults);
	script->info.packet_bytes = 1024;
}

static void make_dap_jtag(struct pt_script *script)
{
	static const struct pt_vdap_config config = {
		.packet_bytes = 64, .packet_count = 4, .max_swclk_hz = 4000000, .product = "CMSIS-DAP with JTAG", .serial = "1",
	};

	make_chain(script, &pt_vdap_engine);
	server.state = pt_vdap_new(&config, &server.chain.pace, &server.faults);
	strcpy(script->info.transport, "bulk");
}

/* With as much memory as the script has room for an answer. */
static const struct pt_vjlink_config small_jlink = { .max_hz = 4000000, .memory_bytes = 2048 };

static void make_jlink_jtag(struct pt_script *script)
{
	struct pt_vjlink_config config = small_jlink;

	make_chain(script, &pt_vjlink_engine);
	config.kind = pt_vjlink_kind("v9");
	server.state = pt_vjlink_new(&config, &server.chain.pace, &server.faults);
	strcpy(script->info.transport, "bulk");
}

/* --- memory behind SWD */

static struct memory {
	struct pt_vpace pace;
	struct pt_vap ap;
	uint32_t tar, csw, word[0x200];
} memory;

static enum pt_vack read_memory(void *arg, uint8_t reg, uint32_t *value)
{
	uint32_t i = (memory.tar - FAKE_DAP_BASE) / 4;

	(void)arg;
	*value = reg == 0 ? memory.csw : reg == 4 ? memory.tar : i < PT_LEN(memory.word) ? memory.word[i] : 0;
	memory.tar += reg == 0xc ? 4 : 0;
	return PT_VACK_OK;
}

static enum pt_vack write_memory(void *arg, uint8_t reg, uint32_t value)
{
	uint32_t i = (memory.tar - FAKE_DAP_BASE) / 4;

	(void)arg;
	if (reg == 0)
		memory.csw = value;
	else if (reg == 4)
		memory.tar = value;
	else if (i < PT_LEN(memory.word))
		memory.word[i] = value;
	memory.tar += reg == 0xc ? 4 : 0;
	return PT_VACK_OK;
}

static struct pt_vap *memory_ap(struct pt_vboard *board, unsigned apsel)
{
	(void)board;
	return apsel == 0 ? &memory.ap : NULL;
}

static uint32_t memory_dpidr(struct pt_vboard *board)
{
	(void)board;
	return 0x0bc11477;
}

static void stand_still(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static void ignore_reset(struct pt_vboard *board, bool asserted)
{
	(void)board, (void)asserted;
}

static const struct pt_vboard_ops memory_board = {
	.name = "memory", .advance = stand_still, .ap = memory_ap, .dpidr = memory_dpidr, .set_nreset = ignore_reset,
};

static void make_memory(void)
{
	memory = (struct memory){ .ap = { NULL, read_memory, write_memory } };
	for (uint32_t i = 0; i < PT_LEN(memory.word); i++)
		memory.word[i] = 0x5a000000 + i;
	pt_vpace_init(&memory.pace, &memory_board, NULL, false);
}

static void make_jlink_swd(struct pt_script *script)
{
	struct pt_vjlink_config config = small_jlink;

	make_chain(script, &pt_vjlink_engine);
	make_memory();
	config.kind = pt_vjlink_kind("ob");
	server.state = pt_vjlink_new(&config, &memory.pace, &server.faults);
	strcpy(script->info.transport, "bulk");
}

/* --- an FTDI chip in front of the chain, and of memory behind a debug port */

static int mpsse_control(void *arg, const struct pt_link_control *request, uint8_t *data, size_t len_bytes)
{
	const struct pt_vcontrol wanted = { request->type, request->request, request->value, request->index };
	uint8_t reply[2];
	bool forgets;

	(void)arg, (void)data, (void)len_bytes;
	return server.engine->control(server.state, &wanted, reply, sizeof(reply), &forgets);
}

static void make_mpsse(struct pt_script *script, enum pt_vmpsse_wiring wiring, struct pt_vpace *pace)
{
	const struct pt_vmpsse_config config = { PT_VMPSSE_FT2232H, wiring, 30000000 };

	server.state = pt_vmpsse_new(&config, pace, &server.faults);
	strcpy(script->info.transport, "bulk");
	strcpy(script->info.product, PT_LINK_VIRTUAL_PRODUCT);
	script->info.usb_release = 0x0700;
	script->info.packet_bytes = 2048;
	script->control = mpsse_control;
}

static void make_mpsse_jtag(struct pt_script *script)
{
	make_chain(script, &pt_vmpsse_engine);
	make_mpsse(script, PT_VMPSSE_JTAG, &server.chain.pace);
}

static void make_mpsse_swd(struct pt_script *script)
{
	make_chain(script, &pt_vmpsse_engine);
	make_memory();
	make_mpsse(script, PT_VMPSSE_TIED, &memory.pace);
}

/* --- the pin SWO */

/* The request is with the probe when it has been for a while on the cable. */
static size_t serve_in_time(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	(void)arg, (void)took_ns;
	server.response = response;
	server.len_bytes = 0;
	server.answered = false;
	server.engine->process(server.state, request, len_bytes, contract_script.now_ns, on_response, NULL);
	return server.answered ? server.len_bytes : PT_SCRIPT_NO_ANSWER;
}

static void make_pin(struct pt_script *script, const struct pt_vengine_ops *engine)
{
	if (server.engine != NULL)
		server.engine->free(server.state);
	server.engine = engine;
	swo_pin_init(&contract_pin, 1000000);
	script->answer = serve_in_time;
}

static size_t serve_trace(void *arg, uint8_t *bytes, size_t room, uint64_t at_ns)
{
	(void)arg;
	return server.engine->trace(server.state, bytes, room, at_ns);
}

static void make_dap_swo_with(struct pt_script *script, unsigned packets, bool index)
{
	struct pt_vdap_config config = {
		.packet_bytes = 64, .packet_count = packets, .max_swclk_hz = 4000000, .product = "CMSIS-DAP with SWO",
		.serial = "1", .swo_bytes = 4096, .swo_index = index,
	};

	make_pin(script, &pt_vdap_engine);
	server.state = pt_vdap_new(&config, &contract_pin.pace, &server.faults);
}

static void make_dap_swo(struct pt_script *script)
{
	make_dap_swo_with(script, 4, false);
}

static void make_dap_swo_index(struct pt_script *script)
{
	make_dap_swo_with(script, 4, true);
}

static void make_dap_swo_endpoint(struct pt_script *script)
{
	struct pt_vdap_config config = {
		.packet_bytes = 64, .packet_count = 4, .max_swclk_hz = 4000000, .product = "CMSIS-DAP with SWO",
		.serial = "1", .swo_bytes = 4096, .swo_index = true, .swo_endpoint = true,
	};

	make_pin(script, &pt_vdap_engine);
	server.state = pt_vdap_new(&config, &contract_pin.pace, &server.faults);
	script->info.trace_bytes = 64;
	script->trace = serve_trace;
}

static void make_dap_swo_slow(struct pt_script *script)
{
	make_dap_swo_with(script, 1, false);
}

static void make_stlink_swo_kind(struct pt_script *script, const char *kind)
{
	make_pin(script, &pt_vstlink_engine);
	server.state = pt_vstlink_new(pt_vstlink_kind(kind), 4000000, &contract_pin.pace, &server.faults);
	script->info.packet_bytes = PT_VSTLINK_MOST_BYTES;
	script->info.trace_bytes = 64;
	script->trace = serve_trace;
}

static void make_stlink_swo(struct pt_script *script)
{
	make_stlink_swo_kind(script, "v2j37");
}

static void make_stlink_swo_wraps(struct pt_script *script)
{
	make_stlink_swo_kind(script, "v2j27");
}

static void make_jlink_swo(struct pt_script *script)
{
	struct pt_vjlink_config config = { .kind = pt_vjlink_kind("v9"), .max_hz = 4000000, .memory_bytes = 8192 };

	make_pin(script, &pt_vjlink_engine);
	server.state = pt_vjlink_new(&config, &contract_pin.pace, &server.faults);
}

static uint64_t jlink_swo_lost(void)
{
	return pt_vjlink_swo_lost(server.state);
}

static uint64_t stlink_swo_lost(void)
{
	return pt_vstlink_swo_lost(server.state);
}

static uint64_t dap_swo_lost(void)
{
	return pt_vdap_swo_lost(server.state);
}

const struct contract_driver contract_drivers[] = {
	{ &pt_cmsis_dap_ops, &contract_dap, make_cmsis_dap, break_cmsis_dap, contract_dap_tests, 3, false, false, false, .replug = NULL },
	{ &pt_stlink_ops, &contract_dap_registers, make_stlink, break_stlink, contract_dap_tests, 3, false, false, true, .replug = plug_stlink },
	{ &pt_stlink_ops, &contract_dap_registers, make_old_stlink, break_stlink, contract_dap_tests, 3, false, false, true, .replug = plug_stlink },
	{ &pt_stlink_ops, &contract_dap_registers, make_stlink_3, break_stlink, contract_dap_tests, 4, false, false, true, .replug = plug_stlink },
	{ &pt_bdc_pipe_ops, &contract_bdc, make_bdc_pipe, break_bdc_pipe, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_bdc_pipe_ops, &contract_pins, make_bdc_pipe, break_bdc_pipe, NULL, 1, false, false, false, .replug = NULL },
	{ &pt_osbdm_ops, &contract_bdc, make_osbdm, break_osbdm, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_osbdm_ops, &contract_bdc, make_osbdm_with_gaps, break_osbdm, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_4, break_usbdm, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_4_without_toggle, break_usbdm, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_5, break_usbdm, contract_bdc_tests, 1, false, false, false, .replug = NULL },
	{ &pt_xvc_ops, &contract_jtag_xvc, make_xvc, NULL, contract_jtag_tests, 2, true, false, true, .replug = NULL },
	{ &pt_cmsis_dap_ops, &contract_jtag_pins, make_dap_jtag, NULL, contract_jtag_tests, 3, false, false, false, .replug = NULL },
	{ &pt_bitbang_ops, &contract_jtag_pins, make_bitbang, NULL, contract_jtag_tests, 1, true, false, false, .replug = NULL },
	{ &pt_jlink_ops, &contract_swd, make_jlink_swd, NULL, NULL, 8, false, true, true, .replug = NULL },
	{ &pt_jlink_ops, &contract_jtag_pins, make_jlink_jtag, NULL, contract_jtag_tests, 8, false, true, true, .replug = NULL },
	{ &pt_ftdi_ops, &contract_swd, make_mpsse_swd, NULL, NULL, 1, false, false, true, .replug = NULL },
	{ &pt_ftdi_ops, &contract_jtag_pins, make_mpsse_jtag, NULL, contract_jtag_tests, 1, false, false, true, .replug = NULL },
	{ &pt_cmsis_dap_ops, &contract_stream, make_dap_swo, NULL, contract_stream_tests, 3, .polls_ahead = true, .lost_bytes = dap_swo_lost, .reports_frames = true },
	{ &pt_cmsis_dap_ops, &contract_stream, make_dap_swo_index, NULL, contract_stream_tests, 3, .polls_ahead = true, .lost_bytes = dap_swo_lost, .reports_frames = true },
	{ &pt_cmsis_dap_ops, &contract_stream, make_dap_swo_slow, NULL, contract_stream_tests, 3, .lost_bytes = dap_swo_lost, .reports_frames = true },
	{ &pt_cmsis_dap_ops, &contract_stream, make_dap_swo_endpoint, NULL, contract_stream_tests, 3, .lost_bytes = dap_swo_lost, .says_twice = true, .reports_frames = true },
	{ &pt_stlink_ops, &contract_stream, make_stlink_swo, NULL, contract_stream_tests, 3, false, false, true, .lost_bytes = stlink_swo_lost },
	{ &pt_stlink_ops, &contract_stream, make_stlink_swo_wraps, NULL, contract_stream_tests, 3, false, false, true, .lost_bytes = stlink_swo_lost },
	{ &pt_jlink_ops, &contract_stream, make_jlink_swo, NULL, contract_stream_tests, 8, false, true, true, .lost_bytes = jlink_swo_lost },
};
const size_t contract_n_drivers = PT_LEN(contract_drivers);
