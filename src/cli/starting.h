/* The start of a profile as the command line asks for it: reset (--reset), armed with the words of the options, and the
 * core let run if it stood. */
#ifndef PT_CLI_STARTING_H
#define PT_CLI_STARTING_H

#include <stdbool.h>

#include "cli/app.h"

struct pt_starting {
	struct pt_app *app;
	const struct pt_options *options;
	char *analyses;
	void (*done)(void *arg, int status);
	void *arg;
	bool runs;	/* the profile has begun, and the core runs from now on */
	bool over;
};

/* Once the board is attached, on the loop thread. starting is the caller's memory, until done is called or the app is closed;
 * analyses: the word "analysis=...", or NULL; freed here. done gets an exit status: PT_EXIT_DONE, or what failed was said. */
void pt_starting_begin(struct pt_starting *starting, struct pt_app *app, const struct pt_options *options,
		       char *analyses, void (*done)(void *arg, int status), void *arg);
/* done is not called any more. */
void pt_starting_cancel(struct pt_starting *starting);
/* Would capture=FILE, without --replace, replace an older capture? err says so. The daemon takes another name beside it; here the
 * next command of a script would read the old capture. */
bool pt_starting_would_overwrite(const struct pt_options *options, struct pt_err *err);

#endif
