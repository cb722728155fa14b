/* The virtual S12ZVM's built-in firmware: the ELF of tests/firmware/demo.c, with symbols and line tables. */
#ifndef PT_VIRTUAL_CHIP_S12ZVM_DEMO_H
#define PT_VIRTUAL_CHIP_S12ZVM_DEMO_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t pt_s12zvm_demo_elf[];
extern const size_t pt_s12zvm_demo_elf_bytes;

#endif
