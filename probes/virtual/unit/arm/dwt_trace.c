#include "probes/virtual/unit/arm/dwt.h"

enum { SOURCE_EVENTS = 0, SOURCE_EXCEPTION = 1, SOURCE_PC = 2, SOURCE_MATCH = 8, SOURCE_VALUE = 16 };
enum { ENTER = 1, EXIT, RETURN };
enum { EVENT_CYC = 1 << 5, EVENT_COUNTS = 256, EMITRANGE = 0x20 };
#define SAMPLING (PT_VDWT_PCSAMPLENA | PT_VDWT_CYCEVTENA)

static bool works(const struct pt_vdwt *dwt)
{
	return dwt->itm != NULL && dwt->traced;
}

/* --- taps of CYCCNT: POSTCNT and synchronisation */

/* When bit `shift` of CYCCNT changes next. */
static uint64_t next_change(const struct pt_vdwt *dwt, unsigned shift)
{
	uint64_t range = UINT64_C(1) << shift;

	return pt_vdwt_counted(dwt, 0) + range - (pt_vdwt_count(dwt, 0) & (range - 1));
}

static unsigned tap_shift(const struct pt_vdwt *dwt)
{
	return (dwt->ctrl & PT_VDWT_CYCTAP) != 0 ? 10 : 6;
}

static unsigned sync_shift(const struct pt_vdwt *dwt)
{
	return 22 + 2 * (dwt->ctrl >> 10 & 3);		/* 0: never asked */
}

/* Asleep it says so; a core in reset or locked up is not sampled. Source: DDI 0403, D4.3.3; the last UNVERIFIED */
static void report_pc(struct pt_vdwt *dwt, uint64_t at_cycle)
{
	enum pt_vcpu_state state = pt_vcpu_state(dwt->cpu);

	if (state == PT_VCPU_SLEEP)
		pt_vitm_report(dwt->itm, SOURCE_PC, 0, 1, at_cycle);
	else if (state == PT_VCPU_RUN)
		pt_vitm_report(dwt->itm, SOURCE_PC, pt_vcpu_last_pc(dwt->cpu), 4, at_cycle);
}

/* PCSAMPLENA goes before CYCEVTENA. */
static void tap(struct pt_vdwt *dwt, uint64_t at_cycle)
{
	if (dwt->trace.post_count > 0) {
		dwt->trace.post_count--;
		return;
	}
	dwt->trace.post_count = dwt->ctrl >> 1 & 0xf;
	if ((dwt->ctrl & PT_VDWT_PCSAMPLENA) != 0)
		report_pc(dwt, at_cycle);
	else
		pt_vitm_report(dwt->itm, SOURCE_EVENTS, EVENT_CYC, 1, at_cycle);
}

/* Where CYCCNT stands, so do its taps. */
static uint64_t cycle_of(const struct pt_vdwt *dwt, uint64_t count)
{
	return count == PT_VNEVER ? PT_VNEVER : count + pt_vdwt_stood(dwt);
}

static void serve_taps(struct pt_vdwt *dwt, uint64_t now_cycle)
{
	struct pt_vdwt_trace *t = &dwt->trace;

	while (cycle_of(dwt, t->tap) <= now_cycle) {
		tap(dwt, cycle_of(dwt, t->tap));
		t->tap += UINT64_C(1) << tap_shift(dwt);
	}
	while (cycle_of(dwt, t->sync) <= now_cycle) {
		pt_vitm_synchronise(dwt->itm, cycle_of(dwt, t->sync));
		t->sync += UINT64_C(1) << sync_shift(dwt);
	}
}

static void restart_taps(struct pt_vdwt *dwt)
{
	bool counts = works(dwt) && (dwt->ctrl & PT_VDWT_CYCCNTENA) != 0;

	dwt->trace.tap = counts && (dwt->ctrl & SAMPLING) != 0 ? next_change(dwt, tap_shift(dwt)) : PT_VNEVER;
	dwt->trace.sync = counts && sync_shift(dwt) > 22 ? next_change(dwt, sync_shift(dwt)) : PT_VNEVER;
}

/* --- event counters: none counts more than one in a cycle */

static void plan_poll(struct pt_vdwt *dwt)
{
	struct pt_vdwt_trace *t = &dwt->trace;

	t->poll_cycle = PT_VNEVER;
	for (unsigned n = 1; n < PT_VDWT_COUNTERS && works(dwt); n++) {
		uint64_t to_go = EVENT_COUNTS - (pt_vdwt_count(dwt, n) & (EVENT_COUNTS - 1));
		uint64_t at = pt_vwires_now(dwt->wires) + to_go;

		if (dwt->counter[n].on && at < t->poll_cycle)
			t->poll_cycle = at;
	}
}

