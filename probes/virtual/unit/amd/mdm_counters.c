/* Performance counters: event counters first, latency counters behind them. Source: UG984 2018.2, Performance
 * Monitoring. Event numbers are those of its table, UNVERIFIED; events of caches and MMU never come, as there are
 * none. */
#include "probes/virtual/unit/amd/mdm_parts.h"

enum { RESET = 1, SAMPLE = 2, STOP = 4, START = 8, CLEAR = 16 };
enum { OVERFLOW = 2 };
enum { E_CYCLES = 30, E_INTERRUPT_LATENCY = 57, E_READ_LATENCY = 62, E_WRITE_LATENCY = 63 };

static unsigned n_counters(const struct pt_vmdm_core *core)
{
	return core->mdm->options.event_counters + core->mdm->options.latency_counters;
}

static bool is_latency(const struct pt_vmdm_core *core, unsigned i)
{
	return i >= core->mdm->options.event_counters;
}

static uint64_t width_mask(const struct pt_vmdm_core *core)
{
	return UINT64_MAX >> (64 - core->mdm->options.counter_width);
}

/* --- the access pointer */

static unsigned n_items(const struct pt_vmdm_core *core)
{
	bool wide = core->mdm->options.counter_width > 32;

	if (!is_latency(core, core->counters.at))
		return wide ? 2 : 1;
	return wide ? 7 : 4;
}

static void next_counter(struct pt_vmdm_core *core)
{
	core->counters.item = 0;
	core->counters.at = n_counters(core) > 0 ? (core->counters.at + 1) % n_counters(core) : 0;
}

static void next_item(struct pt_vmdm_core *core)
{
	if (++core->counters.item >= n_items(core))
		next_counter(core);
}

/* Where an item lies: the value, and which 32 bits of it. Source: UG984 2018.2, Performance Monitoring, table of items;
 * 64 bits as 48. */
static uint64_t *item_of(struct pt_vmdm_counter *c, bool latency, unsigned item, unsigned *shift)
{
	uint64_t *wide[] = { &c->n, &c->sum, &c->sum, &c->sum2, &c->sum2, &c->low, &c->high };

	*shift = !latency ? 32 * (item == 0) : 32 * (item == 1 || item == 3);
	return latency ? wide[item] : &c->n;
}

static uint32_t read_item(struct pt_vmdm_core *core)
{
	struct pt_vmdm_counter *c = &core->counters.sample[core->counters.at];
	bool latency = is_latency(core, core->counters.at);
	unsigned shift;
	const uint64_t *value;

	if (core->mdm->options.counter_width > 32) {
		value = item_of(c, latency, core->counters.item, &shift);
		return (uint32_t)(*value >> shift);
	}
	switch (core->counters.item) {
	case 0: return (uint32_t)c->n;
	case 1: return (uint32_t)c->sum;
	case 2: return (uint32_t)c->sum2;
	default: return (uint32_t)(c->low & 0xffff) << 16 | (uint32_t)(c->high & 0xffff);
	}
}

