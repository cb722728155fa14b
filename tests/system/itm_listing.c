/* The packets of an ITM's stream, for a comparison with another decoder (tests/system/test_itm_sigrok). itm_listing reads
 * the bytes and prints a line for each packet: its kind, and what it says in numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "trace/itm_packets.h"

static void print_packet(const struct pt_itm_packet *p)
{
	static const char *const names[] = {
		[PT_ITM_SYNC] = "sync", [PT_ITM_OVERFLOW] = "overflow", [PT_ITM_LOCAL_STAMP] = "stamp",
		[PT_ITM_GLOBAL_LOW] = "global-low", [PT_ITM_GLOBAL_HIGH] = "global-high", [PT_ITM_PAGE] = "page",
		[PT_ITM_PORT] = "port", [PT_ITM_HARDWARE] = "hardware", [PT_ITM_BROKEN] = "broken",
		[PT_ITM_FOUND] = "found",
	};

	printf("%s %u %u %u 0x%" PRIx64 "\n", names[p->kind], p->which, p->n_bytes, p->late, p->value);
}

int main(void)
{
	struct pt_itm_packets packets = { .believed = true };
	struct pt_itm_packet packet[PT_ITM_ROOM];
	uint8_t bytes[4096];
	size_t len;

	while ((len = fread(bytes, 1, sizeof(bytes), stdin)) > 0)
		for (size_t at = 0; at < len;) {
			unsigned n;

			at += pt_itm_take(&packets, bytes + at, len - at, packet, &n);
			for (unsigned i = 0; i < n; i++)
				print_packet(&packet[i]);
		}
	return 0;
}
