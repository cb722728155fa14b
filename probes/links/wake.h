/* What every link to a real device needs: an interrupt that another thread can leave. */
#ifndef PT_PROBES_LINKS_WAKE_H
#define PT_PROBES_LINKS_WAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct pt_wake {
	int fd;		/* readable while an interrupt is pending; may be polled */
};

int pt_wake_init(struct pt_wake *wake, struct pt_err *err);	/* PT_ENOMEM */
void pt_wake_fini(struct pt_wake *wake);
void pt_wake_set(struct pt_wake *wake);		/* any thread */
bool pt_wake_take(struct pt_wake *wake);	/* was one pending? It is not any more */
/* Sleep. 0, or PT_EINTERRUPTED, which takes the interrupt. */
int pt_wake_sleep(struct pt_wake *wake, uint64_t until_ns, struct pt_err *err);

#endif
