/* Clocks a transfer out bit by bit: 8 request, turnaround, 3 acknowledge, 32 data and parity, turnaround: 46 clocks
 * with a turnaround of 1, and the idle clocks that the host asked for. Source: Arm IHI 0031, Serial Wire Debug. */
#include "probes/virtual/wire/swd_pins.h"
#include "base/util.h"

enum { ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4, DATA_BITS = 33 };

uint64_t pt_vswd_now_ns(struct pt_vswd *swd)
{
	return pt_vclock_now_ns(&swd->clock);
}

void pt_vswd_idle_until(struct pt_vswd *swd, uint64_t at_ns)
{
	pt_vclock_idle_until(&swd->clock, at_ns);
}

void pt_vswd_set_clock(struct pt_vswd *swd, uint32_t swclk_hz)
{
	pt_vclock_set(&swd->clock, swclk_hz);
}

unsigned pt_vswd_clock(struct pt_vswd *swd, bool drive, unsigned bit)
{
	unsigned level = pt_vdp_clock(&swd->dp, drive, bit);

	swd->clock.clocks++;
	if (swd->has_second)	/* what neither of them pulls low is high */
		level &= pt_vdp_clock(&swd->second, drive, bit);
	return level;
}

bool pt_vswd_target_drives(const struct pt_vswd *swd)
{
	return pt_vdp_drives(&swd->dp) || (swd->has_second && pt_vdp_drives(&swd->second));
}

unsigned pt_vswd_level(const struct pt_vswd *swd)
{
	return pt_vdp_level(&swd->dp) & (swd->has_second ? pt_vdp_level(&swd->second) : 1);
}

static void send(struct pt_vswd *swd, uint64_t bits, unsigned n_bits)
{
	for (unsigned i = 0; i < n_bits; i++)
		pt_vswd_clock(swd, true, bits >> i & 1);
}

static uint64_t receive(struct pt_vswd *swd, unsigned n_bits)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n_bits; i++)
		bits |= (uint64_t)pt_vswd_clock(swd, false, 0) << i;
	return bits;
}

static uint64_t with_parity(uint32_t value)
{
	return value | (uint64_t)__builtin_parity(value) << 32;
}

static uint8_t framed(uint8_t request)
{
	uint8_t bits = request & (PT_VREQ_AP | PT_VREQ_READ | PT_VREQ_A);

	return (uint8_t)(0x81 | bits << 1 | __builtin_parity(bits) << 5);
}

static unsigned data(struct pt_vswd *swd, bool read, uint32_t *value)
{
	uint64_t bits;

	if (!read) {
		receive(swd, swd->turnaround);
		send(swd, with_parity(*value), DATA_BITS);
		return ACK_OK;
	}
	bits = receive(swd, DATA_BITS);
	receive(swd, swd->turnaround);
	*value = (uint32_t)bits;
	return bits == with_parity(*value) ? ACK_OK : PT_VSWD_PROTOCOL;
}

static void refused(struct pt_vswd *swd, bool read)
{
	if (swd->data_phase && read)
		receive(swd, DATA_BITS);
	receive(swd, swd->turnaround);
	if (swd->data_phase && !read)
		send(swd, 0, DATA_BITS);
}

static unsigned one_transfer(struct pt_vswd *swd, uint8_t request, uint32_t *value)
{
	bool read = (request & PT_VREQ_READ) != 0;
	unsigned ack;

	send(swd, framed(request), 8);
	receive(swd, swd->turnaround);
	ack = (unsigned)receive(swd, 3);
	if (ack == ACK_OK) {
		ack = data(swd, read, value);
		send(swd, 0, swd->idle_cycles);
	} else if (ack == ACK_WAIT || ack == ACK_FAULT) {
		refused(swd, read);
	} else {		/* the target may be about to send: let it finish */
		receive(swd, swd->turnaround + DATA_BITS);
		ack = PT_VSWD_NO_ACK;
	}
	return ack;
}

static void set_nreset(struct pt_vswd *swd, bool by_host, bool by_fault)
{
	bool was_low = swd->host_reset || swd->fault_reset;

	swd->host_reset = by_host;
	swd->fault_reset = by_fault;
	if (was_low == (by_host || by_fault))
		return;
	pt_vpace_to(swd->pace, pt_vswd_now_ns(swd));
	swd->pace->ops->set_nreset(swd->pace->board, !was_low);
}

