/* The everyday cases of batched memory access, over whatever reaches the memory. */
#include "targets/contract/mem.h"
#include "base/util.h"

enum { EVERYDAY_MS = 1000 };

int pt_mem_run(struct pt_mem *mem, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	uint64_t fault_addr = PT_UNKNOWN;
	size_t done = 0;
	int rc = mem->ops->run(mem->state, ops, n_ops, timeout_ms, &done, &fault_addr, err);

	if (n_done != NULL)
		*n_done = done;
	return rc;
}

static int run_one(struct pt_mem *mem, struct pt_mem_op *op, struct pt_err *err)
{
	return pt_mem_run(mem, op, 1, EVERYDAY_MS, NULL, err);
}

int pt_mem_read(struct pt_mem *mem, uint64_t addr, void *bytes, size_t len_bytes, struct pt_err *err)
{
	struct pt_mem_op op = { .what = PT_MEM_READ, .addr = addr, .bytes = bytes, .len_bytes = len_bytes };

	return run_one(mem, &op, err);
}

int pt_mem_write(struct pt_mem *mem, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err)
{
	/* a write does not change its bytes; the op has one pointer for both directions */
	struct pt_mem_op op = { .what = PT_MEM_WRITE, .addr = addr, .bytes = (void *)(uintptr_t)bytes,
				.len_bytes = len_bytes };

	return run_one(mem, &op, err);
}

int pt_mem_read32(struct pt_mem *mem, uint64_t addr, uint32_t *value, struct pt_err *err)
{
	uint8_t bytes[4];
	struct pt_mem_op op = { .what = PT_MEM_READ, .width_bytes = 4, .addr = addr, .bytes = bytes, .len_bytes = 4 };
	int rc = run_one(mem, &op, err);

	if (rc == 0)
		*value = pt_le32(bytes);
	return rc;
}

int pt_mem_write32(struct pt_mem *mem, uint64_t addr, uint32_t value, struct pt_err *err)
{
	uint8_t bytes[4];
	struct pt_mem_op op = { .what = PT_MEM_WRITE, .width_bytes = 4, .addr = addr, .bytes = bytes, .len_bytes = 4 };

	pt_put_le32(bytes, value);
	return run_one(mem, &op, err);
}

uint64_t pt_mem_now_ns(struct pt_mem *mem)
{
	return mem->ops->now_ns(mem->state);
}

int pt_mem_wait(struct pt_mem *mem, uint64_t until_ns, struct pt_err *err)
{
	return mem->ops->wait(mem->state, until_ns, err);
}
