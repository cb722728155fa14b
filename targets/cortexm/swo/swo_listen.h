/* Finds the clock of the pin SWO with nothing but a receiver of bytes. While pc samples are taken far faster than the
 * pin carries them, its bytes have no pauses: their number in a sufficient time is the pin's rate, to a part in a
 * thousand, whatever the receiver's own rate, if it can read them. A sweep shows at which rates it can. A clock that
 * stops while the core sleeps cuts bytes: then the readable packets show the rate, and the number of bytes does not.
 * Board thread. */
#ifndef PT_CORTEXM_SWO_LISTEN_H
#define PT_CORTEXM_SWO_LISTEN_H

#include "targets/cortexm/swo/swo.h"

struct pt_swo_heard {
	uint32_t actual_bps;		/* of the receiver */
	uint64_t bytes, good_bytes;	/* good: in packets of samples, overflows and synchronisation */
	uint64_t chained_bytes;		/* of samples that are followed by a packet's header */
	uint64_t samples, asleep;	/* in good packets; asleep: those taken while the core slept */
	uint64_t bad_frames;
	bool lost;			/* the probe dropped some */
	bool framed;			/* the bytes are in frames of a TPIU */
	double bits_per_s, wrong;	/* from the number of bytes, if without a pause; relative error; 0: unknown */
};

/* The port divides by divider; listens at bits_per_s for this time, and until the relative error is below wrong.
 * PT_EARG: the probe has no such rate; PT_EBUSY: another tool writes the registers meanwhile. */
int pt_swo_listen(struct pt_swo *s, uint32_t divider, double bits_per_s, uint64_t for_ns, double wrong,
		  struct pt_swo_heard *heard, struct pt_err *err);
/* The same, with a receiver that was already started: pt_swo_try_rate(). */
int pt_swo_hear(struct pt_swo *s, uint64_t for_ns, double wrong, struct pt_swo_heard *heard, struct pt_err *err);
bool pt_swo_is_heard(const struct pt_swo_heard *heard);	/* this is trace, at this rate */
bool pt_swo_is_in_pieces(const struct pt_swo_heard *heard);	/* it is trace, with interruptions */

struct pt_swo_pin {
	bool found, in_pieces, by_port;	/* by_port: the clock was measured by words to a stimulus port */
	double clock_hz, wrong;		/* the clock that the port divides; its relative error */
	double read_part;		/* the part of the bytes, at the rate found, that is in chains of samples */
	bool any_bytes, framed, lost;
	unsigned tries;
};
/* likely: clocks to try first. s->sleep: how the core slept meanwhile; the samples show whether CYCCNT stands in
 * sleep. */
int pt_swo_find_pin(struct pt_swo *s, const double *likely_hz, size_t n_likely, struct pt_swo_pin *pin,
		    struct pt_err *err);

#endif
