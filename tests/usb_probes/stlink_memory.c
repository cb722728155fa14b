/* The half of the ST-Link that reaches the target: memory commands with their limits, lists of accesses, registers. */
#include <string.h>

#include "dap.h"
#include "device.h"
#include "faults.h"
#include "stlink_parts.h"

enum { CSW = 0, TAR = 4, DRW = 12, IDR = 0xfc, DP_PORT = 0xffff };
enum { CSW_INCREMENT = 1 << 4, CSW_DEFAULT = 0x23000000 };

static uint8_t status_of(enum dap_ack ack)
{
	return ack == DAP_OK ? OK : ack == DAP_WAIT ? DP_WAIT : AP_FAULT;
}

/* --- memory */

/* For a memory command, or a list of accesses as one. */
static bool is_to_wait(void)
{
	if (st.wait_every == 0 || st.in_list || ++st.since_wait < st.wait_every)
		return false;
	st.since_wait = 0;
	return true;
}

static bool begin_block(unsigned ap, uint32_t addr, uint32_t csw)
{
	enum dap_ack ack = is_to_wait() ? DAP_WAIT : dap_ap_write(ap, CSW, csw);

	if (ack == DAP_OK)
		ack = dap_ap_write(ap, TAR, addr);
	st.status = status_of(ack);
	return ack == DAP_OK;
}

static enum dap_ack access_at(unsigned ap, uint32_t addr, bool writes, uint32_t *value)
{
	enum dap_ack ack = dap_ap_write(ap, TAR, addr);

	if (ack != DAP_OK)
		return ack;
	return writes ? dap_ap_write(ap, DRW, *value) : dap_ap_read(ap, DRW, value);
}

static void note_fault(enum dap_ack ack, uint32_t addr)
{
	st.status = status_of(ack);
	if (ack == DAP_FAULT)
		st.fault_addr = addr;
}

/* Of a memory command: size 1, 2 or 4; the limits of the firmware. */
static bool is_permitted(const uint8_t *c, unsigned size, bool increments)
{
	uint32_t addr = get_le32(c + 2);
	unsigned len = get_le16(c + 6), most = size > 1			      ? BLOCK_MAX
					       : st.is_v3 && st.firmware >= 6 ? 512
					       : st.is_v3		      ? 255
									      : 64;

	if (st.mode != MODE_DEBUG) {
		device_violation("memory command %02x outside debug mode", c[1]);
		return false;
	}
	if (len == 0 || len > most || addr % size != 0 || len % size != 0) {
		device_violation("memory command %02x of %u bytes at %08x: limit %u, size %u", c[1], len, addr, most,
				 size);
		return false;
	}
	if (increments && addr / TAR_BLOCK != (addr + len - 1) / TAR_BLOCK)
		count_crossing();
	return true;
}

static uint32_t csw_of(const uint8_t *c, unsigned size, bool increments)
{
	uint32_t upper = get_le32(c + 8) & 0xffffff00;

	return (upper != 0 ? upper : CSW_DEFAULT) | (increments ? CSW_INCREMENT : 0) | (size >> 1);
}

static unsigned ap_of(const uint8_t *c)
{
	return c[8];
}

static bool ap_is_open(unsigned ap)
{
	if (ap < N_APS && (st.ap_open[ap] || (!st.is_v3 && st.firmware < 28)))
		return true;
	device_violation("AP %u was not opened", ap);
	st.status = BAD_AP;
	return false;
}

/* One byte is answered by two. Data of a read that failed are sent all the same. */
void stlink_read_memory(const uint8_t *c, unsigned size, bool increments)
{
	static uint8_t data[BLOCK_MAX];
	uint32_t addr = get_le32(c + 2), value;
	unsigned len = get_le16(c + 6);

	if (len % 2 != 0 && len != 1) {
		device_violation("a read of %u bytes hangs this firmware", len);
		device_hang();
		return;
	}
	if (!is_permitted(c, size, increments)) {
		stlink_reply_status(st.status = GENERAL);
		return;
	}
	memset(data, 0, sizeof(data));
	if (ap_is_open(ap_of(c)) && begin_block(ap_of(c), addr, csw_of(c, size, increments))) {
		for (unsigned i = 0; i < len && st.status == OK; i += size) {
			unsigned at = increments ? addr + i : addr;

			note_fault(access_at(ap_of(c), at, false, &value), at);
			value >>= 8 * (at & 3);
			memcpy(data + i, (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) }, size);
		}
	}
	stlink_reply(data, len == 1 ? 2 : len);
}

