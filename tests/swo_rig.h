/* A virtual cm4 whose pin SWO is listened to: what came by it, the log of what was to come, and registers by the bus as
 * a debugger reaches them. One at a time. */
#ifndef PT_TESTS_SWO_RIG_H
#define PT_TESTS_SWO_RIG_H

#include "probes/virtual/chip/cm4.h"

enum {
	RIG_DHCSR = 0xe000edf0, RIG_DEMCR = 0xe000edfc, RIG_ITM = 0xe0000000, RIG_DWT_CTRL = 0xe0001000, RIG_CYCCNT = 0xe0001004,
	RIG_COMP0 = 0xe0001020, RIG_TPIU = 0xe0040000, RIG_FREE_RAM = 0x20008000,
};
#define RIG_TRCENA (UINT32_C(1) << 24)
enum { RIG_MAX_BYTES = 1 << 20, RIG_MAX_PACKETS = 1 << 18 };
enum { RIG_TCR_ALL = 0x0001000f, RIG_TCR_NO_STAMPS = 0x0001000d, RIG_TCR_PORTS = 0x00010001 };

struct rig {
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	struct pt_cm4 *chip;
	uint64_t now_ns;
	struct pt_vswo_byte byte[RIG_MAX_BYTES];	/* on the pin */
	size_t n_bytes;
	struct pt_vtrace_packet packet[RIG_MAX_PACKETS];
	struct pt_vtrace_log log;
};
extern struct rig rig;

/* words: of its address, NULL at the end of them or NULL. */
void rig_open(const struct pt_vboard_ops *ops, const char *const *words);
void rig_open_firmware(const struct pt_vboard_ops *ops, const char *const *words,
		       const char *file); /* of tests/firmware */
void rig_close(void);
void rig_run_us(uint64_t us);
uint32_t rig_peek(uint32_t addr);
void rig_poke(uint32_t addr, uint32_t value);
void rig_write(uint32_t addr, uint32_t value, unsigned size_bytes);
void rig_halt(void);
/* Halted, the core begins at this code, which is placed in free RAM, with r0 to r3 as given. */
void rig_run_code(const uint16_t *code, size_t n_halfwords, const uint32_t r[4]);
/* TRCENA, the pin as UART without frames, ports on, TCR. */
void rig_trace(uint32_t acpr, uint32_t tcr);
/* What was sent is what came, byte by byte, and what has not come yet is short. Returns how many packets were lost. */
size_t rig_compare(void);
void rig_expect(const char *name, const uint8_t *want, size_t n);	/* all that has come by the pin */

#endif
