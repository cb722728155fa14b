/* One TAP with an instruction register of 4 bits. A transaction is performed when its scan ends, and the next scan captures
 * what came of it. */
#include <stdint.h>
#include <string.h>

#include "dap.h"
#include "jtag_pins.h"

enum state {
	RESET, IDLE, SELECT_DR, CAPTURE_DR, SHIFT_DR, EXIT1_DR, PAUSE_DR, EXIT2_DR, UPDATE_DR,
	SELECT_IR, CAPTURE_IR, SHIFT_IR, EXIT1_IR, PAUSE_IR, EXIT2_IR, UPDATE_IR,
};
enum { IR_BITS = 4, IR_ABORT = 8, IR_DPACC = 10, IR_APACC = 11, IR_IDCODE = 14, ACCESS_BITS = 35, ACK_WAIT = 1, ACK_OK = 2 };
enum { READS = 1, RDBUFF = 12 };
#define IDCODE UINT32_C(0x0ba00477)

static const uint8_t next_state[][2] = {	/* by TMS */
	[RESET] = { IDLE, RESET }, [IDLE] = { IDLE, SELECT_DR },
	[SELECT_DR] = { CAPTURE_DR, SELECT_IR }, [CAPTURE_DR] = { SHIFT_DR, EXIT1_DR }, [SHIFT_DR] = { SHIFT_DR, EXIT1_DR },
	[EXIT1_DR] = { PAUSE_DR, UPDATE_DR }, [PAUSE_DR] = { PAUSE_DR, EXIT2_DR }, [EXIT2_DR] = { SHIFT_DR, UPDATE_DR },
	[UPDATE_DR] = { IDLE, SELECT_DR },
	[SELECT_IR] = { CAPTURE_IR, RESET }, [CAPTURE_IR] = { SHIFT_IR, EXIT1_IR }, [SHIFT_IR] = { SHIFT_IR, EXIT1_IR },
	[EXIT1_IR] = { PAUSE_IR, UPDATE_IR }, [PAUSE_IR] = { PAUSE_IR, EXIT2_IR }, [EXIT2_IR] = { SHIFT_IR, UPDATE_IR },
	[UPDATE_IR] = { IDLE, SELECT_DR },
};

static struct {
	enum state state;
	unsigned ir, since_wait;
	uint64_t shifted;
	uint32_t result;
	bool busy, refused;	/* the last transaction is still under way; the scan that met it does nothing */
} tap;

void jtag_power_on(void)
{
	memset(&tap, 0, sizeof(tap));
	tap.ir = IR_IDCODE;
}

bool jtag_tdo(void)
{
	return tap.state == SHIFT_DR || tap.state == SHIFT_IR ? tap.shifted & 1 : true;
}

static unsigned length(void)
{
	if (tap.state == SHIFT_IR)
		return IR_BITS;
	return tap.ir == IR_DPACC || tap.ir == IR_APACC || tap.ir == IR_ABORT ? ACCESS_BITS
	       : tap.ir == IR_IDCODE					      ? 32
									      : 1;
}

static void capture_data(void)
{
	tap.refused = tap.busy;
	if (tap.ir == IR_IDCODE)
		tap.shifted = IDCODE;
	else if (tap.ir == IR_DPACC || tap.ir == IR_APACC)
		tap.shifted = tap.busy ? ACK_WAIT : (uint64_t)tap.result << 3 | ACK_OK;
	else
		tap.shifted = 0;
	tap.busy = false;
}

static void begin_access(bool ap, unsigned reg, bool reads, uint32_t value)
{
	uint32_t unused;

	tap.result = 0;
	if (!reads) {
		dap_write(ap, reg, value);
	} else if (ap) {
		dap_read(true, reg, &unused);
		dap_read(false, RDBUFF, &tap.result);
	} else if (reg != RDBUFF) {		/* that one reads as zero */
		dap_read(false, reg, &tap.result);
	}
	if (ap && dap_config.wait_every > 0 && ++tap.since_wait >= dap_config.wait_every) {
		tap.since_wait = 0;
		tap.busy = true;
	}
}

/* Bit 0 reads or writes, bits 2:1 the register, 34:3 the value. Register 0 of DPACC is no register of JTAG's. */
static void update_data(void)
{
	unsigned reg = (tap.shifted >> 1 & 3) << 2;
	bool reads = (tap.shifted & READS) != 0;
	uint32_t value = (uint32_t)(tap.shifted >> 3);

	if (tap.ir == IR_ABORT)
		dap_write(false, 0, value);
	else if (tap.refused)
		dap_overrun();
	else if (tap.ir == IR_APACC)
		begin_access(true, reg, reads, value);
	else if (tap.ir == IR_DPACC && (reg != 0 || reads))
		begin_access(false, reg, reads, value);
}

void jtag_clock(bool tms, bool tdi)
{
	if (tap.state == SHIFT_DR || tap.state == SHIFT_IR)
		tap.shifted = tap.shifted >> 1 | (uint64_t)tdi << (length() - 1);
	else if (tap.state == CAPTURE_DR)
		capture_data();
	else if (tap.state == CAPTURE_IR)
		tap.shifted = 1;
	tap.state = next_state[tap.state][tms];
	if (tap.state == RESET)
		tap.ir = IR_IDCODE;
	else if (tap.state == UPDATE_IR)
		tap.ir = tap.shifted & 15;
	else if (tap.state == UPDATE_DR)
		update_data();
}
