/* An ORTI file from the disk of this host. */
#ifndef PT_ORTI_FILE_H
#define PT_ORTI_FILE_H

#include "program/orti/orti.h"

/* NULL: PT_EIO, it cannot be read; PT_EARG, it is no ORTI file. Blocks for as long as the disk takes. */
struct pt_orti *pt_orti_file(const char *path, struct pt_err *err);
/* Writes one; what is there already is not overwritten. PT_EIO with the system's reason. */
int pt_orti_save(const struct pt_orti *orti, const char *path, struct pt_err *err);

#endif
