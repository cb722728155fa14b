/* Reset and vectors of the test firmware. Handlers are weak: what a firmware does not define ends in default_handler. */
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
WEAK void LPUART0_IRQHandler(void);
WEAK void PIT_IRQHandler(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16 + 32] = {
	g_stack_top, Reset_Handler, NMI_Handler, HardFault_Handler, [11] = SVC_Handler, [14] = PendSV_Handler,
	[15] = SysTick_Handler, [16] = IRQ0_Handler, [17] = IRQ1_Handler, [18] = IRQ2_Handler, [19] = IRQ3_Handler,
	[20 ... 27] = default_handler, [28] = LPUART0_IRQHandler, [29 ... 37] = default_handler, [38] = PIT_IRQHandler,
	[39 ... 47] = default_handler,
};

/* Flash configuration field: no key, nothing protected, unsecured (FSEC 0xfe), start from flash. */
__attribute__((section(".flash_config"), used)) static const uint32_t flash_config[4] = {
	0xffffffff, 0xffffffff, 0xffffffff, 0xffff3ffe,
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
