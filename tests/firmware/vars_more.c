/* The other unit of vars.c: names that are there twice, and what the first only declares. */
#include <stdint.h>

struct hidden { uint16_t a; uint8_t b; };
struct hidden hidden_first = { 77, 8 };
static volatile char state = 22;
static int unused;
extern struct { int running_id; } kern[2];

int tock(void)
{
	static volatile int count = 4, only_here = 9;

	return ++count + only_here + state;
}

__attribute__((noinline, section(".text.gone"))) int gone(void)
{
	static volatile int went_away;

	return ++went_away + unused;
}
