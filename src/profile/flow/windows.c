#include "profile/flow/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"

enum {
	STRAIGHT_BYTES = 32,	/* how far behind a wait the first packet may come from */
	MANY = PT_WINDOWS_PILOT / 10,	/* windows of PT_WINDOWS_PILOT that end before T: the program has changed */
	ODD = 4,		/* a burst that is so many times shorter than usual has no say in T */
};

static const double GOLDEN = 0.61803398874989485;	/* its multiples fill 0..1 evenly */

struct function {
	struct pt_window_function all;
	double second;		/* on the other clock: sum over windows, as all.own.x is */
	/* in the window so far; of ticks: of entering it as a handler, and of others' that were entered from it */
	uint64_t ticks, second_ticks, entered, interrupted;
	bool touched;
};

struct pt_windows {
	const struct pt_codemap *map;
	struct pt_flow_settings settings;
	double core_hz;
	struct function *function;
	uint16_t *touched;	/* functions of the window so far */
	size_t n_functions, n_touched;

	/* T */
	uint64_t limit;		/* cycles */
	uint64_t pilot[PT_WINDOWS_PILOT];
	size_t n_pilot;
	size_t n_later, n_short;	/* behind the pilot, in blocks: windows, and those shorter than T; */
	uint64_t shortest;		/* of these */

	/* the burst */
	bool open, first, asleep;
	bool closed;		/* its window has ended, and the burst goes on */
	bool reached;		/* it is at least T long */
	enum pt_window_chosen chosen;
	double weight, chance;	/* chance: to be in the window, for the run that lies across its end */
	uint64_t at, ticks;	/* cycles and ticks of the burst, and of the window, so far */
	struct pt_run *held;	/* 2 * PT_WINDOWS_HELD */
	size_t n_held, n_stale;	/* stale: of them were taken out */

	struct pt_time_window last;
	struct pt_windows_summary sums;
};

/* --- waits */

/* Does straight code lead from one address to the other, and soon? */
static bool is_straight(const struct pt_windows *w, uint64_t from, uint64_t to)
{
	const struct pt_code_unit *a = pt_codemap_at(w->map, from), *b = pt_codemap_at(w->map, to);

	return to - from <= STRAIGHT_BYTES && a != NULL && b != NULL && pt_sum_breaks(b->sums - a->sums) == 0;
}

static bool is_behind_wait(const struct pt_windows *w, uint64_t addr)
{
	for (size_t i = 0; i < w->map->n_waits; i++)
		if (addr != w->map->wait[i] && is_straight(w, w->map->wait[i], addr))
			return true;
	return false;
}

static bool is_before_wait(const struct pt_windows *w, uint64_t addr)
{
	for (size_t i = 0; i < w->map->n_waits; i++)
		if (is_straight(w, addr, w->map->wait[i]))
			return true;
	return false;
}

/* --- T */

static int by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The shortest of the pilot so far, but for what is odd. */
static void set_limit(struct pt_windows *w)
{
	uint64_t sorted[PT_WINDOWS_PILOT];
	size_t i = 0;

	memcpy(sorted, w->pilot, w->n_pilot * sizeof(*sorted));
	qsort(sorted, w->n_pilot, sizeof(*sorted), by_length);
	while (sorted[i] < sorted[w->n_pilot / 2] / ODD)
		i++;
	w->limit = sorted[i];
}

/* A whole burst behind the pilot; length: of its window. */
static void note_later(struct pt_windows *w, uint64_t length)
{
	w->n_later++;
	if (length < w->limit && length >= w->limit / ODD) {
		w->n_short++;
		if (length < w->shortest)
			w->shortest = length;
	}
	if (w->n_later < PT_WINDOWS_PILOT)
		return;
	if (w->n_short > MANY)
		w->limit = w->shortest;
	w->n_later = w->n_short = 0;
	w->shortest = PT_UNKNOWN;
}

