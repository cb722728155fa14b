/* What states of tasks say: activations, preemptions, responses. A change of state is counted if both sides of it are
 * known; of the first state that was seen, what was before it is not, nor of the first behind a gap.
 *
 * Between two looks anything may have happened. That a task was suspended and is not any more proves one activation; that
 * it ran and is ready proves nothing, as it may have waited meanwhile. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/signals/task_parts.h"

struct instant { uint64_t ns, own_ns, own_error_ns; };

struct pt_task_life {
	const char *task;
	struct pt_task_states states;
	bool says_running;		/* its states have RUNNING */
	bool by_looks;			/* nothing wrote it so far */
	enum pt_task_state told, is;	/* as it was written last; with RUNNING by the running task's signal */
	bool open, begun;		/* a response; its beginning was seen */
	struct instant since, last;	/* when that was; the last signal */
	uint64_t error_ns;		/* of last on the probe's clock */
	uint64_t seen_ns;		/* its source has come to */
	uint16_t source;
	enum pt_task_state looked;
	bool looked_begun;		/* by looks: it was away before it became active */
	uint64_t found;			/* activations by looks */
	struct pt_hist hist;		/* of responses */
};

static bool is_active(enum pt_task_state state)
{
	return state == PT_TASK_STATE_READY || state == PT_TASK_STATE_RUNNING;
}

static bool is_away(enum pt_task_state state)
{
	return state == PT_TASK_STATE_SUSPENDED || state == PT_TASK_STATE_WAITING || state == PT_TASK_STATE_AWAY;
}

static struct instant instant_of(const struct pt_signal *s)
{
	return (struct instant){ s->at.ns, s->own_ns, s->own_error_ns };
}

static bool says_running(const struct pt_signal_definition *d)
{
	for (size_t i = 0; i < d->n_values; i++)
		if (pt_task_state_of(d->values[i].name) == PT_TASK_STATE_RUNNING)
			return true;
	return false;
}

static struct pt_task_life *life_of(struct pt_tasks_analysis *t, const struct pt_signal *s)
{
	const struct pt_signal_set *set = t->told_rows.signals;
	const struct pt_signal_definition *d = s->id < set->n_definitions ? &set->definition[s->id] : NULL;
	struct pt_task_life *life;

	if (d == NULL || d->task == NULL || s->id >= PT_SIGNALS_MAX)
		return NULL;
	if (t->life[s->id] != NULL)
		return t->life[s->id];
	life = t->life[s->id] = pt_alloc(sizeof(*life));
	life->task = d->task;
	life->says_running = says_running(d);
	life->by_looks = true;
	life->states.response = pt_stat_empty();
	life->states.response.hist = &life->hist;
	life->source = s->source;
	return life;
}

/* --- responses */

/* The response ends then, or is seen up to then. silent_ns: on the probe's clock, behind the last signal. */
static void add_response(struct pt_task_states *states, const struct pt_task_life *life, const struct instant *until,
			 uint64_t silent_ns, bool ends)
{
	uint64_t ns = silent_ns + (until->own_ns > life->since.own_ns ? until->own_ns - life->since.own_ns : 0);
	uint64_t error_ns = life->since.own_error_ns + until->own_error_ns + (silent_ns > 0 ? life->error_ns : 0);

	if (until->ns == PT_UNKNOWN || life->since.ns == PT_UNKNOWN) {
		states->partial++;
		return;
	}
	if (ends && life->begun) {
		pt_stat_add(&states->response, ns, life->since.ns);
		states->error_ns = error_ns > states->error_ns ? error_ns : states->error_ns;
		return;
	}
	states->partial++;
	pt_stat_add_unended(&states->response, ns, error_ns);
}

static void count_begin(struct pt_task_life *life, enum pt_task_state before)
{
	struct pt_task_states *states = &life->states;

	states->activations += before == PT_TASK_STATE_SUSPENDED;
	states->releases += before == PT_TASK_STATE_WAITING;
	states->either += before == PT_TASK_STATE_AWAY;
	states->unsure += !is_away(before);
}

