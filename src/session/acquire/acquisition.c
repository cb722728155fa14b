/* All chunks pass through pass_put(): it takes from STATE chunks when the core was held, and adds the source's overhead
 * to CONFIG. */
#include "base/door.h"
#include "config.h"
#include "base/alloc.h"
#include "session/acquire/acquisition_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "trace/loss.h"
#include "base/util.h"

enum { FAR_CODE = 16 << 20 };	/* bytes between parts of a program that count as far apart */
enum { REASON_BYTES = 199 };	/* of a reason in CONFIG: as much as a profile keeps */

/* --- between source and queue ------------------------------------------------------------------------------------- */

static struct pt_chunk *pass_take(struct pt_sink *sink)
{
	struct pt_live *live = (struct pt_live *)sink;

	return live->queue_sink->take(live->queue_sink);
}

static uint32_t bit_of(unsigned core)
{
	return UINT32_C(1) << core % 32;
}

/* The target counts as held while all cores of the source are halted. */
static void count_held(struct pt_live *live, uint64_t ns)
{
	bool held = live->cores != 0 && (live->cores & ~live->halted) == 0;

	if (held && live->held_since_ns == PT_UNKNOWN) {
		live->held_since_ns = ns;
	} else if (!held && live->held_since_ns != PT_UNKNOWN) {
		live->held_ns += ns - live->held_since_ns;
		live->held_since_ns = PT_UNKNOWN;
	}
}

/* Called for halts by the source and by others; the second report of the same state changes nothing. */
static void note_state(struct pt_live *live, unsigned core, enum pt_state state, uint64_t ns)
{
	if (state == PT_STATE_HALT)
		live->halted |= bit_of(core);
	else if (state == PT_STATE_RUN || state == PT_STATE_RESET)	/* on_state() sees to one that stays halted */
		live->halted &= ~bit_of(core);
	count_held(live, ns);
}

/* Finds the value of a key ("cost=") in a CONFIG; returns its length, 0: none. */
static size_t find_line(const struct pt_chunk *chunk, const char *key, const char **value)
{
	const char *text = (const char *)chunk->bytes;

	for (size_t at = 0, end; at < chunk->len_bytes; at = end + 1) {
		for (end = at; end < chunk->len_bytes && text[end] != '\n'; end++)
			;
		if (end - at > strlen(key) && memcmp(text + at, key, strlen(key)) == 0) {
			*value = text + at + strlen(key);
			return end - at - strlen(key);
		}
	}
	return 0;
}

/* Stores the source's overhead as CONFIG describes it; for a source with members, a line for each member. */
static void note_cost(struct pt_live *live, const struct pt_chunk *chunk)
{
	const char *cost = "", *name = "";
	size_t cost_len = find_line(chunk, "cost=", &cost), name_len = find_line(chunk, "source=", &name);
	size_t at = strlen(live->cost);
	char line[600];

	if (cost_len == 0)
		return;
	if (live->ops == NULL || live->ops->members == NULL) {
		snprintf(live->cost, sizeof(live->cost), "%.*s", (int)cost_len, cost);
		return;
	}
	snprintf(line, sizeof(line), "%.*s: %.*s", (int)name_len, name, (int)cost_len, cost);
	if (strstr(live->cost, line) == NULL)
		snprintf(live->cost + at, sizeof(live->cost) - at, "%s%s", at > 0 ? "\n" : "", line);
}

/* CONFIG opens the source of a core. */
static void note_config(struct pt_live *live, const struct pt_chunk *chunk)
{
	live->cores |= bit_of(chunk->core);
	count_held(live, chunk->from_ns);
	note_cost(live, chunk);
}

static void pass_put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	struct pt_live *live = (struct pt_live *)sink;

	if (chunk->kind == PT_CHUNK_STATE)
		note_state(live, chunk->core, chunk->cause, chunk->from_ns);
	else if (chunk->kind == PT_CHUNK_CONFIG)
		note_config(live, chunk);
	if (!pt_live_hold_end(live, chunk))
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

/* Starting a source that must clear a large buffer may take as long as a short profile, so the profile's time begins
 * after that. */
