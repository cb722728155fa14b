/* Two cores of one chip (a unit at 0xd0000000 tells which one reads it, and lets the second one run). Each spends three
 * parts of four in a function of its own, and one in a function that both have. Runs on the virtual kl27 and cm4. */
#include "firmware.h"

#define CORE_NUMBER REG(0xd0000000)
#define LAUNCH REG(0xd0000004)

extern uint32_t g_data_image[], g_data[], g_data_end[], g_bss[], g_bss_end[], g_stack_top[];

void Reset_Handler(void);
void start_first(void);
void start_second(void);

static uint32_t second_stack[128] __attribute__((aligned(8), used));
volatile uint32_t rounds[2];	/* of each core */
volatile uint32_t parts[2];
volatile uint32_t word_of_second;

void default_handler(void)
{
	for (;;)
		;
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 32] = {
	g_stack_top, Reset_Handler, default_handler, default_handler, [4 ... 47] = default_handler,
};

/* Flash configuration field of the KL27: unsecured. */
__attribute__((section(".flash_config"), used)) static const uint32_t flash_config[4] = {
	0xffffffff, 0xffffffff, 0xffffffff, 0xffff3ffe,
};

/* Both begin here, with one stack: the second one takes its own. */
__attribute__((naked)) void Reset_Handler(void)
{
	__asm__ volatile("ldr r0, =0xd0000000\n\tldr r0, [r0]\n\tcmp r0, #0\n\tbne 1f\n\tbl start_first\n"
			 "1:\tldr r0, =second_stack + 512\n\tmov sp, r0\n\tbl start_second\n\t.ltorg");
}

static inline __attribute__((always_inline)) void turn(uint32_t n)
{
	while (n-- > 0)
		__asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
}

__attribute__((noinline)) void first_alone(void)
{
	turn(300);
}

__attribute__((noinline)) void second_alone(void)
{
	turn(300);
	word_of_second = rounds[1];
}

__attribute__((noinline)) void of_both(uint32_t core)
{
	parts[core]++;
	turn(100);
}

void start_first(void)
{
	const uint32_t *from = g_data_image;

	for (uint32_t *to = g_data; to < g_data_end; to++)
		*to = *from++;
	for (uint32_t *to = g_bss; to < g_bss_end; to++)
		*to = 0;
	LAUNCH = 1;
	for (;;) {
		rounds[0]++;
		first_alone();
		of_both(0);
	}
}

void start_second(void)
{
	for (;;) {
		rounds[1]++;
		second_alone();
		of_both(1);
	}
}
