/* Program and event trace of a MicroBlaze: items of 18 bits, three bytes each, little-endian, oldest first.
 * Source: UG984, "Program and Event Trace"; what it leaves open has a key of CONFIG (formats.h).
 *
 * At the flow levels an item has the outcomes of conditional branches. Where the unit is set to save the new pc
 * (pc=all) each branch that was taken is followed by two items with where it went: of a conditional one its outcome,
 * the last of an item, has said it already, the others are reported as branches from a place that the code has to
 * show. With pc=returns only returns have them: jumps to computed addresses are gaps then. Exceptions are reported by
 * their cause. An item of a pc is its upper or its lower half, and does not say which: behind a gap both are known
 * again from the first item on that is none.
 * At the complete level an instruction has eight items: each is reported as executed.
 * Cycle counts and time stamps count the core's clock; they are sums since tracing began. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "base/util.h"

enum { ITEM_BYTES = 3, COMPLETE_ITEMS = 8, MOST_OUTCOMES = 12 };
enum { KIND_BRANCHES, KIND_PC, KIND_READ, KIND_EVENT };
enum { EVENT_SOFTWARE, EVENT_STAMP, EVENT_TRIGGER, EVENT_EXCEPTION };
enum { CAUSE_DEBUG = 9, CAUSE_INTERRUPT = 10, CAUSE_NMI = 11, CAUSE_BREAK = 12 };
enum { VECTOR_INTERRUPT = 0x10, VECTOR_BREAK = 0x18, VECTOR_EXCEPTION = 0x20 };
enum { PORT_SOFTWARE = 0, PORT_TRIGGERS = 1 };

enum level { LEVEL_FLOW, LEVEL_FLOW_CYCLES, LEVEL_EVENTS, LEVEL_COMPLETE };

struct mdm_trace {
	struct pt_event blank;	/* what all our events have in common */
	enum level level;
	bool all_pcs, lower_first;
	uint64_t vectors;
	uint8_t part[ITEM_BYTES * COMPLETE_ITEMS];
	uint8_t part_bytes;
	bool aligned;		/* it is known which half of a pc comes next */
	bool has_half;
	uint32_t half;
	bool started;		/* flow has a place to go on from */
	bool told;		/* the last branch was taken, and its outcome told: its pc is nothing new */
	uint64_t cycles;
};

static struct pt_event *add(struct mdm_trace *s, struct pt_batch *out, enum pt_event_kind kind, unsigned cause)
{
	struct pt_event *e = pt_batch_add(out, &s->blank, kind, (uint8_t)cause);

	if (s->level != LEVEL_FLOW)
		e->ticks = s->cycles;
	return e;
}

/* --- flow */

static void outcomes(struct mdm_trace *s, uint32_t bits, unsigned n, struct pt_batch *out)
{
	struct pt_event *e;

	s->told = n > 0 && (bits & 1) != 0 && s->all_pcs;
	if (n == 0 || !s->started)
		return;
	e = add(s, out, PT_EV_ATOMS, PT_ATOMS_CONDITIONAL);
	e->n = (uint16_t)n;
	e->atoms.bits = bits;
}

/* Level 11: one or two with 6 bits of cycles each, or one with 13. */
static void timed_outcomes(struct mdm_trace *s, uint32_t item, struct pt_batch *out)
{
	unsigned how = item >> 14 & 3;
	uint32_t upper = item >> 7 & 0x7f, lower = item & 0x7f;
	uint32_t first = s->lower_first ? lower : upper, second = s->lower_first ? upper : lower;

	if (how == 3) {
		s->cycles += item >> 1 & 0x1fff;
		outcomes(s, item & 1, 1, out);
	} else if (how != 0) {
		s->cycles += (how == 1 ? upper : first) >> 1;
		outcomes(s, (how == 1 ? upper : first) & 1, 1, out);
		if (how == 1)
			return;
		s->cycles += second >> 1;
		outcomes(s, second & 1, 1, out);
	}
}

static void went_to(struct mdm_trace *s, uint64_t pc, struct pt_batch *out)
{
	struct pt_event *e;

	if (!s->started) {
		add(s, out, PT_EV_START, PT_ATOMS_CONDITIONAL)->branch.to = pc;
		s->started = true;
	} else if (!s->all_pcs) {
		add(s, out, PT_EV_INDIRECT, PT_ATOMS_CONDITIONAL)->branch.to = pc;
	} else if (!s->told) {
		e = add(s, out, PT_EV_BRANCH, PT_BY_INSTRUCTION);
		e->branch.from = PT_UNKNOWN;
		e->branch.to = pc;
	}
	s->told = false;
}

static void pc_half(struct mdm_trace *s, uint32_t half, struct pt_batch *out)
{
	if (!s->aligned)
		return;
	if (s->has_half)
		went_to(s, (uint64_t)s->half << 16 | half, out);
	s->half = half;
	s->has_half = !s->has_half;
}

/* --- events */

static void exception(struct mdm_trace *s, unsigned cause, struct pt_batch *out)
{
	struct pt_event *e;

	s->told = false;
	if (cause == CAUSE_DEBUG || !s->started)
		return;			/* STATE tells of the debugger */
	e = add(s, out, PT_EV_BRANCH, PT_BY_EXCEPTION);
	e->branch.from = PT_UNKNOWN;
	e->branch.to = s->vectors + (cause == CAUSE_INTERRUPT			  ? VECTOR_INTERRUPT
				     : cause == CAUSE_NMI || cause == CAUSE_BREAK ? VECTOR_BREAK
										  : VECTOR_EXCEPTION);
}

