/* The profile cmsis.ctf (version 1) of the Common Trace Format 1.8, for tools of CMSIS and babeltrace2: what the ITM
 * and the DWT reported, in one stream. It contains only what was traced: an exception without an end in the trace has
 * no end here.
 *
 * Times come from the chip's local timestamps, which restart after each gap: the time of the gap comes from the probe's
 * clock. An event without a timestamp gets the time of the one before, and is not marked as reliable. Source:
 * Open-CMSIS-Pack devtools, tools/ctrace, docs/ctf-format.md. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "profile/analyses/signals/trace_events.h"
#include "profile/result/profile.h"
#include "report/formats/ctf_parts.h"
#include "report/shared/tar.h"
#include "report/table/format.h"
#include "report/table/order.h"

extern const struct pt_format pt_format_cmsis_ctf;

enum { ID_ITM, ID_DWT_VALUE, ID_DWT_ADDR, ID_STATUS, ID_EXCEPTION, ID_PC_SAMPLE = 6, ID_DWT_EVENT, ID_DWT_MATCH = 9,
       ID_PROHIBITED };
enum { STATUS_START, STATUS_RESYNC, STATUS_OVERFLOW, STATUS_DECODE_ERROR, STATUS_DATA_LOSS };
enum { AFTER_OVERFLOW = 1, RELIABLE = 2, BEFORE_STAMPS = 4 };	/* cmsis_sample_flags */
enum { NO_PLACE = 0, PLACE_U32 = 4, FIRST_PORT = 1, LAST_PORT = 31 };
enum { MAGIC_BYTES = 4, UUID_BYTES = 16, PACKET_EVENTS = 4096, CONTEXT_BYTES = 4 + 4 + 8 + 8 + 4 + 4 };
#define MAGIC UINT32_C(0xc1fc1fc1)
#define NS_HZ UINT64_C(1000000000)

static const uint8_t uuid[UUID_BYTES] = { 0x70, 0x72, 0x6f, 0x66, 0x74, 0x61, 0x40, 0x70, 0x80, 0x63, 0x6d, 0x73, 0x69, 0x73, 0x63, 0x74 };

/* --- metadata ----------------------------------------------------------------------------------------------------- */

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := address_t;\n"
	"typealias enum : uint8_t { \"read\" = 0, \"write\" = 1 } := cmsis_dwt_access_t;\n"
	"typealias enum : uint8_t { \"trace_start\" = 0, \"resync\" = 1, \"overflow\" = 2, \"decode_error\" = 3, "
	"\"data_loss\" = 4 } := cmsis_trace_status_reason_t;\n"
	"typealias enum : uint8_t { \"entered\" = 0, \"exited\" = 1, \"returned\" = 2 } := cmsis_exception_action_t;\n"
	"typealias enum : uint8_t { \"trace\" = 0, \"synthetic\" = 1 } := cmsis_exception_origin_t;\n"
	"typealias enum : uint8_t { \"sleep\" = 0, \"sample\" = 1 } := cmsis_pc_sample_state_t;\n"
	"typealias enum : uint8_t { \"CPI\" = 0, \"EXC\" = 1, \"SLEEP\" = 2, \"LSU\" = 3, \"FOLD\" = 4, \"CYC\" = 5 } := "
	"cmsis_dwt_counter_t;\n"
	"typealias enum : uint8_t { \"DWT0\" = 0, \"DWT1\" = 1, \"DWT2\" = 2, \"DWT3\" = 3 } := cmsis_dwt_comparator_t;\n"
	"trace { major = 1; minor = 8; byte_order = le; uuid = \"70726f66-7461-4070-8063-6d7369736374\";\n"
	"\tpacket.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; }; };\n";

