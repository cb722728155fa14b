/* libFuzzer entry for the framing; without libFuzzer the file is linked with tests/fuzz/replay.c, which feeds it
 * files or random bytes. Checked: no access outside the payload, progress with every call, the NUL behind it. */
#include <stdlib.h>

#include "base/rsp_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	uint8_t payload[64];
	struct pt_rsp rsp;

	pt_rsp_init(&rsp, payload, sizeof(payload));
	for (size_t at = 0; at < in_bytes;) {
		enum pt_rsp_item item;
		size_t taken = pt_rsp_feed(&rsp, in + at, in_bytes - at, &item);

		if (taken == 0 || rsp.len_bytes >= sizeof(payload))
			abort();
		if (item == PT_RSP_PACKET && payload[rsp.len_bytes] != '\0')
			abort();
		at += taken;
	}
	return 0;
}
