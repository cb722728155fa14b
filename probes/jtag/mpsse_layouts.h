/* What is connected to the pins of an FTDI chip, by adapter: it cannot be asked, and is different on each. Pure. */
#ifndef PT_PROBES_MPSSE_LAYOUTS_H
#define PT_PROBES_MPSSE_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* A line that pins drive, directly or through a buffer. Masks: ADBUS in the low byte, ACBUS in the high one; 0: there is
 * none. */
struct pt_mpsse_signal {
	uint16_t data;		/* its level */
	uint16_t oe;		/* the buffer that drives it; alone: the buffer drives it low */
	bool ndata, noe;	/* inverted */
};

enum pt_mpsse_swd {
	PT_MPSSE_SWD_DIRECT,	/* SWDIO is ADBUS1 and ADBUS2; ADBUS1 is let go while the target drives */
	PT_MPSSE_SWD_BUFFERED,	/* a buffer is turned around by swdio_oe */
	PT_MPSSE_NO_SWD,
};

struct pt_mpsse_layout {
	const char *name;
	const char *product;		/* part of the product's string that says it is this one; NULL: no string does */
	uint16_t pid;			/* and its number, where several adapters have that string; 0: any */
	char channel;			/* 'A', 'B' */
	uint16_t value, direction;	/* at first; direction: 1 is an output */
	struct pt_mpsse_signal nsrst, ntrst;
	enum pt_mpsse_swd swd;
	struct pt_mpsse_signal swd_en, swdio_oe;
};

/* The layout of that name, or "VALUE:DIRECTION" for one without a name. PT_EARG lists them. */
int pt_mpsse_layout_named(const char *name, struct pt_mpsse_layout *out, struct pt_err *err);
/* The layout of a product; of one that is not known all pins but TCK, TDI and TMS are inputs. */
void pt_mpsse_layout_of(const char *product, uint16_t pid, struct pt_mpsse_layout *out);
/* "data:MASK,oe:MASK", also ndata and noe. */
int pt_mpsse_signal_parse(const char *text, struct pt_mpsse_signal *out, struct pt_err *err);

enum pt_mpsse_level { PT_MPSSE_LOW, PT_MPSSE_HIGH, PT_MPSSE_RELEASED };	/* high, where it cannot be released */
/* pins and outputs with the signal at that level. */
void pt_mpsse_signal_set(const struct pt_mpsse_signal *signal, enum pt_mpsse_level level, uint16_t *pins,
			 uint16_t *outputs);
bool pt_mpsse_signal_exists(const struct pt_mpsse_signal *signal);

#endif
