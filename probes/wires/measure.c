/* Measures a probe: its advertised clock and packet size say little, and a clone may ignore both. */
#include "probes/wires/jtag_dap.h"
#include "probes/wires/probe.h"
#include "base/util.h"

/* clocks: Arm IHI 0031, SWD protocol */
enum { TRIES = 8, STREAM_WORDS = 2048, TURNS = 64, SWD_WORD_CLOCKS = 46, TIMEOUT_MS = 1000 };

static uint32_t word_clocks(struct pt_probe *probe)
{
	void *wire;

	return pt_probe_dap(probe, &wire) == &pt_jtag_dap_ops ? PT_JTAG_DAP_WORD_CLOCKS : SWD_WORD_CLOCKS;
}

/* Measures one read of n_words DPIDRs. */
static int time_read(struct pt_probe *probe, uint32_t n_words, uint64_t *took_ns, struct pt_err *err)
{
	static const enum pt_dap_do whats[2] = { PT_DAP_READ, PT_DAP_READ_BLOCK };
	uint32_t words[STREAM_WORDS];
	struct pt_dap_op op = { .what = whats[n_words > 1], .a = 0, .words = words, .n_words = n_words };
	uint64_t began_ns = pt_link_now_ns(pt_probe_link(probe));
	const struct pt_dap_ops *dap;
	size_t n_done;
	void *wire;
	int rc;

	dap = pt_probe_dap(probe, &wire);
	if (dap == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe has no wire to measure");
	rc = dap->run(wire, &op, 1, TIMEOUT_MS, &n_done, err);
	*took_ns = pt_link_now_ns(pt_probe_link(probe)) - began_ns;
	return rc;
}

static int best_time(struct pt_probe *probe, uint32_t n_words, uint64_t *best_ns, struct pt_err *err)
{
	uint64_t took_ns;
	int rc = 0;

	*best_ns = UINT64_MAX;
	for (int i = 0; rc == 0 && i < TRIES; i++) {
		rc = time_read(probe, n_words, &took_ns, err);
		if (rc == 0 && took_ns < *best_ns)
			*best_ns = took_ns;
	}
	return rc;
}

/* The times of a packet with many words and one with one differ only by the wire, unless HID reports (1 ms) or the
 * duration of a round trip hide this. */
static int measure_clock(struct pt_probe *probe, struct pt_probe_speed *out, struct pt_err *err)
{
	struct pt_probe_info info;
	uint64_t full_ns;
	uint32_t n_words;
	int rc;

	pt_probe_info(probe, &info);
	n_words = (uint32_t)(info.packet_bytes - 4) / 4;
	n_words = n_words < STREAM_WORDS ? n_words : STREAM_WORDS;
	out->at_least = true;
	out->swclk_hz = out->words_per_s * word_clocks(probe);
	if (info.in_turns)
		return 0;
	rc = best_time(probe, n_words, &full_ns, err);
	if (rc < 0 || info.link.fixed_packets || full_ns <= out->round_trip_ns + out->round_trip_ns / 4)
		return rc;
	out->at_least = false;
	out->swclk_hz = (uint32_t)((n_words - 1) * word_clocks(probe) * PT_NS_PER_S / (full_ns - out->round_trip_ns));
	return 0;
}

/* --- wire jtag, where no debug port is reached through it --------------------------------------------------------- */

enum { STREAM_CLOCKS = 32 * STREAM_WORDS };

/* Clocks in Run-Test/Idle: without effect on TAPs. */
static int time_clocks(struct pt_probe *probe, uint32_t n_clocks, uint64_t *took_ns, struct pt_err *err)
{
	struct pt_jtag_op op = { .what = PT_JTAG_IDLE, .n_bits = n_clocks };
	uint64_t began_ns = pt_link_now_ns(pt_probe_link(probe));
	size_t n_done;
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);
	int rc = jtag->run(wire, &op, 1, TIMEOUT_MS, &n_done, err);

	*took_ns = pt_link_now_ns(pt_probe_link(probe)) - began_ns;
	return rc;
}

