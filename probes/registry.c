/* From a URI to an open probe, and the list of what is plugged in. A device may be reachable in two ways; bulk comes
 * before HID, because it moves more. */
#include "base/nearest.h"
#include "probes/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "host/probe_notes.h"
#include "probes/links/links.h"
#include "probes/rsp/rsp_stream.h"
#include "probes/logic/logic.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/hosted.h"
#include "base/util.h"

static const struct pt_link_kind *const kinds[] = {
#define X(kind) &pt_##kind##_kind,
	PT_LINK_KINDS(X)
#undef X
};

/* One way to one device. */
struct way {
	const struct pt_link_kind *kind;
	struct pt_link_found at;
};

enum { MAX_WAYS = PT_LEN(kinds) * PT_LINK_LIST_MAX };

/* Returns how many, or a negative code. *out is the caller's to free. */
static int find_ways(struct way **out, struct pt_err *err)
{
	struct pt_link_found *found = pt_alloc_array(PT_LINK_LIST_MAX, sizeof(*found));
	struct way *ways = pt_alloc_array(MAX_WAYS, sizeof(*ways));
	int n = 0, rc = 0;

	for (size_t k = 0; rc >= 0 && k < PT_LEN(kinds); k++) {
		rc = kinds[k]->list(pt_probe_drivers, pt_n_probe_drivers, found, PT_LINK_LIST_MAX, err);
		for (int i = 0; i < rc; i++)
			ways[n++] = (struct way){ kinds[k], found[i] };
	}
	free(found);
	if (rc < 0) {
		free(ways);
		return rc;
	}
	*out = ways;
	return n;
}

