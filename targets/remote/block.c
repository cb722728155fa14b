/* Accesses several registers in as few packets as the server allows: registers in the g packet are read by one g and
 * written by one G. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rsp_frame.h"
#include "targets/remote/remote_parts.h"

enum { G_BYTES = 8192 };

void pt_remote_block_free(struct pt_remote_block *b)
{
	free(b->text);
	memset(b, 0, sizeof(*b));
}

/* text has room for the packet "G..." and its terminator. An error of the server leaves it empty: p is used instead. */
static int fetch(struct pt_remote *r, struct pt_remote_block *b, struct pt_err *err)
{
	int len;

	if (b->text == NULL)
		b->text = malloc(2 * G_BYTES + 2);
	if (b->text == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for registers");
	b->text[0] = 'G';
	b->n_digits = 0;
	len = pt_remote_ask(r, "g", b->text + 1, 2 * G_BYTES + 1, err);
	if (len < 0 && len != PT_EFAULT && len != PT_EUNSUPPORTED)
		return len;
	b->n_digits = len > 0 ? (size_t)len : 0;
	return 0;
}

int pt_remote_block_read(struct pt_remote *r, struct pt_remote_block *b, const uint16_t *rows, size_t n,
			 uint64_t *values, struct pt_err *err)
{
	int rc = fetch(r, b, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		if (!pt_remote_value_at(r, b->text + 1, b->n_digits, r->offset[rows[i]], r->rows[rows[i]].bits,
					&values[i]))
			rc = pt_remote_read_by_p(r, rows[i], &values[i], err);
	return rc;
}

/* False: the g packet lacks a register, or has an unavailable value ("x") that cannot be written back. */
static bool put_all(struct pt_remote *r, struct pt_remote_block *b, const uint16_t *rows, size_t n,
		    const uint64_t *values)
{
	if (b->no_g || b->n_digits == 0 || memchr(b->text + 1, 'x', b->n_digits) != NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t n_bytes = (r->rows[rows[i]].bits + 7u) / 8, at = 2 * (size_t)r->offset[rows[i]];

		if (r->offset[rows[i]] == UINT32_MAX || at + 2 * n_bytes > b->n_digits)
			return false;
		pt_remote_put_value(r, b->text + 1 + at, n_bytes, values[i]);
	}
	return true;
}

int pt_remote_block_write(struct pt_remote *r, struct pt_remote_block *b, const uint16_t *rows, size_t n,
			  const uint64_t *values, struct pt_err *err)
{
	int rc = PT_EUNSUPPORTED;

	if (put_all(r, b, rows, n, values))
		rc = pt_remote_ask_ok(r, b->text, b->n_digits + 1, PT_REMOTE_ASK_MS, err);
	if (rc != PT_EUNSUPPORTED)
		return rc == 0 ? 0 : pt_wrap(err, "write registers");
	b->no_g = true;
	for (size_t i = 0; i < n; i++)
		if (pt_remote_write_by_p(r, rows[i], values[i], err) < 0)
			return err->code;
	return 0;
}