/* Of a whole burst. One that is held back is not followed further than T. */
static void note_length(struct pt_windows *w)
{
	uint64_t length = w->reached && w->at < w->limit ? w->limit : w->at;

	if (w->n_pilot == PT_WINDOWS_PILOT) {
		note_later(w, length);
		return;
	}
	w->pilot[w->n_pilot++] = length;
	set_limit(w);
}

/* --- what is in the window */

static struct function *add_ticks(struct pt_windows *w, uint16_t id, uint64_t ticks, uint64_t second)
{
	struct function *f = &w->function[id];

	if (!f->touched) {
		f->touched = true;
		w->touched[w->n_touched++] = id;
	}
	f->ticks += ticks;
	f->second_ticks += second;
	return f;
}

static uint16_t handler_of(const struct pt_windows *w, const struct pt_run *run)
{
	uint64_t handler = pt_codemap_handler(w->map, run->next);
	bool in_code;

	return handler == run->next ? run->next_function : pt_codemap_function(w->map, handler, &in_code);
}

static bool passes_wait(const struct pt_windows *w, const struct pt_run *run)
{
	for (size_t i = 0; i < w->map->n_waits; i++)
		if (w->map->wait[i] - run->begin < run->end - run->begin)
			return true;
	return false;
}

/* The cycles of entering a handler are the handler's, as in execution.h. */
static void add_run(struct pt_windows *w, const struct pt_run *run)
{
	uint32_t entry = run->left == PT_LEFT_EXCEPTION	   ? w->settings.exception_entry_cycles
			 : run->left == PT_LEFT_TAIL_CHAIN ? w->settings.tail_chain_cycles
							   : 0;
	uint64_t cycles = run->cycles - (entry < run->cycles ? entry : run->cycles);
	bool by_cycles = w->settings.clock == PT_FLOW_CYCLES;

	w->ticks += by_cycles ? run->cycles : run->instructions;
	w->sums.waits += passes_wait(w, run);
	if (by_cycles)
		add_ticks(w, run->function, cycles, run->instructions)->interrupted += run->cycles - cycles;
	else
		add_ticks(w, run->function, run->instructions, cycles);
	if (cycles != run->cycles)
		add_ticks(w, handler_of(w, run), by_cycles ? run->cycles - cycles : 0,
			  by_cycles ? 0 : run->cycles - cycles)
			->entered += by_cycles ? run->cycles - cycles : 0;
}

static void forget_window(struct pt_windows *w)
{
	for (size_t i = 0; i < w->n_touched; i++) {
		struct function *f = &w->function[w->touched[i]];

		f->touched = false;
		f->ticks = f->second_ticks = f->entered = f->interrupted = 0;
	}
	w->n_touched = 0;
}

static void fold(struct function *f, double scale, double weight)
{
	double own = (double)f->ticks * scale, entered = (double)f->entered * scale,
	       shift = entered - (double)f->interrupted * scale;

	pt_cluster_add(&f->all.own, own, weight);
	pt_cluster_add(&f->all.as_sampled, own - shift, weight);
	pt_cluster_add(&f->all.shift, shift, weight);
	f->all.entered += entered;
	f->all.most = fmax(f->all.most, own);
	f->all.n += f->ticks > 0;
	f->second += (double)f->second_ticks * scale;
}

/* It is `cycles` long. across: a run lay across its end. */
static void close_window(struct pt_windows *w, uint64_t cycles, bool across)
{
	w->last = (struct pt_time_window){
		.weight = w->weight, .ticks = w->ticks,
		.cut = across && w->settings.clock == PT_FLOW_CYCLES ? w->limit : w->ticks, .scale = w->weight / (double)w->ticks,
		.seconds = w->core_hz > 0 ? (double)cycles / w->core_hz : NAN,
	};
	for (size_t i = 0; i < w->n_touched; i++)
		fold(&w->function[w->touched[i]], w->last.scale, w->weight);
	forget_window(w);
	pt_cluster_add_total(&w->sums.awake, w->weight);
	pt_cluster_add_total(&w->sums.armed, w->weight);
	w->chance = fmod(w->chance + GOLDEN, 1);
	w->closed = true;
}

