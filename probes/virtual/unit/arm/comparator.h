/* One comparator as the DWT and the MTB_DWT of ARMv6-M chips have them: COMP, MASK, FUNCTION. */
#ifndef PT_VIRTUAL_UNIT_COMPARATOR_H
#define PT_VIRTUAL_UNIT_COMPARATOR_H

#include <stdbool.h>
#include <stdint.h>

/* FUNCTION[3:0]. Source: DDI 0419 table C1-21; KL25 RM 19.32. */
enum { PT_VCMP_OFF = 0, PT_VCMP_FETCH = 4, PT_VCMP_READ = 5, PT_VCMP_WRITE = 6, PT_VCMP_ACCESS = 7 };
#define PT_VCMP_FUNCTION UINT32_C(0xf)
#define PT_VCMP_DATAVMATCH (UINT32_C(1) << 8)
#define PT_VCMP_DATAVSIZE_SHIFT 10	/* 0 byte, 1 halfword, 2 word */
#define PT_VCMP_DATAVADDR0_SHIFT 12
#define PT_VCMP_MATCHED (UINT32_C(1) << 24)
#define PT_VCMP_MAX_MASK 24		/* KL25 RM 19.32; the core's DWT: implementation defined, same here */

struct pt_vcomparator {
	uint32_t comp, mask, function;	/* function without MATCHED */
	bool matched;			/* until FUNCTION is read */
};

/* Registers at 0, 4 and 8 of the comparator; reading FUNCTION clears MATCHED. writable: FUNCTION's bits. */
uint32_t pt_vcomparator_read(struct pt_vcomparator *c, uint32_t offset);
void pt_vcomparator_write(struct pt_vcomparator *c, uint32_t offset, uint32_t value, uint32_t writable);

static inline uint32_t pt_vcomparator_function(const struct pt_vcomparator *c)
{
	return c->function & PT_VCMP_FUNCTION;
}

bool pt_vcomparator_is_data(const struct pt_vcomparator *c);
/* Does the comparator, as its FUNCTION says, match this fetch or access? Pure: MATCHED is the caller's. An access
 * matches if it touches any byte of the range that COMP and MASK name. */
bool pt_vcomparator_fetch(const struct pt_vcomparator *c, uint32_t pc);
bool pt_vcomparator_access(const struct pt_vcomparator *c, uint32_t addr, unsigned size_bytes, bool write);
/* The parts of it: range and direction. */
bool pt_vcomparator_covers(const struct pt_vcomparator *c, uint32_t addr, unsigned size_bytes);
bool pt_vcomparator_wants(const struct pt_vcomparator *c, bool write);

#endif
