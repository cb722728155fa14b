#define _GNU_SOURCE /* struct ucred */
#include "host/peers.h"

#include <errno.h>
#include <grp.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_NAME = 64, MAX_GROUPS = 256 };

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool is_number(const char *name)
{
	return name[0] != '\0' && strspn(name, "0123456789") == strlen(name) && strlen(name) <= 10;
}

static int add_group(struct pt_peers *peers, const char *name, struct pt_err *err)
{
	const struct group *found = getgrnam(name);

	if (found == NULL && !is_number(name))
		return pt_fail(err, PT_EARG, "there is no group '%s'", name);
	if (peers->n_groups == PT_MAX_PEERS)
		return pt_fail(err, PT_EARG, "more than %d groups", PT_MAX_PEERS);
	peers->group[peers->n_groups++] = found != NULL ? found->gr_gid : (gid_t)strtoul(name, NULL, 10);
	return 0;
}

static int add_user(struct pt_peers *peers, const char *name, struct pt_err *err)
{
	const struct passwd *found = getpwnam(name);

	if (found == NULL && !is_number(name))
		return pt_fail(err, PT_EARG, "there is no user '%s' (a group is @NAME)", name);
	if (peers->n_users == PT_MAX_PEERS)
		return pt_fail(err, PT_EARG, "more than %d users", PT_MAX_PEERS);
	peers->user[peers->n_users++] = found != NULL ? found->pw_uid : (uid_t)strtoul(name, NULL, 10);
	return 0;
}

int pt_peers_parse(struct pt_peers *peers, const char *list, struct pt_err *err)
{
	const char *at = list;

	*peers = (struct pt_peers){ 0 };
	while (true) {
		size_t len = strcspn(at, ",");
		char name[MAX_NAME];
		int rc;

		if (len == 0 || len >= sizeof(name))
			return pt_fail(err, PT_EARG, "'%.40s' is no list of users and @groups", list);
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		rc = name[0] == '@' ? add_group(peers, name + 1, err) : add_user(peers, name, err);
		if (rc < 0 || at[len] == '\0')
			return rc;
		at += len + 1;
	}
}

/* --- a peer ------------------------------------------------------------------------------------------------------- */

static bool has_group(const struct pt_peers *peers, gid_t group)
{
	for (size_t i = 0; i < peers->n_groups; i++)
		if (peers->group[i] == group)
			return true;
	return false;
}

/* Checks the peer's supplementary groups; SO_PEERCRED has only one group. Older kernels do not support this: then only
 * that one counts. */
static bool has_other_group(const struct pt_peers *peers, int fd)
{
	gid_t groups[MAX_GROUPS];
	socklen_t len = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(groups[0]); i++)
		if (has_group(peers, groups[i]))
			return true;
	return false;
}

bool pt_peers_may(const struct pt_peers *peers, int fd, char who[PT_PEER_TEXT])
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0) {
		snprintf(who, PT_PEER_TEXT, "user not known");
		return false;
	}
	snprintf(who, PT_PEER_TEXT, "uid %u, pid %d", (unsigned)peer.uid, (int)peer.pid);
	if (peer.uid == geteuid() || peer.uid == 0)
		return true;
	for (size_t i = 0; peers != NULL && i < peers->n_users; i++)
		if (peers->user[i] == peer.uid)
			return true;
	return peers != NULL && (has_group(peers, peer.gid) || has_other_group(peers, fd));
}

/* --- is it us? ---------------------------------------------------------------------------------------------------- */

/* The kernel shows this number for a user that does not exist in our namespace. Source: user_namespaces(7). */
enum { OVERFLOW_UID = 65534, NETLINK_BYTES = 2048 };

static bool is_own_user(uid_t user)
{
	return user == geteuid() && user != OVERFLOW_UID;
}

