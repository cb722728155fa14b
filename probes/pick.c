/* Which of the probes that are plugged in an address wishes for, and its link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "probes/registry_parts.h"
#include "probes/rsp/rsp_stream.h"

enum { PICK_SERIAL, PICK_USB, PICK_ID, PICK_TCP, PICK_LINK };
enum { N_USB_PICKS = 3 };	/* what every probe on USB takes */

static const struct pt_param pick_params[] = {
	[PICK_SERIAL] = { "serial", PT_PARAM_TEXT, NULL, NULL, 0, 0,
			  "the probe with this serial number; S*: that begins so; A|B: either" },
	[PICK_USB] = { "usb", PT_PARAM_TEXT, NULL, NULL, 0, 0, "the probe at this port, BUS-PORT.PORT" },
	[PICK_ID] = { "id", PT_PARAM_TEXT, NULL, NULL, 0, 0, "the probe of these numbers, VID:PID; A|B: either" },
	[PICK_TCP] = { "tcp", PT_PARAM_TEXT, NULL, NULL, 0, 0, "a probe served at HOST:PORT" },
#define X(kind) "|" #kind
	[PICK_LINK] = { "link", PT_PARAM_CHOICE, "any", "any" PT_LINK_KINDS(X), 0, 0, "reach it this way only" },
#undef X
};

static bool is_setting(const struct pt_probe_ops *driver, const char *word)
{
	size_t len = strcspn(word, "="), i = 0;

	while (driver != NULL && i < driver->n_params &&
	       (strlen(driver->params[i].key) != len || strncmp(driver->params[i].key, word, len) != 0))
		i++;
	return driver != NULL && i < driver->n_params;
}

int pt_pick_parse(struct pt_pick *pick, const char *text, struct pt_err *err)
{
	size_t n_picks = pick->driver == NULL || pick->driver->other_links ? PT_LEN(pick_params)
			 : pick->driver->framing != NULL		   ? PICK_TCP + 1
									   : N_USB_PICKS;
	int rc = 0;

	while (rc == 0 && *text != 0) {
		size_t len = strcspn(text, "&");
		char word[256];

		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
		if (is_setting(pick->driver, word))
			rc = pt_params_add(pick->settings, pick->driver->params, pick->driver->n_params, word, err);
		else
			rc = pt_params_add(pick->params, pick_params, n_picks, word, err);
		text += len + (text[len] == '&');
	}
	return rc;
}

/* "A|B*": is it one of these? A star stands for any end. */
static bool is_one_of(const char *text, const char *patterns)
{
	for (const char *at = patterns; at != NULL; at = strchr(at, '|')) {
		size_t len;

		at += *at == '|';
		len = strcspn(at, "|");
		if (len > 0 && at[len - 1] == '*' ? strncmp(text, at, len - 1) == 0
						  : strlen(text) == len && strncmp(text, at, len) == 0)
			return true;
	}
	return false;
}

static bool has_id(const struct pt_link_found *at, const char *ids)
{
	char id[10];

	snprintf(id, sizeof(id), "%04x:%04x", at->usb_vid, at->usb_pid);
	return is_one_of(id, ids);
}

/* A J-Link's has zeros in front that its label has not. */
static bool same_serial(const char *asked, const char *own)
{
	bool digits = asked[strspn(asked, "0123456789")] == 0 && own[strspn(own, "0123456789")] == 0;

	if (digits) {
		asked += strspn(asked, "0");
		own += strspn(own, "0");
	}
	return strcmp(asked, own) == 0;
}

static bool fits(const struct pt_way *way, const struct pt_pick *pick)
{
	const char *serial = pt_params_text(pick->params, &pick_params[PICK_SERIAL]);
	const char *usb = pt_params_text(pick->params, &pick_params[PICK_USB]);
	const char *id = pt_params_text(pick->params, &pick_params[PICK_ID]);
	const char *link = pt_params_text(pick->params, &pick_params[PICK_LINK]);

	bool which = serial != NULL || usb != NULL || id != NULL;

	return (pick->driver == way->at.driver || (pick->driver == NULL && (which || !way->at.common))) &&
	       (serial == NULL || same_serial(serial, way->at.serial) || is_one_of(way->at.serial, serial)) &&
	       (usb == NULL || strcmp(usb, way->at.usb_path) == 0) && (id == NULL || has_id(&way->at, id)) &&
	       (strcmp(link, "any") == 0 || strcmp(link, way->kind->name) == 0);
}

static int no_permission(const struct pt_link_found *at, struct pt_err *err)
{
	char rule[256];

	pt_way_rule(at, rule, sizeof(rule));
	return pt_fail(err, PT_EPERM,
		       "no permission for the probe at usb %s; put the line  %s  "
		       "into /etc/udev/rules.d/60-proftap.rules, run \"udevadm control --reload\" and replug the probe",
		       at->usb_path, rule);
}

