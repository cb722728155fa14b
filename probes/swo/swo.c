/* The driver "swo" and its link: a descriptor that bytes come out of, a clock, and what ends waiting.
 *
 * A serial port's driver counts bytes without a stop bit and those that were lost in front of it; where in the stream they
 * are is known as far as the counts of bytes that wait, before and behind, say it. A server says nothing of either. */
#include "probes/swo/swo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/clock.h"
#include "probes/links/dial.h"
#include "probes/links/serial.h"
#include "probes/links/wake.h"
#include "probes/wires/stream_buffer.h"

enum { READ_BYTES = 1 << 16, TTY_BYTES = 4096 };
#define TTY_LATE_NS (20 * PT_NS_PER_MS)		/* an adapter keeps bytes for up to 16 ms */

enum swo_kind { SWO_TTY, SWO_TCP, SWO_FILE, SWO_FIFO };

struct swo_link {
	enum swo_kind kind;
	int fd;
	struct pt_wake wake;
	uint32_t bits_per_s;		/* as the address says; 0: it does not */
	bool counts_all;		/* a serial port that tells each overrun */
	bool gone;
	char where[64];
};

static void link_close(void *state)
{
	struct swo_link *link = state;

	close(link->fd);		/* a serial port is unlocked by that */
	pt_wake_fini(&link->wake);
	free(link);
}

static void link_info(void *state, struct pt_link_info *out)
{
	static const char *const transports[] = { "serial", "tcp", "file", "fifo" };
	const struct swo_link *link = state;

	*out = (struct pt_link_info){ .packet_bytes = 1, .depth = 1 };
	snprintf(out->transport, sizeof(out->transport), "%s", transports[link->kind]);
	memcpy(out->where, link->where, sizeof(out->where));
}

static int no_packets(struct pt_err *err)
{
	return pt_fail(err, PT_EUNSUPPORTED, "swo: takes no packets");
}

static int link_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	(void)state, (void)packet, (void)len_bytes, (void)deadline_ns;
	return no_packets(err);
}

static int link_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	(void)state, (void)buf, (void)buf_bytes, (void)deadline_ns;
	return no_packets(err);
}

static uint64_t link_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

static int is_gone(struct swo_link *link, struct pt_err *err)
{
	link->gone = true;
	return pt_fail(err, PT_EIO, "SWO at %s is gone", link->where);
}

static int link_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct swo_link *link = state;
	int rc = pt_wake_sleep(&link->wake, until_ns, err);

	return rc == 0 && link->gone ? is_gone(link, err) : rc;
}

static void link_interrupt(void *state)
{
	pt_wake_set(&((struct swo_link *)state)->wake);
}

static void link_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state, (void)packet_bytes;
}

static const struct pt_link_ops swo_link_ops = {
	.name = "swo", .close = link_close, .info = link_info, .submit = link_submit, .receive = link_receive,
	.now_ns = link_now, .wait = link_wait, .interrupt = link_interrupt, .set_packet_bytes = link_set_packet_bytes,
};

/* --- the wire ----------------------------------------------------------------------------------------------------- */

struct swo {
	struct swo_link *link;
	struct pt_link *clock;		/* NULL: the host's */
	bool active;
	bool came_any;			/* of a FIFO: there was a writer */
	struct pt_stream_buffer buffer;
	struct pt_swo_counts counts;	/* as they were last */
	uint64_t received;		/* bytes that had been received then, at least */
};

static uint64_t now_ns(const struct swo *swo)
{
	return swo->clock != NULL ? pt_link_now_ns(swo->clock) : pt_host_now_ns();
}

static void throw_away(struct swo_link *link)
{
	uint8_t bytes[4096];

	if (link->kind == SWO_FILE)
		lseek(link->fd, 0, SEEK_SET);
	else
		while (read(link->fd, bytes, sizeof(bytes)) > 0)
			continue;
}

static int swo_start(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err)
{
	struct swo *swo = state;
	struct swo_link *link = swo->link;
	uint32_t asked = link->bits_per_s > 0 ? link->bits_per_s : want->bits_per_s;
	int rc = 0;

	if (want->coding != PT_STREAM_UART && link->kind == SWO_TTY)
		return pt_fail(err, PT_EARG, "a serial port receives SWO in UART coding alone");
	if (swo->active)
		return pt_fail(err, PT_EBUSY, "SWO at %s is received already", link->where);
	*bits_per_s = asked;		/* of a server or a file: nothing says another */
	if (link->kind == SWO_TTY)
		rc = pt_swo_tty_set(link->fd, asked, bits_per_s, err);
	if (rc < 0)
		return rc;
	throw_away(link);
	pt_stream_buffer_fini(&swo->buffer);
	swo->clock = want->clock;
	pt_stream_buffer_init(&swo->buffer, READ_BYTES, link->counts_all ? PT_STREAM_NOTHING : PT_STREAM_UNSAID,
			      now_ns(swo));
	if (link->kind == SWO_TTY)
		pt_swo_tty_counts(link->fd, &swo->counts);
	swo->received = 0;
	swo->came_any = false;
	swo->active = true;
	return 0;
}

