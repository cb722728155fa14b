/* The virtual e500's built-in firmware: functions that differ in what a performance monitor counts of them, each with a
 * counter of its calls (n_NAME), and a decrementer interrupt every TICK ticks of the time base. Several cores (up to 4)
 * run it side by side, each with a stack of its own by its PIR; what they share, the counters, is then no more exact.
 * With AGENT proftap's agent is linked in, as e500_agent.elf: the tick polls it, and IVOR35 is its handler; as
 * e500_agents.elf with a block for each of two cores. With MC for e500mc and later (e500mc_demo.elf, e500mc_agent.elf,
 * e6500_agent.elf): it has what only those have. Rebuild: build_e500. */
#include <stdint.h>

#ifdef AGENT
#include "../../scripts/agent/proftap_agent.h"
#endif

enum { TICK = 2000, LINE_WORDS = 8, FAR_WORDS = 65536, NEAR_WORDS = 256 };	/* far: 256 KiB, 8 times the L1 cache */
enum { TX = 1, STATUS = 2, TX_FULL = 8 };	/* UART Lite: words, and a bit of STATUS */

volatile uint32_t n_add_near, n_walk_far, n_store_far, n_guess, n_regular, n_divide, n_multiply, n_leaf, n_inner,
	n_outer, n_recurse, n_checksum, n_seldom, n_say, n_tick, n_unexpected;
#ifdef MC
volatile uint32_t n_decorate, n_reserve, n_signal_events, n_move_floats, n_clean_cache, n_nap;
#endif
volatile uint32_t g_sink, g_rounds;
volatile uint32_t g_ready __attribute__((section(".data")));	/* the first core has cleared the memory */
static uint32_t near[NEAR_WORDS], far[FAR_WORDS] __attribute__((aligned(32)));
static uint32_t lfsr = 0xace1;
static volatile uint32_t *const uart = (volatile uint32_t *)0xf0004500;

void tick(void);
void unexpected(void);
void start(void);
int main(void);

#define KEPT __attribute__((noinline, noclone, used))

/* IVPR and IVOR0 to 15: the decrementer's (10) is ours, whatever else comes stays in unexpected. The handler keeps what
 * a call may change. */
__asm__(
	".section .text.vectors, \"ax\"\n"
	"	.balign 16\n"
	"	.type on_decrementer, @function\n"
	"on_decrementer:\n"
	"	stwu	1, -80(1)\n"
	"	stw	0, 8(1)\n	mflr	0\n	stw	0, 12(1)\n	mfctr	0\n	stw	0, 16(1)\n"
	"	mfcr	0\n	stw	0, 20(1)\n	mfxer	0\n	stw	0, 24(1)\n"
	"	stw	3, 28(1)\n	stw	4, 32(1)\n	stw	5, 36(1)\n	stw	6, 40(1)\n"
	"	stw	7, 44(1)\n	stw	8, 48(1)\n	stw	9, 52(1)\n	stw	10, 56(1)\n"
	"	stw	11, 60(1)\n	stw	12, 64(1)\n"
	"	lis	3, 0x0800\n	mtspr	336, 3\n"		/* TSR[DIS], by writing 1 */
	"	bl	tick\n"
	"	lwz	0, 12(1)\n	mtlr	0\n	lwz	0, 16(1)\n	mtctr	0\n"
	"	lwz	0, 20(1)\n	mtcr	0\n	lwz	0, 24(1)\n	mtxer	0\n"
	"	lwz	3, 28(1)\n	lwz	4, 32(1)\n	lwz	5, 36(1)\n	lwz	6, 40(1)\n"
	"	lwz	7, 44(1)\n	lwz	8, 48(1)\n	lwz	9, 52(1)\n	lwz	10, 56(1)\n"
	"	lwz	11, 60(1)\n	lwz	12, 64(1)\n	lwz	0, 8(1)\n"
	"	addi	1, 1, 80\n"
	"	rfi\n"
	"	.size	on_decrementer, . - on_decrementer\n"
	"	.balign 16\n"
	"	.type on_other, @function\n"
	"on_other:\n"
	"	b	unexpected\n"
	"	.size	on_other, . - on_other\n"
	".section .text.start, \"ax\"\n"
	"	.global _start\n"
	"	.type _start, @function\n"
	"_start:\n"
	"	mfspr	5, 286\n	slwi	6, 5, 14\n"
	"	lis	1, g_stack_top@ha\n	la	1, g_stack_top@l(1)\n	add	1, 1, 6\n"
	"	li	0, 0\n	stwu	0, -16(1)\n	mtlr	0\n"	/* the outermost frame */
	"	lis	3, on_other@h\n	mtspr	63, 3\n"
	"	lis	3, on_other@ha\n	la	3, on_other@l(3)\n"
	"	.set ivor, 400\n"
	"	.rept 16\n	mtspr	ivor, 3\n	.set ivor, ivor + 1\n	.endr\n"
	"	lis	3, on_decrementer@ha\n	la	3, on_decrementer@l(3)\n	mtspr	410, 3\n"
	"	lis	6, g_ready@ha\n	cmpwi	7, 5, 0\n	bne	7, 3f\n"
	"	li	4, 0\n	stw	4, g_ready@l(6)\n"
	"	lis	3, g_bss_begin@ha\n	la	3, g_bss_begin@l(3)\n"
	"	lis	4, g_bss_end@ha\n	la	4, g_bss_end@l(4)\n"
	"1:	cmplw	3, 4\n	bge	2f\n	stw	0, 0(3)\n	addi	3, 3, 4\n	b	1b\n"
	"2:	li	4, 1\n	stw	4, g_ready@l(6)\n"
	"3:	lwz	4, g_ready@l(6)\n	cmpwi	4, 0\n	beq	3b\n"
	"	bl	start\n"
	"	bl	main\n"
	"	b	.\n"
	"	.size	_start, . - _start\n"
	".text\n");

