/* Every chunk passes through pass_put(): STATE chunks tell when the core was held, CONFIG what the source costs. */
#include "live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "freeram.h"
#include "log.h"
#include "params.h"
#include "trace/loss.h"
#include "util.h"

enum { CHECK_MS = 100 };	/* of the image, piece by piece */
enum { FAR_CODE = 16 << 20 };	/* bytes between two parts of a program */

enum { SOURCE, MODE, SEED, FOR, RECORDER };
static const struct pt_param rows[] = {
	[SOURCE] = { "source", PT_PARAM_TEXT, NULL, NULL, 0, 0, "where the trace comes from; the first the chip offers" },
	[MODE] = { "mode", PT_PARAM_TEXT, NULL, NULL, 0, 0, "how the source works; its first mode" },
	[SEED] = { "seed", PT_PARAM_NUMBER, "1", NULL, 0, 0, "of the jitter between bursts and batches" },
	[FOR] = { "for", PT_PARAM_TIME, NULL, NULL, 0, 0, "rest after the core has run for so long" },
	[RECORDER] = { "recorder", PT_PARAM_FLAG, "off", NULL, 0, 0, "whatever source and mode keep the last branches before a halt" },
};

struct pt_live {
	struct pt_sink sink;	/* first: what the source puts into is this */
	struct pt_sink *queue_sink;
	struct pt_queue *queue;
	struct pt_program *program;
	char **words;
	size_t n_words;
	uint64_t core_hz;
	struct pt_live_news news;

	const struct pt_source_ops *ops;	/* NULL: no source at work */
	void *state;
	struct pt_params *settings, *own;
	struct pt_target *target;
	struct pt_free_ram free_ram;
	struct pt_image image;
	uint64_t checked_ns;			/* a piece of the image, when last */
	char mismatch[200];			/* of image and chip; "": none known */
	char instead[sizeof(((struct pt_err *)NULL)->msg)];	/* why it is not the first source; "": it is */
	char config[1024], cost[200], chip[96];

	uint64_t started_ns, held_ns, held_since_ns;	/* held_since: PT_UNKNOWN while it runs */
	uint64_t run_until_ns;				/* of running time; PT_UNKNOWN: no end */
	bool resting;					/* time was up, and the source is not drained until there is more */
	bool is_recorder;
	struct pt_err died;				/* code 0: it did not */
};

/* --- between source and queue ------------------------------------------------------------------------------------- */

static struct pt_chunk *pass_take(struct pt_sink *sink)
{
	struct pt_live *live = (struct pt_live *)sink;

	return live->queue_sink->take(live->queue_sink);
}

/* From the source's own halts and from everybody else's; the second to tell the same changes nothing. */
static void note_state(struct pt_live *live, enum pt_state state, uint64_t ns)
{
	if (state == PT_STATE_HALT && live->held_since_ns == PT_UNKNOWN) {
		live->held_since_ns = ns;
	} else if (state == PT_STATE_RUN && live->held_since_ns != PT_UNKNOWN) {
		live->held_ns += ns - live->held_since_ns;
		live->held_since_ns = PT_UNKNOWN;
	}
}

static void note_cost(struct pt_live *live, const struct pt_chunk *chunk)
{
	static const char key[] = "cost=";
	const char *text = (const char *)chunk->bytes;

	for (size_t at = 0, end; at < chunk->len_bytes; at = end + 1) {
		for (end = at; end < chunk->len_bytes && text[end] != '\n'; end++)
			;
		if (end - at > strlen(key) && memcmp(text + at, key, strlen(key)) == 0)
			snprintf(live->cost, sizeof(live->cost), "%.*s", (int)(end - at - strlen(key)),
				 text + at + strlen(key));
	}
}

static void pass_put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	struct pt_live *live = (struct pt_live *)sink;

	if (chunk->kind == PT_CHUNK_STATE)
		note_state(live, chunk->cause, chunk->from_ns);
	else if (chunk->kind == PT_CHUNK_CONFIG)
		note_cost(live, chunk);
	live->queue_sink->put(live->queue_sink, chunk);
}

static void pass_lose(struct pt_sink *sink, const struct pt_chunk *loss)
{
	struct pt_live *live = (struct pt_live *)sink;

	live->queue_sink->lose(live->queue_sink, loss);
}

static uint64_t run_ns(const struct pt_live *live, uint64_t now_ns)
{
	uint64_t held_ns = live->held_ns;

	if (live->held_since_ns != PT_UNKNOWN)
		held_ns += now_ns - live->held_since_ns;
	return now_ns - live->started_ns - held_ns;
}

/* --- choosing the source ------------------------------------------------------------------------------------------ */

