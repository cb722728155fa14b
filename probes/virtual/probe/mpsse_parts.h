/* What the files of the virtual MPSSE share: mpsse.c (opcodes), mpsse_pins.c (the cable), mpsse_usb.c (the device). */
#ifndef PT_VIRTUAL_PROBE_MPSSE_PARTS_H
#define PT_VIRTUAL_PROBE_MPSSE_PARTS_H

#include <stdbool.h>

#include "probes/virtual/probe/mpsse.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"

enum { MPSSE_TCK = 0x01, MPSSE_TDI = 0x02, MPSSE_TDO = 0x04, MPSSE_TMS = 0x08, MPSSE_NTRST = 0x10,
       MPSSE_NSRST = 0x20, MPSSE_RTCK = 0x80 };

struct pt_vmpsse {
	struct pt_vmpsse_config config;
	struct pt_vswd swd;		/* the debug port, where the board has one; and the probe's clock */
	struct pt_vjtag jtag;
	bool is_jtag;

	/* opcodes */
	uint8_t head[3];		/* of the opcode at hand */
	unsigned n_head;
	size_t data_left;		/* bytes of the shift at hand that have not come */
	bool stuck;			/* it waits for a level that never comes */
	bool loop, adaptive, slow_base;
	uint16_t divisor;
	uint8_t out[PT_VENGINE_MAX_PACKET_BYTES];
	size_t n_out;
	pt_vrespond *respond;		/* while a request is carried out */
	void *respond_arg;
	unsigned n_responses;

	/* pins */
	uint8_t low, low_dir, high, high_dir;

	/* USB */
	uint8_t bit_mode, latency_ms;
};

/* One clock with TDI and TMS as they are; returns what TDO was at its rising edge. */
unsigned mpsse_clock(struct pt_vmpsse *m);
void mpsse_set_low(struct pt_vmpsse *m, uint8_t value, uint8_t direction);
uint8_t mpsse_read_low(const struct pt_vmpsse *m);
uint8_t mpsse_read_high(const struct pt_vmpsse *m);

bool mpsse_answers(const struct pt_vmpsse *m);	/* the MPSSE is switched on */
bool mpsse_is_fast(const struct pt_vmpsse *m);	/* a chip of the H series */
void mpsse_reset(struct pt_vmpsse *m);		/* as bit mode 0 leaves it: pins are inputs, opcodes forgotten */

int mpsse_control(void *state, const struct pt_vcontrol *request, uint8_t *data, size_t room, bool *forgets);
void mpsse_usb(void *state, struct pt_vusb *out);

#endif
