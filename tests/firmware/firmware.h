/* What the test firmware shares: registers and instructions that C has no word for. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdint.h>

#define REG(addr) (*(volatile uint32_t *)(addr))
#define REG8(addr) (*(volatile uint8_t *)(addr))

/* System control space. Source: DDI 0419, B3. */
#define SYST_CSR REG(0xe000e010)
#define SYST_RVR REG(0xe000e014)
#define SYST_CVR REG(0xe000e018)
#define NVIC_ISER REG(0xe000e100)
#define NVIC_ISPR REG(0xe000e200)
#define NVIC_IPR(n) REG(0xe000e400 + 4 * (n))
#define SCB_ICSR REG(0xe000ed04)
#define SCB_SCR REG(0xe000ed10)
#define SCB_SHPR2 REG(0xe000ed1c)
#define SCB_SHPR3 REG(0xe000ed20)
#define ICSR_PENDSVSET (1u << 28)

int main(void);
void default_handler(void);

static inline void interrupts_off(void)
{
	__asm__ volatile("cpsid i" ::: "memory");
}

static inline void interrupts_on(void)
{
	__asm__ volatile("cpsie i" ::: "memory");
}

static inline void wait_for_interrupt(void)
{
	__asm__ volatile("dsb\n\twfi" ::: "memory");
}

#endif
