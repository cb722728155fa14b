/* Which users may connect to a unix socket. What decides is the kernel's information about the process at the other end,
 * not the permissions of the socket's file. The daemon's own user and root always may; others must be named. */
#ifndef PT_PEERS_H
#define PT_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum { PT_MAX_PEERS = 32, PT_PEER_TEXT = 48 };

struct pt_peers { /* all zero: no other user */
	uid_t user[PT_MAX_PEERS];
	gid_t group[PT_MAX_PEERS];
	size_t n_users, n_groups;
};

/* "alice,1001,@lab": users, and groups after an @, by name or number. Reads the system's user databases, which may be slow:
 * call it at the start. PT_EARG: no such user or group, or more than PT_MAX_PEERS. */
int pt_peers_parse(struct pt_peers *peers, const char *list, struct pt_err *err);
/* peers NULL: no other user. Always sets who ("uid 1000, pid 4711"), for messages. Any thread. */
bool pt_peers_may(const struct pt_peers *peers, int fd, char who[PT_PEER_TEXT]);

/* Does the other end of this connected socket belong to the daemon's own user? The kernel knows this from the credentials
 * of a unix socket, and for TCP from the owner of the socket at the other end, if that is on this host and in our network
 * namespace. False if the kernel does not confirm it. One request to the kernel; does not wait. */
bool pt_peer_is_own(int fd);

/* How the kernel identifies the other end: the process of a unix socket, or the inode of a TCP socket (process.h finds its
 * process). The other field is 0. */
struct pt_peer_end { pid_t pid; unsigned long inode; };
/* For a socket whose pt_peer_is_own() is true. False, with *end all zero: the kernel does not know. One request, too. */
bool pt_peer_find_end(int fd, struct pt_peer_end *end);

#endif
