/* The queue of a client of /api/events: whole events, in order, whatever is read at once; a slow reader is ended in words. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "web/event_queue.h"

static const size_t blocks[] = { 1, 7, 64, 100000 };

static size_t read_all(struct pt_event_queue *queue, size_t block, char *out, size_t room)
{
	size_t at = 0, n;

	while (at + block < room && (n = pt_event_queue_take(queue, out + at, block)) > 0)
		at += n;
	out[at] = '\0';
	return at;
}

START_TEST(whole_events_in_order)
{
	static struct pt_event_queue queue;
	static char got[200000];

	memset(&queue, 0, sizeof(queue));
	pt_event_queue_add(&queue, 1, "board", "{\"a\":1}");
	pt_event_queue_keep_alive(&queue);
	pt_event_queue_add(&queue, 0, "figures", "{}");
	read_all(&queue, blocks[_i], got, sizeof(got));
	ck_assert_str_eq(got, "id: 1\nevent: board\ndata: {\"a\":1}\n\n:\n\nevent: figures\ndata: {}\n\n");
	ck_assert(!queue.ended);
}
END_TEST

/* It read something, and then nothing more: what is there is whole, and the last is the reason. */
START_TEST(slow_reader_is_ended)
{
	static struct pt_event_queue queue;
	static char data[1000], got[200000], some[100];
	const char *last;
	unsigned n = 0;

	memset(&queue, 0, sizeof(queue));
	memset(data, 'x', sizeof(data) - 1);
	for (; !queue.ended; n++) {
		ck_assert_uint_lt(n, 100);
		pt_event_queue_add(&queue, n + 1, "board", data);
		if (n == 3)
			pt_event_queue_take(&queue, some, sizeof(some));
	}
	pt_event_queue_add(&queue, n, "board", "{}");
	pt_event_queue_keep_alive(&queue);
	pt_event_queue_end(&queue, "twice");
	ck_assert_uint_gt(n, 60);
	read_all(&queue, blocks[_i], got, sizeof(got));
	last = strstr(got, "event: end\n");
	ck_assert_ptr_nonnull(last);
	ck_assert_str_eq(
		last, "event: end\ndata: {\"error\": \"this client reads too slowly: events would be missing\"}\n\n");
	ck_assert_ptr_null(strstr(last + 1, "event:"));
	ck_assert_mem_eq(last - 3, "x\n\n", 3);
}
END_TEST

/* One that is too large for any queue. */
START_TEST(giant_event)
{
	static struct pt_event_queue queue;
	static char data[2 * PT_EVENT_QUEUE_BYTES], got[200000];

	memset(&queue, 0, sizeof(queue));
	memset(data, 'x', sizeof(data) - 1);
	pt_event_queue_add(&queue, 1, "board", data);
	read_all(&queue, 64, got, sizeof(got));
	ck_assert(queue.ended);
	ck_assert_mem_eq(got, "event: end\n", 11);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("events");
	TCase *tc = tcase_create("queue");

	tcase_add_loop_test(tc, whole_events_in_order, 0, PT_LEN(blocks));
	tcase_add_loop_test(tc, slow_reader_is_ended, 0, PT_LEN(blocks));
	tcase_add_test(tc, giant_event);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
