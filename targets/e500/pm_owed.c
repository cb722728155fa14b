/* What could not be put back because the server was gone. The target goes with the connection, what it owes to the chip
 * does not: it is kept here until the same server is there again, for any board of this process. Paid only where the
 * registers still are as we had left them: after a reset, or with another program behind that address, nothing is owed. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "targets/e500/e500.h"
#include "util.h"

enum { MOST_DEBTS = 8 };

struct debt {
	char where[64];			/* "": a free place */
	unsigned core;
	struct pt_e500_op saved[PT_E500_PMRS_MAX], left[PT_E500_PMRS_MAX];
	size_t n_saved, n_left;
};

static struct debt debts[MOST_DEBTS];
static size_t next_place;		/* a ninth takes the place of the oldest */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct debt *find(const char *where)
{
	for (size_t i = 0; i < MOST_DEBTS; i++)
		if (strcmp(debts[i].where, where) == 0)
			return &debts[i];
	return NULL;
}

void pt_e500_owe(const struct pt_e500_target *e500, size_t n_saved)
{
	const struct pt_e500_pm *pm = &e500->pm;
	struct debt *d;

	if (pm->n_left == 0)
		return;		/* nothing was changed */
	pthread_mutex_lock(&lock);
	d = find(e500->remote.facts.where);
	d = d != NULL ? d : &debts[next_place++ % MOST_DEBTS];
	snprintf(d->where, sizeof(d->where), "%s", e500->remote.facts.where);
	memcpy(d->saved, pm->saved, sizeof(d->saved));
	memcpy(d->left, pm->left, sizeof(d->left));
	d->n_saved = n_saved;
	d->n_left = pm->n_left;
	d->core = pm->core;
	pthread_mutex_unlock(&lock);
}

static bool is_owed(const char *where, struct debt *out)
{
	struct debt *d;

	pthread_mutex_lock(&lock);
	d = find(where);
	if (d != NULL)
		*out = *d;
	pthread_mutex_unlock(&lock);
	return d != NULL;
}

static void is_paid(const char *where)
{
	struct debt *d;

	pthread_mutex_lock(&lock);
	d = find(where);
	if (d != NULL)
		d->where[0] = '\0';
	pthread_mutex_unlock(&lock);
}

/* What we had written for our purposes still stands there. */
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

void pt_e500_settle(struct pt_e500_target *e500)
{
	struct pt_err err = { 0 };
	struct pt_e500_pass pass;
	bool same = false;
	struct debt d;
	int rc;

	if (!is_owed(e500->remote.facts.where, &d))
		return;
	rc = is_as_left(e500, &d, &same, &err);
	for (size_t i = 0; i < d.n_saved; i++)
		d.saved[i].write = true;
	if (rc == 0 && same)
		rc = pt_e500_pass(e500, d.core, d.saved, d.n_saved, &pass, &err);
	if (rc == 0)
		is_paid(d.where);
	if (rc < 0)
		pt_warn("e500: %s is back, but the registers of its performance monitor are not: %s", d.where, err.msg);
	else
		pt_info("e500: %s is back; the registers of its performance monitor %s", d.where, same
			? "were as a profile had left them, and are as they were before it" : "are not those of our profile any more");
}
