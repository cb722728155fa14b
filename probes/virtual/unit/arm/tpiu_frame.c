#include "probes/virtual/unit/arm/tpiu_frame.h"

enum { LAST_PAIR = 14, FRAME_BYTES = 16, SYNC_BYTES = 4 };

static uint8_t data(struct pt_vtpiu_frame *frame, uint8_t byte)
{
	frame->last |= (uint8_t)((byte & 1) << frame->slot / 2);
	return byte & 0xfe;
}

/* behind: the second byte of the pair is still the former stream's. */
static uint8_t switch_to(struct pt_vtpiu_frame *frame, uint8_t stream, bool behind)
{
	frame->last |= (uint8_t)(behind << frame->slot / 2);
	frame->stream = stream;
	return (uint8_t)(stream << 1 | 1);
}

static uint8_t first_of_pair(struct pt_vtpiu_frame *frame, const struct pt_vtpiu_input *input, uint64_t at_cycle)
{
	size_t n = input->waiting(input->arg, at_cycle);
	uint8_t stream = input->stream(input->arg);
	size_t pair = frame->slot < LAST_PAIR ? 2 : 1;
	uint8_t first;

	frame->second = 0;
	if (n >= pair && frame->stream == stream)
		first = data(frame, input->take(input->arg, at_cycle));
	else if (n > 0)		/* the last byte, and silence behind it; or the first ones behind silence */
		first = switch_to(frame, frame->stream == stream ? 0 : stream, frame->stream == stream);
	else
		first = frame->stream != 0 ? switch_to(frame, 0, false) : 0;
	if (n > 0 && pair == 2)
		frame->second = input->take(input->arg, at_cycle);
	return first;
}

static uint8_t begin_sync(struct pt_vtpiu_frame *frame)
{
	frame->sync_left = SYNC_BYTES - 1;
	frame->sync_wanted = false;
	frame->stream = 0;
	return 0xff;
}

uint8_t pt_vtpiu_frame_byte(struct pt_vtpiu_frame *frame, const struct pt_vtpiu_input *input, uint64_t at_cycle,
			    bool continuous)
{
	uint8_t byte;

	if (frame->sync_left > 0)
		return --frame->sync_left == 0 ? 0x7f : 0xff;
	if (frame->slot == 0 && continuous && (frame->sync_wanted || input->waiting(input->arg, at_cycle) == 0))
		return begin_sync(frame);
	if (frame->slot == 0)
		frame->last = 0;
	byte = frame->slot == FRAME_BYTES - 1 ? frame->last
	       : frame->slot % 2 != 0	      ? frame->second
					      : first_of_pair(frame, input, at_cycle);
	frame->slot = (frame->slot + 1) % FRAME_BYTES;
	return byte;
}
