/* A model of the OSBDM-JM60 firmware in its S12Z personality, in front of a virtual board: one packet of 64 bytes in,
 * one out. Its ordinary commands are stubs; everything goes through byte scripts. Source: OSBDM-JM60 firmware,
 * bdm_9s12z.c. */
#ifndef PT_VIRTUAL_WIRE_OSBDM_H
#define PT_VIRTUAL_WIRE_OSBDM_H

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VOSBDM_PACKET_BYTES = 64, PT_VOSBDM_VID = 0x15a2, PT_VOSBDM_PID = 0x005e };

struct pt_vosbdm;

/* pace and faults stay the caller's and outlive the model; the board has a BDC. NULL without memory. */
struct pt_vosbdm *pt_vosbdm_new(struct pt_vpace *pace, struct pt_vfaults *faults);
extern const struct pt_vengine_ops pt_vosbdm_engine;	/* its state is a struct pt_vosbdm */

#endif
