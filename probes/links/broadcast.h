/* A question to every network that this machine is on, by IPv4 broadcast, and what answers it. Any thread; blocks. */
#ifndef PT_PROBES_LINKS_BROADCAST_H
#define PT_PROBES_LINKS_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_BROADCAST_ADDRESS = 16, PT_BROADCAST_MAX_BYTES = 512 };

struct pt_broadcast {
	unsigned port;		/* UDP: where devices listen, and where they may answer, wherever the question came from */
	const uint8_t *question;
	size_t question_bytes;
	uint32_t wait_ms;	/* in all; the question is sent a second time halfway, as datagrams get lost */
	/* Each datagram that comes, cut to PT_BROADCAST_MAX_BYTES, and from where: "192.168.1.20". Any machine may send any
	 * number of them, the question itself comes back, too. */
	void (*answer)(void *arg, const char *from, const uint8_t *bytes, size_t n_bytes);
	void *arg;
};

/* Returns on how many networks it was asked; 0: this machine is on none that has broadcasts. PT_EIO: the system does not
 * let it send. */
int pt_broadcast(const struct pt_broadcast *ask, struct pt_err *err);

#endif
