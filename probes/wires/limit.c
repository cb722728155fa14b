/* Computes the limits of a USB cable and a debug wire. Source: USB 2.0, 5.7.4, 5.8.4 (bytes of a frame, overhead of a
 * transaction, transactions of a frame); CMSIS-DAP 2.x (bytes around the words of TransferBlock). */
#include "probes/wires/jtag_dap.h"
#include "probes/wires/probe.h"
#include "base/util.h"

enum {
	FULL_MBPS = 12, HIGH_MBPS = 480,
	REQUEST_BYTES = 7,	/* a request for a block */
	ANSWER_HEAD_BYTES = 4,
	SWD_WORD_CLOCKS = 46,
};

/* A kind of bus: the contents and rate of its (micro)frames. */
static const struct bus {
	unsigned mbps, frames_per_s, frame_bytes, bulk_overhead, bulk_bytes;
} buses[] = {
	{ FULL_MBPS, 1000, 1500, 13, 64 },
	{ HIGH_MBPS, 8000, 7500, 55, 512 },
};

static unsigned bulk_bus_bytes(const struct bus *bus, size_t len_bytes)
{
	size_t n = (len_bytes + bus->bulk_bytes - 1) / bus->bulk_bytes;

	return (unsigned)(len_bytes + n * bus->bulk_overhead);
}

/* At most one report per frame in each direction. Bulk uses the rest, which is everything here. */
static uint64_t packets_per_s(const struct bus *bus, const struct pt_link_info *link, size_t packet_bytes)
{
	unsigned pair_bytes = bulk_bus_bytes(bus, REQUEST_BYTES) + bulk_bus_bytes(bus, packet_bytes);

	if (link->fixed_packets)
		return bus->frames_per_s;
	return (uint64_t)bus->frames_per_s * bus->frame_bytes / pair_bytes;
}

static uint32_t link_limit(const struct pt_probe_info *info)
{
	uint64_t words = info->packet_bytes > ANSWER_HEAD_BYTES ? (info->packet_bytes - ANSWER_HEAD_BYTES) / 4 : 0;

	for (size_t i = 0; i < PT_LEN(buses); i++)
		if (buses[i].mbps == info->link.usb_mbps)
			return (uint32_t)(words * packets_per_s(&buses[i], &info->link, info->packet_bytes));
	return 0;
}

void pt_probe_limit(struct pt_probe *probe, struct pt_probe_limit *out)
{
	struct pt_probe_info info;
	const struct pt_dap_ops *dap;
	void *wire;

	pt_probe_info(probe, &info);
	dap = pt_probe_dap(probe, &wire);
	*out = (struct pt_probe_limit){ .link_words_per_s = link_limit(&info) };
	if (dap != NULL)
		out->wire_words_per_s =
			info.speed_hz / (dap == &pt_jtag_dap_ops ? PT_JTAG_DAP_WORD_CLOCKS : SWD_WORD_CLOCKS);
}
