/* Two layers: a shifter that follows the line clock by clock, and below it what a complete request means. */
#include "probes/virtual/wire/swd_dp.h"

enum { LINE_RESET_ONES = 50, LINE_RESET_LOWS = 2 };
enum { JTAG_TO_SWD = 0xe79e, SWD_TO_JTAG = 0xe73c, SWITCH_BITS = 16 };
enum { ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4, ACK_NONE = 7 };
enum { REQUEST_BITS = 8, ACK_BITS = 3, DATA_BITS = 33 };
enum { ALERT_BITS = 128, ACTIVATION_LOWS = 4, ACTIVATION_BITS = 8, ACTIVATE_SWD = 0x1a };

enum {				/* CTRL/STAT. Source: IHI 0031, "CTRL/STAT, Control/Status register" */
	ORUNDETECT = 1u << 0,
	STICKYORUN = 1u << 1,
	STICKYCMP = 1u << 4,
	STICKYERR = PT_VDP_STICKYERR,
	READOK = 1u << 6,
	WDATAERR = 1u << 7,
	STICKY = STICKYORUN | STICKYCMP | STICKYERR | WDATAERR,
};
#define CDBGRSTREQ	(UINT32_C(1) << 26)
#define CDBGPWRUPREQ	(UINT32_C(1) << 28)
#define CSYSPWRUPREQ	(UINT32_C(1) << 30)
/* MINDP: no TRNMODE, TRNCNT, MASKLANE. */
#define CTRL_WRITABLE	(ORUNDETECT | CDBGRSTREQ | CDBGPWRUPREQ | CSYSPWRUPREQ)

enum {				/* ABORT. Source: IHI 0031, "ABORT, AP Abort register" */
	DAPABORT = 1 << 0, STKCMPCLR = 1 << 1, STKERRCLR = 1 << 2, WDERRCLR = 1 << 3, ORUNERRCLR = 1 << 4,
};

enum { TRANSFER_CLOCKS = 46 };
enum { POWER_ACK_CLOCKS = 48 };	/* our choice: one transfer later, so that a host that does not poll is caught */

/* Request byte, LSB first on the wire: start, APnDP, RnW, A2, A3, parity, stop, park. */
static bool is_ap(const struct pt_vdp *dp) { return (dp->request & 2) != 0; }
static bool is_read(const struct pt_vdp *dp) { return (dp->request & 4) != 0; }
static unsigned address(const struct pt_vdp *dp) { return (dp->request >> 1) & 0xc; }

static unsigned parity(uint32_t value)
{
	return (unsigned)__builtin_parity(value);
}

static bool well_formed(uint8_t request)
{
	return parity((request >> 1) & 0xf) == ((request >> 5) & 1) && (request & 0xc0) == 0x80;
}

/* --- what requests mean */

static uint32_t ctrl_stat(const struct pt_vdp *dp)
{
	uint32_t requests = dp->ctrl & (CDBGPWRUPREQ | CSYSPWRUPREQ);

	return dp->ctrl | (dp->clocks >= dp->power_ack_at ? requests << 1 : 0);
}

/* By JTAG its TAP is its own. */
static bool all_answer(const struct pt_vdp *dp)
{
	return dp->targetsel != 0 && dp->swd && dp->selection == PT_VDP_ALL_SELECTED;
}

static bool ap_powered(const struct pt_vdp *dp)
{
	return (ctrl_stat(dp) & CDBGPWRUPREQ << 1) != 0;
}

/* Try the posted access again until the AP has taken it. */
static void settle(struct pt_vdp *dp)
{
	enum pt_vack ack = PT_VACK_OK;
	struct pt_vap *ap;

	if (!dp->posted.active)
		return;
	dp->board.sync(dp->board.arg);
	ap = all_answer(dp) ? NULL : dp->board.ap(dp->board.arg, dp->posted.apsel);
	if (!dp->posted.write)
		dp->rdbuff = 0;
	if (ap != NULL && dp->posted.write)
		ack = ap->write(ap->arg, dp->posted.reg, dp->posted.value);
	else if (ap != NULL)
		ack = ap->read(ap->arg, dp->posted.reg, &dp->rdbuff);
	if (ack == PT_VACK_WAIT)
		return;
	dp->posted.active = false;
	if (ack != PT_VACK_OK)
		dp->ctrl |= STICKYERR;
}

