#include "probes/virtual/wire/swo_ring.h"

#include <stdlib.h>

#include "base/alloc.h"

static void put_byte(void *arg, uint8_t byte, bool bad)
{
	struct pt_vswo_ring *ring = arg;

	(void)bad;			/* these firmwares do not tell */
	if (ring->in - ring->out == ring->size && ring->full == PT_VSWO_DROPS) {
		ring->overrun = true;
		ring->n_lost++;
		return;
	}
	if (ring->in - ring->out == ring->size) {
		uint32_t n = ring->full == PT_VSWO_WRAPS ? ring->size : 1;

		ring->out += n;
		ring->n_lost += n;
	}
	ring->bytes[ring->in++ % ring->size] = byte;
}

void pt_vswo_ring_start(struct pt_vswo_ring *ring, struct pt_vswo *pin, uint32_t bits_per_s, uint32_t size,
			enum pt_vswo_full full)
{
	pt_vswo_ring_stop(ring);
	ring->bytes = pt_alloc(size);
	ring->size = size;
	ring->full = full;
	ring->in = ring->out = 0;
	ring->overrun = false;
	ring->receiver.got = put_byte;
	ring->receiver.arg = ring;
	pt_vswo_receiver_start(&ring->receiver, pin, PT_VSWO_UART, bits_per_s);
}

void pt_vswo_ring_stop(struct pt_vswo_ring *ring)
{
	if (ring->size > 0)
		pt_vswo_receiver_stop(&ring->receiver);
	free(ring->bytes);
	ring->bytes = NULL;
	ring->size = 0;
	ring->in = ring->out = 0;
}

uint32_t pt_vswo_ring_waiting(const struct pt_vswo_ring *ring)
{
	return (uint32_t)(ring->in - ring->out);
}

uint32_t pt_vswo_ring_take(struct pt_vswo_ring *ring, uint8_t *bytes, uint32_t room)
{
	uint32_t n = 0;

	for (; n < room && ring->out < ring->in; n++)
		bytes[n] = ring->bytes[ring->out++ % ring->size];
	return n;
}
