/* What each link of the design costs us, against what the link itself allows: 64 KiB of RAM, a single step, attaching.
 * Everything is on the virtual probe's clock, so the figures are exact and the same on every machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/registry.h"
#include "targets/registry.h"
#include "tests/bench/least.h"
#include "base/util.h"

enum { READ_BYTES = 65536, RAM = 0x20000000, RAM_BYTES = 16384, TIMEOUT_MS = 10000 };

static const char *const links[] = { "hid-fs", "bulk-fs", "bulk-hs", "tcp" };

static void die(const char *what, const struct pt_err *err)
{
	fprintf(stderr, "bench_link: %s: %s\n", what, err->msg);
	exit(1);
}

static uint64_t round_trips(struct pt_probe *probe)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(probe), &traffic);
	return traffic.round_trips;
}

static uint64_t read_ns(struct pt_target *target)
{
	struct pt_mem *mem = target->ops->mem(target->state, 0);
	static uint8_t bytes[RAM_BYTES];
	struct pt_mem_op op[READ_BYTES / RAM_BYTES];
	uint64_t before = pt_mem_now_ns(mem);
	struct pt_err err = { 0 };
	size_t n_done;

	for (size_t i = 0; i < PT_LEN(op); i++)
		op[i] = (struct pt_mem_op){ .what = PT_MEM_READ, .addr = RAM, .bytes = bytes, .len_bytes = RAM_BYTES };
	if (pt_mem_run(mem, op, PT_LEN(op), TIMEOUT_MS, &n_done, &err) < 0)
		die("read", &err);
	return pt_mem_now_ns(mem) - before;
}

static uint64_t step_round_trips(struct pt_target *target)
{
	struct pt_err err = { 0 };
	uint64_t before;

	if (target->ops->halt(target->state, 0, &err) < 0)
		die("halt", &err);
	before = round_trips(target->probe);
	if (target->ops->step(target->state, 0, &err) < 0)
		die("step", &err);
	return round_trips(target->probe) - before;
}

static uint64_t register_round_trips(struct pt_target *target)
{
	uint64_t value, before = round_trips(target->probe);
	struct pt_err err = { 0 };
	uint16_t row = 0;

	if (target->ops->halt(target->state, 0, &err) < 0 ||
	    target->ops->read_registers(target->state, 0, &row, 1, &value, &err) < 0)
		die("first register", &err);
	return round_trips(target->probe) - before;
}

static void bench(const char *link)
{
	struct pt_err err = { 0 };
	struct pt_target *target;
	struct pt_probe *probe;
	uint64_t attach, least, took;
	char uri[96];

	snprintf(uri, sizeof(uri), "virtual:kl27?clock=virtual&link=%s", link);
	probe = pt_probe_open(uri, NULL, &err);
	if (probe == NULL)
		die(uri, &err);
	target = pt_target_attach(probe, NULL, NULL, &err);
	if (target == NULL)
		die("attach", &err);
	attach = round_trips(probe) + register_round_trips(target);
	took = read_ns(target);
	least = least_ns(probe, READ_BYTES / 4, &err);
	if (least == 0)
		die("read at the link's speed", &err);
	printf("%-8s 64 KiB in %8.3f ms, the link's least %8.3f ms, ratio %.3f; step %" PRIu64
	       " round trips; attach to first "
	       "register %" PRIu64 " round trips\n",
	       link, (double)took / 1e6, (double)least / 1e6, (double)took / (double)least, step_round_trips(target),
	       attach);
	pt_target_detach(target, true, NULL);
	pt_probe_close(probe);
}

int main(void)
{
	for (size_t i = 0; i < PT_LEN(links); i++)
		bench(links[i]);
	return 0;
}