static void change(struct pt_task_life *life, enum pt_task_state now, const struct instant *at)
{
	enum pt_task_state before = life->is;

	life->is = now;
	if (is_active(now) && !is_active(before)) {
		count_begin(life, before);
		life->states.unsure_preemptions += life->says_running && now == PT_TASK_STATE_READY && !is_away(before);
		life->open = true;
		life->begun = is_away(before);
		life->since = *at;
	} else if (is_active(before) && !is_active(now)) {
		add_response(&life->states, life, at, 0, is_away(now));
		life->open = false;
	}
	life->states.preemptions += before == PT_TASK_STATE_RUNNING && now == PT_TASK_STATE_READY;
}

static void forget(struct pt_task_life *life, const struct instant *until)
{
	if (life->open)
		add_response(&life->states, life, until, 0, false);
	life->open = false;
	life->told = life->is = PT_TASK_STATE_OTHER;
}

/* --- the running task */

/* A file's object is called so if everything but letters and digits of the task's name is an underscore. */
static bool is_called(const char *task, const char *name)
{
	if (name == NULL)
		return false;
	task += task[0] == '_' && name[0] != '_' && !isalpha((unsigned char)name[0]);
	for (; *task != '\0' && *name != '\0'; task++, name++)
		if (*task != *name && (*task != '_' || isalnum((unsigned char)*name)))
			return false;
	return *task == *name;
}

static bool runs(const struct pt_tasks_analysis *t, const struct pt_task_life *life)
{
	for (size_t i = 0; i < PT_TASK_CORES; i++)
		if (is_called(life->task, t->runs[i]))
			return true;
	return false;
}

static enum pt_task_state state_now(const struct pt_tasks_analysis *t, const struct pt_task_life *life)
{
	return life->told == PT_TASK_STATE_READY && !life->says_running && runs(t, life) ? PT_TASK_STATE_RUNNING
											 : life->told;
}

/* The first word of it: who was ready may have run up to now. */
static void take_running(struct pt_tasks_analysis *t, const struct pt_signal *s)
{
	const struct pt_signal_set *set = t->told_rows.signals;
	const struct instant at = instant_of(s);
	size_t core = s->core < PT_TASK_CORES ? s->core : PT_TASK_CORES - 1;

	t->runs[core] = s->id < set->n_definitions ? pt_signal_value_name(&set->definition[s->id], s->value) : NULL;
	for (size_t i = 0; i < set->n_definitions && i < PT_SIGNALS_MAX; i++) {
		struct pt_task_life *life = t->life[i];

		if (life == NULL || life->says_running)
			continue;
		if (!life->states.runs && is_active(life->is) && !runs(t, life))
			life->states.unsure_preemptions++;
		life->states.runs = true;
		if (state_now(t, life) != life->is)
			change(life, state_now(t, life), &at);
	}
}

/* --- signals */

static bool tells_who_runs(const struct pt_tasks_analysis *t)
{
	for (size_t i = 0; i < PT_TASK_CORES; i++)
		if (t->told[i].any)
			return true;
	return false;
}

static void take_state(struct pt_tasks_analysis *t, struct pt_task_life *life, const struct pt_signal *s)
{
	const struct pt_signal_definition *d = &t->told_rows.signals->definition[s->id];
	const struct instant at = instant_of(s);
	enum pt_task_state state = pt_task_state_of(pt_signal_value_name(d, s->value));

	if (life->by_looks) {
		life->by_looks = false;
		life->source = s->source;
		life->states.missing |= pt_signal_gaps_of(&t->gaps, s->source) > 0;
		life->states.runs = life->says_running || tells_who_runs(t);
	}
	life->states.writes = true;
	if (s->at.ns != PT_UNKNOWN) {
		life->last = at;
		life->error_ns = s->at.error_ns;
		life->seen_ns = s->at.ns > life->seen_ns ? s->at.ns : life->seen_ns;
	}
	if (s->source != life->source || s->read || s->at.ns == PT_UNKNOWN) {	/* a write of it was not seen */
		life->states.missing = true;
		forget(life, &at);
		life->source = s->source;
	}
	if (state == PT_TASK_STATE_MOVES)
		return;
	life->told = state;
	if (state_now(t, life) != life->is)
		change(life, state_now(t, life), &at);
}

