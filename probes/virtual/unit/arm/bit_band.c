#include "probes/virtual/unit/arm/bit_band.h"

/* The byte that holds the bit. */
static struct pt_vaccess in_region(const struct pt_vbit_band *band, uint32_t offset, const struct pt_vaccess *access)
{
	return (struct pt_vaccess){ band->base + offset / 32, 1, access->master, access->privileged };
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vbit_band *band = unit;
	struct pt_vaccess byte = in_region(band, offset, access);

	if (!pt_vbus_read(band->bus, &byte, value))
		return false;
	*value = *value >> (offset / 4 & 7) & 1;
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vbit_band *band = unit;
	struct pt_vaccess byte = in_region(band, offset, access);
	uint32_t was, bit = UINT32_C(1) << (offset / 4 & 7);

	if (!pt_vbus_read(band->bus, &byte, &was))
		return false;
	return pt_vbus_write(band->bus, &byte, (value & 1) != 0 ? was | bit : was & ~bit);
}

const struct pt_vunit_ops pt_vbit_band_ops = { .name = "bit band", .read = read, .write = write };
