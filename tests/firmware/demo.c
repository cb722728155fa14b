/* The built-in demo of the virtual KL27: a small data logger. SysTick gives the beat (1 ms at 48 MHz), a state machine
 * samples, filters, analyses and reports, PendSV does the slow half of the timer interrupt, and the core sleeps in
 * between. Each function counts its own calls in g_calls, so that a profile can be checked against the truth.
 *
 * Functions that interrupts use are used by nobody else: an increment is three instructions. */
#include "firmware.h"

#define FUNCTIONS(X)                                                                                                  \
	X(main) X(clock_start) X(beat_start) X(timer_start) X(uart_start) X(uart_put) X(uart_text) X(uart_number)     \
	X(divide) X(noise) X(sample_read) X(sample_store) X(copy_words) X(fill_words) X(filter_average)               \
	X(filter_median) X(sort_values) X(order_up) X(order_down) X(fibonacci) X(crc_byte) X(crc_block)               \
	X(matrix_cell) X(matrix_multiply) X(square_root) X(forward) X(deliver) X(state_idle) X(state_sample)          \
	X(state_filter) X(state_report) X(state_step) X(sleep_until_beat) X(ring_put) X(ring_get)                     \
	X(ramp_next) X(SysTick_Handler) X(PIT_IRQHandler) X(PendSV_Handler)

#define X(function) CALL_##function,
enum call { FUNCTIONS(X) N_CALLS };
#undef X

#define COUNT(function) (g_calls[CALL_##function]++)
#define NOINLINE __attribute__((noinline, noclone))

enum state { STATE_IDLE, STATE_SAMPLE, STATE_FILTER, STATE_REPORT, N_STATES };
enum { N_SAMPLES = 16, RING_WORDS = 32, BEATS_PER_REPORT = 64 };

volatile uint32_t g_calls[N_CALLS];
volatile enum state g_state;
volatile uint32_t g_beats, g_timer_ticks, g_result;
static uint32_t samples[N_SAMPLES], sorted[N_SAMPLES], seed = 12345;
static volatile uint32_t ring[RING_WORDS], ring_head, ring_tail;
static uint32_t matrix[3][4][4];

/* KL27 peripherals. Source: KL27 Sub-Family RM. */
#define SIM_SCGC5 REG(0x40048038)
#define SIM_SCGC6 REG(0x4004803c)
#define SIM_COPC REG8(0x40048100)
#define PIT_MCR REG(0x40037000)
#define PIT_LDVAL0 REG(0x40037100)
#define PIT_TCTRL0 REG(0x40037108)
#define PIT_TFLG0 REG(0x4003710c)
#define LPUART0_BAUD REG(0x40054000)
#define LPUART0_STAT REG(0x40054004)
#define LPUART0_CTRL REG(0x40054008)
#define LPUART0_DATA REG(0x4005400c)
enum { PIT_IRQ = 22, STAT_TDRE = 1 << 23, CTRL_TE = 1 << 19 };

static NOINLINE void clock_start(void)
{
	COUNT(clock_start);
	SIM_COPC = 0;			/* watchdog off */
	SIM_SCGC5 |= 1 << 20;		/* LPUART0 */
	SIM_SCGC6 |= 1 << 23;		/* PIT */
}

static NOINLINE void beat_start(void)
{
	COUNT(beat_start);
	SCB_SHPR3 = 0x80c00000;		/* SysTick above PendSV */
	SYST_RVR = 48000 - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
}

/* 24 MHz bus clock: every 250 us, most urgent. */
static NOINLINE void timer_start(void)
{
	COUNT(timer_start);
	PIT_MCR = 0;
	PIT_LDVAL0 = 6000 - 1;
	PIT_TCTRL0 = 3;
	NVIC_IPR(PIT_IRQ / 4) = 0;
	NVIC_ISER = 1u << PIT_IRQ;
}

/* 115200 baud from 48 MHz: 16 samples per bit. */
static NOINLINE void uart_start(void)
{
	COUNT(uart_start);
	LPUART0_BAUD = 15 << 24 | 26;
	LPUART0_CTRL = CTRL_TE;
}

static NOINLINE void uart_put(char c)
{
	COUNT(uart_put);
	while ((LPUART0_STAT & STAT_TDRE) == 0)
		;
	LPUART0_DATA = (uint8_t)c;
}

