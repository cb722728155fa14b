/* CMSIS-DAP commands for JTAG. Source: CMSIS-DAP 2.x reference, Commands; the walk of JTAG_IDCODE as the reference
 * firmware makes it. */
#include "probes/virtual/probe/dap_engine.h"
#include "base/util.h"

enum { SEQUENCE_CYCLES = 0x3f, SEQUENCE_TMS = 1 << 6, SEQUENCE_CAPTURE = 1 << 7 };
enum { IR_IDCODE = 0xe };	/* what the firmware knows: that of a JTAG-DP */

static void one_sequence(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint8_t info = dap_get8(in), tdi = 0, tdo = 0;
	unsigned n = (info & SEQUENCE_CYCLES) != 0 ? info & SEQUENCE_CYCLES : 64;

	if ((n + 7) / 8 > in->left_bytes) {
		in->cut = true;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		tdi = i % 8 == 0 ? dap_get8(in) : (uint8_t)(tdi >> 1);
		tdo |= (uint8_t)(pt_vjtag_clock(&dap->jtag, (info & SEQUENCE_TMS) != 0, tdi & 1) << i % 8);
		if ((i % 8 == 7 || i + 1 == n) && (info & SEQUENCE_CAPTURE) != 0)
			dap_put8(out, tdo);
		tdo = i % 8 == 7 ? 0 : tdo;
	}
}

void dap_jtag_sequence(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned count = dap_get8(in);

	dap_put8(out, dap->connected_jtag ? DAP_OK : DAP_ERROR);
	if (!dap->connected_jtag)
		in->left_bytes = 0;
	for (unsigned i = 0; dap->connected_jtag && i < count && !in->cut && !out->full; i++)
		one_sequence(dap, in, out);
}

void dap_jtag_configure(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned count = dap_get8(in);

	dap->n_devices = 0;
	for (unsigned i = 0; i < count && !in->cut; i++) {
		uint8_t bits = dap_get8(in);

		if (i < PT_LEN(dap->ir_bits))
			dap->ir_bits[dap->n_devices++] = bits;
	}
	dap_put8(out, count <= PT_LEN(dap->ir_bits) ? DAP_OK : DAP_ERROR);
}

/* TMS levels, the first on the left. */
static void walk(struct pt_vdap *dap, const char *tms)
{
	for (; *tms != 0; tms++)
		pt_vjtag_clock(&dap->jtag, *tms == '1', 1);
}

static uint32_t shift(struct pt_vdap *dap, uint32_t out, unsigned n, bool last)
{
	uint32_t in = 0;

	for (unsigned i = 0; i < n; i++)
		in |= (uint32_t)pt_vjtag_clock(&dap->jtag, last && i + 1 == n, out >> i & 1) << i;
	return in;
}

/* All but the device in BYPASS; its IDCODE behind a bit of each that is nearer to TDO. */
void dap_jtag_idcode(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned index = dap_get8(in);
	uint32_t idcode;

	if (!dap->connected_jtag || index >= dap->n_devices) {
		dap_put8(out, DAP_ERROR);
		return;
	}
	walk(dap, "01100");
	for (unsigned i = 0; i < dap->n_devices; i++)
		shift(dap, i == index ? IR_IDCODE : UINT32_MAX, dap->ir_bits[i], i + 1 == dap->n_devices);
	walk(dap, "10100");
	shift(dap, UINT32_MAX, index, false);
	idcode = shift(dap, UINT32_MAX, 32, true);
	walk(dap, "10");
	dap_put8(out, DAP_OK);
	dap_put32(out, idcode);
}
