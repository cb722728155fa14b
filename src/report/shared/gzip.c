#include "report/shared/gzip.h"

#include <limits.h>
#include <zlib.h>

enum { WINDOW_BITS = 15, AS_GZIP = 16, MEMORY_LEVEL = 8 };

static int compress_all(z_stream *z, struct pt_text *out)
{
	uint8_t piece[16384];
	int rc;

	do {
		z->next_out = piece;
		z->avail_out = sizeof(piece);
		rc = deflate(z, Z_FINISH);
		pt_text_bytes(out, piece, sizeof(piece) - z->avail_out);
	} while (rc == Z_OK && !out->overflow);
	return rc;
}

int pt_gzip(struct pt_text *out, const uint8_t *bytes, size_t len_bytes, struct pt_err *err)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)bytes, .avail_in = (unsigned)len_bytes };
	int rc;

	if (len_bytes > UINT_MAX || deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, WINDOW_BITS + AS_GZIP,
						 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return pt_fail(err, PT_ENOMEM, "not enough memory to compress %zu bytes", len_bytes);
	rc = compress_all(&z, out);
	deflateEnd(&z);
	return rc == Z_STREAM_END || out->overflow ? 0 : pt_fail(err, PT_ENOMEM, "the profile cannot be compressed");
}
