/* A model of the AHB-AP of a Cortex-M0+: the access port that turns AP register accesses into accesses on a virtual
 * board's bus. The chip owns one per MEM-AP and hands &ap->port to the debug port.
 *
 * Source: Arm IHI 0031 (ADIv5.2), chapters on the MEM-AP and its registers. */
#ifndef PT_VIRTUAL_WIRE_MEM_AP_H
#define PT_VIRTUAL_WIRE_MEM_AP_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/board.h"
#include "probes/virtual/frame/bus.h"

enum { PT_VMEM_AP_IDR = 0x04770031 };	/* Cortex-M0+; the revision nibble varies from chip to chip */
#define PT_VMEM_AP_IDR_M4 UINT32_C(0x24770011)	/* of a Cortex-M3 and M4: TAR counts over 4 KiB, not 1 KiB */
#define PT_VMEM_AP_IDR_M7 UINT32_C(0x84770001)

struct pt_vmem_ap {
	struct pt_vap port;	/* what the debug port calls */
	struct pt_vbus *bus;	/* the chip's */
	uint32_t csw, tar;
	uint32_t base, idr;	/* as BASE and IDR read */
	bool locked;		/* a secured chip: every access to the bus fails, the AP's own registers answer */
};

/* base: the ROM table's address with its present and format bits, as BASE reads. bus outlives ap. */
void pt_vmem_ap_init(struct pt_vmem_ap *ap, struct pt_vbus *bus, uint32_t base);

/* Debug power was lost: CSW and TAR as at power-on. */
void pt_vmem_ap_reset(struct pt_vmem_ap *ap);

#endif
