/* The bounded pool of chunks and the queue that carries them from the board thread to the analysis thread. A chunk belongs to
 * the thread that took or got it, until it puts or releases it. */
#ifndef PT_QUEUE_H
#define PT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/chunk.h"

struct pt_queue;

/* n_chunks: the bound; memory is taken as it is needed and kept until the end.
 * wait_when_full: take() waits for the analysis thread instead of failing (virtual clock, or the source holds the core). */
struct pt_queue *pt_queue_new(size_t n_chunks, bool wait_when_full);
void pt_queue_free(struct pt_queue *queue);		/* both threads are done with it */

struct pt_sink *pt_queue_sink(struct pt_queue *queue);	/* the producer's end: board thread */
void pt_queue_set_wait(struct pt_queue *queue, bool wait_when_full);	/* board thread */

/* Analysis thread: the oldest chunk, or NULL: there is none, and none came within timeout_ms (0: do not wait) or
 * before `wake`. */
struct pt_chunk *pt_queue_get(struct pt_queue *queue, uint32_t timeout_ms);
void pt_queue_release(struct pt_queue *queue, struct pt_chunk *chunk);	/* analysis thread: back to the pool */
void pt_queue_wake(struct pt_queue *queue);		/* any thread: makes one get() return */

#endif