#define VALUE(of) \
	"enum : uint8_t { \"i8\" = 0, \"u8\" = 1, \"i16\" = 2, \"u16\" = 3, \"i32\" = 4, \"u32\" = 5, \"f32\" = 6 } m_cmsis" of \
	"_value_type; variant <m_cmsis" of "_value_type> { int8_t i8; uint8_t u8; int16_t i16; uint16_t u16; int32_t i32; " \
	"uint32_t u32; ieee_float32_t f32; } m_cmsis" of "_value; "
#define PLACE(what) \
	"enum : uint8_t { \"none\" = 0, \"u8\" = 1, \"u16\" = 2, \"u32\" = 4 } m_cmsis_" what "_type; variant <m_cmsis_" what \
	"_type> { uint8_t none; uint8_t u8; uint16_t u16; address_t u32; } m_cmsis_" what "; "
#define QUALITY "uint8_t cmsis_sample_flags; uint32_t cmsis_overflow_count;"

static const struct { unsigned id; const char *name, *fields; } events[] = {
	{ ID_ITM, "ITM", "cmsis_itm_channel_t cmsis_itm_channel; " VALUE("itm") QUALITY },
	{ ID_DWT_VALUE, "DWT_VALUE",
	  "cmsis_dwt_comparator_t cmsis_dwt_comparator; cmsis_dwt_access_t cmsis_dwt_access; " VALUE("dwt") PLACE("pc")
		  PLACE("address") QUALITY },
	{ ID_DWT_ADDR, "DWT_ADDR",
	  "cmsis_dwt_comparator_t cmsis_dwt_comparator; " PLACE("pc") PLACE("address") QUALITY },
	{ ID_STATUS, "TRACE_STATUS",
	  "cmsis_trace_status_reason_t cmsis_trace_status_reason; uint32_t cmsis_overflow_count;" },
	{ ID_EXCEPTION, "EXCEPTION",
	  "cmsis_exception_number_t cmsis_exception_number; cmsis_exception_action_t cmsis_exception_action; "
	  "uint16_t cmsis_exception_number_value; cmsis_exception_origin_t cmsis_exception_origin;" },
	{ ID_PC_SAMPLE, "PC_SAMPLE",
	  "cmsis_pc_sample_state_t cmsis_pc_sample_state; address_t cmsis_pc[cmsis_pc_sample_state]; " QUALITY },
	{ ID_DWT_EVENT, "DWT_EVENT", "cmsis_dwt_counter_t cmsis_dwt_counter; " QUALITY },
	{ ID_DWT_MATCH, "DWT_MATCH", "cmsis_dwt_comparator_t cmsis_dwt_comparator; " QUALITY },
	{ ID_PROHIBITED, "PC_SAMPLE_PROHIBITED", QUALITY },
};

static void add_exception_names(struct pt_text *out)
{
	static const char *const names[] = {
		"Thread Mode", "Reset", "NMI", "HardFault", "MemManage", "BusFault", "UsageFault", "SecureFault",
		NULL, NULL, NULL, "SVCall", "DebugMonitor", NULL, "PendSV", "SysTick",
	};
	enum { LAST = 511 };

	pt_text_add(out, "typealias enum : uint16_t { ");
	for (unsigned i = 0; i <= LAST; i++)
		if (i >= PT_LEN(names))
			pt_text_add(out, "\"External IRQ %zu\" = %u%s", i - PT_LEN(names), i, i < LAST ? ", " : "");
		else if (names[i] != NULL)
			pt_text_add(out, "\"%s\" = %u, ", names[i], i);
	pt_text_add(out, " } := cmsis_exception_number_t;\n");
}

