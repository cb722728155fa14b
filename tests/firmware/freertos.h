/* The structures of a FreeRTOS kernel (V10, one core, no MPU), as far as their members are known to debuggers; and lists that
 * are made as data. */
#ifndef FREERTOS_H
#define FREERTOS_H

#include <stdint.h>

struct xLIST;
struct xLIST_ITEM {
	uint32_t xItemValue;
	struct xLIST_ITEM *pxNext, *pxPrevious;
	void *pvOwner;
	struct xLIST *pxContainer;
};
struct xMINI_LIST_ITEM { uint32_t xItemValue; struct xLIST_ITEM *pxNext, *pxPrevious; };
typedef struct xLIST {
	volatile uint32_t uxNumberOfItems;
	struct xLIST_ITEM *pxIndex;
	struct xMINI_LIST_ITEM xListEnd;
} List_t;
typedef struct tskTaskControlBlock {
	volatile uint32_t *pxTopOfStack;
	struct xLIST_ITEM xStateListItem, xEventListItem;
	uint32_t uxPriority;
	uint32_t *pxStack;
	char pcTaskName[16];
	uint32_t uxTCBNumber;
	volatile uint8_t ucNotifyState[2];
} TCB_t;

#define END(list) ((struct xLIST_ITEM *)&(list).xListEnd)
#define EMPTY(list) { 0, END(list), { UINT32_MAX, END(list), END(list) } }

#endif
