/* Names of the ELF in a capture: as the user gave it, shown in reports; and absolute, to find it from another
 * directory. The digest of the bytes decides whether it is the same. */
#include "config.h"
#include "base/alloc.h"

#include "session/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "program/model/settings.h"
#include "base/error.h"
#include "base/text.h"
#include "base/sha256.h"
#include "trace/config.h"
#include "base/util.h"

static const char set_prefix[] = "set.", elf_prefix[] = "elf.";

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* Characters that would break the line become spaces. */
static void add_line(struct pt_text *text, const char *prefix, const char *key, const char *value)
{
	size_t from = text->len_bytes;

	pt_text_add(text, "%s%s=%s", prefix, key, value);
	for (size_t i = from; text->bytes != NULL && i < text->len_bytes; i++)
		if (text->bytes[i] == '\n' || text->bytes[i] == '\r')
			text->bytes[i] = ' ';
	pt_text_add(text, "\n");
}

static void add_program(struct pt_text *text, struct pt_program *program)
{
	char *absolute = realpath(pt_program_path(program), NULL);

	add_line(text, "", "elf", pt_program_path(program));
	if (absolute != NULL)
		add_line(text, "", "elf_absolute", absolute);
	add_line(text, "", "elf_build_id", pt_program_build_id(program));
	add_line(text, "", "elf_sha256", pt_program_sha256(program));
	for (size_t i = 0; i < PT_N_PROGRAM_PARAMS; i++)
		if (pt_params_given(pt_program_settings(program), &pt_program_params[i]))
			add_line(text, elf_prefix, pt_program_params[i].key,
				 pt_params_text(pt_program_settings(program), &pt_program_params[i]));
	free(absolute);
}

