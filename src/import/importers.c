/* Each file holds its next chunk ready; the one that begins first goes. */
#include "import/importers.h"
#include "import/file_clock.h"
#include "trace/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/formats.h"
#include "base/util.h"

const struct pt_input_ops *const pt_inputs[] = {
#define X(input) &pt_input_##input,
	PT_INPUTS(X)
#undef X
	NULL,
};

enum { FRONT_BYTES = 512 };
enum { INPUT, OFFSET, CORE, SYNC, DELAY };
static const struct pt_param common[] = {
	[INPUT] = { "input", PT_PARAM_TEXT, NULL, NULL, 0, 0, "what kind of file it is; found out if not given" },
	[OFFSET] = { "offset", PT_PARAM_TEXT, "0", NULL, 0, 0,
		     "how far this file begins behind the first one (-5ms: before)" },
	[CORE] = { "core", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		   "of a capture of several cores: which one, or all; at a file (FILE?core=N): whose it is" },
	[SYNC] = { "sync", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		   "the clock of a file of lines, by edges of a line and entries of a function of the first file: "
		   "LINE:FUNCTION, LINE:fall->FUNCTION" },
	[DELAY] = { "sync-delay", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		    "how long after its edge the function of sync= is entered: MIN..MAX (0..5us; -2us..0: before); else as "
		    "far as the next edge, either way" },
};
enum core_word { CORE_AS_IT_SAYS, CORE_CHOSEN, CORE_NAMED };

struct input {
	const struct pt_input_ops *ops;
	void *state;
	char *path;
	struct pt_params *common, *settings;
	bool core_is_own, sync_is_own;	/* core=, sync= stands at this file, not at all of them */
	enum core_word core_word;
	uint16_t core;
	bool has_delay;
	double least_ns, most_ns;	/* sync-delay= */
	uint64_t cores_seen;		/* bits; the last one: that, and all above */
	bool chosen[PT_INPUTS_SOURCES];	/* CORE_CHOSEN: those of its sources that are of no core */
	bool before;			/* offset_ns is how far it begins before the first file */
	uint64_t offset_ns;		/* to the clock of the first file */
	bool aligned;			/* offset_ns is final: its first chunk was seen */
	struct pt_file_clock *clock;	/* sync=; NULL: the first file's */
	bool over;
	int item;			/* what is ready: enum pt_input_item, or an error; if `ready` */
	bool ready;
	struct pt_err err;
	struct pt_chunk *chunk;
	int16_t number[PT_INPUTS_SOURCES];	/* of its sources in the set, from 0; -1: none yet */
};

struct pt_inputs_set {
	pt_input_note note;
	void *note_arg;
	struct input input[PT_INPUTS_MOST];
	size_t n_inputs, n_sources;
	uint64_t shift_ns;		/* of everybody, so that nobody begins before 0 */
	uint64_t begin_ns;		/* of the first file; PT_UNKNOWN: not seen yet */
	uint64_t synced_ns;		/* the part of it that is for files with clocks of their own */
	bool refused;			/* the core that was chosen is in no file: said */
};

/* --- words -------------------------------------------------------------------------------------------------------- */

static bool has_row(const struct pt_param *rows, size_t n_rows, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < n_rows; i++)
		if (strlen(rows[i].key) == len && memcmp(rows[i].key, word, len) == 0)
			return true;
	return false;
}

bool pt_inputs_know(const char *word)
{
	bool found = has_row(common, PT_LEN(common), word);

	for (size_t i = 0; pt_inputs[i] != NULL; i++)
		found |= has_row(pt_inputs[i]->params, pt_inputs[i]->n_params, word);
	return found;
}

int pt_inputs_take(const struct pt_inputs_set *set, const char *word, struct pt_err *err)
{
	char kinds[100] = "";
	bool taken = has_row(common, PT_LEN(common), word);

	for (size_t i = 0; i < set->n_inputs; i++)
		taken |= has_row(set->input[i].ops->params, set->input[i].ops->n_params, word);
	if (taken)
		return 0;
	for (size_t i = 0, at = 0; pt_inputs[i] != NULL && at < sizeof(kinds); i++)
		if (has_row(pt_inputs[i]->params, pt_inputs[i]->n_params, word))
			at += (size_t)snprintf(kinds + at, sizeof(kinds) - at, "%s%s", at > 0 ? ", " : "",
					       pt_inputs[i]->name);
	return pt_fail(err, PT_EARG, "%.60s is a setting for files of kind %s, and none of these is one", word, kinds);
}

