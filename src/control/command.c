/* A call of a command, from its line of words to its end: see command.h. */
#include "control/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harmless.h"

/* --- for doors ---------------------------------------------------------------------------------------------------- */

static struct pt_command *new_command(const struct pt_command_ctx *ctx,
				      void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err),
				      void *caller)
{
	struct pt_command *cmd = pt_alloc(sizeof(*cmd));

	cmd->ctx = ctx;
	cmd->row.name = ctx->ops->name;
	cmd->done = done;
	cmd->caller = caller;
	return cmd;
}

static void split_line(struct pt_command *cmd)
{
	char *save, *word = strtok_r(cmd->line, " \t\r\n", &save);

	while (word != NULL && cmd->n_words < PT_COMMAND_WORDS) {
		cmd->words[cmd->n_words++] = word;
		word = strtok_r(NULL, " \t\r\n", &save);
	}
}

struct pt_command *pt_command_new(const struct pt_command_ctx *ctx, const char *line, size_t len_bytes,
				  void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err), void *caller)
{
	struct pt_command *cmd = len_bytes < PT_COMMAND_LINE_BYTES ? new_command(ctx, done, caller) : NULL;

	if (cmd == NULL)
		return NULL;
	memcpy(cmd->line, line, len_bytes);
	split_line(cmd);
	return cmd;
}

struct pt_command *pt_command_new_words(const struct pt_command_ctx *ctx, const char *const *words, size_t n_words,
					void (*done)(struct pt_command *cmd, int rc, const struct pt_err *err),
					void *caller)
{
	struct pt_command *cmd = n_words <= PT_COMMAND_WORDS ? new_command(ctx, done, caller) : NULL;
	size_t used = 0;

	for (size_t i = 0; cmd != NULL && i < n_words; i++) {
		size_t len = strlen(words[i]) + 1;

		if (len > sizeof(cmd->line) - used) {
			free(cmd);
			return NULL;
		}
		cmd->words[cmd->n_words++] = memcpy(cmd->line + used, words[i], len);
		used += len;
	}
	return cmd;
}

void pt_command_cancel(struct pt_command *cmd)
{
	void (*how)(struct pt_command * cmd) = cmd->cancel;

	cmd->cancelled = true;
	cmd->cancel = NULL;
	if (how != NULL)
		how(cmd);
}

void pt_command_progress(struct pt_command *cmd, struct pt_text *out)
{
	if (cmd->progress != NULL)
		cmd->progress(cmd, out);
	else
		pt_text_add(out, "%s: still at work\n", cmd->row.name);
}

void pt_command_free(struct pt_command *cmd)
{
	pt_text_free(&cmd->out);
	free(cmd->data);
	free(cmd);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

void pt_command_done(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct pt_err said = { 0 };

	if (rc < 0)
		said = *err;
	pt_harmless(said.msg, "\n\t");	/* the message may contain the client's own text, or a file's name */
	cmd->cancel = NULL;
	if (cmd->out.overflow)
		pt_text_add(&cmd->out, "\n(cut: the answer is too long; top=N makes it shorter)\n");
	cmd->done(cmd, rc < 0 ? rc : 0, &said);
}

void pt_command_fail(struct pt_command *cmd, int rc, const char *fmt, ...)
{
	struct pt_err err = { .code = rc };
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.msg, sizeof(err.msg), fmt, args);
	va_end(args);
	pt_command_done(cmd, rc, &err);
}

void pt_command_add_lines(const struct pt_command *cmd, const char *text, size_t len_bytes, struct pt_text *out)
{
	size_t before = out->len_bytes;

	pt_text_hanging_lines(out, text, len_bytes, cmd->columns);
	if (out->bytes != NULL)
		pt_harmless(out->bytes + before, "\n\t");
}

void pt_command_session_reply(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;

	if (rc < 0) {
		pt_command_fail(cmd, rc, "%s: %.*s", cmd->row.name, (int)len_bytes, text);
		return;
	}
	pt_command_add_lines(cmd, text, len_bytes, &cmd->out);
	pt_command_done(cmd, 0, NULL);
}

void pt_command_session_table(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_command *cmd = arg;

	if (rc < 0) {
		pt_command_session_reply(arg, rc, text, len_bytes);
		return;
	}
	pt_text_bytes(&cmd->out, text, len_bytes);
	if (len_bytes > 0 && text[len_bytes - 1] != '\n')
		pt_text_bytes(&cmd->out, "\n", 1);
	pt_command_done(cmd, 0, NULL);
}

void pt_command_say(struct pt_command *cmd, const char *fmt, ...)
{
	struct pt_text lines = { 0 };
	va_list args;

	va_start(args, fmt);
	pt_text_add_list(&lines, fmt, args);
	va_end(args);
	pt_text_bytes(&lines, "\n", 1);
	if (lines.bytes != NULL)
		pt_command_add_lines(cmd, lines.bytes, lines.len_bytes, &cmd->out);
	pt_text_free(&lines);
}

void pt_command_say_line(void *cmd, const char *line)
{
	pt_command_say(cmd, "%s", line);
}

bool pt_command_no_words(struct pt_command *cmd)
{
	if (cmd->n_words == 0)
		return true;
	pt_command_fail(cmd, PT_EARG, "%s takes no words: \"%.40s\"; alone it works: %s %s", cmd->row.name,
			cmd->words[0], cmd->ctx->ops->name, cmd->row.name);
	return false;
}

const char *pt_command_hint(const struct pt_command *cmd, enum pt_command_event event)
{
	return cmd->ctx->ops->hint != NULL ? cmd->ctx->ops->hint(cmd->ctx->door, event) : NULL;
}

void pt_command_find_program(struct pt_command *cmd, void (*then)(struct pt_command *cmd))
{
	if (cmd->ctx->ops->find_program != NULL)
		cmd->ctx->ops->find_program(cmd->ctx->door, cmd, then);
	else
		then(cmd);
}

/* --- the board ---------------------------------------------------------------------------------------------------- */

static struct pt_command *of_job(struct pt_job *job)
{
	return (struct pt_command *)((char *)job - offsetof(struct pt_command, job));
}

static int run_on_board(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_command *cmd = of_job(job);

	cmd->no_target = target == NULL;
	return cmd->no_target ? pt_fail(err, PT_ESTATE, "no target") : cmd->on_board(cmd, board, target, err);
}

void pt_command_why_no_target(const struct pt_board *board, struct pt_err *err)
{
	const char *why;

	pt_board_get_state(board, &why);
	pt_fail(err, PT_ESTATE, "%s", why != NULL && why[0] != '\0' ? why : "the board is still being opened");
}

static void on_board_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_command *cmd = of_job(job);
	struct pt_err told = *err;

	if (cmd->no_target)
		pt_command_why_no_target(cmd->ctx->board, &told);
	if (cmd->after != NULL)
		cmd->after(cmd, rc, &told);
	else
		pt_command_done(cmd, rc, &told);
}

void pt_command_on_board(struct pt_command *cmd, pt_command_board_fn *on_board, pt_command_after_fn *after)
{
	cmd->on_board = on_board;
	cmd->after = after;
	cmd->no_target = false;
	cmd->job.run = run_on_board;
	cmd->job.done = on_board_done;
	cmd->job.even_locked = (cmd->row.flags & PT_COMMAND_EVEN_LOCKED) != 0;
	pt_board_post(cmd->ctx->board, &cmd->job);
}
