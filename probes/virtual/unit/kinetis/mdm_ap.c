/* A mass erase begins when CONTROL asks for it while the system is held in reset, is acknowledged in STATUS, and ends
 * with CONTROL dropping its bit, when the flash is ready again. */
#include "probes/virtual/unit/kinetis/mdm_ap.h"

#define CONTROL_BITS UINT32_C(0xff)

static void end_erase(struct pt_vmdm_ap *mdm)
{
	if (!mdm->erasing || (mdm->status(mdm->arg) & PT_VMDM_FLASH_READY) == 0)
		return;
	mdm->erasing = false;
	mdm->value &= ~PT_VMDM_ERASE;
}

static uint32_t status(struct pt_vmdm_ap *mdm)
{
	return mdm->status(mdm->arg) | (mdm->erase_ack ? PT_VMDM_ERASE_ACK : 0);
}

static void begin_erase(struct pt_vmdm_ap *mdm)
{
	bool in_reset = (mdm->status(mdm->arg) & PT_VMDM_OUT_OF_RESET) == 0;

	mdm->erasing = in_reset && mdm->erase(mdm->arg);
	mdm->erase_ack = mdm->erasing;
	if (!mdm->erasing)
		mdm->value &= ~PT_VMDM_ERASE;
}

/* The erase bit cannot be taken back while it runs. */
static void write_control(struct pt_vmdm_ap *mdm, uint32_t value)
{
	uint32_t was = mdm->value;

	mdm->value = (value & CONTROL_BITS) | (mdm->erasing ? PT_VMDM_ERASE : 0);
	mdm->control(mdm->arg, was, mdm->value);
	if (!mdm->erasing && (mdm->value & PT_VMDM_ERASE) != 0)
		begin_erase(mdm);
}

static enum pt_vack read(void *arg, uint8_t reg, uint32_t *value)
{
	struct pt_vmdm_ap *mdm = arg;

	end_erase(mdm);
	switch (reg) {
	case PT_VMDM_STATUS: *value = status(mdm); break;
	case PT_VMDM_CONTROL: *value = mdm->value; break;
	case PT_VMDM_IDR: *value = PT_VMDM_IDR_KL; break;
	default: *value = 0; break;
	}
	return PT_VACK_OK;
}

static enum pt_vack write(void *arg, uint8_t reg, uint32_t value)
{
	struct pt_vmdm_ap *mdm = arg;

	end_erase(mdm);
	if (reg == PT_VMDM_CONTROL)
		write_control(mdm, value);
	return PT_VACK_OK;
}

void pt_vmdm_ap_reset(struct pt_vmdm_ap *mdm)
{
	mdm->value = 0;
	mdm->erasing = mdm->erase_ack = false;
}

void pt_vmdm_ap_init(struct pt_vmdm_ap *mdm, void *arg, uint32_t (*chip_status)(void *arg),
		     void (*chip_control)(void *arg, uint32_t was, uint32_t is), bool (*chip_erase)(void *arg))
{
	*mdm = (struct pt_vmdm_ap){
		.port = { .arg = mdm, .read = read, .write = write },
		.arg = arg, .status = chip_status, .control = chip_control, .erase = chip_erase,
	};
}
