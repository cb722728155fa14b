/* What the registry's files share: the devices that are plugged in, by each way to them, and the one that an address wishes
 * for. */
#ifndef PT_PROBES_REGISTRY_PARTS_H
#define PT_PROBES_REGISTRY_PARTS_H

#include "base/params.h"
#include "probes/links/links.h"
#include "probes/registry.h"

/* --- plugged_in.c ------------------------------------------------------------------------------------------------- */

/* One way to one device. */
struct pt_way {
	const struct pt_link_kind *kind;
	struct pt_link_found at;
};

/* Returns how many, or a negative code. *out is the caller's to free. */
int pt_ways_find(struct pt_way **out, struct pt_err *err);
/* Clones share serial numbers; then only the port tells them apart. NULL: no other device has the same one. */
const struct pt_link_found *pt_ways_twin(const struct pt_way *ways, int n, const struct pt_link_found *at);
/* The udev rule that permits it: by the name that its product has, or else by its numbers. */
void pt_way_rule(const struct pt_link_found *at, char *rule, size_t room);

/* --- pick.c ------------------------------------------------------------------------------------------------------- */

struct pt_pick {
	const struct pt_probe_ops *driver;	/* NULL: any */
	struct pt_params *params;
	struct pt_params *settings;	/* of the driver, as an address may have them, too */
};

/* text: "key=value&key=value". */
int pt_pick_parse(struct pt_pick *pick, const char *text, struct pt_err *err);
/* driver, out: whose the link is. NULL: err says why. */
struct pt_link *pt_pick_open(const struct pt_pick *pick, const struct pt_params *settings,
			     const struct pt_probe_ops **driver, struct pt_err *err);
/* Where it is, for people: "usb 1-2", or the address of a server. False: it is not there. */
bool pt_pick_where(const struct pt_pick *pick, char *where, size_t room);

#endif
