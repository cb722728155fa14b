/* From qRcmd to its reply: see monitor.h for the rule that a slow command follows. */
#include "gdbstub/packets/monitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/rights.h"
#include "host/log.h"
#include "base/util.h"

enum {
	PATIENCE_MS = 1000,	/* until the first progress; GDB sends its first "-" after 2000 */
	ONE_PACKET_BYTES = PT_GDB_PACKET_BYTES / 2 - 8,	/* of text, in hex */
};

static const struct pt_monitor_word *const lists[] = {
	pt_monitor_help_words, pt_monitor_profile_words, pt_monitor_run_words, pt_monitor_live_words,
	pt_monitor_symbols_words, pt_monitor_exits_words, pt_monitor_limits_words, pt_monitor_orti_words,
	pt_monitor_board_words, pt_monitor_take_words, pt_monitor_semihost_words, pt_monitor_threads_words,
	pt_monitor_history_words, pt_monitor_auth_words,
};

void pt_monitor_each_word(void (*each)(void *arg, const struct pt_monitor_word *word), void *arg)
{
	for (size_t i = 0; i < PT_LEN(lists); i++)
		for (const struct pt_monitor_word *word = lists[i]; word->name != NULL; word++)
			each(arg, word);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void end(struct pt_monitor_call *call)
{
	struct pt_gdb_client *client = call->client;

	uv_timer_stop(&client->command.timer);
	pt_gdb_code_forget(&client->inferior.code);	/* a command may have changed anything */
	client->command.call = NULL;
	pt_rsp_release(&client->rsp);
	pt_text_free(&call->out);
	free(call->data);
	free(call);
	pt_rsp_finish(&client->rsp);
}

static void send_text(struct pt_gdb_client *client, const struct pt_text *text)
{
	if (text->len_bytes == 0 || text->len_bytes > ONE_PACKET_BYTES) {
		pt_gdb_console(client, text->bytes, text->len_bytes);
		pt_rsp_begin(&client->rsp.frame, '$');
		pt_rsp_text(&client->rsp.frame, "OK");
	} else {
		pt_rsp_begin(&client->rsp.frame, '$');
		pt_rsp_hex(&client->rsp.frame, text->bytes, text->len_bytes);
	}
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

/* GDB 13 takes "E." for hex digits: there the sentence goes to the console first. */
static void send_failure(struct pt_monitor_call *call)
{
	struct pt_gdb_client *client = call->client;

	if (client->features.error_message && call->out.len_bytes == 0) {
		pt_gdb_send_sentence(client, &call->err);
		return;
	}
	pt_text_add(&call->out, "%s\n", call->err.msg);
	pt_gdb_console(client, call->out.bytes, call->out.len_bytes);
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "E01");
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

static void answer(struct pt_monitor_call *call)
{
	if (call->out.overflow)
		pt_text_add(&call->out, "\n(cut: the answer is too long; top=N makes it shorter)\n");
	if (call->abandoned)
		;	/* whoever asked has gone on */
	else if (call->err.code < 0)
		send_failure(call);
	else
		send_text(call->client, &call->out);
	end(call);
}

void pt_monitor_done(struct pt_monitor_call *call, int rc, const struct pt_err *err)
{
	call->done = true;
	if (rc < 0)
		call->err = *err;
	call->err.code = rc < 0 ? rc : 0;
	if (call->abandoned || !call->quiet)
		answer(call);
}

void pt_monitor_fail(struct pt_monitor_call *call, int rc, const char *fmt, ...)
{
	struct pt_err err = { .code = rc };
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.msg, sizeof(err.msg), fmt, args);
	va_end(args);
	pt_monitor_done(call, rc, &err);
}

void pt_monitor_session_reply(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_monitor_call *call = arg;

	if (rc < 0) {
		pt_monitor_fail(call, rc, "%s: %.*s", call->word->name, (int)len_bytes, text);
		return;
	}
	pt_text_bytes(&call->out, text, len_bytes);
	if (len_bytes > 0 && text[len_bytes - 1] != '\n')
		pt_text_add(&call->out, "\n");
	pt_monitor_done(call, 0, NULL);
}

void pt_monitor_say(struct pt_monitor_call *call, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	pt_text_add_list(&call->out, fmt, args);
	va_end(args);
	pt_text_bytes(&call->out, "\n", 1);
}

/* --- a slow command ----------------------------------------------------------------------------------------------- */

static void send_progress(struct pt_monitor_call *call)
{
	struct pt_text line = { 0 };

	if (call->progress != NULL)
		call->progress(call, &line);
	else
		pt_text_add(&line, "%s: still at work\n", call->word->name);
	call->quiet = true;
	pt_gdb_console(call->client, line.bytes, line.len_bytes);
	pt_text_free(&line);
}

static void on_slow(uv_timer_t *timer)
{
	struct pt_gdb_client *client = timer->data;

	if (client->command.call != NULL && !client->command.call->done && !client->command.call->abandoned)
		send_progress(client->command.call);
}

void pt_monitor_alive(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	if (call == NULL || !call->quiet || call->abandoned)
		return;
	call->quiet = false;
	if (call->done)
		answer(call);
	else
		send_progress(call);
}

static void cancel(struct pt_monitor_call *call)
{
	void (*how)(struct pt_monitor_call *call) = call->cancel;

	call->cancel = NULL;
	if (how != NULL && !call->done)
		how(call);
}

void pt_monitor_abandon(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	if (call == NULL || call->abandoned)
		return;
	call->abandoned = true;
	if (call->done)
		answer(call);
	else
		cancel(call);
}

void pt_monitor_interrupt(struct pt_gdb_client *client)
{
	cancel(client->command.call);
}

/* --- the board ---------------------------------------------------------------------------------------------------- */

static struct pt_monitor_call *of_job(struct pt_job *job)
{
	return (struct pt_monitor_call *)((char *)job - offsetof(struct pt_monitor_call, job));
}

static int run_on_board(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_monitor_call *call = of_job(job);

	call->no_target = target == NULL;
	return call->no_target ? pt_fail(err, PT_ESTATE, "no target") : call->on_board(call, board, target, err);
}

static void on_board_done(struct pt_job *job, int rc, const struct pt_err *err)
{
	struct pt_monitor_call *call = of_job(job);
	struct pt_err told = *err;

	if (call->no_target)
		pt_gdb_why_no_target(call->client->stub, &told);
	if (call->after != NULL)
		call->after(call, rc, &told);
	else
		pt_monitor_done(call, rc, &told);
}

void pt_monitor_on_board(struct pt_monitor_call *call, pt_monitor_board_fn *on_board, pt_monitor_after_fn *after)
{
	call->on_board = on_board;
	call->after = after;
	call->no_target = false;
	call->job.run = run_on_board;
	call->job.done = on_board_done;
	pt_board_post(pt_monitor_board(call), &call->job);
}

struct pt_session *pt_monitor_session(const struct pt_monitor_call *call)
{
	return call->client->stub->config.session;
}

struct pt_board *pt_monitor_board(const struct pt_monitor_call *call)
{
	return call->client->stub->config.board;
}

/* --- the words ---------------------------------------------------------------------------------------------------- */

static void split(struct pt_monitor_call *call)
{
	char *save, *word = strtok_r(call->line, " \t\r\n", &save);

	while (word != NULL && call->n_words < PT_MONITOR_MAX_WORDS) {
		call->words[call->n_words++] = word;
		word = strtok_r(NULL, " \t\r\n", &save);
	}
}

/* How many words of the line the name takes; 0: it is not this command. */
static size_t fits(const struct pt_monitor_call *call, const struct pt_monitor_word *word)
{
	size_t len = strcspn(word->name, " ");

	if (call->n_words == 0 || strlen(call->words[0]) != len || strncmp(call->words[0], word->name, len) != 0)
		return 0;
	if (word->name[len] == '\0')
		return 1;
	return call->n_words > 1 && strcmp(call->words[1], word->name + len + 1) == 0 ? 2 : 0;
}

struct search { struct pt_monitor_call *call; size_t n_fit; };

static void compare(void *arg, const struct pt_monitor_word *word)
{
	struct search *search = arg;
	size_t n = fits(search->call, word);

	if (n > search->n_fit) {
		search->n_fit = n;
		search->call->word = word;
	}
}

struct offer { const char *group; struct pt_text names; };

static void offer_word(void *arg, const struct pt_monitor_word *word)
{
	struct offer *offer = arg;
	size_t len = strlen(offer->group);

	if (len == 0 || (strncmp(word->name, offer->group, len) == 0 && word->name[len] == ' '))
		pt_text_add(&offer->names, "%s%s", offer->names.len_bytes > 0 ? ", " : "", word->name);
}

/* The right words are those of the group, if the first word was right. */
static void wrong_word(struct pt_monitor_call *call)
{
	static const struct pt_monitor_word none = { .name = "monitor" };
	struct offer offer = { .group = call->n_words > 0 ? call->words[0] : "" };
	const char *first = call->n_words > 0 ? call->words[0] : "", *second = call->n_words > 1 ? call->words[1] : "";
	struct pt_err err;

	call->word = &none;
	pt_monitor_each_word(offer_word, &offer);
	if (offer.names.len_bytes == 0) {
		offer.group = second = "";
		pt_monitor_each_word(offer_word, &offer);
	}
	pt_fail(&err, PT_EARG, "\"%.40s%s%.40s\" is not a monitor command; there are: %.*s", first,
		*second != '\0' ? " " : "", second, (int)offer.names.len_bytes, offer.names.bytes);
	pt_text_free(&offer.names);
	pt_monitor_done(call, PT_EARG, &err);
}

bool pt_monitor_is_open(const struct pt_monitor_word *word)
{
	return word == pt_monitor_auth_words || word == pt_monitor_help_words;
}

static bool is_for_the_owner(const struct pt_monitor_call *call)
{
	const struct pt_gdb_client *client = call->client;
	unsigned flags = call->word->flags;

	if (!pt_gdb_is_second(client) || ((flags & PT_MONITOR_ASKS) != 0 && call->n_words == 0))
		return false;
	return (flags & PT_MONITOR_CONTROLS) != 0 ||
	       ((flags & PT_MONITOR_CHANGES) != 0 && (client->inferior.watches || client->inferior.run != PT_GDB_NONE));
}

static void run(struct pt_monitor_call *call)
{
	struct search search = { .call = call };

	split(call);
	pt_monitor_each_word(compare, &search);
	if (call->client->auth.locked && !pt_monitor_is_open(search.n_fit > 0 ? call->word : NULL)) {
		pt_monitor_fail(call, PT_EPERM, "this server wants its token first: monitor auth TOKEN");
		return;
	}
	if (search.n_fit == 0) {
		wrong_word(call);
		return;
	}
	call->n_words -= search.n_fit;
	memmove(call->words, call->words + search.n_fit, call->n_words * sizeof(call->words[0]));
	if (!pt_gdb_may_call(call))
		pt_monitor_fail(call, PT_EPERM, "%s: %s", call->word->name, pt_gdb_restricted);
	else if (is_for_the_owner(call))
		pt_monitor_fail(call, PT_EBUSY, "%s: another GDB controls the target (%s): monitor take comes first",
				call->word->name, call->client->stub->owner->rsp.peer);
	else
		call->word->run(call);
}

static void handle_monitor(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	size_t len = pt_rsp_left(args) / 2;
	struct pt_monitor_call *call;

	if (pt_rsp_left(args) % 2 != 0 || len >= PT_MONITOR_LINE_BYTES) {
		pt_gdb_reply_malformed(client);
		return;
	}
	call = calloc(1, sizeof(*call));
	if (call == NULL || !pt_rsp_bytes(args, (uint8_t *)call->line, len)) {
		free(call);
		pt_gdb_reply_malformed(client);
		return;
	}
	call->client = client;
	client->command.call = call;
	pt_rsp_hold(&client->rsp);
	uv_timer_start(&client->command.timer, on_slow, PATIENCE_MS, 0);
	run(call);
}

const struct pt_packet_row pt_packets_monitor[] = {
	{ "qRcmd,", PT_PACKET_OPEN | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_monitor },
	{ 0 },
};
