/* The data of a uC/OS-III kernel in the middle of its work; see rtos_freertos.c. */
#include <stdint.h>

typedef struct os_tcb {
	uint32_t *StkPtr;
	void *ExtPtr;
	const char *NamePtr;
	struct os_tcb *NextPtr, *PrevPtr, *DbgPrevPtr, *DbgNextPtr;
	uint8_t TaskState, Prio;
} OS_TCB;

extern OS_TCB OSIdleTaskTCB, OSTickTaskTCB, AppTCB;
OS_TCB AppTCB = { (uint32_t *)0x20000900, 0, "App Task", 0, 0, 0, &OSTickTaskTCB, 0, 5 };
OS_TCB OSTickTaskTCB = { (uint32_t *)0x20000a00, 0, "uC/OS-III Tick Task", 0, 0, &AppTCB, &OSIdleTaskTCB, 2, 1 };
OS_TCB OSIdleTaskTCB = { (uint32_t *)0x20000b00, 0, "uC/OS-III Idle Task", 0, 0, &OSTickTaskTCB, 0, 0, 31 };
OS_TCB *OSTCBCurPtr = &AppTCB, *OSTCBHighRdyPtr = &AppTCB, *OSTaskDbgListPtr = &AppTCB;
uint8_t OSRunning = 1;
