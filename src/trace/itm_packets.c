/* Headers by their low bits, lengths from headers and continuation bits, and the question whether a packet can be. */
#include "trace/itm_packets.h"

#include <string.h>

enum { SYNC_ZEROS = 5, SYNC_END = 0x80, OVERFLOW = 0x70, GLOBAL_LOW = 0x94, GLOBAL_HIGH = 0xb4, MORE = 0x80 };
enum { STAMP_BYTES = 4, GLOBAL_LOW_BYTES = 4, GLOBAL_HIGH_SHORT = 4, GLOBAL_HIGH_LONG = 6, PAGE_BYTES = 4 };

/* --- lengths ------------------------------------------------------------------------------------------------------ */

enum { NOT_YET = 0, CANNOT_BE = -1 };

/* Bytes with 7 bits each behind a header, the last of which has bit 7 clear: the length of all, as far as it is known. */
static int continued(const struct pt_itm_part *p, unsigned most)
{
	if (p->n_bytes > 1 && (p->bytes[p->n_bytes - 1] & MORE) == 0)
		return p->n_bytes;
	return p->n_bytes > most ? CANNOT_BE : NOT_YET;
}

/* Of the global clock there are 22 bits more, or 38. Source: D4.2.5 */
static int global_high(const struct pt_itm_part *p)
{
	int len = continued(p, GLOBAL_HIGH_LONG);

	return len <= 0 || len - 1 == GLOBAL_HIGH_SHORT || len - 1 == GLOBAL_HIGH_LONG ? len : CANNOT_BE;
}

/* Zeros and a one behind them. Where there are more zeros than part has room for, it is full of them. */
static int sync(const struct pt_itm_part *p, uint8_t byte)
{
	if (byte == 0)
		return NOT_YET;
	return byte == SYNC_END && p->taken > SYNC_ZEROS ? p->n_bytes : CANNOT_BE;
}

/* Packets of the protocol itself: the low two bits of their header are 0. */
static int protocol_length(const struct pt_itm_part *p, uint8_t byte)
{
	uint8_t header = p->bytes[0];

	if (header == 0)
		return sync(p, byte);
	if ((header & 0x8f) == 0)		/* overflow, or a stamp that is all header */
		return 1;
	if ((header & 0xcf) == 0xc0)
		return continued(p, STAMP_BYTES);
	if (header == GLOBAL_LOW)
		return continued(p, GLOBAL_LOW_BYTES);
	if (header == GLOBAL_HIGH)
		return global_high(p);
	if ((header & 0x8f) == 0x08)
		return 1;
	return (header & 0x8f) == 0x88 ? continued(p, PAGE_BYTES) : CANNOT_BE;
}

