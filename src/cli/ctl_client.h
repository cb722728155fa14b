/* The other end of the daemon's control socket (ctldoor/ctl_door.h), for subcommands. Blocks. */
#ifndef PT_CTL_CLIENT_H
#define PT_CTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/options.h"

enum { PT_CTL_ADDRESS = 256 };

/* Where a daemon of this user has it if no option says: "unix:PATH". make: creates the folder. False: nowhere. */
bool pt_ctl_own_address(char address[PT_CTL_ADDRESS], bool make);

/* Connects to --control, else to that of this user's daemon, else to the service's; asks, and waits for the answer, whose progress it
 * shows. The first SIGINT cancels a command, the second ends the process. NULL: PT_EIO, there is no daemon, or PT_EARG, the request is
 * not UTF-8; else the answer's code may be an error, too: then err has its sentence. */
json_t *pt_ctl_ask(const struct pt_options *options, json_t *request, struct pt_err *err);

#endif
