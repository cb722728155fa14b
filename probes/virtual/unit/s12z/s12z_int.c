#include "probes/virtual/unit/s12z/s12z_int.h"

enum { IVBR_HIGH = 0x0, IVBR_LOW = 0x1, CFADDR = 0x7, CFDATA = 0x8, CFADDR_BITS = 0x78, LEVEL = 0x07 };

static uint8_t read_byte(const struct pt_vs12z_int *unit, uint32_t offset)
{
	switch (offset) {
	case IVBR_HIGH:
		return (uint8_t)(pt_vs12z_ivbr(unit->cpu) >> 8);
	case IVBR_LOW:
		return (uint8_t)pt_vs12z_ivbr(unit->cpu);
	case CFADDR:
		return unit->cfaddr;
	default:
		return offset < CFDATA ? 0 : (uint8_t)pt_vs12z_priority(unit->cpu, unit->cfaddr + (offset & 7));
	}
}

static void write_byte(struct pt_vs12z_int *unit, uint32_t offset, uint8_t value)
{
	uint16_t ivbr = pt_vs12z_ivbr(unit->cpu);

	if (offset == IVBR_HIGH)
		pt_vs12z_set_ivbr(unit->cpu, (uint16_t)(value << 8 | (ivbr & 0xff)));
	else if (offset == IVBR_LOW)
		pt_vs12z_set_ivbr(unit->cpu, (uint16_t)((ivbr & 0xff00) | (value & 0xfe)));
	else if (offset == CFADDR)
		unit->cfaddr = value & CFADDR_BITS;
	else if (offset >= CFDATA)
		pt_vs12z_set_priority(unit->cpu, unit->cfaddr + (offset & 7), value & LEVEL);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < access->size_bytes; i++)
		*value = *value << 8 | read_byte(unit, offset + i);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	for (unsigned i = 0; i < access->size_bytes; i++)
		write_byte(unit, offset + i, (uint8_t)(value >> 8 * (access->size_bytes - 1 - i)));
	return true;
}

static void reset(void *unit, bool power_on)
{
	(void)power_on;		/* the core's reset does the rest */
	((struct pt_vs12z_int *)unit)->cfaddr = 0;
}

const struct pt_vunit_ops pt_vs12z_int_ops = { .name = "INT", .read = read, .write = write, .reset = reset };
