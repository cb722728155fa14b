/* Reads and writes ORTI files on this host. */
#ifndef PT_ORTI_FILE_H
#define PT_ORTI_FILE_H

#include "program/orti/orti.h"

/* NULL: PT_EIO, it cannot be read; PT_EARG, it is not an ORTI file. Blocks for as long as the disk takes. */
struct pt_orti *pt_orti_file(const char *path, struct pt_err *err);
/* Writes a new file; never overwrites one. PT_EIO with the system's reason. */
int pt_orti_save(const struct pt_orti *orti, const char *path, struct pt_err *err);

#endif
