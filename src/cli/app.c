/* The parts are opened in the order of their dependences, and closed in reverse. */
#include "cli/app.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log.h"
#include "pipeline/pipeline.h"
#include "targets/registry.h"
#include "probes/wires/jtag_chain.h"
#include "probes/registry.h"
#include "program/model/settings.h"
#include "base/util.h"

static const char virtual_scheme[] = "virtual:";

static bool starts_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool has_key(const char *uri, const char *key)
{
	const char *query = strchr(uri, '?');
	size_t len = strlen(key);

	while (query != NULL) {
		query++;
		if (strncmp(query, key, len) == 0 && query[len] == '=')
			return true;
		query = strchr(query, '&');
	}
	return false;
}

static int add_key(char *uri, size_t size, const char *key, const char *value, struct pt_err *err)
{
	size_t at = strlen(uri), room = size - at;
	char mark = strchr(uri, '?') != NULL ? '&' : '?';

	if (value == NULL || has_key(uri, key))
		return 0;
	if (strchr(value, '&') != NULL)
		return pt_fail(err, PT_EARG, "%s: the address of a virtual board cannot hold a \"&\"", value);
	if ((size_t)snprintf(uri + at, room, "%c%s=%s", mark, key, value) >= room)
		return pt_fail(err, PT_EARG, "the address of the probe is too long with %s=%.100s...", key, value);
	return 0;
}

static const char *word_value(const struct pt_options *options, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = options->n_words; i > 0; i--)
		if (strncmp(options->words[i - 1], key, len) == 0 && options->words[i - 1][len] == '=')
			return options->words[i - 1] + len + 1;
	return NULL;
}

/* --- which probe -------------------------------------------------------------------------------------------------- */

/* Devices that are certainly probes come first. Returns the number of those, or pt_probe_list()'s error; other: a
 * device that may be none, NULL: none. */
static int list_probes(struct pt_probe_found *found, size_t room, const struct pt_probe_found **other,
		       struct pt_err *err)
{
	int n = pt_probe_list(found, room, err), n_probes = 0;

	*other = NULL;
	for (int i = 0; i < n && i < (int)room; i++) {
		struct pt_probe_found row = found[i];

		if (row.common)
			continue;
		found[i] = found[n_probes];
		found[n_probes++] = row;
	}
	if (n > n_probes && n_probes < (int)room)
		*other = &found[n_probes];
	return n < 0 ? n : n_probes;
}

static int pick_probe(struct pt_app *app, const struct pt_app_kind *kind, struct pt_err *err)
{
	struct pt_probe_found found[8];
	const struct pt_probe_found *other;
	int n = list_probes(found, PT_LEN(found), &other, err);

	if (n > 0) {
		snprintf(app->uri[0], sizeof(app->uri[0]), "%s", found[0].uri);
		if (n > 1)
			pt_info("%d probes are plugged in: taking %s (%s); --probe %s takes another, and `proftap probes` "
				"lists them",
				n, found[0].uri, found[0].product, found[1].uri);
	} else if (kind->demo && isatty(STDERR_FILENO)) {
		snprintf(app->uri[0], sizeof(app->uri[0]), "virtual:kl27");
		pt_info("no probe is plugged in: starting the virtual board kl27 with its demo firmware "
			"(name a probe with --probe)");
	} else if (kind->reopen) {
		app->uri[0][0] = '\0';	/* whichever comes */
	} else if (n == 0 && other != NULL) {
		pt_fail(err, PT_EIO, "%s is plugged in (%s), which is a probe only if you say so: --probe %s",
			other->product, other->where, other->uri);
		return PT_EXIT_DEVICE;
	} else if (n == 0) {
		pt_fail(err, PT_EIO, "no probe is plugged in; name one with --probe, or use --probe virtual:kl27");
		return PT_EXIT_DEVICE;
	} else {
		return PT_EXIT_DEVICE;
	}
	return PT_EXIT_DONE;
}

