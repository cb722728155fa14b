/* Any words as settings ("key=value", as --set, monitor commands and URIs give them) of each table of them, and as the words of
 * a report. What is taken is well-formed and within its bounds; what is refused is refused with a sentence, and changes nothing.
 * The first byte chooses the table; each line is a word. 0xff: a profile of the program that has variables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../small_program.h"
#include "vars_elf.h"
#include "base/util.h"
#include "import/importer.h"
#include "pipeline/definitions.h"
#include "pipeline/pipeline.h"
#include "probes/registry.h"
#include "probes/wires/jtag_chain.h"
#include "program/model/settings.h"
#include "report/report.h"
#include "targets/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_WORDS = 32, MOST_BYTES = 4096, MOST_TABLES = 64, WITH_VARIABLES = 0xff };

struct table { const struct pt_param *rows; size_t n_rows; };

static struct table tables[MOST_TABLES];
static size_t n_tables;

static void must(bool so)
{
	if (!so)
		abort();
}

static void add_table(const struct pt_param *rows, size_t n_rows)
{
	if (n_rows > 0 && n_tables < MOST_TABLES)
		tables[n_tables++] = (struct table){ rows, n_rows };
}

static void list_tables(void)
{
	add_table(pt_probe_params, pt_n_probe_params);
	add_table(pt_jtag_params, pt_n_jtag_params);
	add_table(pt_program_params, PT_N_PROGRAM_PARAMS);
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		add_table(pt_probe_drivers[i]->params, pt_probe_drivers[i]->n_params);
	for (size_t i = 0; i < pt_n_targets; i++)
		add_table(pt_targets[i]->params, pt_targets[i]->n_params);
	for (size_t i = 0; pt_inputs[i] != NULL; i++)
		add_table(pt_inputs[i]->params, pt_inputs[i]->n_params);
}

/* --- one table ---------------------------------------------------------------------------------------------------- */

static bool is_number(const struct pt_param *row)
{
	return row->type == PT_PARAM_NUMBER || row->type == PT_PARAM_TIME || row->type == PT_PARAM_HZ;
}

/* A number that is written as it was read is the same number. */
static void check_number(const struct pt_param *row, uint64_t value)
{
	char text[40];
	uint64_t again = 0;

	snprintf(text, sizeof(text), "%" PRIu64 "%s", value, row->type == PT_PARAM_TIME ? "ns" : "");
	must(pt_params_parse(row->type, text, &again, NULL) == 0 && again == value);
	if (row->choices == NULL && (row->min != 0 || row->max != 0))
		must(value >= row->min && value <= row->max);
}

static void check_taken(const struct pt_params *params, const struct pt_param *row)
{
	uint64_t addr, size;

	must(pt_params_given(params, row) && pt_params_text(params, row) != NULL);
	if (is_number(row))
		check_number(row, pt_params_number(params, row));
	if (row->type == PT_PARAM_FLAG)
		must(pt_params_number(params, row) <= 1);
	if (row->type == PT_PARAM_SPAN)
		must(pt_params_span(params, row, &addr, &size));
	if (row->type == PT_PARAM_CHOICE)
		must(strstr(row->choices, pt_params_text(params, row)) != NULL);
}

static const struct pt_param *row_of(const struct table *table, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < table->n_rows; i++)
		if (strlen(table->rows[i].key) == len && strncmp(table->rows[i].key, word, len) == 0)
			return &table->rows[i];
	return NULL;
}

static void add_words(const struct table *table, char **words, size_t n)
{
	struct pt_params *params = pt_params_new(), *copy;

	for (size_t i = 0; i < n; i++) {
		const struct pt_param *row = row_of(table, words[i]);
		char *before = row != NULL && pt_params_given(params, row) ? strdup(pt_params_text(params, row)) : NULL;
		struct pt_err err = { 0 };

		if (pt_params_add(params, table->rows, table->n_rows, words[i], &err) == 0) {
			must(row != NULL);
			check_taken(params, row);
		} else {
			must(err.code == PT_EARG && err.msg[0] != '\0');
			must(row == NULL || pt_params_given(params, row) == (before != NULL));
			must(before == NULL || strcmp(before, pt_params_text(params, row)) == 0);
		}
		free(before);
	}
	copy = pt_params_copy(params);
	for (size_t i = 0; i < table->n_rows; i++)
		must(pt_params_given(copy, &table->rows[i]) == pt_params_given(params, &table->rows[i]));
	pt_params_free(copy);
	pt_params_free(params);
}

