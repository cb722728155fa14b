/* The list of what is plugged in. A device may be reachable in two ways; bulk comes before HID, because it moves more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "host/probe_notes.h"
#include "probes/logic/logic.h"
#include "probes/registry_parts.h"

static const struct pt_link_kind *const kinds[] = {
#define X(kind) &pt_##kind##_kind,
	PT_LINK_KINDS(X)
#undef X
};

enum { MAX_WAYS = PT_LEN(kinds) * PT_LINK_LIST_MAX };

int pt_ways_find(struct pt_way **out, struct pt_err *err)
{
	struct pt_link_found *found = pt_alloc_array(PT_LINK_LIST_MAX, sizeof(*found));
	struct pt_way *ways = pt_alloc_array(MAX_WAYS, sizeof(*ways));
	int n = 0, rc = 0;

	for (size_t k = 0; rc >= 0 && k < PT_LEN(kinds); k++) {
		rc = kinds[k]->list(pt_probe_drivers, pt_n_probe_drivers, found, PT_LINK_LIST_MAX, err);
		for (int i = 0; i < rc; i++)
			ways[n++] = (struct pt_way){ kinds[k], found[i] };
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

/* An address with it is one word, for a shell and for us. */
static bool is_plain(const char *serial)
{
	return serial[strspn(serial, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/@+")] == 0;
}

const struct pt_link_found *pt_ways_twin(const struct pt_way *ways, int n, const struct pt_link_found *at)
{
	for (int i = 0; i < n && at->serial[0] != 0; i++)
		if (strcmp(ways[i].at.serial, at->serial) == 0 && !same_device(&ways[i].at, at))
			return &ways[i].at;
	return NULL;
}

static bool serial_names_it(const struct pt_way *ways, int n, const struct pt_link_found *at)
{
	return at->serial[0] != 0 && (is_plain(at->serial) || at->usb_path[0] == 0) &&
	       pt_ways_twin(ways, n, at) == NULL;
}

void pt_way_rule(const struct pt_link_found *at, char *rule, size_t room)
{
	const struct pt_usb_id *ids = at->driver->usb;
	struct pt_usb_id id = { .vid = at->usb_vid, .pid = at->usb_pid, .name = ids[0].name };

	for (size_t i = 0; i < at->driver->n_usb && id.vid != 0; i++)
		if (ids[i].name != NULL && ids[i].vid == 0 && strstr(at->product, ids[i].name) != NULL)
			id = ids[i];
	pt_usb_id_rule(&id, 1, rule, room);
}

static void fill_row(struct pt_probe_found *row, const struct pt_way *ways, int n, const struct pt_link_found *at)
{
	*row = (struct pt_probe_found){ .usb_vid = at->usb_vid, .usb_pid = at->usb_pid };
	row->shares_serial = pt_ways_twin(ways, n, at) != NULL;
	if (serial_names_it(ways, n, at))
		snprintf(row->uri, sizeof(row->uri), "%s:serial=%s", at->driver->name, at->serial);
	else
		snprintf(row->uri, sizeof(row->uri), "%s:usb=%s", at->driver->name, at->usb_path);
	memcpy(row->product, at->product, sizeof(at->product));
	memcpy(row->serial, at->serial, sizeof(row->serial));
	memcpy(row->node[0], at->node, sizeof(row->node[0]));
	row->common = at->common;
	row->left_alone = at->driver->rsp != NULL ? "a GDB server"
			  : at->common		  ? "a chip that is in many devices"
						  : NULL;
	pt_way_rule(at, row->udev_rule, sizeof(row->udev_rule));
	snprintf(row->where, sizeof(row->where), "usb %s", at->usb_path[0] != 0 ? at->usb_path : "?");
}

static void add_transport(struct pt_probe_found *row, const struct pt_way *way)
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
	struct pt_way *ways;
	int n_ways = pt_ways_find(&ways, err);
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

const struct pt_probe_ops *pt_probe_of_usb(uint16_t vid, uint16_t pid, const char *product)
{
	for (size_t i = 0; i < pt_n_probe_drivers; i++) {
		const struct pt_probe_ops *driver = pt_probe_drivers[i];
		const struct pt_usb_id *row = pt_usb_id_numbered(driver->usb, driver->n_usb, vid, pid);

		if ((row != NULL && row->refused == NULL) ||
		    pt_usb_id_says(driver->usb, driver->n_usb, vid, pid, product))
			return driver;
	}
	return NULL;
}

size_t pt_probe_list_analysers(struct pt_logic_found *out, size_t max)
{
	return pt_logic_list(pt_logic_usb_drivers, out, max);
}