/* "serial=S, id=VID:PID": what the address asked for; "" when it asked for nothing. */
static const char *list_wishes(const struct pt_pick *pick, char *text, size_t room)
{
	static const int wishes[] = { PICK_SERIAL, PICK_USB, PICK_ID };
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < PT_LEN(wishes) && len < room; i++) {
		const struct pt_param *param = &pick_params[wishes[i]];
		const char *value = pt_params_text(pick->params, param);

		if (value != NULL)
			len += (size_t)snprintf(text + len, room - len, "%s%s=%s", len > 0 ? ", " : "", param->key,
						value);
	}
	return text;
}

static int none_fits(const struct pt_way *ways, int n, const struct pt_pick *pick, struct pt_err *err)
{
	char wishes[200];

	if (n > 0)
		return pt_fail(err, PT_EIO, "no such probe; plugged in is %s (%s:, serial %s, usb %s)",
			       ways[0].at.product, ways[0].at.driver->name,
			       ways[0].at.serial[0] != 0 ? ways[0].at.serial : "none", ways[0].at.usb_path);
	if (list_wishes(pick, wishes, sizeof(wishes))[0] != '\0')
		return pt_fail(err, PT_EIO, "no %s%sprobe with %s is plugged in; `proftap probes` lists what is",
			       pick->driver != NULL ? pick->driver->name : "", pick->driver != NULL ? " " : "", wishes);
	if (pick->driver == NULL)
		return pt_fail(err, PT_EIO,
			       "no probe is plugged in; name one with --probe, or try --probe virtual:kl27, a board "
			       "without hardware");
	return pt_fail(err, PT_EIO, "no %s probe is plugged in; `proftap probes` lists what is", pick->driver->name);
}

static struct pt_link *open_way(const struct pt_way *way, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_link_found at = way->at;
	int channel = 0;

	if (at.driver->channel != NULL)
		channel = at.driver->channel(settings, at.product, at.usb_pid, err);
	at.channel = (unsigned)channel;
	return channel >= 0 ? way->kind->open(&at, err) : NULL;
}

/* A serial number names one probe, unless another has the same and no port is named. */
static int check_twins(const struct pt_way *ways, int n, const struct pt_way *way, const struct pt_pick *pick,
		       struct pt_err *err)
{
	const struct pt_link_found *at = &way->at, *twin = pt_ways_twin(ways, n, at);

	if (twin == NULL || pt_params_text(pick->params, &pick_params[PICK_SERIAL]) == NULL ||
	    pt_params_text(pick->params, &pick_params[PICK_USB]) != NULL)
		return 0;
	return pt_fail(
		err, PT_EIO,
		"the probes at usb %s and usb %s have the same serial number, %s: name one by its port, %s:usb=%s or "
		"%s:usb=%s",
		at->usb_path, twin->usb_path, at->serial, at->driver->name, at->usb_path, twin->driver->name,
		twin->usb_path);
}

static void cannot_open(const struct pt_link_found *at, struct pt_err *err)
{
	if (at->refused != NULL)
		pt_fail(err, PT_EUNSUPPORTED, "the probe at usb %s is %s", at->usb_path, at->refused);
	else
		no_permission(at, err);
}

/* The first that fits and may be opened; when none may, the sentence is about the first that fits. */
static struct pt_link *open_one(const struct pt_way *ways, int n, const struct pt_pick *pick,
				const struct pt_params *settings, const struct pt_probe_ops **driver,
				struct pt_err *err)
{
	const struct pt_way *seen = NULL;

	for (int i = 0; i < n; i++) {
		if (!fits(&ways[i], pick))
			continue;
		seen = seen != NULL ? seen : &ways[i];
		*driver = ways[i].at.driver;
		if (check_twins(ways, n, &ways[i], pick, err) < 0)
			return NULL;
		if (ways[i].at.permitted && ways[i].at.refused == NULL)
			return open_way(&ways[i], settings, err);
	}
	if (seen != NULL)
		cannot_open(&seen->at, err);
	else
		none_fits(ways, n, pick, err);
	return NULL;
}

struct pt_link *pt_pick_open(const struct pt_pick *pick, const struct pt_params *settings,
			     const struct pt_probe_ops **driver, struct pt_err *err)
{
	const char *tcp = pt_params_text(pick->params, &pick_params[PICK_TCP]);
	struct pt_link *link;
	struct pt_way *ways;
	int n;

	*driver = pick->driver;
	if (tcp != NULL)	/* CMSIS-DAP, where the driver has no stream of its own */
		return pt_stream_link_open(tcp, pick->driver != NULL ? pick->driver->framing : NULL, err);
	n = pt_ways_find(&ways, err);
	if (n < 0)
		return NULL;
	link = open_one(ways, n, pick, settings, driver, err);
	free(ways);
	return link;
}

bool pt_pick_where(const struct pt_pick *pick, char *where, size_t room)
{
	const char *tcp = pt_params_text(pick->params, &pick_params[PICK_TCP]);
	struct pt_err ignored;
	struct pt_way *ways;
	int n, i = 0;

	if (tcp != NULL) {
		snprintf(where, room, "%s", tcp);
		return true;
	}
	n = pt_ways_find(&ways, &ignored);
	if (n < 0)
		return false;
	while (i < n && !fits(&ways[i], pick))
		i++;
	if (i < n)
		snprintf(where, room, "usb %s", ways[i].at.usb_path);
	free(ways);
	return i < n;
}