/* What the kernel counted since the last look lies behind what had been received then, and before what waits now. */
static void judge_counts(struct swo *swo)
{
	struct pt_swo_counts before, counts;
	uint64_t least;

	pt_swo_tty_counts(swo->link->fd, &before);
	least = swo->buffer.came + before.waiting;
	pt_swo_tty_counts(swo->link->fd, &counts);
	if (counts.known && swo->counts.known) {
		swo->buffer.bad_frames += counts.bad_frames - swo->counts.bad_frames;
		if (counts.overruns != swo->counts.overruns)
			pt_stream_buffer_lose(&swo->buffer, (struct pt_stream_hole){
				swo->received, swo->buffer.came + counts.waiting, PT_STREAM_SOME, PT_UNKNOWN });
	}
	swo->counts = counts;
	swo->received = least;
}

/* 1: there is something to read, or the end; 0: not by then. */
static int wait_readable(struct swo_link *link, uint64_t deadline_ns, struct pt_err *err)
{
	struct pollfd fds[2] = { { .fd = link->fd, .events = POLLIN }, { .fd = link->wake.fd, .events = POLLIN } };

	for (;;) {
		int n = poll(fds, 2, pt_host_ms_until(deadline_ns));

		if (pt_wake_take(&link->wake))
			return pt_fail(err, PT_EINTERRUPTED, "interrupted");
		if (n > 0 && fds[0].revents != 0)
			return 1;
		if (n == 0 && pt_host_now_ns() >= deadline_ns)
			return 0;
	}
}

/* One that nothing wrote into yet has its end all the time. */
static bool is_end(const struct swo *swo)
{
	return swo->link->kind != SWO_TTY && (swo->link->kind != SWO_FIFO || swo->came_any);
}

static int take_bytes(struct swo *swo, struct pt_err *err)
{
	struct swo_link *link = swo->link;
	size_t room = pt_stream_buffer_room(&swo->buffer);
	ssize_t n;

	if (link->kind == SWO_TTY)
		judge_counts(swo);
	n = read(link->fd, pt_stream_buffer_tail(&swo->buffer, room), room);
	if (n < 0 && errno != EAGAIN && errno != EINTR && link->kind != SWO_TCP)
		return is_gone(link, err);
	if (n == 0 && link->kind == SWO_TTY)
		return is_gone(link, err);
	swo->buffer.ended = (n == 0 && is_end(swo)) || (n < 0 && errno != EAGAIN && errno != EINTR);
	swo->came_any |= n > 0;
	pt_stream_buffer_added(&swo->buffer, n > 0 ? (size_t)n : 0);
	pt_stream_buffer_timed(&swo->buffer, now_ns(swo), link->kind == SWO_TTY ? TTY_LATE_NS : 0, (size_t)n < room);
	if (link->kind != SWO_TTY)	/* whenever the server had them, or another program wrote them */
		swo->buffer.error_ns = PT_UNKNOWN;
	return 0;
}

static int swo_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *err)
{
	struct swo *swo = state;
	uint64_t deadline_ns = pt_host_now_ns() + timeout_ms * PT_NS_PER_MS;
	int rc = 0;

	if (swo->link->gone)
		return is_gone(swo->link, err);
	while (swo->active && !swo->buffer.ended && swo->buffer.came - swo->buffer.given < room) {
		bool any = swo->buffer.came > swo->buffer.given;

		rc = wait_readable(swo->link, any ? 0 : deadline_ns, err);
		if (rc == 1)
			rc = take_bytes(swo, err) < 0 ? swo->link->gone ? PT_EIO : PT_EPROTO : 1;
		if (rc == 1 && !swo->came_any && !swo->buffer.ended)	/* a FIFO without a writer polls as readable */
			rc = pt_wake_sleep(&swo->link->wake, pt_host_now_ns() + PT_NS_PER_MS, err);
		if (rc < 0)
			return rc;
		if (rc == 0 && (any || pt_host_now_ns() >= deadline_ns))
			break;
	}
	if (swo->buffer.came == swo->buffer.given)
		swo->buffer.until_ns = now_ns(swo);
	return (int)pt_stream_buffer_give(&swo->buffer, bytes, room, what);
}

static int swo_stop(void *state, struct pt_err *err)
{
	struct swo *swo = state;
	int rc = 0;

	if (!swo->active)
		return 0;
	while (rc == 0 && !swo->link->gone && !swo->buffer.ended && swo->link->kind != SWO_FILE &&
	       pt_stream_buffer_room(&swo->buffer) > 0) {
		uint64_t came = swo->buffer.came;

		rc = take_bytes(swo, err);
		if (swo->buffer.came == came)
			break;
	}
	swo->active = false;
	swo->buffer.ended = true;
	return rc;
}

