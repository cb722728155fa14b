/* How a connection ends: only after all work that was begun for it has finished. */
#include "gdbstub/rsp/connection.h"

static void on_ending(uv_timer_t *timer)
{
	struct pt_rsp_connection *c = timer->data;

	if (c->closing && !c->closed && c->holds == 0)
		c->handler->hangup(c->arg, NULL);
}

static void end_soon(struct pt_rsp_connection *c)
{
	if (c->closing && !c->closed && c->holds == 0)
		uv_timer_start(&c->ending, on_ending, 0, 0);
}

void pt_rsp_hang_up(struct pt_rsp_connection *c, const char *why)
{
	if (c->closing)
		return;
	c->closing = true;
	uv_read_stop(&c->in.stream);
	c->handler->hangup(c->arg, why);
	end_soon(c);
}

void pt_rsp_hold(struct pt_rsp_connection *c)
{
	c->holds++;
}

void pt_rsp_release(struct pt_rsp_connection *c)
{
	c->holds--;
	end_soon(c);
}