static void message(struct mdm_trace *s, unsigned port, uint32_t value, struct pt_batch *out)
{
	struct pt_event *e = add(s, out, PT_EV_VALUE, PT_SPACE_PORT * 2 + 1);

	e->n = 2;
	e->value.at = port;
	e->value.value = value;
}

static void event(struct mdm_trace *s, uint32_t item, struct pt_batch *out)
{
	switch (item >> 14 & 3) {
	case EVENT_SOFTWARE:
		message(s, PORT_SOFTWARE, item & 0x3fff, out);
		break;
	case EVENT_STAMP:
		s->cycles += item & 0x3fff;
		break;
	case EVENT_TRIGGER:
		message(s, PORT_TRIGGERS, item & 0xff, out);
		break;
	default:
		exception(s, item & 0x1f, out);
	}
}

static void one_item(struct mdm_trace *s, uint32_t item, struct pt_batch *out)
{
	unsigned kind = item >> 16 & 3, n = item >> 12 & 15;

	if (kind != KIND_PC && s->has_half) {	/* half a pc, and then something else: no unit says that */
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, ITEM_BYTES);
		s->has_half = s->started = s->told = false;
	}
	s->aligned |= kind != KIND_PC;
	if (kind == KIND_PC)
		pc_half(s, item & 0xffff, out);
	else if (kind == KIND_EVENT)
		event(s, item, out);
	else if (kind == KIND_BRANCHES && s->level == LEVEL_FLOW_CYCLES)
		timed_outcomes(s, item, out);
	else if (kind == KIND_BRANCHES && s->level == LEVEL_FLOW && n <= MOST_OUTCOMES)
		outcomes(s, (item & 0xfff) >> (MOST_OUTCOMES - n), n, out);
}

/* --- complete trace. Item 7 has the upper 14 bits of the pc at its end, item 8 the others. */

static uint32_t item_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void instruction(struct mdm_trace *s, struct pt_batch *out)
{
	uint32_t first = item_at(s->part), seventh = item_at(s->part + 6 * ITEM_BYTES);
	uint64_t pc = (uint64_t)(seventh & 0x3fff) << 18 | (item_at(s->part + 7 * ITEM_BYTES) & 0x3ffff);

	s->cycles += first >> 3 & 0x7fff;
	add(s, out, s->started ? PT_EV_EXECUTED : PT_EV_START, PT_ATOMS_CONDITIONAL)->branch.to = pc;
	s->started = true;
}

/* --- as struct pt_decoder has it */

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct mdm_trace *s = state;
	unsigned want = s->level == LEVEL_COMPLETE ? ITEM_BYTES * COMPLETE_ITEMS : ITEM_BYTES;
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		s->part[s->part_bytes++] = bytes[taken++];
		if (s->part_bytes < want)
			continue;
		s->part_bytes = 0;
		if (s->level == LEVEL_COMPLETE)
			instruction(s, out);
		else
			one_item(s, item_at(s->part) & 0x3ffff, out);
	}
	return taken;
}

/* A buffer that was cleared begins with a whole item, and a pc with its upper half; one that has run over may not. */
static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct mdm_trace *s = state;

	pt_batch_add_gap(out, &s->blank, cause, ns, bytes);
	s->aligned = cause == PT_GAP_RESTART;
	s->part_bytes = 0;
	s->has_half = s->started = s->told = false;
}

static void stop_or_start(struct mdm_trace *s, enum pt_event_kind kind, uint64_t pc, struct pt_batch *out)
{
	struct pt_event *e = add(s, out, kind, PT_ATOMS_CONDITIONAL);

	e->branch.to = pc;
	e->n = 0;
	s->started = kind == PT_EV_START && pc != PT_UNKNOWN;
	s->aligned |= s->started;
	s->told = s->has_half = false;
}

static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	struct mdm_trace *s = state;

	if (what == PT_STATE_HALT && s->started)
		stop_or_start(s, PT_EV_STOP, pc, out);
	else if (what == PT_STATE_RUN && s->level != LEVEL_COMPLETE && pc != PT_UNKNOWN)
		stop_or_start(s, PT_EV_START, pc, out);	/* and a buffer that was cleared before */
	else if (what == PT_STATE_RESET || what == PT_STATE_PC_WRITTEN)
		s->started = false;
	if (what == PT_STATE_RESET)	/* even if it was held at the vector: nothing that was called is open still */
		pt_batch_add_gap(out, &s->blank, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN);
}

static void flush(void *state, struct pt_batch *out)
{
	struct mdm_trace *s = state;

	if (s->started)
		stop_or_start(s, PT_EV_STOP, PT_UNKNOWN, out);
	s->part_bytes = 0;
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	static const char *const levels[] = { "flow", "flow-cycles", "events", "complete" };
	struct mdm_trace *s = state;
	char text[16];

	memset(s, 0, sizeof(*s));
	s->blank = (struct pt_event){ .ticks = PT_UNKNOWN, .source = source, .core = core };
	s->aligned = true;
	pt_config_text(config, "trace", text, sizeof(text));
	for (unsigned i = 0; i < PT_LEN(levels); i++)
		if (strcmp(text, levels[i]) == 0)
			s->level = (enum level)i;
	pt_config_text(config, "pc", text, sizeof(text));
	s->all_pcs = strcmp(text, "returns") != 0;
	pt_config_text(config, "short_order", text, sizeof(text));
	s->lower_first = strcmp(text, "lower_first") == 0;
	s->vectors = pt_config_number(config, "vectors", 0);
}

const struct pt_decoder pt_decoder_mdm_trace = {
	.name = PT_FORMAT_MDM_TRACE, .gives = PT_GIVES_FLOW | PT_GIVES_OTHER, .state_bytes = sizeof(struct mdm_trace),
	.init = init, .feed = feed, .gap = gap, .state = state_changed, .flush = flush,
};
