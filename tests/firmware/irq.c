/* Exceptions on what the KL27 and QEMU's microbit both have: SysTick, SVC, PendSV, faults, and external interrupts that
 * software pends. Each handler notes itself in g_order, so that the order of nesting and tail-chaining can be checked;
 * a part whose order does not depend on time is compared with the expected one. Ends in irq_passed or irq_failed. */
#include "firmware.h"

enum { BEATS = 40, N_ORDER = 64 };

volatile uint32_t g_beats, g_pendsvs, g_svcs, g_faults, g_low;
volatile uint8_t g_order[N_ORDER];
volatile uint32_t g_n_order;
static volatile uint32_t work;

void irq_passed(void);
void irq_failed(void);
void HardFault_Handler(void);
void hardfault(uint32_t *frame);
void svc(uint32_t *frame);
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void IRQ0_Handler(void);
void IRQ1_Handler(void);
void IRQ2_Handler(void);
void IRQ3_Handler(void);

static void note(char what)
{
	if (g_n_order < N_ORDER)
		g_order[g_n_order++] = (uint8_t)what;
}

__attribute__((noinline)) static uint32_t busy(uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		work += i ^ work << 1;
	return work;
}

/* Handlers in C get the frame of whoever was interrupted: bit 2 of EXC_RETURN says which stack it is on. */
#define FRAME_HANDLER(name, handler)			\
	__attribute__((naked)) void name(void)		\
	{						\
		__asm__("mov	r0, lr\n\t"		\
			"lsls	r0, r0, #29\n\t"	\
			"mrs	r0, msp\n\t"		\
			"bpl	1f\n\t"			\
			"mrs	r0, psp\n\t"		\
			"1:	ldr	r1, =" #handler "\n\t"	\
			"bx	r1\n\t"			\
			".ltorg");			\
	}

FRAME_HANDLER(HardFault_Handler, hardfault)
FRAME_HANDLER(SVC_Handler, svc)

/* Skip the instruction that cannot be executed; all that do this here are 16 bits. */
void hardfault(uint32_t *frame)
{
	note('!');
	g_faults++;
	frame[6] += 2;
	frame[7] |= 1u << 24;
}

/* svc #n asks for n to be pended; the frame's r0 comes back doubled. */
void svc(uint32_t *frame)
{
	uint32_t number = *(const uint8_t *)(frame[6] - 2);

	note('s');
	g_svcs++;
	frame[0] *= 2;
	if (number == 1)
		SCB_ICSR = ICSR_PENDSVSET;
	else if (number > 1)
		NVIC_ISPR = number;
	__asm__ volatile("dsb\n\tisb");
	note('S');
}

void PendSV_Handler(void)
{
	note('p');
	g_pendsvs++;
	busy(20);
}

void SysTick_Handler(void)
{
	g_beats++;
	SCB_ICSR = ICSR_PENDSVSET;
	if ((g_beats & 3) == 3)
		NVIC_ISPR = 0xc;
	busy(g_beats & 7);
}

/* Most urgent. */
void IRQ0_Handler(void)
{
	note('0');
}

/* Pends a more urgent and a less urgent one. */
void IRQ1_Handler(void)
{
	note('1');
	NVIC_ISPR = 5;
	__asm__ volatile("dsb\n\tisb");
	note('l');
}

void IRQ2_Handler(void)
{
	note('2');
	g_low++;
}

void IRQ3_Handler(void)
{
	note('3');
	g_low++;
	busy(10);
}

static uint32_t ask(uint32_t value)
{
	register uint32_t r0 __asm__("r0") = value;

	__asm__ volatile("svc	#1" : "+r"(r0) :: "memory");
	return r0;
}

static void faults(void)
{
	uint32_t sink = 0;

	__asm__ volatile("udf	#1");
	__asm__ volatile("cpsid	i\n\tsvc	#3\n\tnop\n\tcpsie	i");	/* cannot be taken: the NOP is skipped */
	__asm__ volatile("ldr	%0, [%1]" : "=l"(sink) : "l"(0x20000001));
	__asm__ volatile("strh	%0, [%1]" :: "l"(sink), "l"(0x20000003));
}

/* The order that priorities give, whatever the clock does. */
static const char expected[] = "1" "0" "l" "2" "3" "sSp" "s1" "0" "lS2" "!!!!";

static int in_order(void)
{
	for (uint32_t i = 0; i < sizeof(expected) - 1; i++)
		if (g_order[i] != (uint8_t)expected[i])
			return 0;
	return g_n_order == sizeof(expected) - 1;
}

static void fixed_order(void)
{
	interrupts_off();
	NVIC_ISPR = 0xa;	/* 1 and 3: 1 goes first and pends 0 and 2 */
	interrupts_on();
	__asm__ volatile("isb");
	if (ask(21) != 42)
		irq_failed();
	__asm__ volatile("svc	#2" ::: "memory");	/* pends 1 from within */
	faults();
}

__attribute__((noinline)) void irq_passed(void)
{
	for (;;)
		__asm__ volatile("nop");
}

__attribute__((noinline)) void irq_failed(void)
{
	for (;;)
		__asm__ volatile("yield");
}

/* Thread mode on the process stack from here on, so that frames lie on both. */
static void use_process_stack(void)
{
	static uint64_t stack[64];

	__asm__ volatile("msr	psp, %0\n\tmsr	control, %1\n\tisb" :: "r"(stack + 64), "r"(2) : "memory");
}

__attribute__((noinline)) static void beat(void)
{
	SYST_RVR = 700 - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	while (g_beats < BEATS) {
		busy(g_beats & 15);
		ask(g_beats);
		if (g_beats > BEATS / 2)
			wait_for_interrupt();
	}
	SYST_CSR = 0;
}

int main(void)
{
	SCB_SHPR2 = 0x80000000;		/* SVCall */
	SCB_SHPR3 = 0x40c00000;		/* SysTick 0x40, PendSV 0xc0 */
	NVIC_IPR(0) = 0x80804000;	/* 0: 0x00, 1: 0x40, 2 and 3: 0x80 */
	NVIC_ISER = 0xf;
	fixed_order();
	if (!in_order())
		irq_failed();
	use_process_stack();
	beat();
	if (g_faults != 4)
		irq_failed();
	irq_passed();
	return 0;
}
