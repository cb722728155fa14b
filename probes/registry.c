/* From a URI to an open probe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/util.h"
#include "probes/registry_parts.h"
#include "probes/rsp/rsp_stream.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/hosted.h"

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
	struct pt_pick pick = { driver, pt_params_new(), out->settings };

	if (pt_pick_parse(&pick, rest, err) == 0)
		out->link = pt_pick_open(&pick, out->settings, &out->driver, err);
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
	else if (near.nearest[0] != '\0')
		snprintf(question->text, sizeof(question->text), "; did you mean %.40s:? ", near.nearest);
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
	struct pt_pick pick;
	int rc = 0;

	if (!find_scheme(uri, &scheme, &rest, err))
		return err->code;
	if (scheme.open == open_virtual)
		return check_virtual(rest, err);
	if (scheme.open != open_usb)
		return 0;
	pick = (struct pt_pick){ scheme.driver, pt_params_new(), pt_params_new() };
	rc = pt_pick_parse(&pick, rest, err);
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
	struct pt_pick pick = { scheme.driver, pt_params_new(), pt_params_new() };
	bool there = false;

	if (known && scheme.open == open_usb && pt_pick_parse(&pick, rest, &ignored) == 0)
		there = pt_pick_where(&pick, where, room);
	pt_params_free(pick.params);
	pt_params_free(pick.settings);
	return there;
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
