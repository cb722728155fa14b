/* The debug port and its one access port, a MEM-AP, as transactions: what ST-Link's firmware makes of commands, and what
 * the pins of swd_pins.h carry. Source: ARM IHI 0031 (ADIv5.2), B1, B2, C2. */
#ifndef PT_TESTS_FOREIGN_DAP_H
#define PT_TESTS_FOREIGN_DAP_H

#include <stdbool.h>
#include <stdint.h>

enum dap_ack { DAP_OK = 1, DAP_WAIT = 2, DAP_FAULT = 4 };

struct dap_config {
	unsigned wait_every;		/* this many AP accesses, then one is answered by WAIT; 0: never */
	bool jtag;			/* sticky flags are cleared by writes to CTRL/STAT, not to ABORT */
	uint64_t transactions;		/* out: all that were acknowledged by OK */
};
extern struct dap_config dap_config;

void dap_power_on(void);
/* A line reset: SELECT and the address of the next read are as after power on, sticky flags stay. */
void dap_line_reset(void);
/* reg 0, 4, 8 or 12. Reads of the AP are posted: *value is what the read before it found. */
enum dap_ack dap_read(bool ap, unsigned reg, uint32_t *value);
enum dap_ack dap_write(bool ap, unsigned reg, uint32_t value);
/* The same in two halves, as on a wire the acknowledge comes before the data. */
enum dap_ack dap_may_write(bool ap, unsigned reg);
void dap_do_write(bool ap, unsigned reg, uint32_t value);
/* CTRL/STAT.ORUNDETECT: then a data phase follows every acknowledge. */
bool dap_detects_overrun(void);
/* An access came while the one before was under way: where overruns are detected, all are refused from here on. */
void dap_overrun(void);

/* As a firmware does it: SELECT, the access, and for a read RDBUFF behind it. reg is the full address, 0..0xfc. */
enum dap_ack dap_ap_read(unsigned ap, unsigned reg, uint32_t *value);
enum dap_ack dap_ap_write(unsigned ap, unsigned reg, uint32_t value);

#endif
