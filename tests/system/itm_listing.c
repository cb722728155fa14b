/* The packets of an ITM's stream, for comparisons with other decoders (tests/system/itm_streams.py). itm_listing reads
 * the bytes and prints a line for each packet: its kind, and what it says in numbers. itm_listing STREAM [aligned] reads
 * frames of a trace port, and prints the packets of the stream with that number; aligned: the first byte begins a frame. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/tpiu_frames.h"
#include "trace/itm_packets.h"

static struct pt_itm_packets packets = { .believed = true };

static void print_packet(const struct pt_itm_packet *p)
{
	static const char *const names[] = {
		[PT_ITM_SYNC] = "sync", [PT_ITM_OVERFLOW] = "overflow", [PT_ITM_LOCAL_STAMP] = "stamp",
		[PT_ITM_GLOBAL_LOW] = "global-low", [PT_ITM_GLOBAL_HIGH] = "global-high", [PT_ITM_PAGE] = "page",
		[PT_ITM_PORT] = "port", [PT_ITM_HARDWARE] = "hardware", [PT_ITM_BROKEN] = "broken",
		[PT_ITM_FOUND] = "found",
	};

	printf("%s %u %u %u 0x%" PRIx64 " %" PRIu64 "\n", names[p->kind], p->which, p->n_bytes, p->late, p->value,
	       p->total_bytes);
}

static void take_bytes(const uint8_t *bytes, size_t len)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];
	unsigned n;

	for (size_t at = 0; at < len;) {
		at += pt_itm_take(&packets, bytes + at, len - at, packet, &n);
		for (unsigned i = 0; i < n; i++)
			print_packet(&packet[i]);
	}
}

static void take_frames(struct pt_tpiu *frames, unsigned stream, const uint8_t *bytes, size_t len)
{
	struct pt_tpiu_byte out[PT_TPIU_MOST];

	for (size_t at = 0; at < len; at++)
		for (unsigned i = 0, n = pt_tpiu_take(frames, bytes[at], out); i < n; i++)
			if (out[i].stream == stream)
				take_bytes(&out[i].byte, 1);
}

int main(int argc, char **argv)
{
	struct pt_tpiu frames;
	uint8_t bytes[4096];
	size_t len;

	pt_tpiu_init(&frames, argc > 2);
	while ((len = fread(bytes, 1, sizeof(bytes), stdin)) > 0)
		if (argc > 1)
			take_frames(&frames, (unsigned)strtoul(argv[1], NULL, 0), bytes, len);
		else
			take_bytes(bytes, len);
	return 0;
}