KEPT void unexpected(void)
{
	for (;;)
		n_unexpected++;
}

KEPT void tick(void)
{
	n_tick++;
#ifdef AGENT
	proftap_agent_poll();
#endif
}

/* DECAR, DEC, TCR[DIE, ARE]; then MSR[EE, CE, ME]. */
KEPT void start(void)
{
	uint32_t ticks = TICK, tcr = 0x04400000, msr;

#ifdef AGENT
	__asm__ volatile("mtspr 531, %0" : : "r"(proftap_agent_vector));
	proftap_agent_init(1);
#endif
	__asm__ volatile("mtspr 54, %0\n\tmtspr 22, %0\n\tmtspr 340, %1" : : "r"(ticks), "r"(tcr));
#ifdef MC
	__asm__ volatile("mfmsr %0\n\tori %0, %0, 0x2000\n\tmtmsr %0\n\tisync" : "=r"(msr) : : "memory");	/* FP */
#endif
	__asm__ volatile("mfmsr %0\n\tori %0, %0, 0x9000\n\tmtmsr %0\n\tisync" : "=r"(msr) : : "memory");
}

/* --- memory */

KEPT void add_near(void)
{
	uint32_t sum = 0;

	n_add_near++;
	for (unsigned i = 0; i < NEAR_WORDS; i++)
		sum += near[i]++;
	g_sink = sum;
}

/* A miss per load. */
KEPT void walk_far(void)
{
	uint32_t sum = 0;

	n_walk_far++;
	for (unsigned i = 0; i < FAR_WORDS; i += 16 * LINE_WORDS)
		sum += far[i];
	g_sink = sum;
}

/* A miss per store, and what was dirty is cast out. */
KEPT void store_far(void)
{
	n_store_far++;
	for (unsigned i = LINE_WORDS; i < FAR_WORDS; i += 16 * LINE_WORDS)
		far[i] = i;
}

/* --- branches */

KEPT void guess(void)
{
	uint32_t ones = 0;

	n_guess++;
	for (unsigned i = 0; i < 100; i++) {
		lfsr = lfsr >> 1 ^ (-(lfsr & 1) & 0xb400);
		if ((lfsr & 1) != 0)
			__asm__ volatile("addi %0, %0, 1" : "+r"(ones));	/* a branch around it: no arithmetic instead */
	}
	g_sink = ones;
}

KEPT void regular(void)
{
	n_regular++;
	for (unsigned i = 0; i < 200; i++)
		__asm__ volatile("nop");
}

/* --- arithmetic */

KEPT void divide(uint32_t by)
{
	uint32_t value = 0xfffffff1;

	n_divide++;
	for (unsigned i = 0; i < 20; i++)
		value = value / by + 0x80000000;
	g_sink = value;
}