static int measure_jtag(struct pt_probe *probe, struct pt_probe_speed *out, struct pt_err *err)
{
	uint64_t took_ns = 0;
	int rc = 0;

	*out = (struct pt_probe_speed){ .round_trip_ns = UINT64_MAX, .at_least = true };
	for (int i = 0; rc == 0 && i < TRIES; i++) {
		rc = time_clocks(probe, 32, &took_ns, err);
		if (rc == 0 && took_ns < out->round_trip_ns)
			out->round_trip_ns = took_ns;
	}
	if (rc == 0)
		rc = time_clocks(probe, STREAM_CLOCKS, &took_ns, err);
	out->words_per_s = (uint32_t)(STREAM_WORDS * PT_NS_PER_S / (took_ns > 0 ? took_ns : 1));
	out->swclk_hz = 32 * out->words_per_s;
	return rc;
}

/* Whether the chain is in use, and not for a debug port. */
static bool on_jtag_alone(struct pt_probe *probe)
{
	void *wire, *jtag_wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);

	if (pt_probe_jtag(probe, &jtag_wire) == NULL)
		return false;
	return dap == NULL || (dap == &pt_jtag_dap_ops && !pt_jtag_dap_connected(wire));
}

int pt_probe_measure(struct pt_probe *probe, struct pt_probe_speed *out, struct pt_err *err)
{
	struct pt_probe_info info;
	uint64_t stream_ns;
	uint32_t n_words;
	void *wire;
	int rc;

	pt_probe_info(probe, &info);
	n_words = info.in_turns ? TURNS : STREAM_WORDS;
	*out = (struct pt_probe_speed){ .in_turns = info.in_turns };
	if (on_jtag_alone(probe))
		return measure_jtag(probe, out, err);
	rc = best_time(probe, 1, &out->round_trip_ns, err);
	if (rc == PT_ESTATE && pt_probe_jtag(probe, &wire) != NULL)	/* its port is on JTAG */
		return measure_jtag(probe, out, err);
	if (rc == 0)
		rc = time_read(probe, n_words, &stream_ns, err);
	if (rc < 0)
		return rc;
	out->words_per_s = (uint32_t)(n_words * PT_NS_PER_S / (stream_ns > 0 ? stream_ns : 1));
	return measure_clock(probe, out, err);
}

/* --- wire bdc ----------------------------------------------------------------------------------------------------- */

enum { LIST_COMMANDS = 64 };

static int time_list(struct pt_probe *probe, struct pt_bdc_op *ops, size_t n, uint64_t *took_ns, struct pt_err *err)
{
	uint64_t began_ns = pt_link_now_ns(pt_probe_link(probe));
	const struct pt_bdc_ops *bdc;
	size_t n_done;
	void *wire;
	int rc;

	bdc = pt_probe_bdc(probe, &wire);
	if (bdc == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe has no wire to measure");
	rc = bdc->run(wire, ops, n, TIMEOUT_MS, &n_done, err);
	*took_ns = pt_link_now_ns(pt_probe_link(probe)) - began_ns;
	return rc;
}

int pt_probe_measure_bdc(struct pt_probe *probe, struct pt_probe_bdc_speed *out, struct pt_err *err)
{
	struct pt_bdc_op sync = { .what = PT_BDC_SYNC }, list[LIST_COMMANDS];
	uint64_t took_ns = 0;
	int rc = time_list(probe, &sync, 1, &took_ns, err);

	*out = (struct pt_probe_bdc_speed){ .round_trip_ns = UINT64_MAX, .bdcsi_hz = sync.value };
	for (size_t i = 0; i < LIST_COMMANDS; i++)
		list[i] = (struct pt_bdc_op){ .what = PT_BDC_READ_BDCCSR };
	for (int i = 0; rc == 0 && i < TRIES; i++) {
		rc = time_list(probe, list, 1, &took_ns, err);
		if (rc == 0 && took_ns < out->round_trip_ns)
			out->round_trip_ns = took_ns;
	}
	if (rc == 0)
		rc = time_list(probe, list, LIST_COMMANDS, &took_ns, err);
	out->commands_per_s = (uint32_t)(LIST_COMMANDS * PT_NS_PER_S / (took_ns > 0 ? took_ns : 1));
	return rc;
}