static bool is_nothing(const struct pt_run *run)
{
	return run->end == run->begin && run->left == PT_LEFT_GAP;
}

/* Of a run that begins at `at` and lies across the end of the window: is it in it? */
static bool belongs(const struct pt_windows *w, uint64_t at, const struct pt_run *run)
{
	return (double)(w->limit - at) > w->chance * run->cycles;
}

/* --- a burst whose beginning is random */

void pt_windows_begin(struct pt_windows *w, enum pt_window_chosen chosen, double weight)
{
	forget_window(w);
	w->open = w->first = true;
	w->asleep = w->closed = w->reached = false;
	w->chosen = chosen;
	w->weight = weight;
	w->at = w->ticks = 0;
	w->n_held = w->n_stale = 0;
	if (chosen != PT_WINDOW_NEITHER)
		return;
	w->open = false;
	w->sums.all++;
	w->sums.unchosen++;
	w->sums.awake.unknown += weight;
	w->sums.armed.unknown += weight;
}

bool pt_windows_wants(const struct pt_windows *w)
{
	return w->open && !w->asleep && (!w->closed || w->n_pilot < PT_WINDOWS_PILOT);
}

size_t pt_windows_take(struct pt_windows *w, const struct pt_run *run, size_t n, bool *ends)
{
	*ends = false;
	for (size_t i = 0; i < n && pt_windows_wants(w); i++) {
		bool across = !w->closed && w->at + run[i].cycles >= w->limit;

		if (is_nothing(&run[i]))
			continue;
		w->reached |= across;
		if (w->first)
			w->asleep = is_behind_wait(w, run[i].begin);
		w->first = false;
		if (w->asleep)
			break;
		if (across && w->ticks > 0 && !belongs(w, w->at, &run[i])) {
			close_window(w, w->at, true);	/* the run comes again, behind the window */
			*ends = true;
			return i;
		}
		if (!w->closed)
			add_run(w, &run[i]);
		w->at += run[i].cycles;
		if (across && w->ticks > 0) {
			close_window(w, w->at, true);
			*ends = true;
			return i + 1;
		}
	}
	return n;
}

/* --- one whose end is */

bool pt_windows_holds(const struct pt_windows *w)
{
	return w->open && w->chosen == PT_WINDOW_END;
}

size_t pt_windows_hold(struct pt_windows *w, const struct pt_run *run, size_t n)
{
	size_t room;

	if (w->held == NULL)
		w->held = pt_alloc_array(2 * PT_WINDOWS_HELD, sizeof(*w->held));
	memmove(w->held, w->held + w->n_stale, (w->n_held - w->n_stale) * sizeof(*w->held));
	w->n_held -= w->n_stale;
	w->n_stale = 0;
	room = 2 * PT_WINDOWS_HELD - w->n_held;
	n = n < room ? n : room;
	memcpy(w->held + w->n_held, run, n * sizeof(*run));
	w->n_held += n;
	return n;
}

const struct pt_run *pt_windows_oldest(struct pt_windows *w, size_t *n)
{
	*n = w->n_stale = PT_WINDOWS_HELD;
	return w->held;
}

/* From the last run back, as far as the window goes: the first run in it. */
static size_t go_back(struct pt_windows *w, size_t most)
{
	size_t first = w->n_held, least = w->n_held - most;

	while (first > least && w->at < w->limit) {
		const struct pt_run *run = &w->held[first - 1];

		w->reached |= w->at + run->cycles >= w->limit;
		if (w->at + run->cycles > w->limit && w->ticks > 0 && !belongs(w, w->at, run))
			break;
		first--;
		if (is_nothing(run))
			continue;
		add_run(w, run);
		w->at += run->cycles;
	}
	return first;
}

