/* Parses a GDB server's target description, and adds to it. Pure: text in, text and rows out. Data from a server is
 * untrusted. Source: GDB manual, appendix "Target Descriptions". */
#ifndef PT_TARGETS_REMOTE_DESCRIPTION_H
#define PT_TARGETS_REMOTE_DESCRIPTION_H

#include "base/error.h"
#include "targets/contract/target.h"

enum { PT_DESCRIPTION_BYTES = 1 << 20, PT_DESCRIPTION_REGISTERS = 1024, PT_DESCRIPTION_INCLUDES = 64 };

/* Fetches one document by its name: malloc'd and NUL-terminated, or NULL. */
typedef char *pt_description_fetch(void *arg, const char *name, struct pt_err *err);

/* target.xml with its includes inserted: malloc'd. NULL: PT_EPROTO (an include without a name, or more includes or text
 * than the bounds above), or fetch's error. */
char *pt_description_read(pt_description_fetch *fetch, void *arg, struct pt_err *err);

struct pt_description {
	char architecture[48];		/* "" if not given */
	struct pt_register *row;	/* in the order of their numbers; registers of more than 64 bits are left out */
	uint32_t *offset;		/* byte offset of each in the g packet */
	size_t n_rows;
	uint32_t next;			/* the first number above all registers, also those left out */
	char *names;			/* strings of the rows */
};

/* PT_EPROTO: not a description, more registers than the bound, or a duplicate number; PT_ENOMEM. */
int pt_description_parse(const char *text, struct pt_description *out, struct pt_err *err);
void pt_description_free(struct pt_description *d);

/* The text with more features added before its end, or a description made only from rows (text NULL, architecture
 * given): malloc'd. PT_EPROTO: text has no </target>. Rows keep their gdb_number, in any order of features. */
char *pt_description_with(const char *text, const char *architecture, const struct pt_register *rows, size_t n,
			  struct pt_err *err);

#endif
