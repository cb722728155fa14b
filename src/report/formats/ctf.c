/* Common Trace Format 1.8, for babeltrace2 and Trace Compass: metadata in TSDL and one stream, which is one packet. The
 * events are slices of the timeline. */
#include <inttypes.h>
#include <string.h>

#include "profile/stack/call_event.h"
#include "report/table/format.h"
#include "report/table/names.h"
#include "report/formats/ctf_parts.h"
#include "report/shared/slices.h"
#include "report/shared/tar.h"

extern const struct pt_format pt_format_ctf;

enum { ID_BEGIN, ID_END, ID_NUMBER, ID_GAP };

/* --- metadata */

static void metadata(const struct pt_slices *slices, struct pt_text *out)
{
	const struct pt_profile *p = slices->profile;
	static const char *const clocks[] = {
		[PT_SLICES_NS] = "the probe's clock",
		[PT_SLICES_FROM_BEGIN] = "ns since the first that was seen, without gaps",
		[PT_SLICES_CYCLES] = "core cycles, each shown as 1 ns, as the core clock is not known; gaps have none",
		[PT_SLICES_INSTRUCTIONS] = "instructions, each shown as 1 ns; gaps have none",
	};

	pt_text_add(out,
		    "/* CTF 1.8 */\n"
		    "typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
		    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
		    "typealias floating_point { exp_dig = 11; mant_dig = 53; byte_order = le; align = 8; } := f64;\n"
		    "trace { major = 1; minor = 8; byte_order = le; };\n"
		    "env {");
	pt_ctf_env(out, p);
	pt_text_add(out, " events_before_the_first = %" PRIu64 "; };\n", p->timeline->seen - p->timeline->n);
	pt_text_add(out, "clock { name = proftap; description = \"%s\"; freq = %" PRIu64 "; };\n",
		    clocks[slices->clock], UINT64_C(1000000000));
	pt_text_add(out,
		    "typealias integer { size = 64; align = 8; signed = false; map = clock.proftap.value; } := stamp;\n"
		    "stream { event.header := struct { u32 id; stamp timestamp; }; };\n"
		    "event { id = %d; name = \"begin\"; fields := struct { u16 core; string track; string name; }; };\n"
		    "event { id = %d; name = \"end\"; fields := struct { u16 core; string track; }; };\n"
		    "event { id = %d; name = \"number\"; fields := struct { u16 core; string track; f64 value; }; };\n"
		    "event { id = %d; name = \"gap\"; fields := struct { u16 core; }; };\n",
		    ID_BEGIN, ID_END, ID_NUMBER, ID_GAP);
}

/* --- the stream */

static void real(struct pt_text *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pt_ctf_number(out, bits, sizeof(bits));
}

static void text(struct pt_text *out, const char *t)
{
	pt_text_bytes(out, t, strlen(t) + 1);
}

static void track(const struct pt_slices *slices, size_t at, struct pt_text *out)
{
	const struct pt_track *t = &slices->track[at];
	char own[PT_OWN_TASK_BYTES];

	if (t->name != NULL)
		pt_text_add(out, "%s", t->name);
	else if (t->task != PT_NO_TASK)
		pt_text_add(out, "%s", pt_name_of_task(slices->profile, t->task, own));
	else
		pt_text_add(out, "stack %u", t->number);
	pt_text_bytes(out, "", 1);
}

static void event(const struct pt_slices *slices, const struct pt_slice *slice, struct pt_text *out)
{
	pt_ctf_number(out,
		      slice->kind == PT_SLICE_BEGIN	? ID_BEGIN
		      : slice->kind == PT_SLICE_END	? ID_END
		      : slice->kind == PT_SLICE_COUNTER ? ID_NUMBER
							: ID_GAP,
		      4);
	pt_ctf_number(out, slice->time, 8);
	pt_ctf_number(out, slice->core, 2);
	if (slice->kind == PT_SLICE_GAP)
		return;
	track(slices, slice->track, out);
	if (slice->kind == PT_SLICE_COUNTER)
		real(out, slice->real);
	if (slice->kind == PT_SLICE_BEGIN && slice->name != NULL) {
		text(out, slice->name);
	} else if (slice->kind == PT_SLICE_BEGIN) {
		pt_text_add(out, "%.15g", slice->real);
		pt_text_bytes(out, "", 1);
	}
}

static int write_ctf(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	struct pt_text description = { 0 }, stream = { 0 };
	struct pt_slices slices;
	struct pt_slice slice;
	int rc = pt_slices_begin(&slices, profile, err);

	(void)view;
	(void)query;
	if (rc < 0)
		return rc;
	metadata(&slices, &description);
	while (pt_slices_next(&slices, &slice))
		event(&slices, &slice, &stream);
	pt_tar_add(out, "metadata", description.bytes, description.len_bytes);
	/* Also if it is empty: it replaces the stream of an older trace in an existing folder. */
	pt_tar_add(out, "stream", stream.len_bytes > 0 ? stream.bytes : "", stream.len_bytes);
	pt_tar_end(out);
	out->overflow |= description.overflow || stream.overflow;
	pt_slices_end(&slices);
	pt_text_free(&description);
	pt_text_free(&stream);
	return 0;
}

const struct pt_format pt_format_ctf = {
	.name = "ctf", .help = "the timeline, for babeltrace2 and Trace Compass: a folder", .needs = "timeline",
	.binary = true, .folder = true, .write = write_ctf,
};
