/* A wire jtag that clocks a chain of TAP models (probes/virtual/wire) directly, without a probe or a link. */
#ifndef PT_TESTS_FAKE_JTAG_H
#define PT_TESTS_FAKE_JTAG_H

#include "probes/virtual/wire/jtag_pins.h"
#include "probes/wires/jtag.h"
#include "scripted_link.h"

enum fake_jtag_tdo { FAKE_JTAG_FINE, FAKE_JTAG_TDO_0, FAKE_JTAG_TDO_1, FAKE_JTAG_TDO_NOISE };

struct fake_jtag {
	struct pt_vjtag jtag;
	struct pt_vclock clock;
	struct pt_vpace pace;
	struct pt_vjtap *taps[PT_VJTAG_MAX_TAPS];
	size_t n_taps;
	enum fake_jtag_tdo tdo;
	uint32_t cut_bits;		/* the list runs in packets of at most so many clocks; 0: 100 */
	unsigned n_lists, n_clocks;	/* so far */
	struct pt_script *link;		/* whose clock each list moves on by pass_ns; NULL: none */
	uint64_t pass_ns;
	bool fail;			/* the next list fails with PT_EIO */
};

/* taps[0] is nearest to TDO; they stay the caller's. */
void fake_jtag_init(struct fake_jtag *fake, struct pt_vjtap *const *taps, size_t n_taps);
extern const struct pt_jtag_ops fake_jtag_ops;	/* their state is a struct fake_jtag */

#endif
