/* A board with next to nothing on it, for tests of the wire: RAM, an AHB-AP, and registers that follow the board's
 * time. A program that is linked with fake_board.c has it in the place of the real kl27. */
#ifndef PT_TESTS_FAKE_BOARD_H
#define PT_TESTS_FAKE_BOARD_H

#include "probes/virtual/boards.h"

extern const struct pt_vboard_ops pt_vboard_kl27;

enum {
	FAKE_RAM = 0x20000000, FAKE_RAM_BYTES = 65536 + 1024,
	FAKE_MTB = 0xf0000000,		/* 4 words; MASTER.EN (bit 31 of the second) drops at FAKE_MTB_STOPS_NS */
	FAKE_PCSR = 0xe000101c,		/* counts its reads */
	FAKE_CLOCK = 0x40000000,	/* the board's time in us */
};
#define FAKE_MTB_STOPS_NS UINT64_C(2000000)

struct pt_vboard {
	uint64_t now_ns, advances, pcsr_reads;
	unsigned resets, power_losses;
	bool nreset_low, off;
	unsigned real_per_model;	/* advance() takes that many times the time it advances by; 0: none at all */
	uint8_t ram[FAKE_RAM_BYTES];
	size_t firmware_bytes;
	void *parts;
};
#endif
