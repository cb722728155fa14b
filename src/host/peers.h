/* Who may connect to a unix socket: what the kernel says of the process at the other end decides, and not who may
 * write to the socket's file. The user that the daemon runs as and root always may; others by name. */
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

/* "alice,1001,@lab": users, and groups behind an @, by name or number. Asks the system's data bases, which may take
 * a while: at the start. PT_EARG: no such user or group, or more than PT_MAX_PEERS. */
int pt_peers_parse(struct pt_peers *peers, const char *list, struct pt_err *err);
/* peers NULL: no other user. who: "uid 1000, pid 4711", for messages, in any case. Any thread. */
bool pt_peers_may(const struct pt_peers *peers, int fd, char who[PT_PEER_TEXT]);

/* Does the kernel say that the other end of this connected socket is the daemon's own user's? A unix socket's by its
 * credentials, a TCP socket's by the user of the socket at the other end, where that is on this host and in our network
 * namespace. False whenever the kernel does not say so. One question, whatever sockets there are; does not wait. */
bool pt_peer_is_own(int fd);

/* What the kernel calls the other end: the process of a unix socket, the inode of a TCP socket (process.h finds whose it
 * is). 0: not this. */
struct pt_peer_end { pid_t pid; unsigned long inode; };
/* Of a socket of which pt_peer_is_own() holds. False, and all zero: the kernel does not say. Likewise one question. */
bool pt_peer_find_end(int fd, struct pt_peer_end *end);

#endif
