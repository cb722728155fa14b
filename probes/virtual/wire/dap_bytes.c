#include "probes/virtual/wire/dap_bytes.h"

uint8_t dap_get8(struct dap_in *in)
{
	if (in->left_bytes == 0) {
		in->cut = true;
		return 0;
	}
	in->left_bytes--;
	return *in->at++;
}

uint16_t dap_get16(struct dap_in *in)
{
	uint16_t low = dap_get8(in);

	return (uint16_t)(low | dap_get8(in) << 8);
}

uint32_t dap_get32(struct dap_in *in)
{
	uint32_t low = dap_get16(in);

	return low | (uint32_t)dap_get16(in) << 16;
}

void dap_put8(struct dap_out *out, uint8_t value)
{
	if (out->len_bytes < out->room_bytes)
		out->bytes[out->len_bytes++] = value;
	else
		out->full = true;
}

void dap_put16(struct dap_out *out, uint16_t value)
{
	dap_put8(out, (uint8_t)value);
	dap_put8(out, (uint8_t)(value >> 8));
}

void dap_put32(struct dap_out *out, uint32_t value)
{
	dap_put16(out, (uint16_t)value);
	dap_put16(out, (uint16_t)(value >> 16));
}
