#include "gdbstub/packets/stub.h"

void pt_gdbstub_wake(struct pt_gdbstub *stub)
{
	if (!uv_is_closing((uv_handle_t *)&stub->wake))
		uv_timer_start(&stub->wake, stub->on_wake, 0, 0);
}
