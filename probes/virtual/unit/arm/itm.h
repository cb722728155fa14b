/* Model of the ITM of ARMv7-M at 0xe0000000: stimulus ports, what the DWT reports, local and global stamps, and the FIFO
 * in front of the TPIU, which overflows when the pin is too slow. It runs behind the core, as the TPIU does. Without
 * DEMCR.TRCENA its registers read 0 and take no writes.
 *
 * Choices where the manual leaves them to the implementation, all UNVERIFIED: the FIFO has fifo_room packets, stamps
 * among them (facts on SWO, 7: effectively 2 to 4). In front of it are two buffers of one packet, for the ports and for
 * the DWT: a packet that finds the FIFO full waits there (its stamp says it was delayed), and one that finds the buffer
 * full is lost. From then until the overflow packet is in the FIFO all others of that buffer are lost, too. The order is
 * ports, DWT, overflow, stamp, global stamp, synchronisation. The local stamp counts to 2^stamp_bits, then comes an overflow
 * packet. The
 * software lock holds for the debugger as for the core. A port that is off is ready, and forgets what is written.
 * With SWOENA stamps count TRACECLKIN. The global counter is the core's clock since power-on.
 * Source: DDI 0403, C1.7 and appendix D4. */
#ifndef PT_VIRTUAL_UNIT_ITM_H
#define PT_VIRTUAL_UNIT_ITM_H

#include "probes/virtual/unit/arm/tpiu.h"
#include "probes/virtual/unit/arm/trace_log.h"

enum { PT_VITM_TER = 0xe00, PT_VITM_TPR = 0xe40, PT_VITM_TCR = 0xe80, PT_VITM_LAR = 0xfb0, PT_VITM_LSR = 0xfb4 };
enum { PT_VITM_FIFO = 4, PT_VITM_MAX_FIFO = 64, PT_VITM_STAMP_BITS = 28 };
#define PT_VITM_KEY UINT32_C(0xc5acce55)

/* Bits of TCR. */
enum {
	PT_VITM_ITMENA = 1 << 0, PT_VITM_TSENA = 1 << 1, PT_VITM_SYNCENA = 1 << 2, PT_VITM_TXENA = 1 << 3, PT_VITM_SWOENA = 1 << 4,
	PT_VITM_BUSY = 1 << 23,
};

enum pt_vitm_buffer { PT_VITM_PORTS, PT_VITM_DWT, PT_VITM_BUFFERS };

struct pt_vitm_stamps {
	bool wanted, late;	/* packets are in the FIFO that no stamp dates yet; one of them had waited */
	uint64_t at_cycle;	/* of the last of them */
	uint64_t last;		/* the counter at the last stamp */
	bool global_wanted, high_wanted, global_begun;
	uint64_t global_last;
};

struct pt_vitm {
	const struct pt_vwires *wires;
	struct pt_vtpiu *tpiu;
	struct pt_vcoresight ids;
	struct pt_vtrace_log *log;	/* the test's; NULL: none */
	/* What source, the DWT, has due by then is reported now. NULL: nothing ever is. */
	void (*catch_up)(void *source, uint64_t now_cycle);
	void *source;
	bool traced;			/* DEMCR.TRCENA */
	bool locked;
	bool core_only;			/* what a debugger writes to a port is ignored */
	uint32_t ter, tpr, tcr;
	unsigned stamp_bits;		/* at most PT_VITM_STAMP_BITS */
	uint64_t now;			/* worked out to this cycle */
	struct pt_vtrace_packet fifo[PT_VITM_MAX_FIFO];
	unsigned fifo_room, first, n, taken;	/* taken: bytes of the first packet */
	struct pt_vtrace_packet held[PT_VITM_BUFFERS];
	bool holds[PT_VITM_BUFFERS];
	bool loses[PT_VITM_BUFFERS];	/* all, until the overflow packet is in the FIFO */
	bool overflow, sync_wanted;
	struct pt_vitm_stamps stamps;
};

extern const struct pt_vunit_ops pt_vitm_ops;	/* a 4 KiB page; the unit is a struct pt_vitm */

void pt_vitm_init(struct pt_vitm *itm, const struct pt_vwires *wires, struct pt_vtpiu *tpiu);
void pt_vitm_enable(struct pt_vitm *itm, bool traced);	/* DEMCR.TRCENA, from the DWT */
/* Everything that happened up to this cycle: bytes leave by the pin. */
void pt_vitm_advance(struct pt_vitm *itm, uint64_t to_cycle);
/* The same, but first the DWT reports what is due: for all but the DWT itself. */
void pt_vitm_run(struct pt_vitm *itm, uint64_t to_cycle);
/* The DWT has a packet: source id, 1, 2 or 4 bytes. A cycle that lies behind counts as the present one. */
void pt_vitm_report(struct pt_vitm *itm, unsigned id, uint32_t value, unsigned n_bytes, uint64_t at_cycle);
void pt_vitm_set_trace_clock(struct pt_vitm *itm, uint32_t hz);	/* from now on, 1 Hz at least */
void pt_vitm_synchronise(struct pt_vitm *itm, uint64_t at_cycle);	/* the DWT's SYNCTAP has counted */

#endif
