/* qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH. A document is made when its beginning is read and kept while it is read on,
 * so that its pieces fit together. One row per object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/commands.h"
#include "gdbstub/xml.h"
#include "util.h"

enum { MAX_DOCUMENT_BYTES = 1 << 20 };

static const struct object {
	const char *name;	/* as it stands between "qXfer:" and the offset */
	const char *empty;	/* the document while there is no inferior; NULL: made from the target all the same */
	void (*write)(FILE *out, struct pt_target *target);
} objects[] = {
	{ "features:read:target.xml:", NULL, pt_gdb_target_xml },
	{ "memory-map:read::", NULL, pt_gdb_memory_map_xml },
	{ "threads:read::", "l<threads/>", pt_gdb_threads_xml },
};

static void reply_piece(struct pt_gdb_client *client, uint64_t offset, uint64_t len)
{
	size_t total = strlen(client->document), left, n;

	offset = offset < total ? offset : total;
	left = total - (size_t)offset;
	n = pt_rsp_escaped_fit(client->document + offset, left, PT_GDB_PACKET_BYTES - 1);
	n = n < len ? n : (size_t)len;
	pt_rsp_begin(&client->frame, '$');
	pt_rsp_text(&client->frame, "%c", n < left ? 'm' : 'l');
	pt_rsp_binary(&client->frame, client->document + offset, n);
	pt_gdb_reply(client);
}

static int write_document(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	const struct object *object = &objects[rq->core];
	size_t len_bytes;
	FILE *out;

	(void)board;
	rq->document = NULL;
	out = open_memstream(&rq->document, &len_bytes);
	if (out == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a document");
	object->write(out, target);
	if (fclose(out) != 0 || len_bytes > MAX_DOCUMENT_BYTES) {
		free(rq->document);
		rq->document = NULL;
		return pt_fail(err, PT_ENOMEM, "a document of more than %d bytes", MAX_DOCUMENT_BYTES);
	}
	return 0;
}

static void after_document(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	if (rc < 0) {
		pt_gdb_reply_error(client, err);
		return;
	}
	free(client->document);
	client->document = rq->document;
	client->document_name = objects[rq->core].name;
	reply_piece(client, rq->addr, rq->len);
}

static void read_object(struct pt_gdb_client *client, size_t i)
{
	struct pt_gdb_request *rq = &client->request;

	if (objects[i].empty != NULL && client->run == PT_GDB_NONE) {
		pt_gdb_reply_text(client, objects[i].empty);
	} else if (rq->addr > 0 && client->document != NULL && client->document_name == objects[i].name) {
		reply_piece(client, rq->addr, rq->len);
	} else {
		rq->core = (unsigned)i;
		pt_gdb_post(rq, write_document, after_document);
	}
}

void pt_gdb_xfer(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	for (size_t i = 0; i < PT_LEN(objects); i++) {
		if (!pt_rsp_take(args, objects[i].name))
			continue;
		if (pt_rsp_number(args, &rq->addr) && pt_rsp_take(args, ",") && pt_rsp_number(args, &rq->len) &&
		    pt_rsp_left(args) == 0)
			read_object(client, i);
		else
			pt_gdb_reply_malformed(client);
		return;
	}
	pt_gdb_reply_text(client, pt_rsp_take(args, "features:read:") ? "E00" : "");	/* E00: no such annex */
}
