/* The end of the source: sending stops, the bytes on their way arrive, and only then are the samples counted. */
#include <inttypes.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/loss.h"

enum { BATCH_MS = 1000, STOP_READS = 64, STOP_MS = 2, READ_MS = 20, REST_READ_MS = 5, MOST_MISSED = 2, SAMPLE_BYTES = 5 };
enum { CTRL_PCSAMPLENA = 1 << 12, CTRL_TRACES = 0x3f << 16 };

/* Stops samples and exceptions, so that the bytes on their way can arrive and be counted. */
static int close_count(struct pt_swo *s, struct pt_err *err)
{
	const uint64_t dwt = s->cm->found.unit[PT_UNIT_DWT];
	uint8_t value[4], cyccnt[4] = { 0 };
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = value, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = cyccnt, .len_bytes = 4 },
	};

	pt_put_le32(value, s->regs.reg[s->ctrl].ours & ~(uint32_t)(CTRL_PCSAMPLENA | CTRL_TRACES));
	if (pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err) < 0)
		return err->code;
	pt_swo_cadence_go_on(&s->cadence, pt_le32(cyccnt));
	if (!s->held)
		s->stream.until_ns = pt_swo_midway_ns(&op[0]);
	pt_swo_note_edge(s, &op[0]);
	if (pt_mem_wait(s->mem, pt_mem_now_ns(s->mem) + STOP_MS * PT_NS_PER_MS, err) < 0)
		return err->code;
	return pt_swo_quiet(s, err);
}

int pt_swo_fetch_rest(struct pt_swo *s, struct pt_err *err)
{
	int rc = close_count(s, err);

	for (int i = 0; rc >= 0 && i < STOP_READS; i++) {
		rc = pt_swo_take(&s->stream, 0, i == 0 ? READ_MS : REST_READ_MS, err);
		if (rc == 0 && i > 0)
			break;
	}
	return rc < 0 ? rc : 0;
}

/* Samples that were taken and did not arrive, without a report of chip or probe: the wire lost them. */
void pt_swo_tell_count(struct pt_swo *s, uint64_t now_ns)
{
	uint64_t to_ns = s->stream.until_ns != 0 ? s->stream.until_ns : now_ns;
	uint64_t taken = s->cadence.samples, came = s->stream.n_samples;

	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0 || s->uncounted || s->put_off)
		return;
	pt_info("swo: %" PRIu64 " of %" PRIu64 " samples came (give or take %.0f); the chip said %" PRIu64
		" times that it dropped packets",
		came, taken, MOST_MISSED + s->cadence.doubt, s->stream.n_overflows);
	if ((double)taken > (double)came + MOST_MISSED + s->cadence.doubt && s->stream.n_overflows == 0 &&
	    s->stream.n_dropped == 0)
		pt_emit_loss_of(&s->out, PT_LOSS_PIN, (taken - came) * SAMPLE_BYTES,
				to_ns > s->out.told_ns ? to_ns : s->out.told_ns + 1);
}

/* Missing samples may belong to any function; those on their way count as missing until they arrive. */
void pt_swo_tell_cost(void *arg, struct pt_cost *cost)
{
	const struct pt_swo *s = arg;
	double missed = (double)s->cadence.samples + MOST_MISSED + s->cadence.doubt - (double)s->stream.n_samples;

	cost->edges_ns = s->edges_ns;
	if ((s->kinds & PT_SWO_PC_SAMPLES) == 0 || s->uncounted)
		return;
	cost->counts_missed = true;
	cost->missed = missed > 0 ? (uint64_t)missed + 1 : 0;
}
