/* Variables of every kind that expressions meet; nothing of it ever runs. vars_more.c and vars_cxx.cc go with it. */
#include <stdbool.h>
#include <stdint.h>

typedef unsigned char uint8;
typedef volatile struct motor motor_v;

enum state { IDLE, RUNNING = 5, FAULT = -1 };
enum color { RED = 1, GREEN = 200 };

struct part { uint8_t low, high; };
struct motor {
	uint16_t rpm;
	enum state mode;
	int8_t direction;
	unsigned on : 1, level : 5, : 2;
	int trim : 6;
	union {
		uint32_t raw;
		struct part part;
	};
	float temperature;
	struct motor *next;
	char name[8];
	bool ok;
};
struct __attribute__((packed)) packed { uint8_t first; uint32_t odd; unsigned across : 12, rest : 4; };

struct motor motor = { 1200, RUNNING, -3, 1, 17, -5, { 0x12345678 }, 36.5f, &motor, "left", true };
motor_v motors[3];
struct packed packed = { 1, 0xa0b0c0d0, 0xabc, 9 };
int tab[2][3] = { { 1, 2, 3 }, { -4, 5, 6 } };
volatile enum state g_state = RUNNING;
enum color g_color = GREEN;
float f = 1.5f;
double d = -0.25;
uint64_t big = 0x123456789abcdef0;
int64_t negative = -2;
bool flag = true;
char letter = 'q';
const uint32_t limit = 42;
volatile int32_t number = -7;
volatile uint16_t half = 65535;
const char *text = "hello";
void (*handler)(void);
int *chain;
static volatile int state = 11;

struct hidden;
struct hidden *hidden_one;
extern uint16_t from_assembler;
__asm__(".section .bss.asm,\"aw\",%nobits\n.global from_assembler\n.type from_assembler, %object\n"
	".size from_assembler, 2\nfrom_assembler: .space 2\n"
	".global asm_word\n.type asm_word, %object\n.size asm_word, 4\n.balign 4\nasm_word: .space 4\n"
	".global asm_text\n.type asm_text, %object\n.size asm_text, 40\nasm_text: .space 40\n.text\n");

/* what an OSEK system has, in two ways */
struct tcb { uint8_t prio, flags, left; void *sp; };
struct tcb tcb[2];
uint8_t os_cur;
void (*os_isr)(void);
uint8_t os_svc;
uint32_t stk_init[16], stk10[32];
struct { int running_id; } kern[2];
int mode[2], n, last[4];
struct process { void *sp; int state; } *p[2];

/* an id that a data trace cannot see */
struct task { uint32_t stack; uint8_t id; const char *name; };
struct task tcb_idle = { 0, 0, "idle" }, tcb_control = { 0, 3, "control" }, tcb_io = { 0, 7, "io" };
struct task *pActiveTCB = &tcb_idle;
struct task tasks[4];
uint8_t task_index;

void UART0_Isr(void)
{
	state++;
}

int tick(void)
{
	static volatile int count = 3;

	return ++count + state + (int)limit + from_assembler + (hidden_one != 0);
}
