/* Find the clock of the pin SWO with nothing but a receiver of bytes. While samples of the pc are taken far faster than the
 * pin carries them, byte follows byte without a pause: what arrives in a time that is long enough is the pin's rate, to
 * a part in a thousand, whatever the receiver's own rate is as long as it reads them. And at which rates it reads them,
 * a sweep shows. A clock that stops while the core sleeps cuts bytes: then what is left of the packets shows the rate, and
 * no number of bytes does. Board thread. */
#ifndef PT_CORTEXM_SWO_LISTEN_H
#define PT_CORTEXM_SWO_LISTEN_H

#include "targets/cortexm/swo/swo.h"

struct pt_swo_heard {
	uint32_t actual_bps;		/* of the receiver */
	uint64_t bytes, good_bytes;	/* good: in packets that samples, overflows and syncs make */
	uint64_t chained_bytes;		/* of samples with another packet's header behind them, whatever came before */
	uint64_t samples, asleep;	/* in good packets; asleep: of these, taken while the core slept */
	uint64_t bad_frames;
	bool lost;			/* the probe dropped some */
	bool framed;			/* what a TPIU sends in its frames */
	double bits_per_s, wrong;	/* by what arrived, where it came without a pause; the part that it may be off; 0: no */
};

/* The port divides by divider; listen at bits_per_s for so long, and until it is known as well as wrong. PT_EARG: the probe has
 * no such rate; PT_EBUSY: another tool writes the registers meanwhile. */
int pt_swo_listen(struct pt_swo *s, uint32_t divider, double bits_per_s, uint64_t for_ns, double wrong,
		  struct pt_swo_heard *heard, struct pt_err *err);
/* The same, where the receiver has been started at its rate already: pt_swo_try_rate(). */
int pt_swo_hear(struct pt_swo *s, uint64_t for_ns, double wrong, struct pt_swo_heard *heard, struct pt_err *err);
bool pt_swo_is_heard(const struct pt_swo_heard *heard);	/* it is trace, at that rate */
bool pt_swo_is_in_pieces(const struct pt_swo_heard *heard);	/* it is, cut now and then */

struct pt_swo_pin {
	bool found, in_pieces, by_port;	/* by_port: the clock was measured by words to a stimulus port */
	double clock_hz, wrong;		/* what the port divides; the part that it may be off */
	double read_part;		/* of the bytes that came, where it was found: those in chains of samples */
	bool any_bytes, framed, lost;
	unsigned tries;
};
/* likely: clocks to try first. s->sleep: what the core does meanwhile; samples show then whether CYCCNT stands in sleep. */
int pt_swo_find_pin(struct pt_swo *s, const double *likely_hz, size_t n_likely, struct pt_swo_pin *pin,
		    struct pt_err *err);

#endif
