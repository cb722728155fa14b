/* Starts a profile as the command line says: reset (--reset), arm with the given settings, and resume a halted core. */
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
	bool runs;	/* the profile has begun, and the core runs */
	bool over;
};

/* Call it when the board is attached, on the loop thread. starting is the caller's memory, until done is called or the
 * app is closed; analyses: the setting "analysis=...", or NULL; freed here. done gets an exit status: PT_EXIT_DONE, or
 * the error has been printed. */
void pt_starting_begin(struct pt_starting *starting, struct pt_app *app, const struct pt_options *options,
		       char *analyses, void (*done)(void *arg, int status), void *arg);
/* done is not called any more. */
void pt_starting_cancel(struct pt_starting *starting);
/* Would capture=FILE, without --replace, replace an older capture? err says so. The daemon uses another name then; for
 * a single command this is an error, because the next command of a script would read the old capture. */
bool pt_starting_would_overwrite(const struct pt_options *options, struct pt_err *err);

#endif