KEPT void multiply(uint32_t by)
{
	uint32_t value = by;

	n_multiply++;
	for (unsigned i = 0; i < 50; i++)
		value = value * by + i;
	g_sink = value;
}

KEPT uint32_t checksum(const uint8_t *bytes, unsigned n_bytes)
{
	uint32_t crc = 0xffffffff;

	n_checksum++;
	for (unsigned i = 0; i < n_bytes; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (-(crc & 1) & 0xedb88320);
	}
	return ~crc;
}

/* --- calls */

KEPT uint32_t leaf(uint32_t value)
{
	n_leaf++;
	return value ^ 0x55;
}

KEPT uint32_t inner(uint32_t value)
{
	n_inner++;
	return leaf(value) + leaf(value + 1);
}

KEPT uint32_t outer(uint32_t value)
{
	n_outer++;
	return inner(value) + inner(value + 2);
}

KEPT uint32_t recurse(uint32_t depth)
{
	uint32_t below;

	n_recurse++;
	if (depth == 0)
		return 1;
	below = recurse(depth - 1);
	__asm__ volatile("" : "+r"(below));	/* a call, no loop */
	return below + depth;
}

KEPT void seldom(void)
{
	n_seldom++;
}

KEPT void say(char c)
{
	n_say++;
	if ((uart[STATUS] & TX_FULL) == 0)
		uart[TX] = (uint8_t)c;
}

/* --- what e500mc and later have */

#ifdef MC
KEPT void decorate(void)
{
	uint32_t value = 7, decoration = 3;

	n_decorate++;
	for (unsigned i = 0; i < 16; i++)
		__asm__ volatile("stwdx %0, %1, %2\n\tlwdx %0, %1, %2" : "+r"(value) : "r"(decoration), "r"(&near[i]) : "memory");
	__asm__ volatile("lwdx %0, %1, %2\n\tli %0, 0\n\tstwdx %0, %1, %3"		/* STATUS, CONTROL */
			 : "+r"(value) : "r"(decoration), "r"(&uart[STATUS]), "r"(&uart[STATUS + 1]) : "memory");
}

/* Two stores: the first has its reservation, and has used it up for the second. */
KEPT void reserve(void)
{
	uint32_t value;

	n_reserve++;
	for (unsigned i = 0; i < 12; i++)
		__asm__ volatile("lwarx %0, 0, %1\n\tstwcx. %0, 0, %1\n\tstwcx. %0, 0, %1"
				 : "=&r"(value) : "r"(&near[8 * i]) : "cr0", "memory");
}

KEPT void signal_events(void)
{
	n_signal_events++;
	for (uint32_t bit = 1; bit < 256; bit <<= 1)
		__asm__ volatile("mtspr 975, %0" : : "r"(bit | (bit >> 1)));	/* DEVENT */
}

KEPT void move_floats(void)
{
	n_move_floats++;
	for (unsigned i = 0; i < NEAR_WORDS - 16; i += 4)
		__asm__ volatile("lfd 1, 0(%0)\n\tfneg 2, 1\n\tstfd 2, 8(%0)\n\tlfs 3, 16(%0)\n\tstfs 3, 20(%0)"
				 : : "b"(&near[i]) : "memory");
}

KEPT void clean_cache(void)
{
	n_clean_cache++;
	for (unsigned i = 0; i < NEAR_WORDS; i += 16)
		__asm__ volatile("dcbtst 0, %0\n\tdcbf 0, %0\n\tmbar\n\tmsync" : : "r"(&near[i]) : "memory");
}

/* To the next tick. */
KEPT void nap(void)
{
	n_nap++;
	__asm__ volatile("wait" : : : "memory");
}

static void of_mc(void)
{
	decorate();
	reserve();
	signal_events();
	move_floats();
	clean_cache();
	if ((g_rounds & 7) == 0)
		nap();
}
#else
static void of_mc(void)
{
}
#endif

int main(void)
{
	for (;;) {
		add_near();
		walk_far();
		store_far();
		guess();
		regular();
		divide(3);
		multiply(7);
		g_sink = checksum((const uint8_t *)near, 32);
		g_sink = outer(g_rounds) + recurse(5);
		of_mc();
		if ((g_rounds & 15) == 0)
			seldom();
		if ((g_rounds & 255) == 0)
			say("e500 "[g_rounds >> 8 & 3]);
		g_rounds++;
	}
}
