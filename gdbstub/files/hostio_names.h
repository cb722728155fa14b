/* The meaning of a name in vFile:open. Names cannot leave the board's own directory: they have letters, digits and -_.+
 * only, and no folders but those below. Pure. */
#ifndef PT_GDBSTUB_HOSTIO_NAMES_H
#define PT_GDBSTUB_HOSTIO_NAMES_H

#include "base/error.h"
#include "report/table/query.h"

enum pt_hostio_kind {
	PT_HOSTIO_FIRMWARE = 1,	/* "firmware.elf": the program's ELF; a new one becomes the symbols */
	PT_HOSTIO_PROFILE,	/* "profile/functions.csv": a report, made when it is opened; read-only */
	PT_HOSTIO_CAPTURE,	/* "capture/NAME": the raw trace of the last profile; read-only */
	PT_HOSTIO_FILE,		/* any other plain name: a file sent by GDB, kept until the server ends */
};

enum { PT_HOSTIO_NAME_BYTES = 64 };
#define PT_HOSTIO_EXEC_FILE "/firmware.elf"	/* the name in qXfer:exec-file */

struct pt_hostio_name {
	enum pt_hostio_kind kind;
	char name[PT_HOSTIO_NAME_BYTES];	/* FILE, CAPTURE: of the file */
	struct pt_query query;			/* PROFILE */
};

/* PT_EPERM: the name leads out of the directory. PT_EARG: there is no such name; the sentence lists those that
 * exist. */
int pt_hostio_parse(const char *path, struct pt_hostio_name *out, struct pt_err *err);

#endif