static void add_metadata(struct pt_text *out, const struct pt_profile *p, uint64_t clock_hz)
{
	const struct pt_trace_events *t = p->trace_events;

	pt_text_add(
		out,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
		"typealias integer { size = 16; align = 8; signed = true; } := int16_t;\n"
		"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
		"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; byte_order = le; } := ieee_float32_t;\n");
	pt_text_add(out, "%s", types);
	pt_text_add(out, "typealias enum : uint8_t { ");
	for (unsigned i = FIRST_PORT; i <= LAST_PORT; i++)
		pt_text_add(out, "\"ITM%u\" = %u%s", i, i, i < LAST_PORT ? ", " : " } := cmsis_itm_channel_t;\n");
	add_exception_names(out);
	pt_text_add(out, "env { cmsis_ctf_profile = \"cmsis.ctf\"; cmsis_ctf_profile_version = 1;");
	pt_ctf_env(out, p);
	pt_text_add(out, " events_before_the_first = %" PRIu64 "; events_of_other_sources = %" PRIu64 "; };\n",
		    t->seen - t->n, t->others);
	pt_text_add(
		out,
		"clock { name = swo_clock; description = \"%s\"; precision = 0; offset_s = 0; offset = 0; "
		"absolute = false; freq = %" PRIu64 "; };\n"
		"typealias integer { size = 64; align = 8; signed = false; map = clock.swo_clock.value; } := "
		"swo_clock_t;\n"
		"stream { id = 0; event.header := struct { uint32_t id; swo_clock_t timestamp; };\n"
		"\tevent.context := struct { uint8_t cmsis_trace_bus_id; };\n"
		"\tpacket.context := struct { uint32_t packet_size; uint32_t content_size; swo_clock_t timestamp_begin; "
		"swo_clock_t timestamp_end; uint32_t events_discarded; uint32_t packet_seq_num; }; };\n",
		t->tick_hz != 0 ? "of the ITM's local stamps" : "the probe's, in ns", clock_hz);
	for (size_t i = 0; i < PT_LEN(events); i++)
		pt_text_add(out, "event { id = %u; name = \"%s\"; stream_id = 0; fields := struct { %s }; };\n",
			    events[i].id, events[i].name, events[i].fields);
}

/* --- time --------------------------------------------------------------------------------------------------------- */

struct stream {
	struct pt_text *out, packet;
	unsigned n_events;		/* in packet */
	uint32_t n_packets;
	uint64_t begin, clock;		/* times of the packet's begin, and of the last event */
	uint64_t tick_hz, clock_hz, first_ns;	/* first_ns: the probe's clock where this one is 0; or PT_UNKNOWN */
	uint64_t base;			/* the clock at ticks 0; PT_UNKNOWN: behind a gap */
	bool stamped, after_overflow, reliable;
	uint32_t overflows;
	uint64_t pc;			/* pc of the next VALUE; or PT_UNKNOWN */
};

static uint64_t by_probe(const struct stream *s, uint64_t ns)
{
	return ns == PT_UNKNOWN || s->first_ns == PT_UNKNOWN || ns < s->first_ns
		       ? 0
		       : (uint64_t)llround((double)(ns - s->first_ns) * ((double)s->clock_hz / NS_HZ));
}

/* The clock never goes back: after a gap it continues at the probe's time of the event, but not before the last
 * event. */