static bool own_word(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (strlen(rows[i].key) == len && strncmp(rows[i].key, word, len) == 0)
			return true;
	return false;
}

static int read_own_words(struct pt_live *live, struct pt_err *err)
{
	live->own = pt_params_new();
	for (size_t i = 0; i < live->n_words; i++)
		if (own_word(live->words[i]) && pt_params_add(live->own, rows, PT_LEN(rows), live->words[i], err) < 0)
			return err->code;
	return 0;
}

static void list_sources(const struct pt_source_ops *const *sources, size_t n, char *names, size_t room)
{
	size_t at = 0;

	names[0] = '\0';
	for (size_t i = 0; i < n && at < room; i++)
		at += (size_t)snprintf(names + at, room - at, "%s%s (%s)", i > 0 ? ", " : "", sources[i]->name,
			       sources[i]->modes);
}

/* The name as the source spells it, for ever; NULL: it has no such mode. */
static const char *find_mode(const char *modes, const char *name, char *found, size_t room)
{
	while (*modes != '\0') {
		size_t len = strcspn(modes, "|");

		if (name == NULL || (strlen(name) == len && strncmp(name, modes, len) == 0)) {
			snprintf(found, room, "%.*s", (int)len, modes);
			return found;
		}
		modes += len + (modes[len] == '|');
	}
	return NULL;
}

static bool fits(const struct pt_live *live, const struct pt_source_ops *ops)
{
	const char *name = pt_params_text(live->own, &rows[SOURCE]), *mode = pt_params_text(live->own, &rows[MODE]);
	char found[32];

	if (pt_params_flag(live->own, &rows[RECORDER]))
		return ops->recorder != NULL;
	if (name == NULL && ops->only_by_name)
		return false;
	return name != NULL ? strcmp(name, ops->name) == 0 : find_mode(ops->modes, mode, found, sizeof(found)) != NULL;
}

static int no_source(const struct pt_live *live, const struct pt_source_ops *const *sources, size_t n, struct pt_err *err)
{
	const char *name = pt_params_text(live->own, &rows[SOURCE]), *mode = pt_params_text(live->own, &rows[MODE]);
	char names[160];

	if (n == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this target has no source of trace");
	if (pt_params_flag(live->own, &rows[RECORDER]))
		return pt_fail(err, PT_EUNSUPPORTED, "this target has nothing that keeps the last branches");
	list_sources(sources, n, names, sizeof(names));
	if (name == NULL && mode == NULL)
		return pt_fail(err, PT_EARG, "what this target has disturbs the program, and works only when it is asked for by "
			       "name (source=NAME): %s", names);
	return pt_fail(err, PT_EARG, "no source %s%s; this target has: %s", name != NULL ? "" : "with mode ",
		       name != NULL ? name : mode, names);
}

/* The one that was named, or else the first that has the wanted mode and works here. */
static int choose_source(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	size_t n, n_tried = 0;
	const struct pt_source_ops *const *sources = target->ops->sources(target->state, &n);

	for (size_t i = 0; i < n; i++) {
		if (!fits(live, sources[i]))
			continue;
		live->ops = sources[i];
		if (live->ops->available(target, err) == 0)
			return 0;
		pt_wrap(err, "source %s", sources[i]->name);
		memcpy(live->instead, err->msg, sizeof(live->instead));
		n_tried++;
	}
	live->ops = NULL;
	return n_tried > 0 ? err->code : no_source(live, sources, n, err);
}

/* As it was asked for; NULL: the source's first. */
static const char *wanted_mode(const struct pt_live *live)
{
	if (pt_params_flag(live->own, &rows[RECORDER]))
		return live->ops->recorder;
	return pt_params_text(live->own, &rows[MODE]);
}

static bool has_row(const struct pt_source_ops *ops, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < ops->n_params; i++)
		if (strlen(ops->params[i].key) == len && strncmp(ops->params[i].key, word, len) == 0)
			return true;
	return false;
}

