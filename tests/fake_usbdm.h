/* A USBDM of either framing, over a fake S12Z. Sources: usbdm-firmware V4.12.1.330 (JMxx), usbdm-kinetis V5.8.1. */
#ifndef PT_TESTS_FAKE_USBDM_H
#define PT_TESTS_FAKE_USBDM_H

#include "fake_bdc.h"

struct pt_script;

struct fake_usbdm {
	struct fake_bdc bdc;
	struct pt_script *script;	/* for replies behind "busy" */
	uint8_t version;		/* 4 or 5 */
	bool no_toggle;			/* a version 4 that leaves it 0 */
	uint16_t caps, most_bytes;
	unsigned busy;			/* replies of "busy" before the next real one */
	bool secured;

	bool connected;
	uint8_t target, request[256];
	size_t n_request;		/* of a first part */
	uint8_t last_sequence;
	unsigned n_commands[64], n_parts, n_bad;	/* bad: what the firmware would misread */
};

void fake_usbdm_init(struct fake_usbdm *fake, uint8_t version);
size_t fake_usbdm_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

#endif