static void post(struct pt_vdp *dp, bool write, uint32_t value)
{
	if (!ap_powered(dp)) {
		dp->ctrl |= STICKYERR;
		return;
	}
	dp->posted.active = true;
	dp->posted.write = write;
	dp->posted.apsel = (uint8_t)(dp->select >> 24);
	dp->posted.reg = (uint8_t)((dp->select & 0xf0) | address(dp));
	dp->posted.value = value;
	settle(dp);
}

/* Reads of DPIDR and CTRL/STAT and writes of ABORT always work: they are the way out of trouble. */
static bool always_allowed(const struct pt_vdp *dp)
{
	unsigned reg = address(dp);

	return !is_ap(dp) && (reg == 0 || (reg == 4 && is_read(dp)));
}

static unsigned take_forced(struct pt_vdp *dp)
{
	unsigned forced = dp->forced_ack;

	dp->forced_ack = 0;
	if (forced == ACK_FAULT)
		dp->ctrl |= STICKYERR;
	return forced;
}

static unsigned refusal(struct pt_vdp *dp)
{
	unsigned forced = take_forced(dp);

	settle(dp);
	if (dp->posted.active || forced == ACK_WAIT)
		return ACK_WAIT;
	return (dp->ctrl & STICKY) != 0 ? ACK_FAULT : ACK_OK;
}

static unsigned acknowledge(struct pt_vdp *dp)
{
	unsigned ack;

	if (dp->selection == PT_VDP_DESELECTED)
		return ACK_NONE;
	if (!dp->identified && (is_ap(dp) || !is_read(dp) || address(dp) != 0))
		return ACK_NONE;
	dp->identified = true;
	ack = always_allowed(dp) ? ACK_OK : refusal(dp);
	if (ack == ACK_OK)
		return ack;
	if ((dp->ctrl & ORUNDETECT) != 0)
		dp->ctrl |= STICKYORUN;
	if (is_read(dp))
		dp->ctrl &= ~(uint32_t)READOK;
	return ack;
}

/* What is behind address 4. TARGETID and DLPIDR: version 2. */
static uint32_t read_bank(const struct pt_vdp *dp)
{
	switch (dp->select & 0xf) {
	case 1:
		return (dp->turnaround - 1) << 8;
	case 2:
		return dp->targetsel != 0 ? (dp->targetsel & 0x0fffffff) | 1 : ctrl_stat(dp);
	case 3:
		return dp->targetsel != 0 ? (dp->targetsel & 0xf0000000) | 1 : ctrl_stat(dp);
	default:
		return ctrl_stat(dp);
	}
}

static uint32_t read_dp(struct pt_vdp *dp)
{
	switch (address(dp)) {
	case 0:
		return dp->dpidr;
	case 4:
		return read_bank(dp);
	case 8:			/* RESEND */
	default:		/* RDBUFF */
		return dp->rdbuff;
	}
}

static uint32_t perform_read(struct pt_vdp *dp)
{
	uint32_t result = dp->rdbuff;

	if (!is_ap(dp))
		return read_dp(dp);
	dp->ctrl |= READOK;
	post(dp, false, 0);
	return result;
}

static void write_abort(struct pt_vdp *dp, uint32_t value)
{
	uint32_t clear = ((value & STKCMPCLR) != 0 ? STICKYCMP : 0) | ((value & STKERRCLR) != 0 ? STICKYERR : 0) |
			 ((value & WDERRCLR) != 0 ? WDATAERR : 0) | ((value & ORUNERRCLR) != 0 ? STICKYORUN : 0);

	dp->ctrl &= ~clear;
	if ((value & DAPABORT) != 0)
		dp->posted.active = false;
}

