/* A Linux program for QEMU's user mode and servers of processes, without a C library: two functions of which one works three
 * times as long, a thread beside it where it is given a word, and handlers that count the signals it gets: one that runs
 * mfpmr for proftap must hear of none. Rebuild: build_e500. Source of numbers and layouts: Linux, arch/powerpc. */
#include <stdint.h>

enum { SYS_GETPID = 20, SYS_KILL = 37, SYS_CLONE = 120, SYS_SIGACTION = 173 };
enum { SIG_ILL = 4, SIG_TRAP = 5, SIG_USR1 = 10 };
/* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM: as of a thread */
enum { THREAD = 0x50f00, STACK_BYTES = 8192 };

struct sigaction { void (*handler)(int); uint32_t flags; void *restorer; uint64_t mask; };

volatile uint32_t n_rounds, n_traps, n_usr1, n_beside, wants_usr1, work;
static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));

int start(uint32_t n_words);

__asm__(
	".section .text\n"
	"	.global _start\n"
	"_start:\n"
	"	lwz	3, 0(1)\n"
	"	li	0, 0\n	stwu	1, -16(1)\n	stw	0, 0(1)\n"
	"	bl	start\n"
	"	.section .scratch, \"awx\"\n"	/* room for code that a debugger puts there */
	"	.balign 16\n"
	"	.global for_scratch\n"
	"for_scratch:\n"
	"	.fill	128, 4, 0x60000000\n"
	"	.section .text\n");

/* On a thread the system call returns 0, with a stack of its own. */
static long call(long number, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = number;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;

	__asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)
			 : : "memory", "cr0", "ctr", "xer", "r7", "r8", "r9", "r10", "r11", "r12");
	return r3;
}

static void on_signal(int number)
{
	if (number == SIG_USR1)
		n_usr1++;
	else
		n_traps++;
}

__attribute__((noinline)) void heavy(void)
{
	for (uint32_t i = 0; i < 30000; i++)
		work++;
}

__attribute__((noinline)) void light(void)
{
	for (uint32_t i = 0; i < 10000; i++)
		work++;
}

__attribute__((noinline, noreturn)) void beside(void)
{
	for (;;)
		n_beside++;
}

/* The new thread must not return from here: its stack is empty. */
static void begin_beside(void)
{
	if (call(SYS_CLONE, THREAD, (long)(stack + STACK_BYTES - 64), 0, 0) == 0)
		beside();
}

int start(uint32_t n_words)
{
	static const struct sigaction on = { .handler = on_signal };
	static const int signals[] = { SIG_ILL, SIG_TRAP, SIG_USR1 };

	for (uint32_t i = 0; i < 3; i++)
		call(SYS_SIGACTION, signals[i], (long)&on, 0, sizeof(on.mask));
	if (n_words > 1)
		begin_beside();
	for (;;) {
		heavy();
		light();
		n_rounds++;
		if (wants_usr1 == 0)
			continue;
		wants_usr1 = 0;
		call(SYS_KILL, call(SYS_GETPID, 0, 0, 0, 0), SIG_USR1, 0, 0);
	}
}
