/* libFuzzer entry for HID report descriptors; see replay.c. Checked: no access outside, no size that no report has. */
#include <stdlib.h>

#include "probes/links/hid_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	struct pt_hid_report report;

	pt_hid_report_parse(in, in_bytes, &report);
	if (report.in_bytes > 4096 || report.out_bytes > 4096)
		abort();
	return 0;
}
