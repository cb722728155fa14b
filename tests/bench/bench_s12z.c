/* The S12Z over its BDC, two questions. Are the 95 % intervals of its shares what they say? Many profiles of the demo
 * firmware, each from another start of the board and with another jitter; the truth of each is what the model
 * executed meanwhile. And does the loop of snapshots use its path? On each of three probes with snapshots as dense as
 * they come: their time against the least that 64 lines take there (by the bits of READ_DBGTB at the BDC's clock; by
 * the packets or transfers that they need).
 *
 *   bench_s12z [SEEDS [MILLISECONDS]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "targets/s12z/core/s12z.h"
#include "tests/inline_profile.h"
#include "base/util.h"

enum { SEEDS = 40, PROFILE_MS = 500, MOST_FUNCTIONS = 128, LOOP_MS = 1000, LINES = 64, WINDOW_US = 200 };
enum {
	LINE_CYCLES = 1184,
	LINE_CYCLES_ACK = 1248
}; /* of READ_DBGTB; ACK: 32 cycles later, 16 long. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 155-175 */

/* --- coverage ----------------------------------------------------------------------------------------------------- */

static struct function {
	const char *name;
	unsigned profiles, covered;	/* in which its true share is large enough; in which the interval holds it */
	double truth, bias;		/* sums over profiles */
} functions[MOST_FUNCTIONS];

static void judge(size_t id, const struct pt_profile *profile, double truth)
{
	const struct pt_profile_function *row = profile->by_id[id];
	struct pt_share share = row != NULL ? row->share : profile->unseen;
	struct function *f = &functions[id];

	if (truth < 0.01)
		return;
	f->profiles++;
	f->covered += share.lo <= truth && truth <= share.hi;
	f->truth += truth;
	f->bias += share.share - truth;
}

/* Samples are taken in time; bursts count instructions, because nobody knows the S12Z's cycles. */
static double of(struct pt_vtruth_at truth, bool samples)
{
	return samples ? (double)truth.cycles : (double)truth.instructions;
}

static void judge_all(struct inline_profile *p, bool samples)
{
	const struct pt_profile *profile = pt_pipeline_profile(p->pipeline);
	double all = of(pt_vtruth_total(&p->truth), samples);
	size_t n;
	const struct pt_function *f = pt_program_functions(p->program, &n);

	for (size_t i = 0; i < n && i + 1 < MOST_FUNCTIONS; i++) {
		uint64_t end = f[i].address + f[i].size;
		struct pt_vtruth_at truth = pt_vtruth_sum(&p->truth, (uint32_t)f[i].address, (uint32_t)end);

		functions[i + 1].name = functions[i + 1].name != NULL ? functions[i + 1].name : strdup(f[i].name);
		judge(i + 1, profile, of(truth, samples) / all);
	}
}

static void cover(const char *source, const char *words[2], const char *uri, unsigned seeds, uint64_t ms)
{
	unsigned profiles = 0, covered = 0;

	memset(functions, 0, sizeof(functions));
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct inline_setup setup = {
			.board = "s12zvm",
			.source = source,
			.words = { words[0], words[1] },
			.uri = uri,
			.seed = seed,
			.truth = true,
		};
		struct inline_profile p;

		inline_open(&p, &setup);
		inline_start(&p, &setup);
		inline_drain(&p, ms * PT_NS_PER_MS);
		inline_stop(&p);
		judge_all(&p, strcmp(source, "sync-pc") == 0);
		inline_close(&p);
	}
	printf("%s%s: %u profiles of %llu ms\n", source, uri, seeds, (unsigned long long)ms);
	for (size_t i = 0; i < MOST_FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		profiles += f->profiles;
		covered += f->covered;
		if (f->profiles != 0)
			printf("  %-20s %6u  share %6.2f %%  coverage %5.1f %%  bias %+5.2f points\n", f->name,
			       f->profiles, 100 * f->truth / f->profiles, 100.0 * f->covered / f->profiles,
			       100 * f->bias / f->profiles);
	}
	printf("  pooled coverage of the 95 %% intervals: %.1f %% (goal 92 to 98)\n",
	       profiles != 0 ? 100.0 * covered / profiles : NAN);
}

