/* A minimal debug port of version 1, one MEM-AP with 8-, 16- and 32-bit accesses, whose TAR counts within 1 KiB. */
#include <string.h>

#include "chip.h"
#include "core.h"
#include "dap.h"

enum { DPIDR, CTRL_STAT, SELECT, RDBUFF, ABORT = 0 };	/* by reg / 4 */
enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, BD0 = 0x10, BASE = 0xf8, IDR = 0xfc };
enum { ORUNDETECT = 1, STICKYORUN = 2, STICKYERR = 1 << 5, READOK = 1 << 6, WDATAERR = 1 << 7, CSW_DEVICE_EN = 1 << 6 };
enum { CLEAR_STICKYERR = 4, CLEAR_WDATAERR = 8, CLEAR_STICKYORUN = 16, TAR_BLOCK = 0x400 };
#define POWER_REQUESTS UINT32_C(0x50000000)
#define POWER_ACKS UINT32_C(0xa0000000)

struct dap_config dap_config;
static struct {
	uint32_t ctrl, select, posted, csw, tar;
	unsigned since_wait;
} dap;

void dap_power_on(void)
{
	memset(&dap, 0, sizeof(dap));
	core_power_on();
}

void dap_line_reset(void)
{
	dap.select = 0;
}

bool dap_detects_overrun(void)
{
	return (dap.ctrl & ORUNDETECT) != 0;
}

/* --- the access port */

static bool access_memory(uint32_t addr, unsigned size_bytes, bool writes, uint32_t *lanes)
{
	unsigned shift = 8 * (addr & 3);
	uint32_t mask = size_bytes == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size_bytes) - 1, value;
	bool answered;

	if (addr % size_bytes != 0)
		return false;
	if (writes)
		return bus_write(addr, size_bytes, *lanes >> shift & mask);
	answered = bus_read(addr, size_bytes, &value);
	*lanes = (value & mask) << shift;
	return answered;
}

static bool access_data(bool writes, uint32_t *value)
{
	unsigned size_bytes = 1u << (dap.csw & 3);
	bool answered = (dap.csw & 7) <= 2 && access_memory(dap.tar, size_bytes, writes, value);

	if (answered && (dap.csw >> 4 & 3) != 0)
		dap.tar = (dap.tar & ~(TAR_BLOCK - 1u)) | ((dap.tar + size_bytes) & (TAR_BLOCK - 1u));
	return answered;
}

static bool access_ap(unsigned reg, bool writes, uint32_t *value)
{
	switch (reg) {
	case CSW:
		if (writes)
			dap.csw = *value & 0xff00003f;
		else
			*value = dap.csw | CSW_DEVICE_EN;
		return true;
	case TAR:
		if (writes)
			dap.tar = *value;
		else
			*value = dap.tar;
		return true;
	case DRW:
		return access_data(writes, value);
	case BD0:
	case BD0 + 4:
	case BD0 + 8:
	case BD0 + 12:
		return access_memory((dap.tar & ~15u) | (reg & 12), 4, writes, value);
	case BASE:
	case IDR:
		if (!writes)
			*value = reg == BASE ? 0xf0002003 : 0x04770031;
		return true;
	default:
		if (!writes)
			*value = 0;
		return true;
	}
}

/* AP 0 is the memory, AP 1 says how the chip is locked, which it is not; others read as zero. */
static void perform_ap(unsigned a, bool writes, uint32_t *value)
{
	core_tick();
	if (dap.select >> 24 != 0) {
		unsigned reg = (dap.select & 0xf0) | a;

		if (!writes)
			*value = dap.select >> 24 != 1 ? 0 : reg == IDR ? MDM_IDR : reg == 0 ? MDM_STATUS_BITS : 0;
	} else if (!access_ap((dap.select & 0xf0) | a, writes, value)) {
		dap.ctrl |= STICKYERR;
		if (!writes)
			*value = 0;
	}
}

/* --- the debug port */

static bool is_sticky(void)
{
	return (dap.ctrl & (STICKYORUN | STICKYERR | WDATAERR)) != 0;
}

void dap_overrun(void)
{
	if (dap_detects_overrun())
		dap.ctrl |= STICKYORUN;
}

/* What is not OK leaves a mark; by JTAG an overrun alone does. */
static enum dap_ack refuse(enum dap_ack ack)
{
	if (!dap_config.jtag)
		dap_overrun();
	return ack;
}

