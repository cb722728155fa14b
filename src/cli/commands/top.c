/* proftap top: shows the table of a running profile, updated each second, until q; then prints the last one as proftap
 * profile does. Keys choose the view and the order. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/util.h"
#include "cli/app.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/starting.h"
#include "cli/subcommands.h"
#include "host/log.h"
#include "report/table/order.h"
#include "report/views/views.h"

enum { FIRST_MS = 300, EVERY_MS = 1000, MOST_ROWS = 1000, MOST_LINES = 1 << 20, LAST_ROWS = 20, LEAST_COLUMNS = 40 };

/* The arrow keys select one of these. */
static const char *const views[] = { "functions", "calls", "tree", "lines", "irqs", "tasks", "data", "counters" };

struct top {
	struct pt_app app;
	const struct pt_options *options;
	struct pt_board_listener listener;
	struct pt_starting starting;
	struct pt_screen *screen, *closed_screen;	/* screen NULL: not opened yet, or closed */
	struct pt_query query;
	uv_signal_t signals[3];
	uv_timer_t tick;
	uint64_t begun_ns;
	char *table;			/* the last one; NULL: there is none */
	size_t scroll;			/* lines of the table that are scrolled out at the top */
	uint32_t last_rows;		/* of the table that is printed at the end */
	int status;
	bool attached, started, asked, again, held, leaving, over;
};

static void finish(struct top *t, int status)
{
	t->status = status;
	t->over = true;
	pt_starting_cancel(&t->starting);
	uv_stop(t->app.loop);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

static size_t count_lines(const char *text, size_t len_bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < len_bytes; i++)
		n += text[i] == '\n';
	return n;
}

/* The lines of a report that do not scroll: the first ones, an empty line, and the table's heading. */
static size_t head_of(const char *text)
{
	const char *blank = strstr(text, "\n\n");

	return blank != NULL ? count_lines(text, (size_t)(blank + 2 - text)) + 1 : 0;
}

/* Scrolling ends when the last row is at the bottom of the screen. */
static void limit_scroll(struct top *t, size_t head)
{
	enum { TITLE_AND_FOOT = 2 };
	unsigned lines, columns;
	size_t all = count_lines(t->table, strlen(t->table)) + TITLE_AND_FOOT, most;

	pt_screen_size(t->screen, &lines, &columns);
	most = all > lines && head + TITLE_AND_FOOT < lines ? all - lines : 0;
	if (t->scroll > most)
		t->scroll = most;
}

static void draw(struct top *t)
{
	char title[200];
	size_t head;

	if (t->screen == NULL)
		return;
	snprintf(title, sizeof(title),
		 "proftap top: %s%s%s, %" PRIu64 " s%s   q quit  space hold  < > view  s sort  0 anew", t->query.view,
		 t->query.sort[0] != '\0' ? " by " : "", t->query.sort, (uv_hrtime() - t->begun_ns) / PT_NS_PER_S,
		 t->held ? ", HELD" : "");
	if (t->table == NULL) {
		pt_screen_draw(t->screen, title, "no table yet", 0, 0);
		return;
	}
	head = head_of(t->table);
	limit_scroll(t, head);
	pt_screen_draw(t->screen, title, t->table, head, t->scroll);
}

static void ask(struct top *t);

static void on_table(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct top *t = arg;

	(void)rc;	/* an error message is shown in place of the table */
	t->asked = false;
	if (t->over || t->leaving)
		return;
	free(t->table);
	t->table = pt_strndup(text, len_bytes);
	draw(t);
	if (t->again)
		ask(t);
}

