/* The daemon's control socket (ctldoor/ctl_door.h): one for all its stations. Loop thread. */
#ifndef PT_DAEMON_CONTROL_H
#define PT_DAEMON_CONTROL_H

#include "daemon/station.h"

struct pt_control;

/* *control NULL, and 0: none is wanted, or another daemon of this user has the default one (a message says so). stations: the list,
 * which may grow. PT_EARG, PT_EBUSY, PT_EPERM: --control. */
int pt_control_open(struct pt_control **control, uv_loop_t *loop, const struct pt_options *options,
		    struct pt_station *const *stations, struct pt_err *err);
/* Before the boards are closed; then on_closed, and it is freed. */
void pt_control_close(struct pt_control *control, void (*on_closed)(void *arg), void *arg);

#endif
