/* Each access to the target first advances it to the wire's time. */
#include "probes/virtual/wire/bkgd.h"
#include "base/util.h"

/* A quarter off is still understood: bits are sampled at 10 of 16 cycles. Source: 4.1 */
enum { DEFAULT_HZ = 8000000, CLOCK_TOLERANCE = 4 };
#define SYNC_TIMEOUT_NS (2 * PT_NS_PER_MS)
#define ACK_STEP_NS (PT_NS_PER_MS / 10)			/* how often GO_UNTIL is looked after */

static void bring_board(struct pt_vbkgd *wire)
{
	pt_vpace_to(wire->pace, wire->ns);
}

void pt_vbkgd_cycles(struct pt_vbkgd *wire, uint64_t cycles)
{
	uint64_t scaled = cycles * PT_NS_PER_S + wire->remainder;

	wire->ns += scaled / wire->hz;
	wire->remainder = scaled % wire->hz;
}

void pt_vbkgd_idle_until(struct pt_vbkgd *wire, uint64_t at_ns)
{
	if (wire->ns >= at_ns)
		return;
	wire->ns = at_ns;
	wire->remainder = 0;
}

void pt_vbkgd_set_hz(struct pt_vbkgd *wire, uint32_t hz)
{
	wire->hz = hz;
	wire->remainder = 0;
}

/* --- pins */

static void set_reset(struct pt_vbkgd *wire, bool by_host, bool by_fault)
{
	bool was_low = wire->host_reset || wire->fault_reset;

	wire->host_reset = by_host;
	wire->fault_reset = by_fault;
	if (was_low == (by_host || by_fault))
		return;
	bring_board(wire);
	wire->pace->ops->set_nreset(wire->pace->board, !was_low);
}

static void set_power(struct pt_vbkgd *wire, bool off_by_host, bool off_by_fault)
{
	bool was_off = wire->host_off || wire->fault_off;

	wire->host_off = off_by_host;
	wire->fault_off = off_by_fault;
	if (was_off == (off_by_host || off_by_fault))
		return;
	bring_board(wire);
	wire->pace->ops->set_power(wire->pace->board, was_off);
}

void pt_vbkgd_drive_bkgd(struct pt_vbkgd *wire, bool high)
{
	wire->bkgd_low = !high;
	wire->bdc->bkgd_low = !high;
}

void pt_vbkgd_drive_reset(struct pt_vbkgd *wire, bool high)
{
	set_reset(wire, !high, wire->fault_reset);
}

void pt_vbkgd_power(struct pt_vbkgd *wire, bool on)
{
	set_power(wire, !on, wire->fault_off);
}

bool pt_vbkgd_has_power(const struct pt_vbkgd *wire)
{
	return !wire->host_off && !wire->fault_off;
}

/* --- faults, one command after the other */

static void next_command(struct pt_vbkgd *wire)
{
	enum pt_vfault fault = pt_vfault_of_transfer(wire->faults, ++wire->commands);

	set_power(wire, wire->host_off, fault == PT_VFAULT_POWER);
	set_reset(wire, wire->host_reset, fault == PT_VFAULT_RESET);
	wire->bdc->clocked = fault != PT_VFAULT_CLOCK;
	wire->deaf = fault == PT_VFAULT_WAIT;
	wire->bdc->refuse_next = fault == PT_VFAULT_FAULT;
}

void pt_vbkgd_give_up(struct pt_vbkgd *wire)
{
	next_command(wire);
}

/* What is sent now begins a command: the one before is whole, or was given up. */
static bool is_opcode(const struct pt_vbkgd *wire)
{
	return wire->arguments == 0 || (wire->ns - wire->edge_ns) / 1000 * wire->hz / 1000000 > PT_VBDC_SOFT_RESET;
}

/* The target takes the probe's bits for what they are. */
static bool understood(const struct pt_vbkgd *wire)
{
	uint32_t target = pt_vbdc_hz(wire->bdc);
	uint32_t off = target > wire->hz ? target - wire->hz : wire->hz - target;

	return pt_vbdc_alive(wire->bdc) && !wire->deaf && !wire->host_reset && !wire->fault_reset && !wire->bkgd_low &&
	       off <= target / CLOCK_TOLERANCE;
}

/* --- bits */

uint32_t pt_vbkgd_sync(struct pt_vbkgd *wire)
{
	uint64_t end_ns;
	uint32_t hz;

	wire->arguments = 0;
	next_command(wire);
	bring_board(wire);
	hz = pt_vbdc_hz(wire->bdc);
	if (!pt_vbdc_alive(wire->bdc) || wire->deaf || wire->host_reset || wire->fault_reset || wire->bkgd_low) {
		pt_vbkgd_idle_until(wire, wire->ns + SYNC_TIMEOUT_NS);
		return 0;
	}
	pt_vbkgd_set_hz(wire, hz);
	pt_vbkgd_cycles(wire, PT_VBDC_SYNC_LOW);	/* the host's own pulse */
	end_ns = pt_vbdc_sync(wire->bdc, wire->ns);
	pt_vbkgd_idle_until(wire, end_ns);
	bring_board(wire);
	return hz;
}

void pt_vbkgd_send(struct pt_vbkgd *wire, uint8_t byte)
{
	uint64_t first_ns = wire->ns;

	if (is_opcode(wire)) {
		next_command(wire);
		wire->arguments = pt_vbdc_arguments(byte);
	} else {
		wire->arguments--;
	}
	pt_vbkgd_cycles(wire, 8 * PT_VBDC_BIT);
	wire->edge_ns = wire->ns;
	bring_board(wire);
	if (understood(wire))
		pt_vbdc_in(wire->bdc, first_ns, wire->ns, byte);
}

uint8_t pt_vbkgd_receive(struct pt_vbkgd *wire)
{
	uint64_t first_ns = wire->ns;

	pt_vbkgd_cycles(wire, 8 * PT_VBDC_BIT);
	bring_board(wire);
	return understood(wire) ? pt_vbdc_out(wire->bdc, first_ns, wire->ns) : 0xff;	/* the pull-up */
}

enum pt_vbkgd_ack pt_vbkgd_ack(struct pt_vbkgd *wire, uint64_t most_ns)
{
	uint64_t give_up_ns = wire->ns + most_ns, at_ns = PT_UNKNOWN, step_ns;
	bool is_long = false;

	while (understood(wire) && pt_vbdc_ack(wire->bdc, &at_ns, &is_long)) {
		if (at_ns != PT_UNKNOWN && at_ns <= give_up_ns) {
			pt_vbkgd_idle_until(wire, at_ns);
			bring_board(wire);
			pt_vbdc_ack_taken(wire->bdc);
			return is_long ? PT_VBKGD_LONG_ACK : PT_VBKGD_ACK;
		}
		if (at_ns != PT_UNKNOWN || wire->ns >= give_up_ns)
			break;
		step_ns = give_up_ns - wire->ns < ACK_STEP_NS ? give_up_ns - wire->ns : ACK_STEP_NS;
		pt_vbkgd_idle_until(wire, wire->ns + step_ns);
		bring_board(wire);
	}
	pt_vbkgd_idle_until(wire, give_up_ns);
	bring_board(wire);
	return PT_VBKGD_NO_ACK;
}

void pt_vbkgd_init(struct pt_vbkgd *wire, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	*wire = (struct pt_vbkgd){ .pace = pace, .faults = faults, .hz = DEFAULT_HZ };
	wire->bdc = pace->ops->bdc(pace->board);
}
