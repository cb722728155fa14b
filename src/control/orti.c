/* monitor orti FILE|auto|off: tasks, ISRs and services for later profiles, from an ORTI file or from the symbols of a
 * known OS. Three steps, because each may block: an errand reads files and debug information, the board thread reads
 * target memory, the loop thread answers. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/errand.h"
#include "control/commands.h"
#include "session/orti_file.h"
#include "program/os/rtos.h"

enum { SHOWN_TASKS = 64, SHOWN_SENTENCES = 20 };

struct work {
	struct pt_command *cmd;
	char path[PT_COMMAND_LINE_BYTES], save[PT_COMMAND_LINE_BYTES];	/* save: "" if not to be saved */
	bool automatic;			/* no file: use the symbols */
	struct pt_program *program;
	struct pt_types *types;
	struct pt_rtos *rtos;
	struct pt_orti *orti;		/* as read, corrected or created */
	bool needs_fix, made;		/* made: created from symbols, so worth saving */
	unsigned n_said;
	struct pt_text text;
	char *setting;			/* setting for the session */
	struct pt_err err;
};

static void say(struct work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct work *w, const char *fmt, ...)
{
	char line[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	pt_text_add(&w->text, "%s\n", line);
}

static void say_sentence(void *arg, const char *sentence)
{
	struct work *w = arg;

	if (w->n_said++ < SHOWN_SENTENCES)
		say(w, "%s", sentence);
}

static void forget(void *data)
{
	struct work *w = data;

	pt_orti_free(w->orti);
	pt_rtos_free(w->rtos);
	pt_types_free(w->types);
	pt_program_unref(w->program);
	pt_text_free(&w->text);
	free(w->setting);
	free(w);
}

/* --- the errand's thread: the file -------------------------------------------------------------------------------- */

static void say_warnings(struct work *w)
{
	for (size_t i = 0; i < w->orti->n_warnings && i < SHOWN_SENTENCES; i++)
		say(w, "%s:%u: %s", w->path, w->orti->warning[i].line, w->orti->warning[i].text);
	if (w->orti->n_warnings > SHOWN_SENTENCES)
		say(w, "and %zu more warnings", w->orti->n_warnings - SHOWN_SENTENCES + w->orti->n_more_warnings);
}

static const char *what_of(enum pt_task_what what)
{
	static const char *const words[] = {
		[PT_TASK_RUNNING] = "running task", [PT_TASK_ISR] = "running ISR", [PT_TASK_SERVICE] = "service",
		[PT_TASK_STATE] = "state",
	};

	return words[what];
}

static void say_map(struct work *w, const struct pt_task_map *map)
{
	if (map->what == PT_TASK_STATE)
		say(w, "state of %s: %s, %u bytes at 0x%" PRIx64, map->of, map->variable, (unsigned)map->size_bytes,
		    map->addr);
	else
		say(w, "core %u: %s: trace %s, %u bytes at 0x%" PRIx64, map->core, what_of(map->what), map->variable,
		    (unsigned)map->size_bytes, map->addr);
	for (size_t i = 0; i < map->n_tasks && i < SHOWN_TASKS; i++)
		pt_text_add(&w->text, "%s%s%s", i > 0 ? ", " : "  ", map->task[i].name,
			    map->task[i].none ? " (none)" : "");
	pt_text_add(&w->text, "%s\n", map->n_tasks > SHOWN_TASKS ? ", ..." : "");
}

/* Reports what orti provides for a trace, and makes it a setting. */
static int take_orti(struct work *w)
{
	struct pt_task_maps *maps = pt_orti_task_maps(w->orti, w->types, NULL, say_sentence, w, &w->err);
	bool without_states;

	if (maps == NULL)
		return w->err.code;
	for (size_t i = 0; i < maps->n_maps; i++)
		say_map(w, &maps->map[i]);
	pt_task_maps_free(maps);
	w->setting = pt_orti_word(w->orti, &without_states, &w->err);
	if (without_states)
		say(w, "the states of tasks are not followed: the file has more than a profile takes");
	return w->setting != NULL ? 0 : w->err.code;
}

static void read_file(void *data)
{
	struct work *w = data;

	w->types = pt_types_new(w->program);
	if (w->types == NULL) {
		pt_fail(&w->err, PT_ENOMEM, "no memory");
	} else if (w->automatic) {
		w->rtos = pt_rtos_detect(w->types, &w->err);
	} else {
		w->orti = pt_orti_file(w->path, &w->err);
		if (w->orti == NULL)
			return;
		say(w, "%s: %s, %zu objects", w->path, w->orti->name != NULL ? w->orti->name : "no name",
		    w->orti->n_objects);
		say_warnings(w);
		w->needs_fix = pt_orti_needs_fix(w->orti, w->types);
		if (!w->needs_fix)
			take_orti(w);
	}
}

/* --- board thread: memory ----------------------------------------------------------------------------------------- */

static int read_target(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	struct pt_err ignored;

	return pt_mem_read(arg, addr, bytes, n_bytes, err != NULL ? err : &ignored);
}

static void say_threads(struct work *w, const struct pt_rtos_threads *threads)
{
	say(w, "%s: %zu tasks%s%s", pt_rtos_name(w->rtos), threads->n_threads,
	    threads->started ? "" : "; the scheduler has not been started",
	    threads->stale ? "; they changed while they were read: halt the core for a picture that holds still" : "");
	if (threads->note[0] != '\0')
		say(w, "%s", threads->note);
	for (size_t i = 0; i < threads->n_threads && i < SHOWN_TASKS; i++) {
		const struct pt_rtos_thread *t = &threads->thread[i];

		say(w, "  0x%08" PRIx64 "  prio %3" PRId64 "  %-12s %s%s", t->tcb, t->priority, t->state, t->name,
		    t->idle ? " (idle task)" : "");
	}
}

static int list_tasks(struct work *w, const struct pt_reader *reader, struct pt_err *err)
{
	struct pt_rtos_threads threads;

	if (pt_rtos_read(w->rtos, reader, &threads, err) < 0)
		return err->code;
	say_threads(w, &threads);
	if (pt_rtos_without_states(w->rtos) != NULL)
		say(w, "the states of tasks are not followed: %s", pt_rtos_without_states(w->rtos));
	w->orti = pt_rtos_orti(w->rtos, &threads);
	pt_rtos_threads_fini(&threads);
	w->made = w->orti != NULL;
	return w->made ? 0 : pt_fail(err, PT_ENOMEM, "no memory");
}

/* The ids are valid only while the program does not change them. */
static int correct(struct work *w, struct pt_target *target, const struct pt_reader *reader, struct pt_err *err)
{
	struct pt_core_status status;
	struct pt_orti *fixed;

	if (target->ops->status(target->state, 0, &status, err) < 0)
		return err->code;
	if (status.state != PT_HALTED)
		return pt_fail(err, PT_ESTATE,
			       "the ids of the tasks are read from their control blocks: halt the core first, "
			       "when the OS has been started");
	fixed = pt_orti_fix(w->orti, w->types, reader, say_sentence, w, err);
	if (fixed == NULL)
		return err->code;
	pt_orti_free(w->orti);
	w->orti = fixed;
	w->made = true;
	return 0;
}

static int on_board(struct pt_command *cmd, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct work *w = *(struct work **)cmd->data;
	struct pt_reader reader = { read_target, target->ops->mem(target->state, 0) };
	int rc;

	(void)board;
	rc = w->automatic ? list_tasks(w, &reader, err) : correct(w, target, &reader, err);
	return rc < 0 ? rc : take_orti(w) < 0 ? pt_fail(err, w->err.code, "%s", w->err.msg) : 0;
}

/* --- loop thread -------------------------------------------------------------------------------------------------- */

/* Results are reported even if a later step failed. */
static void end(struct work *w)
{
	struct pt_command *cmd = w->cmd;
	struct pt_err err = w->err;

	if (w->orti != NULL || w->automatic)	/* GDB shows tasks as threads even if no trace can follow them */
		pt_os_tasks_set_orti(cmd->ctx->tasks, w->automatic ? NULL : w->orti);
	if (err.code >= 0) {
		pt_session_set_orti(cmd->ctx->session, w->setting);
		say(w,
		    "profiles from now on name the running task where their source sees this variable written; so does proftap "
		    "decode FILE tasks --orti ORTI-FILE with a recording of the writes");
	}
	if (w->text.len_bytes > 0)
		pt_text_bytes(&cmd->out, w->text.bytes, w->text.len_bytes);
	forget(w);
	if (err.code < 0)
		pt_command_fail(cmd, err.code, "orti: %s", err.msg);
	else
		pt_command_done(cmd, 0, NULL);
}

static bool is_late(struct pt_command *cmd, bool late)
{
	struct pt_err err;

	if (!late)
		return false;
	pt_errand_late(&err, "orti");
	pt_command_done(cmd, err.code, &err);
	return true;
}

static void save_file(void *data)
{
	struct work *w = data;

	if (pt_orti_save(w->orti, w->save, &w->err) == 0)
		say(w, "written to %s", w->save);
}

static void after_save(void *data, void *arg, bool late)
{
	if (!is_late(arg, late))
		end(data);
}

static const struct pt_errand_kind saving = { save_file, after_save, forget, .timeout_ms = PT_ERRAND_MS };

static void save_or_end(struct work *w)
{
	if (w->err.code < 0 || w->save[0] == '\0') {
		if (w->err.code >= 0 && w->made)
			say(w, "a third word names a new file to keep it in: %s orti %s NEWFILE",
			    w->cmd->ctx->ops->name, w->automatic ? "auto" : w->path);
		end(w);
	} else if (pt_errand_start(w->cmd->ctx->loop, &saving, w, w->cmd, &w->err) < 0) {
		end(w);
	}
}

static void after_board(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct work *w = *(struct work **)cmd->data;

	if (rc < 0)
		w->err = *err;
	if (rc < 0 && w->needs_fix)
		say(w, "RUNNINGTASK is an id behind a pointer: a trace shows the pointer alone");
	save_or_end(w);
}

static void after_read(void *data, void *arg, bool late)
{
	struct work *w = data;

	if (is_late(arg, late))
		return;
	if (w->err.code >= 0 && (w->automatic || w->needs_fix))
		pt_command_on_board(w->cmd, on_board, after_board);
	else
		save_or_end(w);
}

static const struct pt_errand_kind reading = { read_file, after_read, forget, .timeout_ms = PT_ERRAND_MS };

static bool off(struct pt_command *cmd)
{
	if (cmd->n_words != 1 || strcmp(cmd->words[0], "off") != 0)
		return false;
	pt_session_set_orti(cmd->ctx->session, NULL);
	pt_os_tasks_set_orti(cmd->ctx->tasks, NULL);
	pt_command_say(cmd, "no tasks for the next profile");
	pt_command_done(cmd, 0, NULL);
	return true;
}

static struct work *make_work(struct pt_command *cmd, struct pt_program *program)
{
	struct work *w = pt_alloc(sizeof(*w));
	struct work **pointer = pt_alloc(sizeof(struct work *));

	*pointer = w;
	cmd->data = pointer;	/* freed with the command, which ends after the work */
	w->cmd = cmd;
	w->program = pt_program_ref(program);
	w->automatic = strcmp(cmd->words[0], "auto") == 0;
	strcpy(w->path, cmd->words[0]);
	if (cmd->n_words > 1)
		strcpy(w->save, cmd->words[1]);
	return w;
}

static bool name_files(struct pt_command *cmd)
{
	for (size_t i = 0; i < cmd->n_words; i++) {
		const char *named;

		if (i == 0 && strcmp(cmd->words[0], "auto") == 0)
			continue;
		named = pt_command_name_file(cmd, cmd->words[i]);
		if (named == NULL)
			return false;	/* the command has failed, and may have been freed */
		cmd->words[i] = named;
	}
	return true;
}

static void orti(struct pt_command *cmd)
{
	struct pt_program *program = pt_session_program(cmd->ctx->session);
	struct work *w;
	struct pt_err err;

	if (off(cmd))
		return;
	if (cmd->n_words == 0 || cmd->n_words > 2) {
		pt_command_fail(cmd, PT_EARG,
				"orti takes a FILE on the host where proftap runs, or auto, or off, and the name "
				"of a new file for what it makes of it");
		return;
	}
	if (program == NULL) {
		pt_command_fail(cmd, PT_EARG, "%s",
				cmd->ctx->ops->is_single ? "orti: no symbols: --elf FILE gives them"
							 : "orti: no symbols yet: monitor symbols FILE");
		return;
	}
	if (!name_files(cmd))
		return;
	w = make_work(cmd, program);
	if (pt_errand_start(cmd->ctx->loop, &reading, w, cmd, &err) == 0)
		return;
	forget(w);
	pt_command_fail(cmd, err.code, "orti: %s", err.msg);
}

const struct pt_command_row pt_commands_orti[] = {
	{ .name = "orti", .usage = "FILE|auto|off [NEWFILE]",
	  .help = "tasks from an ORTI file, or from the symbols of a known OS",
	  .flags = PT_COMMAND_CHANGES | PT_COMMAND_ASKS | PT_COMMAND_NAMES_FILE, .run = orti },
	{ 0 },
};