static void write_ctrl(struct pt_vdp *dp, uint32_t value)
{
	if ((value & CDBGPWRUPREQ) != 0 && all_answer(dp) && dp->board.rescue != NULL)
		dp->board.rescue(dp->board.arg);
	if ((dp->ctrl & CDBGPWRUPREQ) == 0 && (value & CDBGPWRUPREQ) != 0)
		dp->power_ack_at = dp->clocks + POWER_ACK_CLOCKS;
	dp->ctrl = (dp->ctrl & ~CTRL_WRITABLE) | (value & CTRL_WRITABLE);
}

static void write_dp(struct pt_vdp *dp, uint32_t value)
{
	switch (address(dp)) {
	case 0:
		write_abort(dp, value);
		break;
	case 4:
		if ((dp->select & 0xf) == 1)
			dp->turnaround = 1 + ((value >> 8) & 3);
		else
			write_ctrl(dp, value);
		break;
	case 8:
		dp->select = value;
		break;
	default:	/* TARGETSEL: it has its own way in. Version 1 has none */
		break;
	}
}

static void perform_write(struct pt_vdp *dp)
{
	uint32_t value = (uint32_t)dp->data;

	bool whole = parity(value) == (dp->data >> 32 & 1);

	if (dp->taking_targetsel)
		dp->selection = whole && value == dp->targetsel ? PT_VDP_SELECTED : PT_VDP_DESELECTED;
	else if (!whole)
		dp->ctrl |= WDATAERR;
	else if (is_ap(dp))
		post(dp, true, value);
	else
		write_dp(dp, value);
}

/* --- for another port */

static void address_as(struct pt_vdp *dp, bool ap, bool read, uint8_t a)
{
	dp->request = (uint8_t)((a & 0xc) << 1 | (read ? 4 : 0) | (ap ? 2 : 0));
}

bool pt_vdp_busy(struct pt_vdp *dp)
{
	settle(dp);
	return dp->posted.active;
}

static void on_request(struct pt_vdp *dp)
{
	if (dp->board.request != NULL)
		dp->board.request(dp->board.arg);
}

bool pt_vdp_meets_wait(struct pt_vdp *dp)
{
	on_request(dp);
	return take_forced(dp) == ACK_WAIT;
}

void pt_vdp_overrun(struct pt_vdp *dp)
{
	if ((dp->ctrl & ORUNDETECT) != 0)
		dp->ctrl |= STICKYORUN;
}

bool pt_vdp_has_error(const struct pt_vdp *dp)
{
	return (dp->ctrl & STICKY) != 0;
}

uint32_t pt_vdp_read(struct pt_vdp *dp, uint8_t a)
{
	address_as(dp, false, true, a);
	return read_dp(dp);
}

void pt_vdp_write(struct pt_vdp *dp, uint8_t a, uint32_t value)
{
	address_as(dp, false, false, a);
	write_dp(dp, value);
}

void pt_vdp_clear(struct pt_vdp *dp, uint32_t flags)
{
	dp->ctrl &= ~(flags & STICKY);
}

void pt_vdp_post(struct pt_vdp *dp, bool write, uint8_t a, uint32_t value)
{
	address_as(dp, true, !write, a);
	post(dp, write, value);
}

/* --- the shifter */

static void enter(struct pt_vdp *dp, enum pt_vdp_phase phase)
{
	dp->phase = phase;
	dp->bits = 0;
	dp->data = 0;
}

static void on_request_bit(struct pt_vdp *dp, unsigned bit)
{
	dp->request |= (uint8_t)(bit << dp->bits++);
	if (dp->bits == REQUEST_BITS)
		enter(dp, well_formed(dp->request) ? PT_VDP_TURN_TO_ACK : PT_VDP_SILENT);
}

/* First thing after a line reset TARGETSEL is written to all ports on the wire. */
static bool is_targetsel(const struct pt_vdp *dp)
{
	return dp->targetsel != 0 && dp->fresh && !is_ap(dp) && !is_read(dp) && address(dp) == 0xc;
}

