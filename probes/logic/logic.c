/* The driver "logic": pins from a logic analyser or a session file. */
#include "probes/logic/logic.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/links/helper_thread.h"
#include "host/clock.h"
#include "base/util.h"

/* --- the link: no packets, but a clock and what ends waiting ------------------------------------------------------ */

struct logic_link {
	struct pt_logic_device *device;
	struct pt_logic_runs runs;
	struct pt_link_info info;
	bool capturing, stopped;
	_Atomic bool gone;		/* an instrument that stopped by itself */
};

static void link_close(void *state)
{
	struct logic_link *link = state;

	pt_logic_runs_close(&link->runs);
	pt_logic_device_close(link->device);
	pt_logic_runs_fini(&link->runs);
	free(link);
}

static void link_info(void *state, struct pt_link_info *out)
{
	*out = ((struct logic_link *)state)->info;
}

static int no_packets(struct pt_err *err)
{
	return pt_fail(err, PT_EUNSUPPORTED, "a logic analyser takes no packets");
}

static int link_submit(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	(void)state;
	(void)packet;
	(void)len_bytes;
	(void)deadline_ns;
	return no_packets(err);
}

static int link_receive(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	(void)state;
	(void)buf;
	(void)buf_bytes;
	(void)deadline_ns;
	return no_packets(err);
}

static uint64_t link_now(void *state)
{
	(void)state;
	return pt_host_now_ns();
}

static int is_gone(const struct logic_link *link, struct pt_err *err)
{
	return pt_fail(err, PT_EIO, "the logic analyser at %s is gone", link->info.where);
}

static int link_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct logic_link *link = state;
	int rc = pt_logic_runs_sleep(&link->runs, until_ns, err);

	return rc == 0 && link->gone ? is_gone(link, err) : rc;
}

static void link_interrupt(void *state)
{
	pt_logic_runs_interrupt(&((struct logic_link *)state)->runs);
}

static void link_set_packet_bytes(void *state, size_t packet_bytes)
{
	(void)state;
	(void)packet_bytes;
}

static const struct pt_link_ops logic_link_ops = {
	.name = "logic", .close = link_close, .info = link_info, .submit = link_submit, .receive = link_receive,
	.now_ns = link_now, .wait = link_wait, .interrupt = link_interrupt, .set_packet_bytes = link_set_packet_bytes,
};

/* --- the wire ----------------------------------------------------------------------------------------------------- */

struct logic {
	struct logic_link *link;
	uint32_t hz;
	uint64_t given;			/* samples, with those that were lost */
	int64_t offset_ns;		/* the clock that was asked for, less the host's */
	uint64_t error_ns;		/* between the two */
};

static const char *pins_line(void *state, size_t i)
{
	const struct logic *logic = state;
	const struct pt_logic_channel *channels;

	return i < pt_logic_device_channels(logic->link->device, &channels) ? channels[i].name : NULL;
}

/* By its name, or by its number as it stands in the list. */
static int find_channel(struct logic *logic, const char *line, unsigned *bit, struct pt_err *err)
{
	const struct pt_logic_channel *channels;
	size_t n = pt_logic_device_channels(logic->link->device, &channels), len = 0;
	char names[200] = "", number[24];

	for (size_t i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%zu", i);
		if (strcmp(channels[i].name, line) == 0 || strcmp(number, line) == 0) {
			*bit = channels[i].bit;
			return 0;
		}
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, " %s", channels[i].name);
	}
	return pt_fail(err, PT_EARG, "there is no line %s; there are%s", line, names);
}

static int find_channels(struct logic *logic, const struct pt_pins_want *want, unsigned *bits, struct pt_err *err)
{
	if (want->n_lines == 0 || want->n_lines > PT_PINS_MOST_LINES)
		return pt_fail(err, PT_EARG, "a capture of %zu lines", want->n_lines);
	for (size_t i = 0; i < want->n_lines; i++)
		if (find_channel(logic, want->line[i], &bits[i], err) < 0)
			return err != NULL ? err->code : PT_EARG;
	return 0;
}

static void compare_clocks(struct logic *logic, struct pt_link *clock)
{
	uint64_t before_ns = pt_host_now_ns(), there_ns = clock != NULL ? pt_link_now_ns(clock) : before_ns;
	uint64_t after_ns = pt_host_now_ns();

	logic->offset_ns = clock != NULL ? (int64_t)(there_ns - before_ns - (after_ns - before_ns) / 2) : 0;
	logic->error_ns = clock != NULL ? after_ns - before_ns : 0;
}

