/* Pending restores, for when the server was gone or the core stopped in user mode. They outlive the target, which ends
 * with its connection: they are kept here until the same server is back or the next use begins, for all boards of this
 * process. A restore is done only if the registers still hold what we wrote; after a reset, or with another program, it
 * is dropped. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "targets/e500/perfmon/perfmon.h"
#include "base/util.h"

enum { MOST_DEBTS = 4 * PT_REMOTE_MAX_CORES };	/* each for one core */

struct debt {
	char where[64];			/* "": unused */
	unsigned core;
	struct pt_e500_op saved[PT_E500_PMRS_MAX], left[PT_E500_PMRS_MAX];
	size_t n_saved, n_left;		/* 0: no PMRs to restore */
	bool astray;
	struct pt_e500_away away;	/* registers and RAM of an interrupted pass */
};

static struct debt debts[MOST_DEBTS];
static size_t next_place;		/* when full, the next entry to overwrite */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct debt *find(const char *where, unsigned core)
{
	for (size_t i = 0; i < MOST_DEBTS; i++)
		if (strcmp(debts[i].where, where) == 0 && debts[i].core == core)
			return &debts[i];
	return NULL;
}

/* The caller holds the lock. */
static struct debt *place_for(const char *where, unsigned core)
{
	struct debt *d = find(where, core);

	for (size_t i = 0; d == NULL && i < MOST_DEBTS; i++)
		d = debts[i].where[0] == '\0' ? &debts[i] : NULL;
	if (d != NULL && d->where[0] != '\0')
		return d;
	if (d == NULL)
		d = &debts[next_place++ % MOST_DEBTS];
	*d = (struct debt){ .core = core };
	snprintf(d->where, sizeof(d->where), "%s", where);
	return d;
}

/* Lists the control registers' earlier values, so that the user can restore them by hand. */
static void say_before(const struct debt *d, char *text, size_t room)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < d->n_saved && n < room; i++) {
		const struct pt_e500_op *op = &d->saved[i];
		unsigned a = op->pmr - PT_E500_PMLCA0, b = op->pmr - PT_E500_PMLCB0;

		if (op->value == 0 || (a >= PT_E500_PMCS_MAX && b >= PT_E500_PMCS_MAX))
			continue;
		n += (size_t)snprintf(text + n, room - n, "%spmlc%c%u=0x%" PRIx32, n > 0 ? ", " : "",
				      a < PT_E500_PMCS_MAX ? 'a' : 'b', a < PT_E500_PMCS_MAX ? a : b, op->value);
	}
	if (n == 0)
		snprintf(text, room, "nothing was counted");
}

void pt_e500_owe(const struct pt_e500_target *e500, unsigned core, size_t n_saved)
{
	const struct pt_e500_hold *hold = &e500->pm.hold[core];
	char before[240];
	struct debt *d;

	if (hold->n_left == 0)
		return;		/* nothing was changed */
	pthread_mutex_lock(&lock);
	d = place_for(e500->remote.facts.where, core);
	memcpy(d->saved, hold->saved, sizeof(d->saved));
	memcpy(d->left, hold->left, sizeof(d->left));
	d->n_saved = n_saved;
	d->n_left = hold->n_left;
	say_before(d, before, sizeof(before));
	pthread_mutex_unlock(&lock);
	pt_warn("e500: %s: core %u: the performance monitor is left as the profile had it (before: %s); it is put back "
		"when it can be reached again, by this daemon or by hand",
		e500->remote.facts.where, core, before);
}

void pt_e500_owe_core(const struct pt_e500_target *e500)
{
	unsigned core;
	const struct pt_e500_away *away = pt_e500_left_behind(e500, &core);
	struct debt *d;

	if (away == NULL)
		return;
	pthread_mutex_lock(&lock);
	d = place_for(e500->remote.facts.where, core);
	d->away = *away;
	d->astray = true;
	pthread_mutex_unlock(&lock);
	pt_warn("e500: %s: core %u: a sample was cut short: what is not put back is the pc (0x%" PRIx64 ") and %" PRIu32
		" bytes at 0x%" PRIx64 ", until the server is there again",
		e500->remote.facts.where, core, away->was.pc, away->len_bytes, away->addr);
}

