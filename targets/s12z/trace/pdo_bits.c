/* See pdo_bits.h. */
#include <string.h>

#include "targets/s12z/trace/pdo_bits.h"

enum { RESTS = 32 };	/* times the distance of two bits: nothing inside a line takes so long */

void pt_pdo_init(struct pt_pdo_bits *bits, enum pt_pdo_edge edge)
{
	*bits = (struct pt_pdo_bits){ .edge = edge };
}

void pt_pdo_begin(struct pt_pdo_bits *bits)
{
	bits->begun = bits->damaged = false;
	bits->n_bits = bits->part = 0;
	bits->gap = 0;
}

static bool is_bit(struct pt_pdo_bits *bits, bool rising)
{
	if (!bits->begun)
		bits->begun = rising == (bits->edge != PT_PDO_FALLING);
	return bits->begun && (bits->edge == PT_PDO_BOTH || rising == (bits->edge == PT_PDO_RISING));
}

static bool take_bit(struct pt_pdo_bits *bits, bool one, uint8_t *byte)
{
	if (bits->n_bits > 0 && bits->gap > (uint64_t)bits->least_gap * RESTS && bits->least_gap != 0)
		bits->damaged = true;
	if (bits->gap != 0 && (bits->least_gap == 0 || bits->gap < bits->least_gap))
		bits->least_gap = (uint32_t)bits->gap;
	bits->gap = 0;
	bits->part |= (uint8_t)((one ? 1u : 0u) << bits->n_bits);
	if (++bits->n_bits < 8)
		return false;
	*byte = bits->part;
	bits->part = 0;
	bits->n_bits = 0;
	return true;
}

bool pt_pdo_run(struct pt_pdo_bits *bits, uint8_t levels, uint32_t n, uint8_t *byte)
{
	bool edge = bits->known && ((levels ^ bits->levels) & PT_PDO_CLOCK) != 0;
	bool complete = false;

	bits->known = true;
	bits->levels = levels;
	if (edge && is_bit(bits, (levels & PT_PDO_CLOCK) != 0))
		complete = take_bit(bits, (levels & PT_PDO_DATA) != 0, byte);
	bits->gap += n;
	return complete;
}