/* Takes the probe on the board, unless the user names another. */
static int find_named_board(struct pt_app *app, const struct pt_options *options, struct pt_err *err)
{
	if (options->board == NULL)
		return PT_EXIT_DONE;
	app->named = pt_named_board_find(options->board, err);
	if (app->named == NULL ||
	    (options->probe[0] == NULL && pt_named_board_uri(app->named, app->uri[0], sizeof(app->uri[0]), err) < 0))
		return PT_EXIT_USAGE;
	return PT_EXIT_DONE;
}

static int take_uris(struct pt_app *app, const struct pt_options *options, struct pt_err *err)
{
	_Static_assert((int)PT_MAX_PROBES <= (int)PT_BOARD_PROBES, "each has its place");
	for (size_t i = 0; i < PT_MAX_PROBES && options->probe[i] != NULL; i++) {
		if (snprintf(app->uri[i], sizeof(app->uri[i]), "%s", options->probe[i]) < (int)sizeof(app->uri[i]))
			continue;
		pt_fail(err, PT_EARG, "the address of the probe is too long: %.100s...", options->probe[i]);
		return PT_EXIT_USAGE;
	}
	return PT_EXIT_DONE;
}

/* --elf '' means that no ELF is known, and rows are addresses; then only a virtual board's URI names the firmware. */
static bool denies_elf(const struct pt_options *options)
{
	return options->elf != NULL && options->elf[0] == '\0';
}

static int settle_uris(struct pt_app *app, const struct pt_options *options, const struct pt_app_kind *kind,
		       struct pt_err *err)
{
	int rc = find_named_board(app, options, err);

	if (rc == PT_EXIT_DONE && options->probe[0] != NULL)
		rc = take_uris(app, options, err);
	else if (rc == PT_EXIT_DONE && app->named == NULL)
		rc = pick_probe(app, kind, err);
	for (size_t i = 0; rc == PT_EXIT_DONE && i < PT_BOARD_PROBES; i++) {
		char *uri = app->uri[i];

		if (!starts_with(uri, virtual_scheme))
			continue;
		if (app->virtual_uri == NULL)
			app->virtual_uri = uri;
		if (add_key(uri, sizeof(app->uri[i]), "clock", kind->virtual_clock, err) < 0 ||
		    add_key(uri, sizeof(app->uri[i]), "elf", denies_elf(options) ? NULL : options->elf, err) < 0 ||
		    add_key(uri, sizeof(app->uri[i]), "seed", word_value(options, "seed"), err) < 0)
			rc = PT_EXIT_USAGE;
	}
	return rc;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

static bool known(const struct pt_param *rows, size_t n_rows, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < n_rows; i++)
		if (strlen(rows[i].key) == len && strncmp(rows[i].key, word, len) == 0)
			return true;
	return false;
}

static bool add_if_known(struct pt_params *params, const struct pt_param *rows, size_t n_rows, const char *word,
			 int *rc, struct pt_err *err)
{
	if (!known(rows, n_rows, word))
		return false;
	*rc = pt_params_add(params, rows, n_rows, word, err) < 0 ? PT_EXIT_USAGE : *rc;
	return true;
}

/* --- symbols ------------------------------------------------------------------------------------------------------ */

static void path_in_uri(const char *uri, char *path, size_t room)
{
	const char *at = strstr(uri, "elf=");

	path[0] = '\0';
	if (at != NULL)
		snprintf(path, room, "%.*s", (int)strcspn(at + strlen("elf="), "&"), at + strlen("elf="));
}

static bool is_readable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