static void serve_counters(struct pt_vdwt *dwt, uint64_t now_cycle)
{
	uint32_t wrapped = 0;

	if (dwt->trace.poll_cycle > now_cycle)
		return;
	for (unsigned n = 1; n < PT_VDWT_COUNTERS; n++) {
		uint64_t wraps = pt_vdwt_count(dwt, n) / EVENT_COUNTS;

		if (wraps > dwt->trace.wraps[n])
			wrapped |= 1u << (n - 1);
		dwt->trace.wraps[n] = wraps;
	}
	if (wrapped != 0)
		pt_vitm_report(dwt->itm, SOURCE_EVENTS, wrapped, 1, now_cycle);
	plan_poll(dwt);
}

/* --- both */

void pt_vdwt_trace_changed(struct pt_vdwt *dwt, uint32_t new)
{
	if ((new &SAMPLING) != 0 && (dwt->ctrl & SAMPLING & ~new) == 0)
		dwt->trace.post_count = dwt->ctrl >> 5 & 0xf;
	for (unsigned n = 0; n < PT_VDWT_COUNTERS; n++)
		dwt->trace.wraps[n] = pt_vdwt_count(dwt, n) / EVENT_COUNTS;
	restart_taps(dwt);
	plan_poll(dwt);
}

uint64_t pt_vdwt_trace_next(const struct pt_vdwt *dwt)
{
	const struct pt_vdwt_trace *t = &dwt->trace;
	uint64_t count = t->tap < t->sync ? t->tap : t->sync;
	uint64_t at = cycle_of(dwt, count);

	if ((count & t->poll_cycle) == PT_VNEVER || pt_vcpu_state(dwt->cpu) == PT_VCPU_HALT)
		return PT_VNEVER;
	return at < t->poll_cycle ? at : t->poll_cycle;
}

void pt_vdwt_trace_tick(struct pt_vdwt *dwt, uint64_t now_cycle)
{
	serve_taps(dwt, now_cycle);
	serve_counters(dwt, now_cycle);
}

/* --- exceptions */

static void report_exception(struct pt_vdwt *dwt, unsigned what, unsigned exception, uint64_t at_cycle)
{
	if (what != EXIT || !dwt->omits_exits)
		pt_vitm_report(dwt->itm, SOURCE_EXCEPTION, what << 12 | exception, 2, at_cycle);
}

static void report_left(struct pt_vdwt *dwt, unsigned exception, uint64_t at_cycle)
{
	serve_taps(dwt, at_cycle);
	report_exception(dwt, EXIT, exception, at_cycle);
}

/* The core tells when all is done. The exit was where unstacking, or the fetch of the next vector, began. Samples that were
 * due meanwhile go first. */
static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	struct pt_vdwt *dwt = arg;
	const struct pt_vcpu_model *model = pt_vcpu_model(dwt->cpu);
	uint64_t now = pt_vwires_now(dwt->wires);
	unsigned was = dwt->trace.exception;

	(void)from;
	(void)detail;
	(void)to;
	if (how != PT_VJUMP_EXCEPTION && how != PT_VJUMP_TAIL_CHAIN && how != PT_VJUMP_EXC_RETURN)
		return;
	dwt->trace.exception = pt_vcpu_reg(dwt->cpu, 16) & 0x1ff;
	if (how == PT_VJUMP_TAIL_CHAIN)
		report_left(dwt, was, now - model->tail_chain);
	else if (how == PT_VJUMP_EXC_RETURN)
		report_left(dwt, was, now - model->exception_return);
	serve_taps(dwt, now);
	report_exception(dwt, how == PT_VJUMP_EXC_RETURN ? RETURN : ENTER, dwt->trace.exception, now);
}

static void on_reset(void *arg, uint32_t pc)
{
	(void)pc;
	((struct pt_vdwt *)arg)->trace.exception = 0;
}

bool pt_vdwt_traces_exceptions(const struct pt_vdwt *dwt)
{
	return works(dwt) && (dwt->ctrl & PT_VDWT_EXCTRCENA) != 0;
}

void pt_vdwt_observe_exceptions(struct pt_vdwt *dwt)
{
	bool on = pt_vdwt_traces_exceptions(dwt);

	if (on && dwt->observer.jump == NULL)
		dwt->trace.exception = pt_vcpu_reg(dwt->cpu, 16) & 0x1ff;
	dwt->observer.jump = on ? on_jump : NULL;
	dwt->observer.reset = on ? on_reset : NULL;
}

/* --- comparators */

