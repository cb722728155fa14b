/* Variables that are looked at now and then, from chunks to the table, computed by hand. */
#include <math.h>
#include <stdio.h>

#include "chunk_feed.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/watched.h"
#include "report/views/views.h"

#define LOOKS "format=watch\nsource=watch\nmode=sample\ntick_hz=1000000000\ntick_ppm=0\nrounds=4\nperiod_us=2000\n"

static struct pt_program *program;
static struct chunk_feed f;
static struct chunk_bytes batch;

static void feed_of(const char *word)
{
	const char *srcdir = getenv("srcdir");
	struct pt_err err = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/vars.elf", srcdir != NULL ? srcdir : ".");
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	f = chunk_feed_of(program, &word, 1);
	chunk_config(&f, 0, LOOKS);
	batch.len = 0;
}

static void drop(void)
{
	chunk_feed_drop(&f);
	pt_program_unref(program);
}

/* At the variable that the words name first, or behind. */
static void look(unsigned which, uint64_t ns, uint64_t value, bool torn)
{
	const struct pt_signal_definition *d = &pt_pipeline_follows(f.pipeline)->definition[which];
	uint8_t *at = batch.bytes + batch.len;

	pt_put_le64(at + PT_LOOKS_TICKS, ns);
	at[PT_LOOKS_SIZE] = (uint8_t)(d->size_bytes | (torn ? PT_LOOKS_TORN : 0));
	pt_put_le64(at + PT_LOOKS_AT, d->at);
	pt_put_le64(at + PT_LOOKS_VALUE, value);
	batch.len += PT_LOOKS_BYTES;
}

/* What was looked at from from_ns on; before it, since the batch before, nobody did. */
static void end_batch(uint64_t since_ns, uint64_t from_ns, uint64_t to_ns, uint64_t error_ns)
{
	chunk_put(&f, 0, PT_CHUNK_LOSS, PT_LOSS_REARM, since_ns, from_ns, NULL, 0);
	chunk_clock(&f, 0, from_ns, from_ns, error_ns);
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, from_ns, to_ns, batch.bytes, batch.len);
	batch.len = 0;
}

static const struct pt_watched_variable *variable(size_t i)
{
	const struct pt_watched *w = pt_pipeline_profile(f.pipeline)->watched;

	ck_assert_uint_lt(i, w->n_variables);
	return &w->variable[i];
}

/* An enumeration, at 100 and 200 of one batch, at 1000 and 1100 of another. */
START_TEST(states_have_parts_of_the_looks)
{
	const struct pt_watched_variable *v;

	feed_of("variables=g_state");
	look(0, 100, 0, false);
	look(0, 200, 1, false);
	end_batch(0, 50, 250, 10);
	look(0, 1000, 1, false);
	look(0, 1100, 1, false);
	end_batch(250, 950, 1150, 10);
	chunk_end(&f, 0, 1150);
	v = variable(0);
	ck_assert_uint_eq(v->looks, 4);
	ck_assert_uint_eq(v->changes, 1);
	ck_assert_uint_eq(v->n_states, 2);
	ck_assert_uint_eq(v->state[0].value, 0);
	ck_assert_uint_eq(v->state[0].looks, 1);
	ck_assert_double_eq_tol(v->state[0].share.share, 0.25, 1e-12);
	ck_assert_double_eq_tol(v->state[1].share.share, 0.75, 1e-12);
	ck_assert_double_lt(v->state[0].share.lo, 0.25);
	ck_assert_double_gt(v->state[0].share.hi, 0.5);		/* two batches say little */
	ck_assert_uint_eq(v->mean_ns, (1100 - 100) / 3);
	ck_assert_uint_ge(v->longest_ns, 800 + 2 * 10);		/* from 200 to 1000, each +- 10, rounded up */
	ck_assert_uint_le(v->longest_ns, 800 + 2 * 11);
	ck_assert(!v->counts && isnan(v->least));		/* its values are names */
	drop();
}
END_TEST

