/* A small Cortex-M0+ for the foreign probes: the instructions of ARMv6-M without exceptions, its debug registers, four
 * breakpoints, a program counter to sample, 64 KiB of flash and as much RAM. It shares nothing with
 * the virtual boards, so that it can judge their drivers and them. Source: DDI 0419, C1 (debug), DDI 0484 (the core). */
#ifndef PT_TESTS_FOREIGN_CORE_H
#define PT_TESTS_FOREIGN_CORE_H

#include <stdbool.h>
#include <stdint.h>

enum { FLASH_BYTES = 0x10000, RAM_FIRST = 0x1fffc000, RAM_BYTES = 0x10000 };

/* The bus: value is in the low bits, size_bytes 1, 2 or 4, addr a multiple of it. False: nothing answers at addr. */
bool bus_read(uint32_t addr, unsigned size_bytes, uint32_t *value);
bool bus_write(uint32_t addr, unsigned size_bytes, uint32_t value);
/* Power on, with the built-in program in flash (program.s); and a reset of the system. */
void core_power_on(void);
void core_reset(void);
uint8_t *core_flash(void);		/* for its controller */
/* A running core executes: some instructions in the time that an access of the debugger takes, and this many. */
void core_tick(void);
void core_run(unsigned n_instructions);

#endif
