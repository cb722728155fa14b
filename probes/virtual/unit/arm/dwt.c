/* A match asks for Debug state behind the present instruction, or for DebugMonitor: watchpoints are asynchronous. Without
 * DEMCR.TRCENA the unit reads 0 and takes no writes. */
#include <string.h>

#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/dwt.h"

/* CTRL of ARMv7-M: what can be written; of FUNCTION, EMITRANGE besides. */
#define CTRL_BITS UINT32_C(0x007f1fff)
#define EMITRANGE UINT32_C(0x20)

static const struct pt_vcoresight ids_v6m = { .pidr4 = 0x04, .part = 0x00a, .jep106 = 0x3b, .class = 0xe };
static const struct pt_vcoresight ids_v7m = { .pidr4 = 0x04, .part = 0x002, .jep106 = 0x3b, .class = 0xe };

static bool has_counters(const struct pt_vdwt *dwt)
{
	return pt_vcpu_model(dwt->cpu)->mainline;
}

static void match(struct pt_vdwt *dwt, struct pt_vcomparator *c)
{
	c->matched = true;
	if (dwt->debugging)
		pt_vcpu_request_halt(dwt->cpu, PT_VHALT_DWTTRAP);
	else
		pt_vcpu_monitor(dwt->cpu, PT_VHALT_DWTTRAP);
}

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vdwt *dwt = arg;

	for (unsigned n = 0; n < dwt->n_comparators; n++)
		if (pt_vcomparator_fetch(&dwt->comparator[n], pc))
			match(dwt, &dwt->comparator[n]);
}

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	struct pt_vdwt *dwt = arg;

	for (unsigned n = 0; n < dwt->n_comparators; n++) {
		if (!dwt->v2 && pt_vcomparator_access(&dwt->comparator[n], addr, size_bytes, write))
			match(dwt, &dwt->comparator[n]);
		else if (pt_vdwt_trace_access(dwt, n, addr, size_bytes, write, value, pc))
			dwt->comparator[n].matched = true;
	}
}

static void listen(struct pt_vdwt *dwt)
{
	bool fetch = false, data = false;

	for (unsigned n = 0; n < dwt->n_comparators && dwt->traced; n++) {
		fetch = fetch || (!dwt->v2 && pt_vcomparator_function(&dwt->comparator[n]) == PT_VCMP_FETCH);
		data = data || pt_vcomparator_is_data(&dwt->comparator[n]) || pt_vdwt_traces_data(dwt, n);
	}
	dwt->observer.insn = fetch ? on_insn : NULL;
	dwt->observer.data = data ? on_data : NULL;
	pt_vdwt_observe_exceptions(dwt);
	pt_vwires_taps_changed(dwt->wires);
}

/* --- counters */

uint64_t pt_vdwt_stood(const struct pt_vdwt *dwt)
{
	return pt_vcpu_halt_cycles(dwt->cpu) + (dwt->stands_asleep ? pt_vcpu_sleep_cycles(dwt->cpu) : 0);
}

/* What counter n counts, since power-on. */
uint64_t pt_vdwt_counted(const struct pt_vdwt *dwt, unsigned n)
{
	if (n == 0)
		return pt_vcpu_cycle(dwt->cpu) - pt_vdwt_stood(dwt);
	return pt_vcpu_events(dwt->cpu, PT_VEVENT_CPI + (n - 1));
}

uint64_t pt_vdwt_count(const struct pt_vdwt *dwt, unsigned n)
{
	const struct pt_vdwt_counter *c = &dwt->counter[n];

	return c->value + (c->on ? pt_vdwt_counted(dwt, n) - c->since : 0);
}

static uint32_t count(const struct pt_vdwt *dwt, unsigned n)
{
	return (uint32_t)pt_vdwt_count(dwt, n) & (n == 0 ? UINT32_MAX : 0xff);
}

static void set_count(struct pt_vdwt *dwt, unsigned n, uint32_t value)
{
	uint32_t enable = n == 0 ? PT_VDWT_CYCCNTENA : PT_VDWT_CPIEVTENA << (n - 1);

	dwt->counter[n] = (struct pt_vdwt_counter){
		.value = n == 0 ? value : value & 0xff, .since = pt_vdwt_counted(dwt, n),
		.on = dwt->traced && (dwt->ctrl & enable) != 0,
	};
}

/* An event counter that is switched on begins at 0, CYCCNT where it was. Source: DDI 0403, C1.8.7 */
static void switch_counters(struct pt_vdwt *dwt, uint32_t ctrl)
{
	uint32_t new = ctrl & ~dwt->ctrl;
	uint32_t had[PT_VDWT_COUNTERS];

	for (unsigned n = 0; n < PT_VDWT_COUNTERS; n++)
		had[n] = n > 0 && (new &PT_VDWT_CPIEVTENA << (n - 1)) != 0 ? 0 : count(dwt, n);
	dwt->ctrl = ctrl & CTRL_BITS;
	for (unsigned n = 0; n < PT_VDWT_COUNTERS; n++)
		set_count(dwt, n, had[n]);
	pt_vdwt_trace_changed(dwt, new);
}

