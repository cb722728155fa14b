/* How fast the virtual KL27 executes its demo firmware: plain, with the trace buffer running as a ring, and with the
 * truth listening to every instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "probes/virtual/chip/kl27.h"
#include "probes/virtual/chip/truth.h"
#include "base/util.h"

enum { GOAL_MIPS = 40 };
enum { MTB_POSITION = 0xf0000000, MTB_MASTER = 0xf0000004, MTB_FLOW = 0xf0000008 };
#define MTB_RING (UINT32_C(1) << 31 | 1 << 7 | 8)	/* EN, SFRWPRIV, 4 KiB */

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct pt_vboard *make(void)
{
	struct pt_err err = { 0 };
	struct pt_vboard *board = pt_vboard_kl27.make(NULL, NULL, 0, &err);

	if (board == NULL) {
		fprintf(stderr, "bench_core: %s\n", err.msg);
		exit(1);
	}
	return board;
}

/* Half a second of board time to warm up, then so many. */
static void measure(const char *what, struct pt_vboard *board, unsigned board_s)
{
	struct pt_vcpu *cpu = pt_kl27_of(board)->cpu;
	uint64_t insns, cycles, asleep;
	double mips, s;

	pt_vboard_kl27.advance(board, PT_NS_PER_S / 2);
	insns = pt_vcpu_instructions(cpu);
	cycles = pt_vcpu_cycle(cpu);
	asleep = pt_vcpu_sleep_cycles(cpu);
	s = cpu_s();
	pt_vboard_kl27.advance(board, PT_NS_PER_S / 2 + board_s * PT_NS_PER_S);
	s = cpu_s() - s;
	insns = pt_vcpu_instructions(cpu) - insns;
	mips = (double)insns / s / 1e6;
	printf("virtual core, %-22s %6.1f million instructions/s (goal %d), %.2f cycles each, %.1f %% asleep\n", what,
	       mips, GOAL_MIPS,
	       (double)(pt_vcpu_cycle(cpu) - cycles - (pt_vcpu_sleep_cycles(cpu) - asleep)) / (double)insns,
	       100.0 * (double)(pt_vcpu_sleep_cycles(cpu) - asleep) / (double)(pt_vcpu_cycle(cpu) - cycles));
}

static void set(struct pt_vboard *board, uint32_t addr, uint32_t value)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };

	pt_vbus_write(&pt_kl27_of(board)->bus, &access, value);
}

int main(void)
{
	struct pt_vboard *board = make();
	struct pt_vtruth truth;

	measure("plain:", board, 10);
	pt_vboard_kl27.free(board);

	board = make();
	pt_vboard_kl27.advance(board, PT_NS_PER_MS);
	set(board, MTB_POSITION, 0);
	set(board, MTB_FLOW, 0);
	set(board, MTB_MASTER, MTB_RING);
	measure("trace buffer on:", board, 10);
	pt_vboard_kl27.free(board);

	board = make();
	if (!pt_kl27_watch(pt_kl27_of(board), &truth, 0))
		return 1;
	measure("every pc logged:", board, 5);
	pt_vtruth_fini(&truth);
	pt_vboard_kl27.free(board);
	return 0;
}
