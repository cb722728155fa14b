#include "report/table/origin.h"

#include <string.h>

#include "base/params.h"
#include "base/util.h"
#include "program/model/program.h"

/* In quotes if it has characters with a meaning for a shell. */
static void add_argument(struct pt_text *out, const char *option, const char *value, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
	bool quote = len == 0 || strspn(value, plain) < len;

	pt_text_add(out, " %s %s", option, quote ? "'" : "");
	for (size_t i = 0; i < len; i++)
		pt_text_add(out, value[i] == '\'' ? "'\\''" : "%c", value[i]);
	if (quote)
		pt_text_add(out, "'");
}

static void add_probes(const struct pt_profile *p, struct pt_text *out)
{
	for (const char *one = p->address; *one != '\0'; one += strspn(one, "\t")) {
		size_t len = strcspn(one, "\t");

		add_argument(out, "--probe", one, len);
		one += len;
	}
}

/* Adds a word of the start as its option, or by --set. */
static void add_word(const char *word, size_t len, struct pt_text *out)
{
	static const struct { const char *key, *option; } options[] = {
		{ "for=", "--for" }, { "source=", "--source" }, { "mode=", "--mode" }, { "seed=", "--seed" },
	};

	for (size_t i = 0; i < PT_LEN(options); i++) {
		size_t key_len = strlen(options[i].key);

		if (len > key_len && memcmp(word, options[i].key, key_len) == 0) {
			add_argument(out, options[i].option, word + key_len, len - key_len);
			return;
		}
	}
	add_argument(out, "--set", word, len);
}

/* Settings from a file become an option that names a file. */
static void add_setting(const char *line, size_t len, struct pt_text *out)
{
	static const struct { const char *line, *option; } files[] = {
		{ "orti=FILE", "--orti" }, { "limits=FILE", "--limits" },
	};

	if (strncmp(line, "core-clock=", strlen("core-clock=")) == 0)
		return;		/* --core-clock is added separately */
	for (size_t i = 0; i < PT_LEN(files); i++)
		if (len == strlen(files[i].line) && memcmp(line, files[i].line, len) == 0) {
			add_argument(out, files[i].option, "FILE", strlen("FILE"));
			return;
		}
	add_argument(out, "--set", line, len);
}

bool pt_origin_command(const struct pt_profile *p, struct pt_text *out)
{
	char hz[32];
	const char *elf = p->program != NULL ? pt_program_path(p->program) : "";

	if (p->version[0] == '\0' || p->address[0] == '\0' || strlen(p->words) == sizeof(p->words) - 1)
		return false;	/* the words were cut: the command would make another profile */
	pt_text_add(out, "proftap profile");
	add_probes(p, out);
	if (elf[0] != '\0' && strcmp(elf, PT_PROGRAM_DEMO) != 0)
		add_argument(out, "--elf", elf, strlen(elf));
	if (p->clock_measured)
		pt_text_add(out, " --set core-clock=measure");
	else if (p->core_hz != 0)
		pt_text_add(out, " --core-clock %s", pt_params_write(PT_PARAM_HZ, p->core_hz, hz, sizeof(hz)));
	if (p->at_reset)
		pt_text_add(out, " --reset");
	for (const char *word = p->words; *word != '\0'; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");

		add_word(word, len, out);
		word += len;
	}
	for (const char *line = p->settings; line != NULL && *line != '\0'; line += strspn(line, "\n")) {
		size_t len = strcspn(line, "\n");

		add_setting(line, len, out);
		line += len;
	}
	return true;
}
