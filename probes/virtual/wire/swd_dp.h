/* A model of the target's end of the SWD cable: a minimal debug port, version 1 (MINDP), clocked bit by bit as the
 * probe does it, so that protocol errors, turnarounds and bit-banging hosts meet the same state machine.
 *
 * It powers up in JTAG mode and is silent until it has seen a line reset, the JTAG-to-SWD sequence, another line reset
 * with two idle clocks, and then a read of DPIDR. A malformed request silences it until the next line reset.
 * With a TARGETSEL value it is one of several ports on a wire (version 2): it powers up dormant and wakes by the selection
 * alert and the activation code of SWD. A line reset selects all ports of the wire at once; a write of TARGETSEL first
 * thing behind it leaves one of them. As long as all answer, the access ports of none do: reads are 0 (as of an RP2040),
 * and a request for power is one to the rescue port beside it, too, which resets the chip.
 * AP accesses are posted: an AP read answers with the result of the one before; errors are sticky.
 *
 * Source: Arm IHI 0031 (ADIv5.2), chapters on the DP and on the Serial Wire Debug protocol. */
#ifndef PT_VIRTUAL_WIRE_SWD_DP_H
#define PT_VIRTUAL_WIRE_SWD_DP_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/board.h"

/* What the port reaches on its board. */
struct pt_vdp_board {
	void *arg;
	struct pt_vap *(*ap)(void *arg, unsigned apsel);	/* NULL: no such AP; reads as 0, writes are ignored */
	void (*sync)(void *arg);	/* bring the board to the present time; called before each AP access */
	void (*rescue)(void *arg);	/* reset the chip; NULL: nothing does */
	/* A request has come, or as much time without power has passed as one takes: power may go and come in it, and
	 * forced_ack be set. NULL: nothing happens */
	void (*request)(void *arg);
};

enum pt_vdp_phase {		/* what the next clock carries; source: IHI 0031, "SWD protocol operation" */
	PT_VDP_SILENT,		/* JTAG mode, or a protocol error: only a line reset helps */
	PT_VDP_RESET,		/* high for 50 clocks or more; counting the lows that end a line reset */
	PT_VDP_IDLE,
	PT_VDP_REQUEST,
	PT_VDP_UNACKED,		/* TARGETSEL is being written: the acknowledge is not driven */
	PT_VDP_TURN_TO_ACK,
	PT_VDP_ACK,
	PT_VDP_READ_DATA,
	PT_VDP_TURN_TO_WRITE,
	PT_VDP_WRITE_DATA,
	PT_VDP_TURN_TO_IDLE,
};

struct pt_vdp {
	struct pt_vdp_board board;
	uint32_t dpidr;
	bool powered;
	bool swd;			/* the JTAG-to-SWD sequence has been seen since power-on */
	bool identified;		/* DPIDR was read since the line reset */
	uint32_t targetsel;		/* the value that selects it; 0: it is alone on the wire */
	enum { PT_VDP_ALL_SELECTED, PT_VDP_SELECTED, PT_VDP_DESELECTED } selection;
	bool dormant, fresh, taking_targetsel;	/* fresh: no request since the line reset */
	unsigned alert_bits;		/* of the selection alert and the code behind it, seen so far */
	uint8_t activation;
	unsigned ones, lows;		/* line reset: highs in a row, lows after them */
	unsigned switch_bits;		/* bits of a switching sequence seen so far; 0: none begun */
	uint16_t switch_code;
	enum pt_vdp_phase phase;
	unsigned bits;			/* of this phase so far */
	unsigned turnaround;		/* clocks */
	uint8_t request, ack;
	uint64_t data;			/* 32 bits and parity, being shifted */
	uint32_t select, ctrl;		/* ctrl: as written, and the sticky flags */
	uint32_t rdbuff;		/* result of the last AP read */
	uint64_t clocks, power_ack_at;	/* count since power-on; when power requests are acknowledged */
	struct { bool active, write; uint8_t apsel, reg; uint32_t value; } posted;	/* AP access that got WAIT */
	uint8_t forced_ack;		/* fault injection: refuse the next request so, if it can be; 0: none */
};

enum { PT_VDP_STICKYERR = 1 << 5 };

void pt_vdp_init(struct pt_vdp *dp, const struct pt_vdp_board *board, uint32_t dpidr, uint32_t targetsel);

/* Power of the chip: off, the line floats high; on, everything is as after power-on. */
void pt_vdp_power(struct pt_vdp *dp, bool on);

/* One SWCLK cycle. The probe drives bit, or lets go of the line. Returns the level the probe samples: its own bit, the
 * target's, or the pull-up's 1. */
unsigned pt_vdp_clock(struct pt_vdp *dp, bool probe_drives, unsigned bit);
/* Does the port drive the line in the clock that comes next, and to which level; 1 where it does not. */
bool pt_vdp_drives(const struct pt_vdp *dp);
unsigned pt_vdp_level(const struct pt_vdp *dp);

/* The same registers for a port of another kind (jtag_dp.h); a: 0, 4, 8 or 0xc.
 * Is the last AP access still under way? It is tried once more. */
bool pt_vdp_busy(struct pt_vdp *dp);
/* A request comes by another wire: true if the fault that is injected refuses it by WAIT. */
bool pt_vdp_meets_wait(struct pt_vdp *dp);
void pt_vdp_overrun(struct pt_vdp *dp);		/* a request was dropped: STICKYORUN, if overrun detection is on */
bool pt_vdp_has_error(const struct pt_vdp *dp);		/* a sticky flag is set: AP accesses are not done */
uint32_t pt_vdp_read(struct pt_vdp *dp, uint8_t a);
void pt_vdp_write(struct pt_vdp *dp, uint8_t a, uint32_t value);
void pt_vdp_clear(struct pt_vdp *dp, uint32_t flags);	/* sticky flags of CTRL/STAT */
/* An AP access; its result is in dp->rdbuff when it is no longer busy. */
void pt_vdp_post(struct pt_vdp *dp, bool write, uint8_t a, uint32_t value);

#endif
