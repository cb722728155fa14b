/* If a report's file cannot be opened, the report goes to standard output. A message says so, and if it cannot be
 * written completely. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/log.h"
#include "host/named_file.h"
#include "capture/capture.h"
#include "report/other_names.h"
#include "report/report.h"
#include "report/shared/tar.h"
#include "cli/app.h"
#include "cli/verdict.h"
#include "base/util.h"
#include "report/views/views.h"

enum { LEAST_COLUMNS = 40 };	/* on narrower terminals lines wrap anyway */

/* --- what --------------------------------------------------------------------------------------------------------- */

/* NULL: standard output, also for "-". */
static const char *place_of(const char *path)
{
	return path != NULL && strcmp(path, "-") != 0 ? path : NULL;
}

/* NO_COLOR as in no-color.org; the locale decides whether characters beyond ASCII can be shown. */
void pt_output_fit_terminal(struct pt_query *query)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;
	locale_t locale;

	if (!isatty(STDOUT_FILENO))
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST_COLUMNS)
		query->columns = size.ws_col;
	query->colour = (no_colour == NULL || no_colour[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
	locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	query->ascii = locale == (locale_t)0 || strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;
	if (locale != (locale_t)0)
		freelocale(locale);
}

void pt_output_lines(const struct pt_text *lines)
{
	struct pt_query shown = { 0 };
	struct pt_text broken = { 0 };

	pt_output_fit_terminal(&shown);
	pt_text_hanging_lines(&broken, lines->bytes, lines->len_bytes, shown.columns);
	fwrite(broken.bytes, 1, broken.len_bytes, stdout);
	pt_text_free(&broken);
}

bool pt_output_is_capture(const char *path)
{
	char magic[sizeof(PT_CAPTURE_MAGIC) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		  memcmp(magic, PT_CAPTURE_MAGIC, sizeof(magic)) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static bool by_file_live(const struct pt_options *options)
{
	return options->live && !pt_options_given(options, "live");
}

/* "source=counters" is for GDB's monitor, and an option here; or it is a file that another subcommand reads. */
static int check_word(const struct pt_options *options, const char *word, const char *next, struct pt_err *err)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] == '=' ? word + len + 1 : next;
	char typed[40];
	const char *name;

	if (pt_output_is_capture(word))
		return pt_fail(
			err, PT_EARG,
			by_file_live(options)
				? "%.200s is a capture, and live = on of the configuration "
				  "file checks the board: without it, proftap check %.200s judges the capture"
			: options->live
				? "%.200s is a capture, and --live checks the board: without it, proftap check %.200s "
				  "judges the capture"
				: "%.200s is a capture, which is reported by proftap decode %.200s",
			word, word);
	snprintf(typed, sizeof(typed), "%.*s", len < sizeof(typed) ? (int)len : 0, word);
	name = pt_setting_meant_by(typed, value != NULL ? value : "");
	if (pt_query_knows(word) || !pt_options_has(name, "profile"))
		return 0;
	return pt_fail(err, PT_EARG, "'%.100s' is an option on the command line: --%s%s%.100s", word, name,
		       value != NULL ? " " : "", value != NULL ? value : "");
}

/* By the file's suffix, if no format was given. */
static const char *format_asked_for(const struct pt_options *options)
{
	const char *path = place_of(options->output);
	const struct pt_format *format = path != NULL ? pt_format_of_file(path) : NULL;

	if (options->format != NULL)
		return options->format;
	return format != NULL ? format->name : "text";
}

int pt_output_query(struct pt_query *query, const struct pt_options *options, const char *const *words, size_t n_words,
		    struct pt_err *err)
{
	const char *all[PT_MAX_REST + 1];
	char format[64];
	size_t n = 0;

	snprintf(format, sizeof(format), "format=%.50s", format_asked_for(options));
	all[n++] = format;
	for (size_t i = 0; i < n_words && n < PT_LEN(all); i++) {
		if (i == 0 && strcmp(words[i], "report") == 0) /* "report details", as printed at the end of a report */
			continue;
		if (check_word(options, words[i], i + 1 < n_words ? words[i + 1] : NULL, err) < 0)
			return err->code;
		all[n++] = words[i];
	}
	if (pt_query_parse(query, all, n, err) < 0)
		return err->code;
	if (place_of(options->output) == NULL)
		pt_output_fit_terminal(query);
	return 0;
}

/* The query has been checked: without a view it means the default one. */
static const struct pt_view *view_of(const struct pt_query *query)
{
	const struct pt_view *view = pt_view_find(query->view);

	return view != NULL ? view : pt_views[0];
}

static const struct pt_format *format_of(const struct pt_query *query)
{
	const struct pt_format *format = pt_format_find(query->format);

	return format != NULL ? format : pt_formats[0];
}

static bool has(const char *list, size_t list_len, const char *name, size_t len)
{
	for (size_t at = 0, n; at < list_len; at += n + 1) {
		for (n = 0; at + n < list_len && list[at + n] != ','; n++)
			;
		if ((n == len && memcmp(list + at, name, len) == 0) || (n == 3 && memcmp(list + at, "all", 3) == 0))
			return true;
	}
	return false;
}

/* key: position in text where the list begins. */
static void add_needs(struct pt_text *text, size_t key, const char *needs)
{
	for (size_t n; needs != NULL && *needs != '\0'; needs += n + (needs[n] == ',')) {
		n = strcspn(needs, ",");
		if (text->bytes != NULL && !has(text->bytes + key, text->len_bytes - key, needs, n))
			pt_text_add(text, ",%.*s", (int)n, needs);
	}
}

static const char *given(const struct pt_options *options)
{
	static const char key[] = "analysis=";

	if (options->analysis != NULL)
		return options->analysis;
	for (size_t i = options->n_words; i > 0; i--)
		if (strncmp(options->words[i - 1], key, strlen(key)) == 0)
			return options->words[i - 1] + strlen(key);
	return NULL;
}

char *pt_output_analyses(const struct pt_query *query, const struct pt_options *options, const char *before)
{
	const char *of_view = view_of(query)->needs, *of_format = format_of(query)->needs;
	const char *base = given(options) != NULL ? given(options) : before;
	struct pt_text list = { .bytes = NULL };
	size_t key;
	char *copy;

	if (base == NULL && of_view == NULL && of_format == NULL)
		return NULL;
	pt_text_add(&list, "analysis=");
	key = list.len_bytes;
	pt_text_add(&list, "%s", base != NULL ? base : "standard");
	add_needs(&list, key, of_view);
	add_needs(&list, key, of_format);
	copy = list.bytes != NULL ? pt_strndup(list.bytes, list.len_bytes) : NULL;
	pt_text_free(&list);
	return copy;
}

/* --- where -------------------------------------------------------------------------------------------------------- */

static int try_folder(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return PT_EXIT_DONE;
	pt_error("the folder %s cannot be made: %s; name one in a folder that exists and where this user may write",
		 path, strerror(errno));
	return PT_EXIT_USAGE;
}

/* An existing file is kept, and a new one is removed again: there may be no report in the end. */
static int try_file(const char *path)
{
	struct pt_err err;
	struct stat there;
	bool made;
	int fd;

	if (stat(path, &there) == 0 && S_ISFIFO(there.st_mode))	/* its reader would take this for the whole report */
		return PT_EXIT_DONE;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	made = fd >= 0;
	if (!made)
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		pt_named_cannot_write(path, errno, &err);
		pt_error("%s; without a file the report goes to standard output", err.msg);
		return PT_EXIT_USAGE;
	}
	if (made)
		unlink(path);
	return close(fd) == 0 ? PT_EXIT_DONE : PT_EXIT_USAGE;
}

