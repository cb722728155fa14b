/* The probe's end of the SWD cable as a model: the pins, the time each clock takes, and whole transfers as a probe's
 * firmware makes them. At the other end hangs a debug port (swd_dp.h) of a virtual board. */
#ifndef PT_VIRTUAL_WIRE_SWD_PINS_H
#define PT_VIRTUAL_WIRE_SWD_PINS_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"
#include "probes/virtual/wire/pin_clock.h"
#include "probes/virtual/wire/swd_dp.h"

/* Acknowledge bits as CMSIS-DAP reports them. Source: CMSIS-DAP 2.x reference, DAP_Transfer. */
enum { PT_VSWD_NO_ACK = 7, PT_VSWD_PROTOCOL = 8, PT_VSWD_MISMATCH = 0x10 };

/* Request bits. Source: CMSIS-DAP 2.x reference, DAP_Transfer. */
enum { PT_VREQ_AP = 1 << 0, PT_VREQ_READ = 1 << 1, PT_VREQ_A = 3 << 2, PT_VREQ_RDBUFF = 0xe };

struct pt_vswd {
	struct pt_vdp dp;
	struct pt_vdp second;		/* another port on the same wire, where has_second */
	bool has_second;
	struct pt_vpace *pace;
	struct pt_vfaults *faults;
	uint64_t transfers;		/* so far, also those that a host makes of bits, and by JTAG */
	bool whole;			/* one of pt_vswd_transfer() is under way */
	unsigned turnaround, idle_cycles;
	bool data_phase;		/* clock one on WAIT and FAULT too */
	struct pt_vclock clock;		/* SWCLK */
	bool host_reset, fault_reset, power_off;	/* nRESET is low when either wants it low */
};

/* pace and faults outlive swd. */
void pt_vswd_init(struct pt_vswd *swd, struct pt_vpace *pace, struct pt_vfaults *faults, uint32_t swclk_hz);

/* The link's time at which the pins are; at_ns below only moves it on. */
uint64_t pt_vswd_now_ns(struct pt_vswd *swd);
void pt_vswd_idle_until(struct pt_vswd *swd, uint64_t at_ns);
void pt_vswd_set_clock(struct pt_vswd *swd, uint32_t swclk_hz);	/* 1 or more */

/* One SWCLK cycle; see pt_vdp_clock. */
unsigned pt_vswd_clock(struct pt_vswd *swd, bool drive, unsigned bit);
/* Does a target drive SWDIO in the clock that comes next; and the level of SWDIO then, if the host does not drive it. */
bool pt_vswd_target_drives(const struct pt_vswd *swd);
unsigned pt_vswd_level(const struct pt_vswd *swd);
void pt_vswd_set_nreset(struct pt_vswd *swd, bool low);

/* One SWD transfer: request bits as in PT_VREQ_*, others are ignored; value is in for writes, out for reads that are
 * acknowledged OK. Returns 1, 2, 4 as the target acknowledged, PT_VSWD_NO_ACK, or PT_VSWD_PROTOCOL: parity error. */
unsigned pt_vswd_transfer(struct pt_vswd *swd, uint8_t request, uint32_t *value);

#endif
