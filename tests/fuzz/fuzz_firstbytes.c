/* libFuzzer entry for the first bytes of a connection; without libFuzzer the file is linked with tests/fuzz/replay.c.
 * Checked: a verdict stays whatever comes behind it, there is one at the bound, and what a peer is called is visible
 * text with an end. */
#include <stdlib.h>
#include <string.h>

#include "base/first_bytes.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static void check(pt_first_fn *door, const uint8_t *in, size_t in_bytes)
{
	enum pt_first last = PT_FIRST_MORE;
	char text[PT_FIRST_TEXT_BYTES];

	for (size_t n = 0; n <= in_bytes; n++) {
		enum pt_first now = pt_first_check(door, in, n);

		if ((last != PT_FIRST_MORE && now != last) || (n >= PT_FIRST_MOST_BYTES && now == PT_FIRST_MORE))
			abort();
		last = now;
	}
	if (last == PT_FIRST_YES && door == pt_first_rsp)
		pt_first_rsp_alone(in, in_bytes);
	memset(text, 0x1f, sizeof(text));
	pt_first_describe(door, in, in_bytes, true, text);
	for (size_t i = 0; i < strnlen(text, sizeof(text)); i++)
		if (text[i] < ' ' || text[i] > '~')
			abort();
	if (memchr(text, '\0', sizeof(text)) == NULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static pt_first_fn *const doors[] = { pt_first_rsp, pt_first_cmsis_dap, pt_first_xvc };

	in_bytes = in_bytes < PT_FIRST_MOST_BYTES + 8 ? in_bytes : PT_FIRST_MOST_BYTES + 8;
	for (size_t i = 0; i < PT_LEN(doors); i++)
		check(doors[i], in, in_bytes);
	return 0;
}
