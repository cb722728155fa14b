/* Shifts and rotates. UNVERIFIED, as binutils has the encodings alone:
 *   - a count from a register or from memory (a byte) is its low five bits
 *   - where source and destination differ in width, the shift is made in the wider: LSR and LSL extend with zeros, ASR
 *     and ASL with the sign; the result is cut off
 *   - C is the bit that went out last, kept if the count is 0; V is set by ASL alone, where the sign was lost */
#include "probes/virtual/cpu/s12z/alu.h"
#include "probes/virtual/cpu/s12z/decode.h"
#include "probes/virtual/cpu/s12z/operand.h"

static bool count_of(struct pt_vs12z *cpu, const struct op *op, unsigned *count)
{
	uint32_t value;

	if (!pt_z_read(cpu, &op->b, 1, &value))
		return false;
	*count = value & 31;
	return true;
}

/* value has size bytes, the room is width; both sides of what goes out are in 64 bits */
static uint32_t shifted(struct pt_vs12z *cpu, unsigned how, uint32_t value, unsigned size, unsigned width, unsigned by)
{
	int64_t wide = (how & SHIFT_ARITHMETIC) != 0 ? (int32_t)pt_z_extend(value, size) : (int64_t)value;
	uint32_t flags = by == 0 ? cpu->flags & C : 0, result;

	if ((how & SHIFT_LEFT) != 0) {
		uint64_t left = (uint64_t)wide << by;

		result = (uint32_t)left & pt_z_mask(width);
		if (by != 0 && (left >> 8 * width & 1) != 0)
			flags |= C;
		if ((how & SHIFT_ARITHMETIC) != 0 && (int32_t)pt_z_extend(result, width) != (int64_t)left)
			flags |= V;
	} else {
		result = (uint32_t)(wide >> by) & pt_z_mask(width);
		if (by != 0 && (wide >> (by - 1) & 1) != 0)
			flags |= C;
	}
	cpu->flags = flags;
	return result;
}

bool pt_z_shift(struct pt_vs12z *cpu, const struct op *op)
{
	unsigned size = pt_z_own_size(&op->a, op->size), by, width = size, d_width = pt_z_width[op->d];
	bool in_place = (op->flags & SHIFT_IN_PLACE) != 0;
	struct place place;
	uint32_t value;

	if (!pt_z_take(cpu, &op->a, size, &place, &value) || !count_of(cpu, op, &by))
		return false;
	if (!in_place && d_width > width)
		width = d_width;
	value = shifted(cpu, op->how, value, size, width, by);
	if (in_place) {
		cpu->flags |= pt_z_nz(value, size);
		return pt_z_give(cpu, &place, value);
	}
	cpu->r[op->d] = value & pt_z_mask(d_width);
	cpu->flags |= pt_z_nz(value, d_width);
	return true;
}

/* through C, by one */
bool pt_z_rotate(struct pt_vs12z *cpu, const struct op *op)
{
	unsigned size = pt_z_own_size(&op->a, op->size);
	uint32_t value, carry = cpu->flags & C, out;
	struct place place;

	if (!pt_z_take(cpu, &op->a, size, &place, &value))
		return false;
	if ((op->how & SHIFT_LEFT) != 0) {
		out = (value & pt_z_sign(size)) != 0;
		value = (value << 1 | carry) & pt_z_mask(size);
	} else {
		out = value & 1;
		value = value >> 1 | (carry != 0 ? pt_z_sign(size) : 0);
	}
	cpu->flags = pt_z_nz(value, size) | (out != 0 ? C : 0);
	return pt_z_give(cpu, &place, value);
}
