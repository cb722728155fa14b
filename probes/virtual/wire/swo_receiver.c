/* The line is a row of segments of equal level. A falling edge begins a frame; its ten bits are sampled half a bit after
 * each of the receiver's bit times, counted from that edge, wherever the sender's bits are. After a missing stop bit the
 * line has to rise before the next frame begins. */
#include "probes/virtual/wire/swo_receiver.h"

#include <stddef.h>

enum { STOP_BIT = 9, FRAME_BITS = 10, CLOSE_PERCENT = 2, MANCHESTER_PERCENT = 10 };
#define PS_PER_S UINT64_C(1000000000000)

static bool within(uint64_t a, uint64_t b, unsigned percent)
{
	uint64_t difference = a > b ? a - b : b - a;

	return difference * 100 <= b * percent;
}

static void take_sample(struct pt_vswo_receiver *rx, bool low)
{
	unsigned bit = rx->next_bit++;

	if (bit == 0) {
		rx->in_frame = low;	/* else it was a spike */
	} else if (bit < STOP_BIT) {
		rx->bits |= (uint8_t)(low ? 0 : 1u << (bit - 1));
	} else {
		rx->in_frame = false;
		rx->got(rx->arg, rx->bits, low);
	}
}

static void take_segment(struct pt_vswo_receiver *rx, uint64_t to_ps, bool low)
{
	if (!rx->in_frame && low && !rx->low) {
		rx->in_frame = true;
		rx->start_ps = rx->line_ps;
		rx->next_bit = 0;
		rx->bits = 0;
	}
	while (rx->in_frame && rx->start_ps + rx->next_bit * rx->bit_ps + rx->bit_ps / 2 < to_ps)
		take_sample(rx, low);
	rx->low = low;
	rx->line_ps = to_ps;
}

static void take_uart(struct pt_vswo_receiver *rx, const struct pt_vswo_byte *byte, uint64_t begin_ps)
{
	unsigned levels = 1u << STOP_BIT | (unsigned)byte->byte << 1;

	for (unsigned i = 0; i < FRAME_BITS; i++)
		take_segment(rx, begin_ps + (i + 1) * byte->bit_ps, (levels >> i & 1) == 0);
}

/* The ordinary case: no bit of it can be mistaken. */
static bool is_plain(const struct pt_vswo_receiver *rx, const struct pt_vswo_byte *byte)
{
	return !rx->in_frame && !rx->low && within(rx->bit_ps, byte->bit_ps, CLOSE_PERCENT);
}

static void on_byte(void *arg, const struct pt_vswo_byte *byte)
{
	struct pt_vswo_receiver *rx = arg;
	uint64_t begin_ps = byte->begin_ns * 1000;

	rx->sender_bit_ps = byte->bit_ps;
	if (begin_ps < rx->line_ps)		/* times are rounded to nanoseconds */
		begin_ps = rx->line_ps;
	if (byte->coding != rx->coding) {	/* edges where there should be none */
		rx->got(rx->arg, (uint8_t)(byte->byte * 0x55), true);
	} else if (rx->coding == PT_VSWO_MANCHESTER) {
		if (within(rx->bit_ps, byte->bit_ps, MANCHESTER_PERCENT))
			rx->got(rx->arg, byte->byte, false);
		else
			rx->got(rx->arg, (uint8_t)~byte->byte, true);
	} else if (is_plain(rx, byte)) {
		rx->line_ps = begin_ps + FRAME_BITS * byte->bit_ps;
		rx->got(rx->arg, byte->byte, false);
	} else {
		take_segment(rx, begin_ps, false);
		take_uart(rx, byte, begin_ps);
	}
}

void pt_vswo_receiver_start(struct pt_vswo_receiver *rx, struct pt_vswo *pin, enum pt_vswo_coding coding,
			    uint32_t bits_per_s)
{
	rx->listener = (struct pt_vswo_listener){ rx, on_byte };
	rx->pin = pin;
	rx->coding = coding;
	rx->bit_ps = PS_PER_S / (bits_per_s > 0 ? bits_per_s : 1);
	rx->low = rx->in_frame = false;
	rx->line_ps = rx->sender_bit_ps = 0;
	if (pin != NULL)
		pin->listener = &rx->listener;
}

void pt_vswo_receiver_stop(struct pt_vswo_receiver *rx)
{
	if (rx->pin != NULL && rx->pin->listener == &rx->listener)
		rx->pin->listener = NULL;
	rx->pin = NULL;
}

/* The pin reports a byte only when its last bit is out. A byte may be under way now, so the receiver takes the line for idle
 * only up to where such a byte would have begun. */
void pt_vswo_receiver_idle(struct pt_vswo_receiver *rx, uint64_t now_ns)
{
	uint64_t under_way_ps = (FRAME_BITS + 1) * rx->sender_bit_ps, now_ps = now_ns * 1000;

	if (rx->in_frame && now_ps > rx->line_ps + under_way_ps)
		take_segment(rx, now_ps - under_way_ps, false);
}
