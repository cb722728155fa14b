/* Who had what changed in the target, and when: the last of it for monitor log, all of it for the log of the daemon.
 * Entries are what clients asked for, and the units whose registers proftap changes for that, until it puts them back; what a refusal left undone is not among them where it is refused at the door.
 * Loop thread. */
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
void pt_changes_close(struct pt_changes *changes);	/* what has not been said yet is; frees itself; NULL is fine */

/* All of them do nothing if changes is NULL. What repeats one of the newest entries of the same client is counted there,
 * and told as a sum once it rests: a GDB that steps sets its breakpoints a hundred times. */
void pt_changes_note(struct pt_changes *changes, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "write 4096 bytes of memory at 0x20000000": what begins where the last one ended goes on with it. */
void pt_changes_wrote(struct pt_changes *changes, const char *who, const char *how, uint64_t addr, uint64_t len_bytes);
/* Names in reports are those of this program from here on. */
void pt_changes_program(struct pt_changes *changes, const char *who, const struct pt_program *program);
/* The newest n, oldest first, a line each. changes NULL, or nothing happened: says so. */
void pt_changes_print(const struct pt_changes *changes, size_t n, struct pt_text *out);

#endif
