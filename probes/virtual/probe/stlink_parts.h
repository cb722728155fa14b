/* What the parts of the ST-Link model share; not for others. */
#ifndef PT_VIRTUAL_WIRE_STLINK_PARTS_H
#define PT_VIRTUAL_WIRE_STLINK_PARTS_H

#include "probes/virtual/probe/stlink.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"
#include "probes/virtual/wire/swo_ring.h"

enum {	/* the first byte of a status. Source: pyOCD, stlink.py; probe-rs, stlink/mod.rs */
	ST_OK = 0x80,
	ST_UNKNOWN_CHAIN = 0x04,
	ST_INTERNAL = 0x06,
	ST_NO_IDCODE = 0x09,
	ST_ALIGNMENT = 0x0a,
	ST_AP_WAIT = 0x10, ST_AP_FAULT, ST_AP_ERROR, ST_AP_PARITY,
	ST_DP_WAIT = 0x14, ST_DP_FAULT, ST_DP_ERROR, ST_DP_PARITY,
	ST_STICKY = 0x19,
	ST_BAD_AP = 0x1d,
	ST_NO_SWO = 0x20,
	ST_BAD_CLOCK = 0x41,
	ST_UNKNOWN_COMMAND = 0x42,
};

enum { ST_DFU, ST_MASS_STORAGE, ST_DEBUG, ST_SWIM };	/* what F5 answers */
enum { ST_COMMAND_BYTES = 16, ST_BLOCK_BYTES = 6144, ST_MOST_ITEMS = 1227 };

struct pt_vstlink {
	const struct pt_vstlink_kind *kind;
	uint32_t max_hz;
	struct pt_vswd swd;
	struct pt_vjtag jtag;		/* on the same pins, and the same clock */
	uint8_t mode;
	bool on_jtag, hung;
	uint32_t idcode;		/* DPIDR, by JTAG the TAP's */
	uint32_t late;			/* old firmware on JTAG: the DP register that was read before */

	uint32_t select;		/* as the firmware has written it, if select_known */
	bool select_known, power_asked;
	bool open[256];			/* access ports */
	uint8_t csw_ap;			/* whose CSW is known, if csw_known */
	bool csw_known;
	uint32_t csw;

	uint8_t status;			/* of the last access to memory, and where that failed */
	uint32_t fault_addr;

	struct pt_vswo_ring swo;
	uint32_t swo_told;		/* bytes that the host may read by the endpoint for trace */

	uint8_t command[ST_COMMAND_BYTES];	/* whose data is yet to come: n_data bytes, got of which are there */
	size_t n_data, got;
	uint8_t data[ST_BLOCK_BYTES];
	size_t n_items;
	uint8_t items[8 * ST_MOST_ITEMS];	/* what F2 52 answers */
};

bool st_has(const struct pt_vstlink *st, unsigned v2j, unsigned v3j);	/* is it that new, or newer? */

/* stlink_wire.c: what the firmware does on the wire. All return a status. */
uint8_t st_enter(struct pt_vstlink *st, bool jtag);
uint8_t st_read_dp(struct pt_vstlink *st, unsigned addr, uint32_t *value);	/* addr: bank << 4 | register */
uint8_t st_write_dp(struct pt_vstlink *st, unsigned addr, uint32_t value);
uint8_t st_read_ap(struct pt_vstlink *st, unsigned ap, unsigned reg, uint32_t *value);
uint8_t st_write_ap(struct pt_vstlink *st, unsigned ap, unsigned reg, uint32_t value);
uint8_t st_open_ap(struct pt_vstlink *st, unsigned ap);
/* n elements of one address port's memory; each in the low bytes of its word. Says where it failed. */
struct st_block {
	uint8_t ap;
	uint32_t csw_high, addr;
	unsigned size;
	bool counts;			/* the address */
	size_t n;
};
uint8_t st_read_block(struct pt_vstlink *st, const struct st_block *block, uint8_t *bytes, uint32_t *fault_addr);
uint8_t st_write_block(struct pt_vstlink *st, const struct st_block *block, const uint8_t *bytes, uint32_t *fault_addr);

/* stlink_jtag.c: one access by way of the JTAG side of the port; the value comes with it. */
uint8_t st_jtag_enter(struct pt_vstlink *st);
uint8_t st_jtag_access(struct pt_vstlink *st, bool ap, bool read, uint8_t a, uint32_t *value);

/* stlink_memory.c: F2 07 and its like; false: the command is none of these. A reply of reads is in *n_reply bytes. */
bool st_memory_command(struct pt_vstlink *st, const uint8_t *command, uint8_t *reply, size_t *n_reply);
void st_memory_data(struct pt_vstlink *st);	/* all of it is there */

#endif
