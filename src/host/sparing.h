/* Messages that a stranger can cause as often as he likes: a web page must not fill a disk with them. The first
 * warning of a kind, and the first PT_SPARING_NEWS of news, are logged whole; those that follow within PT_SPARING_MS
 * are counted, and logged in one line when it is over; --log gdb has them all. Loop thread. */
#ifndef PT_SPARING_H
#define PT_SPARING_H

#include <uv.h>

enum { PT_SPARING_MS = 60000, PT_SPARING_NEWS = 50 };

struct pt_sparing;

/* part stands ahead of the sums: "gdb". */
struct pt_sparing *pt_sparing_new(uv_loop_t *loop, const char *part);
/* kind: a literal, told as "12 x KIND": "an HTTP request". s NULL: everything is said. */
void pt_sparing_warn(struct pt_sparing *s, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_sparing_info(struct pt_sparing *s, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pt_sparing_close(struct pt_sparing *s);	/* tells the sums, and frees itself; NULL is fine */

#endif
