/* How busy the drivers of wire jtag keep TCK: a profiling buffer of 4 KiB behind a BSCANE2, read as 1024 registers of
 * 36 bits, each with the scan of 8 bits that names it (as is assumed: no document says), against the clocks that
 * these scans need. The walk around a scan is counted twice: through Run-Test/Idle after each (5 clocks), and
 * straight on to the next (4). What one bit alone takes is the way there and back, which each list costs once.
 * Everything is on the virtual probe's clock, so the figures are exact and the same on every machine; bench_xvc has
 * them over a real network. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/registry.h"
#include "targets/microblaze/mdm.h"
#include "targets/registry.h"
#include "base/util.h"

enum { ENTRIES = 1024, DATA_BITS = 36, COMMAND_BITS = 8, SCANS = 2 * ENTRIES };

static void die(const char *what, const struct pt_err *err)
{
	fprintf(stderr, "bench_jtag: %s: %s\n", what, err->msg);
	exit(1);
}

static uint64_t run_ns(struct pt_probe *probe, struct pt_jtag_op *list, size_t n_list)
{
	uint64_t began_ns = pt_link_now_ns(pt_probe_link(probe));
	struct pt_err err = { 0 };
	size_t n_done;
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	if (jtag->run(wire, list, n_list, 1000, &n_done, &err) < 0)
		die("read", &err);
	return pt_link_now_ns(pt_probe_link(probe)) - began_ns;
}

static uint64_t read_ns(struct pt_probe *probe, uint32_t hz, uint32_t *tck_hz, uint64_t *alone_ns)
{
	struct pt_jtag_op one_bit = { .what = PT_JTAG_IDLE, .n_bits = 1 };
	static struct pt_jtag_op ops[SCANS];
	static uint8_t in[ENTRIES][5];
	static const uint8_t command = 0x76;
	struct pt_err err = { 0 };
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	if (jtag->connect(wire, &err) < 0 || jtag->set_speed(wire, hz, tck_hz, &err) < 0)
		die("connect", &err);
	for (size_t i = 0; i < ENTRIES; i++) {
		ops[2 * i] = (struct pt_jtag_op){
			.what = PT_JTAG_DR, .n_bits = COMMAND_BITS, .out = &command, .end = PT_JTAG_TO_NEXT,
		};
		ops[2 * i + 1] = (struct pt_jtag_op){
			.what = PT_JTAG_DR, .n_bits = DATA_BITS, .in = in[i], .end = PT_JTAG_TO_NEXT,
		};
	}
	*alone_ns = run_ns(probe, &one_bit, 1);
	return run_ns(probe, ops, SCANS);
}

static double ratio(uint64_t took_ns, uint64_t clocks, uint32_t hz)
{
	return (double)took_ns / ((double)clocks * 1e9 / hz);
}

static void bench(const char *probe_kind, uint32_t hz)
{
	uint64_t bits = ENTRIES * (DATA_BITS + COMMAND_BITS), took_ns, alone_ns;
	struct pt_err err = { 0 };
	struct pt_link_traffic traffic;
	struct pt_probe *probe;
	uint32_t tck_hz;
	char uri[96];

	snprintf(uri, sizeof(uri), "virtual:kl27?clock=virtual&swclk=%u&probe=%s", hz, probe_kind);
	probe = pt_probe_open(uri, NULL, &err);
	if (probe == NULL)
		die(uri, &err);
	took_ns = read_ns(probe, hz, &tck_hz, &alone_ns);
	pt_link_traffic(pt_probe_link(probe), &traffic);
	printf("%-22s TCK %5.2f MHz: 4 KiB in %7.3f ms, %4" PRIu64 " packets; ratio %.3f to %" PRIu64
	       " clocks by way of Run-Test/Idle, %.3f to %" PRIu64 " straight on; a bit alone takes %.3f of it\n",
	       probe_kind, tck_hz / 1e6, (double)took_ns / 1e6, traffic.packets,
	       ratio(took_ns, bits + 5 * SCANS, tck_hz), bits + 5 * SCANS, ratio(took_ns, bits + 4 * SCANS, tck_hz),
	       bits + 4 * SCANS, ratio(alone_ns, bits + 4 * SCANS, tck_hz));
	pt_probe_close(probe);
}

/* The same through the target's own code, on the board that has an MDM. */
static void bench_mdm(const char *probe_kind, uint32_t hz)
{
	static uint64_t values[ENTRIES];
	const struct pt_target_ops *ops = &pt_microblaze_ops;
	struct pt_mdm_op op[] = {	/* as the source does it */
		{ .what = PT_MDM_WRITE, .command = PBAR, .bits = 10 },
		{ .what = PT_MDM_READ, .command = PDRR, .bits = PDRR_BITS, .n = ENTRIES, .values = values },
	};
	uint64_t clocks = ENTRIES * (DATA_BITS + COMMAND_BITS) + 5 * SCANS, began_ns;
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	struct pt_mdm mdm = { 0 };
	struct pt_probe *probe;
	uint32_t tck_hz = hz;
	size_t n_done = 0;
	char uri[96];

	snprintf(uri, sizeof(uri), "virtual:microblaze?clock=virtual&swclk=%u&probe=%s", hz, probe_kind);
	probe = pt_probe_open(uri, NULL, &err);
	if (probe == NULL || pt_params_add(settings, ops->params, ops->n_params, "mdm.jtag.experimental=on", &err) < 0)
		die(uri, &err);
	mdm.link = pt_probe_link(probe);
	mdm.jtag_ops = pt_probe_jtag(probe, &mdm.jtag_wire);
	if (pt_mdm_open(&mdm, settings, &err) < 0 || pt_mdm_needs_way(&mdm, &err) < 0 ||
	    mdm.jtag_ops->set_speed(mdm.jtag_wire, hz, &tck_hz, &err) < 0 || pt_mdm_select(&mdm, 0, &err) < 0)
		die("open the MDM", &err);
	began_ns = pt_link_now_ns(mdm.link);
	if (pt_mdm_run(&mdm, op, PT_LEN(op), &n_done, &err) < 0)
		die("read the buffer", &err);
	printf("%-22s TCK %5.2f MHz: 4 KiB of the MDM, ratio %.3f to %" PRIu64 " clocks by way of Run-Test/Idle\n",
	       probe_kind, tck_hz / 1e6, ratio(pt_link_now_ns(mdm.link) - began_ns, clocks, tck_hz), clocks);
	pt_mdm_close(&mdm);
	pt_probe_close(probe);
	pt_params_free(settings);
}

int main(void)
{
	static const char *const kinds[] = {
		"xvc", "cmsis-dap", "cmsis-dap&link=bulk-fs", "cmsis-dap&link=hid-fs", "bitbang",
	};
	static const uint32_t speeds[] = { 1000000, 10000000, 30000000 };

	for (size_t k = 0; k < PT_LEN(kinds); k++)
		for (size_t s = 0; s < PT_LEN(speeds); s++)
			bench(kinds[k], speeds[s]);
	for (size_t s = 0; s < PT_LEN(speeds); s++)
		bench_mdm("xvc", speeds[s]);
	return 0;
}
