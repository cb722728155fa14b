#include "cli/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/util.h"

enum { MOST_COLUMNS = 400 };
enum { MOST_SAID = 64 << 10 };	/* bytes of messages that are kept; older ones are dropped */

struct pt_screen {
	const struct pt_screen_ops *ops;
	void *arg;
	SCREEN *terminal;
	uv_poll_t keys, messages;
	uv_signal_t resized;
	int stderr_fd, pipe_fd;		/* the real standard error; the end of a pipe that replaces it */
	struct pt_text said;
	char last[256];			/* its last line */
};

/* --- messages ------------------------------------------------------------------------------------------------------- */

static void show_last(const struct pt_screen *s)
{
	mvaddnstr(LINES - 1, 0, s->last, COLS);
	clrtoeol();
}

static void keep_last_line(struct pt_screen *s, const char *bytes, size_t n)
{
	while (n > 0 && bytes[n - 1] == '\n')
		n--;
	for (size_t i = n; i > 0; i--) {
		if (bytes[i - 1] == '\n') {
			bytes += i;
			n -= i;
			break;
		}
	}
	if (n > 0)
		snprintf(s->last, sizeof(s->last), "%.*s", (int)(n < sizeof(s->last) ? n : sizeof(s->last) - 1), bytes);
}

static void take_messages(struct pt_screen *s)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(s->pipe_fd, bytes, sizeof(bytes))) > 0) {
		if (s->said.len_bytes + (size_t)n > MOST_SAID)
			pt_text_free(&s->said);
		pt_text_add(&s->said, "%.*s", (int)n, bytes);
		keep_last_line(s, bytes, (size_t)n);
	}
}

static void on_messages(uv_poll_t *handle, int status, int events)
{
	struct pt_screen *s = handle->data;

	(void)status, (void)events;
	take_messages(s);
	show_last(s);
	refresh();
}

/* 0, or -1: no pipe, and messages go to standard error as before */
static int take_standard_error(struct pt_screen *s)
{
	int ends[2];

	if (pipe(ends) < 0)
		return -1;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);	/* a full pipe must not block the writer */
	fflush(stderr);
	s->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	s->pipe_fd = ends[0];
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	return 0;
}

static void give_standard_error_back(struct pt_screen *s)
{
	if (s->stderr_fd < 0)
		return;
	fflush(stderr);
	take_messages(s);
	dup2(s->stderr_fd, STDERR_FILENO);
	close(s->stderr_fd);
	close(s->pipe_fd);
	s->stderr_fd = -1;
	fwrite(s->said.bytes, 1, s->said.len_bytes, stderr);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static int key_of(int code)
{
	static const struct { int code, key; } keys[] = {
		{ KEY_UP, PT_KEY_UP }, { KEY_DOWN, PT_KEY_DOWN }, { KEY_LEFT, PT_KEY_LEFT }, { KEY_RIGHT, PT_KEY_RIGHT },
		{ KEY_PPAGE, PT_KEY_PAGE_UP }, { KEY_NPAGE, PT_KEY_PAGE_DOWN }, { KEY_HOME, PT_KEY_HOME }, { KEY_END, PT_KEY_END },
	};

	for (size_t i = 0; i < PT_LEN(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code < 0x80 ? code : 0;
}

static void on_keys(uv_poll_t *handle, int status, int events)
{
	struct pt_screen *s = handle->data;
	int code, n = 0;

	(void)events;
	while (s->terminal != NULL && (code = getch()) != ERR) {	/* a key may close the screen */
		n++;
		if (code == KEY_RESIZE)		/* of ncurses itself, after the process was stopped */
			s->ops->resized(s->arg);
		else if (key_of(code) != 0)
			s->ops->key(s->arg, key_of(code));
	}
	if (status < 0 || (n == 0 && s->terminal != NULL)) {	/* readable, but without data: its end */
		uv_poll_stop(&s->keys);
		s->ops->gone(s->arg);
	}
}

static void on_resized(uv_signal_t *handle, int signum)
{
	struct pt_screen *s = handle->data;
	struct winsize size;

	(void)signum;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
	clear();
	s->ops->resized(s->arg);
}

/* --- the terminal --------------------------------------------------------------------------------------------------- */

struct pt_screen *pt_screen_new(uv_loop_t *loop, const struct pt_screen_ops *ops, void *arg, struct pt_err *err)
{
	struct pt_screen *s;
	SCREEN *terminal;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		pt_fail(err, PT_EARG, "standard input and output are no terminal");
		return NULL;
	}
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (terminal == NULL) {
		pt_fail(err, PT_EARG, "the terminal is of an unknown kind: TERM names none that is known here");
		return NULL;
	}
	s = pt_alloc(sizeof(*s));
	*s = (struct pt_screen){ .ops = ops, .arg = arg, .terminal = terminal, .stderr_fd = -1 };
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	s->keys.data = s->messages.data = s->resized.data = s;
	uv_poll_init(loop, &s->keys, STDIN_FILENO);
	uv_poll_start(&s->keys, UV_READABLE, on_keys);
	uv_signal_init(loop, &s->resized);
	uv_signal_start(&s->resized, on_resized, SIGWINCH);
	if (take_standard_error(s) == 0) {
		uv_poll_init(loop, &s->messages, s->pipe_fd);
		uv_poll_start(&s->messages, UV_READABLE, on_messages);
	}
	return s;
}

void pt_screen_close(struct pt_screen *s)
{
	if (s->terminal == NULL)
		return;
	uv_close((uv_handle_t *)&s->keys, NULL);
	uv_close((uv_handle_t *)&s->resized, NULL);
	if (s->stderr_fd >= 0)
		uv_close((uv_handle_t *)&s->messages, NULL);
	endwin();
	delscreen(s->terminal);
	s->terminal = NULL;
	give_standard_error_back(s);
}

void pt_screen_free(struct pt_screen *s)
{
	if (s == NULL)
		return;
	pt_text_free(&s->said);
	free(s);
}

void pt_screen_size(const struct pt_screen *s, unsigned *lines, unsigned *columns)
{
	(void)s;
	*lines = (unsigned)LINES;
	*columns = (unsigned)COLS;
}

/* Truncated if too long; bytes that are no character count as the C library counts them. */
static void draw_line(int row, const char *line, size_t len_bytes)
{
	wchar_t shown[MOST_COLUMNS + 1];
	char text[4 * MOST_COLUMNS + 1];
	const char *at = text;
	mbstate_t state = { 0 };
	size_t n;

	snprintf(text, sizeof(text), "%.*s", (int)(len_bytes < sizeof(text) ? len_bytes : sizeof(text) - 1), line);
	n = mbsrtowcs(shown, &at, MOST_COLUMNS, &state);
	if (n == (size_t)-1)
		mvaddnstr(row, 0, line, (int)len_bytes < COLS ? (int)len_bytes : COLS);
	else
		mvaddnwstr(row, 0, shown, (int)n < COLS ? (int)n : COLS);
}

void pt_screen_draw(struct pt_screen *s, const char *title, const char *text, size_t n_head, size_t scroll)
{
	int row = 1;

	erase();
	attron(A_REVERSE);
	mvprintw(0, 0, "%-*.*s", COLS, COLS, title);
	attroff(A_REVERSE);
	for (size_t i = 0, n; row < LINES - 1 && *text != '\0'; i++, text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (i < n_head || i >= n_head + scroll)
			draw_line(row++, text, n);
	}
	show_last(s);
	refresh();
}
