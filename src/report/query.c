/* Parses the words of a query: a view is its name, the others are key=value. The valid words come from the
 * registries. */
#include <stdio.h>
#include <string.h>

#include "base/door.h"
#include "base/nearest.h"
#include "base/params.h"
#include "base/util.h"
#include "report/other_names.h"
#include "report/report.h"
#include "report/table/order.h"
#include "report/views/views.h"

/* Refuses word: the error names the nearest valid word, and all of them. */
static int refuse(const char *what, const char *word, const struct pt_nearest *near, const char *where,
		  const char *right, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];

	return pt_fail(err, PT_EARG, "%s '%.40s'%s%s:%s", what, word,
		       pt_nearest_question(near, question, sizeof(question)), where, right);
}

struct right_words { struct pt_nearest near; char names[800]; size_t at; };

static void put_right_text(struct right_words *right, const char *text)
{
	if (right->at < sizeof(right->names))
		right->at += (size_t)snprintf(right->names + right->at, sizeof(right->names) - right->at, "%s", text);
}

static void put_right(struct right_words *right, const char *name)
{
	pt_nearest_offer(&right->near, name);
	put_right_text(right, " ");
	put_right_text(right, name);
}

/* A likely slip: the name of a file, without --elf. */
static bool is_file(const char *word)
{
	return strpbrk(word, "/.") != NULL;
}

static const struct { const char *key, *example; } keys[] = {
	{ "sort", "sort=total" },    { "top", "top=20" },     { "format", "format=json" }, { "wide", "wide=on" },
	{ "from", "from=10ms" },     { "to", "to=20ms" },     { "name", "name=uart_*" },   { "partial", "partial=yes" },
	{ "task", "task=Main" },
};

/* An example, if word is a key without its value; NULL: it is not a key. */
static const char *example_of(const char *word)
{
	for (size_t i = 0; i < PT_LEN(keys); i++)
		if (strcmp(keys[i].key, word) == 0)
			return keys[i].example;
	return NULL;
}

static int no_view(const char *word, struct pt_err *err)
{
	struct right_words right = { .at = 0 };
	char where[80] = "views";

	pt_nearest_init(&right.near, word, strlen(word));
	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (strlen(word) >= 2 && strncmp(pt_views[i]->name, word, strlen(word)) == 0)
			put_right(&right, pt_views[i]->name);
	if (right.at > 0)
		return pt_fail(err, PT_EARG, "'%.40s' fits several views:%s; write more of it", word, right.names);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		put_right(&right, pt_views[i]->name);
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		pt_nearest_offer(&right.near, pt_formats[i]->name);	/* a format without format= is valid, too */
	if (pt_view_meant_by(word) != NULL)
		pt_nearest_is(&right.near, pt_view_meant_by(word));
	if (example_of(word) != NULL)
		return pt_fail(err, PT_EARG, "%s takes a value behind =, as in %s", word, example_of(word));
	if (is_file(word))
		return pt_fail(err, PT_EARG, "there is no view '%.200s'; a program is named by %s %.200s", word,
			       pt_by_door("--elf", "monitor symbols"), word);
	if (pt_params_is_unit_of_time(word))
		return pt_fail(err, PT_EARG, "there is no view '%.40s'; a time is one word, number and unit: 50%.40s",
			       word, word);
	if (pt_params_is_unit_of_frequency(word))
		return pt_fail(err, PT_EARG,
			       "there is no view '%.40s'; a frequency is one word, number and unit: 48%.40s", word,
			       word);
	if (right.near.nearest[0] == '\0' && strlen(word) > 2)	/* it may be the name of a function */
		snprintf(where, sizeof(where), "of one function: report why %.40s; views", word);
	return refuse("there is no view", word, &right.near, where, right.names, err);
}

static int no_format(const char *word, struct pt_err *err)
{
	struct right_words right = { .at = 0 };

	pt_nearest_init(&right.near, word, strlen(word));
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		put_right(&right, pt_formats[i]->name);
	return refuse("there is no format", word, &right.near, "formats", right.names, err);
}

/* Finds the name that a word is, or of which it is the beginning (at least two letters). */
struct short_word { const char *word, *found; bool several; };

static void offer_name(struct short_word *s, const char *name)
{
	if (strlen(s->word) < 2 || strncmp(name, s->word, strlen(s->word)) != 0)
		return;
	if (s->found != NULL && strcmp(s->found, s->word) == 0)
		return;
	s->several = s->found != NULL && strcmp(name, s->word) != 0;
	s->found = name;
}

static struct short_word find_view(const char *word)
{
	struct short_word s = { .word = word };

