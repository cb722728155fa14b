/* A program with something of everything that an ITM and a DWT trace, for tests of both: interrupts that nest and that
 * follow each other, variables that are read and written in all sizes, stimulus ports, sleep. Ports are used as CMSIS
 * does: when they are on, and when they are ready. */
#include "firmware.h"

/* Source: DDI 0479 (timer), DDI 0403 (ITM, NVIC). */
#define TIMER_CTRL REG(0x40000000)
#define TIMER_RELOAD REG(0x40000008)
#define TIMER_INTCLEAR REG(0x4000000c)
#define ITM_PORT(n) (0xe0000000 + 4 * (n))
#define ITM_TER REG(0xe0000e00)
#define ITM_TCR REG(0xe0000e80)
enum { TIMER_IRQ = 8, PORT_TEXT = 0, PORT_ROUND = 1, PORT_HALF = 2 };

volatile uint32_t g_round, g_nested, g_chained, g_preempted, g_told;
volatile struct { uint32_t word; uint16_t half; uint8_t byte, spare; } g_watched;

static int port_is_on(unsigned port)
{
	return (ITM_TCR & 1) != 0 && (ITM_TER >> port & 1) != 0;
}

static void tell_word(unsigned port, uint32_t value)
{
	if (!port_is_on(port))
		return;
	while ((REG(ITM_PORT(port)) & 1) == 0)
		;
	REG(ITM_PORT(port)) = value;
	g_told++;
}

static void tell_text(const char *text)
{
	for (; *text != 0 && port_is_on(PORT_TEXT); text++) {
		while ((REG(ITM_PORT(PORT_TEXT)) & 1) == 0)
			;
		REG8(ITM_PORT(PORT_TEXT)) = (uint8_t)*text;
		g_told++;
	}
}

static void spin(uint32_t n)
{
	while (n-- > 0)
		__asm__ volatile("nop");
}

/* above SysTick: nests where it is pended */
void IRQ0_Handler(void)
{
	g_nested++;
	g_watched.byte++;
}

/* of SysTick's priority: follows it */
void IRQ1_Handler(void)
{
	g_chained++;
	g_watched.half = (uint16_t)(g_watched.half + 3);
}

void SysTick_Handler(void)
{
	NVIC_ISPR = 2;
	if ((g_round & 1) != 0)
		NVIC_ISPR = 1;
	spin(20);
	SCB_ICSR = ICSR_PENDSVSET;
}

/* long, so that the timer and SysTick come in the middle of it */
void PendSV_Handler(void)
{
	for (int i = 0; i < 40; i++) {
		g_watched.word += g_watched.half;
		spin(10);
	}
	g_preempted++;
}

void TIMER0_Handler(void)
{
	TIMER_INTCLEAR = 1;
	spin(5);
}

int main(void)
{
	SCB_SHPR3 = 0x80f00000;			/* SysTick above PendSV */
	NVIC_IPR(0) = 0x8020;			/* IRQ0 above it, IRQ1 beside it */
	NVIC_IPR(TIMER_IRQ / 4) = 0x40;
	NVIC_ISER = 1u << TIMER_IRQ | 3;
	SYST_RVR = 6247 - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	TIMER_RELOAD = 1999 - 1;
	TIMER_CTRL = 9;
	for (;;) {
		g_round++;
		tell_word(PORT_ROUND, g_round);
		if ((g_round & 7) == 0)
			tell_text("ok\n");
		spin(g_round * 37 & 0xff);
		wait_for_interrupt();
	}
}
