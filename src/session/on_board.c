/* See on_board.h. */
#include "session/on_board.h"

#include <stdio.h>

#include "session/acquire/image.h"

enum { FEWEST_BYTES = 256 };	/* fewer may be equal by chance: start-up code, vectors */

static void do_not_know(struct pt_on_board_answer *answer, const char *why)
{
	answer->what = PT_ON_BOARD_UNKNOWN;
	snprintf(answer->why, sizeof(answer->why), "%.199s", why);
}

static void compare_code(struct pt_program *program, struct pt_mem *mem, struct pt_on_board_answer *answer)
{
	struct pt_image image = { .program = program };
	struct pt_err err = { 0 };

	if (pt_image_spot_check(&image, mem, &err) < 0) {
		do_not_know(answer, err.msg);
	} else if (image.differs) {
		answer->what = PT_ON_BOARD_OTHER;
		answer->at = image.at;
	} else if (image.n_bytes < FEWEST_BYTES) {
		do_not_know(answer, "too little of it keeps its loaded content, so it cannot be compared");
	} else {
		answer->what = PT_ON_BOARD_BYTES;
		answer->n_bytes = image.n_bytes;
	}
}

void pt_on_board(struct pt_program *program, struct pt_target *target, struct pt_on_board_answer *answer)
{
	struct pt_mem *mem = target->ops->mem(target->state, 0);
	struct pt_err err = { 0 };
	bool same = false;
	int rc;

	*answer = (struct pt_on_board_answer){ 0 };
	rc = pt_image_compare_id(program, mem, &same, &answer->at, &err);
	if (rc < 0)
		do_not_know(answer, err.msg);
	else if (rc == 0)
		compare_code(program, mem, answer);
	else
		answer->what = same ? PT_ON_BOARD_ID : PT_ON_BOARD_OTHER;
}
