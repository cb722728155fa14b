#define _GNU_SOURCE /* struct ucred */
#include "host/peers.h"

#include <grp.h>
#include <pwd.h>
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

/* Besides the one that SO_PEERCRED tells. Kernels that do not know the question have no answer: then that one
 * counts. */
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
		snprintf(who, PT_PEER_TEXT, "nobody knows who");
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