static bool is_owed(const char *where, unsigned core, struct debt *out)
{
	struct debt *d;

	pthread_mutex_lock(&lock);
	d = find(where, core);
	if (d != NULL)
		*out = *d;
	pthread_mutex_unlock(&lock);
	return d != NULL;
}

/* Stores what is still pending, or frees the entry. */
static void settled(const struct debt *now)
{
	struct debt *d;

	pthread_mutex_lock(&lock);
	d = find(now->where, now->core);
	if (d != NULL) {
		*d = *now;
		d->where[0] = now->n_saved > 0 ? now->where[0] : '\0';
	}
	pthread_mutex_unlock(&lock);
}

/* *same: the control registers still hold what we wrote. */
static int is_as_left(struct pt_e500_target *e500, const struct debt *d, bool *same, struct pt_err *err)
{
	struct pt_e500_op now[PT_E500_PMRS_MAX];
	struct pt_e500_pass pass;

	for (size_t i = 0; i < d->n_left; i++)
		now[i] = (struct pt_e500_op){ .pmr = d->left[i].pmr };
	if (pt_e500_pass(e500, d->core, now, d->n_left, &pass, err) < 0)
		return err->code;
	*same = true;
	for (size_t i = 0; i < d->n_left; i++)
		*same &= now[i].value == d->left[i].value;
	return 0;
}

static void settle_pmrs(struct pt_e500_target *e500, struct debt *d)
{
	struct pt_err err = { 0 };
	struct pt_e500_pass pass;
	bool same = false;
	int rc = is_as_left(e500, d, &same, &err);

	for (size_t i = 0; i < d->n_saved; i++)
		d->saved[i].write = true;
	if (rc == 0 && same)
		rc = pt_e500_pass(e500, d->core, d->saved, d->n_saved, &pass, &err);
	if (rc < 0)
		pt_warn("e500: %s: the performance monitor is not put back yet: %s", d->where, err.msg);
	else
		pt_info("e500: %s: the performance monitor's registers %s", d->where,
			same ? "were as a profile had left them, and are as before now"
			     : "are not a profile's any more");
	if (rc == 0)
		d->n_saved = 0;
}

/* Done before PMRs, whose restore may need the core at its original place. */
static void settle_core(struct pt_e500_target *e500, struct debt *d)
{
	struct pt_err err = { 0 };
	bool as_before;

	if (pt_e500_bring_back(e500, d->core, &d->away, &as_before, &err) < 0)
		pt_warn("e500: %s is back, but what was cut short there (pc 0x%" PRIx64 ", %" PRIu32
			" bytes at 0x%" PRIx64 ") is not put back: %s",
			d->where, d->away.was.pc, d->away.len_bytes, d->away.addr, err.msg);
	else
		pt_info("e500: %s is back; registers and RAM of a sample that was cut short are put back", d->where);
	d->astray = false;	/* reported; later it is unknown what has run there */
}

/* Core registers first, for all cores: restoring PMRs may need the core that an interrupted pass left in the
 * routine. */
void pt_e500_settle(struct pt_e500_target *e500)
{
	struct debt d;

	for (int pmrs = 0; pmrs < 2; pmrs++)
		for (unsigned core = 0; core < PT_REMOTE_MAX_CORES; core++) {
			if (!is_owed(e500->remote.facts.where, core, &d))
				continue;
			if (pmrs == 0 && d.astray)
				settle_core(e500, &d);
			if (pmrs == 1 && d.n_saved > 0)
				settle_pmrs(e500, &d);
			settled(&d);
		}
}
