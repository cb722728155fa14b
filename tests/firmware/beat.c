/* A short interrupt that comes often: what entering it takes is a part of all time that can be seen. */
#include "firmware.h"

enum { BEAT = 977 };	/* cycles, in step with nothing else here */

void SysTick_Handler(void);
volatile uint32_t g_beats;

void SysTick_Handler(void)
{
	g_beats++;
}

/* 4 cycles a turn */
__attribute__((noinline)) static void work(uint32_t turns)
{
	__asm__ volatile("1:	subs	%0, %0, #1\n\tnop\n\tbne	1b" : "+l"(turns));
}

__attribute__((noinline)) static uint32_t mix(uint32_t seed, uint32_t turns)
{
	while (turns-- > 0)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

int main(void)
{
	uint32_t seed = 1;

	SYST_RVR = BEAT - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	for (;;) {
		seed = mix(seed, 20 + (seed >> 26));
		work(10 + (seed >> 25));
	}
}
