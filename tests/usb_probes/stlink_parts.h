/* What the parts of the emulated ST-Link share. */
#ifndef PT_TESTS_FOREIGN_STLINK_PARTS_H
#define PT_TESTS_FOREIGN_STLINK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMMAND_BYTES = 16, BLOCK_MAX = 6144, TAR_BLOCK = 1024, MISC_V2 = 64, MISC_V3 = 1227, N_APS = 256 };
enum { MODE_DFU, MODE_MASS, MODE_DEBUG, MODE_SWIM };
enum { OK = 0x80, NO_DEVICE = 5, GENERAL = 8, AP_FAULT = 0x11, DP_WAIT = 0x14, BAD_AP = 0x1d, UNKNOWN_COMMAND = 0x42 };

struct stlink {
	bool is_v3, silent;
	unsigned firmware, swim;		/* J, and S or M */
	unsigned wait_every, since_wait;	/* of memory commands, as the firmware repeats single accesses by itself */
	bool in_list;
	unsigned mode;
	uint8_t status;				/* of the last memory command */
	uint32_t fault_addr;
	bool ap_open[N_APS];
	uint8_t pending[COMMAND_BYTES];		/* a command whose data are still to come */
	uint8_t body[2 * BLOCK_MAX];
	size_t body_bytes, got_bytes;		/* wanted, there */
	uint8_t misc[8 * MISC_V3];
	size_t misc_items;
	uint32_t swd_khz;
};
extern struct stlink st;

/* stlink.c: replies, on the one endpoint that has them. */
void stlink_reply(const void *bytes, size_t len_bytes);
void stlink_reply_status(uint8_t status);
void stlink_reply_value(uint8_t status, uint32_t value);

/* stlink_memory.c: commands that reach the target; c is the command. size 1, 2 or 4. */
void stlink_read_memory(const uint8_t *c, unsigned size, bool increments);
void stlink_write_memory(const uint8_t *c, const uint8_t *data, size_t len, unsigned size, bool increments);
uint8_t stlink_read_word(uint32_t addr, uint32_t *value);
uint8_t stlink_write_word(uint32_t addr, uint32_t value);
void stlink_run_list(const uint8_t *ops, size_t n);
void stlink_access_dap(const uint8_t *c, bool writes);
void stlink_read_register(unsigned number);
void stlink_write_register(unsigned number, uint32_t value);

#endif
