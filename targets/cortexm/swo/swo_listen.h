/* Find the clock of the pin SWO with nothing but a receiver of bytes. While samples of the pc are taken far faster than the
 * pin carries them, byte follows byte without a pause: what arrives in a time that is long enough is the pin's rate, to
 * a part in a thousand, whatever the receiver's own rate is as long as it reads them. And at which rates it reads them,
 * a sweep shows. Board thread. */
#ifndef PT_CORTEXM_SWO_LISTEN_H
#define PT_CORTEXM_SWO_LISTEN_H

#include "targets/cortexm/swo/swo.h"

struct pt_swo_heard {
	uint32_t actual_bps;		/* of the receiver */
	uint64_t bytes, good_bytes;	/* good: in packets that samples, overflows and syncs make */
	uint64_t bad_frames;
	uint64_t silent_reads, reads;
	bool lost;			/* the probe dropped some */
	bool framed;			/* what a TPIU sends in its frames */
	double bits_per_s, wrong;	/* by what arrived, where it came without a pause; the part that it may be off; 0: no */
};

/* The port divides by divider; listen at bits_per_s for so long. PT_EARG: the probe has no such rate. */
int pt_swo_listen(struct pt_swo *s, uint32_t divider, double bits_per_s, uint64_t for_ns, struct pt_swo_heard *heard,
		  struct pt_err *err);
bool pt_swo_is_heard(const struct pt_swo_heard *heard);	/* it is trace, at that rate */

struct pt_swo_pin {
	bool found;
	double clock_hz, wrong;		/* what the port divides; the part that it may be off */
	bool any_bytes, framed;
	unsigned tries;
};
/* likely: clocks to try first. */
int pt_swo_find_pin(struct pt_swo *s, const double *likely_hz, size_t n_likely, struct pt_swo_pin *pin,
		    struct pt_err *err);

#endif
