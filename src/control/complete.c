/* Completes a line: from names of rows, from keywords in their usage, and from their parameters. */
#include <stdio.h>
#include <string.h>

#include "control/commands.h"
#include "report/views/views.h"

struct completion {
	char line[PT_COMMAND_LINE_BYTES];
	const char *words[PT_COMMAND_WORDS];
	size_t n_words;			/* complete words before it */
	const char *begun;		/* beginning of the next word, or "" */
	bool names_only;		/* only names, for help */
	const struct pt_command_ctx *ctx;
	struct pt_text *out;
};

/* Adds it once, if it begins with the last word. */
static void put_candidate(struct completion *c, const char *word, size_t len)
{
	size_t n_begun = strlen(c->begun);

	if (len < n_begun || strncmp(word, c->begun, n_begun) != 0)
		return;
	for (size_t at = 0; at < c->out->len_bytes;) {
		size_t line = strcspn(c->out->bytes + at, "\n");

		if (line == len && strncmp(c->out->bytes + at, word, len) == 0)
			return;
		at += line + 1;
	}
	pt_text_add(c->out, "%.*s\n", (int)len, word);
}

static void put_params(struct completion *c, const struct pt_command_row *row)
{
	char key[64];

	for (size_t i = 0; row->param != NULL && row->param(i) != NULL; i++) {
		int len = snprintf(key, sizeof(key), "%s=", row->param(i)->key);

		put_candidate(c, key, (size_t)len < sizeof(key) ? (size_t)len : sizeof(key) - 1);
	}
}

static void complete_row(void *arg, const struct pt_command_row *row);

/* The words after help are the beginning of a name. */
static void complete_topic(const struct completion *c)
{
	struct completion topic = { .n_words = c->n_words - 1, .begun = c->begun, .names_only = true, .ctx = c->ctx,
				    .out = c->out };

	memcpy(topic.words, c->words + 1, topic.n_words * sizeof(topic.words[0]));
	pt_commands_each(c->ctx, complete_row, &topic);
}

static void complete_usage(struct completion *c, const struct pt_command_row *row)
{
	static const char between[] = " []|";

	for (const char *at = row->usage + strspn(row->usage, between); *at != '\0';) {
		size_t len = strcspn(at, between), key = strcspn(at, "= []|");

		if (strncmp(at, "KEY=", 4) == 0)
			put_params(c, row);
		else if (len == 4 && strncmp(at, "VIEW", len) == 0)
			for (size_t i = 0; pt_views[i] != NULL; i++)
				put_candidate(c, pt_views[i]->name, strlen(pt_views[i]->name));
		else if (len == 4 && strncmp(at, "WORD", len) == 0)
			complete_topic(c);
		else if (*at >= 'a' && *at <= 'z')
			put_candidate(c, at, key < len ? key + 1 : len);
		at += len;
		at += strspn(at, between);
	}
}

static void complete_row(void *arg, const struct pt_command_row *row)
{
	struct completion *c = arg;
	const char *name = row->name;

	if (c->ctx->ops->serves != NULL && !c->ctx->ops->serves(c->ctx->door, row))
		return;
	for (size_t i = 0; i < c->n_words && *name != '\0'; i++) {
		size_t len = strcspn(name, " ");

		if (strlen(c->words[i]) != len || strncmp(c->words[i], name, len) != 0)
			return;
		name += len + (name[len] == ' ');
	}
	if (*name != '\0')
		put_candidate(c, name, strcspn(name, " "));
	else if (!c->names_only)
		complete_usage(c, row);
}

void pt_commands_complete(const struct pt_command_ctx *ctx, const char *text, struct pt_text *out)
{
	struct completion c = { .begun = "", .ctx = ctx, .out = out };
	size_t len = strlen(text);
	char *save;

	if (len >= sizeof(c.line))
		return;
	memcpy(c.line, text, len);
	for (char *word = strtok_r(c.line, " \t", &save); word != NULL; word = strtok_r(NULL, " \t", &save)) {
		if (c.n_words == PT_COMMAND_WORDS)
			return;
		c.words[c.n_words++] = word;
	}
	if (len > 0 && text[len - 1] != ' ' && text[len - 1] != '\t')
		c.begun = c.words[--c.n_words];
	pt_commands_each(ctx, complete_row, &c);
}
