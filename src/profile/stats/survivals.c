#include "profile/stats/survivals.h"

#include <stdlib.h>

#include "base/alloc.h"

struct note {
	uint32_t which, ticks, at;	/* which: row and kind */
	uint32_t end;
};

struct pt_survivals {
	struct pt_survival *survival;	/* by row and kind */
	size_t n, n_kinds;
	struct note *note;
	size_t n_notes, room;
	uint32_t *touched;		/* of the window: those with a value */
	size_t n_touched, touched_room;
	bool *spoilt;			/* by row */
	bool open, full;
	bool left_out;			/* a window was */
};

struct pt_survivals *pt_survivals_new(size_t n_rows, size_t n_kinds)
{
	struct pt_survivals *s = pt_alloc(sizeof(*s));

	s->n = n_rows * n_kinds;
	s->n_kinds = n_kinds;
	s->survival = pt_alloc_array(s->n + 1, sizeof(*s->survival));
	s->spoilt = pt_alloc_array(n_rows + 1, sizeof(*s->spoilt));
	return s;
}

void pt_survivals_free(struct pt_survivals *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		pt_survival_fini(&s->survival[i]);
	free(s->survival);
	free(s->spoilt);
	free(s->note);
	free(s->touched);
	free(s);
}

void pt_survivals_begin(struct pt_survivals *s)
{
	s->n_notes = 0;
	s->open = true;
	s->full = false;
}

bool pt_survivals_open(const struct pt_survivals *s)
{
	return s->open;
}

static uint32_t bounded(uint64_t ticks)
{
	return ticks < INT32_MAX ? (uint32_t)ticks : INT32_MAX;
}

void pt_survivals_note(struct pt_survivals *s, size_t row, size_t kind, uint64_t ticks, uint64_t at,
		       enum pt_survival_end end)
{
	if (!s->open || s->full)
		return;
	s->full = s->n_notes == PT_SURVIVALS_NOTES;
	if (s->full)
		return;
	if (s->n_notes == s->room) {
		s->room = s->room * 2 + 256;
		s->note = pt_realloc_array(s->note, s->room, sizeof(*s->note));
	}
	s->note[s->n_notes++] = (struct note){
		.which = (uint32_t)(row * s->n_kinds + kind), .ticks = bounded(ticks), .at = bounded(at), .end = end,
	};
}

size_t pt_survivals_place(const struct pt_survivals *s)
{
	return s->n_notes;
}

void pt_survivals_did_not_end(struct pt_survivals *s, size_t place)
{
	for (; place < s->n_notes; place++)
		s->note[place].end = PT_SURVIVAL_RESTS;
}

void pt_survivals_spoil(struct pt_survivals *s, size_t row)
{
	s->spoilt[row] = true;
}

static void touch(struct pt_survivals *s, uint32_t which)
{
	if (s->survival[which].last != 0)
		return;
	if (s->n_touched == s->touched_room) {
		s->touched_room = s->touched_room * 2 + 64;
		s->touched = pt_realloc_array(s->touched, s->touched_room, sizeof(*s->touched));
	}
	s->touched[s->n_touched++] = which;
}

/* As it is at the cut. */
static void add(struct pt_survivals *s, const struct note *note, int64_t cut, double weight)
{
	bool ended = note->end == PT_SURVIVAL_ENDED && (int64_t)note->at <= cut;
	int64_t ticks = note->ticks;

	if (!ended && note->end != PT_SURVIVAL_RESTS)
		ticks += cut - (int64_t)note->at;
	if (ticks < 0)		/* it began behind the cut */
		return;
	touch(s, note->which);
	pt_survival_add(&s->survival[note->which], (uint64_t)ticks, weight, ended);
}

void pt_survivals_end(struct pt_survivals *s, uint64_t cut, double weight)
{
	for (size_t i = 0; s->open && !s->full && i < s->n_notes; i++)
		add(s, &s->note[i], (int64_t)bounded(cut), weight);
	for (size_t i = 0; i < s->n_touched; i++)
		pt_survival_cluster(&s->survival[s->touched[i]], weight);
	s->left_out |= s->full;
	s->n_touched = s->n_notes = 0;
	s->open = false;
}

struct pt_lengths pt_survivals_lengths(const struct pt_survivals *s, size_t row, size_t kind)
{
	const struct pt_survival *known = &s->survival[row * s->n_kinds + kind];
	const struct pt_survival bound = { .longest = known->longest };

	return pt_survival_lengths(s->left_out || s->spoilt[row] ? &bound : known);
}
