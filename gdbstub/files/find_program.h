/* Stock GDB does not tell a server which ELF it has. If no user has named an ELF, it is taken from the command line of
 * the GDB process at the other end of the connection. It becomes the program of the board only if the board's memory
 * contains it. */
#ifndef PT_GDBSTUB_FIND_PROGRAM_H
#define PT_GDBSTUB_FIND_PROGRAM_H

#include "control/command.h"

/* A door's find_program(). Does nothing if the program is known, if the client is another user's, or if the client may
 * change nothing: with --restrict, and while it looks at a program that another GDB controls. Loop thread. */
void pt_gdb_find_program(void *door, struct pt_command *cmd, void (*then)(struct pt_command *cmd));

#endif