/* Of the packet that byte came to last. */
static int length(const struct pt_itm_part *p, uint8_t byte)
{
	unsigned size = p->bytes[0] & 3u;

	if (size == 0)
		return protocol_length(p, byte);
	size = size == 3 ? 4 : size;
	return p->n_bytes > size ? p->n_bytes : NOT_YET;
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

static uint64_t sevens(const struct pt_itm_part *p)
{
	uint64_t value = 0;

	for (unsigned i = 1; i < p->n_bytes; i++)
		value |= (uint64_t)(p->bytes[i] & 0x7f) << 7 * (i - 1);
	return value;
}

static uint64_t eights(const struct pt_itm_part *p)
{
	uint64_t value = 0;

	for (unsigned i = 1; i < p->n_bytes; i++)
		value |= (uint64_t)p->bytes[i] << 8 * (i - 1);
	return value;
}

/* The fourth byte of it has two flags above its five bits. */
static void global_low(const struct pt_itm_part *p, struct pt_itm_packet *packet)
{
	bool whole = p->n_bytes > GLOBAL_LOW_BYTES;

	packet->kind = PT_ITM_GLOBAL_LOW;
	packet->value = sevens(p) & (whole ? 0x3ffffff : UINT64_MAX);
	packet->which = whole ? p->bytes[GLOBAL_LOW_BYTES] >> 5 & 3 : 0;
}

static void protocol(struct pt_itm_part *p, struct pt_itm_packet *packet)
{
	uint8_t header = p->bytes[0];

	if (header == 0) {
		packet->kind = PT_ITM_SYNC;
		p->page = 0;
	} else if (header == OVERFLOW) {
		packet->kind = PT_ITM_OVERFLOW;
	} else if ((header & 0x8f) == 0) {
		packet->kind = PT_ITM_LOCAL_STAMP;
		packet->value = header >> 4;
	} else if ((header & 0xcf) == 0xc0) {
		packet->kind = PT_ITM_LOCAL_STAMP;
		packet->value = sevens(p);
		packet->late = header >> 4 & 3;
	} else if (header == GLOBAL_LOW) {
		global_low(p, packet);
	} else if (header == GLOBAL_HIGH) {
		packet->kind = PT_ITM_GLOBAL_HIGH;
		packet->value = sevens(p);
	} else {
		packet->kind = PT_ITM_PAGE;
		packet->which = p->page = header >> 4 & 7;	/* 7 more bits are for pages that no ITM has */
	}
}

/* Source: D4.3 */
bool pt_itm_hardware_can_be(const struct pt_itm_limits *limits, unsigned which, unsigned n_bytes, uint64_t value)
{
	if (which == PT_ITM_COUNTERS)
		return n_bytes == 1 && value != 0 && value < 0x40 && (limits->no_hardware & PT_ITM_NO_COUNTERS) == 0;
	if (which == PT_ITM_EXCEPTION)
		return n_bytes == 2 && pt_itm_exception_can_be(limits->last_exception, value) &&
		       (limits->no_hardware & PT_ITM_NO_EXCEPTIONS) == 0;
	if (which == PT_ITM_PC_SAMPLE)
		return (n_bytes == 4 || (n_bytes == 1 && (value == 0 || value == 0xff))) &&
		       (limits->no_hardware & PT_ITM_NO_SAMPLES) == 0;
	if (which < PT_ITM_DATA_PC || which >= PT_ITM_DATA_END ||
	    (limits->no_hardware & PT_ITM_NO_COMPARATOR << (which >> 1 & 3)) != 0)
		return false;
	if (which >= PT_ITM_DATA_READ)
		return true;
	return (which & 1) != 0 || n_bytes == 4 || (n_bytes == 1 && value == 1);
}

/* What part has: false: it cannot be. */
static bool read_packet(struct pt_itm_part *p, const struct pt_itm_limits *limits, struct pt_itm_packet *packet)
{
	unsigned size = p->bytes[0] & 3u, which = p->bytes[0] >> 3;

	*packet = (struct pt_itm_packet){ .total_bytes = p->taken };
	if (size == 0) {
		protocol(p, packet);
		return true;
	}
	packet->n_bytes = p->n_bytes - 1;
	packet->value = eights(p);
	if ((p->bytes[0] & 4) == 0) {
		packet->kind = PT_ITM_PORT;
		packet->which = (uint8_t)(which + 32u * p->page);
		return p->page > 0 || (limits->no_ports >> which & 1) == 0;
	}
	packet->kind = PT_ITM_HARDWARE;
	packet->which = (uint8_t)which;
	return pt_itm_hardware_can_be(limits, which, packet->n_bytes, packet->value);
}

/* --- what is believed --------------------------------------------------------------------------------------------- */

static void note_sync(struct pt_itm_packets *s)
{
	if (s->had_sync && s->since_sync > s->sync_bytes)
		s->sync_bytes = s->since_sync;
	s->had_sync = true;
	s->since_sync = 0;
}

static void begin_packet(struct pt_itm_part *p)
{
	p->n_bytes = 0;
	p->taken = 0;
}

/* Beyond its room are zeros of a sync, and its end. */
static void add_byte(struct pt_itm_part *p, uint8_t byte)
{
	if (p->n_bytes < PT_ITM_MOST_BYTES)
		p->bytes[p->n_bytes++] = byte;
	p->taken++;
}

static unsigned find(struct pt_itm_packets *s, uint8_t page, struct pt_itm_packet *packet)
{
	*packet = (struct pt_itm_packet){ .kind = PT_ITM_FOUND, .value = s->skipped };
	s->skipped = 0;
	s->n_tries = 0;
	s->believed = true;
	s->part = (struct pt_itm_part){ .page = page };
	return 1;
}

/* A sync is found in whatever looked like packets: no others have so many zeros in a row in front of such a byte. The
 * zeros are its own. */
static unsigned find_sync(struct pt_itm_packets *s, uint64_t zeros, struct pt_itm_packet *packet)
{
	uint64_t own = zeros < s->skipped ? zeros + 1 : s->skipped;

	s->skipped -= own;
	note_sync(s);
	packet[1] = (struct pt_itm_packet){ .kind = PT_ITM_SYNC, .total_bytes = own };
	return find(s, 0, packet) + 1;
}

static unsigned lose(struct pt_itm_packets *s, struct pt_itm_packet *packet)
{
	*packet = (struct pt_itm_packet){ .kind = PT_ITM_BROKEN };
	s->skipped = s->part.taken;
	s->believed = false;
	s->n_tries = 0;
	begin_packet(&s->part);
	return 1;
}

static bool ends_sync(uint8_t byte, uint64_t zeros)
{
	return byte == SYNC_END && zeros >= SYNC_ZEROS;
}

static unsigned take_believed(struct pt_itm_packets *s, uint8_t byte, uint64_t zeros,
			      struct pt_itm_packet packet[PT_ITM_ROOM])
{
	int len;
	unsigned n;

	add_byte(&s->part, byte);
	len = length(&s->part, byte);
	if (len == NOT_YET)
		return 0;
	if (len != CANNOT_BE && read_packet(&s->part, &s->limits, packet)) {
		if (packet->kind == PT_ITM_SYNC)
			note_sync(s);
		begin_packet(&s->part);
		return 1;
	}
	n = lose(s, packet);
	return ends_sync(byte, zeros) ? n + find_sync(s, zeros, packet + 1) : n;
}

/* Long after the longest way that one took so far, the next one has been missed. */
static bool expects_sync(const struct pt_itm_packets *s)
{
	return s->sync_bytes > 0 && s->since_sync <= 2 * s->sync_bytes;
}

/* A packet may begin here, if none of the others does so. */
static void try_here(struct pt_itm_packets *s)
{
	for (unsigned i = 0; i < s->n_tries; i++)
		if (s->tries[i].n_bytes == 0)
			return;
	if (s->n_tries < PT_ITM_TRIES)
		s->tries[s->n_tries++] = (struct pt_itm_part){ .n_bytes = 0 };
}

/* One more byte of that try: false: there is no such packet. */
static bool go_on(struct pt_itm_part *p, uint8_t byte, const struct pt_itm_limits *limits)
{
	struct pt_itm_packet packet;
	int len;

	add_byte(p, byte);
	p->age += p->age < UINT32_MAX;
	len = length(p, byte);
	if (len == NOT_YET)
		return true;
	if (len == CANNOT_BE || !read_packet(p, limits, &packet))
		return false;
	p->proof += p->proof < UINT16_MAX;
	begin_packet(p);
	return true;
}

/* Two that begin a packet here are the same from here on: the older one stays. */
static void merge_tries(struct pt_itm_packets *s)
{
	unsigned first = s->n_tries;

	for (unsigned i = 0; i < s->n_tries;) {
		if (s->tries[i].n_bytes > 0 || first == s->n_tries) {
			first = s->tries[i].n_bytes == 0 ? i : first;
			i++;
			continue;
		}
		if (s->tries[i].age > s->tries[first].age)
			s->tries[first] = s->tries[i];
		s->tries[i] = s->tries[--s->n_tries];
	}
}

/* The oldest try, if it alone can be: its number, or -1. */
static int proved(const struct pt_itm_packets *s)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < s->n_tries; i++)
		if (s->tries[i].age > s->tries[oldest].age)
			oldest = i;
	if (s->n_tries == 0 || s->tries[oldest].proof < PT_ITM_PROOF || s->tries[oldest].n_bytes > 0)
		return -1;
	for (unsigned i = 0; i < s->n_tries; i++)
		if (i != oldest && s->tries[i].age >= s->tries[oldest].age / 2)
			return -1;
	return (int)oldest;
}

