#include "targets/remote/tcl_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "targets/contract/mem.h"

bool pt_tcl_is_name(const char *name)
{
	size_t len = 0;

	while (isalnum((unsigned char)name[len]) || (name[len] != '\0' && strchr("._-:+", name[len]) != NULL))
		len++;
	return len > 0 && len < PT_TCL_NAME_BYTES && name[len] == '\0';
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

struct text {
	char *at, *end;			/* at == end: full */
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(t->at, (size_t)(t->end - t->at), fmt, args);
	va_end(args);
	t->at = len >= 0 && len < t->end - t->at ? t->at + len : t->end;
}

static uint32_t value_at(const uint8_t *bytes, unsigned width, bool big_endian)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value = value << 8 | bytes[big_endian ? i : width - 1 - i];
	return value;
}

static void put_value_at(uint8_t *bytes, unsigned width, bool big_endian, uint32_t value)
{
	for (unsigned i = 0; i < width; i++, value >>= 8)
		bytes[big_endian ? width - 1 - i : i] = (uint8_t)value;
}

static void put_read(struct text *t, const char *target, const struct pt_tcl_piece *p)
{
	unsigned bits = 8u * p->width_bytes;

	if (p->fixed)
		put(t,
		    "set i %" PRIu32 ";while {$i>0} {append a [%s read_memory 0x%" PRIx64
		    " %u 1] { };incr i -1};append a |;",
		    p->n, target, p->addr, bits);
	else
		put(t, "append a [%s read_memory 0x%" PRIx64 " %u %" PRIu32 "] |;", target, p->addr, bits, p->n);
}

static void put_write(struct text *t, const char *target, const struct pt_tcl_piece *p, bool big_endian)
{
	unsigned bits = 8u * p->width_bytes;

	if (p->fixed)
		put(t, "foreach v {");
	else
		put(t, "%s write_memory 0x%" PRIx64 " %u {", target, p->addr, bits);
	for (uint32_t i = 0; i < p->n; i++)
		put(t, "0x%" PRIx32 " ", value_at(p->bytes + i * p->width_bytes, p->width_bytes, big_endian));
	if (p->fixed)
		put(t, "} {%s write_memory 0x%" PRIx64 " %u $v}", target, p->addr, bits);
	else
		put(t, "}");
	put(t, ";append a |;");
}

static void put_poll(struct text *t, const char *target, const struct pt_tcl_piece *p)
{
	put(t,
	    "set t [ms];while {([set v [%s read_memory 0x%" PRIx64 " 32 1]]&0x%" PRIx32 ")!=0x%" PRIx32
	    "} {if {[ms]-$t>%" PRIu32 "} {append a $v ?;error {}}};append a $v |;",
	    target, p->addr, p->mask, p->match, (p->time_us + 999) / 1000);
}

size_t pt_tcl_command(char *out, size_t room_bytes, uint32_t number, const char *target,
		      const struct pt_tcl_piece *pieces, size_t n_pieces, bool big_endian)
{
	struct text t = { out, out + room_bytes };

	put(&t, "apply {{} {set a {};set c [catch {");
	for (size_t i = 0; i < n_pieces; i++) {
		if (pieces[i].what == PT_MEM_READ)
			put_read(&t, target, &pieces[i]);
		else if (pieces[i].what == PT_MEM_WRITE)
			put_write(&t, target, &pieces[i], big_endian);
		else
			put_poll(&t, target, &pieces[i]);
	}
	put(&t, "set e {}} e];return -code exit \"proftap %" PRIu32 " $c $a!$e\"}}", number);
	return t.at < t.end ? (size_t)(t.at - out) : 0;
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

struct reader { const char *at, *end; };

static bool take(struct reader *r, char c)
{
	bool is = r->at < r->end && *r->at == c;

	r->at += is;
	return is;
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

/* "0x1f", of at most width_bytes. */
static bool take_value(struct reader *r, unsigned width_bytes, uint32_t *value)
{
	uint64_t v = 0;
	unsigned n = 0;

	if (!take(r, '0') || !(take(r, 'x') || take(r, 'X')))
		return false;
	for (; r->at < r->end && digit(*r->at) >= 0; n++)
		if ((v = v << 4 | (unsigned)digit(*r->at++)) >> (8 * width_bytes) != 0)
			return false;
	*value = (uint32_t)v;
	return n > 0;
}

/* Takes the values read by a piece, and the mark after it: a bar, or a question mark for an expired poll. '\0': no
 * mark, and nothing is taken; the access may have failed. */
static char take_piece(struct reader *r, const struct pt_tcl_piece *p, bool big_endian)
{
	uint32_t n = p->what == PT_MEM_WRITE ? 0 : p->n, value;
	struct reader at = *r;

	for (uint32_t i = 0; i < n; i++) {
		while (i > 0 && take(&at, ' '))
			;
		if (!take_value(&at, p->width_bytes, &value))
			return '\0';
		put_value_at(p->bytes + i * p->width_bytes, p->width_bytes, big_endian, value);
	}
	while (p->fixed && take(&at, ' '))
		;
	if (at.at == at.end || (*at.at != '|' && (*at.at != '?' || p->what != PT_MEM_POLL)))
		return '\0';
	*r = at;
	return *r->at++;
}

/* Skips the values of a loop that failed in the middle. */
static bool skip_values(struct reader *r)
{
	while (r->at < r->end && (digit(*r->at) >= 0 || *r->at == 'x' || *r->at == ' '))
		r->at++;
	return take(r, '!');
}

static void keep_text(char *out, size_t room, const struct reader *r)
{
	size_t n = 0;

	for (const char *at = r->at; at < r->end && n + 1 < room; at++)
		out[n++] = isprint((unsigned char)*at) ? *at : ' ';
	out[n] = '\0';
}

static int no_answer(const char *in, size_t len_bytes, struct pt_err *err)
{
	char text[80];

	keep_text(text, sizeof(text), &(struct reader){ in, in + len_bytes });
	return pt_fail(err, PT_EPROTO, "it answers \"%s\"", text);
}

int pt_tcl_answer(const char *in, size_t len_bytes, uint32_t number, const struct pt_tcl_piece *pieces, size_t n_pieces,
		  bool big_endian, struct pt_tcl_answer *out, struct pt_err *err)
{
	struct reader r = { in, in + len_bytes };
	char head[32], mark = '|';
	size_t len = (size_t)snprintf(head, sizeof(head), "proftap %" PRIu32 " ", number);
	bool failed;

	memset(out, 0, sizeof(*out));
	if (len_bytes < len + 2 || memcmp(in, head, len) != 0 || (in[len] != '0' && in[len] != '1') ||
	    in[len + 1] != ' ')
		return no_answer(in, len_bytes, err);
	failed = in[len] == '1';
	r.at += len + 2;
	while (out->n_done < n_pieces && mark == '|') {
		mark = take_piece(&r, &pieces[out->n_done], big_endian);
		out->n_done += mark == '|';
	}
	out->expired = mark == '?';
	if (!failed)
		return out->n_done == n_pieces && take(&r, '!') && r.at == r.end ? 0 : no_answer(in, len_bytes, err);
	if (out->n_done == n_pieces || !skip_values(&r) || (out->expired && r.at != r.end))
		return no_answer(in, len_bytes, err);
	if (out->expired)
		return 0;
	keep_text(out->refused, sizeof(out->refused), &r);
	if (out->refused[0] == '\0')
		snprintf(out->refused, sizeof(out->refused), "it does not say why");
	return 0;
}
