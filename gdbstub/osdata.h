/* info os: the tables of a profile, and what the board is and can do, as GDB and IDEs read them (-info-os). */
#ifndef PT_GDBSTUB_OSDATA_H
#define PT_GDBSTUB_OSDATA_H

#include "gdbstub/client.h"

void pt_gdb_osdata(struct pt_gdb_client *client);	/* client->annex: which; ends in pt_gdb_document() */

#endif
