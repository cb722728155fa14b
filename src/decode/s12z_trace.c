/* The other trace modes of the S12Z's DBG module: changes of flow by address (Normal, and Loop1, which leaves
 * repetitions out), accesses to data (Detail), every executed instruction (Pure PC). Lines of 8 bytes as the buffer
 * holds them.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.5. What counts as a change of flow there, branches that are
 * taken, by where they are, and indirect ones, by where they lead, is as in the S12S and S12X manuals. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "trace/s12z_lines.h"
#include "base/util.h"

enum { NORMAL, DETAIL, PURE_PC };

enum {
	/* CINF of changes of flow */
	CET_EVENT = 0, CET_VECTOR = 1, CET_SOURCE = 2, CET_DESTINATION = 3, CINF_TOVF = 1, CINF_ALWAYS_0 = 0x32,
	/* CINF of accesses, TSINF of the line behind one */
	CINF_READ = 0x20, DATA_ALWAYS_0 = 0x1f, TSINF = 2, TSINF_PC = 4, TSINF_ALWAYS_0 = 0xf0,
	TABLE_BYTES = 512,
	BASE_BYTES = 3, MOST_PAYLOAD = 7,
};

struct trace {
	struct pt_event blank;	/* what all our events have in common */
	struct pt_event value;	/* an access that the next line may say more of; kind 0: none */
	uint8_t part[PT_S12Z_LINE_BYTES];
	uint8_t part_bytes;
	uint8_t mode;
	bool stamps, bases_marked;
	bool recorder;		/* what the lines hold ran since the core was let run, and all of it is told */
	bool stepped;		/* it was let run, and no line came since */
	uint64_t vectors;
};

static uint64_t address(const uint8_t *low)	/* three bytes, the low one first */
{
	return (uint64_t)low[2] << 16 | (uint64_t)low[1] << 8 | low[0];
}

/* --- changes of flow */

/* The exception whose entry of the table is at pc; PT_UNKNOWN: pc is its handler. */
static uint64_t exception_of(const struct trace *s, uint64_t pc)
{
	uint64_t offset = pc - s->vectors;

	return offset < TABLE_BYTES && offset % 4 == 0 ? (TABLE_BYTES - 4 - offset) / 4 : PT_UNKNOWN;
}

static void flow_event(struct trace *s, uint8_t cinf, uint64_t pc, uint64_t exception, struct pt_batch *out)
{
	struct pt_event *e;

	switch (cinf >> 6) {
	case CET_SOURCE:
		e = pt_batch_add(out, &s->blank, PT_EV_BRANCH, PT_BY_INSTRUCTION);
		e->branch.from = pc;
		e->branch.to = PT_UNKNOWN;
		break;
	case CET_DESTINATION:
		pt_batch_add(out, &s->blank, PT_EV_INDIRECT, PT_ATOMS_TAKEN)->branch.to = pc;
		break;
	case CET_VECTOR:
		if (exception != PT_UNKNOWN) {
			e = pt_batch_add(out, &s->blank, PT_EV_VECTOR, PT_ATOMS_TAKEN);
			e->value.at = exception;
			e->value.value = PT_UNKNOWN;
		} else {
			e = pt_batch_add(out, &s->blank, PT_EV_BRANCH, PT_BY_EXCEPTION);
			e->branch.from = PT_UNKNOWN;
			e->branch.to = pc;
		}
		break;
	default:		/* an external event: no change */
		break;
	}
}

/* entry: PC low, middle, high, CINF. stamp: PT_UNKNOWN without one. */
static void flow_entry(struct trace *s, const uint8_t *entry, uint64_t stamp, struct pt_batch *out)
{
	uint64_t pc = address(entry), exception = PT_UNKNOWN;
	uint8_t cinf = entry[3];

	if (pt_le32(entry) == 0)
		return;		/* nothing was written here */
	if ((cinf & CINF_ALWAYS_0) != 0) {
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN,
				 stamp == PT_UNKNOWN ? 4 : PT_S12Z_LINE_BYTES);
		return;
	}
	if (cinf >> 6 == CET_VECTOR)
		exception = exception_of(s, pc);
	if (stamp != PT_UNKNOWN) {
		struct pt_event *e = pt_batch_add(out, &s->blank, PT_EV_SINCE, cinf & CINF_TOVF);

		e->value.at = exception;
		e->value.value = stamp;
	}
	flow_event(s, cinf, pc, exception, out);
}

static void flow_line(struct trace *s, struct pt_batch *out)
{
	if (s->stamps) {
		flow_entry(s, s->part, (uint64_t)s->part[7] << 8 | s->part[6], out);
	} else {
		flow_entry(s, s->part, PT_UNKNOWN, out);
		flow_entry(s, s->part + 4, PT_UNKNOWN, out);
	}
}

/* --- accesses to data */

static void tell_value(struct trace *s, uint64_t pc, struct pt_batch *out)
{
	if (s->value.kind == 0)
		return;
	if (pc != PT_UNKNOWN)
		pt_batch_add(out, &s->blank, PT_EV_VALUE_PC, 0)->branch.to = pc;
	out->event[out->n_events++] = s->value;
	s->value.kind = 0;
}

