/* startup.c for a Cortex-M4 of Arm's MPS2: it has vectors for three faults more, and of line 8, the timer's. Apart, as the ELFs
 * of the others hold the numbers of that file's lines. */
#include <stdint.h>

#include "firmware.h"

extern uint32_t g_data_image[], g_data[], g_data_end[], g_bss[], g_bss_end[], g_stack_top[];

void Reset_Handler(void);

/* Where a firmware ends up that took an exception it did not expect; its address says which program failed. */
void default_handler(void)
{
	for (;;)
		;
}

#define WEAK __attribute__((weak, alias("default_handler")))
WEAK void NMI_Handler(void);
WEAK void HardFault_Handler(void);
WEAK void SVC_Handler(void);
WEAK void PendSV_Handler(void);
WEAK void SysTick_Handler(void);
WEAK void IRQ0_Handler(void);
WEAK void IRQ1_Handler(void);
WEAK void IRQ2_Handler(void);
WEAK void IRQ3_Handler(void);
WEAK void TIMER0_Handler(void);
__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 32] = {
	g_stack_top, Reset_Handler, NMI_Handler, HardFault_Handler, [4 ... 6] = default_handler, [11] = SVC_Handler,
	[14] = PendSV_Handler, SysTick_Handler, IRQ0_Handler, IRQ1_Handler, IRQ2_Handler, IRQ3_Handler, [20 ... 23] = default_handler,
	[24] = TIMER0_Handler, [25 ... 47] = default_handler,
};

void Reset_Handler(void)
{
	const uint32_t *from = g_data_image;

	for (uint32_t *to = g_data; to < g_data_end; to++)
		*to = *from++;
	for (uint32_t *to = g_bss; to < g_bss_end; to++)
		*to = 0;
	main();
	for (;;)
		;
}
