/* A CMSIS-DAP device of the simplest kind, for tests of the driver: the command loop of the reference firmware over a
 * SW-DP with one MEM-AP on an array of words. Not the virtual board's: that has a clock, a chip and faults of its
 * own. */
#ifndef PT_TESTS_FAKE_CMSIS_DAP_H
#define PT_TESTS_FAKE_CMSIS_DAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_DAP_BASE = 0x20000000, FAKE_DAP_WORDS = 16384 };

struct fake_cmsis_dap {
	/* how it is made */
	uint16_t packet_bytes;		/* 0: it does not say */
	uint8_t packet_count, capabilities;
	const char *product, *protocol;	/* NULL: it does not say */
	bool padded;			/* responses have packet_bytes, as HID reports */
	uint32_t clock_ns;		/* one SWCLK period; 0: transfers take no time */

	/* what is wrong with the target */
	uint32_t fault_addr;		/* the bus refuses it; 0: none */
	unsigned wait_acks;		/* accesses of the AP answered with WAIT, from access wait_from on */
	unsigned wait_from;
	bool absent;			/* nobody answers on SWD */
	unsigned poll_reads;		/* BD1 reads as 0x80000000 this often, then as bd1_after */
	uint32_t bd1_after;

	/* what was seen */
	unsigned n_commands[256], n_accesses, n_delay_us;
	uint32_t last_pins, last_clock;

	uint32_t select, ctrl_stat, csw, tar, rdbuff, match_mask;
	bool sticky;
	uint16_t wait_retry, match_retry;
	uint64_t took_ns;
	uint32_t words[FAKE_DAP_WORDS];
};

void fake_cmsis_dap_init(struct fake_cmsis_dap *fake, uint16_t packet_bytes, uint8_t packet_count);
/* For struct pt_script: arg is a struct fake_cmsis_dap. */
size_t fake_cmsis_dap_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

#endif
