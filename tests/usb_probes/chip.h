/* What makes a chip of the core: some registers of a Kinetis L, and its flash controller. */
#ifndef PT_TESTS_FOREIGN_CHIP_H
#define PT_TESTS_FOREIGN_CHIP_H

#include <stdbool.h>
#include <stdint.h>

enum { MDM_IDR = 0x001c0020, MDM_STATUS_BITS = 0x3a };	/* its second access port: ready, not in reset, erase enabled, debug */

void chip_power_on(void);
/* A byte, a half word or a word of a peripheral; false: nothing answers. */
bool chip_read(uint32_t addr, unsigned size_bytes, uint32_t *value);
bool chip_write(uint32_t addr, unsigned size_bytes, uint32_t value);

#endif
