/* A device that speaks the protocol of bdc_pipe.h, over a fake S12Z and a capture that is an array of bytes. */
#ifndef PT_TESTS_FAKE_BDC_PIPE_H
#define PT_TESTS_FAKE_BDC_PIPE_H

#include "fake_bdc.h"

struct fake_bdc_pipe {
	struct fake_bdc bdc;
	uint16_t packet_bytes;
	uint8_t packet_count;
	bool no_power;
	uint32_t most_hz;		/* samples a second that it can take */

	/* the capture: bytes of runs, from a clock of its own */
	const uint8_t *runs;
	size_t n_runs, at;
	uint64_t clock_ns;		/* at which the first sample is taken */
	uint32_t lost_at, lost;		/* so many samples are lost before byte lost_at */
	bool capturing, stopped;

	uint8_t pins;			/* as driven */
	bool failed;			/* the request before this one did not end well */
	unsigned n_skipped;
};

void fake_bdc_pipe_init(struct fake_bdc_pipe *fake, uint16_t packet_bytes, uint8_t packet_count);
/* For struct pt_script: arg is a struct fake_bdc_pipe. */
size_t fake_bdc_pipe_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

#endif
