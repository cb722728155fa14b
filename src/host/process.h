/* Finds the process at the other end of a connection, if it belongs to our own user, and its command line. Reads /proc,
 * which may be slow on a host with very many processes: run it as an errand (errand.h). */
#ifndef PT_PROCESS_H
#define PT_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/peers.h"

enum { PT_PROCESS_WORDS_BYTES = 32 << 10 };

struct pt_process {
	pid_t pid;
	char folder[PATH_MAX];			/* its working directory; "": not known */
	char words[PT_PROCESS_WORDS_BYTES];	/* its command line: words, each followed by a zero byte */
	size_t words_bytes;			/* the last word is whole */
};

/* The process at that end, or its nearest ancestor (it may be a bridge below a shell), whose program has name in its file
 * name: "gdb" for arm-none-eabi-gdb. Only processes of our own user are inspected. False: there is none, and *found is not
 * valid. */
bool pt_process_find(const struct pt_peer_end *end, const char *name, struct pt_process *found);

#endif
