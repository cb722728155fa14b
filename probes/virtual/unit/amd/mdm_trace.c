/* Program and event trace into the embedded buffer. Source: UG984 2018.2, "Program and Event Trace". What it does not
 * say is UNVERIFIED: the buffer holds one 18-bit item in two bytes; when it is full the oldest item is lost, or
 * (trace_stops) tracing ends; at the event level a time stamp goes ahead of each event. */
#include <stdlib.h>

#include "probes/virtual/unit/amd/mdm_parts.h"

enum { SAVE_RETURNS = 1, SAVE_READS = 2, SAVE_PC = 4, HALT_FULL = 8, LEVEL_SHIFT = 4 };
enum { COMPLETE, FLOW, EVENTS, FLOW_CYCLES };
enum { SAMPLE = 1, STOP = 2, START = 4, CLEAR = 8 };
enum { KIND_BRANCHES = 0, KIND_PC = 1, KIND_READ = 2, KIND_EVENT = 3 };
enum { MOST_OUTCOMES = 12, SHORT_CYCLES = 63, LONG_CYCLES = 0x1fff, STAMP_CYCLES = 0x3fff };

bool pt_mdm_trace_init(struct pt_vmdm_core *core)
{
	core->trace.n_room = core->mdm->options.trace_bytes / 2;
	if (core->trace.n_room == 0)
		return true;
	core->trace.item = calloc(core->trace.n_room, sizeof(*core->trace.item));
	return core->trace.item != NULL;
}

static unsigned level(const struct pt_vmdm_trace *t)
{
	return t->control >> LEVEL_SHIFT & 3;
}

/* --- the buffer */

static void full(struct pt_vmdm_core *core)
{
	struct pt_vmdm_trace *t = &core->trace;

	if ((t->control & HALT_FULL) != 0) {
		t->on = false;
		pt_vmb_request_halt(core->cpu, PT_VMB_HALT_TRACE);
	} else if (core->mdm->options.trace_stops) {
		t->on = false;
	} else {
		t->first = (t->first + 1) % t->n_room;
		t->n--;
	}
}

static void store(struct pt_vmdm_core *core, uint32_t item)
{
	struct pt_vmdm_trace *t = &core->trace;

	if (t->n == t->n_room)
		full(core);
	if (t->n < t->n_room)
		t->item[(t->first + t->n++) % t->n_room] = item & 0x3ffff;
}

static uint32_t take(struct pt_vmdm_trace *t)
{
	uint32_t item = t->n > 0 ? t->item[t->first] : 0;

	if (t->n == 0)
		return 0;
	t->first = (t->first + 1) % t->n_room;
	t->n--;
	return item;
}

static void clear(struct pt_vmdm_trace *t)
{
	t->first = t->n = t->sampled = t->n_outcomes = t->outcomes = 0;
	t->cycles = 0;
	t->overflow = t->has_waiting = false;
}

/* --- items */

static void pair(struct pt_vmdm_core *core, unsigned kind, uint32_t value)
{
	store(core, kind << 16 | value >> 16);
	store(core, kind << 16 | (value & 0xffff));
}

/* Outcomes and counts that wait for others go out before anything else does, so that the order stays. */
static void flush(struct pt_vmdm_core *core)
{
	struct pt_vmdm_trace *t = &core->trace;

	if (t->n_outcomes > 0)
		store(core, t->n_outcomes << 12 | t->outcomes << (MOST_OUTCOMES - t->n_outcomes));
	t->n_outcomes = t->outcomes = 0;
	if (t->has_waiting)
		store(core, 1u << 14 | (t->waiting.cycles & 63) << 8 | (uint32_t)t->waiting.taken << 7);
	t->has_waiting = false;
}

static void outcome(struct pt_vmdm_core *core, bool taken)
{
	struct pt_vmdm_trace *t = &core->trace;

	t->outcomes = t->outcomes << 1 | taken;
	if (++t->n_outcomes == MOST_OUTCOMES)
		flush(core);
}

/* Two short ones share an item, the earlier in the upper half; a long one has its own. */
static void timed_outcome(struct pt_vmdm_core *core, bool taken)
{
	struct pt_vmdm_trace *t = &core->trace;
	uint32_t cycles = t->cycles < LONG_CYCLES ? (uint32_t)t->cycles : LONG_CYCLES;

	t->overflow |= t->cycles > LONG_CYCLES;
	if (t->cycles > LONG_CYCLES && (t->control & HALT_FULL) != 0)
		pt_vmb_request_halt(core->cpu, PT_VMB_HALT_TRACE);
	t->cycles = 0;
	if (cycles > SHORT_CYCLES) {
		flush(core);
		store(core, 3u << 14 | cycles << 1 | taken);
	} else if (t->has_waiting) {
		t->has_waiting = false;
		store(core, 2u << 14 | t->waiting.cycles << 8 | (uint32_t)t->waiting.taken << 7 | cycles << 1 | taken);
	} else {
		t->has_waiting = true;
		t->waiting.cycles = cycles;
		t->waiting.taken = taken;
	}
}

static void event(struct pt_vmdm_core *core, uint32_t rest)
{
	struct pt_vmdm_trace *t = &core->trace;

	flush(core);
	if (level(t) == EVENTS) {
		t->overflow |= t->cycles > STAMP_CYCLES;
		store(core, KIND_EVENT << 16 | 1u << 14 | (uint32_t)(t->cycles & STAMP_CYCLES));
		t->cycles = 0;
	}
	store(core, KIND_EVENT << 16 | rest);
}

