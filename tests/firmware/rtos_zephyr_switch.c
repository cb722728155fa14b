/* The same kernel with CONFIG_USE_SWITCH. */
#define USE_SWITCH
#include "rtos_zephyr.c"