static NOINLINE void uart_text(const char *text)
{
	COUNT(uart_text);
	while (*text != 0)
		uart_put(*text++);
}

/* Shift and subtract; the remainder goes to *rest. */
static NOINLINE uint32_t divide(uint32_t value, uint32_t by, uint32_t *rest)
{
	uint32_t quotient = 0, remainder = 0;

	COUNT(divide);
	for (int bit = 31; bit >= 0; bit--) {
		remainder = remainder << 1 | (value >> bit & 1);
		if (remainder >= by) {
			remainder -= by;
			quotient |= 1u << bit;
		}
	}
	*rest = remainder;
	return quotient;
}

static NOINLINE void uart_number(uint32_t value)
{
	char text[12];
	int at = sizeof(text) - 1;
	uint32_t digit;

	COUNT(uart_number);
	text[at] = 0;
	do {
		value = divide(value, 10, &digit);
		text[--at] = (char)('0' + digit);
	} while (value != 0);
	uart_text(text + at);
}

static NOINLINE uint32_t noise(void)
{
	COUNT(noise);
	seed = seed * 1664525u + 1013904223u;
	return seed >> 24;
}

static NOINLINE uint32_t ring_get(void)
{
	uint32_t value = 0;

	COUNT(ring_get);
	if (ring_tail != ring_head) {
		value = ring[ring_tail % RING_WORDS];
		ring_tail++;
	}
	return value;
}

static NOINLINE uint32_t sample_read(void)
{
	COUNT(sample_read);
	return noise() + ring_get();
}

static NOINLINE void copy_words(uint32_t *to, const uint32_t *from, uint32_t n)
{
	COUNT(copy_words);
	while (n-- > 0)
		*to++ = *from++;
}

static NOINLINE void fill_words(uint32_t *to, uint32_t value, uint32_t n)
{
	COUNT(fill_words);
	while (n-- > 0)
		*to++ = value;
}

static NOINLINE void sample_store(uint32_t value)
{
	COUNT(sample_store);
	copy_words(samples, samples + 1, N_SAMPLES - 1);
	samples[N_SAMPLES - 1] = value;
}

static NOINLINE uint32_t filter_average(void)
{
	uint32_t sum = 0;

	COUNT(filter_average);
	for (int i = 0; i < N_SAMPLES; i++)
		sum += samples[i];
	return sum / N_SAMPLES;
}

static NOINLINE int order_up(uint32_t a, uint32_t b)
{
	COUNT(order_up);
	return a > b;
}

static NOINLINE int order_down(uint32_t a, uint32_t b)
{
	COUNT(order_down);
	return a < b;
}

/* Insertion sort; misplaced says whether its arguments must change places. */
static NOINLINE void sort_values(uint32_t *value, int n, int (*misplaced)(uint32_t, uint32_t))
{
	COUNT(sort_values);
	for (int i = 1; i < n; i++) {
		uint32_t moving = value[i];
		int at = i;

		for (; at > 0 && misplaced(value[at - 1], moving); at--)
			value[at] = value[at - 1];
		value[at] = moving;
	}
}

static NOINLINE uint32_t filter_median(void)
{
	COUNT(filter_median);
	copy_words(sorted, samples, N_SAMPLES);
	sort_values(sorted, N_SAMPLES, (g_beats & 1) != 0 ? order_up : order_down);
	return sorted[N_SAMPLES / 2];
}

/* Both calls stay calls, so that counter and trace agree on what an invocation is. */
__attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"))) static uint32_t fibonacci(uint32_t n)
{
	COUNT(fibonacci);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
	COUNT(crc_byte);
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	return crc;
}

static NOINLINE uint32_t crc_block(const void *block, uint32_t n_bytes)
{
	const uint8_t *at = block;
	uint32_t crc = 0xffffffff;

	COUNT(crc_block);
	while (n_bytes-- > 0)
		crc = crc_byte(crc, *at++);
	return ~crc;
}

static NOINLINE uint32_t matrix_cell(int row, int column)
{
	uint32_t sum = 0;

	COUNT(matrix_cell);
	for (int i = 0; i < 4; i++)
		sum += matrix[0][row][i] * matrix[1][i][column];
	return sum;
}

