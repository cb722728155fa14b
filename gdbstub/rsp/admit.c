#include "gdbstub/rsp/admit.h"

#include "base/first_bytes.h"
#include "host/log.h"

enum { MOST_STRAY_BYTES = 64 };	/* between two packets */

static void on_patience_over(uv_timer_t *timer)
{
	struct pt_rsp_connection *c = timer->data;

	pt_sparing_info(c->sparing, "a connection that said nothing in time", "gdb: %s is closed: it has %s in time",
			c->peer, c->known ? "not given the token" : "sent no GDB packet");
	pt_rsp_hang_up(c, "it was too late");
}

void pt_rsp_admit_within(struct pt_rsp_connection *c, uint64_t ms)
{
	if (ms == 0)
		uv_timer_stop(&c->patience);
	else if (!pt_rsp_is_stdio(c))
		uv_timer_start(&c->patience, on_patience_over, ms, 0);
}

static void send_away(struct pt_rsp_connection *c, const uint8_t *bytes, size_t n_bytes)
{
	const char *what = pt_first_name(pt_first_rsp, bytes, n_bytes);
	char text[PT_FIRST_TEXT_BYTES];

	/* one limit per protocol, so that the lines of one stranger do not suppress those of another */
	pt_sparing_warn(c->sparing, what != NULL ? what : "no protocol known here",
			"gdb: %s is closed: its first bytes are not those of a GDB, they %s; nothing was carried out",
			c->peer, pt_first_describe(pt_first_rsp, bytes, n_bytes, !c->secret, text));
	pt_rsp_hang_up(c, "it is no GDB");
}

static enum pt_first check(const uint8_t *bytes, size_t n_bytes)
{
	enum pt_first verdict = pt_first_check(pt_first_rsp, bytes, n_bytes);

	return verdict == PT_FIRST_YES && !pt_first_rsp_alone(bytes, n_bytes) ? PT_FIRST_NO : verdict;
}

size_t pt_rsp_admit(struct pt_rsp_connection *c, size_t n_bytes)
{
	size_t n = c->n_first + n_bytes;

	if (c->known)
		return n_bytes;
	switch (check(c->read_bytes, n)) {
	case PT_FIRST_MORE:
		c->n_first = n;
		return 0;
	case PT_FIRST_NO:
		send_away(c, c->read_bytes, n);
		return 0;
	default:
		c->n_first = 0;
		c->known = true;
		pt_rsp_admit_within(c, 0);
		pt_sparing_info(c->sparing, "a client that connected", "gdb: %s connected", c->peer);
		c->handler->known(c->arg);
		return n;
	}
}

void pt_rsp_admit_stray(struct pt_rsp_connection *c, uint8_t byte)
{
	if (!pt_first_is_text(byte) && ++c->n_stray <= MOST_STRAY_BYTES)
		return;
	pt_sparing_warn(c->sparing, "text between packets",
			"gdb: %s is closed: it sends %s between packets, which no GDB does", c->peer,
			pt_first_is_text(byte) ? "text" : "too many bytes");
	pt_rsp_hang_up(c, "it is no GDB");
}