/* own: the word stands at this file, so that it must mean something to it. */
static int add_word(struct input *in, const char *word, bool own, struct pt_err *err)
{
	if (has_row(&common[CORE], 1, word))
		in->core_is_own = own;
	if (has_row(&common[SYNC], 1, word))
		in->sync_is_own = own;
	if (has_row(common, PT_LEN(common), word))
		return pt_params_add(in->common, common, PT_LEN(common), word, err);
	if (in->ops == NULL || (!own && !has_row(in->ops->params, in->ops->n_params, word)))
		return 0;
	if (in->ops->n_params == 0)
		return pt_fail(err, PT_EARG, "a file of kind %s has no settings: %.60s", in->ops->name, word);
	return pt_params_add(in->settings, in->ops->params, in->ops->n_params, word, err);
}

static int add_own_words(struct input *in, const char *query, struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && query != NULL && *query != '\0') {
		size_t len = strcspn(query, "&");
		char *word = pt_strndup(query, len);

		rc = add_word(in, word, true, err);
		free(word);
		query += len + (query[len] == '&');
	}
	return rc;
}

static int add_words(struct input *in, const char *query, const char *const *words, size_t n_words, struct pt_err *err)
{
	for (size_t i = 0; i < n_words; i++)
		if (add_word(in, words[i], false, err) < 0)
			return err->code;
	return add_own_words(in, query, err);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int list_kinds(const char *what, const char *name, struct pt_err *err)
{
	char kinds[600] = "";

	for (size_t i = 0, at = 0; pt_inputs[i] != NULL && at < sizeof(kinds); i++)
		at += (size_t)snprintf(kinds + at, sizeof(kinds) - at, "%s%s (%s)", i > 0 ? ", " : "",
				       pt_inputs[i]->name, pt_inputs[i]->help);
	return pt_fail(err, PT_EARG, "%s%.40s; --set input=KIND names one of: %s", what, name, kinds);
}

static int find_kind(struct input *in, struct pt_infile *file, struct pt_err *err)
{
	const char *name = pt_params_text(in->common, &common[INPUT]);
	const uint8_t *bytes;
	size_t n = pt_infile_look(file, FRONT_BYTES, &bytes);

	if (pt_infile_failed(file, err) < 0)
		return err->code;
	n = n < FRONT_BYTES ? n : FRONT_BYTES;
	for (size_t i = 0; in->ops == NULL && pt_inputs[i] != NULL; i++) {
		const struct pt_input_ops *ops = pt_inputs[i];

		if (name != NULL ? strcmp(name, ops->name) == 0 : ops->recognise != NULL && ops->recognise(bytes, n))
			in->ops = ops;
	}
	if (in->ops != NULL)
		return 0;
	return name != NULL ? list_kinds("there is no kind of file ", name, err)
			    : list_kinds(n == 0 ? "the file is empty" : "unknown file format", "", err);
}

static int read_offset(struct pt_inputs_set *set, struct input *in, struct pt_err *err)
{
	const char *text = pt_params_text(in->common, &common[OFFSET]);

	in->before = text[0] == '-';
	if (pt_params_parse(PT_PARAM_TIME, text + in->before, &in->offset_ns, err) < 0)
		return pt_wrap(err, "offset");
	if (in->offset_ns > INT64_MAX / PT_INPUTS_MOST)
		return pt_fail(err, PT_EARG, "offset: %.40s is too long", text);
	if (in->before && in->offset_ns > set->shift_ns)
		set->shift_ns = in->offset_ns;
	return 0;
}

/* Files of several instruments, one at each core, do not know of each other: the word at a file says whose it is. A
 * file that does not know is of whatever core the word for all says; of one that does, this chooses a core. */
static int read_core(struct input *in, struct pt_err *err)
{
	const char *text = pt_params_text(in->common, &common[CORE]);
	bool names = in->core_is_own || !in->ops->knows_cores;
	uint64_t core;

	if (text == NULL || (!names && strcmp(text, "all") == 0))
		return 0;
	if (pt_params_parse(PT_PARAM_NUMBER, text, &core, err) < 0)
		return pt_wrap(err, "core");
	if (core > UINT16_MAX)
		return pt_fail(err, PT_EARG, "core=%.20s: cores have numbers up to %u", text, UINT16_MAX);
	in->core_word = names ? CORE_NAMED : CORE_CHOSEN;
	in->core = (uint16_t)core;
	return 0;
}

/* "0..5us", "-2us..0" */
static int read_delay(struct input *in, struct pt_err *err)
{
	const char *text = pt_params_text(in->common, &common[DELAY]);

	in->has_delay = text != NULL;
	if (text == NULL)
		return 0;
	if (pt_params_text(in->common, &common[SYNC]) == NULL)
		return pt_fail(err, PT_EARG, "sync-delay=%.40s is of sync=, which is not given", text);
	return pt_file_clock_delay(text, &in->least_ns, &in->most_ns, err);
}

/* file is taken over. */
static int open_input(struct pt_inputs_set *set, struct input *in, struct pt_infile *file, const char *query,
		      const char *const *words, size_t n_words, struct pt_err *err)
{
	struct pt_input_setup setup = { in->path, in->settings, set->note, set->note_arg };

	if (add_words(in, NULL, words, n_words, err) < 0)	/* input= decides who may have a say about the rest */
		goto close_file;
	if (query != NULL && strstr(query, "input=") != NULL && add_words(in, query, NULL, 0, err) < 0)
		goto close_file;
	if (find_kind(in, file, err) < 0 || add_words(in, query, words, n_words, err) < 0)
		goto close_file;
	in->state = pt_alloc(in->ops->state_bytes);
	if (read_offset(set, in, err) < 0 || read_core(in, err) < 0 || read_delay(in, err) < 0)
		goto close_file;
	if (in->ops->open(in->state, file, &setup, err) == 0)
		return 0;
	goto free_state;
close_file:
	pt_infile_close(file);
free_state:
	free(in->state);
	in->state = NULL;
	return err->code;
}

static void drop_input(struct input *in)
{
	if (in->state != NULL)
		in->ops->close(in->state);
	free(in->state);
	free(in->path);
	free(in->chunk);
	pt_file_clock_free(in->clock);
	pt_params_free(in->common);
	pt_params_free(in->settings);
	memset(in, 0, sizeof(*in));
}

/* Where the words of a file begin; a file may have a "?" in its name, too. */
static struct pt_infile *open_file(struct input *in, const char *file, const char **query, struct pt_err *err)
{
	const char *mark = strrchr(file, '?');
	struct pt_infile *opened = pt_infile_open(file, err);
	struct pt_err why;

	*query = NULL;
	in->path = pt_strdup(file);
	if (opened == NULL && mark != NULL) {
		in->path[mark - file] = '\0';
		*query = mark + 1;
		opened = pt_infile_open(in->path, err);
	}
	why = *err;
	if (opened == NULL)
		pt_fail(err, why.code,
			"%.700s; a capture is what --capture FILE wrote (in GDB, monitor profile save FILE)", why.msg);
	return opened;
}

int pt_inputs_add(struct pt_inputs_set *set, const char *file, const char *const *words, size_t n_words,
		  struct pt_err *err)
{
	struct input *in = &set->input[set->n_inputs];
	struct pt_infile *opened;
	const char *query;

	if (set->n_inputs == PT_INPUTS_MOST)
		return pt_fail(err, PT_EARG, "more than %d files", PT_INPUTS_MOST);
	opened = open_file(in, file, &query, err);
	if (opened == NULL) {
		drop_input(in);
		return err->code;
	}
	in->common = pt_params_new();
	in->settings = pt_params_new();
	in->chunk = pt_alloc(sizeof(*in->chunk) + PT_CHUNK_BYTES);
	memset(in->number, -1, sizeof(in->number));
	if (open_input(set, in, opened, query, words, n_words, err) < 0) {
		pt_wrap(err, "%.160s", in->path);
		drop_input(in);
		return err->code;
	}
	set->n_inputs++;
	return 0;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* "0, 2" */
static const char *list_cores(uint64_t seen, char *out, size_t size)
{
	size_t at = 0;

	for (unsigned core = 0; core < 64 && at < size; core++)
		if ((seen >> core & 1) != 0)
			at += (size_t)snprintf(out + at, size - at, "%s%u", at > 0 ? ", " : "", core);
	return out;
}

/* Lines are of no core, and code is everybody's. */
static bool is_chosen(struct input *in)
{
	const struct pt_chunk *c = in->chunk;
	const char *format;
	int len = -1;

	if (c->source >= PT_INPUTS_SOURCES)
		return c->core == in->core;
	if (c->kind == PT_CHUNK_CONFIG)
		len = pt_config_look_up((const char *)c->bytes, c->len_bytes, "format", &format);
	if (len == (int)strlen(PT_FORMAT_LINES) && memcmp(format, PT_FORMAT_LINES, (size_t)len) == 0)
		in->chosen[c->source] = true;
	return in->chosen[c->source] || c->kind == PT_CHUNK_IMAGE || c->core == in->core;
}

/* What core= makes of a chunk. False: it is another core's, or the file ends here, with an error. */
static bool take_core(struct input *in)
{
	uint64_t bit = UINT64_C(1) << (in->chunk->core < 63 ? in->chunk->core : 63);
	char cores[200];

	in->cores_seen |= bit;
	if (in->core_word == CORE_CHOSEN)
		return is_chosen(in);
	if (in->core_word == CORE_NAMED && in->cores_seen != bit) {
		in->item = pt_fail(&in->err, PT_EARG,
				   "core=%u cannot say whose it is, it is of cores %s; "
				   "--set core=N chooses one",
				   in->core, list_cores(in->cores_seen, cores, sizeof(cores)));
		in->over = true;
		return false;
	}
	if (in->core_word == CORE_NAMED)
		in->chunk->core = in->core;
	return true;
}

/* The end of all files. Whoever chose a core that is in none of them would have an empty report; a file that ended with
 * an error may have had it. */
static int end_of_all(struct pt_inputs_set *set, struct pt_err *err)
{
	const struct input *one = NULL;
	uint64_t seen = 0;
	char cores[200];

	for (size_t i = 0; i < set->n_inputs; i++) {
		const struct input *in = &set->input[i];

		if (in->core_word == CORE_CHOSEN && in->cores_seen != 0)
			one = in;
		else if (in->core_word != CORE_CHOSEN)	/* a file whose core was named is of that */
			return PT_INPUT_END;
		if (in->item < 0)
			return PT_INPUT_END;
		seen |= in->cores_seen;
	}
	if (one == NULL || set->refused || (seen >> (one->core < 63 ? one->core : 63) & 1) != 0)
		return PT_INPUT_END;
	set->refused = true;
	list_cores(seen, cores, sizeof(cores));
	if (set->n_inputs > 1)
		return pt_fail(err, PT_EARG, "core=%u: the files are of core %s", one->core, cores);
	return pt_fail(err, PT_EARG, "%.160s: core=%u: it is of core %s", one->path, one->core, cores);
}

/* Where clocks are compared, the clock of the first file is time itself, unless a probe compared that with its own. */
static void take_for_exact(const struct pt_inputs_set *set, const struct input *in)
{
	static const char exact[] = "tick_exact=1\n";
	struct pt_chunk *c = in->chunk;
	bool compares = false;

	for (size_t i = 0; i < set->n_inputs; i++)
		compares |= pt_params_text(set->input[i].common, &common[SYNC]) != NULL;
	if (!compares || in != set->input || in->ops->knows_cores || c->kind != PT_CHUNK_CONFIG || c->len_bytes == 0 ||
	    c->len_bytes + strlen(exact) > PT_CHUNK_BYTES)
		return;
	memcpy(c->bytes + c->len_bytes, exact, strlen(exact));
	c->len_bytes += (uint32_t)strlen(exact);
}

/* Its clock becomes that of the first file, whose beginning is where all the others are counted from. All modulo
 * 2^64. */
static void align(struct pt_inputs_set *set, struct input *in)
{
	struct pt_chunk *c = in->chunk;

	if (!in->aligned) {
		uint64_t offset_ns = in->before ? -in->offset_ns : in->offset_ns;

		if (set->begin_ns == PT_UNKNOWN)
			set->begin_ns = c->from_ns + set->shift_ns;
		in->offset_ns = set->begin_ns + offset_ns - c->from_ns;
		in->aligned = true;
	}
	c->from_ns += in->offset_ns;
	c->to_ns += in->offset_ns;
	if (c->kind == PT_CHUNK_CLOCK && c->len_bytes >= PT_CLOCK_BYTES)
		pt_put_le64(c->bytes + PT_CLOCK_NS, pt_le64(c->bytes + PT_CLOCK_NS) + in->offset_ns);
	if (in->clock != NULL)
		pt_file_clock_take(in->clock, c);
	take_for_exact(set, in);
}

/* False: there is no number left for its source. */
static bool renumber(struct pt_inputs_set *set, struct input *in)
{
	struct pt_chunk *c = in->chunk;

	if (set->n_inputs == 1)
		return true;		/* as it was live */
	if (c->source >= PT_INPUTS_SOURCES)
		return false;
	if (in->number[c->source] < 0) {
		if (set->n_sources == PT_INPUTS_SOURCES)
			return false;
		in->number[c->source] = (int16_t)set->n_sources++;
	}
	c->source = (uint16_t)in->number[c->source];
	return true;
}

static void make_ready(struct pt_inputs_set *set, struct input *in)
{
	while (!in->ready && !in->over) {
		if (in->clock != NULL && pt_file_clock_next(in->clock, in->chunk)) {
			in->item = PT_INPUT_CHUNK;
			in->ready = renumber(set, in);
			continue;
		}
		in->item = in->ops->next(in->state, in->chunk, &in->err);
		if (in->item == PT_INPUT_CHUNK && !take_core(in) && in->item == PT_INPUT_CHUNK)
			continue;
		in->ready = in->item != PT_INPUT_END;
		in->over = in->item <= PT_INPUT_END;
		if (in->item < 0)
			pt_wrap(&in->err, "%.160s", in->path);
		if (in->item != PT_INPUT_CHUNK)
			continue;
		align(set, in);
		in->ready = renumber(set, in);
	}
}

/* Resets and errors at once: they have no time. */
static uint64_t when(const struct input *in)
{
	return in->item == PT_INPUT_CHUNK ? in->chunk->from_ns : 0;
}

int pt_inputs_next(struct pt_inputs_set *set, const struct pt_chunk **chunk, struct pt_err *err)
{
	struct input *first = NULL;

	for (size_t i = 0; i < set->n_inputs; i++) {
		struct input *in = &set->input[i];

		make_ready(set, in);
		if (in->ready && (first == NULL || when(in) < when(first)))
			first = in;
	}
	if (first == NULL)
		return end_of_all(set, err);
	first->ready = false;
	*chunk = first->chunk;
	if (first->item < 0)
		*err = first->err;
	return first->item;
}

const char *pt_inputs_lines(const struct pt_inputs_set *set, size_t *len_bytes)
{
	const char *lines = NULL;

	*len_bytes = 0;
	for (size_t i = 0; lines == NULL && i < set->n_inputs; i++)
		if (set->input[i].ops->lines != NULL)
			lines = set->input[i].ops->lines(set->input[i].state, len_bytes);
	return lines;
}

/* --- sync= -------------------------------------------------------------------------------------------------------- */

bool pt_inputs_sync(const struct pt_inputs_set *set, size_t i, struct pt_inputs_sync *sync)
{
	const struct input *in = &set->input[i];

	if (i >= set->n_inputs || pt_params_text(in->common, &common[SYNC]) == NULL)
		return false;
	*sync = (struct pt_inputs_sync){ pt_params_text(in->common, &common[SYNC]), in->sync_is_own, in->has_delay,
					 in->least_ns, in->most_ns };
	return true;
}

size_t pt_inputs_count(const struct pt_inputs_set *set)
{
	return set->n_inputs;
}

size_t pt_inputs_file_of(const struct pt_inputs_set *set, uint16_t source)
{
	for (size_t i = 0; i < set->n_inputs; i++)
		for (size_t k = 0; k < PT_INPUTS_SOURCES; k++)
			if (set->input[i].number[k] == (int16_t)source)
				return i;
	return set->n_inputs;
}

const char *pt_inputs_path(const struct pt_inputs_set *set, size_t i)
{
	return set->input[i].path;
}

void pt_inputs_set_clock(struct pt_inputs_set *set, size_t i, const struct pt_inputs_clock *clock, const char *assumed)
{
	double begin_ns = (double)clock->at_ns[0] + clock->offset_ns[0];
	uint64_t shift_ns = begin_ns < 0 ? (uint64_t)-begin_ns + 1 : 0;	/* nothing begins before 0 */

	pt_file_clock_free(set->input[i].clock);
	set->input[i].clock = pt_file_clock_new(clock, assumed, !set->input[i].ops->knows_cores);
	set->shift_ns += shift_ns;
	for (size_t k = 0; k < set->n_inputs; k++)
		if (set->input[k].clock != NULL)
			pt_file_clock_shift(set->input[k].clock, shift_ns + (k == i ? set->synced_ns : 0));
	set->synced_ns += shift_ns;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct pt_inputs_set *pt_inputs_new(pt_input_note note, void *arg)
{
	struct pt_inputs_set *set = pt_alloc(sizeof(*set));

	set->note = note;
	set->note_arg = arg;
	set->begin_ns = PT_UNKNOWN;
	return set;
}

void pt_inputs_free(struct pt_inputs_set *set)
{
	if (set == NULL)
		return;
	for (size_t i = 0; i < set->n_inputs; i++)
		drop_input(&set->input[i]);
	free(set);
}