/* --- the paths ---------------------------------------------------------------------------------------------------- */

static const struct path {
	const char *name, *uri, *link, *unit;
	unsigned packets;	/* the least for 64 lines; 0: the bits are the limit */
} paths[] = {
	{ "BDC at 8 MHz", "", "bulk-hs", "bits and ACKs", 0 },
	{ "OSBDM", "&probe=osbdm", "bulk-fs", "packets", 22 },	/* 3 lines a packet of 29 pairs; OSBDM-JM60, bdm_9s12z.c */
	{ "USBDM", "&probe=usbdm", "bulk-fs", "transfers", 256 },	/* a word each; usbdm-firmware V4.12.1.330 (JMxx) */
};

static uint64_t n_snapshots;

static void count(void *arg, const struct pt_chunk *chunk)
{
	(void)arg;
	n_snapshots += chunk->kind == PT_CHUNK_DATA;
}

/* What a packet with lines in it takes. */
static double packet_ns(struct inline_profile *p)
{
	struct pt_s12z *z = p->target->state;
	static uint8_t lines[8 * LINES];
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = LINES, .bytes = lines };
	struct pt_link_traffic before, after;
	uint64_t from_ns = inline_now_ns(p);
	struct pt_err err = { 0 };

	pt_link_traffic(p->link, &before);
	if (pt_wire_s12z_run(&z->wire, &op, 1, NULL, &err) < 0) {
		fprintf(stderr, "read 64 lines: %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	pt_link_traffic(p->link, &after);
	return (double)(inline_now_ns(p) - from_ns) / (double)(after.packets - before.packets);
}

static void measure(const struct path *path)
{
	struct inline_setup setup = {
		.board = "s12zvm", .uri = path->uri, .link = path->link, .words = { "period=0ns" }, .seed = 7,
	};
	struct inline_profile p;
	struct pt_link_traffic before, after;
	double each_ns, least_ns, one_ns;
	struct pt_wire_s12z *wire;
	uint64_t from_ns;
	int cycles;

	inline_open(&p, &setup);
	wire = &((struct pt_s12z *)p.target->state)->wire;
	cycles = pt_wire_s12z_can(wire, PT_BDC_ACK_ENABLE) ? LINE_CYCLES_ACK : LINE_CYCLES;
	one_ns = packet_ns(&p);
	least_ns = path->packets != 0 ? path->packets * one_ns : LINES * cycles * 1e9 / wire->bdcsi_hz;
	least_ns += WINDOW_US * 1000;
	inline_start(&p, &setup);
	p.see = count;
	n_snapshots = 0;
	pt_link_traffic(p.link, &before);
	from_ns = inline_now_ns(&p);
	inline_drain(&p, LOOP_MS * PT_NS_PER_MS);
	each_ns = (double)(inline_now_ns(&p) - from_ns) / (double)n_snapshots;
	pt_link_traffic(p.link, &after);
	inline_stop(&p);
	inline_close(&p);
	printf("  %-14s %7.2f ms a snapshot, %7.2f ms is the least by its %s: %5.1f %% of the limit (goal 90); %.1f "
	       "packets each\n",
	       path->name, each_ns / 1e6, least_ns / 1e6, path->unit, 100 * least_ns / each_ns,
	       (double)(after.packets - before.packets) / (double)n_snapshots);
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : SEEDS;
	uint64_t ms = argc > 2 ? (uint64_t)atoi(argv[2]) : PROFILE_MS;
	clock_t before = clock();

	printf("snapshots of 64 lines, window %d us, no jitter:\n", WINDOW_US);
	for (size_t i = 0; i < PT_LEN(paths); i++)
		measure(&paths[i]);
	cover("dbg-profile", (const char *[2]){ "period=2ms", NULL }, "", seeds, ms);
	cover("dbg-profile", (const char *[2]){ "period=2ms", NULL }, "&pdoe0=holds", seeds, ms);
	cover("sync-pc", (const char *[2]){ NULL, NULL }, "&trace=off", seeds, ms);
	printf("took %.1f s\n", (double)(clock() - before) / CLOCKS_PER_SEC);
	return 0;
}
