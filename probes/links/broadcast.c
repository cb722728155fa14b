/* The question goes to 255.255.255.255 through each interface: a plain broadcast takes the interface of the default route
 * alone. Devices may answer to the port of the question or to that which it came from: both are the same here, where no
 * other program has the port. */
#include "probes/links/broadcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "host/clock.h"
#include "host/log.h"

static int open_socket(unsigned port, struct pt_err *err)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1;

	if (fd < 0)
		return pt_fail(err, PT_EIO, "cannot ask the network: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) < 0)
		pt_warn("UDP port %u is used by another program (%s): devices that only answer to this port are not found",
			port, strerror(errno));
	return fd;
}

static bool has_broadcasts(const struct ifaddrs *at)
{
	return at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET && (at->ifa_flags & IFF_UP) != 0 &&
	       (at->ifa_flags & IFF_BROADCAST) != 0;
}

/* From the address that this machine has there. */
static bool send_through(int fd, const struct pt_broadcast *ask, const struct ifaddrs *at)
{
	struct sockaddr_in all = { .sin_family = AF_INET, .sin_port = htons((uint16_t)ask->port),
				   .sin_addr.s_addr = htonl(INADDR_BROADCAST) };
	struct iovec data = { .iov_base = (void *)ask->question, .iov_len = ask->question_bytes };
	union { struct cmsghdr head; uint8_t room[CMSG_SPACE(sizeof(struct in_pktinfo))]; } control = { .room = { 0 } };
	struct msghdr message = { .msg_name = &all, .msg_namelen = sizeof(all), .msg_iov = &data, .msg_iovlen = 1,
				  .msg_control = &control, .msg_controllen = sizeof(control) };
	struct sockaddr_in own;
	struct in_pktinfo info = { .ipi_ifindex = (int)if_nametoindex(at->ifa_name) };

	memcpy(&own, at->ifa_addr, sizeof(own));
	info.ipi_spec_dst = own.sin_addr;
	control.head = (struct cmsghdr){ .cmsg_level = IPPROTO_IP, .cmsg_type = IP_PKTINFO,
					 .cmsg_len = CMSG_LEN(sizeof(info)) };
	memcpy(CMSG_DATA(&control.head), &info, sizeof(info));
	return sendmsg(fd, &message, 0) >= 0;
}

/* As of pt_broadcast(). */
static int send_to_all(int fd, const struct pt_broadcast *ask, struct pt_err *err)
{
	struct ifaddrs *all;
	int n_asked = 0, error = 0;

	if (getifaddrs(&all) < 0)
		return pt_fail(err, PT_EIO, "cannot list this machine's networks: %s", strerror(errno));
	for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
		if (!has_broadcasts(at))
			continue;
		if (send_through(fd, ask, at)) {
			n_asked++;
			continue;
		}
		error = errno;
		pt_debug(PT_LOG_USB, "broadcast: not sent on %s: %s", at->ifa_name, strerror(error));
	}
	freeifaddrs(all);
	return n_asked == 0 && error != 0 ? pt_fail(err, PT_EIO, "cannot ask the network: %s", strerror(error))
					  : n_asked;
}

/* What comes until then. */
static void take_answers(int fd, const struct pt_broadcast *ask, uint64_t until_ns)
{
	struct pollfd wait_for = { .fd = fd, .events = POLLIN };
	uint8_t bytes[PT_BROADCAST_MAX_BYTES];

	while (pt_host_now_ns() < until_ns) {
		struct sockaddr_in from = { 0 };
		socklen_t from_bytes = sizeof(from);
		char text[PT_BROADCAST_ADDRESS];
		ssize_t n = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &from_bytes);

		if (n < 0)
			poll(&wait_for, 1, pt_host_ms_until(until_ns));
		else if (inet_ntop(AF_INET, &from.sin_addr, text, sizeof(text)) != NULL)
			ask->answer(ask->arg, text, bytes, (size_t)n);
	}
}

int pt_broadcast(const struct pt_broadcast *ask, struct pt_err *err)
{
	uint64_t begun_ns = pt_host_now_ns(), half_ns = ask->wait_ms * (uint64_t)PT_NS_PER_MS / 2;
	int fd = open_socket(ask->port, err), n_asked;

	if (fd < 0)
		return fd;
	n_asked = send_to_all(fd, ask, err);
	for (unsigned half = 1; n_asked > 0 && half <= 2; half++) {
		take_answers(fd, ask, begun_ns + half * half_ns);
		if (half == 1)
			send_to_all(fd, ask, NULL);
	}
	close(fd);
	return n_asked;
}
