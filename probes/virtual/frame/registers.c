/* Rows are few (tens), accesses to units rare: a scan per access is cheap enough. */
#include "probes/virtual/frame/registers.h"

/* Where the row lies in the access: bytes from the access's first byte, negative if it begins before. */
static bool covers(const struct pt_vreg *row, uint32_t offset, const struct pt_vaccess *access, int *shift_bytes)
{
	*shift_bytes = (int)row->offset - (int)offset;
	return *shift_bytes < access->size_bytes && -*shift_bytes < row->size_bytes;
}

static uint32_t shifted(uint32_t value, int by_bytes)
{
	return by_bytes >= 0 ? value << (8 * by_bytes) : value >> (8 * -by_bytes);
}

static uint32_t size_mask(unsigned size_bytes)
{
	return size_bytes >= 4 ? UINT32_MAX : (UINT32_C(1) << (8 * size_bytes)) - 1;
}

void pt_vregs_reset(struct pt_vregs *regs)
{
	for (size_t i = 0; i < regs->n_rows; i++)
		regs->value[i] = regs->row[i].reset;
}

bool pt_vregs_read(const struct pt_vregs *regs, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	bool any = false;
	int shift_bytes;

	*value = 0;
	for (size_t i = 0; i < regs->n_rows; i++) {
		if (!covers(&regs->row[i], offset, access, &shift_bytes))
			continue;
		*value |= shifted(regs->value[i], shift_bytes);
		any = true;
	}
	*value &= size_mask(access->size_bytes);
	return any;
}

bool pt_vregs_write(struct pt_vregs *regs, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	bool any = false;
	int shift_bytes;

	for (size_t i = 0; i < regs->n_rows; i++) {
		const struct pt_vreg *row = &regs->row[i];
		uint32_t lanes, in;

		if (!covers(row, offset, access, &shift_bytes))
			continue;
		lanes = shifted(size_mask(access->size_bytes), -shift_bytes) & size_mask(row->size_bytes);
		in = shifted(value, -shift_bytes) & lanes;
		regs->value[i] &= ~(in & row->w1c);
		regs->value[i] = (regs->value[i] & ~(row->writable & lanes)) | (in & row->writable);
		any = true;
	}
	return any;
}
