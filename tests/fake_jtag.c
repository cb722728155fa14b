#include "fake_jtag.h"

#include <string.h>

#include "probes/wires/jtag_batch.h"

static struct pt_vjtap *const *taps_of(struct pt_vboard *board, size_t *n_taps)
{
	struct fake_jtag *fake = (struct fake_jtag *)board;

	*n_taps = fake->n_taps;
	return fake->taps;
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	(void)board, (void)asserted;
}

static const struct pt_vboard_ops board_ops = {
	.name = "fake chain", .taps = taps_of, .advance = advance, .set_nreset = set_nreset,
};

void fake_jtag_init(struct fake_jtag *fake, struct pt_vjtap *const *taps, size_t n_taps)
{
	*fake = (struct fake_jtag){ .clock.hz = 1000000, .n_taps = n_taps, .cut_bits = 100 };
	memcpy(fake->taps, taps, n_taps * sizeof(*taps));
	pt_vpace_init(&fake->pace, &board_ops, (struct pt_vboard *)fake, false);
	pt_vjtag_init(&fake->jtag, &fake->pace, &fake->clock, NULL);
}

static unsigned clock_once(struct fake_jtag *fake, bool tms, unsigned tdi)
{
	unsigned tdo = pt_vjtag_clock(&fake->jtag, tms, tdi);

	fake->n_clocks++;
	switch (fake->tdo) {
	case FAKE_JTAG_TDO_0:
		return 0;
	case FAKE_JTAG_TDO_1:
		return 1;
	case FAKE_JTAG_TDO_NOISE:
		return fake->n_clocks & 1;
	default:
		return tdo;
	}
}

static int run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	struct fake_jtag *fake = state;
	struct pt_jtag_cursor next = { 0 }, done = { 0 };
	uint8_t tms[64], tdi[64], tdo[64];
	uint32_t cut = fake->cut_bits > 0 && fake->cut_bits < 512 ? fake->cut_bits : 100, n;

	(void)timeout_ms;
	fake->n_lists++;
	if (fake->link != NULL)
		fake->link->now_ns += fake->pass_ns;
	*n_done = 0;
	if (pt_jtag_check(ops, n_ops, err) < 0)
		return PT_EARG;
	if (fake->fail) {
		fake->fail = false;
		pt_vjtag_set_reset(&fake->jtag, true, false);	/* as the driver would before the next list */
		pt_vjtag_set_reset(&fake->jtag, false, false);
		return pt_fail(err, PT_EIO, "the fake wire is gone");
	}
	while (next.op < n_ops) {
		n = pt_jtag_vectors(ops, n_ops, &next, cut, tms, tdi);
		memset(tdo, 0, sizeof(tdo));
		for (uint32_t i = 0; i < n; i++)
			tdo[i / 8] |=
				(uint8_t)(clock_once(fake, tms[i / 8] >> i % 8 & 1, tdi[i / 8] >> i % 8 & 1u) << i % 8);
		pt_jtag_take(ops, n_ops, &done, tdo, n);
		if (n == 0)	/* a delay */
			next = done = (struct pt_jtag_cursor){ .op = next.op + 1 };
	}
	*n_done = n_ops;
	return 0;
}

static int connect_wire(void *state, struct pt_err *err)
{
	struct pt_jtag_op reset = { .what = PT_JTAG_RESET };
	size_t n_done;

	return run(state, &reset, 1, 100, &n_done, err);
}

static int set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	(void)err;
	pt_vclock_set(&((struct fake_jtag *)state)->clock, hz);
	*hz_used = hz;
	return 0;
}

static int set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	(void)err;
	pt_vjtag_set_reset(&((struct fake_jtag *)state)->jtag, trst, srst);
	return 0;
}

const struct pt_jtag_ops fake_jtag_ops = {
	.connect = connect_wire, .run = run, .set_speed = set_speed, .set_reset = set_reset,
};
