/* Processes of our own user that are at the other end of a connection: which one it is, and how it was called. All of
 * it from /proc, which may be slow where a host has very many processes: as an errand (errand.h). */
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
	char folder[PATH_MAX];			/* that it works in; "": not known */
	char words[PT_PROCESS_WORDS_BYTES];	/* its command line: words, each ended by a zero byte */
	size_t words_bytes;			/* the last word is whole */
};

/* The process at that end, or the nearest of those that began it (a shell, a bridge), whose program has name in its file
 * name: "gdb" for arm-none-eabi-gdb. None but processes of our own user is looked at. False: there is none; nothing of
 * *found is to be read. */
bool pt_process_find(const struct pt_peer_end *end, const char *name, struct pt_process *found);

#endif
