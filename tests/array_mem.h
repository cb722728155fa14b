/* A struct pt_mem over arrays, with hooks for registers and a clock of its own, so that a source or a breakpoint can be
 * tested without any wire. Every access is logged with its width. */
#ifndef PT_TESTS_ARRAY_MEM_H
#define PT_TESTS_ARRAY_MEM_H

#include "targets/contract/mem.h"

enum { ARRAY_REGIONS = 8, ARRAY_HOOKS = 16, ARRAY_LOG = 8192 };

struct array_hook {		/* words at [addr, addr + size) are registers */
	uint64_t addr, size;
	uint32_t (*read)(void *arg, uint64_t addr);
	void (*write)(void *arg, uint64_t addr, uint32_t value);	/* NULL: read-only, writes are dropped */
	void *arg;
};

struct array_access {
	uint64_t addr;
	uint32_t value;
	uint8_t width_bytes;
	bool write;
};

struct array_mem {
	struct pt_mem mem;
	struct { uint64_t addr, size; uint8_t *bytes; } region[ARRAY_REGIONS];
	struct array_hook hook[ARRAY_HOOKS];
	size_t n_regions, n_hooks, n_log, n_runs;
	struct array_access log[ARRAY_LOG];
	uint64_t now_ns, access_ns;	/* every access takes access_ns */
	void (*tick)(void *arg, uint64_t now_ns);	/* time has passed: the program runs */
	void *tick_arg;
	int fail_code;			/* the op after fail_after more ops fails with it, once */
	size_t fail_after;
	uint64_t late_ns;	/* a busy host: hands each batch over at once and sees no answer until then */
	unsigned untold;		/* so many batches on, all is done, but said to be cut short before it began */
};

void array_mem_init(struct array_mem *am);
void array_mem_fini(struct array_mem *am);
uint8_t *array_mem_add(struct array_mem *am, uint64_t addr, uint64_t size);	/* zeroed; returns the bytes */
void array_mem_hook(struct array_mem *am, const struct array_hook *hook);
/* One access, logged. False: a bus fault. */
bool array_mem_access(struct array_mem *am, uint64_t addr, uint8_t width_bytes, bool write, uint32_t *value);
void array_mem_pass(struct array_mem *am, uint64_t ns);		/* let time pass */
uint32_t array_mem_word(struct array_mem *am, uint64_t addr);	/* as it is, not logged */
void array_mem_set_word(struct array_mem *am, uint64_t addr, uint32_t value);

#endif
