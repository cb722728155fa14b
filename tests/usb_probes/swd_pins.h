/* The debug port behind SWCLK and SWDIO, a call for each cycle. It wakes up as JTAG and wants to be switched; a request
 * with a wrong parity or stop bit, or data with a wrong parity, silences it until the next line reset, as the protocol
 * says. Source: ARM IHI 0031, B4 (SWD), B5.3 (switching). */
#ifndef PT_TESTS_FOREIGN_SWD_PINS_H
#define PT_TESTS_FOREIGN_SWD_PINS_H

#include <stdbool.h>
#include <stdint.h>

void swd_power_on(void);
/* What SWDIO shows in front of the next rising edge while the host lets it go; true: pulled up. */
bool swd_level(void);
/* One cycle; driven: the host holds the wire at level. */
void swd_clock(bool driven, bool level);

struct swd_counts {
	uint64_t cycles, protocol_errors;
};
extern struct swd_counts swd_counts;

#endif
