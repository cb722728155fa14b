/* The bytes of an Instrumentation Trace Macrocell (ITM), cut into packets: what the DWT and the program's own stores sent.
 * Source: Arm DDI 0403, appendix D4; DDI 0553 for what the M profile's eighth version added.
 *
 * A packet says by its header how long it is, so one wrong bit can shift all that follows. Bytes count as packets only
 * while that is believed: from a synchronisation packet on, or behind PT_ITM_PROOF packets in a row that can be, up to
 * the first that cannot; but while the next sync is still to be expected, it alone is proof. Packets that resemble each other
 * can be read at another place as well, and chance may do so for a while: as long as what began at another place, not less
 * than half as many bytes ago, can be packets too, neither is believed. What is skipped in between is counted: the bytes of all packets and all that FOUND says make the bytes that came. Pure; any split of the stream is
 * the same. */
#ifndef PT_TRACE_ITM_PACKETS_H
#define PT_TRACE_ITM_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_ITM_PROOF = 8, PT_ITM_MOST_BYTES = 8, PT_ITM_TRIES = 8 };

enum pt_itm_kind {
	PT_ITM_NONE,		/* no packet ends with this byte */
	PT_ITM_SYNC,
	PT_ITM_OVERFLOW,	/* packets were dropped in front of the ITM: at least one */
	PT_ITM_LOCAL_STAMP,	/* value: ticks since the local stamp before; which: TC, enum pt_itm_late */
	PT_ITM_GLOBAL_LOW,	/* value: bits 25:0 of the global clock, or as many as have changed; which: 1 its
				 * source changed, 2 it wrapped, 3 both */
	PT_ITM_GLOBAL_HIGH,	/* value: bits from 26 on */
	PT_ITM_PAGE,		/* which: page of the stimulus ports to come; PORT has it in its number already */
	PT_ITM_PORT,		/* which: stimulus port, 0..255; n_bytes of value */
	PT_ITM_HARDWARE,	/* which: enum pt_itm_hardware, or its data trace; n_bytes of value */
	PT_ITM_BROKEN,		/* what came cannot be: packets are not believed any more, and the last ones may be wrong */
	PT_ITM_FOUND,		/* packets are believed again, from here on; value: bytes before that are in none */
};

/* What a local stamp is late for: whatever it is, the event lies behind the stamp before. Source: D4.2.4 */
enum pt_itm_late { PT_ITM_IN_TIME, PT_ITM_STAMP_LATE, PT_ITM_PACKET_LATE, PT_ITM_BOTH_LATE };

/* Discriminators of the DWT's packets. Source: D4.3 */
enum pt_itm_hardware {
	PT_ITM_COUNTERS,	/* bits of value: event counters that wrapped */
	PT_ITM_EXCEPTION,	/* value: number in bits 8:0, bits 13:12 the step */
	PT_ITM_PC_SAMPLE,	/* 4 bytes: the pc; 1 byte: asleep, or 0xff: not permitted */
	PT_ITM_DATA_PC = 8,	/* + 2 * comparator: pc of an access; 1 byte: the comparator matched */
	PT_ITM_DATA_ADDRESS,	/* + 2 * comparator: low half of its address */
	PT_ITM_DATA_READ = 16,	/* + 2 * comparator: what was read */
	PT_ITM_DATA_WRITTEN,	/* + 2 * comparator: what was written */
	PT_ITM_DATA_END = 24,
};

struct pt_itm_packet {
	uint8_t kind;		/* enum pt_itm_kind */
	uint8_t which, n_bytes, late;
	uint64_t total_bytes;	/* of the packet, with its header; BROKEN, FOUND: 0 */
	uint64_t value;
};

/* What the chip cannot send as it is set up: one of these is damage. All zero: everything may come. */
enum { PT_ITM_NO_COUNTERS = 1, PT_ITM_NO_EXCEPTIONS = 2, PT_ITM_NO_SAMPLES = 4, PT_ITM_NO_COMPARATOR = 0x10 };	/* of 0; the next: << 1 */
struct pt_itm_limits {
	uint16_t last_exception;	/* the highest number that the core has; 0: not known */
	uint8_t no_hardware;		/* PT_ITM_NO_... */
	uint32_t no_ports;		/* those of stimulus ports 0 to 31 that are off */
};

/* Whether there is such an exception, and such a step of it: value of PT_ITM_EXCEPTION. Numbers 7 to 10 and 13 are none.
 * last_exception: 0: not known. Without branches: a decoder asks before it knows that the packet is one. Source: D4.3.2, B1.5.2 */
static inline bool pt_itm_exception_can_be(uint16_t last_exception, uint64_t value)
{
	enum { ENTER = 1, RETURN = 3, RESERVED_BITS = 0xce00, RESERVED = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 13 };
	unsigned number = value & 0x1ff, step = value >> 12 & 3, last = last_exception != 0 ? last_exception : 0x1ff;
	bool has_step = (step >= ENTER) & ((number != 0) | (step == RETURN));
	bool has_number = ((number >= 16) | !(RESERVED >> (number & 15) & 1)) & (number <= last);

	return ((value & RESERVED_BITS) == 0) & has_step & has_number;
}

/* Whether the DWT sends such a packet: enum pt_itm_hardware, the bytes of its value, and that. */
bool pt_itm_hardware_can_be(const struct pt_itm_limits *limits, unsigned which, unsigned n_bytes, uint64_t value);

struct pt_itm_part {		/* of a packet that has begun */
	uint8_t bytes[PT_ITM_MOST_BYTES], n_bytes;	/* a long sync's zeros are cut */
	uint8_t page;		/* of the stimulus ports */
	uint16_t proof;		/* packets in a row before it that can be, while they are not believed */
	uint32_t age;		/* bytes since the first of these began */
	uint64_t taken;		/* its bytes */
};

/* All zero, but for what the caller sets: nothing was seen yet. */
struct pt_itm_packets {
	bool believed;		/* the caller may set it: the first byte begins a packet */
	struct pt_itm_limits limits;	/* the caller may set them */
	struct pt_itm_part part;		/* while packets are believed */
	struct pt_itm_part tries[PT_ITM_TRIES];	/* else: each place where one may have begun */
	uint8_t n_tries;
	bool had_sync;
	uint64_t since_sync;	/* bytes */
	uint64_t sync_bytes;	/* most bytes between two of them so far; 0: there were no two */
	uint64_t zeros;		/* bytes of 0 in a row, whatever they were part of */
	uint64_t skipped;	/* bytes since packets were believed last */
};

/* Take bytes up to the end of a packet, or all. n_packets: out, how many end there, 0 to PT_ITM_ROOM, in order. Returns how
 * many bytes were taken. */
enum { PT_ITM_ROOM = 3 };
size_t pt_itm_take(struct pt_itm_packets *s, const uint8_t *bytes, size_t len_bytes,
		   struct pt_itm_packet packet[PT_ITM_ROOM], unsigned *n_packets);

/* Nothing follows, or not what would have: how many bytes are in no packet and were not told. */
uint64_t pt_itm_rest(const struct pt_itm_packets *s);

#endif
