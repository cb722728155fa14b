/* The built-in demo of the virtual cm4, a motor controller: the timer samples every 100 us and runs the control loop in
 * floating point, SysTick gives the beat of 1 ms at 25 MHz, PendSV filters what the timer has sampled, and main works on
 * a block of samples and sleeps until the next beat. Each function counts its own calls in g_calls, so that a profile
 * can be checked against the truth. Functions that interrupts use are used by nobody else. */
#include "firmware.h"

#define FUNCTIONS(X)                                                                                                  \
	X(main) X(fpu_on) X(beat_start) X(timer_start) X(uart_start) X(uart_put) X(uart_text) X(uart_number) X(noise)  \
	X(current_read) X(clamp) X(controller) X(window) X(power) X(correlate) X(transform) X(classify) X(checksum)    \
	X(fibonacci) X(sleep_until_beat) X(filter_step) X(TIMER0_Handler) X(SysTick_Handler) X(PendSV_Handler)

#define X(function) CALL_##function,
enum call { FUNCTIONS(X) N_CALLS };
#undef X

#define COUNT(function) (g_calls[CALL_##function]++)
#define NOINLINE __attribute__((noinline, noclone))

enum { N_SAMPLES = 32, BEATS_PER_REPORT = 64 };

volatile uint32_t g_calls[N_CALLS];
volatile uint32_t g_beats, g_ticks;
volatile float g_current, g_output, g_filtered;
static float samples[N_SAMPLES], spectrum[N_SAMPLES / 2];
static uint32_t seed = 12345;

/* Arm CMSDK on MPS2. Source: DDI 0479. */
#define CPACR REG(0xe000ed88)
#define TIMER_CTRL REG(0x40000000)
#define TIMER_RELOAD REG(0x40000008)
#define TIMER_INTCLEAR REG(0x4000000c)
#define UART_DATA REG(0x40004000)
#define UART_STATE REG(0x40004004)
#define UART_CTRL REG(0x40004008)
#define UART_BAUDDIV REG(0x40004010)
enum { TIMER_IRQ = 8 };

static NOINLINE void fpu_on(void)
{
	COUNT(fpu_on);
	CPACR |= 0xf << 20;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

static NOINLINE void beat_start(void)
{
	COUNT(beat_start);
	SCB_SHPR3 = 0x80c00000;		/* SysTick above PendSV */
	SYST_RVR = 25000 - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
}

static NOINLINE void timer_start(void)
{
	COUNT(timer_start);
	TIMER_RELOAD = 2500 - 1;
	TIMER_CTRL = 9;
	NVIC_IPR(TIMER_IRQ / 4) = 0;
	NVIC_ISER = 1u << TIMER_IRQ;
}

static NOINLINE void uart_start(void)
{
	COUNT(uart_start);
	UART_BAUDDIV = 217;		/* 115200 baud */
	UART_CTRL = 1;
}

static NOINLINE void uart_put(char c)
{
	COUNT(uart_put);
	while ((UART_STATE & 1) != 0)
		;
	UART_DATA = (uint8_t)c;
}

static NOINLINE void uart_text(const char *text)
{
	COUNT(uart_text);
	while (*text != 0)
		uart_put(*text++);
}

static NOINLINE void uart_number(uint32_t value)
{
	char text[12];
	int at = sizeof(text) - 1;

	COUNT(uart_number);
	text[at] = 0;
	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	uart_text(text + at);
}

/* --- the control loop, in the timer's interrupt */

static NOINLINE uint32_t noise(void)
{
	COUNT(noise);
	seed = seed * 1664525u + 1013904223u;
	return seed >> 24;
}

static NOINLINE float current_read(void)
{
	COUNT(current_read);
	return (float)noise() * (1.0f / 256.0f) + 0.5f * g_output;
}

static NOINLINE float clamp(float value, float limit)
{
	COUNT(clamp);
	if (value > limit)
		return limit;
	return value < -limit ? -limit : value;
}

static NOINLINE float controller(float error)
{
	static float integral;

	COUNT(controller);
	integral = clamp(integral + 0.01f * error, 1.0f);
	return clamp(0.5f * error + integral, 2.0f);
}

void TIMER0_Handler(void);
void TIMER0_Handler(void)
{
	COUNT(TIMER0_Handler);
	TIMER_INTCLEAR = 1;
	g_ticks++;
	g_current = current_read();
	g_output = controller(1.0f - g_current);
	SCB_ICSR = ICSR_PENDSVSET;
}

static NOINLINE float filter_step(float value)
{
	static float z1, z2;
	float w = value - 0.3f * z1 - 0.2f * z2, y = 0.2f * w + 0.4f * z1 + 0.2f * z2;

	COUNT(filter_step);
	z2 = z1;
	z1 = w;
	return y;
}

void PendSV_Handler(void);
void PendSV_Handler(void)
{
	COUNT(PendSV_Handler);
	g_filtered = filter_step(g_current);
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
	COUNT(SysTick_Handler);
	g_beats++;
}

/* --- the analysis, in main */

static NOINLINE void window(void)
{
	COUNT(window);
	for (int i = N_SAMPLES - 1; i > 0; i--)
		samples[i] = samples[i - 1];
	samples[0] = g_filtered;
}

static NOINLINE float power(void)
{
	float sum = 0;

	COUNT(power);
	for (int i = 0; i < N_SAMPLES; i++)
		sum += samples[i] * samples[i];
	return sum;
}

static NOINLINE float correlate(int lag)
{
	float sum = 0;

	COUNT(correlate);
	for (int i = lag; i < N_SAMPLES; i++)
		sum += samples[i] * samples[i - lag];
	return sum;
}

static NOINLINE void transform(void)
{
	COUNT(transform);
	for (int lag = 0; lag < N_SAMPLES / 2; lag++)
		spectrum[lag] = correlate(lag);
}

static NOINLINE int classify(float value)
{
	COUNT(classify);
	switch ((int)(value * 4.0f) & 7) {
	case 0: return 3;
	case 1: return 17;
	case 2: return 5;
	case 3: return 11;
	case 4: return 2;
	case 5: return 29;
	case 6: return 7;
	default: return 13;
	}
}

static NOINLINE uint32_t checksum(const void *block, uint32_t n_bytes)
{
	const uint8_t *at = block;
	uint32_t a = 1, b = 0;

	COUNT(checksum);
	while (n_bytes-- > 0) {
		a = (a + *at++) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

__attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"))) static uint32_t fibonacci(uint32_t n)
{
	COUNT(fibonacci);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE void sleep_until_beat(uint32_t seen)
{
	COUNT(sleep_until_beat);
	interrupts_off();
	while (g_beats == seen) {
		wait_for_interrupt();
		interrupts_on();
		interrupts_off();
	}
	interrupts_on();
}

volatile uint32_t g_result;

int main(void)
{
	uint32_t seen = 0;

	fpu_on();
	COUNT(main);
	uart_start();
	timer_start();
	beat_start();
	for (;;) {
		window();
		transform();
		g_result = checksum(spectrum, sizeof(spectrum)) + fibonacci(6) + (uint32_t)classify(power());
		if (g_beats % BEATS_PER_REPORT == 0) {
			uart_text("beat ");
			uart_number(g_beats);
			uart_text("\r\n");
		}
		sleep_until_beat(seen);
		seen = g_beats;
	}
}

/* Whose counter is which: g_call_function[i] counts in g_calls[i]. Ends with 0. */
#define X(function) (const void *)function,
__attribute__((used)) const void *const g_call_function[N_CALLS + 1] = { FUNCTIONS(X) };
#undef X
