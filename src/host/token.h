/* The token that a client must give if other machines can connect. Only its digest is stored, and a comparison takes the
 * same time wherever the difference is. */
#ifndef PT_TOKEN_H
#define PT_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_TOKEN_LEAST = 16, PT_TOKEN_MOST = 256, PT_TOKEN_DIGEST_BYTES = 32 };	/* characters */

struct pt_token { uint8_t digest[PT_TOKEN_DIGEST_BYTES]; };

/* Reads a token: one word of visible ASCII characters, ignoring white space around it. PT_EARG: not a regular file, its
 * group or others can read or write it, empty, too short, too long, or more than one word. PT_EIO: cannot be read. Never
 * waits for a FIFO or a device. */
int pt_token_read(struct pt_token *token, const char *path, struct pt_err *err);
bool pt_token_fits(const struct pt_token *token, const char *word);

#endif
