/* qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH. A document is made when its beginning is read and kept while it is read on,
 * so that its pieces fit together. One row per object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/document.h"
#include "gdbstub/packets/packet.h"
#include "gdbstub/files/hostio_names.h"
#include "gdbstub/tables/osdata.h"
#include "report/table/format.h"
#include "session/os_threads.h"
#include "gdbstub/tables/xml.h"
#include "host/named_file.h"
#include "base/util.h"

enum { MAX_DOCUMENT_BYTES = 1 << 20 };

static void branch_trace_conf(struct pt_gdb_client *client);
static void branch_trace_all(struct pt_gdb_client *client);
static void branch_trace_new(struct pt_gdb_client *client);
static void branch_trace_delta(struct pt_gdb_client *client);
static void exec_file(struct pt_gdb_client *client);
static void threads(struct pt_gdb_client *client);

static const struct object {
	const char *name;	/* as written between "qXfer:" and the offset; the annex may be left out */
	const char *empty;	/* the document while there is no inferior; NULL: the document is made without one,
				 * too */
	bool (*write)(FILE *out, struct pt_target *target);	/* from the target alone, false: there is none; or */
	void (*make)(struct pt_gdb_client *client);	/* by client->document->annex; ends in pt_gdb_reply_document() */
	bool any_annex;
} objects[] = {
	{ "features:read:target.xml:", NULL, pt_gdb_target_xml, NULL, false },
	{ "memory-map:read::", NULL, pt_gdb_memory_map_xml, NULL, false },
	{ "threads:read::", "l<threads/>", NULL, threads, false },
	{ "btrace-conf:read::", NULL, NULL, branch_trace_conf, false },
	{ "btrace:read:all:", "E01", NULL, branch_trace_all, false },
	{ "btrace:read:new:", "E01", NULL, branch_trace_new, false },
	{ "btrace:read:delta:", "E01", NULL, branch_trace_delta, false },
	{ "osdata:read:", NULL, NULL, pt_gdb_osdata, true },
	{ "exec-file:read:", NULL, NULL, exec_file, true },
};

static int write_document(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			  struct pt_err *err)
{
	const struct object *object = &objects[rq->core];
	size_t len_bytes;
	bool written;
	FILE *out;

	(void)board;
	rq->document = NULL;
	out = open_memstream(&rq->document, &len_bytes);
	if (out == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a document");
	written = object->write(out, target);
	if (fclose(out) != 0 || len_bytes > MAX_DOCUMENT_BYTES || !written) {
		free(rq->document);
		rq->document = NULL;
		if (!written)	/* GDB warns about an empty document */
			return pt_fail(err, PT_EUNSUPPORTED, "this target has nothing of that kind");
		return pt_fail(err, PT_ENOMEM, "a document of more than %d bytes", MAX_DOCUMENT_BYTES);
	}
	return 0;
}

static void after_document(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	pt_gdb_reply_document(rq->client, rc < 0 ? NULL : rq->document, err);
}

static void branch_trace_conf(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_ENOMEM, "no memory for a document");
	pt_gdb_reply_document(client, pt_gdb_branch_trace_conf(client), &err);
}

static void branch_trace_all(struct pt_gdb_client *client)
{
	pt_gdb_branch_trace_read(client, PT_GDB_HISTORY_ALL);
}

static void branch_trace_new(struct pt_gdb_client *client)
{
	pt_gdb_branch_trace_read(client, PT_GDB_HISTORY_NEW);
}

static void branch_trace_delta(struct pt_gdb_client *client)
{
	pt_gdb_branch_trace_read(client, PT_GDB_HISTORY_DELTA);
}

static int write_threads(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			 struct pt_err *err)
{
	struct pt_gdb_thread_list list;
	size_t len_bytes;
	FILE *out;

	(void)board;
	rq->document = NULL;
	if (pt_gdb_threads_for(rq->client, target, &list, err) < 0)
		return err->code;
	out = open_memstream(&rq->document, &len_bytes);
	if (out != NULL)
		pt_gdb_threads_xml(out, &list);
	pt_gdb_thread_list_fini(&list);
	return out != NULL && fclose(out) == 0 ? 0 : pt_fail(err, PT_ENOMEM, "no memory for a list of threads");
}

static void threads(struct pt_gdb_client *client)
{
	pt_gdb_post(&client->request, write_threads, after_document);
}

/* A GDB without an ELF of its own gets ours, by host I/O. */
static void exec_file(struct pt_gdb_client *client)
{
	const struct pt_program *program = pt_session_program(client->stub->config.session);
	bool known = program != NULL && (pt_named_is_below(pt_program_path(program)) ||
					 strchr(pt_program_path(program), '/') != NULL);	/* else built in */
	struct pt_err err;

	pt_fail(&err, PT_ESTATE, "no program is known: monitor symbols FILE, or remote put FILE firmware.elf");
	pt_gdb_reply_document(client, known ? pt_strdup(PT_HOSTIO_EXEC_FILE) : NULL, &err);
}

static void read_object(struct pt_gdb_client *client, size_t i)
{
	struct pt_gdb_request *rq = &client->request;

	client->document->wanted = objects[i].name;
	if (objects[i].empty != NULL && !pt_gdb_shows_threads(client) && !pt_gdb_is_proxied(client)) {
		pt_gdb_reply_text(client, objects[i].empty);
	} else if (!pt_gdb_reply_kept(client)) {
		rq->core = (unsigned)i;
		if (objects[i].make != NULL)
			objects[i].make(client);
		else
			pt_gdb_post(rq, write_document, after_document);
	}
}

/* The text up to the next colon, if the object takes an annex; "" if it is part of the name. */
static bool take_annex(struct pt_gdb_client *client, const struct object *object, struct pt_rsp_args *args)
{
	size_t len = 0;

	client->document->annex[0] = '\0';
	if (!object->any_annex)
		return true;
	while (len < pt_rsp_left(args) && args->at[len] != ':')
		len++;
	if (len == pt_rsp_left(args) || len >= sizeof(client->document->annex))
		return false;
	memcpy(client->document->annex, args->at, len);
	client->document->annex[len] = '\0';
	args->at += len + 1;
	return true;
}

static void handle_xfer(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	for (size_t i = 0; i < PT_LEN(objects); i++) {
		if (!pt_rsp_take(args, objects[i].name))
			continue;
		if (take_annex(client, &objects[i], args) && pt_rsp_number(args, &rq->addr) && pt_rsp_take(args, ",") &&
		    pt_rsp_number(args, &rq->len) && pt_rsp_left(args) == 0)
			read_object(client, i);
		else
			pt_gdb_reply_malformed(client);
		return;
	}
	pt_gdb_reply_text(client, pt_rsp_take(args, "features:read:") ? "E00" : "");	/* E00: no such annex */
}

/* A row of its own among the packets, because it waits until the tasks are known. */
static void handle_xfer_threads(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	args->at -= strlen("threads:read::");
	handle_xfer(client, args);
}

const struct pt_packet_row pt_packets_xfer[] = {
	{ "qXfer:threads:read::", PT_PACKET_CONNECTING | PT_PACKET_TASKS | PT_PACKET_LOOKS, handle_xfer_threads },
	{ "qXfer:", PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_xfer },
	{ 0 },
};
