/* Uses the whole terminal for a table that is redrawn repeatedly (ncurses). Messages of other parts on standard error
 * do not disturb it: the last line is shown at the bottom, and all are printed again at the end. */
#ifndef PT_CLI_SCREEN_H
#define PT_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"

struct pt_screen;

enum pt_key { PT_KEY_UP = 0x1000, PT_KEY_DOWN, PT_KEY_LEFT, PT_KEY_RIGHT, PT_KEY_PAGE_UP, PT_KEY_PAGE_DOWN, PT_KEY_HOME, PT_KEY_END };

struct pt_screen_ops {
	void (*key)(void *arg, int key);	/* a character, or enum pt_key */
	void (*resized)(void *arg);
	void (*gone)(void *arg);		/* the terminal was closed */
};

/* Loop thread, as all functions here. NULL: standard input or output is not a terminal, or of an unknown type; err says
 * so. */
struct pt_screen *pt_screen_new(uv_loop_t *loop, const struct pt_screen_ops *ops, void *arg, struct pt_err *err);
/* Restores the terminal. The loop closes the handles; then pt_screen_free(). */
void pt_screen_close(struct pt_screen *screen);
void pt_screen_free(struct pt_screen *screen);	/* NULL: fine */

void pt_screen_size(const struct pt_screen *screen, unsigned *lines, unsigned *columns);
/* The first line is title. The first n_head lines of text follow; the rest of the screen shows the lines after these,
 * from number scroll on. Longer lines are truncated. */
void pt_screen_draw(struct pt_screen *screen, const char *title, const char *text, size_t n_head, size_t scroll);

#endif