/* --- those of a profile, and of a report --------------------------------------------------------------------------- */

static void open_pipeline(struct pt_program *program, char **words, size_t n)
{
	struct pt_params *params = pt_params_new();
	struct pt_pipeline *pipeline;
	struct pt_err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct pt_err why = { 0 };

		must(pt_pipeline_add(params, words[i], &why) == 0 || (why.code < 0 && why.msg[0] != '\0'));
	}
	pipeline = pt_pipeline_new(program, params, &err);
	must(pipeline != NULL || (err.code < 0 && err.msg[0] != '\0'));
	if (pipeline != NULL)
		pt_pipeline_profile(pipeline);
	pt_pipeline_free(pipeline);
	pt_params_free(params);
}

/* What the words define, with lines of an instrument and accesses to memory that nothing names. */
static void define(struct pt_program *program, char **words, size_t n)
{
	static const char config[] = "lines=4\nline.0=cs\nline.2.bits=12\nline.3=a line\n";
	struct pt_params *params = pt_params_new();
	struct pt_definitions *d;
	struct pt_err err = { 0 };

	for (size_t i = 0; i < n; i++)
		pt_params_add(params, pt_definition_params, pt_n_definition_params, words[i], NULL);
	d = pt_definitions_new(program, params, &err);
	must(d != NULL || (err.code < 0 && err.msg[0] != '\0'));
	if (d != NULL) {
		struct pt_event access = { .kind = PT_EV_VALUE, .n = 4 };
		struct pt_config lines;

		must(pt_config_init(&lines, config, sizeof(config) - 1));
		pt_definitions_config(d, 0, &lines);
		pt_config_fini(&lines);
		for (unsigned i = 0; i < 40; i++) {
			access.value.at = 0x20000000 + 6 * (uint64_t)i;
			pt_definitions_access(d, &access);
		}
		must(pt_definitions_set(d)->n_definitions <= PT_SIGNALS_MAX);
	}
	pt_definitions_free(d);
	pt_params_free(params);
}

static void parse_query(char **words, size_t n)
{
	struct pt_query query;
	struct pt_err err = { 0 };

	must(pt_query_parse(&query, (const char *const *)words, n, &err) == 0 || err.msg[0] != '\0');
	for (size_t i = 0; i < n; i++) {
		uint64_t ns;

		pt_query_knows(words[i]);
		must(pt_params_parse_seconds(words[i], &ns, &err) == 0 || err.msg[0] != '\0');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct pt_program *small, *with_variables;
	char *text, *words[MOST_WORDS + 1];
	size_t n = 0, which;

	if (n_tables == 0) {
		list_tables();
		small = small_program();
		with_variables = vars_elf();
	}
	if (in_bytes == 0 || in_bytes > MOST_BYTES)
		return 0;
	text = calloc(in_bytes, 1);
	if (text == NULL)
		return 0;
	memcpy(text, in + 1, in_bytes - 1);
	for (char *at = text; at != NULL && n < MOST_WORDS;)
		words[n++] = strsep(&at, "\n");
	words[n] = NULL;
	which = in[0] % (n_tables + 2);
	if (in[0] == WITH_VARIABLES)
		open_pipeline(with_variables, words, n), define(with_variables, words, n), define(NULL, words, n);
	else if (which == 0)
		open_pipeline(small, words, n);
	else if (which == 1)
		parse_query(words, n);
	else
		add_words(&tables[which - 2], words, n);
	free(text);
	return 0;
}
