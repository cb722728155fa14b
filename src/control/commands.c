/* The list of all rows, and how one is found by its words. */
#include "control/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const struct pt_command_row *const lists[] = {
	pt_commands_help, pt_commands_profile, pt_commands_profile_run, pt_commands_symbols, pt_commands_exits,
	pt_commands_limits, pt_commands_orti, pt_commands_core, pt_commands_semihost, pt_commands_threads,
	pt_commands_history,
};

static void each_of(const struct pt_command_row *rows, void (*each)(void *arg, const struct pt_command_row *row),
		    void *arg)
{
	for (const struct pt_command_row *row = rows; row != NULL && row->name != NULL; row++)
		each(arg, row);
}

void pt_commands_each(const struct pt_command_ctx *ctx, void (*each)(void *arg, const struct pt_command_row *row),
		      void *arg)
{
	const struct pt_target_word *word;

	for (size_t i = 0; i < PT_LEN(lists); i++)
		each_of(lists[i], each, arg);
	for (size_t i = 0; (word = pt_board_target_word(i)) != NULL; i++) {
		struct pt_command_row row = pt_command_of_target(word);

		each(arg, &row);
	}
	each_of(ctx->ops->rows, each, arg);
}

/* --- a wrong word ------------------------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 40 };

/* Letters to be changed, put in or left out until one word is the other (Levenshtein). */
static size_t count_typos(const char *a, const char *b)
{
	size_t cost[LONGEST_NAME + 1], len = strlen(b);

	if (len > LONGEST_NAME)
		return SIZE_MAX;
	for (size_t j = 0; j <= len; j++)
		cost[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = cost[0];

		cost[0] = i;
		for (size_t j = 1; j <= len; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			size_t other = (cost[j] < cost[j - 1] ? cost[j] : cost[j - 1]) + 1;

			diagonal = cost[j];
			cost[j] = change < other ? change : other;
		}
	}
	return cost[len];
}

struct offer {
	char one[LONGEST_NAME + 1], two[2 * LONGEST_NAME + 2];	/* the first word of the line; the first two */
	const char *group;			/* rows whose first word it is; "": all */
	struct pt_text names;
	char nearest[LONGEST_NAME + 1];
	size_t n_typos;
};

static void offer_row(void *arg, const struct pt_command_row *row)
{
	struct offer *offer = arg;
	size_t len = strlen(offer->group);

	if (len == 0 || (strncmp(row->name, offer->group, len) == 0 && row->name[len] == ' '))
		pt_text_add(&offer->names, "%s%s", offer->names.len_bytes > 0 ? ", " : "", row->name);
}

/* A third of its letters may be wrong. */
static void keep_nearest(void *arg, const struct pt_command_row *row)
{
	struct offer *offer = arg;
	size_t n = count_typos(strchr(row->name, ' ') != NULL ? offer->two : offer->one, row->name);

	if (n <= strlen(row->name) / 3 && n < offer->n_typos) {
		offer->n_typos = n;
		snprintf(offer->nearest, sizeof(offer->nearest), "%s", row->name);
	}
}

/* The right words are those of the group, if the first word was right; else the one that is like it, or all. */
static void put_right_words(const struct pt_command *cmd, struct offer *offer, struct pt_text *out)
{
	pt_commands_each(cmd->ctx, offer_row, offer);
	if (offer->names.len_bytes == 0)
		pt_commands_each(cmd->ctx, keep_nearest, offer);
	if (offer->nearest[0] != '\0') {
		pt_text_add(out, "the nearest is %s, and help lists them all", offer->nearest);
		return;
	}
	if (offer->names.len_bytes == 0) {
		offer->group = "";
		pt_commands_each(cmd->ctx, offer_row, offer);
	}
	pt_text_add(out, "there are: %s", offer->names.bytes);
}

static int refuse_word(const struct pt_command *cmd, struct pt_err *err)
{
	const char *first = cmd->n_words > 0 ? cmd->words[0] : "", *second = cmd->n_words > 1 ? cmd->words[1] : "";
	struct offer offer = { .group = first, .n_typos = SIZE_MAX };
	struct pt_text right = { 0 };

	snprintf(offer.one, sizeof(offer.one), "%.40s", first);
	snprintf(offer.two, sizeof(offer.two), "%.40s%s%.40s", first, *second != '\0' ? " " : "", second);
	put_right_words(cmd, &offer, &right);
	pt_fail(err, PT_EARG, "\"%s\" is not a %s command; %s", offer.group[0] != '\0' ? offer.two : offer.one,
		cmd->ctx->ops->name, right.bytes != NULL ? right.bytes : "");
	pt_text_free(&offer.names);
	pt_text_free(&right);
	return err->code;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

/* How many of the words the name takes; 0: it is not this command. */
static size_t fits(const struct pt_command *cmd, const struct pt_command_row *row)
{
	size_t len = strcspn(row->name, " ");

	if (cmd->n_words == 0 || strlen(cmd->words[0]) != len || strncmp(cmd->words[0], row->name, len) != 0)
		return 0;
	if (row->name[len] == '\0')
		return 1;
	return cmd->n_words > 1 && strcmp(cmd->words[1], row->name + len + 1) == 0 ? 2 : 0;
}

struct search { struct pt_command *cmd; size_t n_fit; };

static void compare_row(void *arg, const struct pt_command_row *row)
{
	struct search *search = arg;
	size_t n = fits(search->cmd, row);

	if (n > search->n_fit) {
		search->n_fit = n;
		search->cmd->row = *row;
	}
}

/* The row of the command's first words, which go. */
static int find_row(struct pt_command *cmd, struct pt_err *err)
{
	struct search search = { .cmd = cmd };

	pt_commands_each(cmd->ctx, compare_row, &search);
	if (search.n_fit == 0)
		return refuse_word(cmd, err);
	cmd->n_words -= search.n_fit;
	memmove(cmd->words, cmd->words + search.n_fit, cmd->n_words * sizeof(cmd->words[0]));
	return 0;
}

void pt_command_run(struct pt_command *cmd)
{
	const struct pt_command_ctx *ctx = cmd->ctx;
	struct pt_err no_row, err;
	bool found = find_row(cmd, &no_row) == 0;

	if (ctx->ops->allows != NULL && ctx->ops->allows(ctx->door, cmd, &err) < 0)
		pt_command_done(cmd, err.code, &err);
	else if (!found)
		pt_command_done(cmd, no_row.code, &no_row);
	else
		cmd->row.run(cmd);
}
