/* The queue is a ring of chunk pointers, the pool a stack of free chunks; one lock for both, held for a few
 * instructions. LOSS never fails: one chunk of the pool is reserved for it, and while the ring is that full, later
 * losses are added to the LOSS chunk at its end. */
#include "session/acquire/queue.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/alloc.h"
#include "trace/loss.h"
#include "base/util.h"

struct pt_queue {
	struct pt_sink sink;	/* first: a sink is its queue */
	uv_mutex_t lock;
	uv_cond_t not_empty, not_full;
	struct pt_chunk **ring, **spare;
	size_t n_chunks;	/* the bound: ring slots and chunks */
	size_t n_made, n_spare;
	size_t head, tail;	/* free-running */
	bool wait_when_full, woken;
};

static size_t queued(const struct pt_queue *q)
{
	return q->tail - q->head;
}

/* Call with the lock held. keep: chunks that must stay in the pool. */
static struct pt_chunk *chunk_from_pool(struct pt_queue *q, size_t keep)
{
	struct pt_chunk *chunk;

	if (q->n_spare + (q->n_chunks - q->n_made) <= keep)
		return NULL;
	if (q->n_spare > 0)
		chunk = q->spare[--q->n_spare];
	else if ((chunk = malloc(sizeof(*chunk) + PT_CHUNK_BYTES)) != NULL)
		q->n_made++;
	if (chunk != NULL)
		memset(chunk, 0, sizeof(*chunk));
	return chunk;
}

static struct pt_chunk *take(struct pt_sink *sink)
{
	struct pt_queue *q = (struct pt_queue *)sink;
	struct pt_chunk *chunk;

	uv_mutex_lock(&q->lock);
	chunk = chunk_from_pool(q, 1);
	while (chunk == NULL && q->wait_when_full) {
		uv_cond_wait(&q->not_full, &q->lock);
		chunk = chunk_from_pool(q, 1);
	}
	uv_mutex_unlock(&q->lock);
	return chunk;
}

static void append(struct pt_queue *q, struct pt_chunk *chunk)
{
	q->ring[q->tail++ % q->n_chunks] = chunk;	/* never full: there are no more chunks than slots */
	uv_cond_signal(&q->not_empty);
}

static void put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	struct pt_queue *q = (struct pt_queue *)sink;

	uv_mutex_lock(&q->lock);
	append(q, chunk);
	uv_mutex_unlock(&q->lock);
}

static void join(struct pt_chunk *last, const struct pt_chunk *loss)
{
	last->to_ns = loss->to_ns;
	if (last->lost_bytes == PT_UNKNOWN || loss->lost_bytes == PT_UNKNOWN)
		last->lost_bytes = PT_UNKNOWN;
	else
		last->lost_bytes += loss->lost_bytes;
}

/* The pool is empty, so the loss is added to the LOSS chunk at the end of the ring. */
static void lose_in_need(struct pt_queue *q, const struct pt_chunk *loss)
{
	struct pt_chunk *last = q->ring[(q->tail - 1) % q->n_chunks];

	if (last->kind == PT_CHUNK_LOSS) {
		if (last->cause != loss->cause)
			last->cause = PT_LOSS_HOST;
		join(last, loss);
	}
}

static void lose(struct pt_sink *sink, const struct pt_chunk *loss)
{
	struct pt_queue *q = (struct pt_queue *)sink;
	struct pt_chunk *chunk;

	uv_mutex_lock(&q->lock);
	while ((chunk = chunk_from_pool(q, 0)) == NULL && q->wait_when_full)
		uv_cond_wait(&q->not_full, &q->lock);
	if (chunk != NULL) {
		*chunk = *loss;
		append(q, chunk);
	} else {
		lose_in_need(q, loss);
	}
	uv_mutex_unlock(&q->lock);
}

struct pt_queue *pt_queue_new(size_t n_chunks, bool wait_when_full)
{
	struct pt_queue *q = pt_alloc(sizeof(*q));

	q->ring = pt_alloc_array(n_chunks, sizeof(*q->ring));
	q->spare = pt_alloc_array(n_chunks, sizeof(*q->spare));
	q->sink = (struct pt_sink){ .take = take, .put = put, .lose = lose };
	q->n_chunks = n_chunks;
	q->wait_when_full = wait_when_full;
	uv_mutex_init(&q->lock);
	uv_cond_init(&q->not_empty);
	uv_cond_init(&q->not_full);
	return q;
}

void pt_queue_free(struct pt_queue *q)
{
	if (q == NULL)
		return;
	while (queued(q) > 0)
		free(q->ring[q->head++ % q->n_chunks]);
	while (q->n_spare > 0)
		free(q->spare[--q->n_spare]);
	uv_cond_destroy(&q->not_full);
	uv_cond_destroy(&q->not_empty);
	uv_mutex_destroy(&q->lock);
	free(q->ring);
	free(q->spare);
	free(q);
}

struct pt_sink *pt_queue_sink(struct pt_queue *q)
{
	return &q->sink;
}

void pt_queue_set_wait(struct pt_queue *q, bool wait_when_full)
{
	uv_mutex_lock(&q->lock);
	q->wait_when_full = wait_when_full;
	uv_cond_signal(&q->not_full);
	uv_mutex_unlock(&q->lock);
}

struct pt_chunk *pt_queue_get(struct pt_queue *q, uint32_t timeout_ms)
{
	struct pt_chunk *chunk = NULL;

	uv_mutex_lock(&q->lock);
	if (queued(q) == 0 && !q->woken && timeout_ms > 0)
		uv_cond_timedwait(&q->not_empty, &q->lock, timeout_ms * PT_NS_PER_MS);
	q->woken = false;
	if (queued(q) > 0)
		chunk = q->ring[q->head++ % q->n_chunks];
	uv_mutex_unlock(&q->lock);
	return chunk;
}

void pt_queue_release(struct pt_queue *q, struct pt_chunk *chunk)
{
	uv_mutex_lock(&q->lock);
	q->spare[q->n_spare++] = chunk;
	uv_cond_signal(&q->not_full);
	uv_mutex_unlock(&q->lock);
}

void pt_queue_wake(struct pt_queue *q)
{
	uv_mutex_lock(&q->lock);
	q->woken = true;
	uv_cond_signal(&q->not_empty);
	uv_mutex_unlock(&q->lock);
}