/* A report would replace a capture, which cannot be recorded again. */
static bool would_overwrite_capture(const struct pt_options *options, const char *path)
{
	if (path == NULL || options->replace || !pt_output_is_capture(path))
		return false;
	pt_error("%s is a capture, and is kept: name another file for the report; --replace overwrites it", path);
	return true;
}

int pt_output_try(const struct pt_query *query, const struct pt_options *options)
{
	const char *path = place_of(options->output);

	if (would_overwrite_capture(options, path) || would_overwrite_capture(options, place_of(options->junit)))
		return PT_EXIT_USAGE;
	pt_verdict_forget(options);
	if (path == NULL && format_of(query)->binary && isatty(STDOUT_FILENO)) {
		pt_error("%s is not text for a terminal: -o FILE writes it to a file", query->format);
		return PT_EXIT_USAGE;
	}
	if (path == NULL)
		return PT_EXIT_DONE;
	if (format_of(query)->folder)
		return try_folder(path);
	return try_file(path);
}

static FILE *open_output(const char *path)
{
	FILE *out = path != NULL ? fopen(path, "wb") : stdout;

	if (out == NULL)
		pt_error("%s cannot be written any more: %s; the report goes to standard output", path,
			 strerror(errno));
	return out != NULL ? out : stdout;
}

static int write_file(const char *path, const char *text, size_t len_bytes)
{
	FILE *out = open_output(path);
	bool ok = fwrite(text, 1, len_bytes, out) == len_bytes;

	if (out != stdout)
		ok &= fclose(out) == 0;
	else
		ok &= fflush(out) == 0;
	if (!ok)
		pt_error("the report could not be written completely: %s", strerror(errno));
	return ok && (path == NULL || out != stdout) ? PT_EXIT_DONE : PT_EXIT_USAGE;
}

static int write_folder(const char *path, const char *archive, size_t len_bytes)
{
	struct pt_tar_file file;
	char name[PATH_MAX];
	int status = try_folder(path);

	for (size_t at = 0; status == PT_EXIT_DONE && pt_tar_next(archive, len_bytes, &at, &file);) {
		if ((size_t)snprintf(name, sizeof(name), "%s/%s", path, file.name) < sizeof(name))
			status = write_file(name, file.bytes, file.len_bytes);
	}
	return status;
}

int pt_output_write(const struct pt_query *query, const char *path, const char *text, size_t len_bytes)
{
	pt_progress("%s", "");
	path = place_of(path);
	if (path != NULL && format_of(query)->folder)
		return write_folder(path, text, len_bytes);
	return write_file(path, text, len_bytes);
}
