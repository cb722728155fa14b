/* A gzip member (RFC 1952) without name and time, so that the same input gives the same bytes. */
#ifndef PT_REPORT_GZIP_H
#define PT_REPORT_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Append bytes, compressed, to out. PT_ENOMEM. */
int pt_gzip(struct pt_text *out, const uint8_t *bytes, size_t len_bytes, struct pt_err *err);

#endif
