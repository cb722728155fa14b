#include "probes/wires/swd_bits.h"

#include <string.h>

const uint8_t pt_swd_select[PT_SWD_SELECT_BITS / 8] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
};

const uint8_t pt_swd_leave[PT_SWD_LEAVE_BITS / 8] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3c, 0xe7, 0xff,
};

/* Start, APnDP, RnW, A[2:3], parity, stop, park. */
static uint8_t request_of(const struct pt_dap_access *transfer)
{
	unsigned bits = (transfer->ap ? 1u : 0) | (transfer->read ? 2u : 0) | (transfer->a & 0xcu);

	return (uint8_t)(0x81 | bits << 1 | (unsigned)__builtin_parity(bits) << 5);
}

size_t pt_swd_spans(const struct pt_dap_access *transfer, struct pt_swd_span *span)
{
	span[0] = (struct pt_swd_span){ true, PT_SWD_REQUEST_BITS, request_of(transfer) };
	span[1] = (struct pt_swd_span){ false, transfer->read ? PT_SWD_READ_IN_BITS : PT_SWD_WRITE_IN_BITS, 0 };
	if (transfer->read)
		return 2;
	span[2] = (struct pt_swd_span){ true, PT_SWD_DATA_BITS,
					transfer->value | (uint64_t)__builtin_parity(transfer->value) << 32 };
	return 3;
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* n_bits of value, 56 at most. What is behind them in their last byte becomes zero. */
static void put_bits(uint8_t *to, uint32_t at_bit, uint64_t value, uint32_t n_bits)
{
	uint32_t shift = at_bit % 8, n_bytes = (shift + n_bits + 7) / 8;
	uint64_t bits = value << shift;

	to += at_bit / 8;
	for (uint32_t i = 0; i < n_bytes; i++, bits >>= 8)
		to[i] = i == 0 ? (uint8_t)((to[0] & ((1u << shift) - 1)) | bits) : (uint8_t)bits;
}

static uint64_t ones(uint32_t n_bits)
{
	return (UINT64_C(1) << n_bits) - 1;
}

uint32_t pt_swd_vectors(const struct pt_dap_access *transfer, uint8_t *direction, uint8_t *out, uint32_t at_bit)
{
	struct pt_swd_span span[PT_SWD_MOST_SPANS];
	size_t n = pt_swd_spans(transfer, span);

	for (size_t i = 0; i < n; i++) {
		put_bits(direction, at_bit, span[i].drive ? ones(span[i].n_bits) : 0, span[i].n_bits);
		put_bits(out, at_bit, span[i].bits, span[i].n_bits);
		at_bit += span[i].n_bits;
	}
	return PT_SWD_TRANSFER_CLOCKS;
}

uint32_t pt_swd_idle_vectors(uint32_t n_clocks, uint8_t *direction, uint8_t *out, uint32_t at_bit)
{
	for (uint32_t done = 0; done < n_clocks; done += 8) {
		uint32_t n = n_clocks - done < 8 ? n_clocks - done : 8;

		put_bits(direction, at_bit + done, ones(n), n);
		put_bits(out, at_bit + done, 0, n);
	}
	return n_clocks;
}

uint64_t pt_swd_taken(const struct pt_dap_access *transfer, const uint8_t *in, uint32_t at_bit)
{
	uint32_t from = at_bit + PT_SWD_REQUEST_BITS, shift = from % 8;
	uint32_t n_bits = transfer->read ? PT_SWD_READ_IN_BITS : PT_SWD_WRITE_IN_BITS;
	uint64_t bits = 0;

	for (uint32_t i = 0; i < (shift + n_bits + 7) / 8; i++)
		bits |= (uint64_t)in[from / 8 + i] << 8 * i;
	return bits >> shift & ones(n_bits);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

struct pt_swd_answer pt_swd_answer(const struct pt_dap_access *transfer, unsigned ack_offset, uint64_t taken)
{
	uint64_t bits = taken >> ack_offset;
	struct pt_swd_answer answer = { .ack = bits & ones(PT_SWD_ACK_BITS) };

	if (transfer->read) {
		bits = bits >> PT_SWD_ACK_BITS & ones(PT_SWD_DATA_BITS);
		answer.data = (uint32_t)bits;
		answer.bad_parity = (unsigned)__builtin_parity(answer.data) != bits >> 32;
	}
	return answer;
}
