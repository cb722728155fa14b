/* Model of the APB UART of Arm's Cortex-M System Design Kit (DDI 0479, 4.6), as far as firmware that writes text needs
 * it: a transmitter with one byte of buffer, in its time. Nothing is received. */
#ifndef PT_VIRTUAL_UNIT_CMSDK_UART_H
#define PT_VIRTUAL_UNIT_CMSDK_UART_H

#include "probes/virtual/frame/wires.h"

enum { PT_VCMSDK_UART_LOG_BYTES = 4096 };

struct pt_vcmsdk_uart {
	const struct pt_vwires *wires;
	uint32_t ctrl, divider;
	uint64_t idle_cycle;		/* when the last byte has left the shifter */
	uint64_t n_sent, n_overrun;	/* bytes since power-on: sent; written into a full transmitter */
	char log[PT_VCMSDK_UART_LOG_BYTES];	/* what was sent, until full */
};

extern const struct pt_vunit_ops pt_vcmsdk_uart_ops;	/* a 4 KiB page; the unit is a struct pt_vcmsdk_uart */

void pt_vcmsdk_uart_init(struct pt_vcmsdk_uart *uart, const struct pt_vwires *wires);

#endif