enum { PC = 1, ADDRESS = 2, VALUE = 4, ON_READ = 8, ON_WRITE = 16, MATCHED = 32, ON_ANY = ON_READ | ON_WRITE };
static const struct { uint8_t plain, range; } functions[16] = {		/* range: with EMITRANGE. Source: DDI 0403, table C1-14 */
	[1] = { PC | ON_ANY, ADDRESS | ON_ANY },
	[2] = { VALUE | ON_ANY, ADDRESS | VALUE | ON_ANY },
	[3] = { PC | VALUE | ON_ANY, ADDRESS | VALUE | ON_ANY },
	[12] = { VALUE | ON_READ, ADDRESS | ON_READ },
	[13] = { VALUE | ON_WRITE, ADDRESS | ON_WRITE },
	[14] = { PC | VALUE | ON_READ, ADDRESS | VALUE | ON_READ },
	[15] = { PC | VALUE | ON_WRITE, ADDRESS | VALUE | ON_WRITE },
};

/* MATCH of ARMv8-M, and what ACTIONs 2 and 3 report of it. Source: DDI 0553, DWT_FUNCTION<n> */
enum { LIMIT = 7 };
static const struct { uint8_t matched, more; } functions_v2[16] = {
	[4] = { MATCHED | ON_ANY, PC | ON_ANY },
	[5] = { MATCHED | ON_WRITE, PC | ON_WRITE },
	[6] = { MATCHED | ON_READ, PC | ON_READ },
	[LIMIT] = { MATCHED, ADDRESS },		/* of a range that the comparator before begins, with its direction */
	[12] = { VALUE | ON_ANY, PC | VALUE | ON_ANY },
	[13] = { VALUE | ON_WRITE, PC | VALUE | ON_WRITE },
	[14] = { VALUE | ON_READ, PC | VALUE | ON_READ },
};

static bool is_limit(const struct pt_vdwt *dwt, unsigned comparator)
{
	return dwt->v2 && comparator % 2 == 1 && pt_vcomparator_function(&dwt->comparator[comparator]) == LIMIT;
}

/* The first of a pair reports nothing by itself. */
static unsigned reports_v2(const struct pt_vdwt *dwt, unsigned comparator)
{
	uint32_t function = dwt->comparator[comparator].function, action = function >> 4 & 3;
	unsigned what = action == 2   ? functions_v2[function & 0xf].matched
			: action == 3 ? functions_v2[function & 0xf].more
				      : 0;

	if (comparator % 2 == 0 && is_limit(dwt, comparator + 1))
		return 0;
	if (is_limit(dwt, comparator))
		return what |
		       (functions_v2[pt_vcomparator_function(&dwt->comparator[comparator - 1])].matched & ON_ANY);
	return what;
}

static unsigned reports(const struct pt_vdwt *dwt, unsigned comparator)
{
	uint32_t function = dwt->comparator[comparator].function;

	if (!works(dwt))
		return 0;
	if (dwt->v2)
		return reports_v2(dwt, comparator);
	return (function & EMITRANGE) != 0 ? functions[function & 0xf].range : functions[function & 0xf].plain;
}

static bool covers(const struct pt_vdwt *dwt, unsigned comparator, uint32_t addr, unsigned size_bytes)
{
	const struct pt_vcomparator *c = &dwt->comparator[comparator];

	if (is_limit(dwt, comparator))
		return addr + size_bytes - 1 >= c[-1].comp && addr <= c->comp;
	return pt_vcomparator_covers(c, addr, size_bytes);
}

bool pt_vdwt_traces_data(const struct pt_vdwt *dwt, unsigned comparator)
{
	return reports(dwt, comparator) != 0;
}

bool pt_vdwt_trace_access(struct pt_vdwt *dwt, unsigned comparator, uint32_t addr, unsigned size_bytes, bool write,
			  uint32_t value, uint32_t pc)
{
	unsigned what = reports(dwt, comparator);
	uint64_t now = pt_vwires_now(dwt->wires);

	if ((what & (write ? ON_WRITE : ON_READ)) == 0 || !covers(dwt, comparator, addr, size_bytes))
		return false;
	serve_taps(dwt, now);
	if ((what & MATCHED) != 0)
		pt_vitm_report(dwt->itm, SOURCE_MATCH + 2 * comparator, 1, 1, now);
	if ((what & PC) != 0)
		pt_vitm_report(dwt->itm, SOURCE_MATCH + 2 * comparator, pc, 4, now);
	if ((what & ADDRESS) != 0)
		pt_vitm_report(dwt->itm, SOURCE_MATCH + 2 * comparator + 1, addr & 0xffff, 2, now);
	if ((what & VALUE) != 0)
		pt_vitm_report(dwt->itm, SOURCE_VALUE + 2 * comparator + (write ? 1 : 0), value, size_bytes, now);
	return true;
}