char *pt_capture_head_make(struct pt_program *program, const struct pt_params *settings, const char *const *words,
			   size_t n_words)
{
	struct pt_text text = { .bytes = NULL };
	const struct pt_param *row;
	char *head;

	add_line(&text, "", "program", "proftap " PACKAGE_VERSION);
	if (program != NULL)
		add_program(&text, program);
	for (size_t i = 0; (row = pt_pipeline_param(i)) != NULL; i++)
		if (pt_params_given(settings, row))
			add_line(&text, set_prefix, row->key, pt_params_text(settings, row));
	for (size_t i = 0; i < n_words; i++)
		add_line(&text, "", "word", words[i]);
	head = pt_strndup(text.bytes != NULL ? text.bytes : "", text.len_bytes);
	pt_text_free(&text);
	return head;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* The rest of word after prefix; NULL: word has another prefix. */
static const char *behind(const char *prefix, const char *word)
{
	size_t len = strlen(prefix);

	return strncmp(word, prefix, len) == 0 ? word + len : NULL;
}

static int take_setting(const char *line, struct pt_params *settings, struct pt_params *symbols, struct pt_err *err)
{
	const char *word = behind(set_prefix, line);

	if (word != NULL)
		return pt_pipeline_add(settings, word, err);
	word = behind(elf_prefix, line);
	if (word != NULL && symbols != NULL)
		return pt_params_add(symbols, pt_program_params, PT_N_PROGRAM_PARAMS, word, err);
	return 0;
}

void pt_capture_head_settings(const char *lines, size_t len_bytes, struct pt_params *settings,
			      struct pt_params *symbols, pt_capture_note note, void *arg)
{
	for (size_t at = 0, len; at < len_bytes; at += len + 1) {
		const char *end = memchr(lines + at, '\n', len_bytes - at);
		struct pt_err err = { 0 };
		char text[1100], *line;

		len = end != NULL ? (size_t)(end - (lines + at)) : len_bytes - at;
		line = pt_strndup(lines + at, len);
		if (take_setting(line, settings, symbols, &err) < 0 && note != NULL) {
			snprintf(text, sizeof(text), "ignored a setting of the capture: %s", err.msg);
			note(arg, text);
		}
		free(line);
	}
}

/* --- the ELF ------------------------------------------------------------------------------------------------------ */

struct wanted {
	char path[4096], absolute[4096], build_id[128], sha256[PT_SHA256_TEXT];
	const struct pt_capture_elf *elf;
};

static void value_of(const char *lines, size_t len_bytes, const char *key, char *out, size_t size)
{
	const char *value = "";
	int len = pt_config_look_up(lines, len_bytes, key, &value);

	snprintf(out, size, "%.*s", len > 0 ? len : 0, value);
}

static bool fits(const struct pt_program *program, const struct wanted *w)
{
	return program != NULL && strcmp(pt_program_sha256(program), w->sha256) == 0;
}

static struct pt_program *built_in(const struct wanted *w, struct pt_err *err)
{
	char sha256[PT_SHA256_TEXT];
	const uint8_t *bytes;
	size_t len = 0;

	for (size_t i = 0; (bytes = w->elf->built_in(i, &len)) != NULL; i++)
		if (strcmp(pt_sha256_text(bytes, len, sha256), w->sha256) == 0)
			return pt_program_from_bytes(w->path, bytes, len, 0, err);
	return NULL;
}

/* Tries one place; NULL with changed set: the file is there, but it is another one. */
static struct pt_program *look(const char *path, const struct wanted *w, struct pt_program **changed,
			       struct pt_err *err)
{
	struct pt_program *program = path[0] != '\0' ? pt_program_open_with(path, 0, w->elf->symbols, err) : NULL;

	if (program == NULL || fits(program, w))
		return program;
	pt_program_unref(*changed);
	*changed = program;
	return NULL;
}

static int refuse(const struct wanted *w, const struct pt_program *changed, struct pt_err *err)
{
	if (changed == NULL)
		return pt_fail(
			err, PT_EARG,
			"the ELF of this capture, %.160s, does not exist any more: name a copy with --elf (build id %.40s; --elf '' for addresses instead of names)",
			w->path, w->build_id[0] != '\0' ? w->build_id : "none");
	if (strcmp(w->build_id, pt_program_build_id(changed)) == 0)
		return pt_fail(
			err, PT_EARG,
			"%.160s has changed since this capture (its build id, %.40s, is the same, but not its content: another digest): name a copy of the old one with --elf, or this one to use it anyway",
			w->path, w->build_id[0] != '\0' ? w->build_id : "none");
	return pt_fail(
		err, PT_EARG,
		"%.160s has changed since this capture (build id %.40s then, %.40s now): name a copy of the old one with --elf, or this one to use it anyway",
		w->path, w->build_id[0] != '\0' ? w->build_id : "none", pt_program_build_id(changed));
}

static struct pt_program *find_program(const struct wanted *w, struct pt_err *err)
{
	struct pt_program *changed = NULL, *program = built_in(w, err);

	if (program == NULL)
		program = look(w->path, w, &changed, err);
	if (program == NULL)
		program = look(w->absolute, w, &changed, err);
	if (program == NULL)
		refuse(w, changed, err);
	else if (strcmp(pt_program_path(program), w->path) != 0)
		pt_program_call(program, w->path);
	pt_program_unref(changed);
	return program;
}

int pt_capture_head_program(const char *lines, size_t len_bytes, const struct pt_capture_elf *elf,
			    struct pt_program **program, pt_capture_note note, void *arg, struct pt_err *err)
{
	struct wanted w = { .elf = elf };

	*program = NULL;
	value_of(lines, len_bytes, "elf", w.path, sizeof(w.path));
	value_of(lines, len_bytes, "elf_absolute", w.absolute, sizeof(w.absolute));
	value_of(lines, len_bytes, "elf_build_id", w.build_id, sizeof(w.build_id));
	value_of(lines, len_bytes, "elf_sha256", w.sha256, sizeof(w.sha256));
	if (elf->path != NULL ? elf->path[0] == '\0' : w.path[0] == '\0')
		return 0;
	*program = elf->path != NULL ? pt_program_open_with(elf->path, 0, elf->symbols, err) : find_program(&w, err);
	if (*program == NULL)
		return err->code;
	if (pt_program_settings(*program) == NULL)	/* if it is built in */
		pt_program_set_settings(*program, elf->symbols);
	if (elf->path == NULL || w.sha256[0] == '\0' || fits(*program, &w))
		return 0;
	pt_program_doubt(*program);
	if (note != NULL)
		note(arg, "this is not the ELF that the capture was made with: names and times may be wrong");
	return 0;
}