static NOINLINE void matrix_multiply(void)
{
	COUNT(matrix_multiply);
	for (int row = 0; row < 4; row++)
		for (int column = 0; column < 4; column++)
			matrix[2][row][column] = matrix_cell(row, column);
	copy_words(matrix[0][0], matrix[2][0], 16);
	fill_words(matrix[1][0], g_beats, 16);
}

static NOINLINE uint32_t square_root(uint32_t value)
{
	uint32_t root = 0;

	COUNT(square_root);
	for (uint32_t bit = 1u << 15; bit != 0; bit >>= 1)
		if ((root + bit) * (root + bit) <= value)
			root += bit;
	return root;
}

NOINLINE static uint32_t deliver(uint32_t value)
{
	COUNT(deliver);
	g_result = value;
	return value ^ g_beats;
}

/* Ends in a tail call, which the compiler does not make of Thumb-1 code: deliver returns to forward's caller. */
__attribute__((naked, noinline)) static uint32_t forward(__attribute__((unused)) uint32_t value)
{
	__asm__ volatile("ldr	r2, =g_calls\n\t"
			 "ldr	r3, [r2, %0]\n\t"
			 "adds	r3, #1\n\t"
			 "str	r3, [r2, %0]\n\t"
			 "adds	r0, #1\n\t"
			 "b	%c1\n\t"
			 ".ltorg" :: "i"(4 * CALL_forward), "i"(deliver));
}

static NOINLINE enum state state_idle(void)
{
	COUNT(state_idle);
	return STATE_SAMPLE;
}

static NOINLINE enum state state_sample(void)
{
	COUNT(state_sample);
	for (int i = 0; i < 4; i++)
		sample_store(sample_read());
	return STATE_FILTER;
}

static NOINLINE enum state state_filter(void)
{
	uint32_t mean, spread;

	COUNT(state_filter);
	mean = filter_average();
	spread = filter_median();
	g_result = square_root(mean * mean + spread * spread);
	matrix_multiply();
	return g_beats % BEATS_PER_REPORT == 0 ? STATE_REPORT : STATE_IDLE;
}

static NOINLINE enum state state_report(void)
{
	COUNT(state_report);
	uart_text("beat ");
	uart_number(g_beats);
	uart_text("\r\n");
	return STATE_IDLE;
}

static NOINLINE void state_step(void)
{
	static enum state (*const enter[N_STATES])(void) = {
		[STATE_IDLE] = state_idle, [STATE_SAMPLE] = state_sample,
		[STATE_FILTER] = state_filter, [STATE_REPORT] = state_report,
	};

	COUNT(state_step);
	g_state = enter[g_state]();
}

/* Interrupts are off between the question and WFI: a beat in between still wakes it. */
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

static NOINLINE uint32_t ramp_next(uint32_t ticks)
{
	COUNT(ramp_next);
	return ticks * 3 & 0x3f;
}

static NOINLINE void ring_put(uint32_t value)
{
	COUNT(ring_put);
	if (ring_head - ring_tail < RING_WORDS) {
		ring[ring_head % RING_WORDS] = value;
		ring_head++;
	}
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
	COUNT(SysTick_Handler);
	g_beats++;
}

void PIT_IRQHandler(void);
void PIT_IRQHandler(void)
{
	COUNT(PIT_IRQHandler);
	PIT_TFLG0 = 1;
	g_timer_ticks++;
	SCB_ICSR = ICSR_PENDSVSET;
}

void PendSV_Handler(void);
void PendSV_Handler(void)
{
	COUNT(PendSV_Handler);
	ring_put(ramp_next(g_timer_ticks));
}

int main(void)
{
	uint32_t seen = 0;

	COUNT(main);
	clock_start();
	uart_start();
	timer_start();
	beat_start();
	for (;;) {
		for (int i = 0; i < 3; i++)
			state_step();
		forward(crc_block(samples, sizeof(samples)) + fibonacci(12));
		sleep_until_beat(seen);
		seen = g_beats;
	}
}

/* Whose counter is which: g_call_function[i] counts in g_calls[i]. Ends with 0. */
#define X(function) (const void *)function,
__attribute__((used)) const void *const g_call_function[N_CALLS + 1] = { FUNCTIONS(X) };
#undef X
