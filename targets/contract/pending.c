/* Notes: a list of rows, and what becomes of it. See pending.h; pending_text.c is the text of it. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/contract/pending_parts.h"

struct pt_pending *pt_pending_new(void (*keep)(void *arg, const char *text, size_t len_bytes), void *arg)
{
	struct pt_pending *p = pt_alloc(sizeof(*p));

	p->keep = keep;
	p->arg = arg;
	return p;
}

void pt_pending_drop_row(struct pt_pending *p, size_t i)
{
	free(p->row[i].bytes);
	memmove(&p->row[i], &p->row[i + 1], (--p->n - i) * sizeof(p->row[0]));
}

void pt_pending_free(struct pt_pending *p)
{
	if (p == NULL)
		return;
	while (p->n > 0)
		pt_pending_drop_row(p, p->n - 1);
	free(p->row);
	free(p);
}

size_t pt_pending_rows(const struct pt_pending *pending)
{
	return pending->n;
}

const char *pt_pending_of_target(const struct pt_pending *pending)
{
	return pending->target;
}

const char *pt_pending_of_chip(const struct pt_pending *pending)
{
	return pending->chip;
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

void pt_pending_keep(struct pt_pending *p)
{
	struct pt_text text = { 0 };

	if (p->keep == NULL)
		return;
	if (p->n > 0)
		pt_pending_text(p, &text);
	p->keep(p->arg, p->n > 0 ? text.bytes : NULL, text.len_bytes);
	pt_text_free(&text);
}

static size_t unit_at(const struct pt_pending *p, const char *unit, size_t *n)
{
	size_t first = 0;

	while (first < p->n && strcmp(p->row[first].unit, unit) != 0)
		first++;
	for (*n = 0; first + *n < p->n && strcmp(p->row[first + *n].unit, unit) == 0;)
		++*n;
	return first;
}

static bool same_row(const struct pt_pending_row *a, const struct pt_pending_row *b)
{
	return strcmp(a->unit, b->unit) == 0 && a->kind == b->kind && a->when == b->when && a->core == b->core &&
	       a->width_bytes == b->width_bytes && a->at == b->at && a->was == b->was && a->ours == b->ours &&
	       a->check == b->check && a->mask == b->mask && a->len_bytes == b->len_bytes &&
	       (a->bytes == NULL) == (b->bytes == NULL) &&
	       (a->bytes == NULL || memcmp(a->bytes, b->bytes, a->len_bytes) == 0);
}

static bool same_rows(const struct pt_pending_row *a, const struct pt_pending_row *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!same_row(&a[i], &b[i]))
			return false;
	return true;
}

static bool drop_unit(struct pt_pending *p, const char *unit)
{
	size_t n, first = unit_at(p, unit, &n);

	for (size_t i = 0; i < n; i++)
		pt_pending_drop_row(p, first);
	return n > 0;
}

void pt_pending_add(struct pt_pending *p, const struct pt_pending_row *row)
{
	struct pt_pending_row *to;

	p->row = pt_realloc_array(p->row, p->n + 1, sizeof(*p->row));
	to = &p->row[p->n++];
	*to = *row;
	if (row->bytes != NULL)
		to->bytes = memcpy(pt_alloc(row->len_bytes), row->bytes, row->len_bytes);
}

/* What may stand there until the row is written; not what a reset may leave as well. */
static uint32_t earlier_of(const struct pt_pending_row *old, size_t n, const struct pt_pending_row *row)
{
	for (size_t i = 0; i < n; i++)
		if (old[i].at == row->at && old[i].kind == row->kind && old[i].core == row->core &&
		    ((old[i].ours ^ row->was) & old[i].check & row->check) != 0)
			return old[i].ours;
	return row->ours;
}

/* The unit as it is noted from here on. */
static void add_unit(struct pt_pending *p, const struct pt_pending_row *rows, size_t n)
{
	size_t n_old, first = unit_at(p, rows[0].unit, &n_old);

	for (size_t i = 0; i < n; i++) {
		struct pt_pending_row row = rows[i];

		row.earlier = earlier_of(&p->row[first], n_old, &row);
		pt_pending_add(p, &row);
	}
	for (; n_old > 0; n_old--)
		pt_pending_drop_row(p, first);
}

void pt_pending_listen(struct pt_pending *p, void (*told)(void *arg, const char *text), void *arg)
{
	p->told = told;
	p->told_arg = arg;
}

static void tell_unit(const struct pt_pending *p, const char *verb, const char *unit)
{
	char text[PT_PENDING_UNIT + 16];

	snprintf(text, sizeof(text), "%s %s", verb, unit);
	if (p->told != NULL)
		p->told(p->told_arg, text);
}

void pt_pending_tell(struct pt_target *target, const char *text)
{
	const struct pt_pending *p = target != NULL ? target->pending : NULL;

	if (p != NULL && p->told != NULL)
		p->told(p->told_arg, text);
}

