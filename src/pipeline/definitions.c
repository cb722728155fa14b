#include "pipeline/definitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/orti/orti.h"
#include "program/expr/variable.h"
#include "trace/config.h"
#include "trace/formats.h"

enum { VARIABLES, SIGNAL, TWO_POINT, LINES, ORTI };
enum { NAME_BYTES = 200, MOST_LINES = 128, MOST_NOTES = 16, MOST_BYTES = 8 };

const struct pt_param pt_definition_params[] = {
	[VARIABLES] = { "variables", PT_PARAM_LIST, NULL, NULL, 0, 0,
			"variables to follow (C expressions, or port.N; NAME:state or NAME:regular)" },
	[SIGNAL] = { "signal", PT_PARAM_LIST, NULL, NULL, 0, 0,
		     "what the program reports by writes (NAME:nested, NAME:task, port.N:nested; port.N.BYTES: values of that many bytes, even if each takes several messages)" },
	[TWO_POINT] = { "two-point", PT_PARAM_LIST, NULL, NULL, 0, 0, "spans between two values (NAME:3..5); any other value in between is an error, and ends the span" },
	[LINES] = { "lines", PT_PARAM_LIST, NULL, NULL, 0, 0, "only these external lines (names)" },
	[ORTI] = { "orti", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		   "the text of an ORTI file on one line; --orti FILE reads one" },
};
const size_t pt_n_definition_params = PT_LEN(pt_definition_params);

struct owned {			/* memory that a definition points to */
	char *name;
	struct pt_variable variable;
	struct pt_value_name *values;
};

struct pt_definitions {
	struct pt_program *program;	/* the caller's */
	struct pt_types *types;		/* made when the first variable is named */
	struct pt_signal_set set;
	struct pt_signal_definition definition[PT_SIGNALS_MAX];
	struct owned owned[PT_SIGNALS_MAX];
	struct pt_task_maps **maps;
	size_t n_maps;
	char *lines;			/* the word, or NULL */
	char *note[MOST_NOTES];
	size_t n_notes;
	bool named;			/* the settings name a variable or message */
	size_t n_places;
};

/* --- one definition */

static struct pt_signal_definition *add(struct pt_definitions *d, const char *name, struct pt_err *err)
{
	struct pt_signal_definition *def = &d->definition[d->set.n_definitions];
	struct owned *owned = &d->owned[d->set.n_definitions];

	if (d->set.n_definitions == PT_SIGNALS_MAX) {
		pt_fail(err, PT_EARG, "more than %d variables, signals and lines", PT_SIGNALS_MAX);
		return NULL;
	}
	owned->name = pt_strdup(name);
	*def = (struct pt_signal_definition){ .name = owned->name, .core = PT_ANY_CORE, .source = PT_ANY_SOURCE };
	d->set.n_definitions++;
	return def;
}

static struct pt_value_name *copy_names(const struct pt_variable *v)
{
	struct pt_value_name *values = v->n_names > 0 ? pt_alloc_array(v->n_names, sizeof(*values)) : NULL;

	for (size_t i = 0; i < v->n_names; i++)
		values[i] = (struct pt_value_name){ (uint64_t)v->names[i].value, v->names[i].name };
	return values;
}

/* Call it with owned->variable resolved. */
static struct pt_signal_definition *define_variable(struct pt_definitions *d, const char *name, struct owned *owned,
						    struct pt_err *err)
{
	const struct pt_variable *v = &owned->variable;
	struct pt_signal_definition *def;

	owned->values = copy_names(v);
	def = add(d, name, err);
	if (def == NULL)
		return NULL;
	owned->name = d->owned[def - d->definition].name;
	d->owned[def - d->definition] = *owned;
	*owned = (struct owned){ 0 };
	v = &d->owned[def - d->definition].variable;
	def->space = PT_SPACE_MEMORY;
	def->at = v->addr;
	def->size_bytes = v->size_bytes;
	def->first_bit = v->first_bit;
	def->n_bits = v->n_bits;
	def->is_signed = v->is_signed;
	def->is_float = v->kind == PT_VARIABLE_FLOAT;
	def->big_endian = v->big_endian;
	def->values = d->owned[def - d->definition].values;
	def->n_values = v->n_names;
	return def;
}

