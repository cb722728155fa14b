/* MASK counts the low address bits that do not matter. */
#include "probes/virtual/unit/arm/comparator.h"

uint32_t pt_vcomparator_read(struct pt_vcomparator *c, uint32_t offset)
{
	uint32_t function = c->function | (c->matched ? PT_VCMP_MATCHED : 0);

	if (offset == 0x0)
		return c->comp;
	if (offset == 0x4)
		return c->mask;
	if (offset != 0x8)
		return 0;
	c->matched = false;
	return function;
}

void pt_vcomparator_write(struct pt_vcomparator *c, uint32_t offset, uint32_t value, uint32_t writable)
{
	if (offset == 0x0)
		c->comp = value;
	else if (offset == 0x4)
		c->mask = (value & 0x1f) > PT_VCMP_MAX_MASK ? PT_VCMP_MAX_MASK : value & 0x1f;
	else if (offset == 0x8)
		c->function = value & writable;
}

bool pt_vcomparator_is_data(const struct pt_vcomparator *c)
{
	return pt_vcomparator_function(c) >= PT_VCMP_READ && pt_vcomparator_function(c) <= PT_VCMP_ACCESS;
}

bool pt_vcomparator_fetch(const struct pt_vcomparator *c, uint32_t pc)
{
	return pt_vcomparator_function(c) == PT_VCMP_FETCH && (pc ^ c->comp) >> c->mask == 0;
}

bool pt_vcomparator_covers(const struct pt_vcomparator *c, uint32_t addr, unsigned size_bytes)
{
	uint32_t range = UINT32_C(1) << c->mask, begin = c->comp & ~(range - 1);

	return addr - begin < range || begin - addr < size_bytes;
}

bool pt_vcomparator_wants(const struct pt_vcomparator *c, bool write)
{
	uint32_t function = pt_vcomparator_function(c);

	return function == PT_VCMP_ACCESS || function == (write ? PT_VCMP_WRITE : PT_VCMP_READ);
}

bool pt_vcomparator_access(const struct pt_vcomparator *c, uint32_t addr, unsigned size_bytes, bool write)
{
	return pt_vcomparator_wants(c, write) && pt_vcomparator_covers(c, addr, size_bytes);
}
