/* Each view of the profile is a table by its name; tasks has the OS's tasks, too (osdata_tasks.c). Two more are not of
 * the profile: sources and boards. Without a name it is the list of them all. Source: GDB manual, "Operating System
 * Information". */
#include "gdbstub/tables/osdata.h"
#include "gdbstub/tables/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/xml.h"
#include "report/report.h"
#include "report/views/views.h"
#include "report/table/view.h"

static void begin(FILE *out, const char *type)
{
	fprintf(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE osdata SYSTEM \"osdata.dtd\">\n<osdata type=\"%s\">\n", type);
}

static void column(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<column name=\"%s\">", name);
	pt_gdb_xml_text(out, text);
	fputs("</column>", out);
}

/* --- tables of the board ------------------------------------------------------------------------------------------ */

static void write_sources(FILE *out, struct pt_target *target)
{
	size_t n;
	const struct pt_source_ops *const *source = target->ops->sources(target->state, &n);

	for (size_t i = 0; i < n; i++) {
		struct pt_err why = { 0 };
		bool on = source[i]->available(target, &why) == 0;

		fputs("<item>", out);
		column(out, "source", source[i]->name);
		column(out, "modes", source[i]->modes);
		column(out, "usable", on ? "yes" : why.msg);
		column(out, "what it is", source[i]->help);
		fputs("</item>\n", out);
	}
}

static const char *state_name(enum pt_run_state state)
{
	static const char *const names[] = {
		[PT_RUNNING] = "running", [PT_HALTED] = "halted", [PT_SLEEPING] = "asleep", [PT_IN_RESET] = "in reset",
		[PT_LOCKED_UP] = "locked up", [PT_LOST] = "lost",
	};

	return names[state];
}

static void write_boards(FILE *out, struct pt_target *target)
{
	unsigned n = target->ops->n_cores(target->state);
	struct pt_probe_info info = { 0 };

	if (target->probe != NULL)
		pt_probe_info(target->probe, &info);
	for (unsigned core = 0; core < n; core++) {
		struct pt_core_status status;
		struct pt_err err;
		char number[12];

		snprintf(number, sizeof(number), "%u", core);
		fputs("<item>", out);
		column(out, "chip", target->ops->chip(target->state));
		column(out, "core", number);
		column(out, "state",
		       target->ops->status(target->state, core, &status, &err) < 0 ? err.msg
										   : state_name(status.state));
		column(out, "probe", info.link.product[0] != '\0' ? info.link.product : info.name);
		column(out, "at", info.link.where);
		fputs("</item>\n", out);
	}
}

static const struct table {
	const char *name, *help;
	void (*write)(FILE *out, struct pt_target *target);
} tables[] = {
	{ "sources", "where trace can come from on this chip", write_sources },
	{ "boards", "what is attached, and how", write_boards },
	{ 0 },
};

static int write_table(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct table *table = tables;
	size_t len_bytes;
	FILE *out;

	(void)board;
	rq->document = NULL;
	while (strcmp(table->name, rq->client->document->annex) != 0)
		table++;
	out = open_memstream(&rq->document, &len_bytes);
	if (out == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a table");
	begin(out, table->name);
	table->write(out, target);
	fputs("</osdata>\n", out);
	fclose(out);
	return 0;
}

static void after_table(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	pt_gdb_reply_document(rq->client, rc < 0 ? NULL : rq->document, err);
}

/* --- tables of the profile ---------------------------------------------------------------------------------------- */

static void on_report(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct pt_err err;

	pt_rsp_release(&client->rsp);
	pt_fail(&err, rc, "%.*s", (int)len_bytes, text);
	pt_gdb_reply_document(client, rc < 0 ? NULL : pt_strndup(text, len_bytes), &err);
}

void pt_gdb_osdata_view(struct pt_gdb_client *client)
{
	const char *const words[] = { client->document->annex, "format=osdata" };
	struct pt_query query;
	struct pt_err err;

	if (pt_query_parse(&query, words, 2, &err) < 0) {
		pt_gdb_reply_document(client, NULL, &err);
		return;
	}
	pt_rsp_hold(&client->rsp);
	pt_session_report(client->stub->config.session, &query, on_report, client);
}

/* --- which there are ---------------------------------------------------------------------------------------------- */

static void list_item(FILE *out, const char *type, const char *title, const char *description)
{
	fputs("<item>", out);
	column(out, "Type", type);
	column(out, "Description", description);
	column(out, "Title", title);
	fputs("</item>\n", out);
}

static void list(struct pt_gdb_client *client)
{
	struct pt_err err;
	char *document = NULL;
	size_t len_bytes;
	FILE *out = open_memstream(&document, &len_bytes);

	pt_fail(&err, PT_ENOMEM, "no memory for a table");
	if (out == NULL) {
		pt_gdb_reply_document(client, NULL, &err);
		return;
	}
	begin(out, "types");
	for (size_t i = 0; pt_views[i] != NULL; i++)
		list_item(out, pt_views[i]->name, pt_views[i]->name, pt_views[i]->help);
	for (const struct table *table = tables; table->name != NULL; table++)
		list_item(out, table->name, table->name, table->help);
	fputs("</osdata>\n", out);
	fclose(out);
	pt_gdb_reply_document(client, document, &err);
}

void pt_gdb_osdata(struct pt_gdb_client *client)
{
	const struct table *table = tables;

	while (table->name != NULL && strcmp(table->name, client->document->annex) != 0)
		table++;
	if (table->name != NULL)
		pt_gdb_post(&client->request, write_table, after_table);
	else if (client->document->annex[0] == '\0' || strcmp(client->document->annex, "types") == 0)
		list(client);
	else if (strcmp(client->document->annex, "tasks") == 0)
		pt_gdb_osdata_tasks(client);
	else
		pt_gdb_osdata_view(client);
}
