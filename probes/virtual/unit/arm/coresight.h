/* The identification registers at the end of every CoreSight page (Arm IHI 0029): what discovery reads. */
#ifndef PT_VIRTUAL_UNIT_CORESIGHT_H
#define PT_VIRTUAL_UNIT_CORESIGHT_H

#include <stdint.h>

struct pt_vcoresight {
	uint32_t authstatus, devarch, devid, devtype;	/* class 9 only; 0 elsewhere */
	uint8_t pidr4;		/* [7:4] size, [3:0] JEP106 continuation */
	uint16_t part;		/* 12 bits */
	uint8_t jep106;		/* 7 bits, without parity */
	uint8_t revision;	/* PIDR2[7:4] */
	uint8_t class;		/* CIDR1[7:4]: 1 ROM table, 9 CoreSight, 0xe generic IP */
};

/* The register at offset of the page, 0 where there is none. */
uint32_t pt_vcoresight_read(const struct pt_vcoresight *ids, uint32_t offset);

#endif