static int pins_start(void *state, const struct pt_pins_want *want, uint32_t *sample_hz, struct pt_err *err)
{
	struct logic *logic = state;
	struct logic_link *link = logic->link;
	unsigned bits[PT_PINS_MOST_LINES];
	int rc;

	if (link->capturing && !link->stopped)
		return pt_fail(err, PT_EBUSY, "the logic analyser captures already");
	rc = find_channels(logic, want, bits, err);
	if (rc < 0)
		return rc;
	pt_logic_device_stop(link->device);
	pt_logic_runs_begin(&link->runs, bits, want->n_lines, pt_logic_device_is_recording(link->device));
	compare_clocks(logic, want->clock);
	logic->given = 0;
	rc = pt_logic_device_start(link->device, &link->runs, want->least_hz, sample_hz, err);
	if (rc < 0)
		return rc;
	logic->hz = *sample_hz;
	link->capturing = true;
	link->stopped = false;
	return 0;
}

static void stamp(struct logic *logic, struct pt_pins_read *what)
{
	uint64_t from_ns = 0, to_ns = 0, samples_ns;

	if (!pt_logic_device_began(logic->link->device, &from_ns, &to_ns))
		return;
	samples_ns = logic->given / logic->hz * PT_NS_PER_S + logic->given % logic->hz * PT_NS_PER_S / logic->hz;
	what->from_ns = from_ns + (to_ns - from_ns) / 2 + (uint64_t)logic->offset_ns + samples_ns;
	what->error_ns = (to_ns - from_ns + 1) / 2 + logic->error_ns;
	if (pt_logic_device_is_recording(logic->link->device))
		what->error_ns = PT_UNKNOWN;
}

static int pins_read(void *state, pt_pins_run *runs, size_t room, uint32_t timeout_ms, struct pt_pins_read *what,
		     struct pt_err *err)
{
	struct logic *logic = state;
	struct logic_link *link = logic->link;
	bool ended;
	int n;

	*what = (struct pt_pins_read){ .ended = !link->capturing };
	if (link->gone)
		return is_gone(link, err);
	if (!link->capturing)
		return 0;
	n = pt_logic_runs_take(&link->runs, runs, room, &what->lost_samples, &ended,
			       pt_host_now_ns() + timeout_ms * PT_NS_PER_MS, err);
	if (n < 0)
		return n;
	logic->given += what->lost_samples;
	stamp(logic, what);
	for (int i = 0; i < n; i++)
		logic->given += runs[i] & PT_PINS_SAMPLES;
	what->ended = ended;
	if (!ended || n > 0 || what->lost_samples > 0)
		return n;
	link->capturing = false;
	link->gone = !link->stopped && !pt_logic_device_is_recording(link->device);
	return link->gone ? is_gone(link, err) : 0;
}

static int pins_stop(void *state, struct pt_err *err)
{
	struct logic_link *link = ((struct logic *)state)->link;

	(void)err;
	if (!link->capturing || link->stopped)
		return 0;
	link->stopped = true;
	if (pt_logic_device_is_recording(link->device))
		pt_logic_runs_close(&link->runs);	/* it may wait for room */
	pt_logic_device_stop(link->device);
	return 0;
}

static const struct pt_pins_ops pins_ops = {
	.start = pins_start, .read = pins_read, .stop = pins_stop, .line = pins_line,
};

static int logic_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct logic *logic = state;

	(void)settings;
	logic->link = pt_link_state(link, &logic_link_ops);
	return logic->link != NULL ? 0 : pt_fail(err, PT_EUNSUPPORTED, "a logic analyser is no device for packets");
}

static void logic_close(void *state)
{
	pins_stop(state, NULL);
}

