/* CMSIS-DAP commands that move pins one by one: with them a host may bit-bang what the transfer commands cannot say
 * (line reset, switching sequences, dormant state, multi-drop selection). */
#include "probes/virtual/probe/dap_engine.h"
#include "base/util.h"

enum {	/* Source: CMSIS-DAP 2.x reference, Commands */
	PIN_SWCLK = 1 << 0, PIN_SWDIO = 1 << 1, PIN_TDI = 1 << 2, PIN_TDO = 1 << 3, PIN_NTRST = 1 << 5,
	PIN_NRESET = 1 << 7,
};
enum { MAX_PIN_WAIT_US = 3000000 };
enum { SEQUENCE_INPUT = 1 << 7, SEQUENCE_BITS = 0x3f };

static uint8_t pins_read(struct pt_vdap *dap)
{
	bool in_reset = dap->swd.host_reset || dap->swd.fault_reset;

	uint8_t jtag = (uint8_t)((dap->pins & PIN_TDI) | (pt_vjtag_tdo(&dap->jtag) != 0 ? PIN_TDO : 0) |
				 (dap->jtag.trst ? 0 : PIN_NTRST));

	return (uint8_t)((dap->pins & (PIN_SWCLK | PIN_SWDIO)) | (in_reset ? 0 : PIN_NRESET) |
			 (dap->connected_jtag ? jtag : 0));
}

/* A rising edge on SWCLK is a clock. */
static void drive_pins(struct pt_vdap *dap, uint8_t output, uint8_t select)
{
	uint8_t before = dap->pins;

	dap->pins = (uint8_t)((before & ~select) | (output & select));
	if ((dap->pins & ~before & PIN_SWCLK) != 0 && dap->connected_jtag)
		pt_vjtag_clock(&dap->jtag, (dap->pins & PIN_SWDIO) != 0, (dap->pins & PIN_TDI) != 0);
	else if ((dap->pins & ~before & PIN_SWCLK) != 0)
		pt_vswd_clock(&dap->swd, true, (dap->pins & PIN_SWDIO) != 0);
	if ((select & PIN_NTRST) != 0 && dap->connected_jtag)
		pt_vjtag_set_reset(&dap->jtag, (output & PIN_NTRST) == 0, false);
	if ((select & PIN_NRESET) != 0)
		pt_vswd_set_nreset(&dap->swd, (output & PIN_NRESET) == 0);
}

/* Waits only as long as the selected pins differ from what was asked for, as an absent one always does. */
void dap_swj_pins(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint8_t output = dap_get8(in), select = dap_get8(in);
	uint64_t wait_us = dap_get32(in);

	if (in->cut)
		return;
	drive_pins(dap, output, select);
	if (wait_us > MAX_PIN_WAIT_US)
		wait_us = MAX_PIN_WAIT_US;
	if (((pins_read(dap) ^ output) & select) != 0)
		pt_vswd_idle_until(&dap->swd, pt_vswd_now_ns(&dap->swd) + wait_us * 1000);
	dap_put8(out, pins_read(dap));
}

void dap_swj_clock(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint32_t hz = dap_get32(in), fastest = dap->config.max_swclk_hz;

	if (hz != 0)
		pt_vswd_set_clock(&dap->swd, hz < fastest ? hz : fastest);
	dap_put8(out, hz != 0 ? DAP_OK : DAP_ERROR);
}

static void send(struct pt_vdap *dap, struct dap_in *in, unsigned n_bits)
{
	unsigned byte = 0;

	if ((n_bits + 7) / 8 > in->left_bytes) {
		in->cut = true;
		return;
	}
	for (unsigned i = 0; i < n_bits; i++) {
		byte = i % 8 == 0 ? dap_get8(in) : byte >> 1;
		if (dap->connected_jtag)
			pt_vjtag_clock(&dap->jtag, (byte & 1) != 0, 1);
		else
			pt_vswd_clock(&dap->swd, true, byte & 1);
	}
}

static void capture(struct pt_vdap *dap, struct dap_out *out, unsigned n_bits)
{
	unsigned byte = 0;

	for (unsigned i = 0; i < n_bits; i++) {
		byte |= pt_vswd_clock(&dap->swd, false, 0) << i % 8;
		if (i % 8 == 7 || i + 1 == n_bits) {
			dap_put8(out, (uint8_t)byte);
			byte = 0;
		}
	}
}

void dap_swj_sequence(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned n_bits = dap_get8(in);

	send(dap, in, n_bits == 0 ? 256 : n_bits);
	dap_put8(out, DAP_OK);
}

void dap_swd_configure(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint8_t value = dap_get8(in);

	dap->swd.turnaround = (value & 3) + 1;
	dap->swd.data_phase = (value & 4) != 0;
	dap_put8(out, DAP_OK);
}

void dap_swd_sequence(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned n_sequences = dap_get8(in);

	dap_put8(out, DAP_OK);
	for (unsigned i = 0; i < n_sequences && !in->cut && !out->full; i++) {
		uint8_t info = dap_get8(in);
		unsigned n_bits = (info & SEQUENCE_BITS) != 0 ? info & SEQUENCE_BITS : 64;

		if ((info & SEQUENCE_INPUT) != 0)
			capture(dap, out, n_bits);
		else
			send(dap, in, n_bits);
	}
}