static void advance(struct stream *s, const struct pt_trace_event *t)
{
	uint64_t probe = by_probe(s, t->at_ns), ticks = t->event.ticks, now = s->clock;

	if (s->first_ns == PT_UNKNOWN)
		s->first_ns = t->at_ns;
	s->reliable = s->tick_hz != 0 && ticks != PT_UNKNOWN;
	if (s->reliable && s->base == PT_UNKNOWN)
		s->base = (probe > now ? probe : now) > ticks ? (probe > now ? probe : now) - ticks : 0;
	if (s->reliable)
		now = s->base + ticks;
	else if (!s->stamped)
		now = probe;
	s->stamped |= s->reliable;
	s->clock = now > s->clock ? now : s->clock;
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static void end_packet(struct stream *s)
{
	uint64_t bits = 8 * (uint64_t)(MAGIC_BYTES + UUID_BYTES + 4 + CONTEXT_BYTES + s->packet.len_bytes);

	if (s->n_events == 0)
		return;
	pt_ctf_number(s->out, MAGIC, MAGIC_BYTES);
	pt_text_bytes(s->out, uuid, sizeof(uuid));
	pt_ctf_number(s->out, 0, 4);
	pt_ctf_number(s->out, bits, 4);
	pt_ctf_number(s->out, bits, 4);
	pt_ctf_number(s->out, s->begin, 8);
	pt_ctf_number(s->out, s->clock, 8);
	pt_ctf_number(s->out, 0, 4);
	pt_ctf_number(s->out, s->n_packets++, 4);
	pt_text_bytes(s->out, s->packet.bytes, s->packet.len_bytes);
	s->out->overflow |= s->packet.overflow;
	s->packet.len_bytes = 0;
	s->n_events = 0;
}

static void begin_event(struct stream *s, unsigned id)
{
	if (s->n_events == PACKET_EVENTS)
		end_packet(s);
	if (s->n_events++ == 0)
		s->begin = s->clock;
	pt_ctf_number(&s->packet, id, 4);
	pt_ctf_number(&s->packet, s->clock, 8);
	pt_ctf_number(&s->packet, 0, 1);	/* no stream of a trace port, or unknown */
}

static void add_byte(struct stream *s, unsigned byte)
{
	pt_ctf_number(&s->packet, byte, 1);
}

static void add_quality(struct stream *s)
{
	add_byte(s, (s->after_overflow ? AFTER_OVERFLOW : 0u) | (s->reliable ? RELIABLE : 0u) |
			    (s->stamped ? 0u : BEFORE_STAMPS));
	pt_ctf_number(&s->packet, s->overflows, 4);
	s->after_overflow = false;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void add_value(struct stream *s, uint64_t value, unsigned n_bytes)
{
	enum { U8 = 1, U16 = 3, U32 = 5 };

	add_byte(s, n_bytes == 1 ? U8 : n_bytes == 2 ? U16 : U32);
	pt_ctf_number(&s->packet, value, n_bytes);
}

static void add_place(struct stream *s, uint64_t at)
{
	add_byte(s, at == PT_UNKNOWN ? NO_PLACE : PLACE_U32);
	pt_ctf_number(&s->packet, at == PT_UNKNOWN ? 0 : at, at == PT_UNKNOWN ? 1 : 4);
}

static void add_status(struct stream *s, unsigned reason)
{
	begin_event(s, ID_STATUS);
	add_byte(s, reason);
	pt_ctf_number(&s->packet, s->overflows, 4);
}

static void add_port(struct stream *s, const struct pt_event *e)
{
	if (e->value.at < FIRST_PORT || e->value.at > LAST_PORT)	/* the profile has no events of port 0 */
		return;
	begin_event(s, ID_ITM);
	add_byte(s, (unsigned)e->value.at);
	add_value(s, e->value.value, e->n);
	add_quality(s);
}

static void add_access(struct stream *s, const struct pt_event *e)
{
	bool matched = pt_value_matched(e) && s->pc == PT_UNKNOWN;

	begin_event(s, matched ? ID_DWT_MATCH : e->n > 0 ? ID_DWT_VALUE : ID_DWT_ADDR);
	add_byte(s, (unsigned)pt_value_comparator(e));
	if (e->n > 0) {
		add_byte(s, e->cause & 1);
		add_value(s, e->value.value, e->n);
	}
	if (!matched) {
		add_place(s, s->pc);
		add_place(s, e->value.at);
	}
	add_quality(s);
	s->pc = PT_UNKNOWN;
}

static void add_sample(struct stream *s, uint64_t pc)
{
	begin_event(s, ID_PC_SAMPLE);
	add_byte(s, pc != PT_UNKNOWN);
	if (pc != PT_UNKNOWN)
		pt_ctf_number(&s->packet, pc, 4);
	add_quality(s);
}

static void add_exception(struct stream *s, const struct pt_event *e)
{
	begin_event(s, ID_EXCEPTION);
	pt_ctf_number(&s->packet, e->value.at, 2);
	add_byte(s, e->cause - PT_EXC_ENTER);
	pt_ctf_number(&s->packet, e->value.at, 2);
	add_byte(s, 0);
}

static void add_counter(struct stream *s, const struct pt_event *e)
{
	begin_event(s, e->counter.id >= PT_COUNTER_NAMED ? ID_DWT_EVENT : ID_PROHIBITED);
	if (e->counter.id >= PT_COUNTER_NAMED)
		add_byte(s, e->counter.id - PT_COUNTER_NAMED);
	add_quality(s);
}

/* Timestamps continue over an overflow of the chip's FIFO, and restart after any other gap. */
static void add_gap(struct stream *s, const struct pt_event *e)
{
	if (e->cause == PT_GAP_OVERFLOW) {
		s->overflows += s->overflows < UINT32_MAX;
		s->after_overflow = true;
		add_status(s, STATUS_OVERFLOW);
		return;
	}
	add_status(s, e->cause == PT_GAP_DAMAGED ? STATUS_DECODE_ERROR
		      : e->cause == PT_GAP_LOSS	 ? STATUS_DATA_LOSS
						 : STATUS_RESYNC);
	if (e->cause != PT_GAP_RESTART)
		add_status(s, STATUS_RESYNC);
	s->base = PT_UNKNOWN;
}

static void add_event(struct stream *s, const struct pt_trace_event *t)
{
	const struct pt_event *e = &t->event;

	if (e->kind == PT_EV_VALUE_PC) {
		s->pc = e->branch.to;
		return;
	}
	advance(s, t);
	if (e->kind == PT_EV_VALUE && pt_value_space(e) == PT_SPACE_PORT)
		add_port(s, e);
	else if (e->kind == PT_EV_VALUE && pt_value_comparator(e) != PT_NO_COMPARATOR)
		add_access(s, e);
	else if (e->kind == PT_EV_SAMPLE)
		add_sample(s, e->branch.to);
	else if (e->kind == PT_EV_EXCEPTION)
		add_exception(s, e);
	else if (e->kind == PT_EV_COUNTER)
		add_counter(s, e);
	else if (e->kind == PT_EV_GAP)
		add_gap(s, e);
}

static int write_cmsis_ctf(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			   struct pt_text *out, struct pt_err *err)
{
	const struct pt_trace_events *t = profile->trace_events;
	struct pt_text description = { 0 }, bytes = { 0 };
	struct stream s = { .out = &bytes, .first_ns = PT_UNKNOWN, .pc = PT_UNKNOWN };

	(void)view;
	(void)query;
	if (t == NULL)
		return pt_report_lacks("cmsis.ctf", "trace-events", err);
	s.tick_hz = t->tick_hz;
	s.clock_hz = t->tick_hz != 0 ? t->tick_hz : NS_HZ;
	add_metadata(&description, profile, s.clock_hz);
	add_status(&s, STATUS_START);
	for (size_t i = 0; i < t->n; i++)
		add_event(&s, &t->ring[(t->first + i) % t->room]);
	end_packet(&s);
	pt_tar_add(out, "metadata", description.bytes, description.len_bytes);
	pt_tar_add(out, "stream_0", bytes.bytes, bytes.len_bytes);
	pt_tar_end(out);
	out->overflow |= description.overflow || bytes.overflow;
	pt_text_free(&description);
	pt_text_free(&s.packet);
	pt_text_free(&bytes);
	return 0;
}

const struct pt_format pt_format_cmsis_ctf = {
	.name = "cmsis.ctf", .help = "what came by SWO, packet by packet, as CMSIS's tools and babeltrace2 read it: a folder",
	.needs = "trace-events", .binary = true, .folder = true, .write = write_cmsis_ctf,
};
