/* The AXI slave. Source: PG115 v3.2, AXI Slave Register Space. Of DBG_LOCK it has the place and the width alone: that
 * its code opens DBG_CTRL, and is kept until another is written, is UNVERIFIED, and so is the code. */
#include "probes/virtual/unit/amd/mdm_parts.h"

enum { UART_END = 0x10, DBG_CTRL = 0x10, DBG_DATA = 0x14, DBG_LOCK = 0x18, WINDOW = 0x4000 };

/* DBG_CTRL: 8:0 bits - 1, 16:9 command, 17 of the MDM, 19:18 how it takes the lock: 0 is no access. */
static unsigned ctrl_bits(const struct pt_vmdm *mdm)
{
	return (mdm->ctrl & 0x1ff) + 1;
}

static uint8_t ctrl_command(const struct pt_vmdm *mdm)
{
	return (uint8_t)(mdm->ctrl >> 9);
}

static bool ctrl_of_mdm(const struct pt_vmdm *mdm)
{
	return (mdm->ctrl >> 17 & 1) != 0;
}

static bool may_access(const struct pt_vmdm *mdm)
{
	return mdm->armed && (mdm->ctrl >> 18) != 0 && mdm->n_locked_polls == 0 && ctrl_bits(mdm) <= 64 &&
	       (mdm->unlocked || mdm->options.lock_code == 0);
}

static uint32_t status(struct pt_vmdm *mdm)
{
	if (mdm->n_locked_polls == 0)
		return 0;
	if (mdm->n_locked_polls != PT_VMDM_FOR_EVER)
		mdm->n_locked_polls--;
	return 1;
}

static uint32_t half(const struct pt_vmdm *mdm, bool first)
{
	return (uint32_t)(first == mdm->options.high_first ? mdm->wide >> 32 : mdm->wide);
}

/* A register of more than 32 bits takes two reads. */
static uint32_t data_read(struct pt_vmdm *mdm)
{
	if (mdm->second) {
		mdm->second = false;
		return half(mdm, false);
	}
	if (!may_access(mdm))
		return 0;
	mdm->armed = mdm->options.keep_ctrl;
	mdm->wide = pt_vmdm_read(mdm, ctrl_of_mdm(mdm), ctrl_command(mdm), ctrl_bits(mdm));
	mdm->second = ctrl_bits(mdm) > 32;
	return mdm->second ? half(mdm, true) : (uint32_t)mdm->wide;
}

static void data_write(struct pt_vmdm *mdm, uint32_t value)
{
	if (!may_access(mdm))
		return;
	mdm->armed = mdm->options.keep_ctrl;
	pt_vmdm_write(mdm, ctrl_of_mdm(mdm), ctrl_command(mdm), ctrl_bits(mdm), value);
}

/* The parallel window is right-justified: every register at its own width, up to the first 32 bits, the rest behind. */
static uint32_t window_read(struct pt_vmdm *mdm, uint32_t offset)
{
	uint8_t command = (uint8_t)((offset - WINDOW) >> 6);

	if ((offset & 0x3c) == 4 && mdm->second) {
		mdm->second = false;
		return half(mdm, false);
	}
	if ((offset & 0x3c) != 0)
		return 0;
	mdm->wide = pt_vmdm_read(mdm, false, command, 64);
	mdm->second = command == PT_VMDM_PDRR;
	return mdm->second ? half(mdm, true) : (uint32_t)mdm->wide;
}

static void window_write(struct pt_vmdm *mdm, uint32_t offset, uint32_t value)
{
	uint8_t command = (uint8_t)((offset - WINDOW) >> 6);

	if ((offset & 0x3c) == 0)
		pt_vmdm_write(mdm, false, command, pt_vmdm_bits(mdm, command), value);
}

bool pt_vmdm_starts_or_stops(const struct pt_vmdm *mdm, uint32_t offset)
{
	uint8_t command = offset >= WINDOW ? (uint8_t)((offset - WINDOW) >> 6) : ctrl_command(mdm);

	if (offset != DBG_DATA && offset < WINDOW)
		return false;
	return command == PT_VMDM_TCMDR || command == PT_VMDM_PCCMDR || command == PT_VMDM_PCTRLR;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vmdm *mdm = unit;

	*value = 0;
	if (offset < UART_END && mdm->options.use_uart)
		*value = pt_vuartlite_read(&mdm->uart, offset);
	else if (offset == DBG_CTRL && mdm->options.dbg_reg_access)
		*value = status(mdm);
	else if (offset == DBG_DATA && mdm->options.dbg_reg_access)
		*value = data_read(mdm);
	else if (offset >= WINDOW && mdm->options.dbg_reg_access && mdm->options.parallel)
		*value = window_read(mdm, offset);
	return access->size_bytes == 4;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vmdm *mdm = unit;

	if (offset < UART_END && mdm->options.use_uart) {
		pt_vuartlite_write(&mdm->uart, offset, value);
	} else if (offset == DBG_CTRL && mdm->options.dbg_reg_access) {
		mdm->ctrl = value & 0xfffff;
		mdm->armed = true;
		mdm->second = false;
	} else if (offset == DBG_DATA && mdm->options.dbg_reg_access) {
		data_write(mdm, value);
	} else if (offset == DBG_LOCK && mdm->options.dbg_reg_access) {
		mdm->unlocked = (value & 0xffff) == mdm->options.lock_code;
	} else if (offset >= WINDOW && mdm->options.dbg_reg_access && mdm->options.parallel) {
		window_write(mdm, offset, value);
	}
	return access->size_bytes == 4;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vmdm *mdm = unit;

	(void)power_on;
	mdm->ctrl = 0;
	mdm->armed = mdm->second = mdm->unlocked = false;
	mdm->n_locked_polls = mdm->options.locked_polls;
}

const struct pt_vunit_ops pt_vmdm_ops = { .name = "MDM", .read = read, .write = write, .reset = reset };
