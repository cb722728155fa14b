/* Chunks arrive in order, the bound holds, and what does not fit is a LOSS chunk, never silence. */
#include <uv.h>

#include "harness.h"
#include "session/acquire/queue.h"
#include "trace/loss.h"

static void lose(struct pt_sink *sink, uint64_t from_ns, uint64_t to_ns, uint16_t cause)
{
	struct pt_chunk loss = {
		.kind = PT_CHUNK_LOSS, .from_ns = from_ns, .to_ns = to_ns, .cause = cause, .lost_bytes = 8
	};

	sink->lose(sink, &loss);
}

START_TEST(keeps_order_and_bound)
{
	struct pt_queue *q = pt_queue_new(4, false);
	struct pt_sink *sink = pt_queue_sink(q);
	struct pt_chunk *again;

	for (uint16_t i = 0; i < 3; i++) {
		struct pt_chunk *chunk = sink->take(sink);

		ck_assert_ptr_nonnull(chunk);
		chunk->core = i;
		sink->put(sink, chunk);
	}
	ck_assert_ptr_null(sink->take(sink));	/* the fourth is kept back for LOSS */
	for (uint16_t i = 0; i < 3; i++) {
		struct pt_chunk *chunk = pt_queue_get(q, 0);

		ck_assert_uint_eq(chunk->core, i);
		pt_queue_release(q, chunk);
	}
	ck_assert_ptr_null(pt_queue_get(q, 0));
	again = sink->take(sink);
	ck_assert_ptr_nonnull(again);
	pt_queue_release(q, again);
	pt_queue_free(q);
}
END_TEST

START_TEST(loss_always_fits)
{
	struct pt_queue *q = pt_queue_new(2, false);
	struct pt_sink *sink = pt_queue_sink(q);
	struct pt_chunk *chunk = sink->take(sink);

	sink->put(sink, chunk);
	lose(sink, 0, 10, PT_LOSS_HOST);
	lose(sink, 10, 30, PT_LOSS_HOST);
	lose(sink, 30, 40, PT_LOSS_REARM);	/* nothing left in the pool: joined to the fault before it */
	pt_queue_release(q, pt_queue_get(q, 0));
	chunk = pt_queue_get(q, 0);
	ck_assert_uint_eq(chunk->kind, PT_CHUNK_LOSS);
	ck_assert_uint_eq(chunk->cause, PT_LOSS_HOST);
	ck_assert_uint_eq(chunk->from_ns, 0);
	ck_assert_uint_eq(chunk->to_ns, 40);
	ck_assert_uint_eq(chunk->lost_bytes, 24);
	pt_queue_release(q, chunk);
	ck_assert_ptr_null(pt_queue_get(q, 0));
	pt_queue_free(q);
}
END_TEST

enum { MANY = 20000 };

static void consume(void *arg)
{
	struct pt_queue *q = arg;

	for (uint64_t next = 0; next < MANY;) {
		struct pt_chunk *chunk = pt_queue_get(q, 1000);

		if (chunk == NULL)
			continue;
		ck_assert_uint_eq(chunk->from_ns, next);
		next++;
		pt_queue_release(q, chunk);
	}
}

START_TEST(waits_across_threads)
{
	struct pt_queue *q = pt_queue_new(8, true);
	struct pt_sink *sink = pt_queue_sink(q);
	uv_thread_t consumer;

	uv_thread_create(&consumer, consume, q);
	for (uint64_t i = 0; i < MANY; i++) {
		struct pt_chunk *chunk = sink->take(sink);

		chunk->from_ns = i;
		sink->put(sink, chunk);
		if (i % 1000 == 0)
			pt_queue_wake(q);	/* nothing is lost by it */
	}
	uv_thread_join(&consumer);
	pt_queue_free(q);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("queue");
	TCase *tc = tcase_create("queue");

	tcase_add_test(tc, keeps_order_and_bound);
	tcase_add_test(tc, loss_always_fits);
	tcase_add_test(tc, waits_across_threads);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
