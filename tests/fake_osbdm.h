/* An OSBDM with its S12Z personality, over a fake S12Z. Source: OSBDM-JM60 firmware, bdm_9s12z.c. */
#ifndef PT_TESTS_FAKE_OSBDM_H
#define PT_TESTS_FAKE_OSBDM_H

#include "fake_bdc.h"

struct fake_osbdm {
	struct fake_bdc bdc;
	uint8_t target_type;		/* 9: S12Z */
	bool gaps;			/* the output of a script has a byte for what was sent, too */
	uint32_t ticks;			/* of SYNC; 0: none */
	unsigned n_commands[256], n_bad;	/* bad: what the firmware would misread */
};

void fake_osbdm_init(struct fake_osbdm *fake);
size_t fake_osbdm_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

#endif
