/* The data of a Zephyr kernel in the middle of its work; see rtos_freertos.c. */
#include <stddef.h>
#include <stdint.h>

struct k_thread;
struct _cpu {
	uint32_t nested;
	char *irq_stack;
	struct k_thread *current, *idle_thread;
	uint8_t id;
};
struct z_kernel {
	struct _cpu cpus[1];
	struct { struct k_thread *cache; } ready_q;
	uint32_t more[3];
	struct k_thread *threads;
};
struct _thread_base {
	void *queue[2];
	void *pended_on;
	uint8_t user_options, thread_state;
	int8_t prio;
	uint8_t sched_locked;
};
struct k_thread {
	struct _thread_base base;
#ifdef USE_SWITCH
	uint32_t more[8];
	void *switch_handle;
#else
	struct { uint32_t r4_r11[8], psp; } callee_saved;
#endif
	void *init_data;
	struct { void (*pEntry)(void *a, void *b, void *c); void *parameter[3]; } entry;
	struct k_thread *next_thread;
	char name[24];
	struct { uint32_t basepri, swap_return_value; uint8_t mode_exc_return; uint32_t iciit_pc, iciit_apsr; float preempt_float[16]; } arch;
};

void main_thread(void *a, void *b, void *c);
void worker(void *a, void *b, void *c);

__attribute__((section(".text.task1"))) void main_thread(void *a, void *b, void *c) { (void)a; (void)b; (void)c; }
__attribute__((section(".text.task2"))) void worker(void *a, void *b, void *c)
{
	(void)a;
	(void)c;
	(void)b;
	__asm__("nop");
}

#ifdef USE_SWITCH
#define SAVED(sp) { 0 }, (void *)(sp)
uint32_t arm_m_switch_stack_buffer = (17 - 8) * 4;
void arm_m_iciit_stub(void);
__attribute__((section(".text.task1"))) void arm_m_iciit_stub(void) { __asm__("udf #0"); }
#else
#define SAVED(sp) { { 0 }, sp }
#endif

extern struct k_thread z_main_thread, z_idle_threads[1], logging, unnamed;
#define THREAD(state, priority, sp, entry_point, next, text) \
	{ { { 0, 0 }, 0, 0, state, priority, 0 }, SAVED(sp), 0, { entry_point, { 0 } }, next, text, { 0, 0, 0xfd, 0, 0, { 0 } } }
struct k_thread z_main_thread = THREAD(0x00, 0, 0x20000900, main_thread, &z_idle_threads[0], "main");
struct k_thread z_idle_threads[1] = { THREAD(0x80, 15, 0x20000a00, 0, &logging, "idle") };
struct k_thread logging = THREAD(0x02, -2, 0x20000b00, worker, &unnamed, "logging");
struct k_thread unnamed = THREAD(0x10, 7, 0x20000c00, worker, 0, "");

struct z_kernel _kernel = { { { 0, 0, &z_main_thread, &z_idle_threads[0], 0 } }, { &z_main_thread }, { 0 },
			    &z_main_thread };

const size_t _kernel_thread_info_offsets[] = {
	1, offsetof(struct _cpu, current), offsetof(struct z_kernel, threads), offsetof(struct k_thread, entry.pEntry),
	offsetof(struct k_thread, next_thread), offsetof(struct k_thread, base.thread_state),
	offsetof(struct k_thread, base.user_options), offsetof(struct k_thread, base.prio),
#ifdef USE_SWITCH
	UINT32_MAX,
#else
	offsetof(struct k_thread, callee_saved.psp),
#endif
	offsetof(struct k_thread, name), offsetof(struct k_thread, arch),
	20, UINT32_MAX, 8, UINT32_MAX,
};
const size_t _kernel_thread_info_num_offsets = sizeof(_kernel_thread_info_offsets) / sizeof(size_t);
const uint8_t _kernel_thread_info_size_t_size = sizeof(size_t);
