/* Is the program in the chip the one in the ELF? Compares loaded segments with target memory, piece by piece, so that
 * it fits between other work. Board thread. Both calls return 0, or an error of pt_mem_read() and have compared nothing
 * more. */
#ifndef PT_IMAGE_H
#define PT_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/model/program.h"
#include "targets/contract/mem.h"

struct pt_image {		/* caller's; all zero but program = nothing compared yet */
	const struct pt_program *program;
	size_t segment;		/* the next piece of the whole comparison */
	uint64_t offset;
	bool done;
	bool compared;		/* something was, in the spot check */
	bool differs;
	uint64_t at;		/* first differing address found */
	uint64_t n_bytes;	/* how many the spot check compared */
	uint64_t piece_bytes;	/* and the pieces since, from the beginning on */
};

/* Compares the vectors and 16 blocks spread over the code: enough to notice a wrong ELF, with a few packets. */
int pt_image_spot_check(struct pt_image *image, struct pt_mem *mem, struct pt_err *err);
/* How many bytes there are to compare, and how many have been. */
uint64_t pt_image_size(const struct pt_image *image);
uint64_t pt_image_compared(const struct pt_image *image);
/* Compares the next kilobyte of the whole; sets done at the end. */
int pt_image_check_more(struct pt_image *image, struct pt_mem *mem, struct pt_err *err);
/* Compares the build-id, if it is loaded (a linker script may leave it out). Returns 1, and sets *same and its address
 * *at. 0: it is not loaded; or it is in writable memory and differs. */
int pt_image_compare_id(const struct pt_program *program, struct pt_mem *mem, bool *same, uint64_t *at,
			struct pt_err *err);

#endif
