/* Which processes have one of a device's nodes open, so that a refusal can name them. All of it from /proc; a process of another
 * user shows its name, but not its files, unless the caller is root. May take some ms on a host with many processes. */
#ifndef PT_OWNERS_H
#define PT_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pt_owner {
	pid_t pid;
	char name[32];		/* of the program, as ps shows it */
};

/* Fills at most max rows, other processes than this one, that began last first; returns how many it filled. 0: none that this user may
 * look at has it open. */
size_t pt_owners_of(const char *const *nodes, size_t n_nodes, struct pt_owner *out, size_t max);

/* "openocd (process 812), gdbserver (process 7)", or "another program, which this user may not look at". */
const char *pt_owners_say(const struct pt_owner *owners, size_t n, char *text, size_t room);

#endif
