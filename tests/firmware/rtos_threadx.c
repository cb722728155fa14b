/* The data of a ThreadX kernel in the middle of its work; see rtos_freertos.c. */
#include <stdint.h>

typedef struct TX_THREAD_STRUCT {
	uint32_t tx_thread_id, tx_thread_run_count;
	void *tx_thread_stack_ptr, *tx_thread_stack_start, *tx_thread_stack_end;
	uint32_t tx_thread_stack_size, tx_thread_time_slice, tx_thread_new_time_slice;
	struct TX_THREAD_STRUCT *tx_thread_ready_next, *tx_thread_ready_previous;
	const char *tx_thread_name;
	uint32_t tx_thread_priority, tx_thread_state, delayed_suspend, suspending, preempt_threshold, hook;
	void (*tx_thread_entry)(uint32_t);
	uint32_t unused[16];
	struct TX_THREAD_STRUCT *tx_thread_created_next, *tx_thread_created_previous;
} TX_THREAD;
_Static_assert(__builtin_offsetof(TX_THREAD, tx_thread_created_next) == 136, "as the sources have it");

extern TX_THREAD timer, producer, consumer;
#define THREAD(sp, name, priority, state, next, previous)                                                              \
	{                                                                                                              \
		0x54485244, 7, (void *)(sp), 0, 0, 512, 0, 0, 0, 0, name, priority, state, 0, 0, priority, 0, 0,       \
			{ 0 }, next, previous                                                                          \
	}
TX_THREAD timer = THREAD(0x20000900, "System Timer Thread", 0, 3, &producer, &consumer);
TX_THREAD producer = THREAD(0x20000a00, "producer", 5, 0, &consumer, &timer);
TX_THREAD consumer = THREAD(0x20000b00, "consumer", 4, 5, &timer, &producer);

TX_THREAD *_tx_thread_current_ptr = &producer, *_tx_thread_execute_ptr = &producer, *_tx_thread_created_ptr = &timer;
uint32_t _tx_thread_created_count = 3;
volatile uint32_t _tx_thread_system_state;
