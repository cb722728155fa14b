/* Cycles of a transfer are counted from the end of its request: 0 turn-around, 1..3 ACK; of a read 4..35 data, 36
 * parity, 37 turn-around; of a write 4 turn-around, 5..36 data, 37 parity. Without a data phase it ends with cycle 4. */
#include <string.h>

#include "dap.h"
#include "swd_pins.h"

enum { RESET_CYCLES = 50, LAST_CYCLE = 37, LAST_WITHOUT_DATA = 4, SWITCH_TO_SWD = 0xe79e };
enum { START = 1, APNDP = 2, RNW = 4, PARITY = 0x20, STOP = 0x40, PARK = 0x80 };

struct swd_counts swd_counts;
static struct {
	enum { JTAG, LOST, RESET, IDLE, REQUEST, TRANSFER } state;
	unsigned ones, bit, request, last_16;
	enum dap_ack ack;
	bool has_data, was_reset;	/* was_reset: DPIDR is to be read before all else */
	uint32_t data;
} swd;

void swd_power_on(void)
{
	memset(&swd, 0, sizeof(swd));
}

static bool is_odd(uint32_t value)
{
	return __builtin_parity(value);
}

/* No error is counted directly behind a reset, as a host may switch from JTAG what was switched before, nor where a reset
 * begins, which is nothing but ones. */
static void lose(void)
{
	swd_counts.protocol_errors += !swd.was_reset && swd.request != 0xff;
	swd.state = LOST;
}

bool swd_level(void)
{
	if (swd.state != TRANSFER)
		return true;
	if (swd.bit >= 1 && swd.bit <= 3)
		return swd.ack >> (swd.bit - 1) & 1;
	if ((swd.request & RNW) == 0 || !swd.has_data)
		return true;
	if (swd.bit >= 4 && swd.bit < 36)
		return swd.data >> (swd.bit - 4) & 1;
	return swd.bit == 36 ? is_odd(swd.data) : true;
}

static unsigned reg_of_request(void)
{
	return (swd.request >> 3 & 3) << 2;
}

static void begin_transfer(void)
{
	bool ap = (swd.request & APNDP) != 0;

	swd.bit = 0;
	swd.state = TRANSFER;
	swd.data = 0;
	if ((swd.request & RNW) != 0)
		swd.ack = dap_read(ap, reg_of_request(), &swd.data);
	else
		swd.ack = dap_may_write(ap, reg_of_request());
	swd.has_data = swd.ack == DAP_OK || dap_detects_overrun();
}

static void take_request(void)
{
	unsigned r = swd.request;

	if ((r & (START | STOP | PARK)) != (START | PARK) || is_odd(r & 0x1e) != ((r & PARITY) != 0))
		lose();
	else if (swd.was_reset && ((r & APNDP) != 0 || (r & RNW) == 0 || reg_of_request() != 0))
		lose();
	else
		begin_transfer();
	swd.was_reset = false;
}

static void end_transfer(bool parity)
{
	swd.state = IDLE;
	if ((swd.request & RNW) != 0 || swd.ack != DAP_OK)
		return;
	if (is_odd(swd.data) != parity)
		lose();
	else
		dap_do_write((swd.request & APNDP) != 0, reg_of_request(), swd.data);
}

static void clock_transfer(bool level)
{
	if ((swd.request & RNW) == 0 && swd.bit >= 5 && swd.bit < 37)
		swd.data |= (uint32_t)level << (swd.bit - 5);
	if (swd.bit == (swd.has_data ? LAST_CYCLE : LAST_WITHOUT_DATA))
		end_transfer(level);
	swd.bit++;
}

/* The line reset and the switch from JTAG are seen in whatever state, from what the host drives. */
static void watch_line(bool driven, bool level)
{
	swd.ones = driven && level ? swd.ones + 1 : 0;
	swd.last_16 = (swd.last_16 >> 1 | (unsigned)level << 15) & 0xffff;
	if (swd.state == JTAG && swd.last_16 == SWITCH_TO_SWD)
		swd.state = LOST;
	if (swd.state != JTAG && swd.ones >= RESET_CYCLES) {
		swd.state = RESET;
		dap_line_reset();
	}
}

void swd_clock(bool driven, bool level)
{
	swd_counts.cycles++;
	if (!driven)
		level = swd_level();
	watch_line(driven, level);
	switch (swd.state) {
	case JTAG:
	case LOST:
		break;
	case RESET:
		if (!level) {
			swd.state = IDLE;
			swd.was_reset = true;
		}
		break;
	case IDLE:
		if (level && driven) {
			swd.request = START;
			swd.bit = 1;
			swd.state = REQUEST;
		}
		break;
	case REQUEST:
		swd.request |= (unsigned)level << swd.bit;
		if (++swd.bit == 8)
			take_request();
		break;
	case TRANSFER:
		clock_transfer(level);
		break;
	}
}