static void write_ctrl(struct pt_vdwt *dwt, uint32_t value)
{
	bool traced_exceptions = pt_vdwt_traces_exceptions(dwt);

	switch_counters(dwt, value);
	if (pt_vdwt_traces_exceptions(dwt) != traced_exceptions)
		listen(dwt);
}

static void write_counter(struct pt_vdwt *dwt, unsigned n, uint32_t value)
{
	set_count(dwt, n, value);
	pt_vdwt_trace_changed(dwt, 0);
}

void pt_vdwt_enable(struct pt_vdwt *dwt, bool traced, bool debugging)
{
	pt_vdwt_trace_tick(dwt, pt_vwires_now(dwt->wires));
	if (dwt->itm != NULL)
		pt_vitm_enable(dwt->itm, traced);
	dwt->traced = traced;
	dwt->debugging = debugging;
	if (has_counters(dwt))
		switch_counters(dwt, dwt->ctrl);
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
		return (uint32_t)dwt->n_comparators << 28 | dwt->ctrl |
		       (has_counters(dwt) && dwt->itm == NULL ? PT_VDWT_NOTRCPKT : 0);
	if (has_counters(dwt) && offset >= PT_VDWT_CYCCNT && offset <= PT_VDWT_FOLDCNT)
		return count(dwt, (offset - PT_VDWT_CYCCNT) / 4);
	if (offset == PT_VDWT_PCSR)
		return pc_sample(dwt);
	return n < dwt->n_comparators ? pt_vcomparator_read(&dwt->comparator[n], offset & 0xf) : 0;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vcoresight *ids = has_counters(unit) ? &ids_v7m : &ids_v6m;

	*value = 0;
	if (access->size_bytes == 4)
		*value = offset >= 0xfb0 ? pt_vcoresight_read(ids, offset) : register_at(unit, offset);
	return true;
}

/* An object of DATAVSIZE is compared. */
static void write_v2(struct pt_vcomparator *c, uint32_t offset, uint32_t value)
{
	enum { MATCH_AND_ACTION = 0x3f, DATAVSIZE = 3 << PT_VCMP_DATAVSIZE_SHIFT };

	if (offset != 4)
		pt_vcomparator_write(c, offset, value, MATCH_AND_ACTION | DATAVSIZE);
	c->mask = c->function >> PT_VCMP_DATAVSIZE_SHIFT & 3;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vdwt *dwt = unit;
	uint32_t n = (offset - PT_VDWT_COMP0) / 16;

	if (access->size_bytes != 4 || !dwt->traced)
		return true;
	pt_vdwt_trace_tick(dwt, pt_vwires_now(dwt->wires));
	if (has_counters(dwt) && offset == PT_VDWT_CTRL)
		write_ctrl(dwt, value);
	else if (has_counters(dwt) && offset <= PT_VDWT_FOLDCNT)
		write_counter(dwt, (offset - PT_VDWT_CYCCNT) / 4, value);
	if (n >= dwt->n_comparators)
		return true;
	if (!dwt->v2)
		pt_vcomparator_write(&dwt->comparator[n], offset & 0xf, value,
				     PT_VCMP_FUNCTION | (has_counters(dwt) ? EMITRANGE : 0));
	else
		write_v2(&dwt->comparator[n], offset & 0xf, value);
	listen(dwt);
	return true;
}

/* The core's debug registers outlive a system reset; only power-on clears them. */
static void reset(void *unit, bool power_on)
{
	struct pt_vdwt *dwt = unit;

	if (!power_on)
		return;
	for (unsigned n = 0; n < dwt->n_comparators; n++)
		dwt->comparator[n] = (struct pt_vcomparator){ 0 };
	memset(dwt->counter, 0, sizeof(dwt->counter));
	dwt->ctrl = 0;
	pt_vdwt_trace_changed(dwt, 0);
	listen(dwt);
}

static uint64_t next_tick(void *unit)
{
	return pt_vdwt_trace_next(unit);
}

static void tick(void *unit, uint64_t now_cycle)
{
	pt_vdwt_trace_tick(unit, now_cycle);
}

void pt_vdwt_init(struct pt_vdwt *dwt, const struct pt_vwires *wires, struct pt_vcpu *cpu)
{
	*dwt = (struct pt_vdwt){
		.wires = wires, .cpu = cpu, .observer = { .arg = dwt }, .n_comparators = pt_vcpu_model(cpu)->mainline ? 4 : 2,
		.trace = { .tap = PT_VNEVER, .sync = PT_VNEVER, .poll_cycle = PT_VNEVER },
	};
}

const struct pt_vunit_ops pt_vdwt_ops = { .name = "DWT", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick };
