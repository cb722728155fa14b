/* Model of the Micro Trace Buffer MTB-M0+ (Arm DDI 0486): one 8-byte packet into the chip's own RAM for every change
 * of the pc that is not sequential. It listens to the core through an observer and keeps no copy of what it wrote.
 *
 * Set-up that the manual leaves open, or that differs from chip to chip, is in struct pt_vmtb_config. */
#ifndef PT_VIRTUAL_UNIT_MTB_H
#define PT_VIRTUAL_UNIT_MTB_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/bus.h"
#include "probes/virtual/frame/cpu.h"
#include "probes/virtual/frame/wires.h"

/* Offsets and bits, DDI 0486 tables 3-1 to 3-5. */
enum { PT_VMTB_POSITION = 0x000, PT_VMTB_MASTER = 0x004, PT_VMTB_FLOW = 0x008, PT_VMTB_BASE = 0x00c };
#define PT_VMTB_POINTER UINT32_C(0xfffffff8)
#define PT_VMTB_WRAP (UINT32_C(1) << 2)
#define PT_VMTB_EN (UINT32_C(1) << 31)
#define PT_VMTB_HALTREQ (UINT32_C(1) << 9)
#define PT_VMTB_RAMPRIV (UINT32_C(1) << 8)
#define PT_VMTB_SFRWPRIV (UINT32_C(1) << 7)
#define PT_VMTB_TSTOPEN (UINT32_C(1) << 6)
#define PT_VMTB_TSTARTEN (UINT32_C(1) << 5)
#define PT_VMTB_MASK UINT32_C(0x1f)
#define PT_VMTB_AUTOHALT (UINT32_C(1) << 1)
#define PT_VMTB_AUTOSTOP (UINT32_C(1) << 0)

/* What the MTB writes when an exception returns into the next handler. The manual does not say. */
enum pt_vmtb_tail {
	PT_VMTB_TAIL_PAIR,	/* returning instruction to EXC_RETURN, then EXC_RETURN to the handler with A = 1 */
	PT_VMTB_TAIL_SINGLE,	/* returning instruction to the handler, A = 0 */
};

struct pt_vmtb_config {
	const struct pt_vwires *wires;
	uint8_t *ram;		/* the trace SRAM, the chip's; packets that map outside it are lost */
	uint32_t ram_base, ram_bytes;
	uint32_t base_reads;	/* what BASE shows: ram_base, or 0 as on LPC8xx */
	unsigned awidth;	/* 5..32: POINTER bits from here up read 0 and ignore writes */
	enum pt_vmtb_tail tail;
	bool match_on_step_only;	/* WATERMARK is compared only when a packet moves POINTER; else (default) also
					 * when software writes, so a watermark equal to POINTER stops at once */
	uint32_t unknown;	/* what registers without a reset value hold after power-on */
	void *arg;
	void (*edbgrq)(void *arg, bool level);		/* HALTREQ, to the core's debug logic */
	void (*guard_ram)(void *arg, bool on);		/* RAMPRIV: user accesses to the SRAM read 0. May be NULL */
};

struct pt_vmtb {
	struct pt_vmtb_config config;
	struct pt_vobserver observer;		/* the chip hangs it on its core; empty while EN = 0 */
	uint32_t position, master, flow;
	bool stopped;			/* the latch of AUTOSTOP: EN stays 0 until software moves something */
	bool first;			/* the next packet carries S */
	uint64_t n_packets, n_lost;	/* since power-on; lost: outside the SRAM */
};

extern const struct pt_vunit_ops pt_vmtb_ops;	/* a 4 KiB page; the unit is a struct pt_vmtb */

void pt_vmtb_init(struct pt_vmtb *mtb, const struct pt_vmtb_config *config);
/* The TSTART and TSTOP inputs, pulsed by the MTB_DWT; they count only as TSTARTEN and TSTOPEN allow. */
void pt_vmtb_tstart(struct pt_vmtb *mtb);
void pt_vmtb_tstop(struct pt_vmtb *mtb);
/* System address of the slot at POSITION's pointer. DDI 0486 via TRAVEO T2G TRM 3.8.7.1. */
uint32_t pt_vmtb_address(const struct pt_vmtb *mtb, uint32_t pointer);

#endif
