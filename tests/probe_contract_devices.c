/* The devices of the probe contract test, one for each driver. A wire's calls find in them what they expect: memory of words
 * at FAKE_DAP_BASE behind the first AP, an S12Z behind BKGD. */
#include "fake_bdc_pipe.h"
#include "fake_cmsis_dap.h"
#include "probe_contract.h"
#include "util.h"

static struct fake_cmsis_dap dap;

void make_cmsis_dap(struct pt_script *script)
{
	fake_cmsis_dap_init(&dap, 64, 4);
	script->answer = fake_cmsis_dap_answer;
	script->arg = &dap;
}

void break_cmsis_dap(uint32_t fault_addr)
{
	dap.fault_addr = fault_addr;
}

static struct fake_bdc_pipe pipe_probe;
static const uint8_t runs[] = { 0x85, 0x41, 0xc3, 0x00, 0x10, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x42, 0x42 };

void make_bdc_pipe(struct pt_script *script)
{
	fake_bdc_pipe_init(&pipe_probe, 64, 4);
	pipe_probe.bdc.bdccsr = 0x8000;
	pipe_probe.runs = runs;
	pipe_probe.n_runs = sizeof(runs);
	script->answer = fake_bdc_pipe_answer;
	script->arg = &pipe_probe;
}

void break_bdc_pipe(uint32_t fault_addr)
{
	pipe_probe.bdc.fault_addr = fault_addr;
}

const struct contract_driver contract_drivers[] = {
	{ &pt_cmsis_dap_ops, &contract_dap, make_cmsis_dap, break_cmsis_dap, contract_dap_tests, 3 },
	{ &pt_bdc_pipe_ops, &contract_bdc, make_bdc_pipe, break_bdc_pipe, contract_bdc_tests, 1 },
	{ &pt_bdc_pipe_ops, &contract_pins, make_bdc_pipe, break_bdc_pipe, NULL, 1 },
};
const size_t contract_n_drivers = PT_LEN(contract_drivers);
