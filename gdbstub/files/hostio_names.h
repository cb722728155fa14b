/* What a name in vFile:open stands for. There is no way out of the board's own directory: a name has the letters,
 * digits and -_.+ of a plain file name, and no more folders than these. Pure. */
#ifndef PT_GDBSTUB_HOSTIO_NAMES_H
#define PT_GDBSTUB_HOSTIO_NAMES_H

#include "base/error.h"
#include "report/table/query.h"

enum pt_hostio_kind {
	PT_HOSTIO_FIRMWARE = 1,	/* "firmware.elf": the program's ELF; one that is put becomes the symbols */
	PT_HOSTIO_PROFILE,	/* "profile/functions.csv": a report, made when it is opened; read-only */
	PT_HOSTIO_CAPTURE,	/* "capture/NAME": the raw trace of the last profile; read-only */
	PT_HOSTIO_FILE,		/* any other plain name: a file that was put, kept as long as the server runs */
};

enum { PT_HOSTIO_NAME_BYTES = 64 };
#define PT_HOSTIO_EXEC_FILE "/firmware.elf"	/* as qXfer:exec-file names it */

struct pt_hostio_name {
	enum pt_hostio_kind kind;
	char name[PT_HOSTIO_NAME_BYTES];	/* FILE, CAPTURE: of the file */
	struct pt_query query;			/* PROFILE */
};

/* PT_EPERM: it leads out of the directory. PT_EARG: nothing has that name; the sentence says which names there are. */
int pt_hostio_parse(const char *path, struct pt_hostio_name *out, struct pt_err *err);

#endif
