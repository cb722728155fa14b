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
	uint64_t *now_cycle;		/* the CPU's count, for units */
};

bool pt_vbus_read(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t *value);
bool pt_vbus_write(struct pt_vbus *bus, const struct pt_vaccess *access, uint32_t value);
void pt_vbus_reset(struct pt_vbus *bus, bool power_on);

#endif
