/* An S12Z as its BKGD pin shows it, for tests of the drivers: bytes in, bytes out, ACK pulses; memory, registers and a
 * trace buffer behind them. Not the virtual board's: no core runs here, and no bit takes time. Source: S12ZVHY/S12ZVHL
 * RM Rev. 1.05, chapter 5. */
#ifndef PT_TESTS_FAKE_BDC_H
#define PT_TESTS_FAKE_BDC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_BDC_BYTES = 0x10000, FAKE_BDC_LINES = 64, FAKE_BDC_HZ = 8000000 };

struct fake_bdc {
	/* how it is */
	uint16_t bdccsr;
	bool absent;			/* no answer to SYNC */
	bool mute;			/* no ACK */
	uint32_t fault_addr;		/* the bus refuses the element there; 0: none */
	unsigned polls;			/* FAKE_BDC_POLLED reads as 0 so often, then as 0x80 */
	unsigned until_waits;		/* GO_UNTIL: the pulse comes when it was looked for so often */

	/* what was seen */
	unsigned n_commands[256], n_syncs, n_resets, n_special;
	uint64_t cycles;

	uint32_t rn[13];
	uint8_t memory[FAKE_BDC_BYTES];	/* at 0; beyond it there is nothing. Byte a is (uint8_t)(a * 7) at first */
	uint8_t line[FAKE_BDC_LINES][8];	/* byte j of line i is (uint8_t)(16 * i + j) at first */
	unsigned line_at, word_at;

	/* inside */
	bool ack;
	uint8_t command[9], out[10];
	unsigned n_command, n_out, out_at, second_pulse_at;
	int pulse;			/* 0: none, 1, 2: long */
	uint32_t at;			/* address of the last element */
	uint8_t after;			/* op-code that DUMP, FILL or SAME may follow; 0: none */
};

enum { FAKE_BDC_POLLED = 0x200 };

void fake_bdc_init(struct fake_bdc *bdc);
uint32_t fake_bdc_sync(struct fake_bdc *bdc);	/* BDCSI Hz; 0: no answer */
void fake_bdc_send(struct fake_bdc *bdc, uint8_t byte);
uint8_t fake_bdc_receive(struct fake_bdc *bdc);
int fake_bdc_pulse(struct fake_bdc *bdc);	/* the pulse that came, once */
void fake_bdc_reset(struct fake_bdc *bdc, bool special);
/* Memory as the target's bus gives it; false: refused. */
bool fake_bdc_read(struct fake_bdc *bdc, uint32_t addr, unsigned size, uint8_t *bytes);
bool fake_bdc_write(struct fake_bdc *bdc, uint32_t addr, unsigned size, const uint8_t *bytes);

#endif
