/* Model of the Kinetis MDM-AP, access port 1: status, reset, core hold and mass erase, also of a secured chip
 * (AN4835 section 4, KL27 RM chapter on debug). */
#ifndef PT_VIRTUAL_UNIT_MDM_AP_H
#define PT_VIRTUAL_UNIT_MDM_AP_H

#include "probes/virtual/frame/board.h"

enum { PT_VMDM_STATUS = 0x00, PT_VMDM_CONTROL = 0x04, PT_VMDM_IDR = 0xfc };
#define PT_VMDM_IDR_KL UINT32_C(0x001c0020)

/* STATUS */
#define PT_VMDM_ERASE_ACK (UINT32_C(1) << 0)
#define PT_VMDM_FLASH_READY (UINT32_C(1) << 1)
#define PT_VMDM_SECURED (UINT32_C(1) << 2)
#define PT_VMDM_OUT_OF_RESET (UINT32_C(1) << 3)
#define PT_VMDM_ERASE_ENABLED (UINT32_C(1) << 5)
#define PT_VMDM_BACKDOOR_ENABLED (UINT32_C(1) << 6)
#define PT_VMDM_CORE_HALTED (UINT32_C(1) << 16)
#define PT_VMDM_SLEEPDEEP (UINT32_C(1) << 17)
#define PT_VMDM_SLEEPING (UINT32_C(1) << 18)
/* CONTROL */
#define PT_VMDM_ERASE (UINT32_C(1) << 0)
#define PT_VMDM_DEBUG_DISABLE (UINT32_C(1) << 1)
#define PT_VMDM_DEBUG_REQUEST (UINT32_C(1) << 2)
#define PT_VMDM_SYSTEM_RESET (UINT32_C(1) << 3)
#define PT_VMDM_HOLD_CORE (UINT32_C(1) << 4)

struct pt_vmdm_ap {
	struct pt_vap port;	/* what the debug port calls */
	void *arg;
	uint32_t (*status)(void *arg);				/* the chip's state, without ERASE_ACK */
	void (*control)(void *arg, uint32_t was, uint32_t is);	/* reset, hold, debug request changed */
	bool (*erase)(void *arg);				/* begin a mass erase; false: not allowed */
	uint32_t value;			/* CONTROL */
	bool erasing, erase_ack;
};

/* The four are the chip's; the port is ready to use. */
void pt_vmdm_ap_init(struct pt_vmdm_ap *mdm, void *arg, uint32_t (*status)(void *arg),
		     void (*control)(void *arg, uint32_t was, uint32_t is), bool (*erase)(void *arg));
void pt_vmdm_ap_reset(struct pt_vmdm_ap *mdm);	/* power-on */

#endif
