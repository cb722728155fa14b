/* A virtual S12Z with memory, code and taps, for tests of it. State before and after is said in words:
 *   "d2=1234 x=1100 f=NZ 1100:0aff"   registers in hex, flags, bytes of RAM
 * Everything that is not named stays as it was: that is checked, too. What the taps see is written down as a line:
 *   "C 8000>8010+"           conditional branch, + taken, - not; "B .." follows a taken one
 *   "G 8000>8010", "L .."    direct jump, call; "g 8000>8010/2", "l .." of an operand, with its class
 *   "R 8000>8010"            return
 *   "E 8000>9000@fe"         exception: return address, handler, byte of the vector's address
 *   "I 9000>8000"            RTI
 *   "D 8000>8010"            the debugger wrote P
 * Addresses without their common 0xff. */
#ifndef PT_TESTS_S12Z_RIG_H
#define PT_TESTS_S12Z_RIG_H

#include "probes/virtual/cpu/s12z/s12z.h"

enum { S12Z_RAM = 0x1000, S12Z_RAM_BYTES = 0x2000, S12Z_FLASH = 0xff0000, S12Z_FLASH_BYTES = 0x10000 };
enum { S12Z_CODE = 0xff8000, S12Z_STACK = 0x2000, S12Z_TIMER = 0x400, S12Z_TIMER_BYTES = 0x30 };
enum { S12Z_HANDLERS = 0xff9000 };	/* handler of vector n: S12Z_HANDLERS + 0x10 * n; NOP, RTI */

struct s12z_rig {
	struct pt_vbus bus;
	struct pt_vs12z *cpu;
	struct pt_vobserver observer;
	char seen[1024];		/* what the taps saw */
	uint32_t halts;			/* why, or-ed */
	unsigned n_illegal, n_asleep;
	uint32_t illegal_addr;
	bool bgnd_enabled;
	enum pt_vs12z_tag tag;		/* at tagged_pc */
	uint32_t tagged_pc;
	/* the timer: due every period cycles while TIE.0 and TSCR1.7 are set; its registers are bytes */
	uint8_t timer[S12Z_TIMER_BYTES];
	uint64_t timer_at, timer_period;
	char timer_seen[64];		/* sizes of the accesses to it: "w2w1r1" */
	uint8_t ram[S12Z_RAM_BYTES], flash[S12Z_FLASH_BYTES];
};

/* Reset, S at S12Z_STACK, code at S12Z_CODE, all vectors set, I and X still mask. options may be NULL. */
void s12z_make(struct s12z_rig *rig, const struct pt_vs12z_options *options, const uint8_t *code, size_t n_bytes);
#define S12Z_MAKE(rig, ...) \
	s12z_make(rig, NULL, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))
void s12z_done(struct s12z_rig *rig);

void s12z_steps(struct s12z_rig *rig, unsigned n);	/* run until n more instructions were executed */
/* State in words; check compares all registers and all RAM with the state that prepare made, changed by words. */
void s12z_prepare(struct s12z_rig *rig, const char *words);
void s12z_check(struct s12z_rig *rig, const char *words, const char *what);

uint32_t s12z_get(const struct s12z_rig *rig, uint32_t addr, unsigned size_bytes);
void s12z_put(struct s12z_rig *rig, uint32_t addr, unsigned size_bytes, uint32_t value);
/* Put an ELF's segments where they are loaded, and reset. */
void s12z_load(struct s12z_rig *rig, const char *path);

#endif