const struct pt_run *pt_windows_held(struct pt_windows *w, bool whole, size_t *n, size_t *first)
{
	const struct pt_run *runs = w->held != NULL ? w->held + w->n_stale : NULL;	/* no run has been held yet */
	size_t last = w->n_held, left = w->n_held - w->n_stale;

	while (last > w->n_stale && is_nothing(&w->held[last - 1]))
		last--;
	w->first = last == w->n_stale;
	w->asleep = !w->first && is_before_wait(w, w->held[last - 1].next);
	*n = *first = left;
	if (!w->first && !w->asleep)
		*first = go_back(w, left < PT_WINDOWS_HELD ? left : PT_WINDOWS_HELD) - w->n_stale;
	if (!pt_windows_end(w, whole || w->reached))
		*first = *n;
	w->n_held = w->n_stale = 0;
	return runs;
}

/* --- the end */

bool pt_windows_end(struct pt_windows *w, bool whole)
{
	bool ends = false;

	if (w->open && !w->first) {
		w->sums.all++;
		w->sums.cut_short += !whole;
		w->sums.asleep += w->asleep;
		if (w->asleep)
			pt_cluster_add_total(&w->sums.armed, w->weight);
		ends = !w->asleep && whole && !w->closed && w->ticks > 0;
		if (ends)
			close_window(w, w->at, false);
		if (whole && !w->asleep && w->at > 0)
			note_length(w);
	}
	forget_window(w);
	w->open = false;
	return ends;
}

const struct pt_time_window *pt_windows_last(const struct pt_windows *w)
{
	return &w->last;
}

/* --- results */

struct pt_windows_summary pt_windows_summary(const struct pt_windows *w)
{
	struct pt_windows_summary s = w->sums;

	s.cycles = w->sums.awake.n > 0 ? w->limit : 0;
	s.estimated = s.awake.n >= PT_WINDOWS_FEW;
	return s;
}

struct pt_share pt_windows_share(const struct pt_windows *w, uint16_t function)
{
	if (w->sums.awake.n < PT_WINDOWS_FEW)
		return (struct pt_share){ .share = NAN, .lo = 0, .hi = 1 };
	return pt_cluster_share(&w->sums.awake, &w->function[function].all.own);
}

const struct pt_window_function *pt_windows_function(const struct pt_windows *w, uint16_t function)
{
	return &w->function[function].all;
}

double pt_windows_second(const struct pt_windows *w, uint16_t function)
{
	return w->sums.awake.y > 0 ? w->function[function].second / w->sums.awake.y : 0;
}

struct pt_share pt_windows_asleep(const struct pt_windows *w)
{
	const struct pt_cluster_total *armed = &w->sums.armed, *awake = &w->sums.awake;
	double y = armed->y - awake->y, yy = armed->yy - awake->yy;

	if (armed->n < PT_WINDOWS_FEW)
		return (struct pt_share){ .share = NAN, .lo = 0, .hi = 1 };
	return pt_cluster_share(armed, &(struct pt_cluster_sum){ y, yy, yy });
}

/* --- life */

struct pt_windows *pt_windows_new(size_t n_functions, const struct pt_codemap *map,
				  const struct pt_flow_settings *settings)
{
	struct pt_windows *w = pt_alloc(sizeof(*w));

	w->map = map;
	w->settings = *settings;
	w->n_functions = n_functions;
	w->function = pt_alloc_array(n_functions, sizeof(*w->function));
	w->touched = pt_alloc_array(n_functions, sizeof(*w->touched));
	w->limit = PT_WINDOWS_MOST;
	w->shortest = PT_UNKNOWN;
	return w;
}

void pt_windows_core_hz(struct pt_windows *w, uint64_t core_hz)
{
	w->core_hz = (double)core_hz;
}

void pt_windows_free(struct pt_windows *w)
{
	if (w == NULL)
		return;
	free(w->function);
	free(w->touched);
	free(w->held);
	free(w);
}
