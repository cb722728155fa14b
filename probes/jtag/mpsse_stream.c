/* How long the answer to a request is: what the opcodes of a stream read. Source: FTDI AN_108. */
#include "base/util.h"
#include "probes/jtag/mpsse.h"

enum { BITS = 0x02, WRITES = 0x10, READS = 0x20, TMS = 0x40 };

/* With its arguments and data; and what it reads. */
static size_t shift_bytes(const uint8_t *op, size_t left, size_t *reads)
{
	bool reading = (op[0] & READS) != 0, writing = (op[0] & (WRITES | TMS)) != 0;
	size_t n;

	if ((op[0] & BITS) != 0) {
		*reads += reading;
		return writing ? 3 : 2;
	}
	n = left >= 3 ? pt_le16(op + 1) + (size_t)1 : 0;
	*reads += reading ? n : 0;
	return 3 + (writing ? n : 0);
}

static bool shifts(uint8_t op)
{
	if ((op & 0x80) != 0)
		return false;
	return (op & TMS) != 0 ? (op & BITS) != 0 && (op & WRITES) == 0 : (op & (WRITES | READS)) != 0;
}

/* One that there is not is answered with a byte and itself. */
static size_t other_bytes(uint8_t op, size_t *reads)
{
	switch (op) {
	case MPSSE_SET_LOW:
	case MPSSE_SET_HIGH:
	case MPSSE_DIVISOR:
	case MPSSE_CLOCK_BYTES:
		return 3;
	case MPSSE_CLOCK_BITS:
		return 2;
	case MPSSE_READ_LOW:
	case MPSSE_READ_HIGH:
		(*reads)++;
		return 1;
	case MPSSE_LOOP_ON:
	case MPSSE_LOOP_OFF:
	case MPSSE_SEND_NOW:
	case MPSSE_BASE_60M:
	case MPSSE_THREE_PHASE_OFF:
	case MPSSE_ADAPTIVE_ON:
	case MPSSE_ADAPTIVE_OFF:
		return 1;
	default:
		*reads += 2;
		return 1;
	}
}

static size_t answer_bytes(const uint8_t *request, size_t len_bytes)
{
	size_t reads = 0;

	for (size_t at = 0; at < len_bytes;)
		at += shifts(request[at]) ? shift_bytes(request + at, len_bytes - at, &reads)
					  : other_bytes(request[at], &reads);
	return reads;
}

const struct pt_framing mpsse_framing = { .protocol = "MPSSE", .answer_bytes = answer_bytes };
