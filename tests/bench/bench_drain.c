/* Is fetching a burst bound by the wire? Profiles in mode burst with a 4 KiB buffer on every link. Draining is what
 * lies between the moment when the host learns that a burst has ended and the one when it has its last word: between
 * the target's memory and the source stands a look-out that writes both down. All on the virtual probe's clock. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/least.h"
#include "tests/inline_profile.h"
#include "base/util.h"

enum { PROFILE_MS = 2000, BUFFER_BYTES = 4096, PACKET_BYTES = 8, WORDS = (BUFFER_BYTES - PACKET_BYTES) / 4 };
enum { CLOCKS_PER_WORD = 46, SWCLK_HZ = 4000000 };	/* of an SWD transfer (Arm IHI 0031); of the virtual probe */

static const struct { const char *name; uint64_t packet_ns; } links[] = {
	{ "hid-fs", 1000000 }, { "bulk-fs", 52000 }, { "bulk-hs", 10000 }, { "tcp", 10000 },
};

/* --- the look-out ------------------------------------------------------------------------------------------------- */

struct drain {
	const struct pt_mem_ops *ops;	/* the target's own */
	void *state;
	uint64_t bursts, ns;		/* drained; sum */
	uint64_t ended_ns;		/* of the last burst */
	size_t left_bytes;		/* not read of it */
};

static void note(struct drain *d, const struct pt_mem_op *op)
{
	if (op->what == PT_MEM_POLL) {
		d->ended_ns = op->done_ns;
		d->left_bytes = WORDS * 4;
	}
	if (op->what != PT_MEM_READ || op->len_bytes <= 4 || d->left_bytes == 0)
		return;
	d->left_bytes -= op->len_bytes;
	if (d->left_bytes == 0) {
		d->bursts++;
		d->ns += op->done_ns - d->ended_ns;
	}
}

static int run_watched(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		       uint64_t *fault_addr, struct pt_err *err)
{
	struct drain *d = state;
	int rc = d->ops->run(d->state, ops, n_ops, timeout_ms, n_done, fault_addr, err);

	for (size_t i = 0; i < *n_done; i++)
		note(d, &ops[i]);
	return rc;
}

static uint64_t now_ns(void *state)
{
	const struct drain *d = state;

	return d->ops->now_ns(d->state);
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	const struct drain *d = state;

	return d->ops->wait(d->state, until_ns, err);
}

static const struct pt_mem_ops watched = {
	.run = run_watched, .now_ns = now_ns, .wait = wait_until, .while_running = true,
};

static void swap(struct inline_profile *p, const struct pt_mem_ops *ops, void *state)
{
	struct pt_mem *mem = p->target->ops->mem(p->target->state, 0);

	mem->ops = ops;
	mem->state = state;
}

static void look_out(struct inline_profile *p, struct drain *d)
{
	const struct pt_mem *mem = p->target->ops->mem(p->target->state, 0);

	*d = (struct drain){ .ops = mem->ops, .state = mem->state };
	swap(p, &watched, d);
}

/* --- one profile -------------------------------------------------------------------------------------------------- */

struct result {
	struct drain drain;
	struct pt_link_traffic traffic;	/* of the profile alone */
	uint64_t total_ns, instructions, executed;
	unsigned words_per_packet;
	uint64_t least_ns;		/* the link's, for one buffer */
};

static void run(const char *link, const char *period, struct result *r)
{
	struct inline_setup setup = {
		.link = link, .words = { "mode=burst", "mtb-size=4096", period }, .seed = 7, .truth = true,
	};
	struct inline_profile p;
	struct pt_link_traffic before;
	struct pt_probe_info info;
	struct pt_err err = { 0 };

	*r = (struct result){ 0 };
	inline_open(&p, &setup);
	look_out(&p, &r->drain);
	pt_probe_info(p.probe, &info);
	r->words_per_packet = (unsigned)(info.packet_bytes - 4) / 4;
	inline_start(&p, &setup);
	pt_link_traffic(p.link, &before);
	inline_drain(&p, PROFILE_MS * PT_NS_PER_MS);
	pt_link_traffic(p.link, &r->traffic);
	r->traffic.round_trips -= before.round_trips;
	r->traffic.packets -= before.packets;
	inline_stop(&p);
	swap(&p, r->drain.ops, r->drain.state);
	r->instructions = pt_pipeline_profile(p.pipeline)->instructions;
	r->total_ns = pt_pipeline_profile(p.pipeline)->loss.total_ns;
	r->executed = pt_vtruth_total(&p.truth).instructions;
	r->least_ns = least_ns(p.probe, WORDS, &err);
	inline_close(&p);
	if (r->drain.bursts == 0 || r->least_ns == 0) {
		fprintf(stderr, "bench_drain: no bursts on %s\n", link);
		exit(EXIT_FAILURE);
	}
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

/* The share of execution that bursts would see which follow each other as fast as the link can fetch them. */
static double best_share(const struct result *r)
{
	double burst = (double)r->instructions / (double)r->drain.bursts;
	double missed = (double)r->executed / (double)r->total_ns * (double)r->least_ns;

	return burst / (burst + missed);
}

static void bench(size_t i)
{
	uint64_t wire_ns = WORDS * CLOCKS_PER_WORD * PT_NS_PER_S / SWCLK_HZ;
	struct result close, apart;
	double drain_ns, packets;

	run(links[i].name, "period=0us", &close);
	run(links[i].name, "period=20ms", &apart);
	drain_ns = (double)close.drain.ns / (double)close.drain.bursts;
	packets = (double)((WORDS + close.words_per_packet - 1) / close.words_per_packet);
	printf("%-8s draining %.3f ms a burst (the link's least %.3f): wire busy %.1f %%, packet slots used %.1f %%; %.2f "
	       "round trips a burst\n",
	       links[i].name, drain_ns / 1e6, (double)close.least_ns / 1e6, 100 * (double)wire_ns / drain_ns,
	       100 * packets * (double)links[i].packet_ns / drain_ns,
	       (double)close.traffic.round_trips / (double)close.drain.bursts);
	printf("%-8s execution seen: %.3f %% (%.1f bursts/s), without the random delay %.3f %% (%.1f bursts/s); the link "
	       "allows %.3f %% at best\n",
	       "", 100 * (double)apart.instructions / (double)apart.executed,
	       (double)apart.drain.bursts * 1e9 / (double)apart.total_ns,
	       100 * (double)close.instructions / (double)close.executed,
	       (double)close.drain.bursts * 1e9 / (double)close.total_ns, 100 * best_share(&close));
}

int main(void)
{
	printf("goals: wire busy 90 %% on bulk-hs, packet slots used 95 %% on hid-fs, 2 round trips a burst besides the "
	       "data\n");
	for (size_t i = 0; i < PT_LEN(links); i++)
		bench(i);
	return 0;
}
