/* Is this program the one on the board? For a program that no user has named. */
#ifndef PT_ON_BOARD_H
#define PT_ON_BOARD_H

#include "program/model/program.h"
#include "targets/contract/target.h"

enum pt_on_board {
	PT_ON_BOARD_UNKNOWN,	/* it cannot be compared, and why says so */
	PT_ON_BOARD_OTHER,	/* the board has something else at that address */
	PT_ON_BOARD_ID,		/* its build-id is there */
	PT_ON_BOARD_BYTES,	/* n_bytes of it, spread over its code, are there */
};

struct pt_on_board_answer {
	enum pt_on_board what;
	uint64_t at, n_bytes;
	char why[200];
};

/* By its build-id, where that is loaded, else by a sample of its code. Reads the target's memory as it is, halted or
 * running, and changes nothing. Board thread. */
void pt_on_board(struct pt_program *program, struct pt_target *target, struct pt_on_board_answer *answer);

#endif
