/* The door for programs that read what comes out of pin SWO: orbuculum, cortex-debug (a socket as its swoConfig has it), netcat.
 * A client gets the bytes of the profile that runs, from when it connects, and those of the next one; it has nothing to say.
 * One that reads so slowly that PT_SWO_DOOR_UNSENT bytes wait for it is closed, in place of getting a stream with holes. */
#ifndef PT_SWO_DOOR_H
#define PT_SWO_DOOR_H

#include <uv.h>

#include "base/error.h"
#include "host/peers.h"
#include "trace/chunk.h"

enum { PT_SWO_DOOR_CLIENTS = 8, PT_SWO_DOOR_UNSENT = 1 << 20 };

struct pt_swo_door_config {
	const char *raw, *text;		/* where to listen (host/listen.h); NULL: not for this */
	const struct pt_peers *allow;	/* as struct pt_listener has it */
};

struct pt_swo_door;

/* Loop thread, all but take. */
struct pt_swo_door *pt_swo_door_new(uv_loop_t *loop);
int pt_swo_door_open(struct pt_swo_door *door, const struct pt_swo_door_config *config,
		     struct pt_err *err); /* of pt_listen() */
const char *pt_swo_door_raw(const struct pt_swo_door *door);	/* its address, with the real port; NULL: it has none */
const char *pt_swo_door_text(const struct pt_swo_door *door);
/* Any one thread at a time: a chunk of the profile, in order. Does not block. May be called until pt_swo_door_free(). */
void pt_swo_door_take(void *door, const struct pt_chunk *chunk);
void pt_swo_door_close(struct pt_swo_door *door);	/* its handles go with the next turns of the loop */
void pt_swo_door_free(struct pt_swo_door *door);	/* when they are gone, and nothing calls take(); NULL is fine */

#endif
