/* Limits messages that a stranger can cause at will: a web page must not fill a disk with them. The first warning of a
 * kind, and the first PT_SPARING_NEWS infos, are logged in full. Those that follow within PT_SPARING_MS are counted, and
 * logged as one line at the end of that time; --log gdb logs all of them. Loop thread. */
#ifndef PT_SPARING_H
#define PT_SPARING_H

#include <uv.h>

enum { PT_SPARING_MS = 60000, PT_SPARING_NEWS = 50 };

struct pt_sparing;

/* part: begins the lines with counts: "gdb". */
struct pt_sparing *pt_sparing_new(uv_loop_t *loop, const char *part);
/* kind: a literal for the count, "12 x KIND": "an HTTP request". s NULL: logs every message. */
void pt_sparing_warn(struct pt_sparing *s, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_sparing_info(struct pt_sparing *s, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_sparing_close(struct pt_sparing *s);	/* logs the counts and frees s; NULL is fine */

#endif
