#include "cli/starting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/util.h"
#include "capture/write.h"
#include "host/log.h"

struct control {
	struct pt_job job;
	struct pt_starting *starting;
	void (*next)(struct pt_starting *starting);
};

static void end(struct pt_starting *s, int status)
{
	if (s->over)
		return;
	s->over = true;
	s->done(s->arg, status);
}

/* --- a word to the core, and what comes after it ------------------------------------------------------------------- */

static void control_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct control *control = (struct control *)job;
	struct pt_starting *s = control->starting;

	if (rc < 0 && !s->over)
		pt_error("%s", err->msg);
	if (rc < 0)
		end(s, PT_EXIT_DEVICE);
	else
		control->next(s);
	free(control);
}

static void post(struct pt_starting *s,
		 int (*run)(struct pt_job *, struct pt_board *, struct pt_target *, struct pt_err *),
		 void (*next)(struct pt_starting *s))
{
	struct control *control = pt_alloc(sizeof(*control));

	control->starting = s;
	control->next = next;
	control->job.run = run;
	control->job.done = control_done;
	pt_board_post(s->app->board, &control->job);
}

static int resume_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)job;
	return target != NULL ? pt_board_resume(board, 0, err) : pt_fail(err, PT_EIO, "the target is gone");
}

static int reset_run(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)job;
	return target != NULL ? pt_board_reset(board, PT_RESET_HALT, err) : pt_fail(err, PT_EIO, "the target is gone");
}

/* --- the profile ---------------------------------------------------------------------------------------------------- */

static void running(struct pt_starting *s)
{
	end(s, PT_EXIT_DONE);
}

static void on_started(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_starting *s = arg;

	(void)len_bytes;
	if (s->over)
		return;
	if (rc < 0) {
		pt_error("profile start: %s", text);
		end(s, rc == PT_EARG ? PT_EXIT_USAGE : PT_EXIT_DEVICE);
		return;
	}
	pt_info("%.*s%s", (int)strcspn(text, "\n"), text,
		s->options->for_ns == 0 ? "; Ctrl-C ends it and reports" : "");
	s->runs = true;
	if (pt_board_last_status(s->app->board, 0).state == PT_HALTED)
		post(s, resume_run, running);
	else
		running(s);
}

static void add(char (*words)[96], const char **list, size_t *n, const char *key, const char *value)
{
	if (value == NULL)
		return;
	snprintf(words[*n], sizeof(words[*n]), "%s=%s", key, value);
	list[*n] = words[*n];
	(*n)++;
}

static void start(struct pt_starting *s)
{
	const struct pt_options *options = s->options;
	char words[4][96], for_ns[32];
	const char *list[5];
	size_t n = 0;

	if (s->over)
		return;
	pt_params_write(PT_PARAM_TIME, options->for_ns, for_ns, sizeof(for_ns));
	/* the source knows it from the start, so a run on a virtual clock is repeatable */
	if (options->for_ns != 0)
		add(words, list, &n, "for", for_ns);
	add(words, list, &n, "source", options->source);
	add(words, list, &n, "mode", options->mode);
	if (s->analyses != NULL)
		list[n++] = s->analyses;
	pt_session_start(s->app->session, list, n, on_started, s);
	free(s->analyses);
	s->analyses = NULL;
}

void pt_starting_begin(struct pt_starting *starting, struct pt_app *app, const struct pt_options *options,
		       char *analyses, void (*done)(void *arg, int status), void *arg)
{
	*starting = (struct pt_starting){
		.app = app, .options = options, .analyses = analyses, .done = done, .arg = arg,
	};
	if (options->reset)
		post(starting, reset_run, start);
	else
		start(starting);
}

void pt_starting_cancel(struct pt_starting *starting)
{
	starting->over = true;
	free(starting->analyses);
	starting->analyses = NULL;
}

bool pt_starting_would_overwrite(const struct pt_options *options, struct pt_err *err)
{
	for (size_t i = options->n_words; i > 0 && !options->replace; i--) {
		const char *path = pt_capture_file_of(options->words[i - 1]);
		struct stat st;

		if (path == NULL)
			continue;
		if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
			return false;
		pt_fail(err, PT_EARG, "capture: %.200s exists: --replace overwrites an older capture", path);
		return true;
	}
	return false;
}
