/* Answers to packets that are not carried out. */
#include "gdbstub/packets/packet.h"

void pt_gdb_reply_malformed(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EARG, "malformed packet");
	pt_gdb_reply_error(client, &err);
}

void pt_gdb_reply_not_yours(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EBUSY, "another GDB controls the target: monitor take");
	pt_gdb_reply_sentence(client, &err);
}

void pt_gdb_refuse_restricted(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EPERM, "%s", PT_GDB_RESTRICTED);
	pt_gdb_reply_sentence(client, &err);
}
