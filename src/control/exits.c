/* monitor exits FUNCTION: the exits of a function, as the entry/exit analysis uses them, so that a user can check them.
 * Finding them needs the whole code map, so an errand does it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "control/commands.h"
#include "host/errand.h"
#include "program/code/exits.h"
#include "program/model/settings.h"

enum { MOST_FUNCTIONS = 16 };		/* that share a name, or a template */

struct search {
	struct pt_program *program;
	char name[PT_COMMAND_LINE_BYTES];
	struct pt_text text;
	struct pt_err err;
};

static void put_line(void *arg, const char *line)
{
	pt_text_add(arg, "%s\n", line);
}

static void list_functions(struct search *s, const struct pt_exits *exits)
{
	const struct pt_function *functions;
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;
	size_t n, n_found = 0;

	pt_nearest_init(&near, s->name, strlen(s->name));
	functions = pt_program_functions(s->program, &n);
	for (size_t i = 0; i < n; i++) {
		pt_nearest_offer(&near, functions[i].name);
		if (!pt_function_is(&functions[i], s->name, strlen(s->name)))
			continue;
		if (n_found++ < MOST_FUNCTIONS)
			pt_exits_list(exits, i + 1, put_line, &s->text);
	}
	if (n_found == 0)
		pt_fail(&s->err, PT_EARG, "the program has no function %s%swrite it as the report does", s->name,
			pt_nearest_question(&near, question, sizeof(question)));
	if (n_found > MOST_FUNCTIONS)
		pt_text_add(&s->text, "and %zu more of this name\n", n_found - MOST_FUNCTIONS);
}

static void find_exits(void *data)
{
	struct search *s = data;
	const struct pt_isa *isa = pt_program_isa(s->program);
	const char *by_hand = pt_params_text(pt_program_settings(s->program), &pt_program_params[PT_PROGRAM_EXITS]);
	struct pt_codemap *map;
	struct pt_exits *exits;

	if (isa == &pt_isa_none) {
		pt_fail(&s->err, PT_EUNSUPPORTED, "this version cannot follow the code of such a chip");
		return;
	}
	map = pt_codemap_new(s->program, isa);
	exits = map != NULL ? pt_exits_new(map, by_hand, &s->err) : NULL;
	if (map == NULL)
		pt_fail(&s->err, PT_ENOMEM, "no memory");
	else if (exits != NULL)
		list_functions(s, exits);
	pt_exits_free(exits);
	pt_codemap_free(map);
}

static void forget(void *data)
{
	struct search *s = data;

	pt_program_unref(s->program);
	pt_text_free(&s->text);
	free(s);
}

static void after_search(void *data, void *arg, bool late)
{
	struct pt_command *cmd = arg;
	struct search *s = data;

	if (late) {
		pt_command_fail(cmd, PT_ETIMEOUT, "exits: not found within %d s", PT_ERRAND_MS / 1000);
		return;
	}
	if (s->err.code < 0) {
		pt_command_fail(cmd, s->err.code, "exits: %s", s->err.msg);
	} else {
		pt_text_bytes(&cmd->out, s->text.bytes, s->text.len_bytes);
		pt_command_done(cmd, 0, NULL);
	}
	forget(s);
}

static const struct pt_errand_kind searching = { find_exits, after_search, forget, .timeout_ms = PT_ERRAND_MS,
						 .place = PT_ERRAND_OWN };

/* C++ names have spaces. */
static void join_words(const struct pt_command *cmd, char *name, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < cmd->n_words; i++)
		len += (size_t)snprintf(name + len, room - len, "%s%s", i > 0 ? " " : "", cmd->words[i]);
}

static void exits(struct pt_command *cmd)
{
	struct pt_program *program = pt_session_program(cmd->ctx->session);
	struct search *s;
	struct pt_err err;

	if (cmd->n_words == 0 || program == NULL) {
		pt_command_fail(cmd, PT_EARG, "%s",
				cmd->n_words == 0	   ? "exits takes the name of a function: exits main"
				: cmd->ctx->ops->is_single ? "exits: no symbols: --elf FILE gives them"
							   : "exits: no symbols yet: monitor symbols FILE");
		return;
	}
	s = pt_alloc(sizeof(*s));
	s->program = pt_program_ref(program);
	join_words(cmd, s->name, sizeof(s->name));
	if (pt_errand_start(cmd->ctx->loop, &searching, s, cmd, &err) < 0) {
		forget(s);
		pt_command_fail(cmd, err.code, "exits: %s", err.msg);
	}
}

const struct pt_command_row pt_commands_exits[] = {
	{ .name = "exits", .usage = "FUNCTION",
	  .help = "where it ends, as profiling sees it (monitor symbols FILE exits=... says it by hand)",
	  .flags = PT_COMMAND_LOOKS_ONLY, .run = exits },
	{ 0 },
};
