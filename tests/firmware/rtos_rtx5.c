/* The data of an RTX5 kernel in the middle of its work; see rtos_freertos.c. */
#include <stdint.h>

typedef struct osRtxThread_s {
	uint8_t id, state, flags, attr;
	const char *name;
	struct osRtxThread_s *thread_next, *thread_prev, *delay_next, *delay_prev, *thread_join;
	uint32_t delay;
	int8_t priority, priority_base;
	uint8_t stack_frame, flags_options;
	uint32_t wait_flags, thread_flags;
	void *mutex_list, *stack_mem;
	uint32_t stack_size, sp, thread_addr, tz_memory;
} osRtxThread_t;
_Static_assert(__builtin_offsetof(osRtxThread_t, sp) == 56, "as the sources have it");

typedef struct {
	const char *os_id;
	uint32_t version;
	struct { uint8_t state, blocked, pendSV, reserved; uint32_t tick; } kernel;
	int32_t tick_irqn;
	struct {
		struct { osRtxThread_t *curr, *next; } run;
		struct { uint8_t id, state, flags, attr; const char *name; osRtxThread_t *thread_list; } ready;
		osRtxThread_t *idle, *delay_list, *wait_list, *terminate_list;
	} thread;
} osRtxInfo_t;
_Static_assert(__builtin_offsetof(osRtxInfo_t, thread.run.curr) == 20, "as the sources have it");
_Static_assert(__builtin_offsetof(osRtxInfo_t, thread.wait_list) == 48, "as the sources have it");

extern osRtxThread_t app_main, idle, blinky, sleepy, waiter;
#define THREAD(state, name, next, delayed, priority, sp) \
	{ 0xf1, state, 0, 0, name, next, 0, delayed, 0, 0, 0, priority, priority, 0xfd, 0, 0, 0, 0, 0, 256, sp, 0, 0 }
osRtxThread_t app_main = THREAD(2, "app_main", 0, 0, 24, 0x20000900);
osRtxThread_t blinky = THREAD(1, "blinky", &idle, 0, 16, 0x20000a00);
osRtxThread_t idle = THREAD(1, "osRtxIdleThread", 0, 0, 1, 0x20000b00);
osRtxThread_t sleepy = THREAD(0x13, 0, 0, 0, 24, 0x20000c00);
osRtxThread_t waiter = THREAD(0x83, "waiter", 0, 0, -3, 0x20000d00);

osRtxInfo_t osRtxInfo = {
	"RTX V5.5.4", 50050004, { 2, 0, 0, 0, 1000 }, -1,
	{ { &app_main, &app_main }, { 0, 0, 0, 0, 0, &blinky }, &idle, &sleepy, &waiter, 0 },
};
