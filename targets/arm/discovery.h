/* Finds what is behind the debug port: the memory AP, and, by ROM tables and ID registers, the debug and trace units.
 * Nothing is configured and nothing is written. Source: Arm IHI 0031 (ADIv5), chapter on ROM tables; Arm IHI 0029
 * (CoreSight), ID registers. */
#ifndef PT_ARM_DISCOVERY_H
#define PT_ARM_DISCOVERY_H

#include "targets/arm/adi.h"
#include "targets/contract/mem.h"

enum pt_unit { PT_UNIT_SCS, PT_UNIT_DWT, PT_UNIT_BPU, PT_UNIT_MTB, PT_UNIT_MTB_DWT, PT_N_UNITS };
const char *pt_unit_name(enum pt_unit unit);	/* "MTB" */

enum { PT_MAX_AP = 4, PT_MAX_COMPONENTS = 48 };

struct pt_component {
	uint32_t base;		/* of the page with the ID registers */
	uint32_t pidr[5];	/* PIDR0..PIDR4 */
	uint32_t cidr, devarch;		/* cidr: CIDR0 in the lowest byte */
	uint8_t depth;		/* of ROM tables above it */
};

struct pt_discovery {
	uint32_t idr[PT_MAX_AP];	/* 0: no such AP */
	uint32_t base[PT_MAX_AP];	/* for those that reach memory, after the units of one were looked for */
	bool has_bases;
	uint8_t mem_ap;			/* the AP that reaches the core's memory */
	uint32_t rom_base;		/* 0: the AP names no ROM table */
	uint32_t unit[PT_N_UNITS];	/* base addresses; 0: absent */
	struct pt_component component[PT_MAX_COMPONENTS];	/* all components seen, for `monitor status` */
	size_t n_components;
	bool from_table;		/* false: no useful ROM table, the units are at the architecture's addresses */
	bool by_name;			/* the units are those of the chip that the user named; no table was read */
};

/* Finds the APs, in one batch. PT_EUNSUPPORTED: none of them reaches memory. */
int pt_discover_aps(struct pt_discovery *found, struct pt_adi *adi, struct pt_err *err);
bool pt_discover_has_memory(const struct pt_discovery *found, uint8_t ap);	/* whether it reaches memory */
/* Walks the ROM tables from the AP's BASE; a component that faults is skipped. If no SCS is found, the architecture's
 * addresses (Arm DDI 0419, table C1-1) are used. PT_EIO, PT_EPROTO, PT_ETIMEOUT from below. */
int pt_discover_units(struct pt_discovery *found, struct pt_adi *adi, struct pt_mem *mem, struct pt_err *err);
/* whether a core of the M profile is behind this port */
bool pt_discover_is_core(const struct pt_discovery *found);
/* The same without an access port: from the table at rom_table on; 0: at the architecture's address. */
int pt_discover_tables(struct pt_discovery *found, struct pt_mem *mem, uint32_t rom_table, struct pt_err *err);
/* Whether there is a ROM table of this designer (JEP106: continuation code, then identity). Errors as above. */
int pt_discover_is_table(struct pt_mem *mem, uint32_t base, uint16_t designer, bool *there, struct pt_err *err);
/* whether it was walked */
bool pt_discover_has_table(const struct pt_discovery *found, uint32_t base, uint16_t designer);
/* Designer and part of the first ROM table: the maker of the chip, if the maker marked it. False: there is none. */
bool pt_discover_root(const struct pt_discovery *found, uint16_t *designer, uint16_t *part);
/* "units: SCS 0xe000e000 ..." */
void pt_discovery_print(const struct pt_discovery *found, char *line, size_t room);
/* Whether this is an MTB. For chips whose ROM table does not list theirs. */
bool pt_discover_is_mtb(struct pt_mem *mem, uint32_t base);

#endif