static void begin_time(struct pt_live *live, uint64_t now_ns)
{
	live->started_ns = now_ns;
	live->held_ns = 0;
	if (live->held_since_ns != PT_UNKNOWN)
		live->held_since_ns = now_ns;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

/* The instruction set of the ELF; if the ELF does not decide it, that of the target, if both have the same machine.
 * Code for a core with a cycle model that runs on a core without one is read as that core's, because the model would be
 * wrong there. */
static const struct pt_isa *isa_of(const struct pt_live *live, const struct pt_target *target)
{
	const struct pt_arch *program = live->program != NULL ? pt_program_arch(live->program) : NULL;
	struct pt_arch arch = pt_target_arch(target);
	const struct pt_isa *core = pt_isa_find(&arch);

	if (program != NULL && pt_arch_decides(&arch) && pt_isa_has_no_model(core, pt_program_isa(live->program)))
		return core;
	if (program != NULL && (pt_arch_decides(program) || program->elf_machine != arch.elf_machine))
		return pt_program_isa(live->program);
	return core;
}

/* "probe_address=virtual:kl27?seed=1\n", a tab between several. Too long ones are left out: half an address opens another
 * probe, or none. */
static void say_address(const struct pt_board *board, struct pt_text *out)
{
	enum { MOST = 799 };	/* limit of a profile's text */
	size_t len = 0;

	for (size_t i = 0; pt_board_probe_uri(board, i) != NULL; i++)
		len += strlen(pt_board_probe_uri(board, i)) + (i > 0);
	if (len == 0 || len > MOST)
		return;
	for (size_t i = 0; pt_board_probe_uri(board, i) != NULL; i++)
		pt_text_add(out, "%s%s", i > 0 ? "\t" : "probe_address=", pt_board_probe_uri(board, i));
	pt_text_add(out, "\n");
}

/* What is needed to repeat the profile: "version=0.1.0\nseed=1\nwords=source=mtb for=2s\n". */
static void say_origin(const struct pt_live *live, const struct pt_board *board, struct pt_text *out)
{
	char title[48];

	pt_live_title(live, title, sizeof(title));
	pt_text_add(out, "title=%s\nversion=%s\nseed=%" PRIu64 "\nwords=", title, PACKAGE_VERSION,
		    pt_params_number(live->own, &pt_live_rows[SEED]));
	for (size_t i = 0; i < live->n_words; i++)
		pt_text_add(out, "%s%s", i > 0 ? " " : "", live->words[i]);
	pt_text_add(out, "\n");
	say_address(board, out);
	if (pt_board_is_at_reset(board))
		pt_text_add(out, "at_reset=1\n");
}

/* The kind of memory at each address, for addresses without names; for a target all unknown addresses are I/O. */
static void say_regions(struct pt_target *target, struct pt_text *out)
{
	static const char *const kinds[] = {
		[PT_REGION_RAM] = "RAM",
		[PT_REGION_ROM] = "ROM",
		[PT_REGION_FLASH] = "flash",
	};
	size_t n, before = out->len_bytes;
	const struct pt_region *region = target->ops->regions(target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (region[i].kind < PT_LEN(kinds) && kinds[region[i].kind] != NULL && region[i].size > 0)
			pt_text_add(out, "%s%s 0x%" PRIx64 " 0x%" PRIx64,
				    out->len_bytes > before ? "," : "regions=", kinds[region[i].kind], region[i].addr,
				    region[i].size);
	if (out->len_bytes > before)
		pt_text_add(out, "\n");
}

/* Facts about the recording that the user may not expect. */
static void say_besides(const struct pt_live *live, char *out, size_t room)
{
	const char *unread = live->program == NULL ? "it was recorded without an ELF" : live->unread;
	size_t at = 0;

	if (unread[0] != '\0')
		at += (size_t)snprintf(out, room, "elf_unread=%.*s\n", REASON_BYTES, unread);
	if (live->instead[0] != '\0' && !live->lacks)
		snprintf(out + at, room - at, "fallback=%.*s\n", REASON_BYTES, live->instead);
}

static void write_config(struct pt_live *live, const struct pt_board *board, struct pt_target *target)
{
	struct pt_probe_info info = { 0 }, other;
	char image[100], measured[120] = "", besides[2 * REASON_BYTES + 40] = "";
	uint64_t core_hz = live->core_hz;
	struct pt_text origin = { 0 };

	if (target->probe != NULL)
		pt_probe_info(target->probe, &info);
	/* if one probe is virtual, so is the board */
	for (struct pt_probe *p = target->probe; p != NULL; p = pt_probe_next(p)) {
		pt_probe_info(p, &other);
		info.link.is_virtual |= other.link.is_virtual;
	}
	pt_live_print_image(live, image, sizeof(image));
	if (live->measures)
		core_hz = (uint64_t)llround((live->clock.least_hz + live->clock.most_hz) / 2);
	if (live->clock.least_hz > 0)
		snprintf(measured, sizeof(measured), "\nclock_least_hz=%.0f\nclock_most_hz=%.0f%s",
			 floor(live->clock.least_hz), ceil(live->clock.most_hz),
			 live->measures ? "\nclock_measured=1" : "");
	if (core_hz == 0 && target->ops->core_hz != NULL)
		core_hz = target->ops->core_hz(target->state);
	snprintf(live->chip, sizeof(live->chip), "%s", target->ops->chip(target->state));
	say_regions(target, &origin);
	say_origin(live, board, &origin);
	say_besides(live, besides, sizeof(besides));
	snprintf(live->config, sizeof(live->config),
		 "isa=%s\ntarget=%s\nprobe=%s\nvirtual=%d\ncore_hz=%" PRIu64 "%s\n%s%self_build_id=%s\n%self=%s\n",
		 isa_of(live, target)->name, live->chip, info.link.product[0] != '\0' ? info.link.product : info.name,
		 info.link.is_virtual, core_hz, measured, image, besides,
		 live->program != NULL ? pt_program_build_id(live->program) : "",
		 origin.bytes != NULL ? origin.bytes : "", live->program != NULL ? pt_program_path(live->program) : "");
	pt_text_free(&origin);
}

/* The address range for a source that counts in a range: from the first function to the end of the last. Code far from
 * the rest (vectors at 0, a program in external memory) would make the range useless: only the largest part is used. */
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
		.seed = pt_params_number(live->own, &pt_live_rows[SEED]),
		.free_ram = live->free_ram.span, .n_free_ram = live->free_ram.n_spans, .why_no_ram = live->free_ram.why,
		.code = code_of(live->program), .places = live->places, .n_places = live->n_places,
		.beside = live->beside,
	};

	/* The source checks whether the core is halted. If a client halted the core just now, and the board does not
	 * know yet, the source would not be notified when it resumes. */
	if (pt_board_hear(board, err) < 0)
		return err->code;
	live->state = pt_alloc(live->ops->state_bytes);
	if (live->ops->start(live->state, target, &setup, err) < 0)
		return pt_wrap(err, "source %s", live->ops->name);
	begin_time(live, pt_board_now_ns(board));
	drain_on(live, board);
	return 0;
}

