/* Any text as a configuration file, behind any command line: taken, or refused with a sentence that names the line; what is
 * taken is within its bounds, and the command line's settings come last. The first byte chooses the subcommand (0xff: the text is checked as a file by itself, too), the lines up to
 * the first empty one are the command line, the rest is the file. No file is read but in the current folder: '/' is made '.'. */
#define _GNU_SOURCE	/* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/configfile.h"
#include "host/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_ARGS = 40, CHECKED = 0xff, MOST_BYTES = 1 << 16 };	/* as of the file itself */

static const char *const subcommands[] = { "serve", "monitor", "profile", "check", "restore", "decode", "board", "probes" };

static void must(bool so)
{
	if (!so)
		abort();
}

/* Returns what stands behind the empty line that ends it. */
static char *split_command_line(char *text, char **argv, int *argc)
{
	while (*text != '\0' && *text != '\n') {
		char *end = text + strcspn(text, "\n");
		bool last = *end == '\0';

		*end = '\0';
		if (*argc < MOST_ARGS)
			argv[(*argc)++] = text;
		text = end + !last;
	}
	argv[*argc] = NULL;
	return text + (*text == '\n');
}

static void check(const struct pt_options *options)
{
	must(options->n_words <= PT_MAX_WORDS && options->n_file_words <= options->n_words);
	must(options->n_rest <= PT_MAX_REST && options->n_made <= PT_MAX_MADE);
	must(options->max_loss <= 1.0);
	for (size_t i = 0; i < options->n_words; i++)
		must(options->words[i] != NULL);
	for (size_t i = 1; i < PT_MAX_PROBES; i++)
		must(options->probe[i] == NULL || options->probe[i - 1] != NULL);
}

/* The same without a command line, as a file: it may have bytes that no text has. */
static void read_file(const char *subcommand, const char *text, size_t n)
{
	struct pt_options options = { .max_loss = -1.0 };
	char path[40];
	struct pt_err err = { 0 };
	int fd = memfd_create("a.conf", MFD_CLOEXEC), rc;

	must(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.config = path;
	rc = pt_configfile_read(&options, subcommand, &err);
	must(rc == 0 || err.msg[0] != '\0');
	pt_options_free(&options);
	close(fd);
}

/* n: bytes of text. */
static void read_both(const char *subcommand, char *text, size_t n)
{
	char name[16], *argv[MOST_ARGS + 2] = { strcpy(name, subcommand) };
	struct pt_options options;
	struct pt_err err = { 0 };
	int argc = 1, rc;
	char *file = split_command_line(text, argv, &argc);
	size_t file_bytes = n - (size_t)(file - text);
	char *copy = memcpy(calloc(file_bytes + 1, 1), file, file_bytes);
	const char *last = NULL;

	rc = pt_options_parse(&options, argc, argv, &err);
	must(rc == 0 || err.msg[0] != '\0');
	check(&options);
	if (options.n_words > 0)
		last = options.words[options.n_words - 1];
	if (rc == 0 && pt_options_check_subcommand(&options, subcommand, &err) == 0) {
		err = (struct pt_err){ 0 };
		rc = pt_configfile_parse(&options, subcommand, "a.conf", file, &err);
		must(rc == 0 || strncmp(err.msg, "a.conf:", 7) == 0);
		check(&options);
		must(last == NULL || options.words[options.n_words - 1] == last);
	}
	pt_options_free(&options);
	read_file(subcommand, copy, file_bytes);
	free(copy);
}

/* All mistakes in it, which are printed. */
static void check_file(const char *text, size_t n)
{
	struct pt_options options = { .max_loss = -1.0 };
	char path[40];
	struct pt_err err = { 0 };
	int fd = memfd_create("a.conf", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.config = path;
	must(pt_configfile_check(&options, &err) == 0 || err.msg[0] != '\0');
	pt_options_free(&options);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static FILE *quiet;	/* what a check prints */
	char *text;

	if (in_bytes == 0 || in_bytes > MOST_BYTES)
		return 0;
	if (quiet == NULL)
		quiet = freopen("/dev/null", "w", stdout);
	text = calloc(in_bytes, 1);	/* the first byte is not text, and an end is needed */
	if (text == NULL)
		return 0;
	memcpy(text, in + 1, in_bytes - 1);
	for (char *at = text; (at = strchr(at, '/')) != NULL;)
		*at = '.';
	if (in[0] == CHECKED)
		check_file(text, in_bytes - 1);
	read_both(subcommands[in[0] % PT_LEN(subcommands)], text, in_bytes - 1);
	pt_log_set("error");	/* which the text may have changed */
	free(text);
	return 0;
}
