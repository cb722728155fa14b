/* See array_mem.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tests/array_mem.h"
#include "base/util.h"

static uint8_t *find(struct array_mem *am, uint64_t addr, size_t len_bytes)
{
	for (size_t i = 0; i < am->n_regions; i++) {
		uint64_t off = addr - am->region[i].addr;

		if (addr >= am->region[i].addr && off + len_bytes <= am->region[i].size)
			return am->region[i].bytes + off;
	}
	return NULL;
}

static const struct array_hook *find_hook(const struct array_mem *am, uint64_t addr)
{
	for (size_t i = 0; i < am->n_hooks; i++)
		if (addr >= am->hook[i].addr && addr - am->hook[i].addr < am->hook[i].size)
			return &am->hook[i];
	return NULL;
}

void array_mem_pass(struct array_mem *am, uint64_t ns)
{
	am->now_ns += ns;
	if (am->tick != NULL)
		am->tick(am->tick_arg, am->now_ns);
}

static bool access_hook(const struct array_hook *hook, uint64_t addr, uint8_t width, bool write, uint32_t *value)
{
	if (width != 4)
		return false;	/* registers take words only */
	if (!write)
		*value = hook->read(hook->arg, addr);
	else if (hook->write != NULL)
		hook->write(hook->arg, addr, *value);
	return true;
}

static bool access_bytes(uint8_t *bytes, uint8_t width, bool write, uint32_t *value)
{
	if (bytes == NULL)
		return false;
	if (!write)
		*value = 0;
	for (unsigned b = 0; b < width; b++) {
		if (write)
			bytes[b] = (uint8_t)(*value >> 8 * b);
		else
			*value |= (uint32_t)bytes[b] << 8 * b;
	}
	return true;
}

bool array_mem_access(struct array_mem *am, uint64_t addr, uint8_t width_bytes, bool write, uint32_t *value)
{
	const struct array_hook *hook = find_hook(am, addr);
	bool ok;

	array_mem_pass(am, am->access_ns);
	if (hook != NULL)
		ok = access_hook(hook, addr, width_bytes, write, value);
	else
		ok = access_bytes(find(am, addr, width_bytes), width_bytes, write, value);
	if (am->n_log < ARRAY_LOG)
		am->log[am->n_log++] = (struct array_access){ addr, *value, width_bytes, write };
	return ok;
}

static int do_bytes(struct array_mem *am, struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	uint8_t *bytes = op->bytes;

	for (size_t i = 0; i < op->len_bytes;) {
		uint64_t addr = op->fixed ? op->addr : op->addr + i;
		size_t left = op->len_bytes - i;
		uint8_t width = op->width_bytes != 0	    ? op->width_bytes
				: addr % 2 != 0 || left < 2 ? 1
				: addr % 4 != 0 || left < 4 ? 2
							    : 4;
		uint32_t value = 0;

		if (op->what == PT_MEM_WRITE)
			access_bytes(bytes + i, width, false, &value);
		if (!array_mem_access(am, addr, width, op->what == PT_MEM_WRITE, &value)) {
			*fault_addr = addr;
			return pt_fail(err, PT_EFAULT, "bus fault at 0x%08llx", (unsigned long long)addr);
		}
		if (op->what == PT_MEM_READ)
			access_bytes(bytes + i, width, true, &value);
		i += width;
	}
	return 0;
}

/* Returns 1 when the poll expired. */
static int do_poll(struct array_mem *am, struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	uint64_t until_ns = am->now_ns + op->time_us * UINT64_C(1000);

	for (;;) {
		if (!array_mem_access(am, op->addr, 4, false, &op->match_seen)) {
			*fault_addr = op->addr;
			return pt_fail(err, PT_EFAULT, "bus fault at 0x%08llx", (unsigned long long)op->addr);
		}
		if ((op->match_seen & op->mask) == op->match)
			return 0;
		if (am->now_ns >= until_ns)
			return 1;
		array_mem_pass(am, 10000);
	}
}

