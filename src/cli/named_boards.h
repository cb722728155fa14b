/* Boards by name (--board): published facts, so that a user need not look them up. A row selects among several probes,
 * checks that it is the right board, and gives a core clock if the chip has only one. Everything else comes from probe
 * and chip. */
#ifndef PT_NAMED_BOARDS_H
#define PT_NAMED_BOARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_onboard_probe {
	const char *name;		/* the maker's name */
	const char *ids;		/* USB ids, "VID:PID|VID:PID" */
	const char *product;		/* product name of the USB device */
};

struct pt_named_board {
	const char *name;
	const struct pt_onboard_probe *probe;
	const char *serials;		/* serial numbers of this board's probe, "9904*|9905*"; NULL: any */
	const char *chip;		/* beginning of its chip's name; NULL: no known register identifies the chip */
	const char *core_clock;		/* if the chip has only one; else NULL */
};

extern const struct pt_named_board pt_named_boards[];
extern const size_t pt_n_named_boards;

/* PT_EARG: no board has that name; the error names the nearest. */
const struct pt_named_board *pt_named_board_find(const char *name, struct pt_err *err);
/* Whether this version has a driver for the probe on the board. */
bool pt_named_board_is_driven(const struct pt_named_board *board);
/* The address of its probe, which need not be plugged in. PT_EARG: no driver; the sentence says what to do. */
int pt_named_board_uri(const struct pt_named_board *board, char *uri, size_t room, struct pt_err *err);
/* Calls say with each setting for the board: "expected-chip=STM32F411". */
void pt_named_board_words(const struct pt_named_board *board, void (*say)(void *arg, const char *word), void *arg);

#endif
