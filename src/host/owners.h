/* Which processes have a device file open, so that an error message can name them. From /proc: the open files of another
 * user's process are visible to root only. May take some ms on a host with many processes. */
#ifndef PT_OWNERS_H
#define PT_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pt_owner {
	pid_t pid;
	char name[32];		/* of the program, as ps shows it */
};

/* Fills at most max rows with processes other than this one, the youngest first, and returns their number. 0: no process
 * that this user may inspect has the file open. */
size_t pt_owners_of(const char *const *nodes, size_t n_nodes, struct pt_owner *out, size_t max);

/* "openocd (process 812), gdbserver (process 7)", or that it is a program that this user may not inspect. */
const char *pt_owners_say(const struct pt_owner *owners, size_t n, char *text, size_t room);

#endif
