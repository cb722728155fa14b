/* The virtual cm4's built-in firmware: the ELF of tests/firmware/cm4_demo.c, with symbols and line tables. */
#ifndef PT_VIRTUAL_CHIP_CM4_DEMO_H
#define PT_VIRTUAL_CHIP_CM4_DEMO_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t pt_cm4_demo_elf[];
extern const size_t pt_cm4_demo_elf_bytes;

#endif
