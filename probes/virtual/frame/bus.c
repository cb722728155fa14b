/* Address decoding of a virtual board. RAM and flash are plain bytes; everything else is a unit. The CPU has a shorter
 * way to RAM and flash (cpu/cortexm/memory.h); this one serves the debugger and all units. */
#include "probes/virtual/frame/bus.h"
#include "base/util.h"

static bool overlaps(const struct pt_vregion *a, const struct pt_vregion *b)
{
	return a->base - b->base < b->size || b->base - a->base < a->size;
}

bool pt_vbus_add(struct pt_vbus *bus, const struct pt_vregion *region)
{
	if (bus->n_regions == PT_VBUS_REGIONS)
		return false;
	for (size_t i = 0; i < bus->n_regions; i++)
		if (overlaps(&bus->region[i], region))
			return false;
	bus->region[bus->n_regions++] = *region;
	return true;
}

struct pt_vregion *pt_vbus_find(struct pt_vbus *bus, uint32_t addr)
{
	for (size_t i = 0; i < bus->n_regions; i++)
		if (addr - bus->region[i].base < bus->region[i].size)
			return &bus->region[i];
	return NULL;
}

/* The region that holds the whole access and its offset there. */
static struct pt_vregion *decode(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t *offset)
{
	struct pt_vregion *region = pt_vbus_find(bus, access->addr);

	if (region == NULL)
		return NULL;
	*offset = access->addr - region->base;
	return region->size - *offset >= access->size_bytes ? region : NULL;
}

static uint32_t load(const uint8_t *p, unsigned size_bytes, bool big_endian)
{
	if (big_endian)
		return size_bytes == 4 ? pt_be32(p) : size_bytes == 2 ? pt_be16(p) : *p;
	return size_bytes == 4 ? pt_le32(p) : size_bytes == 2 ? pt_le16(p) : *p;
}

static void store(uint8_t *p, unsigned size_bytes, uint32_t value, bool big_endian)
{
	if (big_endian && size_bytes == 4)
		pt_put_be32(p, value);
	else if (big_endian && size_bytes == 2)
		pt_put_be16(p, (uint16_t)value);
	else if (size_bytes == 4)
		pt_put_le32(p, value);
	else if (size_bytes == 2)
		pt_put_le16(p, (uint16_t)value);
	else
		*p = (uint8_t)value;
}

bool pt_vbus_read(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t *value)
{
	uint32_t offset = 0;
	const struct pt_vregion *region = decode(bus, access, &offset);
	bool done;

	if (region == NULL)
		return false;
	if (region->bytes != NULL) {
		*value = load(region->bytes + offset, access->size_bytes, bus->big_endian);
		return true;
	}
	if (region->ops->read == NULL)
		return false;
	done = region->ops->read(region->unit, offset, access, value);
	if (!region->ops->reads_are_quiet)
		pt_vbus_reschedule(bus);	/* reads may clear flags and fetch bytes */
	return done;
}

bool pt_vbus_write(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t value)
{
	uint32_t offset = 0;
	const struct pt_vregion *region = decode(bus, access, &offset);
	bool done;

	if (region == NULL)
		return false;
	if (region->bytes != NULL) {
		if (region->read_only)
			return false;
		store(region->bytes + offset, access->size_bytes, value, bus->big_endian);
		pt_vbus_changed(bus, access->addr, access->size_bytes);
		return true;
	}
	if (region->ops->write == NULL)
		return false;
	done = region->ops->write(region->unit, offset, access, value);
	pt_vbus_reschedule(bus);
	return done;
}

void pt_vbus_reset(struct pt_vbus *bus, bool power_on)
{
	for (size_t i = 0; i < bus->n_regions; i++)
		if (bus->region[i].ops != NULL && bus->region[i].ops->reset != NULL)
			bus->region[i].ops->reset(bus->region[i].unit, power_on);
	pt_vbus_reschedule(bus);
}

void pt_vbus_changed(struct pt_vbus *bus, uint32_t addr, uint32_t size_bytes)
{
	if (bus->changed != NULL)
		bus->changed(bus->listener, addr, size_bytes);
	if (bus->twin != NULL && bus->twin->changed != NULL)
		bus->twin->changed(bus->twin->listener, addr, size_bytes);
}

static uint64_t wanted_by(const struct pt_vregion *region)
{
	if (region->ops == NULL || region->ops->next_tick == NULL)
		return PT_VNEVER;
	return region->ops->next_tick(region->unit);
}

uint64_t pt_vbus_next_tick(struct pt_vbus *bus)
{
	uint64_t first = PT_VNEVER;

	for (size_t i = 0; i < bus->n_regions; i++) {
		uint64_t at = wanted_by(&bus->region[i]);

		if (at < first)
			first = at;
	}
	return first;
}

void pt_vbus_tick(struct pt_vbus *bus, uint64_t now_cycle)
{
	for (size_t i = 0; i < bus->n_regions; i++)
		if (wanted_by(&bus->region[i]) <= now_cycle)
			bus->region[i].ops->tick(bus->region[i].unit, now_cycle);
}

void pt_vbus_reschedule(struct pt_vbus *bus)
{
	if (bus->unit_accessed != NULL)
		bus->unit_accessed(bus->listener);
}
