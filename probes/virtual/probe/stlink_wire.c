/* What the firmware of an ST-Link does on SWD: SELECT by itself, values of access ports fetched from RDBUFF, blocks with
 * the increment of TAR. */
#include "probes/virtual/probe/stlink_parts.h"

enum { ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4 };
enum { DP_ABORT = 0, DP_CTRL_STAT = 4, DP_SELECT = 8, DP_RDBUFF = 0xc };
enum { AP_CSW = 0, AP_TAR = 4, AP_DRW = 0xc, AP_IDR = 0xfc };
enum { CSW_COUNTS = 1 << 4, CSW_LOW = 0xff };
#define POWER_REQUEST UINT32_C(0x50000000)
#define POWER_ACK UINT32_C(0xa0000000)
enum { POWER_TRIES = 100, BORDER = 1024 };

/* --- single accesses */

static uint8_t swd_access(struct pt_vstlink *st, bool ap, bool read, uint8_t a, uint32_t *value)
{
	unsigned ack =
		pt_vswd_transfer(&st->swd, (uint8_t)((ap ? PT_VREQ_AP : 0) | (read ? PT_VREQ_READ : 0) | a), value);
	uint8_t kind = ap ? ST_AP_WAIT : ST_DP_WAIT;

	switch (ack) {
	case ACK_OK:
		return ST_OK;
	case ACK_WAIT:
		return kind;
	case ACK_FAULT:
		return (uint8_t)(kind + ST_AP_FAULT - ST_AP_WAIT);
	case PT_VSWD_PROTOCOL:
		return (uint8_t)(kind + ST_AP_PARITY - ST_AP_WAIT);
	default:
		return (uint8_t)(kind + ST_AP_ERROR - ST_AP_WAIT);
	}
}

static uint8_t access_port(struct pt_vstlink *st, bool ap, bool read, uint8_t a, uint32_t *value)
{
	return st->on_jtag ? st_jtag_access(st, ap, read, a, value) : swd_access(st, ap, read, a, value);
}

static uint8_t select_bank(struct pt_vstlink *st, uint32_t select)
{
	uint8_t status = ST_OK;

	if (st->select_known && st->select == select)
		return ST_OK;
	status = access_port(st, false, false, DP_SELECT, &select);
	st->select = select;
	st->select_known = status == ST_OK;
	return status;
}

static uint32_t dp_bank(const struct pt_vstlink *st, unsigned addr)
{
	return st_has(st, 32, 2) ? addr >> 4 & 0xf : 0;
}

uint8_t st_read_dp(struct pt_vstlink *st, unsigned addr, uint32_t *value)
{
	bool one_late = st->on_jtag && !st_has(st, 32, 2);
	uint8_t a = addr & 0xc, status = ST_OK;
	uint32_t late = st->late;

	*value = 0;
	if (a == DP_CTRL_STAT)
		status = select_bank(st, (st->select & ~0xfu) | dp_bank(st, addr));
	if (status == ST_OK)
		status = access_port(st, false, true, a, value);
	st->late = *value;
	if (one_late)
		*value = late;
	return status;
}

uint8_t st_write_dp(struct pt_vstlink *st, unsigned addr, uint32_t value)
{
	uint8_t a = addr & 0xc, status = ST_OK;

	if (a == DP_SELECT) {
		st->select = value;
		st->select_known = true;
	}
	if (a == DP_CTRL_STAT)
		status = select_bank(st, (st->select & ~0xfu) | dp_bank(st, addr));
	return status == ST_OK ? access_port(st, false, false, a, &value) : status;
}

/* An access port's value comes un-posted. */
static uint8_t fetch(struct pt_vstlink *st, uint8_t a, uint32_t *value)
{
	uint8_t status = access_port(st, true, true, a, value);

	return status == ST_OK && !st->on_jtag ? swd_access(st, false, true, DP_RDBUFF, value) : status;
}

static uint8_t ask_for_power(struct pt_vstlink *st)
{
	uint32_t value = 0;
	uint8_t status = ST_OK;

	if (st->power_asked)
		return ST_OK;
	st->power_asked = true;
	status = st_write_dp(st, DP_CTRL_STAT, POWER_REQUEST);
	for (int i = 0; i < POWER_TRIES && status == ST_OK && (value & POWER_ACK) != POWER_ACK; i++) {
		status = select_bank(st, st->select & ~0xfu);
		if (status == ST_OK)
			status = access_port(st, false, true, DP_CTRL_STAT, &value);
	}
	return status;
}

static uint8_t select_ap(struct pt_vstlink *st, unsigned ap, unsigned reg)
{
	bool needs_open = st_has(st, 28, 1) && reg != AP_IDR;
	uint8_t status;

	if (ap > 255 || (!st_has(st, 28, 1) && ap != 0) || (needs_open && !st->open[ap]))
		return ST_BAD_AP;
	status = ask_for_power(st);
	return status == ST_OK ? select_bank(st, (uint32_t)ap << 24 | (reg & 0xf0)) : status;
}

uint8_t st_read_ap(struct pt_vstlink *st, unsigned ap, unsigned reg, uint32_t *value)
{
	uint8_t status = select_ap(st, ap, reg);

	*value = 0;
	return status == ST_OK ? fetch(st, reg & 0xc, value) : status;
}

/* Posted: how it ended shows later. */
uint8_t st_write_ap(struct pt_vstlink *st, unsigned ap, unsigned reg, uint32_t value)
{
	uint8_t status = select_ap(st, ap, reg);

	if (ap == st->csw_ap && reg == AP_CSW)
		st->csw_known = false;
	return status == ST_OK ? access_port(st, true, false, reg & 0xc, &value) : status;
}

