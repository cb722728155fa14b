/* The virtual KL27's built-in firmware: the ELF of tests/firmware/demo.c, with symbols and line tables. */
#ifndef PT_VIRTUAL_CHIP_KL27_DEMO_H
#define PT_VIRTUAL_CHIP_KL27_DEMO_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t pt_kl27_demo_elf[];
extern const size_t pt_kl27_demo_elf_bytes;

#endif
