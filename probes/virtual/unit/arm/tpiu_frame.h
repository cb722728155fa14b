/* The formatter of the TPIU: frames of 16 bytes, in which the trace source has a stream id. It works in pairs of bytes,
 * when the first of them is wanted: with what waits then. Source: facts on Cortex-M, 5; DDI 0314 (CoreSight), 8.9. */
#ifndef PT_VIRTUAL_UNIT_TPIU_FRAME_H
#define PT_VIRTUAL_UNIT_TPIU_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace source in front of the TPIU. Cycles are the core's. */
struct pt_vtpiu_input {
	void *arg;
	void (*advance)(void *arg, uint64_t to_cycle);		/* source and TPIU come to this cycle */
	uint64_t (*since)(void *arg, size_t n_bytes);		/* when so many waited; PT_VNEVER: they do not */
	size_t (*waiting)(void *arg, uint64_t at_cycle);	/* bytes that can be taken then */
	uint8_t (*take)(void *arg, uint64_t at_cycle);
	uint8_t (*stream)(const void *arg);			/* its id in frames */
};

struct pt_vtpiu_frame {		/* all zero: a frame begins */
	uint8_t slot;		/* of the byte that comes next */
	uint8_t stream;		/* whose data it is; 0: padding */
	uint8_t second, last;	/* of the pair; of the frame, as far as it is known */
	uint8_t sync_left;	/* bytes of a synchronisation packet */
	bool sync_wanted;
};

/* Nothing of a frame or of a synchronisation packet is under way. */
static inline bool pt_vtpiu_frame_is_whole(const struct pt_vtpiu_frame *frame)
{
	return frame->slot == 0 && frame->sync_left == 0;
}

/* How many bytes of data must wait, if padding is not to take their place. */
static inline size_t pt_vtpiu_frame_needs(const struct pt_vtpiu_frame *frame)
{
	return frame->slot % 2 != 0 ? 0 : frame->slot < 14 && frame->stream != 0 ? 2 : 1;
}

/* continuous: where nothing waits, padding and synchronisation packets take the place of data. */
uint8_t pt_vtpiu_frame_byte(struct pt_vtpiu_frame *frame, const struct pt_vtpiu_input *input, uint64_t at_cycle,
			    bool continuous);

#endif
