/* The virtual microblaze's built-in firmware: the ELF of tests/firmware/microblaze_demo.s, little-endian, with symbols
 * and line tables. */
#ifndef PT_VIRTUAL_CHIP_MICROBLAZE_DEMO_H
#define PT_VIRTUAL_CHIP_MICROBLAZE_DEMO_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t pt_microblaze_demo_elf[];
extern const size_t pt_microblaze_demo_elf_bytes;

#endif