void pt_pending_note(struct pt_target *target, const struct pt_pending_row *rows, size_t n)
{
	struct pt_pending *p = target != NULL ? target->pending : NULL;
	size_t had, first;

	if (p == NULL || n == 0)
		return;
	first = unit_at(p, rows[0].unit, &had);
	if (had == n && same_rows(&p->row[first], rows, n))
		return;
	if (p->n - had + n > PT_PENDING_ROWS) {
		drop_unit(p, rows[0].unit);
		return;
	}
	add_unit(p, rows, n);
	if (had == 0)
		tell_unit(p, "change", rows[0].unit);
	snprintf(p->target, sizeof(p->target), "%s", target->ops->name);
	snprintf(p->chip, sizeof(p->chip), "%s", target->ops->chip(target->state));
	pt_pending_keep(p);
}

void pt_pending_settle(struct pt_target *target, const char *unit)
{
	struct pt_pending *p = target != NULL ? target->pending : NULL;

	if (p == NULL || !drop_unit(p, unit))
		return;
	pt_pending_keep(p);
	tell_unit(p, "put back", unit);
}

/* --- put back ----------------------------------------------------------------------------------------------------- */

static uint32_t value_of(const uint8_t *bytes, unsigned width)
{
	uint32_t v = 0;

	for (unsigned i = width; i-- > 0;)
		v = v << 8 | bytes[i];
	return v;
}

static int read_mem(struct pt_target *t, const struct pt_pending_row *row, uint32_t *value, struct pt_err *err)
{
	uint8_t bytes[4] = { 0 };
	struct pt_mem_op op = { .what = PT_MEM_READ, .width_bytes = row->width_bytes, .code = true, .addr = row->at,
				.bytes = bytes, .len_bytes = row->width_bytes };
	int rc = pt_mem_run(t->ops->mem(t->state, row->core), &op, 1, 1000, NULL, err);

	*value = value_of(bytes, row->width_bytes);
	return rc;
}

