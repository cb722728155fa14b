#include "gdbstub/tables/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct pt_gdb_document *pt_gdb_document_new(void)
{
	return pt_alloc(sizeof(struct pt_gdb_document));
}

void pt_gdb_document_free(struct pt_gdb_document *document)
{
	if (document != NULL)
		free(document->text);
	free(document);
}

/* Replies with as much as fits of the requested piece. */
static void reply_piece(struct pt_gdb_client *client)
{
	const struct pt_gdb_request *rq = &client->request;
	const char *text = client->document->text;
	size_t total = strlen(text), offset = rq->addr < total ? (size_t)rq->addr : total, left = total - offset, n;

	n = pt_rsp_escaped_fit(text + offset, left, PT_GDB_PACKET_BYTES - 1);
	n = n < rq->len ? n : (size_t)rq->len;
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "%c", n < left ? 'm' : 'l');
	pt_rsp_binary(&client->rsp.frame, text + offset, n);
	pt_gdb_reply(client);
}

void pt_gdb_reply_document(struct pt_gdb_client *client, char *text, const struct pt_err *err)
{
	struct pt_gdb_document *document = client->document;

	if (text == NULL) {
		pt_gdb_reply_error(client, err);
		return;
	}
	free(document->text);
	document->text = text;
	document->name = document->wanted;
	memcpy(document->text_annex, document->annex, sizeof(document->annex));
	reply_piece(client);
}

bool pt_gdb_reply_kept(struct pt_gdb_client *client)
{
	const struct pt_gdb_document *document = client->document;

	if (client->request.addr == 0 || document->text == NULL || document->name != document->wanted ||
	    strcmp(document->text_annex, document->annex) != 0)
		return false;
	reply_piece(client);
	return true;
}
