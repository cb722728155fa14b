/* The refusal of a probe that another process has. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "host/owners.h"
#include "host/probe_notes.h"
#include "probes/links/links.h"

int pt_link_busy(const char *where, const char *const *nodes, size_t n_nodes, struct pt_err *err)
{
	struct pt_owner owners[4];
	char address[256], text[256];

	pt_owners_say(owners, pt_owners_of(nodes, n_nodes, owners, PT_LEN(owners)), text, sizeof(text));
	if (!pt_note_find(where, address, sizeof(address)))
		return pt_fail(err, PT_EBUSY, "the probe at %s is in use by %s: end that first", where, text);
	if (strcmp(address, "stdio") == 0)
		return pt_fail(err, PT_EBUSY,
			       "the probe at %s is in use by %s, which serves its own standard input: end that first",
			       where, text);
	return pt_fail(err, PT_EBUSY,
		       "the probe at %s is in use by %s, which serves GDB at %s: connect there, or end it first", where,
		       text, address);
}
