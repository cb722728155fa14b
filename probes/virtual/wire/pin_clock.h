/* The time that clocks on a cable take, without rounding that adds up: for models of SWD and JTAG pins. */
#ifndef PT_VIRTUAL_WIRE_PIN_CLOCK_H
#define PT_VIRTUAL_WIRE_PIN_CLOCK_H

#include <stdint.h>

struct pt_vclock {
	uint32_t hz;			/* 1 or more */
	uint64_t ns, clocks, remainder;	/* time = ns + (clocks * 1e9 + remainder) / hz */
};

uint64_t pt_vclock_now_ns(struct pt_vclock *clock);	/* the link's time at which the pins are */
void pt_vclock_idle_until(struct pt_vclock *clock, uint64_t at_ns);	/* never back */
void pt_vclock_set(struct pt_vclock *clock, uint32_t hz);

#endif
