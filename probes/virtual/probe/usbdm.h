/* A model of the USBDM firmware with an S12Z target, in front of a virtual board, in both generations: V4 (JMxx: a
 * toggle bit, long requests in two parts) and V5 (Kinetis: sequence numbers). It has commands of its own, and neither
 * READ_DBGTB nor SYNC_PC nor READ_SAME. Sources: usbdm-firmware V4.12.1.330 (JMxx), usbdm-kinetis V5.8.1. */
#ifndef PT_VIRTUAL_WIRE_USBDM_H
#define PT_VIRTUAL_WIRE_USBDM_H

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

enum { PT_VUSBDM_MOST_BYTES = 254, PT_VUSBDM_VID = 0x16d0, PT_VUSBDM_PID = 0x0567 };

enum pt_vusbdm_generation {
	PT_VUSBDM_V4, PT_VUSBDM_V5,
	PT_VUSBDM_V5_BUSY,	/* V5 that answers "busy" before the answer to a command that takes a while */
};

struct pt_vusbdm;

/* pace and faults stay the caller's and outlive the model; the board has a BDC. NULL without memory. */
struct pt_vusbdm *pt_vusbdm_new(enum pt_vusbdm_generation generation, struct pt_vpace *pace, struct pt_vfaults *faults);
extern const struct pt_vengine_ops pt_vusbdm_engine;	/* its state is a struct pt_vusbdm */

#endif
