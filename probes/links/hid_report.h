/* How long a HID device's reports are, from its report descriptor. Pure. */
#ifndef PT_PROBES_LINKS_HID_REPORT_H
#define PT_PROBES_LINKS_HID_REPORT_H

#include <stddef.h>
#include <stdint.h>

struct pt_hid_report {
	uint32_t in_bytes, out_bytes;	/* without a report id; 0: the device has none */
	uint32_t usage_page;		/* of the outermost collection */
	int numbered;			/* reports carry an id */
};

/* The descriptor is untrusted: what does not parse ends the walk; sizes that no report has count as 0.
 * Source: USB Device Class Definition for HID 1.11, 6.2.2. */
void pt_hid_report_parse(const uint8_t *descriptor, size_t len_bytes, struct pt_hid_report *out);

#endif