static void logic_info(void *state, struct pt_probe_info *out)
{
	strcpy(out->protocol, "sigrok");
	out->speed_hz = ((struct logic *)state)->hz;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

enum { DRIVER, CONN };

static const struct pt_param rows[] = {
	[DRIVER] = { "driver", PT_PARAM_TEXT, "fx2lafw", NULL, 0, 0,
		     "logic: a driver of libsigrok (sigrok-cli -L lists them)" },
	[CONN] = { "conn", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		   "logic: which one, as libsigrok names it (BUS.ADDRESS or VID.PID)" },
};

/* An analyser without firmware gets it first, which may take 5 s of libsigrok's: that goes on aside when nobody waits
 * for it any longer, and the next try finds the analyser ready. One at a time: libsigrok's drivers are nothing for two
 * threads. */
enum { OPEN_MS = 1000 };

struct opening {
	char *driver, *conn;
	struct pt_logic_device *device;
	struct pt_err err;
};

static atomic_bool one_opens;

static void open_now(void *arg)
{
	struct opening *o = arg;

	o->device = pt_logic_device_open(NULL, o->driver, o->conn, &o->err);
}

static void drop_opening(void *arg)
{
	struct opening *o = arg;

	if (o->device != NULL)
		pt_logic_device_close(o->device);
	free(o->driver);
	free(o->conn);
	free(o);
	atomic_store(&one_opens, false);
}

static struct opening *new_opening(const char *driver, const char *conn)
{
	struct opening *o = pt_alloc(sizeof(*o));

	o->driver = pt_strdup(driver);
	o->conn = conn != NULL ? pt_strdup(conn) : NULL;
	if (o->driver != NULL && (conn == NULL || o->conn != NULL))
		return o;
	free(o->driver);
	free(o->conn);
	free(o);
	return NULL;
}

static struct pt_logic_device *open_aside(const char *driver, const char *conn, struct pt_err *err)
{
	struct pt_logic_device *device = NULL;
	struct pt_aside *aside;
	struct opening *o;

	if (atomic_exchange(&one_opens, true)) {
		pt_fail(err, PT_ETIMEOUT, "a logic analyser is being opened still; try again");
		return NULL;
	}
	o = new_opening(driver, conn);
	if (o == NULL) {
		atomic_store(&one_opens, false);
		pt_fail(err, PT_ENOMEM, "no memory for a logic analyser");
		return NULL;
	}
	aside = pt_aside_new(drop_opening, o, err);
	if (aside == NULL) {
		drop_opening(o);
		return NULL;
	}
	if (pt_aside_call(aside, open_now, pt_host_now_ns() + OPEN_MS * PT_NS_PER_MS)) {
		device = o->device;
		o->device = NULL;
		if (device == NULL)
			pt_fail(err, o->err.code, "%s", o->err.msg);
	} else {
		pt_fail(err, PT_ETIMEOUT,
			"the logic analyser (libsigrok's driver %s) is not ready within 1 s; it may "
			"be getting its firmware: try again",
			driver);
	}
	pt_aside_free(aside);
	return device;
}

static struct pt_logic_device *open_instrument(const char *rest, struct pt_err *err)
{
	struct pt_params *params = pt_params_new();
	struct pt_logic_device *device = NULL;
	int rc = 0;

	while (rc == 0 && *rest != '\0') {
		size_t len = strcspn(rest, "&");
		char word[128];

		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), rest);
		rc = pt_params_add(params, rows, PT_LEN(rows), word, err);
		rest += len + (rest[len] == '&');
	}
	if (rc == 0)
		device = open_aside(pt_params_text(params, &rows[DRIVER]), pt_params_text(params, &rows[CONN]), err);
	pt_params_free(params);
	return device;
}

static bool is_instrument(const char *rest)
{
	return rest[0] == '\0' || strncmp(rest, "driver=", 7) == 0 || strncmp(rest, "conn=", 5) == 0;
}

static struct pt_link *logic_connect(const char *rest, struct pt_err *err)
{
	struct logic_link *state = pt_alloc(sizeof(*state));

	if (pt_logic_runs_init(&state->runs, err) < 0)
		goto free_state;
	state->device = is_instrument(rest) ? open_instrument(rest, err) : pt_logic_device_open(rest, NULL, NULL, err);
	if (state->device == NULL)
		goto fini_runs;
	strcpy(state->info.transport, "sigrok");
	pt_logic_device_describe(state->device, state->info.product, state->info.where, sizeof(state->info.where));
	return pt_link_new(&logic_link_ops, state);
fini_runs:
	pt_logic_runs_fini(&state->runs);
free_state:
	free(state);
	return NULL;
}

const struct pt_probe_ops pt_logic_ops = {
	.name = "logic",
	.help = "a logic analyser at the pins of a trace port, or a file of one, by libsigrok",
	.address = "logic:[FILE.sr|driver=NAME&conn=CONN]",
	.connect = logic_connect,
	.state_bytes = sizeof(struct logic),
	.open = logic_open,
	.close = logic_close,
	.info = logic_info,
	.pins = &pins_ops,
};
