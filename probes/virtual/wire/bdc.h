/* Model of the S12Z's background debug controller at command level (S12ZBDCV2): the target's end of BKGD. Bytes come
 * and go with the times at which their first and last bit were on the wire; what a bit looks like is only what it
 * costs, 16 BDCSI cycles. The chip owns it, and lends it its memory and its core; the probe's end is bkgd.h.
 *
 * Source: S12ZVHY/S12ZVHL reference manual Rev. 1.05, chapter 5. Times are ns of the clock that the
 * caller uses for all calls. */
#ifndef PT_VIRTUAL_WIRE_BDC_H
#define PT_VIRTUAL_WIRE_BDC_H

#include <stdbool.h>
#include <stdint.h>

enum pt_vbdc_core { PT_VBDC_RUNS, PT_VBDC_WAITS, PT_VBDC_STOPPED, PT_VBDC_ACTIVE };

/* BDCCSR, both bytes. Source: 4.4; the places of STEAL, BDCCIS and of the low bits 7-5 and 2-0 are UNVERIFIED. */
enum {
	PT_VBDC_ENBDC = 0x8000, PT_VBDC_BDMACT = 0x4000, PT_VBDC_BDCCIS = 0x2000, PT_VBDC_STEAL = 0x0800,
	PT_VBDC_CLKSW = 0x0400, PT_VBDC_UNSEC = 0x0200, PT_VBDC_ERASE = 0x0100,
	PT_VBDC_WAIT = 0x80, PT_VBDC_STOP = 0x40, PT_VBDC_RAMWF = 0x20, PT_VBDC_OVRUN = 0x10, PT_VBDC_NORESP = 0x08,
	PT_VBDC_RDINV = 0x04, PT_VBDC_ILLACC = 0x02, PT_VBDC_ILLCMD = 0x01,
	PT_VBDC_FLAGS = 0xff,
	PT_VBDC_WRITABLE = PT_VBDC_ENBDC | PT_VBDC_BDCCIS | PT_VBDC_STEAL | PT_VBDC_CLKSW,
};

/* In BDCSI cycles. Source: 4.1 */
enum {
	PT_VBDC_BIT = 16, PT_VBDC_DELAY = 16, PT_VBDC_ACK_AFTER = 32, PT_VBDC_ACK = 16, PT_VBDC_LONG_ACK = 64,
	PT_VBDC_SYNC_LOW = 128, PT_VBDC_SYNC_WAIT = 16, PT_VBDC_SOFT_RESET = 512,
};

struct pt_vbdc_chip {			/* what the BDC reaches; all called with the board at the time of the command */
	void *arg;
	/* False: the bus refused it. 1, 2 or 4 bytes, most significant first; a long at a multiple of 4, a word within
	 * 4. */
	bool (*read)(void *arg, uint32_t addr, unsigned size_bytes, uint32_t *value);
	bool (*write)(void *arg, uint32_t addr, unsigned size_bytes, uint32_t value);
	void (*read_dbgtb)(void *arg, uint8_t line[8]);		/* byte 0 first */
	enum pt_vbdc_core (*core)(void *arg);
	uint32_t (*sync_pc)(void *arg);
	uint32_t (*reg)(void *arg, unsigned crn);		/* 0..12 */
	void (*set_reg)(void *arg, unsigned crn, uint32_t value);
	void (*background)(void *arg);				/* a request; in WAI it stays pending */
	void (*resume)(void *arg, bool step);
	bool (*secured)(void *arg);
	void (*mass_erase)(void *arg);				/* begins it */
	bool (*erasing)(void *arg);
	void (*steal)(void *arg);				/* takes a bus cycle from the core */
	uint32_t bdcclk_hz, bdcfclk_hz;				/* BDCSI clock with CLKSW = 0, and 1 */
};

struct pt_vbdc {
	struct pt_vbdc_chip chip;
	uint16_t csr;			/* without what is read from the chip: BDMACT, UNSEC, ERASE */
	uint8_t raised;			/* flags set, or set again, since the last ACK: it will be a long one */
	bool powered, clocked, ack_on;
	bool refuse_next;		/* a fault: the next access fails */
	bool bkgd_low;			/* the pin, as the probe holds it; the chip looks at it when a reset ends */
	/* the command under way */
	const struct pt_vbdc_command *command;	/* NULL: none */
	uint8_t opcode, last_kind;	/* of the command before it: what may follow */
	uint8_t in[8], out[8];
	unsigned n_in, want_in, n_out, at_out, second_at;	/* second_at: READ_DBGTB has another delay before it */
	uint64_t edge_ns;		/* last falling edge */
	uint64_t ready_ns;		/* data, or the next command, not before */
	/* ACK: 0 none; until_active: GO_UNTIL has not come back yet */
	bool ack_due, ack_long, until_active;
	uint64_t ack_ns;		/* when it begins */
	uint32_t addr, next;		/* last access, and where FILL and DUMP go on */
	uint64_t erase_ns;		/* the first ERASE_FLASH; 0: none */
	uint64_t commands;		/* carried out so far */
};

void pt_vbdc_init(struct pt_vbdc *bdc, const struct pt_vbdc_chip *chip);
/* A reset of the chip; special: BKGD was low when it was released, so that BDC comes up enabled. */
void pt_vbdc_reset(struct pt_vbdc *bdc, bool special);
void pt_vbdc_asleep(struct pt_vbdc *bdc, bool stop);	/* the core entered WAI, or STOP: sets the flag */

bool pt_vbdc_alive(const struct pt_vbdc *bdc);		/* it has power and clock, and so hears and answers */
uint32_t pt_vbdc_hz(const struct pt_vbdc *bdc);		/* BDCSI */
uint16_t pt_vbdc_csr(const struct pt_vbdc *bdc);	/* as READ_BDCCSR gives it */

/* SYNC: the pulse was over at now_ns. Returns when the target's own pulse of PT_VBDC_SYNC_LOW cycles ends. */
uint64_t pt_vbdc_sync(struct pt_vbdc *bdc, uint64_t now_ns);
unsigned pt_vbdc_arguments(uint8_t opcode);		/* bytes that a command takes behind its op-code */
/* A byte came in, MSB first. */
void pt_vbdc_in(struct pt_vbdc *bdc, uint64_t first_ns, uint64_t last_ns, uint8_t byte);
/* The host clocks a byte out; for a target that has nothing to send that is a byte of ones that comes in. */
uint8_t pt_vbdc_out(struct pt_vbdc *bdc, uint64_t first_ns, uint64_t last_ns);
/* Is an ACK pulse on its way, or still to be expected? *at_ns: when it ends; PT_UNKNOWN: not known yet, ask again
 * later. */
bool pt_vbdc_ack(struct pt_vbdc *bdc, uint64_t *at_ns, bool *is_long);
void pt_vbdc_ack_taken(struct pt_vbdc *bdc);		/* the pulse is over */

#endif
