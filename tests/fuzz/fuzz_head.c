/* Any text as the HEAD of a capture: settings are taken or left out with a sentence, the program is found or refused with one, and
 * a HEAD that is made of both says the same when it is read. The first byte says what the user gave. Names of files other than
 * FILE_NAME, which is the demo firmware, are made names of none. vars.elf is built in. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "pipeline/pipeline.h"
#include "program/model/settings.h"
#include "session/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

#define FILE_NAME "/proc/self/fd/500"
enum { FILE_FD = 500, MOST_BYTES = 4096, GIVES_FILE = 1, GIVES_NONE, GIVES_NAME, WITH_SYMBOLS = 4 };

static uint8_t built_in_bytes[1 << 17];
static size_t n_built_in;

static void must(bool so)
{
	if (!so)
		abort();
}

static const char *firmware(const char *name, char path[512])
{
	const char *srcdir = getenv("srcdir");

	snprintf(path, 512, "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	return path;
}

static void open_files(void)
{
	char path[512];
	FILE *file = fopen(firmware("vars.elf", path), "rb");
	int fd = open(firmware("demo.elf", path), O_RDONLY);

	must(file != NULL && fd >= 0 && dup2(fd, FILE_FD) == FILE_FD);
	n_built_in = fread(built_in_bytes, 1, sizeof(built_in_bytes), file);
	must(n_built_in > 0 && n_built_in < sizeof(built_in_bytes));
	close(fd);
	fclose(file);
}

static const uint8_t *built_in(size_t i, size_t *len_bytes)
{
	*len_bytes = n_built_in;
	return i == 0 ? built_in_bytes : NULL;
}

static void on_note(void *arg, const char *text)
{
	(void)arg;
	must(text[0] != '\0');
}

/* No file of this machine is opened, whatever a fuzzer makes up. */
static void hide_names(char *text, size_t n)
{
	for (size_t at = 0; at < n; at++)
		if (text[at] == '/' &&
		    (n - at < strlen(FILE_NAME) || memcmp(text + at, FILE_NAME, strlen(FILE_NAME)) != 0))
			text[at] = '\\';
		else if (text[at] == '/')
			at += strlen(FILE_NAME) - 1;
}

static void must_be_same(const struct pt_param *row, const struct pt_params *before, const struct pt_params *after)
{
	const char *a = pt_params_text(before, row), *b = pt_params_text(after, row);

	must(pt_params_given(before, row) == pt_params_given(after, row));
	must(a == NULL || b == NULL || strpbrk(a, "\r\n") != NULL || strcmp(a, b) == 0);
}

static void make_again(struct pt_program *program, const struct pt_params *settings)
{
	static const char *const words[] = { "a word", "two\nlines" };
	struct pt_params *again = pt_params_new(), *symbols = pt_params_new();
	char *head = pt_capture_head_make(program, settings, words, PT_LEN(words));
	const struct pt_param *row;

	pt_capture_head_settings(head, strlen(head), again, symbols, NULL, NULL);
	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		must_be_same(row, settings, again);
	for (size_t i = 0; program != NULL && i < PT_N_PROGRAM_PARAMS; i++)
		must_be_same(&pt_program_params[i], pt_program_settings(program), symbols);
	pt_params_free(symbols);
	pt_params_free(again);
	free(head);
}

static void read_head(const char *lines, size_t n, unsigned given)
{
	static const char *const paths[] = { NULL, FILE_NAME, "", "not-there.elf" };
	struct pt_params *settings = pt_params_new(), *symbols = pt_params_new();
	struct pt_capture_elf elf = { paths[given % PT_LEN(paths)], symbols, built_in };
	struct pt_program *program;
	struct pt_err err = { 0 };
	int rc;

	pt_capture_head_settings(lines, n, settings, (given & WITH_SYMBOLS) != 0 ? symbols : NULL, on_note, NULL);
	rc = pt_capture_head_program(lines, n, &elf, &program, on_note, NULL, &err);
	must(rc == 0 || (rc == err.code && err.msg[0] != '\0' && program == NULL));
	make_again(program, settings);
	pt_program_unref(program);
	pt_params_free(symbols);
	pt_params_free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	char *text;

	if (n_built_in == 0)
		open_files();
	if (in_bytes == 0 || in_bytes > MOST_BYTES)
		return 0;
	text = malloc(in_bytes);	/* a HEAD has no end of its own: ASan sees a read beyond it */
	must(text != NULL);
	memcpy(text, in + 1, in_bytes - 1);
	hide_names(text, in_bytes - 1);
	read_head(text, in_bytes - 1, in[0]);
	free(text);
	return 0;
}
