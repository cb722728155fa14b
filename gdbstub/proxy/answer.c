/* Answers of our own to a client whose packets go to another server. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"
#include "base/util.h"
#include "host/log.h"

bool pt_proxy_begins(const struct pt_rsp_packet *packet, const char *with)
{
	size_t len = strlen(with);

	return packet->len_bytes >= len && memcmp(packet->bytes, with, len) == 0;
}

void pt_proxy_settle(struct pt_gdb_proxy *p)
{
	uv_timer_stop(&p->timer);
	p->await = PT_PROXY_NOTHING;
	p->unsent = p->etx = p->sent_etx = p->command = p->asks_why = p->halts_first = p->told = false;
	pt_proxy_pieces_drop(&p->pieces);
}

/* Of a command of the server's the sentence goes to the console. */
void pt_proxy_fail(struct pt_gdb_proxy *p, const char *fmt, ...)
{
	struct pt_gdb_client *client = p->client;
	bool command = p->command;
	struct pt_err err = { .code = PT_EIO };
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.msg, sizeof(err.msg), fmt, args);
	va_end(args);
	pt_proxy_settle(p);
	if (client == NULL || client->rsp.current == NULL)
		return;
	pt_debug(PT_LOG_GDB, "gdb: %s: %s", client->rsp.peer, err.msg);
	if (command && !client->features.error_message) {
		pt_gdb_console(client, err.msg, strlen(err.msg));
		pt_gdb_console(client, "\n", 1);
	}
	pt_gdb_reply_failure(client, &err);
}
