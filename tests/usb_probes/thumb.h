/* The instructions of ARMv6-M, one at a time. Source: DDI 0419, A5.2 (encodings), A6.7 (operations). */
#ifndef PT_TESTS_FOREIGN_THUMB_H
#define PT_TESTS_FOREIGN_THUMB_H

#include <stdbool.h>
#include <stdint.h>

enum { THUMB_SP = 13, THUMB_LR = 14, THUMB_PC = 15 };

struct thumb {
	uint32_t r[16];		/* r[15]: the address of the next instruction */
	bool n, z, c, v;
};

enum thumb_end { THUMB_DONE, THUMB_BREAK, THUMB_FAULT };

/* Executes the instruction at r[15]. THUMB_BREAK: it was BKPT, and r[15] is still its address. THUMB_FAULT: undefined
 * here, or the bus refused an access; r[15] is its address, other registers may have changed. */
enum thumb_end thumb_step(struct thumb *cpu);

#endif
