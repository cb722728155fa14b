/* Records which client changed what in the target, and when: the newest changes for monitor log, all of them for the
 * daemon's log. Entries are requests of clients, and the units whose registers proftap changes for them, until it
 * restores them. Requests that the door refuses are not entered. Loop thread. */
#ifndef PT_CHANGES_H
#define PT_CHANGES_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/text.h"
#include "program/model/program.h"

enum { PT_CHANGES_KEPT = 256 };

struct pt_changes;

struct pt_changes *pt_changes_new(uv_loop_t *loop);
void pt_changes_close(struct pt_changes *changes); /* logs what has not been logged yet; frees itself; NULL is
							 * fine */

/* All functions do nothing if changes is NULL. A repetition of one of the newest entries of the same client is counted
 * there, and logged as a sum when the repetitions end: a GDB that steps sets its breakpoints a hundred times. */
void pt_changes_note(struct pt_changes *changes, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "write 4096 bytes of memory at 0x20000000": a span that begins where the last one ended extends that one. */
void pt_changes_wrote(struct pt_changes *changes, const char *who, const char *how, uint64_t addr, uint64_t len_bytes);
/* From now on addresses get names from this program. */
void pt_changes_program(struct pt_changes *changes, const char *who, const struct pt_program *program);
/* Prints the newest n, oldest first, one per line. changes NULL, or none: says so. */
void pt_changes_print(const struct pt_changes *changes, size_t n, struct pt_text *out);

#endif
