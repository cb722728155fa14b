/* A virtual board's memory bus: RAM, flash and units by address. Part of the models: written from the hardware facts
 * alone; includes nothing of targets, program or decode. */
#ifndef PT_VIRTUAL_BUS_H
#define PT_VIRTUAL_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_vmaster { PT_VMASTER_CPU, PT_VMASTER_DEBUG };

struct pt_vaccess {
	uint32_t addr;		/* full address */
	uint8_t size_bytes;	/* 1, 2, 4; addr is aligned to it */
	enum pt_vmaster master;
	bool privileged;
};

/* A memory-mapped block. Registers are rows (registers.h) where that reads better than a switch. */
struct pt_vunit_ops {
	const char *name;
	/* offset from the unit's base. Return false: bus fault. */
	bool (*read)(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value);
	bool (*write)(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value);
	void (*reset)(void *unit, bool power_on);
	/* Cycle (the CPU's count) at which the unit next wants its tick() called: timers, flash busy, UART shift.
	 * PT_VNEVER: not before a register access changes something. NULL: never. */
	uint64_t (*next_tick)(void *unit);
	void (*tick)(void *unit, uint64_t now_cycle);
	bool reads_are_quiet;	/* reading changes nothing in the unit: what polls it all
				 * the time costs no rescheduling */
};
#define PT_VNEVER UINT64_MAX

struct pt_vregion {
	uint32_t base, size;
	uint8_t *bytes;			/* RAM and flash: direct; NULL: a unit */
	bool read_only;			/* flash: writes by a master fault */
	const struct pt_vunit_ops *ops;
	void *unit;
};

enum { PT_VBUS_REGIONS = 48 };

struct pt_vbus {
	struct pt_vregion region[PT_VBUS_REGIONS];	/* chips fill it; later rows never overlap earlier ones */
	size_t n_regions;
	bool big_endian;		/* how values lie in the bytes of RAM and flash */
	uint64_t *now_cycle;		/* the CPU's count, for units */
	/* The CPU listens: bytes of a region changed behind its decoded instructions; a unit was accessed, so that its
	 * next tick may have moved. */
	void (*changed)(void *arg, uint32_t addr, uint32_t size_bytes);
	void (*unit_accessed)(void *arg);
	void *listener;
	struct pt_vbus *twin;		/* over the same bytes, of another core: its listener hears of changes, too */
	/* A debugger has written: write_log.h; NULL: nothing hears of it. */
	void (*debug_wrote)(void *arg, const struct pt_vaccess *access, uint32_t value);
	void *debug_listener;
};

/* Add a row; false: no room, or it overlaps one that is there. */
bool pt_vbus_add(struct pt_vbus *bus, const struct pt_vregion *region);

bool pt_vbus_read(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t *value);
bool pt_vbus_write(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t value);
/* Calls every unit's reset(); bytes stay as they are. The CPU has its own (pt_vcpu_reset). */
void pt_vbus_reset(struct pt_vbus *bus, bool power_on);
/* The region that holds addr, or NULL. */
struct pt_vregion *pt_vbus_find(struct pt_vbus *bus, uint32_t addr);

/* Say that bytes were changed without pt_vbus_write (trace writes, flash commands, images loaded): instructions that
 * the CPU has decoded there are forgotten. */
void pt_vbus_changed(struct pt_vbus *bus, uint32_t addr, uint32_t size_bytes);

/* The earliest cycle at which a unit wants its tick; PT_VNEVER: none. A unit that changes its mind outside an access
 * and outside tick() (a pin, the host) says so with pt_vbus_reschedule(). */
uint64_t pt_vbus_next_tick(struct pt_vbus *bus);
void pt_vbus_tick(struct pt_vbus *bus, uint64_t now_cycle);
void pt_vbus_reschedule(struct pt_vbus *bus);

/* What the run loop of every kind of CPU asks: tick what is due at now_cycle; and how far it can go before it has to
 * ask again, at most to until_cycle and at least one cycle: a unit that is always due must not stop time. */
static inline void pt_vbus_tick_due(struct pt_vbus *bus, uint64_t now_cycle)
{
	if (pt_vbus_next_tick(bus) <= now_cycle)
		pt_vbus_tick(bus, now_cycle);
}

static inline uint64_t pt_vbus_quiet_until(struct pt_vbus *bus, uint64_t now_cycle, uint64_t until_cycle)
{
	uint64_t limit = pt_vbus_next_tick(bus);

	if (limit > until_cycle)
		limit = until_cycle;
	return limit > now_cycle ? limit : now_cycle + 1;
}

#endif
