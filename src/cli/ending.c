#define _GNU_SOURCE /* pipe2 */
#include "cli/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/listen.h"
#include "host/log.h"
#include "base/util.h"

/* A sanitizer slows the program down many times. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOWER = 60 };
#else
enum { SLOWER = 1 };
#endif
enum { EXIT_NOT_PUT_BACK = 3, TIDY_MS = 200, DONE = 0 }; /* DONE: instead of a signal's number */

static const int signums[] = { SIGINT, SIGTERM, SIGHUP };

struct pt_ending {
	uv_async_t async;
	uv_thread_t thread;
	uv_mutex_t lock; /* guards all members below */
	struct pt_board *board[PT_ENDING_BOARDS]; /* references */
	size_t n_boards;
	bool async_open;
	void (*on_signal)(void *arg);
	void *arg;
};

static int out = -1, in = -1; /* a pipe; the signal handler uses out alone */

static void on_raised(int signum)
{
	int error = errno;
	char byte = (char)signum;

	(void)!write(out, &byte, 1);
	errno = error;
}

static void on_async(uv_async_t *async)
{
	struct pt_ending *ending = async->data;

	ending->on_signal(ending->arg);
}

/* Returns the next signal; DONE, or -1: none within timeout_ms (-1: however long). */
static int wait_for_signal(int timeout_ms)
{
	struct pollfd ready = { .fd = in, .events = POLLIN };
	uint64_t until_ns = uv_hrtime() + (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms) * PT_NS_PER_MS;
	char byte;

	while (true) {
		uint64_t now_ns = uv_hrtime();
		int left_ms = timeout_ms < 0	  ? -1
			      : now_ns < until_ns ? (int)((until_ns - now_ns) / PT_NS_PER_MS) + 1
						  : 0;

		if (poll(&ready, 1, left_ms) > 0)
			return read(in, &byte, 1) == 1 ? byte : -1;
		if (timeout_ms >= 0 && uv_hrtime() >= until_ns)
			return -1;
	}
}

static void tell_loop(struct pt_ending *ending)
{
	uv_mutex_lock(&ending->lock);
	if (ending->async_open)
		uv_async_send(&ending->async);
	uv_mutex_unlock(&ending->lock);
}

static uv_sem_t tidied;

static void tidy_up(void *arg)
{
	(void)arg;
	pt_listen_remove_files();
	uv_sem_post(&tidied);
}

/* On a thread of its own, because the disk may be what hangs. False: it has not finished. */
static bool tidy_for_a_while(void)
{
	uv_thread_t thread;
	uint64_t until_ns = uv_hrtime() + TIDY_MS * PT_NS_PER_MS;

	if (uv_sem_init(&tidied, 0) < 0 || uv_thread_create(&thread, tidy_up, NULL) < 0)
		return false;
	while (uv_sem_trywait(&tidied) < 0) {
		if (uv_hrtime() >= until_ns)
			return false;
		usleep(1000);
	}
	return true;
}

static uint32_t left_ms(uint64_t since_ns)
{
	uint64_t gone_ms = (uv_hrtime() - since_ns) / PT_NS_PER_MS, all_ms = SLOWER * PT_ENDING_MS;

	return gone_ms < all_ms ? (uint32_t)(all_ms - gone_ms) : 1;
}

/* Asks all boards, then waits for each. The lock is kept: the loop hangs or has ended. */
static bool rescue_boards(struct pt_ending *ending, uint64_t since_ns)
{
	bool all = true;

	uv_mutex_lock(&ending->lock);
	for (size_t i = 0; i < ending->n_boards; i++)
		pt_board_rescue(ending->board[i], 0);
	for (size_t i = 0; i < ending->n_boards; i++)
		all &= pt_board_rescue(ending->board[i], left_ms(since_ns));
	return all;
}

/* Ends the process: what hangs would hang for ever. */
static void end_now(struct pt_ending *ending, uint64_t since_ns)
{
	bool put_back = rescue_boards(ending, since_ns);

	if (put_back)
		pt_warn("ended while something still waited for a file, a disk or a client; the target was put back");
	else
		pt_error("ended before the target could be put back: the probe does not answer");
	if (!tidy_for_a_while())
		pt_warn("the socket file was not removed: its disk does not answer");
	_exit(put_back ? 0 : EXIT_NOT_PUT_BACK);
}

static void wait_for_end(void *arg)
{
	struct pt_ending *ending = arg;
	uint64_t since_ns;

	if (wait_for_signal(-1) == DONE)
		return;
	since_ns = uv_hrtime();
	tell_loop(ending);
	if (wait_for_signal(SLOWER * PT_ENDING_POLITE_MS) != DONE)
		end_now(ending, since_ns);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static void take_signals(void)
{
	struct sigaction action = { .sa_handler = on_raised, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < PT_LEN(signums); i++)
		sigaction(signums[i], &action, NULL);
}

struct pt_ending *pt_ending_new(uv_loop_t *loop, void (*on_signal)(void *arg), void *arg, struct pt_err *err)
{
	struct pt_ending *ending = pt_alloc(sizeof(*ending));
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		free(ending);
		pt_fail(err, PT_ENOMEM, "nothing to take signals with");
		return NULL;
	}
	in = ends[0];
	out = ends[1];
	(void)fcntl(out, F_SETFL, O_NONBLOCK);
	ending->on_signal = on_signal;
	ending->arg = arg;
	uv_mutex_init(&ending->lock);
	uv_async_init(loop, &ending->async, on_async);
	ending->async.data = ending;
	ending->async_open = true;
	if (uv_thread_create(&ending->thread, wait_for_end, ending) < 0)
		abort();
	take_signals();
	return ending;
}

void pt_ending_add(struct pt_ending *ending, struct pt_board *board)
{
	uv_mutex_lock(&ending->lock);
	if (ending->n_boards < PT_ENDING_BOARDS)
		ending->board[ending->n_boards++] = pt_board_ref(board);
	uv_mutex_unlock(&ending->lock);
}

void pt_ending_close(struct pt_ending *ending)
{
	uv_mutex_lock(&ending->lock);
	ending->async_open = false;
	uv_mutex_unlock(&ending->lock);
	uv_close((uv_handle_t *)&ending->async, NULL);
}

void pt_ending_free(struct pt_ending *ending)
{
	char done = DONE;

	if (ending == NULL)
		return;
	for (size_t i = 0; i < PT_LEN(signums); i++)
		signal(signums[i], SIG_IGN);	/* a signal now would change nothing */
	(void)!write(out, &done, 1);
	uv_thread_join(&ending->thread);
	close(in);
	close(out);
	in = out = -1;
	uv_mutex_destroy(&ending->lock);
	for (size_t i = 0; i < ending->n_boards; i++)
		pt_board_unref(ending->board[i]);
	free(ending);
}
