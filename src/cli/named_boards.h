/* Boards by name (--board): what is written down of each, so that a user need not look it up. The table adds nothing that
 * a probe and a chip do not say by themselves, but the choice among several probes, a check that it is the right board, and
 * a core clock where the chip has but one. */
#ifndef PT_NAMED_BOARDS_H
#define PT_NAMED_BOARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_onboard_probe {
	const char *name;		/* as its maker calls it */
	const char *ids;		/* its numbers on USB, "VID:PID|VID:PID" */
	const char *product;		/* what the device calls itself */
};

struct pt_named_board {
	const char *name;
	const struct pt_onboard_probe *probe;
	const char *serials;		/* of that probe on this board, "9904*|9905*"; NULL: any */
	const char *chip;		/* how the name of its chip begins; NULL: no register is known that says it */
	const char *core_clock;		/* of a chip that has but one; else NULL */
};

extern const struct pt_named_board pt_named_boards[];
extern const size_t pt_n_named_boards;

/* PT_EARG: no board has that name; the error names the nearest. */
const struct pt_named_board *pt_named_board_find(const char *name, struct pt_err *err);
/* Whether this version has a driver for the probe on the board. */
bool pt_named_board_is_driven(const struct pt_named_board *board);
/* The address of the probe on it, which need not be plugged in. PT_EARG: no driver; the sentence says what to do. */
int pt_named_board_uri(const struct pt_named_board *board, char *uri, size_t room, struct pt_err *err);
/* Calls say with each setting that goes with the board: "expected-chip=STM32F411". */
void pt_named_board_words(const struct pt_named_board *board, void (*say)(void *arg, const char *word), void *arg);

#endif
