/* A virtual core with memory and nothing else, for tests: flash at 0 (256 KiB), RAM 0x1fffe000..0x20005fff. */
#ifndef PT_TESTS_BARE_CORE_H
#define PT_TESTS_BARE_CORE_H

#include "base/error.h"
#include "probes/virtual/cpu/cortexm/cortexm.h"

enum { BARE_FLASH_BYTES = 256 * 1024, BARE_RAM_BASE = 0x1fffe000, BARE_RAM_BYTES = 32 * 1024 };

struct pt_bare_core {
	struct pt_vbus bus;
	struct pt_vcpu *cpu;
	uint8_t flash[BARE_FLASH_BYTES], ram[BARE_RAM_BYTES];
};

/* Memory is zero, the core in reset. NULL: no memory. */
struct pt_bare_core *pt_bare_core_new(void);	/* a Cortex-M0+ */
struct pt_bare_core *pt_bare_core_new_of(const struct pt_vcpu_model *model);	/* outlives it */
void pt_bare_core_free(struct pt_bare_core *core);

/* Put an ELF's segments where they are loaded (physical addresses). */
int pt_bare_core_load(struct pt_bare_core *core, const char *path, struct pt_err *err);
/* A symbol's value in an ELF, without the Thumb bit; 0: not there. */
uint32_t pt_elf_symbol(const char *path, const char *name);

/* The path of a committed firmware, from $srcdir as make check sets it; static memory. */
const char *pt_firmware(const char *file);

uint32_t pt_bare_core_word(const struct pt_bare_core *core, uint32_t addr);	/* flash or RAM */

/* From reset until the tap stops the core, which is after so many instructions. schedule: NULL, or a file of lines
 * "INSTRUCTION VECTOR": before that instruction the exception is entered, instead of when the NVIC would. */
void pt_bare_core_run(struct pt_bare_core *core, struct pt_vobserver *observer, uint64_t n_instructions,
		      const char *schedule);

#endif
