/* Read a word of a GDB server's target until it changes, while the target runs: upstream_memory URI ADDR. Prints both
 * values; ends with 1 where the server cannot do that, or does not within the minute. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "probes/registry.h"
#include "targets/registry.h"
#include "base/util.h"

enum { DEADLINE_S = 60 };

static int watch(struct pt_target *target, uint64_t addr, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, 0);
	uint64_t until_ns = pt_host_now_ns() + DEADLINE_S * PT_NS_PER_S;
	uint8_t first[4], now[4];
	struct pt_core_status status;

	if (!mem->ops->while_running)
		return pt_fail(err, PT_EUNSUPPORTED, "no memory while the target runs");
	if (target->ops->resume(target->state, 0, err) < 0 || pt_mem_read(mem, addr, first, sizeof(first), err) < 0)
		return err->code;
	do {
		if (pt_mem_read(mem, addr, now, sizeof(now), err) < 0 ||
		    target->ops->status(target->state, 0, &status, err) < 0)
			return err->code;
		if (status.state != PT_RUNNING)
			return pt_fail(err, PT_ESTATE, "a read has stopped it");
		if (pt_host_now_ns() > until_ns)
			return pt_fail(err, PT_ETIMEOUT, "the word does not change");
	} while (pt_le32(now) == pt_le32(first));
	printf("while it runs: 0x%08" PRIx32 ", then 0x%08" PRIx32 "\n", pt_le32(first), pt_le32(now));
	return target->ops->halt(target->state, 0, err);
}

static int try_it(const char *uri, uint64_t addr, const struct pt_params *settings)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe = pt_probe_open(uri, settings, &err);
	struct pt_target *target = probe != NULL ? pt_target_attach(probe, "remote", settings, &err) : NULL;
	int rc = target != NULL ? watch(target, addr, &err) : err.code;

	if (target != NULL)
		pt_target_detach(target, false, NULL);
	pt_probe_close(probe);
	if (rc < 0)
		fprintf(stderr, "upstream_memory: %s: %s\n", uri, err.msg);
	return rc < 0;
}

int main(int argc, char **argv)
{
	struct pt_params *settings = pt_params_new();
	int failed = 2;

	/* A busy machine is no silent server. */
	if (argc != 3 || settings == NULL ||
	    pt_params_add(settings, &pt_probe_params[PT_PROBE_PATIENCE], 1, "upstream-patience=60s", NULL) < 0)
		fprintf(stderr, "usage: upstream_memory URI ADDR\n");
	else
		failed = try_it(argv[1], strtoull(argv[2], NULL, 16), settings);
	pt_params_free(settings);
	return failed;
}
