/* Stock GDB does not say to a server which ELF it has. Where no user has named one, the ELF is looked for where GDB
 * was started with it: on the command line of the process at the other end. It becomes the program of the board only
 * if the board's memory says that it is. */
#ifndef PT_GDBSTUB_FIND_PROGRAM_H
#define PT_GDBSTUB_FIND_PROGRAM_H

#include "control/command.h"

/* A door's find_program(). Nothing is looked at where the program is known, where the client is not the daemon's own
 * user's, and for one that may change nothing: with --restrict, and while it looks at a program that another GDB
 * controls. Loop thread. */
void pt_gdb_find_program(void *door, struct pt_command *cmd, void (*then)(struct pt_command *cmd));

#endif
