/* State of the access methods. */
#include <stdio.h>

#include "targets/e500/perfmon/perfmon.h"

void *pt_e500_method_state(const struct pt_e500_target *e500, const struct pt_e500_method *method)
{
	return e500->pm.at[method->slot].state;
}

void pt_e500_ask_again(struct pt_e500_target *e500, const struct pt_e500_method *method)
{
	e500->pm.at[method->slot].open = false;
	e500->pm.at[method->slot].asked_ns = 0;
}

void pt_e500_refuse(struct pt_e500_target *e500, const struct pt_e500_method *method, const char *why)
{
	struct pt_e500_method_at *at = &e500->pm.at[method->slot];

	at->refused = true;
	at->open = false;
	method->close(e500);
	snprintf(at->why, sizeof(at->why), "%s", why);
}

void pt_e500_forget(struct pt_e500_target *e500)
{
	e500->pm.snapshot.at_ns = 0;
}
