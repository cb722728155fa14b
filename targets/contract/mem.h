/* The third waist: target memory, batched. Sources, breakpoints and GDB use it; whatever wire reaches memory
 * implements it, and a test implements it over an array. Board thread only. */
#ifndef PT_TARGETS_MEM_H
#define PT_TARGETS_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pt_mem_do {
	PT_MEM_READ = 1,
	PT_MEM_WRITE,
	/* read the word at addr until (word & mask) == match, at most time_us; a probe that can does it itself */
	PT_MEM_POLL,
	PT_MEM_DELAY,		/* let time_us pass, in the probe where it can */
};

struct pt_mem_op {
	uint8_t what;		/* enum pt_mem_do */
	uint8_t width_bytes;	/* 1, 2, 4: every access is exactly this wide, addr and len multiples of it.
				 * 0: as it is fastest, any alignment; still an aligned 1-, 2- or 4-byte request is
				 * exactly one access of that width */
	bool fixed;		/* all accesses go to addr itself (DWT_PCSR, a FIFO); width_bytes is 4 */
	bool code;		/* READ, WRITE: the memory as it is, with inserted breakpoints; default hides them */
	uint64_t addr;
	void *bytes;		/* READ: out; WRITE: in (not changed). Target byte order, as memory holds them */
	size_t len_bytes;
	uint32_t mask, match;	/* POLL; the last word read is left in match_seen */
	uint32_t match_seen;
	uint32_t time_us;	/* POLL, DELAY */
	uint64_t sent_ns, done_ns;	/* out: handed to the probe not before, result here at (probe's clock) */
};

struct pt_mem;

struct pt_mem_ops {
	/* Run ops in order with as few round trips as the wire allows. After a POLL only READs may follow, they are
	 * void if it expires.
	 *   n_done   out: operations completed, also on error
	 * Returns 0 when all are done or a poll expired (n_done is its index), or PT_EARG (nothing was done), PT_EFAULT
	 * (the sentence has the address; *fault_addr too), PT_ETIMEOUT, PT_EIO, PT_EPROTO, PT_EINTERRUPTED,
	 * PT_ESTATE (needs a halted core: see while_running). */
	int (*run)(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   uint64_t *fault_addr, struct pt_err *err);
	uint64_t (*now_ns)(void *state);
	int (*wait)(void *state, uint64_t until_ns, struct pt_err *err);
	bool while_running;	/* works, and disturbs nothing, while the core runs */
};

struct pt_mem {
	const struct pt_mem_ops *ops;
	void *state;
};

int pt_mem_run(struct pt_mem *mem, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err);
/* An operation on whole words, as part of a list. */
static inline struct pt_mem_op pt_mem_words(enum pt_mem_do what, uint64_t addr, void *bytes, size_t len_bytes)
{
	return (struct pt_mem_op){ .what = (uint8_t)what, .width_bytes = 4, .addr = addr, .bytes = bytes,
				   .len_bytes = len_bytes };
}

/* The everyday cases of it, one second each. */
int pt_mem_read(struct pt_mem *mem, uint64_t addr, void *bytes, size_t len_bytes, struct pt_err *err);
int pt_mem_write(struct pt_mem *mem, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err);
int pt_mem_read32(struct pt_mem *mem, uint64_t addr, uint32_t *value, struct pt_err *err);
int pt_mem_write32(struct pt_mem *mem, uint64_t addr, uint32_t value, struct pt_err *err);
uint64_t pt_mem_now_ns(struct pt_mem *mem);
int pt_mem_wait(struct pt_mem *mem, uint64_t until_ns, struct pt_err *err);

#endif
