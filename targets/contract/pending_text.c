/* The text of what is pending: written whole, read as if it came from outside. A text that was cut off, or of which a
 * bit is another, has another sum at its end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/contract/pending_parts.h"

static const char first_line[] = "proftap-pending 1\n";

static uint64_t sum_of(const char *text, size_t len_bytes)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);	/* FNV-1a */

	for (size_t i = 0; i < len_bytes; i++)
		sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static void add_bytes(const struct pt_pending_row *row, struct pt_text *out)
{
	static const char digit[] = "0123456789abcdef";
	char *hex = pt_alloc((size_t)2 * row->len_bytes);

	for (size_t i = 0; i < row->len_bytes; i++) {
		hex[2 * i] = digit[row->bytes[i] >> 4];
		hex[2 * i + 1] = digit[row->bytes[i] & 15];
	}
	pt_text_add(out, "bytes %s %x %x %x %" PRIx64 " ", row->unit, row->kind, row->core, row->when, row->at);
	pt_text_bytes(out, hex, (size_t)2 * row->len_bytes);
	pt_text_bytes(out, "\n", 1);
	free(hex);
}

void pt_pending_text(const struct pt_pending *p, struct pt_text *out)
{
	pt_text_add(out, "%starget %s\nchip %s\n", first_line, p->target, p->chip);
	for (size_t i = 0; i < p->n; i++) {
		const struct pt_pending_row *row = &p->row[i];

		if (row->bytes != NULL)
			add_bytes(row, out);
		else
			pt_text_add(out,
				    "row %s %x %x %x %x %" PRIx64 " %" PRIx32 " %" PRIx32 " %" PRIx32 " %" PRIx32
				    " %" PRIx32 "\n",
				    row->unit, row->kind, row->core, row->width_bytes, row->when, row->at, row->was,
				    row->ours, row->check, row->mask, row->earlier);
	}
	pt_text_add(out, "end %016" PRIx64 "\n", sum_of(out->bytes, out->len_bytes));
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

struct reader { const char *at, *end; struct pt_err *err; };

static int refuse(const struct reader *r, const char *why)
{
	return pt_fail(r->err, PT_EARG, "the note of what is to be put back is not believed: %s", why);
}

static bool word(struct reader *r, const char *wanted)
{
	size_t len = strlen(wanted);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, wanted, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* Up to the end of the line. */
static bool rest_of_line(struct reader *r, char *out, size_t room)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	size_t len = end != NULL ? (size_t)(end - r->at) : 0;

	if (end == NULL || len >= room)
		return false;
	for (size_t i = 0; i < len; i++)
		if (r->at[i] < ' ' || r->at[i] > '~')
			return false;
	memcpy(out, r->at, len);
	out[len] = '\0';
	r->at = end + 1;
	return true;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool number(struct reader *r, uint64_t most, char behind, uint64_t *value)
{
	unsigned n = 0;

	for (*value = 0; r->at < r->end && digit_of(*r->at) >= 0 && n < 16; n++)
		*value = *value << 4 | (unsigned)digit_of(*r->at++);
	return n > 0 && *value <= most && r->at < r->end && *r->at++ == behind;
}

/* EARLIER, and the end of the line; a note of a version that did not have it ends before. */
static bool last_number(struct reader *r, bool there, uint32_t otherwise, uint32_t *value)
{
	uint64_t v = otherwise;

	if (there && !number(r, UINT32_MAX, '\n', &v))
		return false;
	*value = (uint32_t)v;
	return true;
}

static bool unit_name(struct reader *r, char *unit)
{
	size_t n = 0;

	for (; r->at < r->end && *r->at != ' ' && n + 1 < PT_PENDING_UNIT; r->at++) {
		char c = *r->at;

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.')
			return false;
		unit[n++] = c;
	}
	unit[n] = '\0';
	return n > 0 && r->at < r->end && *r->at++ == ' ';
}

static size_t words_to(const char *at, const char *end)
{
	size_t n = 1;

	for (; at < end; at++)
		n += *at == ' ';
	return n;
}

static bool read_row(struct reader *r, struct pt_pending_row *row)
{
	static const uint64_t most[] = { PT_PENDING_STOP, 7, 4, PT_PENDING_RUNNING, UINT64_MAX,
					 UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	uint64_t v[9];
	const char *end;
	bool is_new;

	if (!unit_name(r, row->unit))
		return false;
	end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	is_new = end != NULL && words_to(r->at, end) > 9;
	for (size_t i = 0; i < 9; i++)
		if (!number(r, most[i], i < 8 || is_new ? ' ' : '\n', &v[i]))
			return false;
	row->kind = (uint8_t)v[0];
	row->core = (uint8_t)v[1];
	row->width_bytes = (uint8_t)v[2];
	row->when = (uint8_t)v[3];
	row->at = v[4];
	row->was = (uint32_t)v[5];
	row->ours = (uint32_t)v[6];
	row->check = (uint32_t)v[7];
	row->mask = (uint32_t)v[8];
	if (!last_number(r, is_new, row->ours, &row->earlier))
		return false;
	return row->width_bytes == 1 || row->width_bytes == 2 || row->width_bytes == 4;
}

/* row->bytes is the caller's to free. */
static bool read_bytes(struct reader *r, struct pt_pending_row *row)
{
	const char *end;
	uint64_t kind, core, when;
	size_t n;

	if (!unit_name(r, row->unit) || !number(r, PT_PENDING_OWN, ' ', &kind) ||
	    (kind != PT_PENDING_MEM && kind != PT_PENDING_OWN) || !number(r, 7, ' ', &core) ||
	    !number(r, PT_PENDING_RUNNING, ' ', &when) || !number(r, UINT64_MAX, ' ', &row->at))
		return false;
	end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	n = end != NULL ? (size_t)(end - r->at) / 2 : 0;
	if (end == NULL || n == 0 || n > PT_PENDING_BYTES || (size_t)(end - r->at) != 2 * n)
		return false;
	row->kind = (uint8_t)kind;
	row->core = (uint8_t)core;
	row->when = (uint8_t)when;
	row->width_bytes = 1;
	row->len_bytes = (uint32_t)n;
	row->bytes = malloc(n);
	for (size_t i = 0; row->bytes != NULL && i < n; i++) {
		int high = digit_of(r->at[2 * i]), low = digit_of(r->at[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		row->bytes[i] = (uint8_t)(high << 4 | low);
	}
	r->at = end + 1;
	return row->bytes != NULL;
}

/* Behind the first two words: rows up to "end". */
static int read_rows(struct pt_pending *p, struct reader *r)
{
	while (r->at < r->end) {
		struct pt_pending_row row = { .kind = PT_PENDING_MEM };
		bool ok = p->n < PT_PENDING_ROWS &&
			  (word(r, "row ") ? read_row(r, &row) : word(r, "bytes ") && read_bytes(r, &row));

		if (ok)
			pt_pending_add(p, &row);
		free(row.bytes);
		if (!ok)
			return refuse(r, "a row makes no sense");
	}
	return 0;
}

/* The last line, and whether it is right about the others. */
static bool sum_fits(const char *text, size_t len_bytes, size_t *body_bytes)
{
	enum { END_BYTES = 4 + 16 + 1 };
	struct reader r = { text, text + len_bytes, NULL };
	uint64_t sum;

	if (len_bytes < END_BYTES)
		return false;
	r.at = r.end - END_BYTES;
	if (!word(&r, "end ") || !number(&r, UINT64_MAX, '\n', &sum) || r.at != r.end)
		return false;
	*body_bytes = len_bytes - END_BYTES;
	return sum == sum_of(text, *body_bytes);
}

int pt_pending_parse(struct pt_pending *p, const char *text, size_t len_bytes, struct pt_err *err)
{
	struct reader r = { text, text, err };
	size_t body_bytes = 0;
	int rc;

	while (p->n > 0)
		pt_pending_drop_row(p, p->n - 1);
	if (len_bytes > PT_PENDING_TEXT)
		return refuse(&r, "it is too long");
	if (!sum_fits(text, len_bytes, &body_bytes))
		return refuse(&r, "it is cut off, or was changed");
	r.end = text + body_bytes;
	if (!word(&r, first_line))
		return refuse(&r, "it is of another version");
	if (!word(&r, "target ") || !rest_of_line(&r, p->target, sizeof(p->target)) || !word(&r, "chip ") ||
	    !rest_of_line(&r, p->chip, sizeof(p->chip)))
		return refuse(&r, "it does not say of which chip it is");
	rc = read_rows(p, &r);
	while (rc < 0 && p->n > 0)
		pt_pending_drop_row(p, p->n - 1);
	return rc;
}
