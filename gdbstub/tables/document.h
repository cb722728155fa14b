/* The document that a client reads by qXfer: made when its beginning is read and kept while it is read on, so that its
 * pieces fit together. Loop thread. */
#ifndef PT_GDBSTUB_DOCUMENT_H
#define PT_GDBSTUB_DOCUMENT_H

#include "gdbstub/packets/packet.h"

enum { PT_GDB_ANNEX_BYTES = 32 };

struct pt_gdb_os_tasks;

struct pt_gdb_document {
	const char *wanted;		/* the name of the object that is asked for, a row's of xfer.c */
	char annex[PT_GDB_ANNEX_BYTES];	/* and which one of the kind */
	struct pt_gdb_os_tasks *os_tasks;	/* of the table being made, or NULL: osdata_tasks.c */
	/* document.c's */
	char *text;			/* NULL: none is kept */
	const char *name;		/* of it, as wanted and annex were */
	char text_annex[PT_GDB_ANNEX_BYTES];
};

struct pt_gdb_document *pt_gdb_document_new(void);
void pt_gdb_document_free(struct pt_gdb_document *document);

/* What is wanted has been made, and becomes the client's; text NULL: it has not, err says why. */
void pt_gdb_reply_document(struct pt_gdb_client *client, char *text, const struct pt_err *err);
/* The kept document is the one that is wanted: the reply is its next piece. False: it is another. */
bool pt_gdb_reply_kept(struct pt_gdb_client *client);

#endif