static int do_op(struct array_mem *am, struct pt_mem_op *op, uint64_t *fault_addr, struct pt_err *err)
{
	if (am->fail_code != 0 && am->fail_after-- == 0) {
		int code = am->fail_code;

		am->fail_code = 0;
		return pt_fail(err, code, "injected");
	}
	switch (op->what) {
	case PT_MEM_POLL:
		return do_poll(am, op, fault_addr, err);
	case PT_MEM_DELAY:
		array_mem_pass(am, op->time_us * UINT64_C(1000));
		return 0;
	default:
		return do_bytes(am, op, fault_addr, err);
	}
}

/* All packets were in the probe; the answers that waited there are seen one after the other. */
static void make_late(struct pt_mem_op *ops, size_t n_done, uint64_t late_ns)
{
	const uint64_t begin_ns = n_done > 0 ? ops[0].sent_ns : 0;

	for (size_t i = 0; i < n_done; i++) {
		ops[i].sent_ns = begin_ns;
		if (ops[i].done_ns < begin_ns + late_ns)
			ops[i].done_ns = begin_ns + late_ns + i;
	}
}

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	struct array_mem *am = state;
	bool polled = false;
	int rc = 0;

	(void)timeout_ms;
	am->n_runs++;
	for (size_t i = 0; i < n_ops; i++) {
		if (polled && ops[i].what != PT_MEM_READ)
			return pt_fail(err, PT_EARG, "only reads may stand behind a poll");
		polled |= ops[i].what == PT_MEM_POLL;
	}
	for (*n_done = 0; *n_done < n_ops && rc == 0; ++*n_done) {
		struct pt_mem_op *op = &ops[*n_done];

		op->sent_ns = am->now_ns;
		rc = do_op(am, op, fault_addr, err);
		op->done_ns = am->now_ns;
		if (rc != 0)
			break;
	}
	if (am->late_ns > 0)
		make_late(ops, *n_done, am->late_ns);
	if (am->untold > 0 && --am->untold == 0) {
		*n_done = 0;
		return pt_fail(err, PT_EINTERRUPTED, "injected");
	}
	return rc < 0 ? rc : 0;
}

static uint64_t now_ns(void *state)
{
	return ((struct array_mem *)state)->now_ns;
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct array_mem *am = state;

	(void)err;
	if (until_ns > am->now_ns)
		array_mem_pass(am, until_ns - am->now_ns);
	return 0;
}

static const struct pt_mem_ops ops = { .run = run, .now_ns = now_ns, .wait = wait_until, .while_running = true };

void array_mem_init(struct array_mem *am)
{
	memset(am, 0, sizeof(*am));
	am->mem = (struct pt_mem){ .ops = &ops, .state = am };
	am->access_ns = 12000;	/* a word on SWD at 4 MHz */
}

void array_mem_fini(struct array_mem *am)
{
	for (size_t i = 0; i < am->n_regions; i++)
		free(am->region[i].bytes);
}

uint8_t *array_mem_add(struct array_mem *am, uint64_t addr, uint64_t size)
{
	uint8_t *bytes = calloc(1, size);

	if (bytes == NULL || am->n_regions == ARRAY_REGIONS)
		abort();
	am->region[am->n_regions].addr = addr;
	am->region[am->n_regions].size = size;
	am->region[am->n_regions++].bytes = bytes;
	return bytes;
}

void array_mem_hook(struct array_mem *am, const struct array_hook *hook)
{
	if (am->n_hooks == ARRAY_HOOKS)
		abort();
	am->hook[am->n_hooks++] = *hook;
}

uint32_t array_mem_word(struct array_mem *am, uint64_t addr)
{
	return pt_le32(find(am, addr, 4));
}

void array_mem_set_word(struct array_mem *am, uint64_t addr, uint32_t value)
{
	pt_put_le32(find(am, addr, 4), value);
}
