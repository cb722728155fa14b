/* A client that had to give the token has shaken hands with us alone: nothing of that went to the GDB server behind.
 * With the token given, the server gets a handshake of ours, and the client's attach becomes the server's "?".
 *
 * So the client was promised what nearly any server can do: packets of 1 KiB, which threads there are, the target's
 * description, its map. What a server cannot do of it is an error, not the empty answer, for GDB does not take that of
 * a packet it was promised. Breakpoints of the target's own and non-stop are not promised. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"

void pt_proxy_promise(struct pt_gdb_client *client)
{
	pt_gdb_reply_text(client, "PacketSize=400;QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;"
				  "qXfer:osdata:read+;qXfer:btrace:read+;qXfer:btrace-conf:read+;Qbtrace:bts+;"
				  "Qbtrace:off+;Qbtrace-conf:bts:size+");
}

/* What the replay tells the server. Without multiprocess+, which changes how threads are named. */
void pt_proxy_late_begin(struct pt_gdb_proxy *p)
{
	p->late_attach = p->client->auth.late;
	if (!p->client->auth.late)
		return;
	snprintf(p->supported, sizeof(p->supported), "qSupported:xmlRegisters=i386");
	p->extended = true;
}

void pt_proxy_late_attach(struct pt_gdb_proxy *p)
{
	struct pt_rsp_packet *packet = p->client->rsp.current;

	if (!p->late_attach || packet->len_bytes < 8 || memcmp(packet->bytes, "vAttach;", 8) != 0)
		return;
	p->late_attach = false;
	memcpy(packet->bytes, "?", 2);
	packet->len_bytes = 1;
}

bool pt_proxy_late_refuses(const struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	static const char empty[] = "$#00";

	return p->client->auth.late && raw->len_bytes == strlen(empty) &&
	       memcmp(raw->bytes, empty, strlen(empty)) == 0 && strncmp(p->head, "qXfer:", 6) == 0;
}