START_TEST(quantities_are_as_the_looks_found_them)
{
	const struct pt_watched_variable *v;

	feed_of("variables=number,f");
	look(0, 100, 7, false);
	look(1, 110, 0x3fc00000, false);			/* 1.5 */
	look(0, 200, 0xfffffffd, false);			/* -3 */
	look(1, 210, 0x7fc00000, false);			/* not a number */
	end_batch(0, 50, 250, 0);
	chunk_end(&f, 0, 250);
	v = variable(0);
	ck_assert(v->counts);
	ck_assert_double_eq(v->least, -3);
	ck_assert_double_eq(v->most, 7);
	ck_assert_double_eq(v->sum, 4);
	ck_assert_double_eq(v->last, -3);
	ck_assert_uint_eq(v->numbers, 2);
	ck_assert_str_eq(v->state[0].name, "-3");
	v = variable(1);
	ck_assert_uint_eq(v->looks, 2);
	ck_assert_uint_eq(v->numbers, 1);
	ck_assert_double_eq(v->most, 1.5);
	drop();
}
END_TEST

START_TEST(a_torn_value_is_none)
{
	feed_of("variables=number");
	look(0, 100, 7, false);
	look(0, 200, 9, true);
	look(0, 300, 7, false);
	end_batch(0, 50, 350, 0);
	chunk_end(&f, 0, 350);
	ck_assert_uint_eq(variable(0)->looks, 2);
	ck_assert_uint_eq(variable(0)->torn, 1);
	ck_assert_uint_eq(variable(0)->changes, 0);
	ck_assert_double_eq(variable(0)->most, 7);
	drop();
}
END_TEST

/* One that takes more values than there is room for is a quantity, and no states. */
START_TEST(many_values_are_no_states)
{
	feed_of("variables=number");
	for (unsigned i = 0; i < PT_WATCHED_STATES; i++)
		look(0, 100 + i, i, false);
	end_batch(0, 50, 250, 0);
	ck_assert_uint_eq(variable(0)->n_states, PT_WATCHED_STATES);
	look(0, 1000, 1000, false);
	end_batch(250, 900, 1100, 0);
	chunk_end(&f, 0, 1100);
	ck_assert_uint_eq(variable(0)->n_states, 0);
	ck_assert_double_eq(variable(0)->most, 1000);
	drop();
}
END_TEST

/* What else is told of variables, of which every write is seen, stays as it is: a look is no write. */
START_TEST(looks_are_not_writes)
{
	const struct pt_profile *p;

	feed_of("variables=number");
	look(0, 100, 7, false);
	end_batch(0, 50, 150, 0);
	chunk_end(&f, 0, 150);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->data->n_quantities, 0);
	ck_assert_uint_eq(p->sources[0].values, 0);
	ck_assert_uint_eq(p->sources[0].looks, 1);
	ck_assert(p->times == PT_BASIS_NONE);
	drop();
}
END_TEST

/* The row of a variable, then those of its values. */
START_TEST(the_table_has_a_row_for_each)
{
	const struct pt_view *view = pt_view_find("watch");
	struct pt_value row[16];
	const struct pt_profile *p;

	feed_of("variables=g_state,number");
	look(0, 100, 1, false);
	look(1, 110, 5, false);
	end_batch(0, 50, 150, 0);
	chunk_end(&f, 0, 150);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(view->n_rows(p), 4);
	view->row(p, 0, row);
	ck_assert_str_eq(row[0].text, "g_state");
	ck_assert_ptr_null(row[1].text);
	ck_assert(row[4].at_least);				/* changes */
	view->row(p, 3, row);
	ck_assert_str_eq(row[0].text, "number");
	ck_assert_str_eq(row[1].text, "5");
	ck_assert_double_eq(row[3].f, 1);
	drop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watched");
	TCase *tc = tcase_create("looks");

	tcase_add_test(tc, states_have_parts_of_the_looks);
	tcase_add_test(tc, quantities_are_as_the_looks_found_them);
	tcase_add_test(tc, a_torn_value_is_none);
	tcase_add_test(tc, many_values_are_no_states);
	tcase_add_test(tc, looks_are_not_writes);
	tcase_add_test(tc, the_table_has_a_row_for_each);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