void stlink_write_memory(const uint8_t *c, const uint8_t *data, size_t len, unsigned size, bool increments)
{
	uint32_t addr = get_le32(c + 2);

	if (!is_permitted(c, size, increments)) {
		st.status = GENERAL;
		return;
	}
	if (!ap_is_open(ap_of(c)) || !begin_block(ap_of(c), addr, csw_of(c, size, increments)))
		return;
	for (size_t i = 0; i + size <= len && st.status == OK; i += size) {
		uint32_t at = increments ? addr + (uint32_t)i : addr, value = 0;

		for (unsigned k = 0; k < size; k++)
			value |= (uint32_t)data[i + k] << 8 * k;
		value <<= 8 * (at & 3);
		note_fault(access_at(ap_of(c), at, true, &value), at);
	}
}

uint8_t stlink_read_word(uint32_t addr, uint32_t *value)
{
	*value = 0;
	if (!begin_block(0, addr, CSW_DEFAULT | 2))
		return st.status;
	note_fault(dap_ap_read(0, DRW, value), addr);
	return st.status;
}

uint8_t stlink_write_word(uint32_t addr, uint32_t value)
{
	if (!begin_block(0, addr, CSW_DEFAULT | 2))
		return st.status;
	note_fault(dap_ap_write(0, DRW, value), addr);
	return st.status;
}

/* A list of operations: 1 sets the address of writes, 2 writes, 3 reads, 5 sets the AP. */
void stlink_run_list(const uint8_t *ops, size_t n)
{
	const uint8_t *words = ops + (n + 3) / 4 * 4;
	size_t waits = is_to_wait() ? n / 2 : n;	/* one of them meets WAIT */
	uint32_t addr = 0;

	st.misc_items = n;
	st.in_list = true;
	for (size_t i = 0; i < n; i++) {
		uint32_t word = get_le32(words + 4 * i), value = 0;
		uint8_t status = OK;

		if (i == waits)
			status = DP_WAIT;
		else if (ops[i] == 1)
			addr = word;
		else if (ops[i] == 2)
			status = stlink_write_word(addr, word);
		else if (ops[i] == 3)
			status = stlink_read_word(word, &value);
		else if (ops[i] != 5)
			device_violation("operation %u in a list", ops[i]);
		put_le32(st.misc + 4 * i, value);
		put_le32(st.misc + 4 * (n + i), status);
	}
	st.in_list = false;
}

/* --- registers of the debug port, of an access port, of the core */

static enum dap_ack in_bank(unsigned reg, bool writes, uint32_t *value)
{
	bool banked = (reg >> 4) != 0 && st.firmware >= (st.is_v3 ? 2 : 32);
	enum dap_ack ack = DAP_OK;

	if (banked)
		ack = dap_write(false, 8, reg >> 4);
	if (ack == DAP_OK)
		ack = writes ? dap_write(false, reg & 12, *value) : dap_read(false, reg & 12, value);
	if (banked)
		dap_write(false, 8, 0);
	return ack;
}

void stlink_access_dap(const uint8_t *c, bool writes)
{
	unsigned port = get_le16(c + 2), reg = get_le16(c + 4);
	uint32_t value = get_le32(c + 6);
	uint8_t status = NO_DEVICE;

	if (st.mode != MODE_DEBUG)
		device_violation("command %02x outside debug mode", c[1]);
	else if (port == DP_PORT)
		status = status_of(in_bank(reg, writes, &value));
	else if ((reg != IDR || writes) && !ap_is_open(port))
		status = BAD_AP;
	else
		status = status_of(writes ? dap_ap_write(port, reg, value) : dap_ap_read(port, reg, &value));
	if (writes)
		stlink_reply_status(status);
	else
		stlink_reply_value(status, value);
}

enum { DCRSR = 0xe000edf4, DCRDR = 0xe000edf8, DCRSR_WRITES = 1 << 16 };

void stlink_read_register(unsigned number)
{
	uint32_t value;
	uint8_t status = stlink_write_word(DCRSR, number);

	if (status == OK)
		status = stlink_read_word(DCRDR, &value);
	stlink_reply_value(status, value);
}

void stlink_write_register(unsigned number, uint32_t value)
{
	uint8_t status = stlink_write_word(DCRDR, value);

	stlink_reply_status(status == OK ? stlink_write_word(DCRSR, number | DCRSR_WRITES) : status);
}
