/* Levels of PDO and PDOCLK, as a logic capture gives them, to the bytes of the profiling stream. A bit is there at
 * each edge of PDOCLK (which edges: not verified, so a setting), the least significant of a byte first; between lines
 * the clock rests. Data in, data out. Source: ZVHY 6.4.6.1; p.223 (order). */
#ifndef PT_TRACE_PDO_BITS_H
#define PT_TRACE_PDO_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_pdo_edge { PT_PDO_BOTH, PT_PDO_RISING, PT_PDO_FALLING };
enum { PT_PDO_DATA = 1, PT_PDO_CLOCK = 2 };	/* levels: the lines in the order in which they are asked for */
enum { PT_PDO_RESTS = 32 };	/* times the distance of two bits: nothing inside a line takes so long */

struct pt_pdo_bits {
	enum pt_pdo_edge edge;
	bool known;		/* a level was seen */
	bool begun;		/* the first bit of the session was seen */
	bool timed;		/* a bit was seen since it began, so that gap is the distance of two */
	bool damaged;		/* the clock has rested inside a byte: bits are missing */
	bool rested;		/* the clock rested before the byte that is being read, or was read last */
	uint8_t levels;
	uint8_t part;		/* bits of a byte, the first at the right */
	unsigned n_bits;	/* of it */
	uint64_t least_gap;	/* samples between two bits, the least seen; 0: none yet */
	uint64_t gap;		/* samples since the last bit */
};

void pt_pdo_init(struct pt_pdo_bits *bits, enum pt_pdo_edge edge);
/* A session begins behind what was fed: its first bit is at the next rising edge (falling, where only these count). */
void pt_pdo_begin(struct pt_pdo_bits *bits);
/* A run of n samples with these levels. Returns true when a byte is complete: *byte. */
bool pt_pdo_run(struct pt_pdo_bits *bits, uint8_t levels, uint64_t n, uint8_t *byte);
/* The clock rests: nothing inside a line takes so long as it has stood. */
bool pt_pdo_rests(const struct pt_pdo_bits *bits);

#endif
