/* The levels of the pins PDO and PDOCLK in a file of lines (VCD, sigrok session), as runs between two changes. */
#ifndef PT_INPUTS_PDO_LEVELS_H
#define PT_INPUTS_PDO_LEVELS_H

#include "import/importer.h"

struct pt_pdo_levels {
	const struct pt_input_ops *ops;	/* of the file; NULL: not open */
	void *state;
	struct pt_params *settings;
	struct pt_chunk *chunk;
	size_t at;			/* of chunk: the next record */
	uint16_t line[2];		/* numbers of PDO and PDOCLK */
	uint8_t levels, known;		/* bits: PT_PDO_DATA, PT_PDO_CLOCK */
	uint64_t tick_hz, now;		/* ticks: up to here runs were given */
	bool over;
};

struct pt_pdo_run { uint64_t from, n; uint8_t levels; uint64_t lost_bytes; };	/* from, n: ticks */

enum { PT_PDO_LEVELS_END, PT_PDO_LEVELS_RUN, PT_PDO_LEVELS_LOST };

/* file: taken over, also on failure; no close() follows one. pdo, pdoclk: names of the lines. As open() of a driver. */
int pt_pdo_levels_open(struct pt_pdo_levels *levels, struct pt_infile *file, const struct pt_input_setup *setup,
		       const char *pdo, const char *pdoclk, struct pt_err *err);
/* RUN: the pins had run->levels for n ticks. LOST: what the levels were is not known from here to the next run, for
 * lost_bytes of the file (0: they are x or z there). END: from is the end of the recording. Or an error of next(). */
int pt_pdo_levels_next(struct pt_pdo_levels *levels, struct pt_pdo_run *run, struct pt_err *err);
void pt_pdo_levels_close(struct pt_pdo_levels *levels);

#endif
