/* doc/proftap-profile-1.schema.json and the tables in the source say the same: each view, each column and its kind. What
 * a report has is validated wherever a test reads one (tests/system/json_report.py). */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "report/report.h"
#include "report/views/views.h"

static json_t *schema;

static void load_schema(void)
{
	const char *srcdir = getenv("srcdir");
	json_error_t error;
	char path[512];

	snprintf(path, sizeof(path), "%s/doc/proftap-profile-1.schema.json", srcdir != NULL ? srcdir : ".");
	schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(schema != NULL, "%s: line %d: %s", path, error.line, error.text);
}

static void drop_schema(void)
{
	json_decref(schema);
}

/* The definition that node names, or node. */
static const json_t *resolved(const json_t *node)
{
	static const char prefix[] = "#/definitions/";
	const char *ref = json_string_value(json_object_get(node, "$ref"));

	if (ref == NULL)
		return node;
	ck_assert_msg(strncmp(ref, prefix, strlen(prefix)) == 0, "%s", ref);
	node = json_object_get(json_object_get(schema, "definitions"), ref + strlen(prefix));
	ck_assert_msg(node != NULL, "%s is not defined", ref);
	return node;
}

static const json_t *property(const json_t *node, const char *key)
{
	return json_object_get(json_object_get(resolved(node), "properties"), key);
}

static bool has_string(const json_t *array, const char *text)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *is = json_string_value(json_array_get(array, i));

		if (is != NULL && strcmp(is, text) == 0)
			return true;
	}
	return false;
}

/* property() that is in every such object. */
static const json_t *required(const struct pt_view *view, const json_t *node, const char *key)
{
	const json_t *found = property(node, key);

	ck_assert_msg(found != NULL, "the schema's %s has no %s", view->name, key);
	ck_assert_msg(has_string(json_object_get(resolved(node), "required"), key), "%s: %s is not required",
		      view->name, key);
	return found;
}

static const char *kind_of(enum pt_unit unit)
{
	return unit == PT_UNIT_NONE ? "string" : pt_unit_is_real(unit) ? "number" : "integer";
}

/* The object that a column's value is in: that of its row, or "a" of "a.b" in it. key: the rest of its name. */
static const json_t *object_of(const struct pt_view *view, const json_t *row, const struct pt_column *column,
			       const char **key)
{
	const char *dot = strchr(column->key, '.');
	char outer[64];

	*key = dot != NULL ? dot + 1 : column->key;
	if (dot == NULL)
		return row;
	snprintf(outer, sizeof(outer), "%.*s", (int)(dot - column->key), column->key);
	return required(view, row, outer);
}

/* The schema has it as that kind or null, and its interval if it is a share; no other key stands beside it. */
static void check_column(const struct pt_view *view, const json_t *row, const struct pt_column *column)
{
	const char *key;
	const json_t *in = object_of(view, row, column, &key),
		     *types = json_object_get(resolved(required(view, in, key)), "type");
	char interval[64];

	ck_assert_msg(json_array_size(types) == 2 && has_string(types, "null") &&
			      has_string(types, kind_of(column->unit)),
		      "%s: %s is no %s or null", view->name, column->key, kind_of(column->unit));
	snprintf(interval, sizeof(interval), "%s_ci95", key);
	if (column->unit == PT_UNIT_SHARE && strstr(key, "change") == NULL)
		ck_assert_msg(property(in, interval) != NULL, "%s: no %s", view->name, interval);
	ck_assert(json_is_false(json_object_get(resolved(in), "additionalProperties")));
}

static bool is_column(const struct pt_view *view, const char *key)
{
	size_t len = strlen(key);

	for (size_t c = 0; c < view->n_columns; c++) {
		const char *is = view->columns[c].key;

		if (strncmp(is, key, len) == 0 && (is[len] == '\0' || is[len] == '.'))
			return true;
	}
	return strstr(key, "_ci95") != NULL || strstr(key, "_bounds") != NULL || strstr(key, "_at_least") != NULL ||
	       strstr(key, "_undecided_ns") != NULL;
}

static void check_view(const struct pt_view *view)
{
	const char *key = strcmp(view->name, "instructions") == 0 ? "instructions_rows" : view->name, *name;
	const json_t *row = json_object_get(property(schema, key), "items");
	json_t *value;

	ck_assert_msg(row != NULL, "the schema has no view %s", view->name);
	for (size_t c = 0; c < view->n_columns; c++)
		check_column(view, row, &view->columns[c]);
	json_object_foreach (json_object_get(resolved(row), "properties"), name, value)
		ck_assert_msg(is_column(view, name), "the schema's %s has %s, which is no column", view->name, name);
}

START_TEST(each_view_and_column)
{
	for (size_t i = 0; pt_views[i] != NULL; i++)
		check_view(pt_views[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_schema");
	TCase *tc = tcase_create("views");

	tcase_add_checked_fixture(tc, load_schema, drop_schema);
	tcase_add_test(tc, each_view_and_column);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
