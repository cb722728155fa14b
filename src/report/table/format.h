/* A format defines how a table is written: text, json, a picture. */
#ifndef PT_REPORT_FORMAT_H
#define PT_REPORT_FORMAT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"
#include "report/table/view.h"

struct pt_profile;

struct pt_format {		/* one file each in report/, one word in the list */
	const char *name, *help;
	const char *suffix;	/* of the names of its files: ".json"; NULL: no suffix identifies it */
	const char *needs;	/* analyses that it needs, "tree,lines"; a subcommand that writes this format selects
				 * them. NULL: none */
	bool binary;		/* not text: unsuitable for a terminal */
	bool folder;		/* it consists of several files: out is an archive of them (ustar), which a subcommand
				 * unpacks */
	int (*write)(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err);
};

#endif
