/* Decides when a board without a probe searches for it again. If a probe is not plugged in, the system's USB events
 * announce it, where there are such events. Other changes come without event (another process ends, a server starts, a
 * chip gets power), so the thread tries every REOPEN_MS, and less and less often if a probe is present but does not
 * answer. */
#include "board/board_parts.h"

#include "base/util.h"
#include "probes/registry.h"

enum {
	REOPEN_MS = 200,
	ABSENT_MS = 5000,	/* with USB events, for a probe that was lost */
	SETTLE_MS = 2000,	/* for this long after an event device nodes and permissions may still change */
	SETTLING_MS = 50,	/* interval of attempts meanwhile */
	MUTE_MS = 10000,	/* upper limit; a driver may reset a device that does not answer while it opens it */
};

/* Any thread. */
static void on_change(void *arg)
{
	struct pt_board *board = arg;

	uv_mutex_lock(&board->lock);
	board->changed_ns = uv_hrtime();
	board->changed = true;
	uv_cond_signal(&board->job_or_quit);
	uv_mutex_unlock(&board->lock);
}

static bool take_change(struct pt_board *board, uint64_t *changed_ns)
{
	bool changed;

	uv_mutex_lock(&board->lock);
	changed = board->changed;
	board->changed = false;
	*changed_ns = board->changed_ns;
	uv_mutex_unlock(&board->lock);
	return changed;
}

/* The wait doubles after each attempt that met a silent device. */
static uint32_t mute_ms(struct pt_board *board, int opened)
{
	if (opened != PT_ETIMEOUT)
		board->mute_ms = 0;
	else
		board->mute_ms = board->mute_ms == 0		? REOPEN_MS
				 : board->mute_ms * 2 < MUTE_MS ? board->mute_ms * 2
								: MUTE_MS;
	return board->mute_ms;
}

void pt_board_reopen_later(struct pt_board *board, int opened)
{
	uint64_t now_ns = uv_hrtime(), changed_ns;
	bool absent = opened == PT_EIO, changed = take_change(board, &changed_ns), settling;
	uint32_t waits_ms = mute_ms(board, opened) > REOPEN_MS ? board->mute_ms : REOPEN_MS;

	if (absent && board->watch == NULL && board->reopen && !board->watched) {
		board->watch = pt_probe_watch_new(board->uri[0], on_change, board);
		board->watched = true;
	}
	settling = changed || (changed_ns != 0 && now_ns - changed_ns < SETTLE_MS * PT_NS_PER_MS);
	if (settling)
		waits_ms = SETTLING_MS;
	else if (absent && pt_probe_watch_is_certain(board->watch))
		waits_ms = ABSENT_MS;
	board->reopen_at_ns = now_ns + PT_NS_PER_MS * waits_ms;
}

bool pt_board_reopen_is_due(struct pt_board *board, uint32_t *wait_ms)
{
	uint64_t now_ns = uv_hrtime(), changed_ns;

	if (take_change(board, &changed_ns) || now_ns >= board->reopen_at_ns)
		return true;
	*wait_ms = (uint32_t)((board->reopen_at_ns - now_ns) / PT_NS_PER_MS) + 1;
	return false;
}

void pt_board_reopen_end(struct pt_board *board)
{
	pt_probe_watch_free(board->watch);
	board->watch = NULL;
}