static int write_mem(struct pt_target *t, const struct pt_pending_row *row, uint32_t value, struct pt_err *err)
{
	uint8_t bytes[4];
	struct pt_mem_op op = { .what = PT_MEM_WRITE, .width_bytes = row->width_bytes, .code = true, .addr = row->at,
				.bytes = bytes, .len_bytes = row->width_bytes };

	for (unsigned i = 0; i < row->width_bytes; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	return pt_mem_run(t->ops->mem(t->state, row->core), &op, 1, 1000, NULL, err);
}

/* The registers of a unit as they are now; RAM is not looked at, and what cannot be read is 0. */
static int read_unit(struct pt_target *t, const struct pt_pending_row *row, size_t n, uint32_t *now, struct pt_err *err)
{
	if (row[0].kind == PT_PENDING_REG)
		return t->ops->pending_read(t->state, row, n, now, err);
	if (row[0].kind == PT_PENDING_STOP)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (row[i].bytes == NULL && read_mem(t, &row[i], &now[i], err) < 0)
			return err->code;
	return 0;
}

static int write_unit(struct pt_target *t, const struct pt_pending_row *row, size_t n, const uint32_t *now,
		      struct pt_err *err)
{
	uint32_t *value = pt_alloc_array(n, sizeof(*value));
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		value[i] = (now[i] & ~row[i].mask) | (row[i].was & row[i].mask);
	if (row[0].kind != PT_PENDING_MEM)
		rc = t->ops->pending_write(t->state, row, n, value, err);
	for (size_t i = 0; row[0].kind == PT_PENDING_MEM && rc == 0 && i < n; i++)
		rc = row[i].bytes == NULL ? write_mem(t, &row[i], value[i], err)
					  : pt_mem_write(t->ops->mem(t->state, row[i].core), row[i].at, row[i].bytes,
							 row[i].len_bytes, err);
	free(value);
	return rc;
}

struct judged { bool ours, before; size_t odd; };	/* odd: the first row that is not as it was written */

static bool holds(const struct pt_pending_row *row, uint32_t now, uint32_t value)
{
	return ((now ^ value) & row->check) == 0;
}

static struct judged judge(const struct pt_pending_row *row, size_t n, const uint32_t *now)
{
	struct judged j = { true, true, 0 };

	for (size_t i = 0; i < n; i++) {
		if (row[i].bytes != NULL)
			continue;
		if (j.ours && !holds(&row[i], now[i], row[i].ours) && !holds(&row[i], now[i], row[i].earlier))
			j = (struct judged){ false, j.before, i };
		j.before &= holds(&row[i], now[i], row[i].was);
	}
	return j;
}

/* A unit may take writes only when it has come to rest: it is looked at again, and written again while it is as we had
 * left it. */
static int write_until(struct pt_target *t, const struct pt_pending_row *row, size_t n, uint32_t *now, struct judged *j,
		       struct pt_err *err)
{
	enum { TRIES = 5, REST_NS = 20000000 };
	struct pt_mem *mem = t->ops->mem(t->state, row[0].core);

	for (int i = 0; i < TRIES; i++) {
		if (write_unit(t, row, n, now, err) < 0 || read_unit(t, row, n, now, err) < 0)
			return err->code;
		*j = judge(row, n, now);
		if (j->before || !j->ours)
			return 0;
		if (row[0].kind == PT_PENDING_MEM && pt_mem_wait(mem, pt_mem_now_ns(mem) + REST_NS, err) == PT_EIO)
			return err->code;
	}
	return pt_fail(err, PT_ETIMEOUT, "it does not take what is written");
}

struct teller { void (*say)(void *arg, bool done, const char *sentence); void *arg; };

static void tell(const struct teller *to, bool done, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void tell(const struct teller *to, bool done, const char *fmt, ...)
{
	char line[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	to->say(to->arg, done, line);
}

/* Rows that may be put back as the core is now, in front; how many. */
static size_t choose_rows(struct pt_target *t, const struct pt_pending_row *row, size_t n, struct pt_pending_row *out,
			  bool *halted, struct pt_err *err)
{
	struct pt_core_status status = { 0 };
	size_t n_out = 0;

	if (t->ops->status(t->state, row[0].core, &status, err) < 0)
		return 0;
	*halted = status.state == PT_HALTED;
	for (size_t i = 0; i < n; i++)
		if (row[i].when == PT_PENDING_ANY || (row[i].when == PT_PENDING_HALTED) == *halted)
			out[n_out++] = row[i];
	return n_out;
}

static int mend_own(struct pt_target *t, const struct pt_pending_row *row, const struct teller *to, struct pt_err *err)
{
	bool as_before = false;
	int rc = t->ops->pending_mend(t->state, row, &as_before, err);

	if (rc < 0)
		tell(to, false, "%s is not put back: %s", row->unit, err->msg);
	else if (as_before)
		tell(to, true, "%s is as it was before", row->unit);
	else
		tell(to, false,
		     "%s is left alone: it is not as it was left (it was put back already; or a reset, another board, or "
		     "another program)",
		     row->unit);
	return rc;
}

static int put_back_rows(struct pt_target *t, const struct pt_pending_row *row, size_t n, const struct teller *to,
			 struct pt_err *err)
{
	uint32_t *now = pt_alloc_array(n, sizeof(*now));
	struct judged j = { false, false, 0 };
	int rc = read_unit(t, row, n, now, err);

	if (rc == 0) {
		j = judge(row, n, now);
		if (j.ours)
			rc = write_until(t, row, n, now, &j, err);
	}
	if (rc < 0)
		tell(to, false, "%s is not put back: %s", row[0].unit, err->msg);
	else if (row[0].kind == PT_PENDING_STOP)
		tell(to, false, "%s is stopped; what its registers held before cannot be read, and is not put back",
		     row[0].unit);
	else if (j.before)
		tell(to, true, "%s is as it was before", row[0].unit);
	else
		tell(to, false,
		     "%s is left alone: 0x%llx holds 0x%x, not 0x%x as was written (a reset, another board, or another program)",
		     row[0].unit, (unsigned long long)row[j.odd].at, (unsigned)(now[j.odd] & row[j.odd].check),
		     (unsigned)(row[j.odd].ours & row[j.odd].check));
	free(now);
	return rc;
}

static int put_back_unit(struct pt_target *t, const struct pt_pending_row *row, size_t n, const struct teller *to,
			 struct pt_err *err)
{
	struct pt_pending_row *some;
	bool halted = false;
	int rc = 0;
	size_t n_some;

	if (row[0].kind == PT_PENDING_OWN ? t->ops->pending_mend == NULL
					  : row[0].kind != PT_PENDING_MEM && t->ops->pending_write == NULL) {
		tell(to, false, "%s is left alone: the target has no such registers", row[0].unit);
		return 0;
	}
	some = pt_alloc_array(n, sizeof(*some));
	memset(err, 0, sizeof(*err));
	n_some = choose_rows(t, row, n, some, &halted, err);
	if (n_some > 0 && some[0].kind == PT_PENDING_OWN)
		rc = mend_own(t, some, to, err);
	else if (n_some > 0)
		rc = put_back_rows(t, some, n_some, to, err);
	else if (err->code != 0)
		tell(to, false, "%s is not put back: %s", row[0].unit, err->msg);
	else
		tell(to, false, "%s is left alone, because the core %s", row[0].unit, halted ? "is halted" : "runs");
	free(some);
	return n_some > 0 ? rc : err->code;
}

int pt_pending_put_back(struct pt_pending *p, struct pt_target *target,
			void (*say)(void *arg, bool done, const char *sentence), void *arg, struct pt_err *err)
{
	const struct teller to = { say, arg };
	struct pt_err first = { 0 };
	size_t end = p->n;

	while (end > 0) {
		size_t n = 1;

		while (n < end && strcmp(p->row[end - n - 1].unit, p->row[end - 1].unit) == 0)
			n++;
		end -= n;
		if (put_back_unit(target, &p->row[end], n, &to, err) < 0) {	/* stays noted */
			first = first.code == 0 ? *err : first;
			continue;
		}
		for (size_t i = 0; i < n; i++)
			pt_pending_drop_row(p, end);
	}
	*err = first;
	pt_pending_keep(p);
	return first.code;
}
