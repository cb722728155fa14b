/* Sources of several cores behind one GDB server, which shows them as threads (targets/contract/cores.h). Each core has
 * its own performance monitor and agent block; a server that halts one core halts all of them. */
#include "targets/e500/perfmon/perfmon.h"
#include "targets/e500/trace/sources.h"

uint64_t pt_e500_cores_now_ns(const void *e500)
{
	return pt_link_now_ns(pt_probe_link(((const struct pt_e500_target *)e500)->remote.target->probe));
}

unsigned pt_e500_cores_thread_of(const void *e500, unsigned number)
{
	(void)e500;
	return number;
}

int pt_e500_cores_start(struct pt_cores *s, const struct pt_cores_kind *kind, const char *word,
			struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	struct pt_e500_target *e500 = target->state;
	unsigned first, n;

	if (pt_cores_read(word, "the GDB server", e500->remote.n_cores, setup->core, &first, &n, err) < 0)
		return err->code;
	return pt_cores_start(s, kind, e500, first, n, target, setup, err);
}