static struct pt_signal_definition *add_variable(struct pt_definitions *d, const char *name, struct pt_err *err)
{
	struct pt_signal_definition *def;
	struct owned owned = { 0 };

	if (d->program == NULL) {
		pt_fail(err, PT_EARG, "%s: without the program nothing in it can be named", name);
		return NULL;
	}
	if (d->types == NULL)
		d->types = pt_types_new(d->program);
	if (pt_variable_of(d->types, name, &owned.variable, err) < 0)
		return NULL;
	def = define_variable(d, name, &owned, err);
	pt_variable_fini(&owned.variable);
	free(owned.values);
	return def;
}

/* "port.3"; "port.3.2": each value has 2 bytes, in one or more messages. Without a size *size_bytes is 0. False: not a
 * port. */
static bool is_port(const char *name, uint64_t *port, uint32_t *size_bytes)
{
	unsigned long size = 0;
	char *end;

	if (strncmp(name, "port.", 5) != 0 || name[5] < '0' || name[5] > '9')
		return false;
	*port = strtoull(name + 5, &end, 0);
	if (*end == '.') {
		size = strtoul(end + 1, &end, 10);
		if (size < 1 || size > MOST_BYTES)
			return false;
	}
	*size_bytes = (uint32_t)size;
	return *end == '\0';
}

static struct pt_signal_definition *add_source_of(struct pt_definitions *d, const char *name, struct pt_err *err)
{
	struct pt_signal_definition *def;
	uint32_t size_bytes;
	uint64_t port;

	if (!is_port(name, &port, &size_bytes))
		return add_variable(d, name, err);
	def = add(d, name, err);
	if (def == NULL)
		return NULL;
	def->space = PT_SPACE_PORT;
	def->at = port;
	def->own_size = size_bytes == 0;
	def->size_bytes = size_bytes != 0 ? size_bytes : MOST_BYTES;
	return def;
}

/* --- words */

/* Copies the next item of "a,b[x,y],c"; false: there is none. PT_EARG in *rc: too long. */
static bool next_item(const char **list, char *item, const char *key, int *rc, struct pt_err *err)
{
	size_t len = 0;
	int depth = 0;

	while (**list == ',')
		++*list;
	if (**list == '\0' || *rc < 0)
		return false;
	for (; (*list)[len] != '\0' && ((*list)[len] != ',' || depth > 0); len++)
		depth += ((*list)[len] == '[' || (*list)[len] == '(') - ((*list)[len] == ']' || (*list)[len] == ')');
	if (len >= NAME_BYTES) {
		*rc = pt_fail(err, PT_EARG, "%s: '%.40s...' is too long", key, *list);
		return false;
	}
	memcpy(item, *list, len);
	item[len] = '\0';
	*list += len;
	return true;
}

