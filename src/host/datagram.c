#include "host/datagram.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool pt_datagram_send(const char *path, const void *bytes, size_t len_bytes)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	int fd;
	bool sent;

	if (len == 0 || len >= sizeof(to.sun_path))
		return false;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	sent = sendto(fd, bytes, len_bytes, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == (ssize_t)len_bytes;
	close(fd);
	return sent;
}
