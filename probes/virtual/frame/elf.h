/* Just enough of ELF to put firmware into a virtual board, as a programmer would: the loadable segments of a 32-bit
 * executable in its machine's order of bytes, at their load addresses. Trusts nothing in the file. */
#ifndef PT_VIRTUAL_ELF_H
#define PT_VIRTUAL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_VELF_ARM = 40, PT_VELF_PPC = 20, PT_VELF_MICROBLAZE = 189, PT_VELF_S12Z = 249 };	/* e_machine */

/* Calls place for each segment with bytes in the file, in the order of the file. place returns 0, or an error with
 * which the walk ends. bytes point into elf.
 * Errors: PT_EARG not such a file, of another machine, or one that contradicts itself; and what place returned. */
int pt_velf_load(const uint8_t *elf, size_t len_bytes, unsigned machine,
		 int (*place)(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err),
		 void *arg, struct pt_err *err);

/* Which order of bytes a file says it is in; for machines that come in both (MicroBlaze). False of what is no ELF. */
bool pt_velf_big_endian(const uint8_t *elf, size_t len_bytes);

#endif
