/* The door for programs that read pin SWO: orbuculum, cortex-debug (a socket in its swoConfig), netcat. A client gets
 * the data of the running profile, from its connection on, and of later profiles; it sends nothing. A client for which
 * more than PT_SWO_DOOR_UNSENT bytes wait is disconnected, because a stream with holes would be worse. */
#ifndef PT_SWO_DOOR_H
#define PT_SWO_DOOR_H

#include <uv.h>

#include "base/error.h"
#include "host/peers.h"
#include "trace/chunk.h"

enum { PT_SWO_DOOR_CLIENTS = 8, PT_SWO_DOOR_UNSENT = 1 << 20 };

struct pt_swo_door_config {
	const char *raw, *text;		/* addresses to listen on (host/listen.h); NULL: no such stream */
	const struct pt_peers *allow;	/* as struct pt_listener has it */
};

struct pt_swo_door;

/* Loop thread, except take. */
struct pt_swo_door *pt_swo_door_new(uv_loop_t *loop);
int pt_swo_door_open(struct pt_swo_door *door, const struct pt_swo_door_config *config,
		     struct pt_err *err); /* of pt_listen() */
/* its address, with the actual port; NULL: it has none */
const char *pt_swo_door_raw(const struct pt_swo_door *door);
const char *pt_swo_door_text(const struct pt_swo_door *door);
/* Called by any one thread at a time for each chunk, in order. Does not block. May be called until
 * pt_swo_door_free(). */
void pt_swo_door_take(void *door, const struct pt_chunk *chunk);
void pt_swo_door_close(struct pt_swo_door *door);	/* its handles are closed in the next iterations of the loop */
void pt_swo_door_free(struct pt_swo_door *door); /* call it when they are closed and take() is not called any
							 * more; NULL is fine */

#endif
