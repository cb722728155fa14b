/* A model of a TAP: the state machine of IEEE 1149.1 with its instruction register, BYPASS and IDCODE. What lies
 * behind its other instructions the board says, one row for each: a register of fixed length with its capture and
 * update, or (as user logic behind a BSCANE2) anything that takes a bit and gives one.
 *
 * Sources: IEEE 1149.1 chapters 6 to 9; BSCANE2: UG974. */
#ifndef PT_VIRTUAL_WIRE_TAP_H
#define PT_VIRTUAL_WIRE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_vjtap_state {	/* in the order of the standard's table 6-3, DR column before IR */
	PT_VJTAP_RESET, PT_VJTAP_IDLE,
	PT_VJTAP_SELECT_DR, PT_VJTAP_CAPTURE_DR, PT_VJTAP_SHIFT_DR, PT_VJTAP_EXIT1_DR, PT_VJTAP_PAUSE_DR,
	PT_VJTAP_EXIT2_DR,
	PT_VJTAP_UPDATE_DR,
	PT_VJTAP_SELECT_IR, PT_VJTAP_CAPTURE_IR, PT_VJTAP_SHIFT_IR, PT_VJTAP_EXIT1_IR, PT_VJTAP_PAUSE_IR,
	PT_VJTAP_EXIT2_IR,
	PT_VJTAP_UPDATE_IR,
};
enum pt_vjtap_state pt_vjtap_next(enum pt_vjtap_state state, bool tms);

/* The data register of an instruction. */
struct pt_vdr {
	uint32_t ir;			/* the instruction */
	unsigned bits;			/* 1..64: the TAP does the shifting. 0: the row has tdo and shift of its own */
	void *arg;
	uint64_t (*capture)(void *arg);		/* what will be shifted out, bit 0 first (ignored
						 * where bits is 0). NULL: 0 */
	void (*update)(void *arg, uint64_t value);	/* what was shifted in (0 where bits is 0).
							 * NULL: nothing happens */
	unsigned (*tdo)(void *arg);		/* bits 0: the level of TDO now; asked any number
						 * of times, changes nothing */
	void (*shift)(void *arg, unsigned tdi);	/* bits 0: one clock in Shift-DR */
	void (*selected)(void *arg);		/* Update-IR put the instruction into force. NULL: nothing is to be done */
};

struct pt_vjtap_config {
	unsigned ir_bits;		/* 2..32 */
	uint32_t ir_capture;		/* what Capture-IR loads; its low bits are 01 */
	bool has_idcode;
	uint32_t idcode, idcode_ir;
	const struct pt_vdr *rows;	/* outlive the TAP */
	size_t n_rows;
	void *arg;
	void (*reset)(void *arg);	/* in Test-Logic-Reset, once on each arrival; NULL: nothing is to be done */
};

struct pt_vjtap {
	struct pt_vjtap_config config;
	enum pt_vjtap_state state;
	uint32_t ir;			/* in force; all ones is BYPASS, and so is what no row knows */
	const struct pt_vdr *row;	/* of ir; NULL: BYPASS or IDCODE */
	unsigned reg_bits;		/* of the register between TDI and TDO; 0: row has its own */
	uint64_t reg;
};

/* in Test-Logic-Reset, as after power-on */
void pt_vjtap_init(struct pt_vjtap *tap, const struct pt_vjtap_config *config);
void pt_vjtap_reset(struct pt_vjtap *tap);		/* nTRST, power */

/* The level of TDO since the last falling edge of TCK; 1 (a pull-up) where the TAP does not drive it. */
unsigned pt_vjtap_tdo(const struct pt_vjtap *tap);
/* A rising edge of TCK and the falling one after it. */
void pt_vjtap_clock(struct pt_vjtap *tap, bool tms, unsigned tdi);

#endif