	for (size_t i = 0; pt_views[i] != NULL; i++)
		offer_name(&s, pt_views[i]->name);
	return s;
}

/* NULL: none, or several. */
static const char *short_view(const char *word)
{
	struct short_word s = find_view(word);

	return s.several ? NULL : s.found;
}

/* The same for formats; also NULL if the word may mean several views. */
static const char *short_format(const char *word)
{
	struct short_word s = { .word = word };

	for (size_t i = 0; pt_formats[i] != NULL; i++)
		offer_name(&s, pt_formats[i]->name);
	return s.several || find_view(word).several ? NULL : s.found;
}

/* Each column is a sort word; the error lists those that the table shows if there is room. */
static void put_sort_word(struct right_words *right, const struct pt_view *view, size_t i)
{
	const struct pt_column *column = &view->columns[i];
	char word[PT_SORT_WORD], group[PT_SORT_WORD];

	pt_view_sort_word(view, i, word);
	pt_nearest_offer(&right->near, word);
	pt_nearest_offer(&right->near, column->key);
	snprintf(group, sizeof(group), "%.*s", (int)strcspn(column->key, "."), column->key);
	if (pt_view_column(view, group) >= 0)	/* net for net.total */
		pt_nearest_offer(&right->near, group);
	if (column->brief == PT_IF_WIDE || word[0] == '\0' || pt_view_column(view, word) < 0)
		return;
	for (size_t k = 0; k < i; k++) {
		char before[PT_SORT_WORD];

		pt_view_sort_word(view, k, before);
		if (view->columns[k].brief != PT_IF_WIDE && strcmp(before, word) == 0)
			return;
	}
	put_right(right, word);
}

/* Without a view in the query the profile decides which one is shown, so the word of any view is accepted. */
static bool is_sort_word(const struct pt_query *query)
{
	if (query->view[0] != '\0')
		return pt_view_find(query->view) == NULL || pt_view_column(pt_view_find(query->view), query->sort) >= 0;
	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (pt_view_column(pt_views[i], query->sort) >= 0)
			return true;
	return false;
}

static int check_sort(const struct pt_query *query, struct pt_err *err)
{
	const struct pt_view *view = pt_view_find(query->view[0] != '\0' ? query->view : pt_views[0]->name);
	struct right_words right = { .at = 0 };
	char where[40];
	bool more = false;

	if (query->sort[0] == '\0' || is_sort_word(query))
		return 0;
	pt_nearest_init(&right.near, query->sort, strlen(query->sort));
	for (size_t i = 0; view != NULL && i < view->n_columns; i++) {
		put_sort_word(&right, view, i);
		more |= view->columns[i].brief == PT_IF_WIDE;
	}
	if (view != NULL && pt_column_meant_by(query->sort) != NULL &&
	    pt_view_column(view, pt_column_meant_by(query->sort)) >= 0)
		pt_nearest_is(&right.near, pt_column_meant_by(query->sort));
	if (more)
		put_right_text(&right, " (and what wide=on shows)");
	snprintf(where, sizeof(where), "%s has", view != NULL ? view->name : "it");
	return refuse("cannot sort by", query->sort, &right.near, where, right.names, err);
}

/* The functions of a task are the rows of a separate view. */
static const char functions_of_tasks[] = "task_functions";

static void choose_functions_of_task(struct pt_query *query)
{
	if (query->task[0] != '\0' && (query->view[0] == '\0' || strcmp(query->view, "functions") == 0))
		strcpy(query->view, functions_of_tasks);
}

static int check_zoom(const struct pt_query *query, struct pt_err *err)
{
	const struct pt_view *view = pt_view_find(query->view[0] != '\0' ? query->view : pt_views[0]->name);

	if (query->task[0] != '\0' && strcmp(query->view, functions_of_tasks) != 0)
		return pt_fail(err, PT_EARG, "task= is for functions: functions task=%.60s", query->task);
	if (strcmp(query->view, functions_of_tasks) == 0 && (query->from_ns != 0 || query->to_ns != 0))
		return pt_fail(err, PT_EARG, "from= and to= are for the timeline; %s cannot be asked like that",
			       view->name);
	if (query->to_ns != 0 && query->from_ns >= query->to_ns)
		return pt_fail(err, PT_EARG, "from= is not before to=; for instance: from=1s to=2s");
	if (!pt_query_zooms(query) || view == NULL || view->match != NULL || strcmp(query->format, "annotate") == 0 ||
	    strcmp(query->format, "why") == 0)
		return 0;
	return pt_fail(err, PT_EARG,
		       "from=, to= and name= are for the timeline, name= for format=annotate and why; %s cannot "
		       "be asked like that",
		       view->name);
}

