/* Logic analysers that are plugged in: what the drivers of libsigrok find that look at USB alone. Drivers that need
 * an address (a serial port, a network) are not asked, nor are those that would take a debug probe's USB chip for an
 * analyser's. An analyser that has no firmware yet gets it by being looked for. */
#include <glib.h>
#include <libsigrok/libsigrok.h>
#include <stdio.h>
#include <string.h>

#include "probes/logic/logic.h"

const char *const pt_logic_usb_drivers[] = {
	"fx2lafw", "saleae-logic16", "saleae-logic-pro", "dreamsourcelab-dslogic", "kingst-la2016", "sysclk-lwla",
	"sysclk-sla5032", "hantek-4032l", "asix-sigma", "asix-omega-rtm-cli", "ikalogic-scanalogic2",
	"ikalogic-scanaplus", "zeroplus-logic-cube", "lecroy-logicstudio", "greatfet", NULL,
};

struct sr_dev_driver *pt_logic_driver(struct sr_context *sigrok, const char *name)
{
	struct sr_dev_driver **drivers = sr_driver_list(sigrok);

	for (size_t i = 0; drivers != NULL && drivers[i] != NULL; i++)
		if (strcmp(drivers[i]->name, name) == 0)
			return drivers[i];
	return NULL;
}

static unsigned count_lines(const struct sr_dev_inst *device)
{
	unsigned n = 0;

	for (GSList *l = sr_dev_inst_channels_get(device); l != NULL; l = l->next)
		n += ((const struct sr_channel *)l->data)->type == SR_CHANNEL_LOGIC;
	return n;
}

/* alone: the driver finds no other, and its name is enough. */
static void describe(struct pt_logic_found *out, const char *driver, const struct sr_dev_inst *device, bool alone)
{
	const char *vendor = sr_dev_inst_vendor_get(device), *model = sr_dev_inst_model_get(device);
	const char *serial = sr_dev_inst_sernum_get(device), *where = sr_dev_inst_connid_get(device);

	*out = (struct pt_logic_found){ .n_lines = count_lines(device) };
	snprintf(out->product, sizeof(out->product), "%s%s%s", vendor != NULL ? vendor : "", vendor != NULL ? " " : "",
		 model != NULL ? model : "logic analyser");
	snprintf(out->serial, sizeof(out->serial), "%s", serial != NULL ? serial : "");
	snprintf(out->where, sizeof(out->where), "%s", where != NULL ? where : "");
	snprintf(out->uri, sizeof(out->uri), "logic:driver=%s%s%s", driver,
		 alone || where == NULL ? "" : "&conn=", alone || where == NULL ? "" : where);
}

static size_t scan(struct sr_context *sigrok, const char *name, struct pt_logic_found *out, size_t room)
{
	struct sr_dev_driver *driver = pt_logic_driver(sigrok, name);
	GSList *found;
	size_t n = 0;

	if (driver == NULL || sr_driver_init(sigrok, driver) != SR_OK)
		return 0;
	found = sr_driver_scan(driver, NULL);
	for (GSList *l = found; l != NULL && n < room; l = l->next) {
		describe(&out[n], name, l->data, found->next == NULL);
		n += out[n].n_lines > 0;
	}
	g_slist_free(found);
	return n;
}

size_t pt_logic_list(const char *const *drivers, struct pt_logic_found *out, size_t room)
{
	struct sr_context *sigrok;
	size_t n = 0;

	sr_log_loglevel_set(SR_LOG_NONE);
	if (sr_init(&sigrok) != SR_OK)
		return 0;
	for (size_t i = 0; drivers[i] != NULL; i++)
		n += scan(sigrok, drivers[i], out + n, room - n);
	sr_exit(sigrok);
	return n;
}