uint8_t st_open_ap(struct pt_vstlink *st, unsigned ap)
{
	uint32_t idr = 0;
	uint8_t status = ap <= 255 ? st_read_ap(st, ap, AP_IDR, &idr) : ST_BAD_AP;

	if (status == ST_OK && idr == 0)
		return ST_BAD_AP;
	if (status == ST_OK)
		st->open[ap] = true;
	return status;
}

/* --- blocks */

static uint8_t set_csw(struct pt_vstlink *st, const struct st_block *block)
{
	uint32_t csw = block->csw_high |
		       (block->size == 4   ? 2
			: block->size == 2 ? 1
					   : 0) |
		       (block->counts ? CSW_COUNTS : 0);
	uint8_t status;

	if (st->csw_known && st->csw_ap == block->ap && st->csw == csw)
		return ST_OK;
	status = access_port(st, true, false, AP_CSW, &csw);
	st->csw = csw;
	st->csw_ap = block->ap;
	st->csw_known = status == ST_OK;
	return status;
}

static uint8_t begin_block(struct pt_vstlink *st, const struct st_block *block)
{
	uint32_t tar = block->addr;
	uint8_t status = select_ap(st, block->ap, AP_DRW);

	if (status == ST_OK)
		status = set_csw(st, block);
	return status == ST_OK ? access_port(st, true, false, AP_TAR, &tar) : status;
}

static uint32_t addr_of(const struct st_block *block, size_t i)
{
	return block->counts ? block->addr + (uint32_t)(i * block->size) : block->addr;
}

static void put_element(const struct st_block *block, size_t i, uint32_t value, uint8_t *bytes)
{
	value >>= 8 * (addr_of(block, i) & (4 - block->size));
	for (unsigned b = 0; b < block->size; b++)
		bytes[i * block->size + b] = (uint8_t)(value >> 8 * b);
}

static uint32_t get_element(const struct st_block *block, size_t i, const uint8_t *bytes)
{
	uint32_t value = 0;

	for (unsigned b = 0; b < block->size; b++)
		value |= (uint32_t)bytes[i * block->size + b] << 8 * b;
	return value << 8 * (addr_of(block, i) & (4 - block->size));
}

/* The increment carries no further than 1 KiB, so TAR is written again there. Pieces, each by the function. */
typedef uint8_t do_piece(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr);

static uint8_t in_pieces(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr,
			 do_piece *run)
{
	bool crosses = block->counts && !st->on_jtag && st_has(st, 32, 2);
	struct st_block piece = *block;
	uint8_t status = ST_OK;

	for (size_t done = 0; status == ST_OK && done < block->n; done += piece.n) {
		piece.addr = addr_of(block, done);
		piece.n = block->n - done;
		if (crosses && piece.n > (BORDER - piece.addr % BORDER) / block->size)
			piece.n = (BORDER - piece.addr % BORDER) / block->size;
		status = run(st, &piece, bytes + done * block->size, fault_addr);
	}
	return status;
}

/* Each read brings the value of the one before, and RDBUFF the last. By JTAG a scan brings its own, as it is done twice. */
static uint8_t read_piece(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr)
{
	uint8_t status = begin_block(st, block);
	unsigned behind = st->on_jtag ? 0 : 1;
	size_t i = 0;

	for (; status == ST_OK && i < block->n + behind; i++) {
		uint32_t value = 0;
		bool last = i == block->n;

		status = access_port(st, !last, true, last ? DP_RDBUFF : AP_DRW, &value);
		if (status == ST_OK && i >= behind)
			put_element(block, i - behind, value, bytes);
	}
	*fault_addr = addr_of(block, i > behind ? i - behind - 1 : 0);
	return status;
}

static uint8_t write_piece(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr)
{
	uint8_t status = begin_block(st, block);
	uint32_t unused;
	size_t i = 0;

	for (; status == ST_OK && i < block->n; i++) {
		uint32_t value = get_element(block, i, bytes);

		status = access_port(st, true, false, AP_DRW, &value);
	}
	if (status == ST_OK && !st->on_jtag) {
		status = swd_access(st, false, true, DP_RDBUFF, &unused);
		i++;
	}
	*fault_addr = addr_of(block, i > 1 ? i - 2 : 0);
	return status;
}

uint8_t st_read_block(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr)
{
	return in_pieces(st, block, bytes, fault_addr, read_piece);
}

uint8_t st_write_block(struct pt_vstlink *st, const struct st_block *block, const uint8_t *bytes, uint32_t *fault_addr)
{
	return in_pieces(st, block, (uint8_t *)bytes, fault_addr, write_piece);
}

/* --- entering */

static void send(struct pt_vstlink *st, uint64_t bits, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pt_vswd_clock(&st->swd, true, bits >> i & 1);
}

/* Line reset, the switch from JTAG, line reset, idle. Source: Arm IHI 0031, SWJ-DP select sequences. */
static uint8_t swd_enter(struct pt_vstlink *st)
{
	send(st, UINT64_MAX, 56);
	send(st, 0xe79e, 16);
	send(st, UINT64_MAX, 56);
	send(st, 0, 8);
	return swd_access(st, false, true, 0, &st->idcode) == ST_OK ? ST_OK : ST_NO_IDCODE;
}

uint8_t st_enter(struct pt_vstlink *st, bool jtag)
{
	st->on_jtag = jtag;
	st->select_known = st->csw_known = st->power_asked = false;
	st->select = 0;
	for (unsigned i = 0; i < 256; i++)
		st->open[i] = false;
	return jtag ? st_jtag_enter(st) : swd_enter(st);
}