static int copy(char *to, size_t room, const char *key, const char *value, struct pt_err *err)
{
	if (value[0] == '\0' || strlen(value) >= room)
		return pt_fail(err, PT_EARG, "%s: '%.40s' is no name", key, value);
	strcpy(to, value);
	return 0;
}

static int take_switch(bool *flag, const char *key, const char *on, const char *off, const char *value,
		       struct pt_err *err)
{
	*flag = strcmp(value, on) == 0;
	if (*flag || strcmp(value, off) == 0)
		return 0;
	return pt_fail(err, PT_EARG, "%s: '%.40s' is neither %s nor %s", key, value, on, off);
}

static int no_setting(const char *word, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, word, strcspn(word, "="));
	pt_nearest_offer_list(&near, "format sort top from to name task wide partial");
	return pt_fail(err, PT_EARG,
		       "there is no setting '%.40s'%sthere are: format=NAME sort=COLUMN top=N from=TIME to=TIME "
		       "name=PATTERN task=PATTERN wide=on|off partial=yes|no%s",
		       word, pt_nearest_question(&near, question, sizeof(question)),
		       pt_setting_by_door("; one of the profile is --set KEY=VALUE", ""));
}

static int take_view(struct pt_query *query, const char *view, struct pt_err *err)
{
	if (query->view[0] != '\0' && strcmp(query->view, view) != 0)
		return pt_fail(err, PT_EARG,
			       "%s and %s are two views, and a report has one: report %s, and then report %s",
			       query->view, view, query->view, view);
	return copy(query->view, sizeof(query->view), "view", view, err);
}

static int take_word(struct pt_query *query, const char *word, struct pt_err *err)
{
	uint64_t top;

	if (strncmp(word, "sort=", 5) == 0)
		return copy(query->sort, sizeof(query->sort), "sort", word + 5, err);
	if (strncmp(word, "format=", 7) == 0) {
		if (pt_format_find(word + 7) == NULL)
			return no_format(word + 7, err);
		return copy(query->format, sizeof(query->format), "format", word + 7, err);
	}
	if (strncmp(word, "top=", 4) == 0) {
		if (pt_params_parse(PT_PARAM_NUMBER, word + 4, &top, err) < 0 || top > UINT32_MAX)
			return pt_fail(err, PT_EARG, "top: '%.40s' is not a number of rows", word + 4);
		query->top = (uint32_t)top;
		query->top_given = true;
		return 0;
	}
	if (strncmp(word, "partial=", 8) == 0)
		return take_switch(&query->partial, "partial", "yes", "no", word + 8, err);
	if (strncmp(word, "wide=", 5) == 0)
		return take_switch(&query->wide, "wide", "on", "off", word + 5, err);
	if (strncmp(word, "name=", 5) == 0)
		return copy(query->name, sizeof(query->name), "name", word + 5, err);
	if (strncmp(word, "task=", 5) == 0)
		return copy(query->task, sizeof(query->task), "task", word + 5, err);
	if (strncmp(word, "from=", 5) == 0)
		return pt_params_parse(PT_PARAM_TIME, word + 5, &query->from_ns, err);
	if (strncmp(word, "to=", 3) == 0)
		return pt_params_parse(PT_PARAM_TIME, word + 3, &query->to_ns, err);
	if (strcmp(query->format, "why") == 0 && query->name[0] == '\0')	/* "report why main" */
		return copy(query->name, sizeof(query->name), "name", word, err);
	if (pt_view_find(word) == NULL && pt_format_find(word) != NULL)	/* "report details" */
		return copy(query->format, sizeof(query->format), "format", word, err);
	if (short_view(word) != NULL)
		return take_view(query, short_view(word), err);
	if (short_format(word) != NULL)
		return copy(query->format, sizeof(query->format), "format", short_format(word), err);
	return strchr(word, '=') == NULL ? no_view(word, err) : no_setting(word, err);
}

bool pt_query_knows(const char *word)
{
	for (size_t i = 0; i < PT_LEN(keys); i++)
		if (strncmp(word, keys[i].key, strlen(keys[i].key)) == 0 && word[strlen(keys[i].key)] == '=')
			return true;
	return short_view(word) != NULL || short_format(word) != NULL;
}

int pt_query_parse(struct pt_query *query, const char *const *words, size_t n_words, struct pt_err *err)
{
	int rc = 0;

	memset(query, 0, sizeof(*query));
	for (size_t i = 0; rc == 0 && i < n_words; i++)
		rc = take_word(query, words[i], err);
	choose_functions_of_task(query);
	return rc == 0 && (rc = check_zoom(query, err)) == 0 ? check_sort(query, err) : rc;
}