static void ask(struct top *t)
{
	unsigned lines, columns;

	t->again = t->asked;
	if (t->asked || t->screen == NULL)
		return;
	pt_screen_size(t->screen, &lines, &columns);
	t->query.columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS
			   : columns < UINT16_MAX  ? (uint16_t)columns
						   : UINT16_MAX;
	t->asked = true;
	pt_session_report(t->app.session, &t->query, on_table, t);
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

static void give_screen_back(struct top *t)
{
	if (t->screen != NULL)
		pt_screen_close(t->screen);
	t->closed_screen = t->screen;
	t->screen = NULL;
}

static void on_last_table(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct top *t = arg;

	if (t->over)
		return;
	if (rc < 0)
		pt_error("%s", text);
	if (rc < 0 || pt_output_write(&t->query, NULL, text, len_bytes) != PT_EXIT_DONE)
		t->status = PT_EXIT_USAGE;
	finish(t, t->status);
}

static void on_stopped(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct top *t = arg;
	const char *ended = pt_session_why_ended(t->app.session);
	struct pt_query shown = t->query;

	(void)len_bytes;
	if (t->over)
		return;
	if (rc < 0)
		pt_error("profile stop: %s", text);
	else if (ended[0] != '\0')
		pt_error("the profile ended by itself: %s", ended);
	if (rc < 0 || ended[0] != '\0')
		t->status = PT_EXIT_DEVICE;
	pt_output_fit_terminal(&shown);
	shown.top = t->last_rows;
	t->query = shown;
	pt_session_report(t->app.session, &t->query, on_last_table, t);
}

static void leave(struct top *t)
{
	if (t->leaving)
		return;
	t->leaving = true;
	uv_timer_stop(&t->tick);
	give_screen_back(t);
	pt_session_stop(t->app.session, on_stopped, t);
}

/* Before the profile has begun there is nothing to print; a second signal leaves at once. */
static void on_signal(uv_signal_t *handle, int signum)
{
	struct top *t = handle->data;

	(void)signum;
	if (t->leaving || !t->started)
		finish(t, t->status);
	else
		leave(t);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void show_view(struct top *t, int step)
{
	size_t i = 0;

	while (i < PT_LEN(views) && strcmp(views[i], t->query.view) != 0)
		i++;
	i = (i < PT_LEN(views) ? i + PT_LEN(views) + (size_t)step : 0) % PT_LEN(views);
	snprintf(t->query.view, sizeof(t->query.view), "%s", views[i]);
	t->query.sort[0] = '\0';
	t->scroll = 0;
}

/* Sorts by the next numeric column; after the last one, in the order of the view. */
static void sort_by_next(struct top *t)
{
	const struct pt_view *view = pt_view_find(t->query.view);
	char word[PT_SORT_WORD];
	bool found = t->query.sort[0] == '\0';

	for (size_t i = 1; view != NULL && i < view->n_columns; i++) {
		const struct pt_column *column = &view->columns[i];

		pt_view_sort_word(view, i, word);
		if ((column->brief != PT_ALWAYS && column->brief != PT_IF_ROOM) || column->unit == PT_UNIT_NONE ||
		    strlen(word) >= sizeof(t->query.sort))
			continue;
		if (found) {
			memcpy(t->query.sort, word, strlen(word) + 1);
			return;
		}
		found = strcmp(word, t->query.sort) == 0;
	}
	t->query.sort[0] = '\0';
}

static void on_anew(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct top *t = arg;

	(void)len_bytes;
	if (rc < 0)
		pt_warn("profile reset: %s", text);
	else
		t->begun_ns = uv_hrtime();
	if (!t->leaving && !t->over)
		ask(t);
}

static void scroll(struct top *t, int key)
{
	unsigned lines, columns;
	size_t page;

	pt_screen_size(t->screen, &lines, &columns);
	page = lines > 10 ? lines - 10 : 1;
	switch (key) {
	case PT_KEY_UP: t->scroll -= t->scroll > 0; break;
	case PT_KEY_DOWN: t->scroll++; break;
	case PT_KEY_PAGE_UP: t->scroll -= t->scroll > page ? page : t->scroll; break;
	case PT_KEY_PAGE_DOWN: t->scroll += page; break;
	case PT_KEY_HOME: t->scroll = 0; break;
	default: t->scroll = MOST_LINES; break;
	}
	draw(t);
}

static void on_key(void *arg, int key)
{
	struct top *t = arg;

	switch (key) {
	case 'q': leave(t); return;
	case ' ': t->held = !t->held; break;
	case '<':
	case PT_KEY_LEFT: show_view(t, -1); break;
	case '>':
	case '\t':
	case PT_KEY_RIGHT: show_view(t, 1); break;
	case 's': sort_by_next(t); break;
	case '0': pt_session_reset(t->app.session, on_anew, t); return;
	default:
		if (key >= PT_KEY_UP)
			scroll(t, key);
		return;
	}
	draw(t);
	if (!t->held || key != ' ')
		ask(t);
}

static void on_resized(void *arg)
{
	draw(arg);
	ask(arg);
}

static void on_gone(void *arg)
{
	leave(arg);
}

/* --- the start ------------------------------------------------------------------------------------------------------ */

static void on_tick(uv_timer_t *tick)
{
	struct top *t = tick->data;

	if (pt_session_get_state(t->app.session) != PT_SESSION_RUNNING)
		leave(t);	/* prints why the profile ended */
	else if (!t->held)
		ask(t);
}

static void on_started(void *arg, int status)
{
	static const struct pt_screen_ops ops = { on_key, on_resized, on_gone };
	struct top *t = arg;
	struct pt_err err = { 0 };

	if (status != PT_EXIT_DONE) {
		finish(t, status);
		return;
	}
	t->started = true;
	t->begun_ns = uv_hrtime();
	t->screen = pt_screen_new(t->app.loop, &ops, t, &err);
	if (t->screen == NULL) {
		pt_error("%s", err.msg);
		t->status = PT_EXIT_USAGE;
		leave(t);
		return;
	}
	draw(t);
	uv_timer_start(&t->tick, on_tick, FIRST_MS, EVERY_MS);
}

/* The analyses of all views that the keys select. */
static char *analyses_of(const struct top *t)
{
	struct pt_query query = t->query;
	char *all = pt_output_analyses(&query, t->options, NULL);

	for (size_t i = 0; i < PT_LEN(views) && pt_view_find(views[i]) != NULL; i++) {
		char *more;

		snprintf(query.view, sizeof(query.view), "%s", views[i]);
		more = pt_output_analyses(&query, t->options, all != NULL ? strchr(all, '=') + 1 : NULL);
		if (more == NULL)
			continue;
		free(all);
		all = more;
	}
	return all;
}

static void on_board_state(void *arg, enum pt_board_state state, const char *why)
{
	struct top *t = arg;

	if (t->attached || t->over)
		return;		/* the session prints the reason of a loss */
	if (state == PT_BOARD_CLOSED || state == PT_BOARD_LOCKED) {
		pt_error("%s", why);
		finish(t, pt_board_get_error(t->app.board) == PT_EARG ? PT_EXIT_USAGE : PT_EXIT_DEVICE);
	} else if (state == PT_BOARD_READY) {
		t->attached = true;
		pt_info("attached: %s", why);
		pt_starting_begin(&t->starting, &t->app, t->options, analyses_of(t), on_started, t);
	}
}

static void watch_signals(struct top *t)
{
	static const int signums[PT_LEN(t->signals)] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < PT_LEN(signums); i++) {
		uv_signal_init(t->app.loop, &t->signals[i]);
		t->signals[i].data = t;
		uv_signal_start(&t->signals[i], on_signal, signums[i]);
	}
	uv_timer_init(t->app.loop, &t->tick);
	t->tick.data = t;
}

static int prepare(struct top *t, struct pt_err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return pt_fail(err, PT_EARG,
			       "top draws on a terminal, and standard input or output is none; proftap profile "
			       "--for 2s prints the table once");
	if (pt_output_query(&t->query, t->options, t->options->rest, t->options->n_rest, err) < 0 ||
	    pt_starting_would_overwrite(t->options, err))
		return err->code;
	if (t->query.view[0] == '\0')
		snprintf(t->query.view, sizeof(t->query.view), "%s", views[0]);
	t->query.colour = false;	/* ncurses has colours of its own */
	t->last_rows = t->query.top_given ? t->query.top : LAST_ROWS;
	if (!t->query.top_given)
		t->query.top = MOST_ROWS;
	t->query.top_given = true;
	return 0;
}

static int run_top(const struct pt_options *options)
{
	struct pt_app_kind kind = { .virtual_clock = "wall", .replace_capture = options->replace };
	struct top t = { .options = options };
	struct pt_err err = { 0 };

	t.status = prepare(&t, &err) < 0 ? PT_EXIT_USAGE : pt_app_open(&t.app, options, &kind, &err);
	if (t.status != PT_EXIT_DONE) {
		pt_error("%s", err.msg);
		return t.status;
	}
	t.listener = (struct pt_board_listener){ .arg = &t, .on_state = on_board_state };
	pt_board_listen(t.app.board, &t.listener);
	watch_signals(&t);
	uv_run(t.app.loop, UV_RUN_DEFAULT);
	give_screen_back(&t);
	pt_board_unlisten(t.app.board, &t.listener);
	uv_close((uv_handle_t *)&t.tick, NULL);
	for (size_t i = 0; i < PT_LEN(t.signals); i++)
		uv_close((uv_handle_t *)&t.signals[i], NULL);
	pt_app_close(&t.app);
	pt_screen_free(t.closed_screen);
	free(t.table);
	return t.status;
}

const struct pt_subcommand pt_subcommand_top = { "top", "[VIEW] [sort=KEY] [top=N]", "profile, with the table on the terminal each second",

	"proftap top --elf fw.elf --core-clock 48M\n"
	"    the functions while the program runs; q leaves, and prints the table\n"
	"proftap top irqs --elf fw.elf\n"
	"    the interrupts first; < and > go from view to view\n",
	run_top };
