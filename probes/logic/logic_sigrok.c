/* libsigrok: an instrument or a session file, and a session of it on a thread with a main loop of its own. A session is
 * made anew for each capture; a file is loaded anew with it. Source: libsigrok 0.5 API. */
#include <errno.h>
#include <glib.h>
#include <libsigrok/libsigrok.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/log.h"
#include "host/clock.h"
#include "probes/logic/logic.h"
#include "base/util.h"

struct pt_logic_device {
	struct sr_context *sigrok;
	char *file;			/* NULL: an instrument */
	struct sr_dev_inst *sdi;	/* of the instrument; of a file while it is looked at, or captured from */
	char product[64], where[64];
	struct pt_logic_channel channel[PT_LOGIC_MOST_CHANNELS];
	size_t n_channels;

	struct sr_session *session;
	struct pt_logic_runs *runs;
	uv_thread_t thread;
	bool running;			/* there is a thread to join */
	uint32_t hz;
	uint64_t started_ns;
	uv_mutex_t lock;		/* of what follows */
	uint64_t began_ns;		/* the first samples had come, less the time they took; 0: none yet */
};

static int sigrok_failed(int rc, const char *what, struct pt_err *err)
{
	return pt_fail(err, rc == SR_ERR_MALLOC ? PT_ENOMEM : PT_EIO, "%s: %s (libsigrok)", what, sr_strerror(rc));
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

static void take_channels(struct pt_logic_device *device)
{
	device->n_channels = 0;
	for (GSList *l = sr_dev_inst_channels_get(device->sdi); l != NULL; l = l->next) {
		const struct sr_channel *channel = l->data;
		struct pt_logic_channel *out = &device->channel[device->n_channels];

		if (channel->type != SR_CHANNEL_LOGIC || device->n_channels == PT_LOGIC_MOST_CHANNELS)
			continue;
		snprintf(out->name, sizeof(out->name), "%s", channel->name);
		out->bit = (unsigned)channel->index;
		device->n_channels++;
	}
}

/* Lines only: what is analog is left alone. */
static void enable_channels(struct pt_logic_device *device)
{
	for (GSList *l = sr_dev_inst_channels_get(device->sdi); l != NULL; l = l->next) {
		struct sr_channel *channel = l->data;

		sr_dev_channel_enable(channel, channel->type == SR_CHANNEL_LOGIC);
	}
}

static uint64_t get_rate(const struct pt_logic_device *device)
{
	uint64_t hz = 0;
	GVariant *value;

	if (sr_config_get(sr_dev_inst_driver_get(device->sdi), device->sdi, NULL, SR_CONF_SAMPLERATE, &value) != SR_OK)
		return 0;
	hz = g_variant_get_uint64(value);
	g_variant_unref(value);
	return hz;
}

static int load_file(struct pt_logic_device *device, struct pt_err *err)
{
	GSList *devices = NULL;
	int rc;

	if (access(device->file, R_OK) < 0)
		return pt_fail(err, PT_EARG, "%s: %s", device->file, strerror(errno));
	rc = sr_session_load(device->sigrok, device->file, &device->session);
	if (rc != SR_OK) {
		device->session = NULL;
		return pt_fail(err, PT_EARG, "%s is no sigrok session, or a damaged one (libsigrok: %s)", device->file,
			       sr_strerror(rc));
	}
	if (sr_session_dev_list(device->session, &devices) == SR_OK && devices != NULL)
		device->sdi = devices->data;
	g_slist_free(devices);
	return device->sdi != NULL ? 0 : pt_fail(err, PT_EARG, "%s has no device in it", device->file);
}

/* The device of a file was opened when that was loaded, and the end of a session closes none. */
static void end_session(struct pt_logic_device *device)
{
	if (device->file != NULL && device->sdi != NULL)
		sr_dev_close(device->sdi);
	if (device->session != NULL)
		sr_session_destroy(device->session);
	device->session = NULL;
	if (device->file != NULL)
		device->sdi = NULL;	/* it went with the session */
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int scan(struct pt_logic_device *device, const char *name, const char *conn, struct pt_err *err)
{
	struct sr_dev_driver *driver = pt_logic_driver(device->sigrok, name);
	struct sr_config option = { .key = SR_CONF_CONN };
	GSList *options = NULL, *found;
	int rc;

	if (driver == NULL)
		return pt_fail(err, PT_EARG, "libsigrok has no driver %s; sigrok-cli -L lists them", name);
	rc = sr_driver_init(device->sigrok, driver);
	if (rc != SR_OK)
		return sigrok_failed(rc, name, err);
	if (conn != NULL) {
		option.data = g_variant_ref_sink(g_variant_new_string(conn));
		options = g_slist_append(NULL, &option);
	}
	found = sr_driver_scan(driver, options);
	if (found != NULL)
		device->sdi = found->data;
	g_slist_free(found);
	g_slist_free(options);
	if (conn != NULL)
		g_variant_unref(option.data);
	if (device->sdi == NULL)
		return pt_fail(err, PT_EIO, "no logic analyser is plugged in for libsigrok's driver %s%s%s", name,
			       conn != NULL ? " at " : "", conn != NULL ? conn : "");
	rc = sr_dev_open(device->sdi);
	if (rc == SR_OK)
		return 0;
	device->sdi = NULL;
	return sigrok_failed(rc, "open the logic analyser", err);
}

static void describe(struct pt_logic_device *device, const char *driver, const char *conn)
{
	const char *vendor, *model, *base;

	if (device->file != NULL) {
		base = strrchr(device->file, '/');
		snprintf(device->product, sizeof(device->product), "sigrok session");
		snprintf(device->where, sizeof(device->where), "%s", base != NULL ? base + 1 : device->file);
		return;
	}
	vendor = sr_dev_inst_vendor_get(device->sdi);
	model = sr_dev_inst_model_get(device->sdi);
	if (conn == NULL)
		conn = sr_dev_inst_connid_get(device->sdi);
	snprintf(device->product, sizeof(device->product), "%s%s%s", vendor != NULL ? vendor : "",
		 vendor != NULL ? " " : "", model != NULL ? model : "logic analyser");
	snprintf(device->where, sizeof(device->where), "%s%s%s", driver, conn != NULL ? " " : "",
		 conn != NULL ? conn : "");
}

static int look_at(struct pt_logic_device *device, const char *driver, const char *conn, struct pt_err *err)
{
	int rc = device->file != NULL ? load_file(device, err) : scan(device, driver, conn, err);

	if (rc < 0)
		return rc;
	take_channels(device);
	describe(device, driver, conn);
	end_session(device);
	if (device->n_channels == 0)
		return pt_fail(err, PT_EARG, "%s has no lines, only analog channels", device->where);
	return 0;
}

struct pt_logic_device *pt_logic_device_open(const char *file, const char *driver, const char *conn, struct pt_err *err)
{
	struct pt_logic_device *device = pt_alloc(sizeof(*device));

	if (uv_mutex_init(&device->lock) != 0)
		goto no_memory;
	device->file = file != NULL ? pt_strdup(file) : NULL;
	sr_log_loglevel_set(SR_LOG_NONE);
	if (sr_init(&device->sigrok) != SR_OK) {
		device->sigrok = NULL;
		pt_fail(err, PT_ENOMEM, "libsigrok does not start");
	} else if (look_at(device, driver, conn, err) == 0) {
		return device;
	}
	pt_logic_device_close(device);
	return NULL;
no_memory:
	pt_fail(err, PT_ENOMEM, "no memory for a logic analyser");
	free(device);
	return NULL;
}

void pt_logic_device_close(struct pt_logic_device *device)
{
	pt_logic_device_stop(device);
	end_session(device);
	if (device->file == NULL && device->sdi != NULL)
		sr_dev_close(device->sdi);
	if (device->sigrok != NULL)
		sr_exit(device->sigrok);
	uv_mutex_destroy(&device->lock);
	free(device->file);
	free(device);
}

bool pt_logic_device_is_recording(const struct pt_logic_device *device)
{
	return device->file != NULL;
}

void pt_logic_device_describe(const struct pt_logic_device *device, char *product, char *where, size_t room)
{
	snprintf(product, room, "%s", device->product);
	snprintf(where, room, "%s", device->where);
}

size_t pt_logic_device_channels(const struct pt_logic_device *device, const struct pt_logic_channel **out)
{
	*out = device->channel;
	return device->n_channels;
}

/* --- the rate ----------------------------------------------------------------------------------------------------- */

static uint64_t least_of_list(GVariant *rates, uint64_t least_hz)
{
	gsize n;
	const uint64_t *hz = g_variant_get_fixed_array(rates, &n, sizeof(*hz));
	uint64_t best = 0;

	for (gsize i = 0; i < n; i++)
		if (hz[i] >= least_hz && (best == 0 || hz[i] < best))
			best = hz[i];
	return best;
}

/* Lowest, highest, and the step between two. */
static uint64_t least_of_steps(GVariant *steps, uint64_t least_hz)
{
	gsize n;
	const uint64_t *hz = g_variant_get_fixed_array(steps, &n, sizeof(*hz));
	uint64_t best;

	if (n != 3 || least_hz > hz[1] || hz[2] == 0)
		return 0;
	best = hz[0] + (least_hz > hz[0] ? (least_hz - hz[0] + hz[2] - 1) / hz[2] * hz[2] : 0);
	return best <= hz[1] ? best : 0;
}

/* The lowest rate that is enough; 0: there is none. */
static uint64_t choose_rate(const struct pt_logic_device *device, uint64_t least_hz)
{
	GVariant *dict, *rates;
	uint64_t best = 0;

	if (sr_config_list(sr_dev_inst_driver_get(device->sdi), device->sdi, NULL, SR_CONF_SAMPLERATE, &dict) != SR_OK)
		return 0;
	rates = g_variant_lookup_value(dict, "samplerates", G_VARIANT_TYPE("at"));
	if (rates != NULL) {
		best = least_of_list(rates, least_hz);
		g_variant_unref(rates);
	} else if ((rates = g_variant_lookup_value(dict, "samplerate-steps", G_VARIANT_TYPE("at"))) != NULL) {
		best = least_of_steps(rates, least_hz);
		g_variant_unref(rates);
	}
	g_variant_unref(dict);
	return best;
}

static int set_rate(struct pt_logic_device *device, uint32_t least_hz, struct pt_err *err)
{
	uint64_t hz = device->file != NULL ? get_rate(device) : choose_rate(device, least_hz);
	int rc = SR_OK;

	if (device->file != NULL && hz == 0)
		return pt_fail(err, PT_EARG, "%s does not say how fast it was sampled", device->where);
	if (hz < least_hz || hz > UINT32_MAX)
		return pt_fail(err, PT_EARG, "%s has %" G_GUINT64_FORMAT " samples a second, and %u are needed",
			       device->where, hz, least_hz);
	if (device->file == NULL)
		rc = sr_config_set(device->sdi, NULL, SR_CONF_SAMPLERATE, g_variant_new_uint64(hz));
	device->hz = (uint32_t)hz;
	return rc == SR_OK ? 0 : sigrok_failed(rc, "set the sample rate", err);
}

/* --- the capture -------------------------------------------------------------------------------------------------- */

static void note_begin(struct pt_logic_device *device, uint64_t n_samples)
{
	uint64_t now_ns = pt_host_now_ns(), took_ns = n_samples * PT_NS_PER_S / device->hz;

	uv_mutex_lock(&device->lock);
	if (device->began_ns == 0)
		device->began_ns = now_ns - device->started_ns > took_ns ? now_ns - took_ns : device->started_ns;
	uv_mutex_unlock(&device->lock);
}

/* On the session's thread. */
static void on_data(const struct sr_dev_inst *sdi, const struct sr_datafeed_packet *packet, void *arg)
{
	struct pt_logic_device *device = arg;
	const struct sr_datafeed_logic *logic = packet->payload;

	(void)sdi;
	if (packet->type != SR_DF_LOGIC || logic->unitsize == 0)
		return;
	note_begin(device, logic->length / logic->unitsize);
	pt_logic_runs_put(device->runs, logic->data, logic->unitsize, logic->length / logic->unitsize);
}

static void run_session(void *arg)
{
	struct pt_logic_device *device = arg;
	GMainContext *context = g_main_context_new();
	int rc;

	g_main_context_push_thread_default(context);
	rc = sr_session_start(device->session);
	if (rc == SR_OK)
		rc = sr_session_run(device->session);
	if (rc != SR_OK)
		pt_warn("logic: %s: %s (libsigrok)", device->where, sr_strerror(rc));
	g_main_context_pop_thread_default(context);
	g_main_context_unref(context);
	pt_logic_runs_end(device->runs);
}

static int make_session(struct pt_logic_device *device, struct pt_err *err)
{
	int rc;

	if (device->file != NULL)
		return load_file(device, err);
	rc = sr_session_new(device->sigrok, &device->session);
	if (rc == SR_OK)
		rc = sr_session_dev_add(device->session, device->sdi);
	return rc == SR_OK ? 0 : sigrok_failed(rc, "begin a capture", err);
}

int pt_logic_device_start(struct pt_logic_device *device, struct pt_logic_runs *runs, uint32_t least_hz, uint32_t *hz,
			  struct pt_err *err)
{
	int rc = make_session(device, err);

	device->runs = runs;
	if (rc == 0)
		enable_channels(device);
	if (rc == 0)
		rc = set_rate(device, least_hz, err);
	if (rc == 0 && sr_session_datafeed_callback_add(device->session, on_data, device) != SR_OK)
		rc = pt_fail(err, PT_ENOMEM, "no memory for a capture");
	device->began_ns = 0;
	device->started_ns = pt_host_now_ns();
	if (rc == 0 && uv_thread_create(&device->thread, run_session, device) != 0)
		rc = pt_fail(err, PT_ENOMEM, "no memory for another thread");
	if (rc < 0) {
		end_session(device);
		return rc;
	}
	device->running = true;
	*hz = device->hz;
	return 0;
}

/* A session that has not started yet cannot be stopped: ask until the thread is through. */
void pt_logic_device_stop(struct pt_logic_device *device)
{
	bool ended = false;

	if (!device->running)
		return;
	while (!ended) {
		sr_session_stop(device->session);
		uv_mutex_lock(&device->runs->lock);
		if (!device->runs->ended)
			uv_cond_timedwait(&device->runs->change, &device->runs->lock, 10 * PT_NS_PER_MS);
		ended = device->runs->ended;
		uv_mutex_unlock(&device->runs->lock);
	}
	uv_thread_join(&device->thread);
	device->running = false;
	end_session(device);
}

bool pt_logic_device_began(struct pt_logic_device *device, uint64_t *from_ns, uint64_t *to_ns)
{
	bool began;

	uv_mutex_lock(&device->lock);
	began = device->began_ns != 0;
	*from_ns = device->started_ns;
	*to_ns = device->began_ns;
	uv_mutex_unlock(&device->lock);
	if (device->file != NULL)
		*to_ns = *from_ns;
	return began;
}
