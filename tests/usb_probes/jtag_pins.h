/* The debug port as a TAP of JTAG, a call for each cycle of TCK. Source: IEEE 1149.1; ARM IHI 0031, B3 (JTAG-DP). */
#ifndef PT_TESTS_FOREIGN_JTAG_PINS_H
#define PT_TESTS_FOREIGN_JTAG_PINS_H

#include <stdbool.h>

void jtag_power_on(void);
bool jtag_tdo(void);			/* in front of the next rising edge */
void jtag_clock(bool tms, bool tdi);

#endif
