/* An address that no row covers reads 0 and ignores writes: a page of the peripheral bridge answers everywhere. */
#include "probes/virtual/frame/storage.h"

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	pt_vregs_read(unit, offset, access, value);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	pt_vregs_write(unit, offset, access, value);
	return true;
}

static void reset(void *unit, bool power_on)
{
	(void)power_on;
	pt_vregs_reset(unit);
}

const struct pt_vunit_ops pt_vstorage_ops = { .name = "storage", .read = read, .write = write, .reset = reset };
