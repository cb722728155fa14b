/* SHA-256 by nettle, to find out whether two files are the same. Pure. Source: FIPS 180-4. */
#ifndef PT_SHA256_H
#define PT_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PT_SHA256_TEXT = 65 };	/* 64 hex digits and a NUL */

/* The digest of bytes in lower-case hex. Returns text. */
char *pt_sha256_text(const uint8_t *bytes, size_t len_bytes, char text[PT_SHA256_TEXT]);

#endif
