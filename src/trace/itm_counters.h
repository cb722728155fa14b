/* The eight-bit counters of a DWT, by their bit in an event counter packet. */
#ifndef PT_ITM_COUNTERS_H
#define PT_ITM_COUNTERS_H

#include <stddef.h>

enum { PT_N_ITM_COUNTERS = 5 };
struct pt_itm_counter { const char *name, *note; };
extern const struct pt_itm_counter pt_itm_counters[PT_N_ITM_COUNTERS];

/* What a CONFIG says of counters that are seen by their packets alone. Returns how many characters, as snprintf(). */
enum { PT_ITM_COUNTERS_TEXT = 600 };
size_t pt_itm_counters_print(char *lines, size_t room);

#endif