/* The first byte of an access lies in the column of its address, byte 7 being that of multiples of 4; the others follow
 * to the right, and then from the left. */
static void access_line(struct trace *s)
{
	unsigned n = (s->part[3] >> 6) + 1u, at = s->part[0] & 3;
	struct pt_event *e = &s->value;

	*e = s->blank;
	e->kind = PT_EV_VALUE;
	e->cause = PT_SPACE_MEMORY * 2 + ((s->part[3] & CINF_READ) == 0);
	e->n = (uint16_t)n;
	e->value.at = address(s->part);
	e->value.value = 0;
	for (unsigned i = 0; i < n; i++)
		e->value.value = e->value.value << 8 | s->part[7 - ((at + i) & 3)];
}

static void detail_line(struct trace *s, struct pt_batch *out)
{
	uint8_t info = s->part[3];

	if ((info & TSINF) != 0 && (info & TSINF_ALWAYS_0) == 0) {
		tell_value(s, (info & TSINF_PC) != 0 ? address(s->part) : PT_UNKNOWN, out);
		return;
	}
	tell_value(s, PT_UNKNOWN, out);
	if ((info & DATA_ALWAYS_0) != 0)
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, PT_S12Z_LINE_BYTES);
	else if (pt_le64(s->part) != 0)
		access_line(s);
	if (!s->stamps)
		tell_value(s, PT_UNKNOWN, out);
}

/* --- every instruction */

/* Does a base begin at byte k? The last record always is one. */
static bool is_base(const struct trace *s, unsigned k, unsigned n)
{
	return k + BASE_BYTES == n ||
	       (s->bases_marked && k < 4 && (s->part[7] >> k & 1) != 0 && k + 2 * BASE_BYTES <= n);
}

/* Records of one byte have the upper bits of the next base. */
static void pc_line(struct trace *s, struct pt_batch *out)
{
	unsigned n = s->part[7] >> 4 & 7, first = 0, k = 0;

	if (pt_le64(s->part) == 0)
		return;		/* nothing was written here */
	if (n < BASE_BYTES) {
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, PT_S12Z_LINE_BYTES);
		return;
	}
	for (; k < n; k++) {
		if (!is_base(s, k, n))
			continue;
		for (; first < k; first++)
			pt_batch_add(out, &s->blank, PT_EV_EXECUTED, 0)->branch.to =
				(address(s->part + k) & 0xffff00) | s->part[first];
		pt_batch_add(out, &s->blank, PT_EV_EXECUTED, 0)->branch.to = address(s->part + k);
		k += BASE_BYTES - 1;
		first = k + 1;
	}
}

/* --- as in struct pt_decoder */

static void line(struct trace *s, struct pt_batch *out)
{
	if (s->mode == DETAIL)
		detail_line(s, out);
	else if (s->mode == PURE_PC)
		pc_line(s, out);
	else
		flow_line(s, out);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct trace *s = state;
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		s->part[s->part_bytes++] = bytes[taken++];
		s->stepped = false;
		if (s->part_bytes < PT_S12Z_LINE_BYTES)
			continue;
		s->part_bytes = 0;
		line(s, out);
	}
	return taken;
}

static void flush(void *state, struct pt_batch *out)
{
	struct trace *s = state;

	tell_value(s, PT_UNKNOWN, out);
	if (s->part_bytes > 0)
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes);
	s->part_bytes = 0;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct trace *s = state;

	s->stepped = false;
	flush(s, out);
	pt_batch_add_gap(out, &s->blank, cause, ns, bytes);
}

/* The buffer is read when the session is over: what it holds ran before. A recorder tells it before the halt. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	struct trace *s = state;
	struct pt_event *e;

	if (s->recorder && (what == PT_STATE_HALT || what == PT_STATE_RUN)) {
		flush(state, out);
		e = pt_batch_add(out, &s->blank, what == PT_STATE_HALT ? PT_EV_STOP : PT_EV_START, PT_ATOMS_TAKEN);
		e->branch.to = pc;
		e->n = what == PT_STATE_HALT && s->stepped;
		s->stepped = what == PT_STATE_RUN && pc != PT_UNKNOWN;
	}
	if (what == PT_STATE_RESET || what == PT_STATE_PC_WRITTEN)
		gap(state, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN, out);
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct trace *s = state;
	char mode[12];

	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
	pt_config_text(config, "trace", mode, sizeof(mode));
	s->mode = strcmp(mode, "detail") == 0 ? DETAIL : strcmp(mode, "pure-pc") == 0 ? PURE_PC : NORMAL;
	s->stamps = pt_config_number(config, "stamp", 0) != 0;
	s->recorder = pt_config_number(config, "recorder", 0) != 0;
	s->bases_marked = pt_config_number(config, "nb", 0) != 0;
	s->vectors = (pt_config_number(config, "ivbr", 0xfffe) & 0xfffe) << 8;
}

const struct pt_decoder pt_decoder_s12z_trace = {
	.name = PT_FORMAT_S12Z_TRACE,
	.gives = PT_GIVES_FLOW | PT_GIVES_OTHER,
	.state_bytes = sizeof(struct trace),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
