/* What drivers of the wire pins promise: the calls that the contract makes with every fault. The device gives the
 * levels below, and its capture ends when it is stopped. */
#include "harness.h"
#include "probe_contract.h"

/* The first wanted line in bit 24. As the runs of probe_contract_devices.c are meant. */
static const struct { unsigned pdoclk, pdo; uint32_t samples; } levels[] = {
	{ 1, 0, 5 }, { 0, 1, 1 }, { 1, 1, 3 }, { 0, 0, 16 }, { 1, 0, 1 }, { 0, 1, 4 },
};

static int compare(const pt_pins_run *runs, int n, struct pt_err *err)
{
	if (n != (int)PT_LEN(levels))
		return pt_fail(err, PT_EARG, "%d runs", n);
	for (int i = 0; i < n; i++)
		if (runs[i] != ((levels[i].pdoclk | levels[i].pdo << 1) << PT_PINS_LEVELS | levels[i].samples))
			return pt_fail(err, PT_EARG, "run %d is 0x%08x", i, runs[i]);
	return 0;
}

static int start(struct pt_probe *probe, struct pt_err *err)
{
	struct pt_pins_want want = { .line = { "pdoclk", "pdo" }, .n_lines = 2, .least_hz = 2000000 };
	void *wire;
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &wire);
	uint32_t hz = 0;
	int rc = pins->start(wire, &want, &hz, err);

	return rc < 0 ? rc : hz >= want.least_hz ? 0 : pt_fail(err, PT_EARG, "%u Hz", hz);
}

/* Everything up to the end, which stop() makes. */
static int read_all(struct pt_probe *probe, struct pt_err *err)
{
	void *wire;
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &wire);
	struct pt_pins_read what = { 0 };
	pt_pins_run runs[32];
	int n = 0, rc = 0;
	bool stopped = false;

	for (int tries = 0; rc >= 0 && !what.ended && tries < 20; tries++) {
		rc = pins->read(wire, runs + n, PT_LEN(runs) - (size_t)n, 5, &what, err);
		if (rc > 0)
			n += rc;
		if (rc >= 0 && !stopped) {
			rc = pins->stop(wire, err);
			stopped = true;
		}
	}
	if (rc >= 0)
		rc = pt_link_wait(pt_probe_link(probe), 0, err);	/* an interrupt that was kept meanwhile */
	return rc < 0 ? rc : compare(runs, n, err);
}

static int run_capture(struct pt_probe *probe, struct pt_err *err)
{
	int rc = start(probe, err);

	return rc < 0 ? rc : read_all(probe, err);
}

static void stop(struct pt_probe *probe)
{
	void *wire;
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &wire);

	pins->stop(wire, NULL);
}

/* What a failure left is stopped first. */
static int run_anew(struct pt_probe *probe, struct pt_err *err)
{
	stop(probe);
	return run_capture(probe, err);
}

static int nothing(struct pt_probe *probe, struct pt_err *err)
{
	(void)probe;
	(void)err;
	return 0;
}

static const struct contract_call calls[] = { { "capture", run_anew } };

const struct contract_wire contract_pins = {
	.calls = calls, .n_calls = PT_LEN(calls), .bring_up = nothing, .list = run_anew, .clear = stop,
};