void pt_live_tell_symbols(const struct pt_program *program, struct pt_target *target)
{
	const char *const *names = target->ops->symbols;
	uint64_t addr, size;

	for (unsigned i = 0; names != NULL && names[i] != NULL; i++)
		target->ops->symbol(target->state, i,
				    program != NULL && pt_program_symbol(program, names[i], &addr, &size) ? addr
													  : PT_UNKNOWN);
	if (program != NULL && target->ops->program_order != NULL)
		target->ops->program_order(target->state, pt_program_is_big_endian(program));
}

static int prepare(struct pt_live *live, const struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	const struct pt_region *regions;
	struct pt_link_info info;
	size_t n;

	pt_live_tell_symbols(live->program, target);
	if (pt_live_choose(live, target, err) < 0 || pt_live_check_image(live, target, err) < 0)
		return err->code;
	pt_link_info(pt_probe_link(target->probe), &info);
	pt_queue_set_wait(live->queue, info.virtual_clock);
	regions = target->ops->regions(target->state, &n);
	pt_free_ram(regions, n, live->program, &live->free_ram);
	if (pt_live_measure_clock(live, target, err) < 0)
		return err->code;
	write_config(live, board, target);
	return 0;
}

/* Starts the source that the user named; if he named none, the first that works. */
static int arm_any(struct pt_live *live, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	while (arm(live, board, target, err) < 0) {
		free(live->state);
		live->state = NULL;
		if (!pt_live_choose_next(live, target, err))
			return err->code;
		write_config(live, board, target);	/* contains the source's name */
		*err = (struct pt_err){ 0 };
	}
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

	snprintf(say, room, "profiling %s: source %s, mode %s%s%s%s\n%s%s%s%s%s%s%s%s", live->chip, live->ops->name,
		 pt_live_mode(live, mode, sizeof(mode)), live->instead[0] != '\0' ? " (because " : "", live->instead,
		 live->instead[0] != '\0' ? ")" : "", live->mismatch[0] != '\0' ? "warning: " : "", live->mismatch,
		 live->mismatch[0] != '\0' ? "\n" : "",
		 live->unwatched[0] != '\0' ? "warning: variables are not followed: " : "", live->unwatched,
		 live->unwatched[0] != '\0' ? "\n" : "", live->cost, live->cost[0] != '\0' ? "\n" : "");
}

int pt_live_start(struct pt_live *live, struct pt_board *board, struct pt_target *target, char *say, size_t room,
		  struct pt_err *err)
{
	live->target = target;
	if (prepare(live, board, target, err) < 0 || arm_any(live, board, target, err) < 0) {
		disarm(live);
		return err->code;
	}
	if (pt_params_given(live->own, &pt_live_rows[FOR]))
		live->run_until_ns = pt_params_number(live->own, &pt_live_rows[FOR]);
	say_start(live, say, room);
	return 0;
}

/* --- at work ------------------------------------------------------------------------------------------------------ */