static unsigned take_doubted(struct pt_itm_packets *s, uint8_t byte, uint64_t zeros,
			     struct pt_itm_packet packet[PT_ITM_ROOM])
{
	int best;

	s->skipped++;
	if (ends_sync(byte, zeros))
		return find_sync(s, zeros, packet);
	try_here(s);
	for (unsigned i = 0; i < s->n_tries;)
		if (go_on(&s->tries[i], byte, &s->limits))
			i++;
		else
			s->tries[i] = s->tries[--s->n_tries];
	merge_tries(s);
	best = expects_sync(s) ? -1 : proved(s);
	return best >= 0 ? find(s, s->tries[best].page, packet) : 0;
}

static unsigned take(struct pt_itm_packets *s, uint8_t byte, struct pt_itm_packet packet[PT_ITM_ROOM])
{
	uint64_t zeros = s->zeros;

	s->zeros = byte == 0 ? zeros + 1 : 0;
	s->since_sync++;
	return s->believed ? take_believed(s, byte, zeros, packet) : take_doubted(s, byte, zeros, packet);
}

/* --- many bytes --------------------------------------------------------------------------------------------------- */

/* A packet of a source that is there whole: most are. */
static unsigned take_whole(struct pt_itm_packets *s, const uint8_t *bytes, size_t len, struct pt_itm_packet *packet)
{
	memcpy(s->part.bytes, bytes, len);
	s->part.n_bytes = (uint8_t)len;
	s->part.taken = len;
	s->since_sync += len;
	for (s->zeros = 0; bytes[len - 1 - s->zeros] == 0; s->zeros++)	/* the header is none */
		;
	if (!read_packet(&s->part, &s->limits, packet))
		return lose(s, packet);
	begin_packet(&s->part);
	return 1;
}

size_t pt_itm_take(struct pt_itm_packets *s, const uint8_t *bytes, size_t len_bytes,
		   struct pt_itm_packet packet[PT_ITM_ROOM], unsigned *n_packets)
{
	static const uint8_t sizes[] = { 0, 2, 3, 5 };	/* with the header, by its low bits; 0: of the protocol itself */
	size_t whole = s->believed && s->part.n_bytes == 0 && len_bytes > 0 ? sizes[bytes[0] & 3] : 0, n = 0;

	*n_packets = 0;
	if (whole > 0 && whole <= len_bytes) {
		*n_packets = take_whole(s, bytes, whole, packet);
		return whole;
	}
	while (*n_packets == 0 && n < len_bytes)
		*n_packets = take(s, bytes[n++], packet);
	return n;
}

uint64_t pt_itm_rest(const struct pt_itm_packets *s)
{
	return s->believed ? s->part.taken : s->skipped;
}
