/* The document that a client reads by qXfer: it is made when its beginning is read, and kept until its end, so that its
 * pieces fit together. Loop thread. */
#ifndef PT_GDBSTUB_DOCUMENT_H
#define PT_GDBSTUB_DOCUMENT_H

#include "gdbstub/packets/packet.h"

enum { PT_GDB_ANNEX_BYTES = 32 };

struct pt_gdb_os_tasks;

struct pt_gdb_document {
	const char *wanted;		/* the name of the requested object, from a row of xfer.c */
	char annex[PT_GDB_ANNEX_BYTES];	/* and its annex */
	struct pt_gdb_os_tasks *os_tasks;	/* of the table being made, or NULL: osdata_tasks.c */
	/* document.c's */
	char *text;			/* NULL: no document is kept */
	const char *name;		/* its name, as wanted and annex were when it was made */
	char text_annex[PT_GDB_ANNEX_BYTES];
};

struct pt_gdb_document *pt_gdb_document_new(void);
void pt_gdb_document_free(struct pt_gdb_document *document);

/* The requested document has been made; it belongs to the client now. text NULL: it could not be made, err says why. */
void pt_gdb_reply_document(struct pt_gdb_client *client, char *text, const struct pt_err *err);
/* Replies with the next piece if the kept document is the requested one. False: it is another one. */
bool pt_gdb_reply_kept(struct pt_gdb_client *client);

#endif