static uint32_t swo_patience(void *state, uint32_t bits_per_s)
{
	const struct swo *swo = state;

	if (swo->link->kind != SWO_TTY || bits_per_s == 0)
		return 0;
	return (uint32_t)(UINT64_C(10) * TTY_BYTES * 1000000 / bits_per_s);
}

static const struct pt_stream_ops stream_ops = {
	.start = swo_start, .read = swo_read, .stop = swo_stop, .patience_us = swo_patience,
};

static int swo_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct swo *swo = state;

	(void)settings;
	swo->link = pt_link_state(link, &swo_link_ops);
	return swo->link != NULL ? 0 : pt_fail(err, PT_EUNSUPPORTED, "swo: is no device for packets");
}

static void swo_close(void *state)
{
	struct swo *swo = state;

	pt_stream_buffer_fini(&swo->buffer);
}

static void swo_info(void *state, struct pt_probe_info *out)
{
	const struct swo *swo = state;

	strcpy(out->protocol, "swo");
	out->swo = true;
	if (swo->link->kind == SWO_TTY)
		strcpy(out->swo_codings, "uart");
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static const struct pt_param rows[] = {
	{ "baud", PT_PARAM_NUMBER, "0", NULL, 0, 24000000,
	  "swo: of a serial port, the rate of SWO; 0: as it is asked for" },
};

/* "PATH[?baud=N]" */
static int read_query(struct swo_link *link, const char *rest, char *path, size_t room, struct pt_err *err)
{
	struct pt_params *params = pt_params_new();
	size_t len = strcspn(rest, "?");
	int rc = 0;

	if (len >= room)
		rc = pt_fail(err, PT_EARG, "swo: a path of more than %zu characters", room - 1);
	else if (rest[len] == '?')
		rc = pt_params_add(params, rows, PT_LEN(rows), rest + len + 1, err);
	snprintf(path, room, "%.*s", (int)len, rest);
	link->bits_per_s = (uint32_t)pt_params_number(params, &rows[0]);
	pt_params_free(params);
	return rc;
}

static int open_path(struct swo_link *link, const char *rest, struct pt_err *err)
{
	char path[256];
	struct stat st;

	if (read_query(link, rest, path, sizeof(path), err) < 0)
		return err->code;
	snprintf(link->where, sizeof(link->where), "%.63s", path);
	if (strncmp(path, "/dev/tty", 8) == 0 || (stat(path, &st) == 0 && S_ISCHR(st.st_mode))) {
		link->kind = SWO_TTY;
		link->counts_all = pt_swo_tty_counts_all(path);
		link->fd = pt_serial_open_port(path, err);
		return link->fd >= 0 ? 0 : err->code;
	}
	link->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (link->fd < 0)
		return pt_fail(err, errno == EACCES ? PT_EPERM : PT_EIO, "swo: %s: %s", path, strerror(errno));
	link->kind = fstat(link->fd, &st) == 0 && S_ISFIFO(st.st_mode) ? SWO_FIFO : SWO_FILE;
	return 0;
}

static int open_any(struct swo_link *link, const char *rest, struct pt_err *err)
{
	if (strncmp(rest, "tcp:", 4) != 0)
		return open_path(link, rest, err);
	link->kind = SWO_TCP;
	snprintf(link->where, sizeof(link->where), "%.63s", rest + 4);
	link->fd = pt_dial(rest + 4, 0, err);
	return link->fd >= 0 ? 0 : pt_wrap(err, "swo");
}

static struct pt_link *swo_connect(const char *rest, struct pt_err *err)
{
	struct swo_link *link = pt_alloc(sizeof(*link));

	if (rest[0] == '\0') {
		pt_fail(err, PT_EARG,
			"swo: says where SWO comes from: swo:/dev/ttyUSB0?baud=2000000 or swo:tcp:HOST:PORT");
		goto free_link;
	}
	if (pt_wake_init(&link->wake, err) < 0)
		goto free_link;
	if (open_any(link, rest, err) < 0)
		goto fini_wake;
	return pt_link_new(&swo_link_ops, link);
fini_wake:
	pt_wake_fini(&link->wake);
free_link:
	free(link);
	return NULL;
}

const struct pt_probe_ops pt_swo_ops = {
	.name = "swo",
	.help = "SWO by a serial port, a server on the network, a FIFO or a file, beside a probe for the debug port",
	.address = "swo:[/dev/ttyUSB0?baud=N|tcp:HOST:PORT|FILE]",
	.connect = swo_connect,
	.state_bytes = sizeof(struct swo),
	.open = swo_open,
	.close = swo_close,
	.info = swo_info,
	.stream = &stream_ops,
};