/* Cuts off and returns the text after the last colon; NULL: there is no suffix ("a::b" and "main.c:x" have none). */
static char *suffix_of(char *item)
{
	char *colon = strrchr(item, ':');

	if (colon == NULL || colon == item || colon[-1] == ':')
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static const struct { const char *name; enum pt_signal_form form; } forms[] = {
	{ "state", PT_FORM_STATE }, { "regular", PT_FORM_REGULAR }, { "nested", PT_FORM_NESTED },
	{ "task", PT_FORM_TASK },
	{ "isr", PT_FORM_ISR }, { "service", PT_FORM_SERVICE },
};

static bool form_of(const char *word, enum pt_signal_form *form)
{
	for (size_t i = 0; word != NULL && i < PT_LEN(forms); i++)
		if (strcmp(forms[i].name, word) == 0) {
			*form = forms[i].form;
			return true;
		}
	return false;
}

static enum pt_signal_form natural_form(const struct pt_variable *v)
{
	if (v->kind == PT_VARIABLE_ENUM || v->kind == PT_VARIABLE_BOOL)
		return PT_FORM_STATE;
	return v->kind == PT_VARIABLE_FLOAT ? PT_FORM_REGULAR : PT_FORM_EITHER;
}

/* Follows each scalar of a struct or an array, as if each had been named. */
struct whole {
	struct pt_definitions *d;
	bool given;
	enum pt_signal_form form;
	size_t n;
	struct pt_err *err;
};

static bool take_part(void *arg, const char *part)
{
	struct whole *whole = arg;
	struct pt_err ignored = { 0 };
	size_t room = PT_SIGNALS_MAX - whole->d->set.n_definitions;
	struct pt_signal_definition *def;

	if (room == 0) {
		pt_fail(whole->err, PT_EARG,
			"%.80s is beyond the first %d variables, signals and lines: name those that you want", part,
			PT_SIGNALS_MAX);
		return false;
	}
	def = add_variable(whole->d, part, &ignored);	/* a flexible array, a member without a size */
	if (def == NULL)
		return true;
	def->form = whole->given ? whole->form : natural_form(&whole->d->owned[def - whole->d->definition].variable);
	whole->n++;
	return true;
}

/* False: name is neither struct nor array, and err says what it is. */
static bool take_whole(struct pt_definitions *d, const char *name, bool given, enum pt_signal_form form,
		       struct pt_err *err)
{
	struct pt_err ignored = { 0 }, full = { 0 };
	struct whole whole = { d, given && (form == PT_FORM_STATE || form == PT_FORM_REGULAR), form, 0, &full };

	if (d->types == NULL || pt_variable_each_part(d->types, name, take_part, &whole, &ignored) < 0)
		return false;
	if (err != NULL && (full.code < 0 || whole.n > 0))
		*err = full;
	return full.code == 0 && whole.n > 0;
}

static int take_variable(struct pt_definitions *d, char *item, struct pt_err *err)
{
	char whole[NAME_BYTES], *suffix;
	struct pt_signal_definition *def;
	enum pt_signal_form form = PT_FORM_EITHER;
	bool given;

	strcpy(whole, item);
	suffix = suffix_of(item);
	given = form_of(suffix, &form);
	def = add_source_of(d, given ? item : whole, err);
	if (def == NULL && given)	/* "main.c:state" is a variable */
		def = add_source_of(d, whole, NULL);
	if (def == NULL && take_whole(d, given ? item : whole, given, form, err))
		return 0;
	if (def == NULL)
		return pt_wrap(err, "variables");
	given = given && strcmp(def->name, whole) != 0;
	if (given && form != PT_FORM_STATE && form != PT_FORM_REGULAR)
		return pt_fail(err, PT_EARG, "variables: %s is a state or regular; signal= is for '%s'", item, suffix);
	def->form = given			    ? form
		    : def->space == PT_SPACE_MEMORY ? natural_form(&d->owned[def - d->definition].variable)
						    : PT_FORM_EITHER;
	return 0;
}

static int take_signal(struct pt_definitions *d, char *item, struct pt_err *err)
{
	char *suffix = suffix_of(item);
	struct pt_signal_definition *def;
	enum pt_signal_form form;

	if (!form_of(suffix, &form))
		return pt_fail(err, PT_EARG,
			       "signal: %s%s%s is not NAME:nested, NAME:task, NAME:isr, NAME:service, NAME:state "
			       "or NAME:regular",
			       item, suffix != NULL ? ":" : "", suffix != NULL ? suffix : "");
	def = add_source_of(d, item, err);
	if (def == NULL)
		return pt_wrap(err, "signal");
	def->form = form;
	return 0;
}

/* Parses a number or an enumerator. */
static bool value_of(const struct pt_signal_definition *def, const char *text, uint64_t *value)
{
	char *end;

	for (size_t i = 0; i < def->n_values; i++)
		if (strcmp(def->values[i].name, text) == 0) {
			*value = def->values[i].value;
			return true;
		}
	*value = (uint64_t)strtoll(text, &end, 0);
	return *text != '\0' && *end == '\0';
}

static int take_two_point(struct pt_definitions *d, char *item, struct pt_err *err)
{
	char *range = suffix_of(item), *dots = range != NULL ? strstr(range, "..") : NULL;
	struct pt_signal_definition *def;

	if (dots == NULL)
		return pt_fail(err, PT_EARG, "two-point: %s is not NAME:ENTER..LEAVE", item);
	*dots = '\0';
	def = add_source_of(d, item, err);
	if (def == NULL)
		return pt_wrap(err, "two-point");
	if (!value_of(def, range, &def->enter) || !value_of(def, dots + 2, &def->leave))
		return pt_fail(err, PT_EARG, "two-point: %s..%s are not two values of %s", range, dots + 2, item);
	if (def->enter == def->leave)
		return pt_fail(err, PT_EARG, "two-point: %s is entered and left at the same value", item);
	def->form = PT_FORM_TWO_POINT;
	return 0;
}

static int take_list(struct pt_definitions *d, const struct pt_params *words, unsigned key,
		     int (*take)(struct pt_definitions *d, char *item, struct pt_err *err), struct pt_err *err)
{
	const char *list = pt_params_text(words, &pt_definition_params[key]);
	char item[NAME_BYTES];
	int rc = 0;

	while (list != NULL && next_item(&list, item, pt_definition_params[key].key, &rc, err))
		rc = take(d, item, err);
	return rc;
}

/* --- the operating system */

static struct pt_value_name *names_of(const struct pt_task_map *map)
{
	struct pt_value_name *values = map->n_tasks > 0 ? pt_alloc_array(map->n_tasks, sizeof(*values)) : NULL;
	uint64_t bits = map->n_bits > 0 ? (UINT64_C(1) << (map->n_bits - 1) << 1) - 1 : UINT64_MAX;

	for (size_t i = 0; i < map->n_tasks; i++)
		values[i] = (struct pt_value_name){ map->task[i].value & bits, map->task[i].name };
	return values;
}

/* The state of a task is followed as a variable with the name TASK.STATE. */
static int add_task_state(struct pt_definitions *d, const struct pt_task_map *map, struct pt_err *err)
{
	struct pt_signal_definition *def;
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%.150s.STATE", map->of);
	def = add(d, name, err);
	if (def == NULL)
		return PT_EARG;
	def->form = PT_FORM_STATE;
	def->space = PT_SPACE_MEMORY;
	def->at = map->addr;
	def->size_bytes = map->size_bytes;
	def->first_bit = map->first_bit;
	def->n_bits = map->n_bits > 0 || map->value_bytes == 0 ? map->n_bits : (uint8_t)(8 * map->value_bytes);
	def->big_endian = d->types != NULL && pt_types_big_endian(d->types);
	def->values = d->owned[def - d->definition].values = names_of(map);
	def->n_values = map->n_tasks;
	def->synonyms = true;
	def->task = map->of;
	return 0;
}

static int add_map(struct pt_definitions *d, const struct pt_task_map *map, struct pt_err *err)
{
	static const enum pt_signal_form of[] = {
		[PT_TASK_RUNNING] = PT_FORM_TASK, [PT_TASK_ISR] = PT_FORM_ISR, [PT_TASK_SERVICE] = PT_FORM_SERVICE,
	};
	struct pt_signal_definition *def;

	if (map->size_bytes == 0 || map->size_bytes > 8 || map->what > PT_TASK_STATE)
		return pt_fail(err, PT_EARG, "%s: %u bytes are no id", map->variable, (unsigned)map->size_bytes);
	if (map->what == PT_TASK_STATE)
		return add_task_state(d, map, err);
	def = add(d, map->variable != NULL ? map->variable : "task", err);
	if (def == NULL)
		return PT_EARG;
	def->form = of[map->what];
	def->space = PT_SPACE_MEMORY;
	def->at = map->addr;
	def->size_bytes = map->size_bytes;
	def->core = (uint16_t)map->core;
	def->big_endian = d->types != NULL && pt_types_big_endian(d->types);
	def->tasks = map;
	return 0;
}

/* A port, or a variable that the user names, may report tasks, ISRs or services: its values get the names of the ORTI file. */
static void name_signals(struct pt_definitions *d, const struct pt_task_maps *maps)
{
	static const enum pt_task_what of[] = {
		[PT_FORM_TASK] = PT_TASK_RUNNING, [PT_FORM_ISR] = PT_TASK_ISR, [PT_FORM_SERVICE] = PT_TASK_SERVICE,
	};

	for (size_t i = 0; i < d->set.n_definitions; i++) {
		struct pt_signal_definition *def = &d->definition[i];

		if (pt_signal_of_system(def) && def->tasks == NULL)
			def->tasks = pt_task_maps_of(maps, of[def->form], def->core == PT_ANY_CORE ? 0 : def->core);
	}
}

int pt_definitions_add_system(struct pt_definitions *d, const struct pt_task_maps *maps, struct pt_err *err)
{
	struct pt_task_maps *copy = pt_task_maps_copy(maps);

	d->maps = pt_realloc_array(d->maps, d->n_maps + 1, sizeof(*d->maps));
	d->maps[d->n_maps++] = copy;
	name_signals(d, copy);
	for (size_t i = 0; i < copy->n_maps; i++)
		if (add_map(d, &copy->map[i], err) < 0)
			return PT_EARG;
	return 0;
}

static void keep_note(void *arg, const char *sentence)
{
	struct pt_definitions *d = arg;

	if (d->n_notes < MOST_NOTES)
		d->note[d->n_notes++] = pt_strdup(sentence);
}

/* Takes what the ORTI text says, with addresses from the program; reads no memory. */
static int take_orti(struct pt_definitions *d, const char *text, struct pt_err *err)
{
	struct pt_task_maps *maps = NULL;
	struct pt_orti *orti;
	int rc;

	if (d->program == NULL)
		return pt_fail(err, PT_EARG, "orti: without the program its names mean nothing");
	if (d->types == NULL)
		d->types = pt_types_new(d->program);
	orti = pt_orti_parse(text, strlen(text), err);
	if (orti != NULL)
		maps = pt_orti_task_maps(orti, d->types, NULL, keep_note, d, err);
	pt_orti_free(orti);
	if (maps == NULL)
		return pt_wrap(err, "orti");
	rc = pt_definitions_add_system(d, maps, err);
	pt_task_maps_free(maps);
	return rc;
}

/* --- lines */

static bool is_chosen(const char *list, const char *name)
{
	size_t len;

	for (; list != NULL && *list != '\0'; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (strlen(name) == len && memcmp(list, name, len) == 0)
			return true;
	}
	return list == NULL;
}

static struct pt_signal_definition *line_of(struct pt_definitions *d, uint16_t source, uint64_t line)
{
	for (size_t i = 0; i < d->set.n_definitions; i++)
		if (d->definition[i].space == PT_SPACE_LINE && d->definition[i].source == source &&
		    d->definition[i].at == line)
			return &d->definition[i];
	return NULL;
}

/* "line.3=cs"; a line without a name has its number. */
static void line_name(const struct pt_config *config, unsigned line, char *name, size_t size)
{
	char key[32];

	snprintf(key, sizeof(key), "line.%u", line);
	if (pt_config_text(config, key, name, size)[0] == '\0')
		snprintf(name, size, "line %u", line);
}

static void add_line(struct pt_definitions *d, uint16_t source, unsigned line, const char *name, uint64_t bits)
{
	struct pt_signal_definition *def = add(d, name, NULL);

	if (def == NULL)
		return;
	def->form = bits > 1 ? PT_FORM_EITHER : PT_FORM_LINE;	/* several bits make a number */
	def->space = PT_SPACE_LINE;
	def->at = line;
	def->size_bytes = bits > 1 ? (uint32_t)(bits < 64 ? (bits + 7) / 8 : 8) : 1;
	def->source = source;
}

void pt_definitions_config(struct pt_definitions *d, uint16_t source, const struct pt_config *config)
{
	uint64_t n = pt_config_number(config, "lines", 0);
	char name[NAME_BYTES], key[32];

	for (unsigned line = 0; line < n && line < MOST_LINES; line++) {
		line_name(config, line, name, sizeof(name));
		snprintf(key, sizeof(key), "line.%u.bits", line);
		if (is_chosen(d->lines, name) && line_of(d, source, line) == NULL)
			add_line(d, source, line, name, pt_config_number(config, key, 0));
	}
}

/* --- places that are accessed */

static void place_name(struct pt_definitions *d, uint64_t addr, char *name, size_t room)
{
	uint64_t offset = 0;
	const char *symbol = NULL;

	if (d->types == NULL && d->program != NULL)
		d->types = pt_types_new(d->program);
	if (d->types != NULL)
		symbol = pt_types_symbol_at(d->types, addr, &offset);
	if (symbol == NULL)
		snprintf(name, room, "0x%06" PRIx64, addr);
	else if (offset == 0)
		snprintf(name, room, "%s", symbol);
	else
		snprintf(name, room, "%s+%" PRIu64, symbol, offset);
}

/* An access that overlaps a place is a part of its value (profile/flow/signals.h). */
static bool touches(const struct pt_signal_definition *def, const struct pt_event *e)
{
	return def->space == PT_SPACE_MEMORY && e->value.at < def->at + def->size_bytes && def->at < e->value.at + e->n;
}

bool pt_definitions_access(struct pt_definitions *d, const struct pt_event *e)
{
	struct pt_signal_definition *def;
	char name[NAME_BYTES];

	if (d->named || pt_value_space(e) != PT_SPACE_MEMORY || e->n == 0 || e->n > 8)
		return true;
	for (size_t i = 0; i < d->set.n_definitions; i++)
		if (touches(&d->definition[i], e))
			return true;
	if (d->n_places == PT_DEFINITIONS_PLACES)
		return false;
	place_name(d, e->value.at, name, sizeof(name));
	def = add(d, name, NULL);
	if (def == NULL)
		return false;
	d->n_places++;
	def->form = PT_FORM_REGULAR;	/* the meaning of its values is unknown */
	def->space = PT_SPACE_MEMORY;
	def->at = e->value.at;
	def->size_bytes = e->n;
	def->big_endian = d->types != NULL && pt_types_big_endian(d->types);
	return true;
}

/* --- life */

struct pt_definitions *pt_definitions_new(struct pt_program *program, const struct pt_params *words, struct pt_err *err)
{
	struct pt_definitions *d = pt_alloc(sizeof(*d));
	const char *lines = pt_params_text(words, &pt_definition_params[LINES]);
	const char *orti = pt_params_text(words, &pt_definition_params[ORTI]);

	d->program = program;
	d->set.definition = d->definition;
	d->lines = lines != NULL ? pt_strdup(lines) : NULL;
	if (take_list(d, words, VARIABLES, take_variable, err) == 0 &&
	    take_list(d, words, SIGNAL, take_signal, err) == 0 &&
	    take_list(d, words, TWO_POINT, take_two_point, err) == 0 &&
	    (orti == NULL || take_orti(d, orti, err) == 0)) {
		d->named = d->set.n_definitions > 0;
		return d;
	}
	pt_definitions_free(d);
	return NULL;
}

void pt_definitions_free(struct pt_definitions *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->set.n_definitions; i++) {
		free(d->owned[i].name);
		free(d->owned[i].values);
		pt_variable_fini(&d->owned[i].variable);
	}
	for (size_t i = 0; i < d->n_maps; i++)
		pt_task_maps_free(d->maps[i]);
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->note[i]);
	free(d->maps);
	free(d->lines);
	pt_types_free(d->types);
	free(d);
}

const char *pt_definitions_note(const struct pt_definitions *d, size_t i)
{
	return i < d->n_notes ? d->note[i] : NULL;
}

const struct pt_signal_set *pt_definitions_set(const struct pt_definitions *d)
{
	return &d->set;
}
