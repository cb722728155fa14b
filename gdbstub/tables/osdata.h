/* info os: the tables of a profile, and what the board is and can do, as GDB and IDEs read them (-info-os). */
#ifndef PT_GDBSTUB_OSDATA_H
#define PT_GDBSTUB_OSDATA_H

#include "gdbstub/packets/client.h"

void pt_gdb_osdata(struct pt_gdb_client *client);	/* client->document->annex: which; ends in pt_gdb_reply_document() */
/* Makes one of the profile's tables; the table of tasks also has what their OS knows of them now. */
void pt_gdb_osdata_view(struct pt_gdb_client *client);
void pt_gdb_osdata_tasks(struct pt_gdb_client *client);

#endif
