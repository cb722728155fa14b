/* Any bytes as the condition of a breakpoint, an agent expression: it ends, with a value or a sentence, does the same the next
 * time, and reads no register or memory in other sizes than there are. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/conditions.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static int reg(void *arg, unsigned number, uint64_t *value, struct pt_err *err)
{
	++*(unsigned *)arg;
	if (number > UINT16_MAX)
		abort();
	*value = number * UINT64_C(0x9e3779b97f4a7c15);
	return number % 8 != 7 ? 0 : pt_fail(err, PT_EARG, "no such register");
}

static int mem(void *arg, uint64_t addr, unsigned n_bytes, uint64_t *value, struct pt_err *err)
{
	++*(unsigned *)arg;
	if (n_bytes != 1 && n_bytes != 2 && n_bytes != 4 && n_bytes != 8)
		abort();
	*value = addr ^ n_bytes;
	return addr % 16 != 15 ? 0 : pt_fail(err, PT_EFAULT, "bus fault");
}

static int run(const uint8_t *code, size_t n, uint64_t *value, unsigned *n_reads)
{
	struct pt_agent_env env = { .arg = n_reads, .reg = reg, .mem = mem };
	struct pt_err err = { 0 };
	int rc;

	*value = 0;
	*n_reads = 0;
	rc = pt_agent_run(code, n, &env, value, &err);
	if (rc > 0 || (rc < 0 && (rc != err.code || err.msg[0] == '\0')))
		abort();
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	uint64_t value, again;
	unsigned n_reads, n_again;
	int rc = run(in, in_bytes, &value, &n_reads);

	if (run(in, in_bytes, &again, &n_again) != rc || again != value || n_again != n_reads)
		abort();
	return 0;
}
