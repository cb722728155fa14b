/* The token that a client has to know where other machines may connect. Only its digest is kept, and comparing takes
 * as long whatever differs. */
#ifndef PT_TOKEN_H
#define PT_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_TOKEN_LEAST = 16, PT_TOKEN_MOST = 256, PT_TOKEN_DIGEST_BYTES = 32 };	/* characters */

struct pt_token { uint8_t digest[PT_TOKEN_DIGEST_BYTES]; };

/* One word of visible ASCII characters, white space around it does not count. PT_EARG, with a sentence: no regular
 * file, one that its group or others may use, empty, too short, too long, or more than a word; PT_EIO: it cannot be
 * read. Never waits for a FIFO or a device. */
int pt_token_read(struct pt_token *token, const char *path, struct pt_err *err);
bool pt_token_fits(const struct pt_token *token, const char *word);

#endif
