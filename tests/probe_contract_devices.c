/* The devices of the probe contract test, one for each driver. A wire's calls find in them what they expect: memory of
 * words at FAKE_DAP_BASE behind the first AP, an S12Z behind BKGD. */
#include "fake_bdc_pipe.h"
#include "fake_cmsis_dap.h"
#include "fake_osbdm.h"
#include "fake_usbdm.h"
#include "probe_contract.h"
#include "util.h"

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

const struct contract_driver contract_drivers[] = {
	{ &pt_cmsis_dap_ops, &contract_dap, make_cmsis_dap, break_cmsis_dap, contract_dap_tests, 3 },
	{ &pt_bdc_pipe_ops, &contract_bdc, make_bdc_pipe, break_bdc_pipe, contract_bdc_tests, 1 },
	{ &pt_bdc_pipe_ops, &contract_pins, make_bdc_pipe, break_bdc_pipe, NULL, 1 },
	{ &pt_osbdm_ops, &contract_bdc, make_osbdm, break_osbdm, contract_bdc_tests, 1 },
	{ &pt_osbdm_ops, &contract_bdc, make_osbdm_with_gaps, break_osbdm, contract_bdc_tests, 1 },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_4, break_usbdm, contract_bdc_tests, 1 },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_4_without_toggle, break_usbdm, contract_bdc_tests, 1 },
	{ &pt_usbdm_ops, &contract_bdc, make_usbdm_5, break_usbdm, contract_bdc_tests, 1 },
};
const size_t contract_n_drivers = PT_LEN(contract_drivers);
