/* See pdo_bits.h. */
#include <string.h>

#include "trace/pdo_bits.h"

void pt_pdo_init(struct pt_pdo_bits *bits, enum pt_pdo_edge edge)
{
	*bits = (struct pt_pdo_bits){ .edge = edge };
}

void pt_pdo_begin(struct pt_pdo_bits *bits)
{
	bits->begun = bits->timed = bits->damaged = bits->rested = false;
	bits->n_bits = bits->part = 0;
	bits->gap = 0;
}

static bool is_bit(struct pt_pdo_bits *bits, bool rising)
{
	if (!bits->begun)
		bits->begun = rising == (bits->edge != PT_PDO_FALLING);
	return bits->begun && (bits->edge == PT_PDO_BOTH || rising == (bits->edge == PT_PDO_RISING));
}

bool pt_pdo_rests(const struct pt_pdo_bits *bits)
{
	return bits->least_gap != 0 && bits->gap > bits->least_gap * PT_PDO_RESTS;
}

/* Behind a rest a line begins, whatever came before it. */
static bool take_bit(struct pt_pdo_bits *bits, bool one, uint8_t *byte)
{
	bool rested = bits->timed && pt_pdo_rests(bits);

	if (rested && bits->n_bits > 0) {
		bits->damaged = true;
		bits->part = 0;
		bits->n_bits = 0;
	}
	if (bits->n_bits == 0)
		bits->rested = rested;
	if (bits->timed && bits->gap != 0 && (bits->least_gap == 0 || bits->gap < bits->least_gap))
		bits->least_gap = bits->gap;
	bits->timed = true;
	bits->gap = 0;
	bits->part |= (uint8_t)((one ? 1u : 0u) << bits->n_bits);
	if (++bits->n_bits < 8)
		return false;
	*byte = bits->part;
	bits->part = 0;
	bits->n_bits = 0;
	return true;
}

bool pt_pdo_run(struct pt_pdo_bits *bits, uint8_t levels, uint64_t n, uint8_t *byte)
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
