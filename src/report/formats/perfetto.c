/* Perfetto's native trace (protos/perfetto/trace): one process per core, a thread per stack or task with its functions
 * as slices, tracks for states, spans and numbers. Packets are written one by one: the file is just their sequence. */
#include <stdio.h>
#include <string.h>

#include "profile/stack/call_event.h"
#include "report/text/caption.h"
#include "report/proto/perfetto.pb-c.h"
#include "report/table/format.h"
#include "report/table/names.h"
#include "report/shared/slices.h"

extern const struct pt_format pt_format_perfetto;

enum { SEQUENCE = 1, PACKET_BYTES = 2048, TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER, UNIT_COUNT = 2 };
enum { CORE_UUID = 1, TRACK_UUID = 1000, CORES = 64 };	/* numbers of tracks in the file */

struct writer {
	struct pt_text *out;
	const struct pt_profile *profile;
	struct pt_slices slices;
	size_t n_described;
	bool core_described[CORES];
	bool dropped;		/* a gap came before the next packet */
};

static void put(struct writer *w, Perfetto__TracePacket *packet)
{
	uint8_t bytes[PACKET_BYTES], head[8] = { 0x0a };	/* field 1, length-delimited */
	size_t len = perfetto__trace_packet__get_packed_size(packet), n = 1;

	if (len > sizeof(bytes))
		return;
	for (size_t rest = len; n == 1 || rest > 0; rest >>= 7)
		head[n++] = (uint8_t)(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0);
	pt_text_bytes(w->out, head, n);
	pt_text_bytes(w->out, bytes, perfetto__trace_packet__pack(packet, bytes));
}

static Perfetto__TracePacket new_packet(void)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.has_trusted_packet_sequence_id = true;
	packet.trusted_packet_sequence_id = SEQUENCE;
	return packet;
}

/* --- descriptors */

static void describe_core(struct writer *w, uint16_t core)
{
	Perfetto__TracePacket packet = new_packet();
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	static const char *const clocks[] = {
		[PT_SLICES_NS] = "time on the probe's clock",
		[PT_SLICES_FROM_BEGIN] = "time since the first that was seen, without gaps",
		[PT_SLICES_CYCLES] = "1 ns is one cycle, as the core clock is not known; gaps have no time",
		[PT_SLICES_INSTRUCTIONS] = "1 ns is one instruction; gaps have no time",
	};
	struct pt_caption caption;
	char name[2 * PT_CAPTION_BYTES], *made_by[2];

	if (core >= CORES || w->core_described[core])
		return;
	w->core_described[core] = true;
	pt_caption_make(&caption, w->profile);
	snprintf(name, sizeof(name), "core %u: %.300s; observed %.300s; %s; %.300s", core,
		 caption.line[PT_CAPTION_PROFILE], caption.line[PT_CAPTION_OBSERVED], clocks[w->slices.clock],
		 caption.line[PT_CAPTION_ACCURACY]);
	process.has_pid = true;
	process.pid = core + 1;
	process.process_name = name;
	made_by[0] = caption.line[PT_CAPTION_METHOD];
	made_by[1] = caption.line[PT_CAPTION_AGAIN];
	process.cmdline = made_by;	/* what made the file, in the field for the command line of a process */
	process.n_cmdline = made_by[1][0] != '\0' ? 2 : 1;
	track.has_uuid = true;
	track.uuid = CORE_UUID + core;
	track.process = &process;
	packet.track_descriptor = &track;
	put(w, &packet);
}

static void name_stack(const struct pt_profile *p, const struct pt_track *track, char *name, size_t size)
{
	char own[PT_OWN_TASK_BYTES];

	if (track->task != PT_NO_TASK)
		snprintf(name, size, "%s", pt_name_of_task(p, track->task, own));
	else
		snprintf(name, size, track->number == 0 ? "stack" : "stack %u", track->number);
}

static void describe_track(struct writer *w, size_t at)
{
	const struct pt_track *t = &w->slices.track[at];
	Perfetto__TracePacket packet = new_packet();
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	char name[64];

	describe_core(w, t->core);
	track.has_uuid = track.has_parent_uuid = true;
	track.uuid = TRACK_UUID + at;
	track.parent_uuid = CORE_UUID + t->core;
	if (t->kind == PT_TRACK_STACK) {
		name_stack(w->profile, t, name, sizeof(name));
		thread.has_pid = thread.has_tid = true;
		thread.pid = t->core + 1;
		thread.tid = TRACK_UUID + (int)at;
		thread.thread_name = name;
		track.thread = &thread;
	} else {
		track.name = (char *)(uintptr_t)t->name;
	}
	counter.has_unit = true;
	counter.unit = UNIT_COUNT;
	if (t->kind == PT_TRACK_COUNTER)
		track.counter = &counter;
	packet.track_descriptor = &track;
	put(w, &packet);
}

/* --- events */

static void put_slice(struct writer *w, const struct pt_slice *slice)
{
	Perfetto__TracePacket packet = new_packet();
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	char name[256];

	packet.has_timestamp = true;
	packet.timestamp = slice->time;
	packet.has_previous_packet_dropped = packet.previous_packet_dropped = w->dropped;
	w->dropped = slice->kind == PT_SLICE_GAP;
	event.has_type = event.has_track_uuid = true;
	event.track_uuid = slice->kind == PT_SLICE_GAP ? (uint64_t)CORE_UUID + slice->core : TRACK_UUID + slice->track;
	event.type = slice->kind == PT_SLICE_BEGIN     ? TYPE_BEGIN
		     : slice->kind == PT_SLICE_END     ? TYPE_END
		     : slice->kind == PT_SLICE_COUNTER ? TYPE_COUNTER
						       : TYPE_INSTANT;
	if (slice->kind == PT_SLICE_BEGIN && slice->name == NULL)
		snprintf(name, sizeof(name), "%.15g", slice->real);
	else if (slice->kind == PT_SLICE_BEGIN)
		snprintf(name, sizeof(name), "%.250s", slice->name);
	else
		snprintf(name, sizeof(name), "gap");
	if (event.type == TYPE_BEGIN || event.type == TYPE_INSTANT)
		event.name = name;
	event.has_double_counter_value = slice->kind == PT_SLICE_COUNTER;
	event.double_counter_value = slice->real;
	packet.track_event = &event;
	put(w, &packet);
}

static int write_perfetto(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			  struct pt_text *out, struct pt_err *err)
{
	struct writer w = { .out = out, .profile = profile };
	struct pt_slice slice;
	int rc = pt_slices_begin(&w.slices, profile, err);

	(void)view;
	(void)query;
	if (rc == 0)
		describe_core(&w, 0);
	while (rc == 0 && pt_slices_next(&w.slices, &slice)) {
		for (; w.n_described < w.slices.n_tracks; w.n_described++)
			describe_track(&w, w.n_described);
		describe_core(&w, slice.core);
		put_slice(&w, &slice);
	}
	pt_slices_end(&w.slices);
	return rc;
}

const struct pt_format pt_format_perfetto = {
	.name = "perfetto", .suffix = ".pftrace", .help = "the timeline, for Perfetto", .needs = "timeline", .binary = true,
	.write = write_perfetto,
};