/* An IPv6 socket reports IPv4 peers as mapped addresses, but the kernel's tables have IPv4 addresses. */
static bool put_address(const struct sockaddr_storage *from, uint8_t *family, __be32 address[4], __be16 *port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;

	if (from->ss_family == AF_INET) {
		*family = AF_INET;
		*port = v4->sin_port;
		memcpy(address, &v4->sin_addr, sizeof(v4->sin_addr));
		return true;
	}
	if (from->ss_family != AF_INET6)
		return false;
	*port = v6->sin6_port;
	*family = memcmp(v6->sin6_addr.s6_addr, mapped, sizeof(mapped)) == 0 ? AF_INET : AF_INET6;
	if (*family == AF_INET)
		memcpy(address, v6->sin6_addr.s6_addr + sizeof(mapped), sizeof(address[0]));
	else
		memcpy(address, v6->sin6_addr.s6_addr, sizeof(v6->sin6_addr));
	return true;
}

/* Describes the socket at the other end: its address is our peer's, and its peer's address is ours. False: not TCP
 * addresses. */
static bool name_other_end(int fd, struct inet_diag_req_v2 *question)
{
	struct sockaddr_storage here = { 0 }, there = { 0 };
	socklen_t here_len = sizeof(here), there_len = sizeof(there);
	uint8_t family;

	*question = (struct inet_diag_req_v2){ .sdiag_protocol = IPPROTO_TCP, .idiag_states = UINT32_MAX };
	question->id.idiag_cookie[0] = question->id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return getsockname(fd, (struct sockaddr *)&here, &here_len) == 0 &&
	       getpeername(fd, (struct sockaddr *)&there, &there_len) == 0 &&
	       put_address(&there, &question->sdiag_family, question->id.idiag_src, &question->id.idiag_sport) &&
	       put_address(&here, &family, question->id.idiag_dst, &question->id.idiag_dport) &&
	       family == question->sdiag_family;
}

/* Checks all fields: for a closed connection the kernel may return a listener, and it shows a socket without a process
 * (inode 0) as root's. */
static bool is_it(const struct inet_diag_msg *found, const struct inet_diag_req_v2 *question)
{
	return found->idiag_inode != 0 && found->id.idiag_dport == question->id.idiag_dport &&
	       found->id.idiag_sport == question->id.idiag_sport && is_own_user(found->idiag_uid);
}

/* The kernel answers before send() returns. Returns the inode of the other end; 0: it is not of our user. */
static unsigned long ask_kernel(int netlink, const struct inet_diag_req_v2 *question)
{
	struct { struct nlmsghdr head; struct inet_diag_req_v2 question; } request = {
		.head = { .nlmsg_len = sizeof(request),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST },
		.question = *question,
	};
	_Alignas(struct nlmsghdr) uint8_t answer[NETLINK_BYTES];
	const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
	const struct inet_diag_msg *found = NLMSG_DATA(head);
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	socklen_t from_len = sizeof(from);
	ssize_t n;

	if (sendto(netlink, &request, sizeof(request), 0, (struct sockaddr *)&from, sizeof(from)) < 0)
		return 0;
	n = recvfrom(netlink, answer, sizeof(answer), 0, (struct sockaddr *)&from, &from_len);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(*found)) || from.nl_pid != 0 || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return is_it(found, question) ? found->idiag_inode : 0;
}

static unsigned long find_own_tcp(int fd)
{
	struct inet_diag_req_v2 question;
	unsigned long inode = 0;
	int netlink;

	if (!name_other_end(fd, &question))
		return 0;
	netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
	if (netlink >= 0)
		inode = ask_kernel(netlink, &question);
	if (netlink >= 0)
		close(netlink);
	return inode;
}

static bool is_unix(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX;
}

/* pid 0: the process is in another namespace, but belongs to the user. */
static bool find_own_unix(int fd, pid_t *pid)
{
	struct ucred peer = { .pid = 0 };
	socklen_t len = sizeof(peer);
	bool own = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && is_own_user(peer.uid);

	*pid = own ? peer.pid : 0;
	return own;
}

bool pt_peer_is_own(int fd)
{
	pid_t pid;

	return is_unix(fd) ? find_own_unix(fd, &pid) : find_own_tcp(fd) != 0;
}

bool pt_peer_find_end(int fd, struct pt_peer_end *end)
{
	*end = (struct pt_peer_end){ 0 };
	if (is_unix(fd))
		return find_own_unix(fd, &end->pid) && end->pid > 0;
	end->inode = find_own_tcp(fd);
	return end->inode != 0;
}
