/* What a client may do to this host, and with --restrict to the target. Files: the daemon's own user may name any that
 * it may open; any other client those below --files alone (namedfile.h). --restrict: clients may look, and change
 * neither the target nor this host nor a profile; what looks is listed, everything else is refused. Loop thread. */
#ifndef PT_GDBSTUB_RIGHTS_H
#define PT_GDBSTUB_RIGHTS_H

#include "gdbstub/packets/monitor.h"

/* The name by which the file that the client names is to be opened. It lives as long as the call. NULL: the call has
 * failed, with a sentence that says what the client may name. */
const char *pt_monitor_name_file(struct pt_monitor_call *call, const char *name);
/* The same for words of a profile (capture=FILE), in place. */
bool pt_monitor_name_files(struct pt_monitor_call *call);
/* Other words of the host's (folders, what only the own user may say). False: the call has failed. */
bool pt_monitor_need_own(struct pt_monitor_call *call, const char *what);

/* --restrict. */
bool pt_gdb_may_call(const struct pt_monitor_call *call);	/* its command looks only */
void pt_gdb_refuse_restricted(struct pt_gdb_client *client);	/* the reply to the current packet */
extern const char pt_gdb_restricted[];				/* why, as a sentence */

#endif