static void write_item(struct pt_vmdm_core *core, uint32_t value)
{
	struct pt_vmdm_counter *c = &core->counters.now[core->counters.at];
	bool latency = is_latency(core, core->counters.at);
	unsigned shift;
	uint64_t *to;

	if (core->mdm->options.counter_width > 32) {
		to = item_of(c, latency, core->counters.item, &shift);
		*to = ((*to & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value << shift) & width_mask(core);
		return;
	}
	switch (core->counters.item) {
	case 0: c->n = value; break;
	case 1: c->sum = value; break;
	case 2: c->sum2 = value; break;
	default: c->low = value >> 16; c->high = value & 0xffff;
	}
}

/* --- registers */

static void clear(struct pt_vmdm_core *core)
{
	for (unsigned i = 0; i < n_counters(core); i++)
		core->counters.now[i] = (struct pt_vmdm_counter){
			.event = core->counters.now[i].event, .low = UINT64_MAX,
		};
}

static void command(struct pt_vmdm_core *core, uint64_t bits)
{
	if ((bits & CLEAR) != 0)
		clear(core);
	if ((bits & SAMPLE) != 0)
		for (unsigned i = 0; i < n_counters(core); i++)
			core->counters.sample[i] = core->counters.now[i];
	if ((bits & START) != 0)
		core->counters.on = n_counters(core) > 0;
	if ((bits & STOP) != 0)
		core->counters.on = false;
	if ((bits & RESET) != 0)
		core->counters.at = core->counters.item = 0;
}

uint64_t pt_mdm_counters_read(struct pt_vmdm_core *core, unsigned which)
{
	const struct pt_vmdm_counter *c = &core->counters.sample[core->counters.at];
	uint64_t value = 0;

	if (n_counters(core) == 0)
		return 0;
	if (which == PT_VMDM_PCSR) {
		value = c->overflow ? OVERFLOW : 0;
		next_counter(core);
	} else if (which == PT_VMDM_PCDRR) {
		value = read_item(core);
		next_item(core);
	}
	return value;
}

void pt_mdm_counters_write(struct pt_vmdm_core *core, unsigned which, uint64_t value)
{
	if (which == PT_VMDM_PCCMDR)
		command(core, value);
	if (n_counters(core) == 0)
		return;
	if (which == PT_VMDM_PCCTRLR) {
		core->counters.now[core->counters.at].event = (uint8_t)value;
		next_counter(core);
	} else if (which == PT_VMDM_PCDWR) {
		if (!core->mdm->options.counters_fixed)
			write_item(core, (uint32_t)value);
		next_item(core);
	}
}

/* --- events of an instruction, as a set. Op-codes: UG984 2018.2, and binutils' microblaze-opc.h */

static uint64_t event(bool happened, unsigned number)
{
	return (uint64_t)happened << number;
}

static uint64_t of_access(const struct pt_vmb_retired *w, unsigned op)
{
	bool by_r1 = (w->instruction >> 16 & 31) == 1 || (op < 0x38 && (w->instruction >> 11 & 31) == 1);

	return event(w->load && w->size_bytes == 4, 1) | event(w->load && w->size_bytes == 2, 2) |
	       event(w->load && w->size_bytes == 1, 3) | event(w->store && w->size_bytes == 4, 4) |
	       event(w->store && w->size_bytes == 2, 5) | event(w->store && w->size_bytes == 1, 6) |
	       event(w->load && by_r1, 16) | event(w->store && by_r1, 17) | event(w->load, 41) | event(w->store, 42);
}

static uint64_t of_branch(const struct pt_vmb_retired *w, unsigned op)
{
	bool barrier = op == 0x2e && (w->instruction >> 16 & 31) == 2;
	bool jumps = ((op == 0x26 || op == 0x2e) && !barrier) || op == 0x2d, conditional = op == 0x27 || op == 0x2f;

	return event(jumps, 7) | event(conditional && w->jump_taken, 8) | event(conditional && !w->jump_taken, 9) |
	       event(jumps && w->delayed, 37) | event(conditional && w->jump_taken && w->delayed, 38) |
	       event(conditional && !w->jump_taken && w->delayed, 39) |
	       event(w->in_slot && w->instruction == 0x80000000, 40) | event(conditional, 44) |
	       event(jumps || conditional, 45);
}

static uint64_t of_operation(const struct pt_vmb_retired *w, unsigned op)
{
	unsigned fn = w->instruction & 0x7ff, low = w->instruction & 0xffff;
	bool logic = (op & 0x37) >= 0x20 && (op & 0x37) <= 0x23, compare = logic && op < 0x28 && fn == 0x400;
	bool shifts = op == 0x24, slow = op == 0x10 || op == 0x11 || op == 0x12;

	return event(logic && !compare, 18) | event(op < 0x10, 19) | event(op == 0x10 || op == 0x18, 20) |
	       event(op == 0x11 || op == 0x19, 21) | event(shifts && (low == 0x01 || low == 0x21 || low == 0x41), 22) |
	       event(slow && w->cycles > 1, 26) | event((w->load || w->store) && w->cycles > 1, 27) |
	       event(op == 0x12, 28) | event(op == 0x2c, 31) | event(compare, 32) |
	       event(shifts && (low == 0x60 || low == 0x61), 33) | event(shifts && fn == 0x068, 34) |
	       event(shifts && (fn == 0x064 || fn == 0x066 || fn == 0x074), 35) |
	       event(op == 0x25 && (w->instruction & 0x8000) == 0, 36) | event(w->cycles > 1, 51);
}

static uint64_t events_of(const struct pt_vmb_retired *w)
{
	unsigned op = w->instruction >> 26;

	if (w->exception)
		return w->kind == PT_VMB_KIND_INTERRUPT ? event(true, 24) : event(w->kind < PT_VMB_KIND_DEBUG, 23);
	return event(true, 0) | of_access(w, op) | of_branch(w, op) | of_operation(w, op);
}

/* How often an event happened; of stalls, how many cycles. */
static uint64_t count_of(const struct pt_vmb_retired *w, uint64_t events, unsigned number)
{
	if (number == E_CYCLES)
		return w->cycles;
	if (number > 63 || (events >> number & 1) == 0)
		return 0;
	return (number >= 25 && number <= 27) || number == 51 ? w->cycles - 1 : 1;
}

/* --- latencies */

static bool is_peripheral(const struct pt_vmdm_core *core, uint32_t addr)
{
	const struct pt_vregion *region = pt_vbus_find(core->bus, addr);

	return region != NULL && region->bytes == NULL;
}

/* Cycles, or 0: no such latency ended. */
static uint64_t latency_of(const struct pt_vmdm_core *core, const struct pt_vmb_retired *w, unsigned number)
{
	if (number == E_INTERRUPT_LATENCY && w->exception && w->kind == PT_VMB_KIND_INTERRUPT &&
	    core->interrupt_cycle != PT_VNEVER)
		return pt_vmb_cycle(core->cpu) - core->interrupt_cycle;
	if (number == E_READ_LATENCY && w->load && is_peripheral(core, w->address))
		return w->cycles;
	if (number == E_WRITE_LATENCY && w->store && is_peripheral(core, w->address))
		return w->cycles;
	return 0;
}

static uint64_t sum_of(const struct pt_vmdm_core *core, struct pt_vmdm_counter *c, uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || (sum & ~width_mask(core)) != 0)
		c->overflow = true;
	return sum & width_mask(core);
}

static void add_latency(const struct pt_vmdm_core *core, struct pt_vmdm_counter *c, uint64_t latency)
{
	uint64_t most = core->mdm->options.counter_width > 32 ? UINT32_MAX : UINT16_MAX;
	uint64_t kept = latency < most ? latency : most;

	c->n = sum_of(core, c, c->n, 1);
	c->sum = sum_of(core, c, c->sum, latency);
	c->sum2 = sum_of(core, c, c->sum2, latency * latency);
	if (kept < c->low)
		c->low = kept;
	if (kept > c->high)
		c->high = kept;
}

void pt_mdm_counters_retired(struct pt_vmdm_core *core, const struct pt_vmb_retired *what)
{
	uint64_t events = events_of(what);

	for (unsigned i = 0; i < n_counters(core); i++) {
		struct pt_vmdm_counter *c = &core->counters.now[i];
		uint64_t latency = is_latency(core, i) ? latency_of(core, what, c->event) : 0;

		if (!is_latency(core, i))
			c->n = sum_of(core, c, c->n, count_of(what, events, c->event));
		else if (latency > 0)
			add_latency(core, c, latency);
	}
}