static void begin_ack(struct pt_vdp *dp)
{
	uint8_t ack;

	dp->taking_targetsel = is_targetsel(dp);
	dp->fresh = false;
	if (dp->taking_targetsel) {
		enter(dp, PT_VDP_UNACKED);
		dp->ack = ACK_OK;
		return;
	}
	if (dp->selection != PT_VDP_DESELECTED)
		on_request(dp);
	if (!dp->powered)
		return;
	ack = (uint8_t)acknowledge(dp);
	enter(dp, ack == ACK_NONE ? PT_VDP_SILENT : PT_VDP_ACK);
	dp->ack = ack;
}

/* A refused request has a data phase only under overrun detection. */
static void begin_data(struct pt_vdp *dp)
{
	bool refused = dp->ack != ACK_OK;
	uint32_t value;

	if (refused && (dp->ctrl & ORUNDETECT) == 0) {
		enter(dp, PT_VDP_TURN_TO_IDLE);
	} else if (is_read(dp)) {
		value = refused ? 0 : perform_read(dp);
		enter(dp, PT_VDP_READ_DATA);
		dp->data = value | (uint64_t)parity(value) << 32;
	} else {
		enter(dp, PT_VDP_TURN_TO_WRITE);
	}
}

static void on_write_bit(struct pt_vdp *dp, unsigned bit)
{
	dp->data |= (uint64_t)bit << dp->bits++;
	if (dp->bits < DATA_BITS)
		return;
	if (dp->ack == ACK_OK)
		perform_write(dp);
	enter(dp, PT_VDP_IDLE);
}

static void turn(struct pt_vdp *dp, enum pt_vdp_phase next)
{
	if (++dp->bits < dp->turnaround)
		return;
	if (next == PT_VDP_ACK)
		begin_ack(dp);
	else
		enter(dp, next);
}

static void on_low_after_reset(struct pt_vdp *dp, unsigned bit)
{
	if (bit == 0)
		dp->lows++;
	else if (dp->lows >= LINE_RESET_LOWS)
		enter(dp, PT_VDP_IDLE);
	else if (dp->lows > 0)
		enter(dp, PT_VDP_SILENT);
}

static void begin_request(struct pt_vdp *dp)
{
	enter(dp, PT_VDP_REQUEST);
	dp->request = 1;
	dp->bits = 1;
}

/* Clocks in which the target listens. */
static void listen(struct pt_vdp *dp, unsigned bit)
{
	if (dp->phase == PT_VDP_RESET)
		on_low_after_reset(dp, bit);
	switch (dp->phase) {
	case PT_VDP_IDLE:
		if (bit != 0)
			begin_request(dp);
		break;
	case PT_VDP_REQUEST:
		on_request_bit(dp, bit);
		break;
	case PT_VDP_TURN_TO_ACK:
		turn(dp, PT_VDP_ACK);
		break;
	case PT_VDP_UNACKED:
		if (++dp->bits == ACK_BITS + dp->turnaround)
			enter(dp, PT_VDP_WRITE_DATA);
		break;
	case PT_VDP_TURN_TO_WRITE:
		turn(dp, PT_VDP_WRITE_DATA);
		break;
	case PT_VDP_TURN_TO_IDLE:
		turn(dp, PT_VDP_IDLE);
		break;
	case PT_VDP_WRITE_DATA:
		on_write_bit(dp, bit);
		break;
	default:
		break;
	}
}

/* Clocks in which the target drives the line. */
static unsigned drive(struct pt_vdp *dp)
{
	unsigned bit;

	if (dp->phase == PT_VDP_ACK) {
		bit = (dp->ack >> dp->bits) & 1u;
		if (++dp->bits == ACK_BITS)
			begin_data(dp);
		return bit;
	}
	bit = (unsigned)(dp->data >> dp->bits) & 1u;
	if (++dp->bits == DATA_BITS)
		enter(dp, PT_VDP_TURN_TO_IDLE);
	return bit;
}

