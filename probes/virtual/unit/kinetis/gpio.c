/* PDOR 0, PSOR 4, PCOR 8, PTOR c, PDIR 10, PDDR 14 of each port. */
#include "probes/virtual/unit/kinetis/gpio.h"

enum { PDOR = 0x00, PSOR = 0x04, PCOR = 0x08, PTOR = 0x0c, PDIR = 0x10, PDDR = 0x14, PORT_BYTES = 0x40 };

static uint32_t word_at(const struct pt_vgpio *gpio, uint32_t offset)
{
	uint32_t n = offset / PORT_BYTES;

	if (n >= PT_VGPIO_PORTS)
		return 0;
	switch (offset % PORT_BYTES & ~3u) {
	case PDOR: return gpio->port[n].output;
	case PDIR: return (gpio->port[n].output & gpio->port[n].direction) |
			  (gpio->port[n].pins & ~gpio->port[n].direction);
	case PDDR: return gpio->port[n].direction;
	default: return 0;
	}
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	uint32_t word = word_at(unit, offset) >> (offset & 3) * 8;

	*value = access->size_bytes == 4 ? word : word & ((UINT32_C(1) << access->size_bytes * 8) - 1);
	return true;
}

/* Bytes and halfwords change their lanes only; lanes: the bits that the access carries. */
static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vgpio *gpio = unit;
	uint32_t n = offset / PORT_BYTES, shift = (offset & 3) * 8;
	uint32_t lanes = (uint32_t)((UINT64_C(1) << access->size_bytes * 8) - 1) << shift;

	value = value << shift & lanes;
	if (n >= PT_VGPIO_PORTS)
		return true;
	switch (offset % PORT_BYTES & ~3u) {
	case PDOR: gpio->port[n].output = (gpio->port[n].output & ~lanes) | value; break;
	case PSOR: gpio->port[n].output |= value; break;
	case PCOR: gpio->port[n].output &= ~value; break;
	case PTOR: gpio->port[n].output ^= value; break;
	case PDDR: gpio->port[n].direction = (gpio->port[n].direction & ~lanes) | value; break;
	}
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vgpio *gpio = unit;

	(void)power_on;
	for (unsigned n = 0; n < PT_VGPIO_PORTS; n++)
		gpio->port[n].output = gpio->port[n].direction = 0;
}

const struct pt_vunit_ops pt_vgpio_ops = { .name = "GPIO", .read = read, .write = write, .reset = reset };