static bool same_device(const struct pt_link_found *a, const struct pt_link_found *b)
{
	return a->usb_path[0] != 0 && strcmp(a->usb_path, b->usb_path) == 0;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

/* An address with it is one word, for a shell and for us. */
static bool is_plain(const char *serial)
{
	return serial[strspn(serial, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/@+")] == 0;
}

/* Clones share serial numbers; then only the port tells them apart. NULL: no other device has the same one. */
static const struct pt_link_found *twin_of(const struct way *ways, int n, const struct pt_link_found *at)
{
	for (int i = 0; i < n && at->serial[0] != 0; i++)
		if (strcmp(ways[i].at.serial, at->serial) == 0 && !same_device(&ways[i].at, at))
			return &ways[i].at;
	return NULL;
}

static bool serial_names_it(const struct way *ways, int n, const struct pt_link_found *at)
{
	return at->serial[0] != 0 && (is_plain(at->serial) || at->usb_path[0] == 0) && twin_of(ways, n, at) == NULL;
}

/* By the name that its product has, or else by its numbers. */
static void rule_for(const struct pt_link_found *at, char *rule, size_t room)
{
	const struct pt_usb_id *ids = at->driver->usb;
	struct pt_usb_id id = { .vid = at->usb_vid, .pid = at->usb_pid, .name = ids[0].name };

	for (size_t i = 0; i < at->driver->n_usb && id.vid != 0; i++)
		if (ids[i].name != NULL && ids[i].vid == 0 && strstr(at->product, ids[i].name) != NULL)
			id = ids[i];
	pt_usb_id_rule(&id, 1, rule, room);
}

static void fill_row(struct pt_probe_found *row, const struct way *ways, int n, const struct pt_link_found *at)
{
	*row = (struct pt_probe_found){ .usb_vid = at->usb_vid, .usb_pid = at->usb_pid };
	row->shares_serial = twin_of(ways, n, at) != NULL;
	if (serial_names_it(ways, n, at))
		snprintf(row->uri, sizeof(row->uri), "%s:serial=%s", at->driver->name, at->serial);
	else
		snprintf(row->uri, sizeof(row->uri), "%s:usb=%s", at->driver->name, at->usb_path);
	memcpy(row->product, at->product, sizeof(row->product));
	memcpy(row->serial, at->serial, sizeof(row->serial));
	memcpy(row->node[0], at->node, sizeof(row->node[0]));
	row->common = at->common;
	row->left_alone = at->driver->rsp != NULL ? "a GDB server"
			  : at->common		  ? "a chip that is in many devices"
						  : NULL;
	rule_for(at, row->udev_rule, sizeof(row->udev_rule));
	snprintf(row->where, sizeof(row->where), "usb %s", at->usb_path[0] != 0 ? at->usb_path : "?");
}

static void add_transport(struct pt_probe_found *row, const struct way *way)
{
	size_t len = strlen(row->transports);

	snprintf(row->transports + len, sizeof(row->transports) - len, "%s%s", len > 0 ? " " : "", way->kind->name);
	row->permitted |= way->at.permitted;
	if (strcmp(row->node[0], way->at.node) != 0)
		memcpy(row->node[1], way->at.node, sizeof(row->node[1]));
}

int pt_probe_list(struct pt_probe_found *out, size_t max, struct pt_err *err)
{
	const struct pt_link_found *devices[MAX_WAYS];
	struct way *ways;
	int n_ways = find_ways(&ways, err);
	size_t n = 0;

	if (n_ways < 0)
		return n_ways;
	for (int i = 0; i < n_ways; i++) {
		const struct pt_link_found *at = &ways[i].at;
		size_t row = 0;

		while (row < n && !same_device(devices[row], at))
			row++;
		if (row == n) {
			devices[n++] = at;
			if (row < max)
				fill_row(&out[row], ways, n_ways, at);
		}
		if (row < max)
			add_transport(&out[row], &ways[i]);
	}
	free(ways);
	return (int)n;
}

int pt_probe_busy(const struct pt_probe_found *found, struct pt_err *err)
{
	const char *const nodes[] = { found->node[0], found->node[1] };

	return pt_link_busy(found->where, nodes, PT_LEN(nodes), err);
}

int pt_probe_noted(const struct pt_probe_found *found, struct pt_err *err)
{
	char address[256];

	return pt_note_find(found->where, address, sizeof(address)) ? pt_probe_busy(found, err) : 0;
}

/* --- which one ---------------------------------------------------------------------------------------------------- */

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

struct pick {
	const struct pt_probe_ops *driver;	/* NULL: any */
	struct pt_params *params;
	struct pt_params *settings;	/* of the driver, as an address may have them, too */
};

static bool is_setting(const struct pt_probe_ops *driver, const char *word)
{
	size_t len = strcspn(word, "="), i = 0;

	while (driver != NULL && i < driver->n_params &&
	       (strlen(driver->params[i].key) != len || strncmp(driver->params[i].key, word, len) != 0))
		i++;
	return driver != NULL && i < driver->n_params;
}

/* "key=value&key=value" */
static int parse_pick(struct pick *pick, const char *text, struct pt_err *err)
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

static bool fits(const struct way *way, const struct pick *pick)
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

	rule_for(at, rule, sizeof(rule));
	return pt_fail(err, PT_EPERM,
		       "no permission for the probe at usb %s; put the line  %s  "
		       "into /etc/udev/rules.d/60-proftap.rules, run \"udevadm control --reload\" and replug the probe",
		       at->usb_path, rule);
}

/* "serial=S, id=VID:PID": what the address asked for; "" when it asked for nothing. */
static const char *list_wishes(const struct pick *pick, char *text, size_t room)
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

static int none_fits(const struct way *ways, int n, const struct pick *pick, struct pt_err *err)
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

static struct pt_link *open_way(const struct way *way, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_link_found at = way->at;
	int channel = 0;

	if (at.driver->channel != NULL)
		channel = at.driver->channel(settings, at.product, at.usb_pid, err);
	at.channel = (unsigned)channel;
	return channel >= 0 ? way->kind->open(&at, err) : NULL;
}

/* A serial number names one probe, unless another has the same and no port is named. */
static int check_twins(const struct way *ways, int n, const struct way *way, const struct pick *pick,
		       struct pt_err *err)
{
	const struct pt_link_found *at = &way->at, *twin = twin_of(ways, n, at);

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

/* The first that fits and may be opened; when none may, the sentence is about the first that fits. */
static struct pt_link *open_one(const struct way *ways, int n, const struct pick *pick,
				const struct pt_params *settings, const struct pt_probe_ops **driver,
				struct pt_err *err)
{
	const struct way *seen = NULL;

	for (int i = 0; i < n; i++) {
		if (!fits(&ways[i], pick))
			continue;
		seen = seen != NULL ? seen : &ways[i];
		*driver = ways[i].at.driver;
		if (check_twins(ways, n, &ways[i], pick, err) < 0)
			return NULL;
		if (ways[i].at.permitted)
			return open_way(&ways[i], settings, err);
	}
	if (seen != NULL)
		no_permission(&seen->at, err);
	else
		none_fits(ways, n, pick, err);
	return NULL;
}

static struct pt_link *open_picked(const struct pick *pick, const struct pt_params *settings,
				   const struct pt_probe_ops **driver, struct pt_err *err)
{
	const char *tcp = pt_params_text(pick->params, &pick_params[PICK_TCP]);
	struct pt_link *link;
	struct way *ways;
	int n;

	*driver = pick->driver;
	if (tcp != NULL)	/* CMSIS-DAP, where the driver has no stream of its own */
		return pt_stream_link_open(tcp, pick->driver != NULL ? pick->driver->framing : NULL, err);
	n = find_ways(&ways, err);
	if (n < 0)
		return NULL;
	link = open_one(ways, n, pick, settings, driver, err);
	free(ways);
	return link;
}

static bool where_picked(const struct pick *pick, char *where, size_t room)
{
	const char *tcp = pt_params_text(pick->params, &pick_params[PICK_TCP]);
	struct pt_err ignored;
	struct way *ways;
	int n, i = 0;

	if (tcp != NULL) {
		snprintf(where, room, "%s", tcp);
		return true;
	}
	n = find_ways(&ways, &ignored);
	if (n < 0)
		return false;
	while (i < n && !fits(&ways[i], pick))
		i++;
	if (i < n)
		snprintf(where, room, "usb %s", ways[i].at.usb_path);
	free(ways);
	return i < n;
}

/* --- schemes ---------------------------------------------------------------------------------------------------------- */

/* A link, and whose it is. */
struct opening {
	struct pt_link *link;
	const struct pt_probe_ops *driver;
	bool no_pins;			/* the address says so */
	struct pt_params *settings;	/* the user's, and those of the address */
};

/* driver NULL: whatever is plugged in first. */
static int open_usb(const struct pt_probe_ops *driver, const char *rest, struct opening *out, struct pt_err *err)
{
	struct pick pick = { driver, pt_params_new(), out->settings };

	if (parse_pick(&pick, rest, err) == 0)
		out->link = open_picked(&pick, out->settings, &out->driver, err);
	pt_params_free(pick.params);
	return out->link != NULL ? 0 : err->code;
}

/* A GDB server speaks unasked, so it is a server in this process, too. */
static struct pt_link *open_hosted(const char *rest, struct pt_err *err)
{
	char address[PT_VHOSTED_ADDRESS_BYTES], name[32];
	struct pt_vhosted *hosted = pt_vhosted_start(rest, address, err);
	struct pt_link *link = hosted != NULL ? pt_rsp_link_open(address, err) : NULL;

	if (link == NULL) {
		pt_vhosted_stop(hosted);
		return NULL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "?"), rest);
	pt_rsp_link_own(link, name, pt_vhosted_stop, hosted);
	return link;
}

static int open_virtual(const struct pt_probe_ops *none, const char *rest, struct opening *out, struct pt_err *err)
{
	const char *name = pt_vboard_probe(rest, err);

	(void)none;
	out->driver = name != NULL ? pt_probe_driver(name, strlen(name)) : NULL;
	if (name != NULL && out->driver == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this version has no driver for the probe %s", name);
	if (out->driver != NULL)
		out->link = out->driver->rsp != NULL ? open_hosted(rest, err) : pt_model_link_open(rest, err);
	out->no_pins = !pt_vboard_has_pins(rest);
	return out->link != NULL ? 0 : err->code;
}

/* A server on the network: "HOST[:PORT]" or "unix:PATH". */
static int open_stream(const struct pt_probe_ops *driver, const char *rest, struct opening *out, struct pt_err *err)
{
	out->driver = driver;
	if (rest[0] == 0)
		return pt_fail(err, PT_EARG, "%s: the server is missing; %s or %s:unix:PATH", driver->name,
			       driver->address, driver->name);
	out->link = pt_stream_link_open(rest, driver->framing, err);
	return out->link != NULL ? 0 : err->code;
}

static int open_own(const struct pt_probe_ops *driver, const char *rest, struct opening *out, struct pt_err *err)
{
	out->driver = driver;
	out->link = driver->connect(rest, err);
	return out->link != NULL ? 0 : err->code;
}

struct scheme {
	const char *name, *forms;	/* as a sentence lists them; NULL: not in this version */
	int (*open)(const struct pt_probe_ops *driver, const char *rest, struct opening *out, struct pt_err *err);
	const struct pt_probe_ops *driver;
};

/* What is no driver's: the first stand before the drivers, the others behind. */
static const struct scheme others[] = {
	{ "virtual", "virtual:NAME", open_virtual, NULL },
	{ "usb", PT_PROBE_ANY_USB, open_usb, NULL },
	{ "icdi", NULL, NULL, NULL },
};
enum { N_FIRST = 2 };

static struct scheme scheme_of(const struct pt_probe_ops *driver)
{
	return (struct scheme){ driver->name, driver->address,
				driver->connect != NULL	  ? open_own
				: driver->usb != NULL	  ? open_usb
				: driver->framing != NULL ? open_stream
							  : open_usb,
				driver };
}

/* All of them, in the order in which they are listed; false behind the last. */
static bool scheme_at(size_t i, struct scheme *out)
{
	size_t n = N_FIRST;	/* this many come before the driver at hand */

	for (size_t k = 0; i >= N_FIRST && k < pt_n_probe_drivers; k++)
		if (pt_probe_drivers[k]->address != NULL && n++ == i) {
			*out = scheme_of(pt_probe_drivers[k]);
			return true;
		}
	i = i < N_FIRST ? i : i - (n - N_FIRST);
	if (i < PT_LEN(others))
		*out = others[i];
	return i < PT_LEN(others);
}

/* HOST:PORT, or a serial device, as GDB's target remote takes them. */
static bool is_server(const char *uri)
{
	const char *port = strrchr(uri, ':');

	return strncmp(uri, "/dev/tty", strlen("/dev/tty")) == 0 ||
	       (port != NULL && port != uri && port[1] != '\0' && strspn(port + 1, "0123456789") == strlen(port + 1));
}

/* A virtual board by its name alone, or a scheme with a slip. */
static const char *nearest_probe(const char *uri, size_t len, struct pt_question *question)
{
	struct pt_nearest near;
	struct scheme scheme;
	char board[80];
	size_t n;

	snprintf(board, sizeof(board), "virtual:%.*s", (int)len, uri);
	pt_nearest_init(&near, uri, len);
	for (size_t i = 0; scheme_at(i, &scheme); i++)
		pt_nearest_offer(&near, scheme.name);
	if (is_server(uri))
		snprintf(question->text, sizeof(question->text), "; did you mean rsp:%.40s? ", uri);
	else if (len <= PT_NEAREST_BYTES && uri[len] == '\0' && pt_probe_demo(board, &n) != NULL)
		snprintf(question->text, sizeof(question->text), "; did you mean %.40s? ", board);
	else
		pt_nearest_question(&near, question->text, sizeof(question->text));
	return question->text;
}

/* "virtual:NAME, ... and logic:FILE.sr" */
static const char *list_forms(char *text, size_t room)
{
	struct scheme scheme, next;
	size_t len = 0;

	for (size_t i = 0; scheme_at(i, &scheme) && scheme.forms != NULL && len < room; i++) {
		bool last = !scheme_at(i + 1, &next) || next.forms == NULL;

		len += (size_t)snprintf(text + len, room - len, "%s%s",
					i == 0 ? ""
					: last ? " and "
					       : ", ",
					scheme.forms);
	}
	return text;
}

/* The scheme of uri, and what stands behind its colon. */
static bool find_scheme(const char *uri, struct scheme *scheme, const char **rest, struct pt_err *err)
{
	size_t len = strcspn(uri, ":");
	struct pt_question question;
	char forms[600];

	for (size_t i = 0; uri[len] == ':' && scheme_at(i, scheme); i++) {
		if (strlen(scheme->name) != len || strncmp(scheme->name, uri, len) != 0)
			continue;
		*rest = uri + len + 1;
		if (scheme->open == NULL)
			pt_fail(err, PT_EARG,
				"%s: not built in this version; a GDB server that drives the probe works: rsp:HOST:PORT",
				scheme->name);
		return scheme->open != NULL;
	}
	pt_fail(err, PT_EARG, "\"%s\" names no probe%sthere are %s", uri, nearest_probe(uri, len, &question),
		list_forms(forms, sizeof(forms)));
	return false;
}

struct pt_probe *pt_probe_open(const char *uri, const struct pt_params *settings, struct pt_err *err)
{
	struct scheme scheme = { .open = open_usb };	/* any that is plugged in */
	const char *rest = "";
	struct opening opening = { .settings = pt_params_copy(settings) };
	struct pt_err why = { 0 };
	struct pt_probe *probe = NULL;

	if (uri[0] != 0 && !find_scheme(uri, &scheme, &rest, err))
		goto free_settings;
	if (scheme.open(scheme.driver, rest, &opening, &why) < 0) {
		pt_fail(err, why.code, "%s", why.msg);
		goto free_settings;
	}
	probe = pt_probe_open_link(opening.driver, opening.link, opening.settings, err);
	if (probe != NULL && opening.no_pins)
		pt_probe_hide(probe, PT_WIRE_PINS);
free_settings:
	pt_params_free(opening.settings);
	return probe;
}

/* "NAME?key=value&key=value" */
static int check_virtual(const char *rest, struct pt_err *err)
{
	const char *at = strchr(rest, '?');
	char name[32], word[256];
	const struct pt_vboard_ops *board;
	struct pt_params *settings;
	int rc = 0;

	if (pt_vboard_probe(rest, err) == NULL)
		return err->code;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "?"), rest);
	board = pt_vboard_find(name, err);
	settings = pt_params_new();
	for (size_t len; rc == 0 && at != NULL && at[1] != '\0'; at = at[len + 1] == '&' ? at + len + 1 : NULL) {
		len = strcspn(at + 1, "&");
		snprintf(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : (int)sizeof(word) - 1, at + 1);
		rc = pt_vboard_add_word(board, settings, word, err);
	}
	pt_params_free(settings);
	return rc;
}

int pt_probe_check_uri(const char *uri, struct pt_err *err)
{
	struct scheme scheme;
	const char *rest;
	struct pick pick;
	int rc = 0;

	if (!find_scheme(uri, &scheme, &rest, err))
		return err->code;
	if (scheme.open == open_virtual)
		return check_virtual(rest, err);
	if (scheme.open != open_usb)
		return 0;
	pick = (struct pick){ scheme.driver, pt_params_new(), pt_params_new() };
	rc = parse_pick(&pick, rest, err);
	pt_params_free(pick.params);
	pt_params_free(pick.settings);
	return rc;
}

void pt_probe_each_virtual(void (*each)(void *arg, const char *uri), void *arg)
{
	char uri[80];

	for (size_t i = 0; i < pt_n_vboards; i++) {
		snprintf(uri, sizeof(uri), "virtual:%s", pt_vboards[i]->name);
		each(arg, uri);
	}
}

/* Virtual boards are nobody else's. */
bool pt_probe_where(const char *uri, char *where, size_t room)
{
	struct pt_err ignored;
	const char *rest = "";
	struct scheme scheme = { .open = open_usb };
	bool known = uri[0] == 0 || find_scheme(uri, &scheme, &rest, &ignored);
	struct pick pick = { scheme.driver, pt_params_new(), pt_params_new() };
	bool there = false;

	if (known && scheme.open == open_usb && parse_pick(&pick, rest, &ignored) == 0)
		there = where_picked(&pick, where, room);
	pt_params_free(pick.params);
	pt_params_free(pick.settings);
	return there;
}

const struct pt_probe_ops *pt_probe_of_usb(uint16_t vid, uint16_t pid, const char *product)
{
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		if (pt_usb_id_numbered(pt_probe_drivers[i]->usb, pt_probe_drivers[i]->n_usb, vid, pid) != NULL ||
		    pt_usb_id_says(pt_probe_drivers[i]->usb, pt_probe_drivers[i]->n_usb, vid, pid, product))
			return pt_probe_drivers[i];
	return NULL;
}

size_t pt_probe_list_analysers(struct pt_logic_found *out, size_t max)
{
	return pt_logic_list(pt_logic_usb_drivers, out, max);
}

/* What stands behind "virtual:"; NULL: the address is of another kind. */
static const char *virtual_rest(const char *uri)
{
	static const char scheme[] = "virtual:";

	return strncmp(uri, scheme, strlen(scheme)) == 0 ? uri + strlen(scheme) : NULL;
}

const uint8_t *pt_probe_demo(const char *uri, size_t *len_bytes)
{
	const char *rest = virtual_rest(uri);
	char name[32];

	if (rest == NULL)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "?"), rest);
	return pt_vboard_demo(name, len_bytes);
}

void pt_probe_reports(const char *uri, void (*say)(void *arg, const char *word), void *arg)
{
	const char *rest = virtual_rest(uri);

	if (rest != NULL)
		pt_vboard_told(rest, say, arg);
}