/* A setting that stands on the command line for another source of this chip is no mistake. */
static bool for_another_source(const struct pt_live *live, const char *word)
{
	size_t n;
	const struct pt_source_ops *const *source = live->target->ops->sources(live->target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (source[i] != live->ops && has_row(source[i], word))
			return !has_row(live->ops, word);
	return false;
}

static int read_source_words(struct pt_live *live, struct pt_err *err)
{
	char mode[32], word[48];

	if (find_mode(live->ops->modes, wanted_mode(live), mode, sizeof(mode)) == NULL)
		return pt_fail(err, PT_EARG, "source %s has no mode %s; it has: %s", live->ops->name, wanted_mode(live),
			       live->ops->modes);
	live->settings = pt_params_new();
	snprintf(word, sizeof(word), "mode=%s", mode);
	if (has_row(live->ops, word) &&
	    pt_params_add(live->settings, live->ops->params, live->ops->n_params, word, err) < 0)
		return err->code;
	for (size_t i = 0; i < live->n_words; i++) {
		if (own_word(live->words[i]))
			continue;
		if (for_another_source(live, live->words[i]))
			pt_info("profile: %s is not for source %s", live->words[i], live->ops->name);
		else if (pt_params_add(live->settings, live->ops->params, live->ops->n_params, live->words[i], err) < 0)
			return err->code;
	}
	return 0;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static void write_config(struct pt_live *live, struct pt_target *target)
{
	struct pt_probe_info info = { 0 }, other;
	char differs[24] = "unknown";

	if (target->probe != NULL)
		pt_probe_info(target->probe, &info);
	for (struct pt_probe *p = target->probe; p != NULL; p = pt_probe_next(p)) {	/* one model makes it a model */
		pt_probe_info(p, &other);
		info.link.is_virtual |= other.link.is_virtual;
	}
	if (live->image.differs)
		snprintf(differs, sizeof(differs), "0x%" PRIx64, live->image.at);
	else if (live->image.compared)
		snprintf(differs, sizeof(differs), "no");
	snprintf(live->chip, sizeof(live->chip), "%s", target->ops->chip(target->state));
	snprintf(live->config, sizeof(live->config),
		 "target=%s\nprobe=%s\nvirtual=%d\ncore_hz=%" PRIu64 "\nelf_mismatch=%s\nelf_build_id=%s\nelf=%s\n",
		 live->chip, info.link.product[0] != '\0' ? info.link.product : info.name, info.link.is_virtual,
		 live->core_hz, differs, live->program != NULL ? pt_program_build_id(live->program) : "",
		 live->program != NULL ? pt_program_path(live->program) : "");
}

static void tell_mismatch(struct pt_live *live)
{
	if (!live->image.differs || live->mismatch[0] != '\0')
		return;
	snprintf(live->mismatch, sizeof(live->mismatch), "the chip does not hold this ELF: first difference at 0x%08" PRIx64
		 "; names and times may be wrong (load the ELF, or give the right one)", live->image.at);
	pt_warn("profile: %s", live->mismatch);
}

/* Memory that we do not reach, or that the bus refuses, cannot be compared: that is no reason not to profile the target. */
static int check_image(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	int rc;

	live->image.program = live->program;
	if (live->program == NULL)
		return 0;
	if (pt_program_check_machine(live->program, target->ops->elf_machine, err) < 0)
		return err->code;
	rc = pt_image_spot_check(&live->image, target->ops->mem(target->state, 0), err);
	if (rc == PT_EUNSUPPORTED || rc == PT_EFAULT) {
		pt_info("profile: cannot %s", err->msg);
		live->image.done = true;
		return 0;
	}
	if (rc < 0)
		return err->code;
	tell_mismatch(live);
	return 0;
}

/* What a source needs that counts in a range of addresses: from a first function to the end of a last. Code that lies far
 * from the rest (vectors at 0, a program in external memory) would make the range useless: the largest part is taken. */
static struct pt_span code_of(const struct pt_program *program)
{
	struct pt_span most = { .size = 0 }, part = { .size = 0 };
	size_t n = 0;
	const struct pt_function *f = program != NULL ? pt_program_functions(program, &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		if (part.size == 0 || f[i].address - part.addr > part.size + FAR_CODE)
			part = (struct pt_span){ f[i].address, 0 };
		if (f[i].address - part.addr + f[i].size > part.size)
			part.size = f[i].address - part.addr + f[i].size;
		if (part.size > most.size)
			most = part;
	}
	return most;
}

static int64_t on_drain(void *arg, struct pt_target *target);
static void on_state(void *arg, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc);
static bool is_behind(void *arg);
static void on_lost(void *arg, const struct pt_err *why);
static void on_program(void *arg);

static void drain_on(struct pt_live *live, struct pt_board *board)
{
	struct pt_board_drain drain = {
		.drain = on_drain, .on_state = on_state, .behind = is_behind, .on_lost = on_lost,
		.on_program = on_program, .arg = live,
	};

	pt_board_set_drain(board, &drain);
	live->resting = false;
}

static int arm(struct pt_live *live, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_source_setup setup = {
		.settings = live->settings, .sink = &live->sink, .config = live->config,
		.seed = pt_params_number(live->own, &rows[SEED]),
		.free_ram = live->free_ram.span, .n_free_ram = live->free_ram.n_spans, .why_no_ram = live->free_ram.why,
		.code = code_of(live->program),
	};
	struct pt_core_status status;

	live->state = calloc(1, live->ops->state_bytes);
	if (live->state == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for the source");
	if (target->ops->status(target->state, 0, &status, err) < 0)
		return err->code;
	live->started_ns = pt_board_now_ns(board);
	if (status.state == PT_HALTED)
		note_state(live, PT_STATE_HALT, live->started_ns);
	if (live->ops->start(live->state, target, &setup, err) < 0)
		return pt_wrap(err, "source %s", live->ops->name);
	drain_on(live, board);
	return 0;
}

static bool is_recorder(const struct pt_live *live)
{
	const char *mode = wanted_mode(live);

	return mode != NULL && live->ops->recorder != NULL && strcmp(mode, live->ops->recorder) == 0;
}

static int prepare(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	const struct pt_region *regions;
	struct pt_link_info info;
	size_t n;

	if (read_own_words(live, err) < 0 || choose_source(live, target, err) < 0 || read_source_words(live, err) < 0 ||
	    check_image(live, target, err) < 0)
		return err->code;
	pt_link_info(pt_probe_link(target->probe), &info);
	pt_queue_set_wait(live->queue, info.virtual_clock);
	regions = target->ops->regions(target->state, &n);
	pt_free_ram(regions, n, live->program, &live->free_ram);
	write_config(live, target);
	live->is_recorder = is_recorder(live);
	return 0;
}

static void disarm(struct pt_live *live)
{
	free(live->state);
	live->state = NULL;
	live->ops = NULL;
}

static void say_start(const struct pt_live *live, char *say, size_t room)
{
	char mode[32];

	find_mode(live->ops->modes, wanted_mode(live), mode, sizeof(mode));
	snprintf(say, room, "profiling %s: source %s, mode %s%s%s%s\n%s%s%s%s%s", live->chip, live->ops->name, mode,
		 live->instead[0] != '\0' ? " (because " : "", live->instead, live->instead[0] != '\0' ? ")" : "",
		 live->mismatch[0] != '\0' ? "warning: " : "", live->mismatch, live->mismatch[0] != '\0' ? "\n" : "",
		 live->cost, live->cost[0] != '\0' ? "\n" : "");
}

int pt_live_start(struct pt_live *live, struct pt_board *board, struct pt_target *target, char *say, size_t room,
		  struct pt_err *err)
{
	live->target = target;
	if (prepare(live, target, err) < 0 || arm(live, board, target, err) < 0) {
		disarm(live);
		return err->code;
	}
	if (pt_params_given(live->own, &rows[FOR]))
		live->run_until_ns = pt_params_number(live->own, &rows[FOR]);
	say_start(live, say, room);
	return 0;
}

/* --- at work ------------------------------------------------------------------------------------------------------ */

static void die(struct pt_live *live, const struct pt_err *err)
{
	struct pt_err ignored = { 0 };	/* the first error is the one to tell */

	live->died = *err;
	live->ops->stop(live->state, &ignored);
	disarm(live);
	pt_warn("profile: %s", err->msg);
	live->news.on_dead(live->news.arg);
}

/* Where the source rests; and where it never does, a little of its time ten times a second. */
static void check_image_in_passing(struct pt_live *live, uint64_t now_ns)
{
	struct pt_err err = { 0 };
	int rc;

	if (live->program == NULL || live->image.done)
		return;
	live->checked_ns = now_ns;
	rc = pt_image_check_more(&live->image, live->target->ops->mem(live->target->state, 0), &err);
	if (rc < 0 && rc != PT_EINTERRUPTED)	/* then the same piece next time */
		live->image.done = true;
	tell_mismatch(live);
}

static int64_t on_drain(void *arg, struct pt_target *target)
{
	struct pt_live *live = arg;
	struct pt_err err = { 0 };
	uint64_t now_ns;
	int rc;

	if (live->ops == NULL)
		return PT_DRAIN_OVER;	/* it died of a change of state */
	rc = live->ops->drain(live->state, &err);
	now_ns = pt_mem_now_ns(target->ops->mem(target->state, 0));
	if (rc < 0 && rc != PT_EINTERRUPTED) {
		die(live, &err);
		return PT_DRAIN_OVER;
	}
	if (live->run_until_ns != PT_UNKNOWN && run_ns(live, now_ns) >= live->run_until_ns) {
		live->run_until_ns = PT_UNKNOWN;
		live->resting = true;
		live->news.on_time_up(live->news.arg);
		return PT_DRAIN_REST;
	}
	if (rc > 0 || now_ns - live->checked_ns >= CHECK_MS * PT_NS_PER_MS)
		check_image_in_passing(live, now_ns);
	return rc > 0 ? rc : 0;
}

static void on_state(void *arg, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc)
{
	struct pt_live *live = arg;
	struct pt_err err = { 0 };

	(void)core;
	note_state(live, what, pt_mem_now_ns(target->ops->mem(target->state, 0)));
	if (live->ops != NULL && live->ops->on_state(live->state, what, pc, &err) < 0)
		die(live, &err);
}

/* Figures of two programs under the names of one, and of the code that writes the flash, would be nobody's. */
static void on_program(void *arg)
{
	struct pt_live *live = arg;
	struct pt_err err = { 0 };

	if (live->ops == NULL || live->is_recorder || pt_live_catch_up(live, &err) < 0)
		return;
	pt_fail(&err, PT_ESTATE, "a load writes flash: the profile of the program before it ends here");
	die(live, &err);
}

static bool is_behind(void *arg)
{
	const struct pt_live *live = arg;

	return live->ops != NULL && live->ops->behind != NULL && live->ops->behind(live->state);
}

static void on_lost(void *arg, const struct pt_err *why)
{
	struct pt_live *live = arg;

	if (live->ops != NULL)
		die(live, why);
}

int pt_live_catch_up(struct pt_live *live, struct pt_err *err)
{
	while (is_behind(live)) {
		int rc = live->ops->drain(live->state, err);

		if (rc < 0 && rc != PT_EINTERRUPTED) {
			die(live, err);
			return rc;
		}
	}
	return 0;
}

bool pt_live_is_recorder(const struct pt_live *live)
{
	return live->is_recorder;
}

int pt_live_stop(struct pt_live *live, struct pt_board *board, struct pt_err *err)
{
	int rc = 0;

	pt_board_set_drain(board, NULL);
	if (live->ops != NULL) {
		rc = live->ops->stop(live->state, err);
		disarm(live);
	}
	return rc;
}

const char *pt_live_why_ended(const struct pt_live *live)
{
	return live->died.msg;
}

const char *pt_live_mismatch(const struct pt_live *live)
{
	return live->mismatch;
}

void pt_live_run_for(struct pt_live *live, struct pt_board *board, uint64_t for_ns)
{
	if (live->ops != NULL) {
		live->run_until_ns = for_ns == PT_UNKNOWN ? PT_UNKNOWN : run_ns(live, pt_board_now_ns(board)) + for_ns;
		if (live->resting)
			drain_on(live, board);
	} else if (for_ns != PT_UNKNOWN) {
		live->news.on_time_up(live->news.arg);
	}
}

void pt_live_describe(struct pt_live *live, struct pt_board *board, char *say, size_t room)
{
	uint64_t now_ns;

	if (live->ops == NULL) {
		snprintf(say, room, "profile: ended%s%s\n", live->died.code != 0 ? ": " : "", live->died.msg);
		return;
	}
	now_ns = pt_board_now_ns(board);
	snprintf(say, room, "profile: source %s at work for %.3f s, of which the core ran %.3f s\n%s%s%s", live->ops->name,
		 (double)(now_ns - live->started_ns) / 1e9, (double)run_ns(live, now_ns) / 1e9,
		 live->mismatch[0] != '\0' ? "warning: " : "", live->mismatch, live->mismatch[0] != '\0' ? "\n" : "");
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct pt_live *pt_live_new(struct pt_queue *queue, struct pt_program *program, const char *const *words,
			    size_t n_words, uint64_t core_hz, const struct pt_live_news *news)
{
	struct pt_live *live = calloc(1, sizeof(*live));

	if (live == NULL)
		return NULL;
	live->sink = (struct pt_sink){ .take = pass_take, .put = pass_put, .lose = pass_lose };
	live->queue = queue;
	live->queue_sink = pt_queue_sink(queue);
	live->program = program;
	live->core_hz = core_hz;
	live->news = *news;
	live->held_since_ns = PT_UNKNOWN;
	live->run_until_ns = PT_UNKNOWN;
	live->words = calloc(n_words + 1, sizeof(*live->words));
	for (size_t i = 0; live->words != NULL && i < n_words; i++)
		live->words[live->n_words++] = strdup(words[i]);
	return live;
}

void pt_live_free(struct pt_live *live)
{
	if (live == NULL)
		return;
	for (size_t i = 0; i < live->n_words; i++)
		free(live->words[i]);
	free(live->words);
	free(live->state);
	pt_params_free(live->settings);
	pt_params_free(live->own);
	free(live);
}
