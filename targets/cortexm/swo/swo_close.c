/* The end of the source: sending stops, the bytes on their way arrive, and only then are the samples counted. A pin that
 * was silent up to then must show that it works: it is made to carry samples of the pc, which are dropped. */
#include <inttypes.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/loss.h"

enum { SILENCE_MS = 50, PROOF_MS = 2, BATCH_MS = 1000, STOP_READS = 64, STOP_MS = 2, READ_MS = 20, REST_READ_MS = 5, MOST_MISSED = 2, SAMPLE_BYTES = 5,
       PROOF_CYCLES = 4096 /* of these 1024 are between two samples */ };
enum { CTRL_PCSAMPLENA = 1 << 12, CTRL_TRACES = 0x3f << 16 };

/* Stops samples, exceptions, stores to ports and values, so that the bytes on their way can arrive and be counted: no
 * more is sent of a time that is not observed. */
static int close_count(struct pt_swo *s, struct pt_err *err)
{
	const uint64_t dwt = s->cm->found.unit[PT_UNIT_DWT];
	uint8_t value[4], none[4] = { 0 }, cyccnt[4] = { 0 };
	struct pt_mem_op op[PT_SWO_REGS + 2], *ctrl = op, *count;

	for (size_t i = 0; i < s->regs.n; i++)
		if (s->regs.reg[i].sends)
			*ctrl++ = (struct pt_mem_op){ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = s->regs.reg[i].at,
						      .bytes = none, .len_bytes = 4 };
	count = ctrl + 1;
	*ctrl = (struct pt_mem_op){ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = value,
				    .len_bytes = 4 };
	*count = (struct pt_mem_op){ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = cyccnt,
				     .len_bytes = 4 };
	pt_put_le32(value, s->regs.reg[s->ctrl].ours & ~(uint32_t)(CTRL_PCSAMPLENA | CTRL_TRACES));
	if (pt_mem_run(s->mem, op, (size_t)(count + 1 - op), BATCH_MS, NULL, err) < 0)
		return err->code;
	pt_swo_cadence_go_on(&s->cadence, pt_le32(cyccnt));
	pt_swo_silence_go_on(&s->stream.silence, pt_le32(cyccnt));
	ctrl->sent_ns = op[0].sent_ns;	/* they were turned off one by one */
	if (!s->held)
		s->stream.until_ns = pt_swo_midway_ns(ctrl);
	pt_swo_note_edge(s, ctrl);
	if (pt_mem_wait(s->mem, pt_mem_now_ns(s->mem) + STOP_MS * PT_NS_PER_MS, err) < 0)
		return err->code;
	return pt_swo_quiet(s, err);
}

static unsigned count_samples(struct pt_itm_packets *packets, const uint8_t *bytes, size_t len_bytes)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];
	unsigned n_samples = 0, n_packets;

	while (len_bytes > 0) {
		size_t n = pt_itm_take(packets, bytes, len_bytes, packet, &n_packets);

		for (unsigned i = 0; i < n_packets; i++)
			n_samples += packet[i].kind == PT_ITM_HARDWARE && packet[i].which == PT_ITM_PC_SAMPLE;
		bytes += n;
		len_bytes -= n;
	}
	return n_samples;
}

/* n_samples: out, 0 also where bytes came that are no packets. */
static int read_samples(struct pt_swo *s, unsigned *n_samples, struct pt_err *err)
{
	struct pt_itm_packets packets = { .believed = true };
	uint8_t bytes[PT_SWO_READ_BYTES];
	int n = 1;

	*n_samples = 0;
	for (int reads = 0; n > 0 && reads < STOP_READS; reads++) {
		struct pt_stream_read what = { 0 };

		n = s->stream.ops->read(s->stream.wire, bytes, sizeof(bytes), reads == 0 ? READ_MS : REST_READ_MS,
					&what, err);
		*n_samples += n > 0 ? count_samples(&packets, bytes, (size_t)n) : 0;
	}
	if (!packets.believed)
		*n_samples = 0;
	return n < 0 ? n : 0;
}

/* Samples of the pc, as many as 2 ms have, while everything else is off. The counter that they are timed by may stand in
 * sleep: then there are none. */
static int prove_pin(struct pt_swo *s, struct pt_err *err)
{
	const uint64_t dwt = s->cm->found.unit[PT_UNIT_DWT];
	uint32_t off = s->regs.reg[s->ctrl].ours & ~(uint32_t)(CTRL_PCSAMPLENA | CTRL_TRACES) &
		       ~pt_swo_period_bits(&(struct pt_swo_period){ true, 15 });
	uint32_t on = off | pt_swo_period_bits(&(struct pt_swo_period){ false, 15 });
	uint8_t init[4], sampling[4], itm[4], before[4] = { 0 }, behind[4] = { 0 };
	struct pt_mem_op op[] = {
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = init, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = s->regs.reg[s->tcr].at, .bytes = itm, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = sampling, .len_bytes = 4 },
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = before, .len_bytes = 4 },
	};
	struct pt_mem_op end[] = {
		{ .what = PT_MEM_READ, .width_bytes = 4, .addr = dwt + DWT_CYCCNT, .bytes = behind, .len_bytes = 4 },
		{ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = dwt + DWT_CTRL, .bytes = init, .len_bytes = 4 },
	};
	unsigned n_samples = 0;

	pt_put_le32(init, on);
	pt_put_le32(sampling, on | CTRL_PCSAMPLENA);
	pt_put_le32(itm, s->regs.reg[s->tcr].ours);
	if (pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err) < 0 ||
	    pt_mem_wait(s->mem, pt_mem_now_ns(s->mem) + PROOF_MS * PT_NS_PER_MS, err) < 0 ||
	    pt_mem_run(s->mem, end, PT_LEN(end), BATCH_MS, NULL, err) < 0 || pt_swo_quiet(s, err) < 0 ||
	    read_samples(s, &n_samples, err) < 0)
		return err->code;
	if (n_samples > 0)
		s->pin = PT_SWO_PIN_WORKS;
	else if (pt_le32(behind) - pt_le32(before) >= PROOF_CYCLES)
		s->pin = PT_SWO_PIN_SILENT;
	return 0;
}

/* Nothing came up to the end, for long enough to be noticed. */
static bool is_silent(const struct pt_swo *s)
{
	return !s->held && !s->stream.lost &&
	       (s->stream.n_bytes == 0 || s->stream.until_ns > s->out.told_ns + SILENCE_MS * PT_NS_PER_MS);
}

static int judge_silence(struct pt_swo *s, struct pt_err *err)
{
	if (pt_swo_silence_is_loss(&s->stream.silence, s->stream.expects)) {
		s->pin = PT_SWO_PIN_SILENT;
		return 0;
	}
	return is_silent(s) ? prove_pin(s, err) : 0;
}

int pt_swo_fetch_rest(struct pt_swo *s, struct pt_err *err)
{
	int rc = close_count(s, err);

	for (int i = 0; rc >= 0 && i < STOP_READS; i++) {
		rc = pt_swo_take(&s->stream, 0, i == 0 ? READ_MS : REST_READ_MS, err);
		if (rc == 0 && i > 0)
			break;
	}
	return rc < 0 ? rc : judge_silence(s, err);
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