void pt_mdm_trace_triggers(struct pt_vmdm_core *core, uint8_t mask)
{
	if (core->trace.on && level(&core->trace) != COMPLETE)
		event(core, 2u << 14 | mask);
}

/* --- registers */

static void command(struct pt_vmdm_core *core, uint64_t bits)
{
	struct pt_vmdm_trace *t = &core->trace;

	if ((bits & CLEAR) != 0)
		clear(t);
	if ((bits & START) != 0 && t->n_room > 0) {
		t->on = true;
		t->cycles = 0;
	}
	if ((bits & STOP) != 0 && t->on) {
		flush(core);
		t->on = false;
	}
	if ((bits & SAMPLE) != 0)
		t->sampled = t->n;
}

uint64_t pt_mdm_trace_read(struct pt_vmdm_core *core, unsigned which)
{
	struct pt_vmdm_trace *t = &core->trace;

	if (t->n_room == 0)
		return 0;
	if (which == PT_VMDM_TDRR)
		return take(t);
	return which == PT_VMDM_TSR ? (uint32_t)t->on << 17 | (uint32_t)t->overflow << 16 | (t->sampled & 0xffff) : 0;
}

void pt_mdm_trace_write(struct pt_vmdm_core *core, unsigned which, uint64_t value)
{
	if (which == PT_VMDM_TCTRLR)
		core->trace.control = (uint32_t)value;
	else if (which == PT_VMDM_TCMDR)
		command(core, value);
}

/* --- complete trace: eight items. Bits of values are numbered from the most significant one. */

static uint32_t bits(uint32_t value, unsigned first, unsigned last)
{
	return value << first >> (31 - last + first);
}

static uint32_t byte_enables(const struct pt_vmb_retired *w, bool big_endian)
{
	uint32_t lanes = w->size_bytes == 4 ? 15 : w->size_bytes == 2 ? 12 : w->size_bytes == 1 ? 8 : 0;
	unsigned at = w->address & 3;

	return big_endian ? lanes >> at : (lanes >> (4 - w->size_bytes) << at) & 15;
}

static void complete(struct pt_vmdm_core *core, const struct pt_vmb_retired *w)
{
	uint32_t data = w->store ? w->data : w->result;
	uint32_t at = w->load || w->store ? w->address : w->instruction;
	uint32_t cycles = w->cycles < 0x7fff ? w->cycles : 0x7fff;

	store(core, cycles << 3 | bits(w->msr, 17, 19));
	store(core, bits(w->msr, 20, 31) << 6 | (uint32_t)w->rd << 1 | w->writes_rd);
	store(core, (uint32_t)w->kind << 13 | (uint32_t)w->exception << 12 | (uint32_t)w->load << 11 |
			    (uint32_t)w->store << 10 | byte_enables(w, core->bus->big_endian) << 6 | bits(data, 0, 5));
	store(core, bits(data, 6, 23));
	store(core, bits(data, 24, 31) << 10 | bits(at, 0, 9));
	store(core, bits(at, 10, 27));
	store(core, bits(at, 28, 31) << 14 | bits(w->pc, 0, 13));
	store(core, bits(w->pc, 14, 31));
}

/* --- flow and events. A branch with a slot: its outcome goes out with it, where it went behind the slot. */

static bool is_conditional(uint32_t instruction)
{
	return (instruction >> 26 & 0x37) == 0x27;
}

static bool is_call(uint32_t instruction)
{
	return (instruction >> 26 & 0x37) == 0x26 && (instruction >> 18 & 1) != 0;
}

static bool is_software_event(uint32_t instruction)	/* xori r0,rA,IMM */
{
	return instruction >> 26 == 0x2a && (instruction >> 21 & 31) == 0;
}

static bool saves_pc(const struct pt_vmdm_trace *t, uint32_t instruction)
{
	if (instruction >> 26 == 0x2d)
		return (t->control & SAVE_RETURNS) != 0;
	if ((t->control & SAVE_PC) == 0)
		return false;
	return level(t) != EVENTS || is_call(instruction);
}

static void flow(struct pt_vmdm_core *core, const struct pt_vmb_retired *w)
{
	struct pt_vmdm_trace *t = &core->trace;
	bool saves = w->jump_taken && saves_pc(t, w->instruction);

	if (is_conditional(w->instruction) && level(t) == FLOW)
		outcome(core, w->jump_taken);
	else if (is_conditional(w->instruction) && level(t) == FLOW_CYCLES)
		timed_outcome(core, w->jump_taken);
	if ((saves && !w->delayed) || (w->in_slot && t->slot_pc)) {
		flush(core);
		pair(core, KIND_PC, w->next);
	}
	t->slot_pc = saves && w->delayed;
	if (w->load && (t->control & SAVE_READS) != 0) {
		flush(core);
		pair(core, KIND_READ, w->data);
	}
}

/* What xori would have written, had its register been another. */
static uint32_t software_event(const struct pt_vmdm_core *core, const struct pt_vmb_retired *w)
{
	return pt_vmb_reg(core->cpu, w->instruction >> 16 & 31) ^ (uint32_t)(int32_t)(int16_t)w->instruction;
}

void pt_mdm_trace_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *w)
{
	struct pt_vmdm_trace *t = &core->trace;

	t->cycles += w->cycles;
	if (level(t) == COMPLETE) {
		complete(core, w);
	} else if (w->exception) {
		t->slot_pc = false;
		event(core, 3u << 14 | w->kind);
	} else {
		if (is_software_event(w->instruction))
			event(core, software_event(core, w) & 0x3fff);
		flow(core, w);
	}
}
