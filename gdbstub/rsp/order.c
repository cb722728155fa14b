/* Handles packets in the order of arrival, one at a time. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/rsp/connection.h"

enum { MAX_QUEUED_BYTES = 256 * 1024 };

static void pop(struct pt_rsp_connection *c)
{
	c->current = c->queue;
	c->queue = c->current->next;
	if (c->queue == NULL)
		c->queue_tail = &c->queue;
	c->queued_bytes -= sizeof(*c->current) + c->current->len_bytes;
}

/* Handlers reply at once or later; an immediate reply calls pump() again, hence the guard. */
static void pump(struct pt_rsp_connection *c)
{
	if (c->pumping)
		return;
	c->pumping = true;
	while (c->current == NULL && c->queue != NULL && !c->closing) {
		pop(c);
		c->handler->packet(c->arg);
	}
	c->pumping = false;
}

void pt_rsp_drop_packets(struct pt_rsp_connection *c)
{
	free(c->current);
	while (c->queue != NULL) {
		pop(c);
		free(c->current);
	}
	c->current = NULL;
}

void pt_rsp_finish(struct pt_rsp_connection *c)
{
	free(c->current);
	c->current = NULL;
	pump(c);
}

void pt_rsp_redeliver(struct pt_rsp_connection *c)
{
	if (c->current != NULL && !c->closing)
		c->handler->packet(c->arg);
}

void pt_rsp_enqueue(struct pt_rsp_connection *c, enum pt_rsp_item item)
{
	size_t len = item == PT_RSP_PACKET ? c->parser.len_bytes : 0;
	struct pt_rsp_packet *packet;

	if (c->queued_bytes + sizeof(*packet) + len > MAX_QUEUED_BYTES) {
		pt_rsp_hang_up(c, "it sends without waiting for replies");
		return;
	}
	packet = malloc(sizeof(*packet) + len + 1);
	if (packet == NULL) {
		pt_rsp_hang_up(c, "no memory for its packet");
		return;
	}
	*packet = (struct pt_rsp_packet){ .item = item, .len_bytes = len };
	memcpy(packet->bytes, c->parser.payload, len);
	packet->bytes[len] = '\0';
	*c->queue_tail = packet;
	c->queue_tail = &packet->next;
	c->queued_bytes += sizeof(*packet) + len;
	c->handler->arrived(c->arg);
	pump(c);
}