static int open_program(struct pt_app *app, const struct pt_options *options, struct pt_err *err)
{
	char path[512] = "";
	const uint8_t *demo;
	size_t len;

	if (denies_elf(options))
		return PT_EXIT_DONE;
	if (options->elf != NULL)
		snprintf(path, sizeof(path), "%s", options->elf);
	else if (app->virtual_uri != NULL)
		path_in_uri(app->virtual_uri, path, sizeof(path));
	if (path[0] != '\0') {
		app->program = pt_program_open_with(path, 0, app->symbols, err);
	} else if (app->virtual_uri != NULL) {
		demo = pt_probe_demo(app->virtual_uri, &len);
		if (demo == NULL)
			return PT_EXIT_DONE;	/* no such board: opening it gives a better error */
		app->program = pt_program_from_bytes(PT_PROGRAM_DEMO, demo, len, 0, err);
	} else {
		return PT_EXIT_DONE;
	}
	if (app->program == NULL) {
		if (!is_readable(path))
			pt_advise(err, "name the file that the linker wrote; %s",
				  app->virtual_uri != NULL ? "without it a virtual board runs its built-in demo"
							   : "--elf '' profiles without one, by addresses");
		pt_wrap(err, options->elf != NULL ? "--elf" : "elf= of --probe");
		return PT_EXIT_USAGE;
	}
	pt_program_set_settings(app->program, app->symbols);
	if (pt_program_warning(app->program) != NULL)
		pt_warn("elf: %s", pt_program_warning(app->program));
	return PT_EXIT_DONE;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static bool add_target_word(struct pt_params *board, const char *word, int *rc, struct pt_err *err)
{
	bool taken = false;

	for (size_t t = 0; t < pt_n_targets; t++)
		taken |= add_if_known(board, pt_targets[t]->params, pt_targets[t]->n_params, word, rc, err);
	return taken;
}

/* Each setting goes to every table that has it: probe and targets here. Settings of the pipeline, and unknown ones, go
 * to every start of a profile, where the source is asked. */
static int sort_words(const struct pt_options *options, struct pt_params *board, const char **standing,
		      size_t *n_standing, struct pt_err *err)
{
	int rc = PT_EXIT_DONE;

	for (size_t i = 0; i < options->n_words && rc == PT_EXIT_DONE; i++) {
		const char *word = options->words[i];
		bool taken = add_if_known(board, pt_probe_params, pt_n_probe_params, word, &rc, err) ||
			     add_if_known(board, pt_jtag_params, pt_n_jtag_params, word, &rc, err) ||
			     known(pt_program_params, PT_N_PROGRAM_PARAMS, word);

		for (size_t p = 0; p < pt_n_probe_drivers; p++)
			taken |= add_if_known(board, pt_probe_drivers[p]->params, pt_probe_drivers[p]->n_params, word,
					      &rc, err);
		taken |= add_target_word(board, word, &rc, err);
		if (!taken || pt_pipeline_knows(word))
			standing[(*n_standing)++] = word;
	}
	return rc;
}

struct told {
	const struct pt_options *options;
	struct pt_params *board;
	struct pt_err *err;
	char *words;		/* of the rig */
	size_t n;
	int rc;
};

static void take_told(void *arg, const char *word)
{
	struct told *t = arg;
	char key[40];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
	if (word_value(t->options, key) != NULL || t->rc != PT_EXIT_DONE)
		return;		/* settings from the user win */
	if (add_target_word(t->board, word, &t->rc, t->err) && t->words != NULL && t->n < PT_TOLD_BYTES)
		t->n += (size_t)snprintf(t->words + t->n, PT_TOLD_BYTES - t->n, " %s", word);
}

/* Settings that a user of real hardware would have to give: a virtual board knows its own, and so does a named
 * board. */
static int take_told_words(struct pt_app *app, const struct pt_options *options, struct pt_params *board,
			   struct pt_err *err)
{
	struct told told = { .options = options, .board = board, .err = err, .words = app->told,
			      .rc = PT_EXIT_DONE };

	struct told named = { .options = options, .board = board, .err = err, .rc = PT_EXIT_DONE };

	if (app->virtual_uri != NULL)
		pt_probe_reports(app->virtual_uri, take_told, &told);
	if (app->named != NULL && told.rc == PT_EXIT_DONE)
		pt_named_board_words(app->named, take_told, &named);
	return told.rc != PT_EXIT_DONE ? told.rc : named.rc;
}

/* Settings that are needed before the program is opened. */
static int take_symbol_words(struct pt_app *app, const struct pt_options *options, struct pt_err *err)
{
	int rc = PT_EXIT_DONE;

	app->symbols = pt_params_new();
	for (size_t i = 0; i < options->n_words && rc == PT_EXIT_DONE; i++)
		add_if_known(app->symbols, pt_program_params, PT_N_PROGRAM_PARAMS, options->words[i], &rc, err);
	return rc;
}

int pt_loop_begin(uv_loop_t *loop, struct pt_err *err)
{
	enum { NEEDED = 16 };
	int fd[NEEDED], n = 0;

	while (n < NEEDED && (fd[n] = dup(STDERR_FILENO)) >= 0)
		n++;
	for (int i = 0; i < n; i++)
		close(fd[i]);
	if (n < NEEDED || uv_loop_init(loop) < 0)
		return pt_fail(err, PT_ENOMEM,
			       "too few file descriptors: %d are needed beside those that are open; see ulimit -n",
			       NEEDED);
	return 0;
}

int pt_app_open(struct pt_app *app, const struct pt_options *options, const struct pt_app_kind *kind,
		struct pt_err *err)
{
	const char *standing[PT_MAX_WORDS + 1];
	struct pt_params *settings = pt_params_new();
	struct pt_board_config config = {
		.name = kind->name != NULL ? kind->name : "", .target = options->target, .settings = settings, .reopen = kind->reopen
	};
	size_t n_standing = 0;
	int rc;

	memset(app, 0, sizeof(*app));
	app->loop = kind->loop != NULL ? kind->loop : &app->own_loop;
	if (kind->replace_capture)
		standing[n_standing++] = "capture-replace=on";
	rc = settle_uris(app, options, kind, err);
	for (size_t i = 0; i < PT_BOARD_PROBES && app->uri[i][0] != '\0'; i++)
		config.probe_uri[i] = app->uri[i];
	if (rc == PT_EXIT_DONE)
		rc = take_symbol_words(app, options, err);
	if (rc == PT_EXIT_DONE)
		rc = open_program(app, options, err);
	if (rc == PT_EXIT_DONE)
		rc = sort_words(options, settings, standing, &n_standing, err);
	if (rc == PT_EXIT_DONE)
		rc = take_told_words(app, options, settings, err);
	if (rc == PT_EXIT_DONE) {
		if (kind->loop != NULL || pt_loop_begin(app->loop, err) == 0)
			app->board = pt_board_new(app->loop, &config, err);
		if (app->board == NULL)
			rc = PT_EXIT_DEVICE;
	}
	if (rc == PT_EXIT_DONE) {
		app->session = pt_session_new(app->board, app->loop);
		pt_session_set_standing(app->session, standing, n_standing);
		pt_session_set_program(app->session, app->program, NULL);
		app->recorder = pt_recorder_new(app->session);
		app->tasks = pt_os_tasks_new(app->loop, app->board, app->session);
	} else {
		pt_program_unref(app->program);
		pt_params_free(app->symbols);
	}
	pt_params_free(settings);
	return rc;
}

static void on_board_closed(void *arg)
{
	struct pt_app *app = arg;

	app->board = NULL;
	pt_program_unref(app->program);
	pt_params_free(app->symbols);
	if (app->on_closed != NULL)
		app->on_closed(app->closed_arg);
}

static void on_session_closed(void *arg)
{
	struct pt_app *app = arg;

	app->session = NULL;
	pt_board_close(app->board, on_board_closed, app);
}

static void on_recorder_closed(void *arg)
{
	struct pt_app *app = arg;

	app->recorder = NULL;
	pt_session_close(app->session, on_session_closed, app);
}

static void on_tasks_closed(void *arg)
{
	struct pt_app *app = arg;

	app->tasks = NULL;
	pt_recorder_close(app->recorder, on_recorder_closed, app);
}

void pt_app_begin_close(struct pt_app *app, void (*on_closed)(void *arg), void *arg)
{
	app->on_closed = on_closed;
	app->closed_arg = arg;
	pt_os_tasks_close(app->tasks, on_tasks_closed, app);
}

void pt_app_close(struct pt_app *app)
{
	pt_app_begin_close(app, NULL, NULL);
	uv_run(app->loop, UV_RUN_DEFAULT);
	uv_loop_close(app->loop);
}
