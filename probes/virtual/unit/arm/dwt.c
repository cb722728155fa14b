/* A match asks for Debug state behind the present instruction: watchpoints of ARMv6-M are asynchronous. Without
 * DEMCR.TRCENA the unit reads 0 and takes no writes. */
#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/dwt.h"

static const struct pt_vcoresight ids = { .pidr4 = 0x04, .part = 0x00a, .jep106 = 0x3b, .class = 0xe };

static void match(struct pt_vdwt *dwt, struct pt_vcomparator *c)
{
	c->matched = true;
	if (dwt->debugging)
		pt_vcpu_request_halt(dwt->cpu, PT_VHALT_DWTTRAP);
}

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vdwt *dwt = arg;

	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++)
		if (pt_vcomparator_fetch(&dwt->comparator[n], pc))
			match(dwt, &dwt->comparator[n]);
}

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	struct pt_vdwt *dwt = arg;

	(void)value;
	(void)pc;
	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++)
		if (pt_vcomparator_access(&dwt->comparator[n], addr, size_bytes, write))
			match(dwt, &dwt->comparator[n]);
}

static void listen(struct pt_vdwt *dwt)
{
	bool fetch = false, data = false;

	for (unsigned n = 0; n < PT_LEN(dwt->comparator) && dwt->traced; n++) {
		fetch = fetch || pt_vcomparator_function(&dwt->comparator[n]) == PT_VCMP_FETCH;
		data = data || pt_vcomparator_is_data(&dwt->comparator[n]);
	}
	dwt->tap.insn = fetch ? on_insn : NULL;
	dwt->tap.data = data ? on_data : NULL;
	pt_vwires_taps_changed(dwt->wires);
}

void pt_vdwt_enable(struct pt_vdwt *dwt, bool traced, bool debugging)
{
	dwt->traced = traced;
	dwt->debugging = debugging;
	listen(dwt);
}

/* DDI 0419 C1.8.3: all ones in Debug state and wherever sampling makes no sense. */
static uint32_t pc_sample(const struct pt_vdwt *dwt)
{
	enum pt_vcpu_state state = pt_vcpu_state(dwt->cpu);

	return state == PT_VCPU_RUN || state == PT_VCPU_SLEEP ? pt_vcpu_last_pc(dwt->cpu) : UINT32_MAX;
}

static uint32_t register_at(struct pt_vdwt *dwt, uint32_t offset)
{
	uint32_t n = (offset - PT_VDWT_COMP0) / 16;

	if (!dwt->traced)
		return 0;
	if (offset == PT_VDWT_CTRL)
		return (uint32_t)PT_LEN(dwt->comparator) << 28;
	if (offset == PT_VDWT_PCSR)
		return pc_sample(dwt);
	return n < PT_LEN(dwt->comparator) ? pt_vcomparator_read(&dwt->comparator[n], offset & 0xf) : 0;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	*value = 0;
	if (access->size_bytes == 4)
		*value = offset >= 0xfb0 ? pt_vcoresight_read(&ids, offset) : register_at(unit, offset);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vdwt *dwt = unit;
	uint32_t n = (offset - PT_VDWT_COMP0) / 16;

	if (access->size_bytes != 4 || !dwt->traced || n >= PT_LEN(dwt->comparator))
		return true;
	pt_vcomparator_write(&dwt->comparator[n], offset & 0xf, value, PT_VCMP_FUNCTION);
	listen(dwt);
	return true;
}

/* The core's debug registers outlive a system reset; only power-on clears them. */
static void reset(void *unit, bool power_on)
{
	struct pt_vdwt *dwt = unit;

	if (!power_on)
		return;
	for (unsigned n = 0; n < PT_LEN(dwt->comparator); n++)
		dwt->comparator[n] = (struct pt_vcomparator){ 0 };
	listen(dwt);
}

void pt_vdwt_init(struct pt_vdwt *dwt, const struct pt_vwires *wires, struct pt_vcpu *cpu)
{
	*dwt = (struct pt_vdwt){ .wires = wires, .cpu = cpu, .tap = { .arg = dwt } };
}

const struct pt_vunit_ops pt_vdwt_ops = { .name = "DWT", .read = read, .write = write, .reset = reset };