/* A switching sequence begins with the first low after 50 highs or more. */
static void watch_for_switch(struct pt_vdp *dp, unsigned bit)
{
	if (bit == 0 && dp->ones >= LINE_RESET_ONES) {
		dp->switch_code = 0;
		dp->switch_bits = 1;
	} else if (dp->switch_bits > 0) {
		dp->switch_code |= (uint16_t)(bit << dp->switch_bits);
		if (++dp->switch_bits < SWITCH_BITS)
			return;
		dp->switch_bits = 0;
		if (dp->switch_code == JTAG_TO_SWD)
			dp->swd = true;
		if (dp->switch_code == SWD_TO_JTAG)
			dp->swd = false;
	}
}

/* Source: IHI 0031, "Dormant operation"; LSB first on the wire. */
static void watch_for_alert(struct pt_vdp *dp, unsigned bit)
{
	static const uint8_t alert[ALERT_BITS / 8] = {
		0x92, 0xf3, 0x09, 0x62, 0x95, 0x2d, 0x85, 0x86, 0xe9, 0xaf, 0xdd, 0xe3, 0xa2, 0x0e, 0xbc, 0x19,
	};
	unsigned at = dp->alert_bits;

	if (at < ALERT_BITS && bit != ((unsigned)alert[at / 8] >> at % 8 & 1)) {
		dp->alert_bits = bit == (alert[0] & 1);
		return;
	}
	if (at == 0)
		dp->activation = 0;
	if (at >= ALERT_BITS + ACTIVATION_LOWS)
		dp->activation |= (uint8_t)(bit << (at - ALERT_BITS - ACTIVATION_LOWS));
	if (++dp->alert_bits < ALERT_BITS + ACTIVATION_LOWS + ACTIVATION_BITS)
		return;
	dp->alert_bits = 0;
	dp->dormant = dp->activation != ACTIVATE_SWD;
	dp->swd = !dp->dormant;
}

static void watch_for_reset(struct pt_vdp *dp, unsigned bit)
{
	dp->ones = bit != 0 ? dp->ones + 1 : 0;
	if (dp->ones != LINE_RESET_ONES)
		return;
	enter(dp, dp->swd ? PT_VDP_RESET : PT_VDP_SILENT);
	dp->lows = 0;
	dp->identified = false;
	dp->fresh = true;
	dp->selection = PT_VDP_ALL_SELECTED;
	dp->turnaround = 1;
}

unsigned pt_vdp_clock(struct pt_vdp *dp, bool probe_drives, unsigned bit)
{
	dp->clocks++;
	if (!probe_drives)
		bit = 1;
	if (!dp->powered) {
		if (dp->clocks % TRANSFER_CLOCKS == 0)
			on_request(dp);
		return bit;
	}
	if (dp->phase == PT_VDP_ACK || dp->phase == PT_VDP_READ_DATA) {
		unsigned driven = drive(dp);

		if (!probe_drives) {
			dp->ones = 0;
			return driven;
		}
	} else {
		listen(dp, bit);
	}
	if (dp->dormant) {
		watch_for_alert(dp, bit);
		return bit;
	}
	watch_for_switch(dp, bit);
	watch_for_reset(dp, bit);
	return bit;
}

bool pt_vdp_drives(const struct pt_vdp *dp)
{
	return dp->powered && (dp->phase == PT_VDP_ACK || dp->phase == PT_VDP_READ_DATA);
}

unsigned pt_vdp_level(const struct pt_vdp *dp)
{
	if (!pt_vdp_drives(dp))
		return 1;
	return (unsigned)((dp->phase == PT_VDP_ACK ? dp->ack : dp->data) >> dp->bits) & 1u;
}

void pt_vdp_power(struct pt_vdp *dp, bool on)
{
	struct pt_vdp_board board = dp->board;
	uint32_t dpidr = dp->dpidr, targetsel = dp->targetsel;

	*dp = (struct pt_vdp){
		.board = board, .dpidr = dpidr, .targetsel = targetsel, .dormant = targetsel != 0, .powered = on,
		.turnaround = 1,
	};
}

void pt_vdp_init(struct pt_vdp *dp, const struct pt_vdp_board *board, uint32_t dpidr, uint32_t targetsel)
{
	dp->board = *board;
	dp->dpidr = dpidr;
	dp->targetsel = targetsel;
	pt_vdp_power(dp, true);
}