static void take_look(struct pt_tasks_analysis *t, struct pt_task_life *life, const struct pt_signal *s)
{
	enum pt_task_state state;

	if (s->torn)
		return;
	state = pt_task_state_of(pt_signal_value_name(&t->told_rows.signals->definition[s->id], s->value));
	if (state == PT_TASK_STATE_MOVES)
		return;
	life->found += life->looked == PT_TASK_STATE_SUSPENDED && (is_active(state) || state == PT_TASK_STATE_WAITING);
	if (is_away(state))
		life->states.found += life->looked_begun;
	life->looked_begun = is_active(state) && (life->looked_begun || is_away(life->looked));
	life->looked = state;
}

static void take_gap(struct pt_tasks_analysis *t, const struct pt_signal *s)
{
	const struct instant until = instant_of(s);
	bool of_running = false;

	for (size_t i = 0; i < PT_TASK_CORES; i++) {
		if (!t->told[i].any || t->told[i].source != s->source)
			continue;
		of_running = true;
		t->runs[i] = NULL;
	}
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		struct pt_task_life *life = t->life[i];

		if (life == NULL || (life->source != s->source && (!of_running || life->says_running)))
			continue;
		life->looked = PT_TASK_STATE_OTHER;
		life->looked_begun = false;
		life->states.missing |= life->states.writes;
		forget(life, life->source == s->source ? &until : &life->last);
	}
}

void pt_task_states_signal(struct pt_tasks_analysis *t, const struct pt_signal *s)
{
	struct pt_task_life *life;

	if (s->kind == PT_SIGNAL_GAP) {
		take_gap(t, s);
	} else if (s->kind == PT_SIGNAL_TASK) {
		take_running(t, s);
	} else if (s->kind == PT_SIGNAL_STATE || s->kind == PT_SIGNAL_LOOK) {
		life = life_of(t, s);
		if (life != NULL && s->kind == PT_SIGNAL_STATE)
			take_state(t, life, s);
		else if (life != NULL)
			take_look(t, life, s);
	}
}

void pt_task_states_seen(struct pt_tasks_analysis *t, uint16_t source, uint64_t upto_ns)
{
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++)
		if (t->life[i] != NULL && t->life[i]->source == source && upto_ns > t->life[i]->seen_ns)
			t->life[i]->seen_ns = upto_ns;
}

/* --- result */

static void show_states(struct pt_task_states *shown, const struct pt_task_life *life)
{
	*shown = life->states;
	if (!shown->writes)
		shown->activations = life->found;
	if (life->open)
		add_response(shown, life, &life->last,
			     life->seen_ns > life->last.ns ? life->seen_ns - life->last.ns : 0, false);
}

static struct pt_task *row_of(struct pt_task *rows, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (rows[i].kind == PT_TASK_TOLD && is_called(name, rows[i].name) && rows[i].states == NULL)
			return &rows[i];
	rows[*n] = (struct pt_task){
		.name = name, .kind = PT_TASK_BY_STATE, .activations = PT_UNKNOWN, .partial = PT_UNKNOWN,
		.slice = pt_stat_empty(), .period = pt_stat_empty(), .suspended = pt_stat_empty(),
		.lifetime = pt_stat_empty(), .first_ns = PT_UNKNOWN, .last_ns = PT_UNKNOWN,
	};
	return &rows[(*n)++];
}

size_t pt_task_states_give(struct pt_tasks_analysis *t, struct pt_task *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rows[i].states = NULL;
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		if (t->life[i] == NULL)
			continue;
		show_states(&t->states[i], t->life[i]);
		row_of(rows, &n, t->life[i]->task)->states = &t->states[i];
	}
	return n;
}

void pt_task_states_free(struct pt_tasks_analysis *t)
{
	for (size_t i = 0; i < PT_SIGNALS_MAX; i++) {
		if (t->life[i] != NULL)
			pt_hist_fini(&t->life[i]->hist);
		free(t->life[i]);
	}
}