void pt_vswd_set_nreset(struct pt_vswd *swd, bool low)
{
	set_nreset(swd, low, swd->fault_reset);
}

static void set_power(struct pt_vswd *swd, bool off)
{
	if (off == swd->power_off)
		return;
	swd->power_off = off;
	pt_vpace_to(swd->pace, pt_vswd_now_ns(swd));
	swd->pace->ops->set_power(swd->pace->board, !off);
	pt_vdp_power(&swd->dp, !off);
	if (swd->has_second)
		pt_vdp_power(&swd->second, !off);
}

static struct pt_vdp *selected(struct pt_vswd *swd)
{
	return swd->has_second && swd->second.selection == PT_VDP_SELECTED ? &swd->second : &swd->dp;
}

static void begin_transfer(struct pt_vswd *swd)
{
	enum pt_vfault fault = pt_vfault_of_transfer(swd->faults, ++swd->transfers);

	set_power(swd, fault == PT_VFAULT_POWER);
	set_nreset(swd, swd->host_reset, fault == PT_VFAULT_RESET);
	if (fault == PT_VFAULT_WAIT || fault == PT_VFAULT_FAULT)
		selected(swd)->forced_ack = fault == PT_VFAULT_WAIT ? ACK_WAIT : ACK_FAULT;
}

unsigned pt_vswd_transfer(struct pt_vswd *swd, uint8_t request, uint32_t *value)
{
	unsigned ack;

	begin_transfer(swd);
	swd->whole = true;
	ack = one_transfer(swd, request, value);
	swd->whole = false;
	return ack;
}

/* What a host makes of bits is known for a transfer by the port that takes it. */
static void on_request(void *arg)
{
	struct pt_vswd *swd = arg;

	if (!swd->whole && selected(swd) == &swd->dp && swd->pace->ops->dpidr != NULL)
		begin_transfer(swd);
}

static void on_request_of_second(void *arg)
{
	struct pt_vswd *swd = arg;

	if (!swd->whole && selected(swd) == &swd->second)
		begin_transfer(swd);
}

static struct pt_vap *ap_of_board(void *arg, unsigned apsel)
{
	struct pt_vswd *swd = arg;

	return swd->pace->ops->ap(swd->pace->board, apsel);
}

static struct pt_vap *ap_of_second(void *arg, unsigned apsel)
{
	struct pt_vswd *swd = arg;

	return swd->pace->ops->second_ap(swd->pace->board, apsel);
}

static void sync_board(void *arg)
{
	struct pt_vswd *swd = arg;

	pt_vpace_to(swd->pace, pt_vswd_now_ns(swd));
}

static void rescue_board(void *arg)
{
	sync_board(arg);
	pt_vswd_set_nreset(arg, true);
	pt_vswd_set_nreset(arg, false);
}

static void init_second(struct pt_vswd *swd)
{
	const struct pt_vdp_board board = {
		.arg = swd, .ap = ap_of_second, .sync = sync_board, .request = on_request_of_second,
	};
	const struct pt_vboard_ops *ops = swd->pace->ops;
	uint32_t targetsel = ops->second_targetsel != NULL ? ops->second_targetsel(swd->pace->board) : 0;

	swd->has_second = targetsel != 0;
	if (swd->has_second)
		pt_vdp_init(&swd->second, &board, ops->dpidr(swd->pace->board), targetsel);
}

void pt_vswd_init(struct pt_vswd *swd, struct pt_vpace *pace, struct pt_vfaults *faults, uint32_t swclk_hz)
{
	struct pt_vdp_board board = { .arg = swd, .ap = ap_of_board, .sync = sync_board, .rescue = rescue_board, .request = on_request };

	*swd = (struct pt_vswd){ .pace = pace, .faults = faults, .turnaround = 1, .clock.hz = swclk_hz };
	pt_vdp_init(&swd->dp, &board, pace->ops->dpidr != NULL ? pace->ops->dpidr(pace->board) : 0,
		    pace->ops->targetsel != NULL ? pace->ops->targetsel(pace->board) : 0);
	if (pace->ops->dpidr == NULL)	/* a cable without a debug port */
		pt_vdp_power(&swd->dp, false);
	init_second(swd);
}
