/* The probe's end of the BKGD wire as a model: the pins, the time that bits take, and what happens on the way (faults).
 * At the other end hangs the BDC (bdc.h) of a virtual board. The probe firmwares (bdc_pipe.h, osbdm.h, usbdm.h) drive
 * it.
 *
 * The probe sends bits at the rate that it measured with SYNC; a target whose clock has become another one since does
 * not understand it. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 155-156, 172-175. */
#ifndef PT_VIRTUAL_WIRE_BKGD_H
#define PT_VIRTUAL_WIRE_BKGD_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/wire/bdc.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

enum pt_vbkgd_ack { PT_VBKGD_NO_ACK, PT_VBKGD_ACK, PT_VBKGD_LONG_ACK };

struct pt_vbkgd {
	struct pt_vpace *pace;
	struct pt_vfaults *faults;
	struct pt_vbdc *bdc;
	uint32_t hz;			/* BDCSI as the probe believes it; before the first SYNC a guess */
	uint64_t ns, remainder;		/* time of the wire = ns + remainder / hz / 1e9 */
	uint64_t commands;		/* so far, counted for faults */
	unsigned arguments;		/* of the command under way, still to be sent */
	uint64_t edge_ns;		/* the last bit */
	bool deaf;			/* a fault: the target does not hear this command */
	bool bkgd_low, host_reset, fault_reset, host_off, fault_off;
};

/* pace and faults outlive it. The board must have a BDC. */
void pt_vbkgd_init(struct pt_vbkgd *wire, struct pt_vpace *pace, struct pt_vfaults *faults);

void pt_vbkgd_idle_until(struct pt_vbkgd *wire, uint64_t at_ns);	/* only moves the wire's time on */
void pt_vbkgd_cycles(struct pt_vbkgd *wire, uint64_t cycles);		/* of rest, at the probe's rate */

void pt_vbkgd_set_hz(struct pt_vbkgd *wire, uint32_t hz);			/* send at that rate; 1 or more */

/* The length of the target's pulse, as its clock: Hz; 0: no answer (2 ms were spent). The probe uses it from here
 * on. */
uint32_t pt_vbkgd_sync(struct pt_vbkgd *wire);
void pt_vbkgd_send(struct pt_vbkgd *wire, uint8_t byte);
uint8_t pt_vbkgd_receive(struct pt_vbkgd *wire);
/* Wait for the target's pulse for that long at most; returns when it is over. */
enum pt_vbkgd_ack pt_vbkgd_ack(struct pt_vbkgd *wire, uint64_t most_ns);

/* Pins of the probe: true lets go (or gives power), false drives low. BKGD low while reset is let go makes special
 * mode. */
void pt_vbkgd_drive_bkgd(struct pt_vbkgd *wire, bool high);
void pt_vbkgd_drive_reset(struct pt_vbkgd *wire, bool high);
void pt_vbkgd_power(struct pt_vbkgd *wire, bool on);
bool pt_vbkgd_has_power(const struct pt_vbkgd *wire);
/* The probe refuses a command by itself, which counts as one for faults. */
void pt_vbkgd_give_up(struct pt_vbkgd *wire);

#endif