static enum dap_ack judge_ap_access(void)
{
	if (is_sticky())
		return refuse(DAP_FAULT);
	if ((dap.ctrl & POWER_REQUESTS) != POWER_REQUESTS) {
		dap.ctrl |= STICKYERR;
		return refuse(DAP_FAULT);
	}
	if (!dap_config.jtag && dap_config.wait_every > 0 && ++dap.since_wait >= dap_config.wait_every) {
		dap.since_wait = 0;
		return refuse(DAP_WAIT);
	}
	return DAP_OK;
}

static uint32_t read_ctrl(void)
{
	if ((dap.select & 15) != 0)
		return (dap.select & 15) == 1 ? 0x40 : 0;	/* DLCR: one cycle of turn-around */
	return dap.ctrl | ((dap.ctrl & POWER_REQUESTS) << 1);
}

enum dap_ack dap_read(bool ap, unsigned reg, uint32_t *value)
{
	enum dap_ack ack;

	*value = 0;
	if (!ap && reg / 4 == DPIDR)
		*value = 0x0bc11477;
	else if (!ap && reg / 4 == CTRL_STAT)
		*value = read_ctrl();
	else if ((ack = ap ? judge_ap_access() : is_sticky() ? refuse(DAP_FAULT) : DAP_OK) != DAP_OK)
		return ack;
	else if (ap || reg / 4 == RDBUFF)
		*value = dap.posted;
	if (ap)
		perform_ap(reg, false, &dap.posted);
	dap_config.transactions++;
	return DAP_OK;
}

/* By JTAG the flags are cleared in CTRL/STAT alone. */
static void write_abort(uint32_t value)
{
	if (dap_config.jtag)
		return;
	if ((value & CLEAR_STICKYERR) != 0)
		dap.ctrl &= ~(uint32_t)STICKYERR;
	if ((value & CLEAR_WDATAERR) != 0)
		dap.ctrl &= ~(uint32_t)WDATAERR;
	if ((value & CLEAR_STICKYORUN) != 0)
		dap.ctrl &= ~(uint32_t)STICKYORUN;
}

static void write_dp(unsigned reg, uint32_t value)
{
	uint32_t sticky = dap.ctrl & (STICKYORUN | STICKYERR | READOK | WDATAERR);

	if (reg / 4 == CTRL_STAT && (dap.select & 15) == 0)
		dap.ctrl = (dap_config.jtag ? sticky & ~value : sticky) | (value & (POWER_REQUESTS | ORUNDETECT));
	else if (reg / 4 == SELECT)
		dap.select = value;
}

enum dap_ack dap_may_write(bool ap, unsigned reg)
{
	if (!ap && reg / 4 == ABORT)
		return DAP_OK;
	if (ap)
		return judge_ap_access();
	return is_sticky() && !dap_config.jtag ? refuse(DAP_FAULT) : DAP_OK;
}

void dap_do_write(bool ap, unsigned reg, uint32_t value)
{
	if (ap)
		perform_ap(reg, true, &value);
	else if (reg / 4 == ABORT)
		write_abort(value);
	else
		write_dp(reg, value);
	dap_config.transactions++;
}

enum dap_ack dap_write(bool ap, unsigned reg, uint32_t value)
{
	enum dap_ack ack = dap_may_write(ap, reg);

	if (ack == DAP_OK)
		dap_do_write(ap, reg, value);
	return ack;
}

/* --- as a firmware does it */

static enum dap_ack select_ap(unsigned ap, unsigned reg)
{
	uint32_t select = ap << 24 | (reg & 0xf0);

	return select == dap.select ? DAP_OK : dap_write(false, 8, select);
}

enum dap_ack dap_ap_read(unsigned ap, unsigned reg, uint32_t *value)
{
	enum dap_ack ack = select_ap(ap, reg);

	*value = 0;
	if (ack == DAP_OK)
		ack = dap_read(true, reg & 12, value);
	return ack == DAP_OK ? dap_read(false, 12, value) : ack;
}

enum dap_ack dap_ap_write(unsigned ap, unsigned reg, uint32_t value)
{
	enum dap_ack ack = select_ap(ap, reg);
	uint32_t unused;

	if (ack == DAP_OK)
		ack = dap_write(true, reg & 12, value);
	return ack == DAP_OK ? dap_read(false, 12, &unused) : ack;	/* waits until the bus has finished */
}
