#include <nettle/base16.h>
#include <nettle/sha2.h>

#include "base/sha256.h"

_Static_assert(PT_SHA256_TEXT == BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE) + 1, "the digest in hex, and a NUL");

char *pt_sha256_text(const uint8_t *bytes, size_t len_bytes, char text[PT_SHA256_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha256;

	sha256_init(&sha256);
	sha256_update(&sha256, len_bytes, bytes);
	sha256_digest(&sha256, sizeof(digest), digest);
	base16_encode_update(text, sizeof(digest), digest);
	text[PT_SHA256_TEXT - 1] = '\0';
	return text;
}