static void die(struct pt_live *live, const struct pt_err *err)
{
	struct pt_err ignored = { 0 };	/* the first error is the one to report */

	live->died = *err;
	live->ops->stop(live->state, &ignored);
	disarm(live);
	pt_warn("profile: %s", err->msg);
	live->news.on_dead(live->news.arg);
}

static int64_t on_drain(void *arg, struct pt_target *target)
{
	struct pt_live *live = arg;
	struct pt_err err = { 0 };
	uint64_t now_ns;
	int rc;

	if (live->ops == NULL)
		return PT_DRAIN_OVER;	/* it ended because of a state change */
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
	pt_live_check_more(live, now_ns, rc > 0);
	return rc > 0 ? rc : 0;
}

static bool is_held(struct pt_target *target, unsigned core)
{
	struct pt_core_status now;

	return target->ops->status(target->state, core, &now, &(struct pt_err){ 0 }) == 0 && now.state == PT_HALTED;
}

static void tell_source(struct pt_live *live, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc)
{
	struct pt_err err = { 0 };

	note_state(live, core, what, pt_mem_now_ns(target->ops->mem(target->state, 0)));
	if (live->ops != NULL && live->ops->on_state(live->state, what, core, pc, &err) < 0)
		die(live, &err);
}

/* A reset that leaves the core halted is reported by the board as a reset, without a halt. A source must know of both,
 * or it would take the state of the halted core for that of the running program. */
static void on_state(void *arg, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc)
{
	struct pt_live *live = arg;

	tell_source(live, target, what, core, pc);
	if (what == PT_STATE_RESET && is_held(target, core))
		tell_source(live, target, PT_STATE_HALT, core, pc);
}

/* The figures would mix two programs under one's names, and include the code that writes flash. */
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

int pt_live_write(struct pt_live *live, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err)
{
	if (live->ops == NULL)
		return pt_fail(err, PT_ESTATE, "the source has ended: profile report shows what it found");
	if (live->ops->write == NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "source %s does not read variables: source=%s+watch does, and writes them",
			       live->ops->name, live->ops->name);
	return live->ops->write(live->state, addr, bytes, len_bytes, err);
}

bool pt_live_is_recorder(const struct pt_live *live)
{
	return live->is_recorder;
}

int pt_live_stop(struct pt_live *live, struct pt_board *board, bool proves, struct pt_err *err)
{
	int rc = 0;

	live->proves = proves;

	pt_board_set_drain(board, NULL);
	if (live->ops != NULL) {
		live->ending = !live->is_recorder;
		rc = live->ops->stop(live->state, err);
		disarm(live);
		pt_live_measure_late(live);
		pt_live_check_rest(live);
		pt_live_send_ends(live);
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
		snprintf(say, room, "profile: ended%s%s; monitor profile report shows it\n",
			 live->died.code != 0 ? ": " : "", live->died.msg);
		return;
	}
	now_ns = pt_board_now_ns(board);
	snprintf(say, room, "profile: source %s at work for %.3f s, of which the core ran %s%.3f s\n%s%s%s",
		 live->ops->name, (double)(now_ns - live->started_ns) / 1e9,
		 live->held_ns > 0 ? "at most " : "",	/* a halt by a breakpoint is found later */
		 (double)run_ns(live, now_ns) / 1e9, live->mismatch[0] != '\0' ? "warning: " : "", live->mismatch,
		 live->mismatch[0] != '\0' ? "\n" : "");
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct pt_live *pt_live_new(struct pt_queue *queue, struct pt_program *program, const char *const *words,
			    size_t n_words, uint64_t core_hz, bool measures, const struct pt_live_news *news)
{
	struct pt_live *live = pt_alloc(sizeof(*live));

	live->sink = (struct pt_sink){ .take = pass_take, .put = pass_put, .lose = pass_lose };
	live->queue = queue;
	live->queue_sink = pt_queue_sink(queue);
	live->program = program;
	live->core_hz = core_hz;
	live->measures = measures;
	live->news = *news;
	live->held_since_ns = PT_UNKNOWN;
	live->run_until_ns = PT_UNKNOWN;
	live->words = pt_alloc_array(n_words + 1, sizeof(*live->words));
	for (size_t i = 0; i < n_words; i++)
		live->words[live->n_words++] = pt_strdup(words[i]);
	return live;
}

void pt_live_follow(struct pt_live *live, const struct pt_source_place *places, size_t n)
{
	live->places = pt_realloc_array(live->places, n + 1, sizeof(*places));
	memcpy(live->places, places, n * sizeof(*places));
	live->n_places = n;
}

void pt_live_free(struct pt_live *live)
{
	if (live == NULL)
		return;
	for (size_t i = 0; i < live->n_words; i++)
		free(live->words[i]);
	free(live->words);
	free(live->places);
	free(live->state);
	free(live->rows);
	pt_params_free(live->settings);
	pt_params_free(live->own);
	free(live);
}
