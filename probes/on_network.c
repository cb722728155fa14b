/* The list of the probes on this machine's networks. They are other people's, too: none is opened by being listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/registry.h"

struct rows {
	const struct pt_probe_ops *driver;
	struct pt_probe_found *out;
	size_t max, n;
	bool more;		/* there was one that did not fit */
};

/* A probe answers once on each network that leads to it, and once to each question. */
static void add_row(void *arg, const struct pt_network_probe *at)
{
	struct rows *rows = arg;
	struct pt_probe_found *row = &rows->out[rows->n];

	for (size_t i = 0; i < rows->n; i++)
		if (strcmp(rows->out[i].where, at->address) == 0)
			return;
	if (rows->n == rows->max) {
		rows->more = true;
		return;
	}
	rows->n++;
	*row = (struct pt_probe_found){ .on_network = true, .permitted = true, .left_alone = "a probe on the network" };
	snprintf(row->uri, sizeof(row->uri), "%s:tcp=%s", rows->driver->name, at->address);
	snprintf(row->where, sizeof(row->where), "%s", at->address);
	strcpy(row->transports, "tcp");
	memcpy(row->product, at->product, sizeof(row->product));
	memcpy(row->serial, at->serial, sizeof(at->serial));
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct pt_probe_found *)a)->where, ((const struct pt_probe_found *)b)->where);
}

int pt_probe_list_network(struct pt_probe_found *out, size_t max, bool *more, struct pt_err *err)
{
	struct rows rows = { .out = out, .max = max };
	int n_networks = 0;

	for (size_t i = 0; i < pt_n_probe_drivers; i++) {
		rows.driver = pt_probe_drivers[i];
		int n = rows.driver->discover != NULL ? rows.driver->discover(add_row, &rows, err) : 0;

		if (n < 0)
			return n;
		n_networks += n;
	}
	if (n_networks == 0)
		return pt_fail(err, PT_EIO, "this machine is on no network");
	*more = rows.more;
	qsort(out, rows.n, sizeof(*out), by_address);
	return (int)rows.n;
}
