/* A program that does the same every PERIOD cycles, to the cycle, and sleeps for the rest: whatever looks at it at
 * distances that are in step with that sees one part of it too often. */
#include "firmware.h"

enum { PERIOD = 576000 };	/* cycles: 12 ms at 48 MHz */

void SysTick_Handler(void);
volatile uint32_t g_ticks;

void SysTick_Handler(void)
{
	g_ticks++;
}

/* turns of 4 cycles */
#define DELAY(turns) __asm__ volatile("1:	subs	%0, %0, #1\n\tnop\n\tbne	1b" : "+l"(turns))

__attribute__((noinline)) static void early(uint32_t turns)
{
	DELAY(turns);
}

__attribute__((noinline)) static void late(uint32_t turns)
{
	DELAY(turns);
}

int main(void)
{
	SYST_RVR = PERIOD - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	for (;;) {
		wait_for_interrupt();
		early(PERIOD / 4 / 5);
		late(PERIOD / 4 / 10);
	}
}
