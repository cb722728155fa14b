#include "gdbstub/rsp/admit.h"

#include "base/first_bytes.h"
#include "host/log.h"

enum {
	MOST_STRAY_BYTES = 64,	/* between two packets */
	TOKEN_PATIENCE = 5,	/* times that for the first bytes: a person may be typing */
};

static void on_patience_over(uv_timer_t *timer)
{
	struct pt_gdb_client *client = timer->data;

	pt_info("gdb: %s is closed: it has %s in time", client->peer,
		client->known ? "not given the token" : "sent no GDB packet");
	pt_gdb_client_leave(client, "it was too late");
}

/* A browser opens connections that it may need later, and a page any number of them: a GDB still gets in. The list has
 * the newest first. */
static void limit_unknown(struct pt_gdbstub *stub)
{
	struct pt_gdb_client *oldest = NULL;
	size_t n = 0;

	for (struct pt_gdb_client *client = stub->clients; client != NULL; client = client->next) {
		if ((client->known && !client->locked) || client->closing || client->to != &client->in.stream)
			continue;
		oldest = client;
		n++;
	}
	if (n <= PT_FIRST_MOST_PEERS)
		return;
	pt_info("gdb: %s is closed: with it %d connections have sent no GDB packet, or no token", oldest->peer,
		PT_FIRST_MOST_PEERS + 1);
	pt_gdb_client_leave(oldest, "it makes place");
}

void pt_gdb_admit_begin(struct pt_gdb_client *client)
{
	if (client->to == &client->in.stream)	/* the user's own standard input may wait */
		uv_timer_start(&client->live_timer, on_patience_over, client->stub->config.patience_ms, 0);
	limit_unknown(client->stub);
}

static void send_away(struct pt_gdb_client *client, const uint8_t *bytes, size_t n_bytes)
{
	char text[PT_FIRST_TEXT_BYTES];

	pt_warn("gdb: %s is closed: its first bytes are not those of a GDB, they %s; nothing was carried out",
		client->peer, pt_first_describe(pt_first_rsp, bytes, n_bytes, !client->locked, text));
	pt_gdb_client_leave(client, "it is no GDB");
}

size_t pt_gdb_admit(struct pt_gdb_client *client, size_t n_bytes)
{
	size_t n = client->n_first + n_bytes;

	if (client->known)
		return n_bytes;
	switch (pt_first_check(pt_first_rsp, client->read_bytes, n)) {
	case PT_FIRST_MORE:
		client->n_first = n;
		return 0;
	case PT_FIRST_NO:
		send_away(client, client->read_bytes, n);
		return 0;
	default:
		client->n_first = 0;
		client->known = true;
		uv_timer_stop(&client->live_timer);
		if (client->locked)
			uv_timer_start(&client->live_timer, on_patience_over,
				       TOKEN_PATIENCE * (uint64_t)client->stub->config.patience_ms, 0);
		pt_info("gdb: %s connected", client->peer);
		return n;
	}
}

void pt_gdb_admit_token(struct pt_gdb_client *client)
{
	uv_timer_stop(&client->live_timer);
	client->locked = false;
	client->late = true;
	pt_info("gdb: %s has given the token", client->peer);
}

void pt_gdb_admit_stray(struct pt_gdb_client *client, uint8_t byte)
{
	if (!pt_first_is_text(byte) && ++client->n_stray <= MOST_STRAY_BYTES)
		return;
	pt_warn("gdb: %s is closed: it sends %s between packets, which no GDB does", client->peer,
		pt_first_is_text(byte) ? "text" : "too many bytes");
	pt_gdb_client_leave(client, "it is no GDB");
}
