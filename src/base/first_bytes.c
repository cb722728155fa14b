/* Predicates over all bytes so far, without state: a server calls them again when more bytes have arrived; there are
 * only few. */
#include "base/first_bytes.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum { INTERRUPT = 0x03, QUOTED_BYTES = 16 };

enum pt_first pt_first_check(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes)
{
	bool full = n_bytes >= PT_FIRST_MOST_BYTES;
	enum pt_first verdict = is_ours(bytes, full ? PT_FIRST_MOST_BYTES : n_bytes);

	return verdict == PT_FIRST_MORE && full ? PT_FIRST_NO : verdict;
}

bool pt_first_is_text(uint8_t byte)
{
	return byte >= ' ' && byte < 0x7f && byte != '+' && byte != '-' && byte != '$';
}

static enum pt_first begins(const uint8_t *bytes, size_t n_bytes, const char *word, size_t len)
{
	if (memcmp(bytes, word, n_bytes < len ? n_bytes : len) != 0)
		return PT_FIRST_NO;
	return n_bytes < len ? PT_FIRST_MORE : PT_FIRST_YES;
}

/* --- the protocols ------------------------------------------------------------------------------------------------ */

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum pt_first check_sum(const uint8_t *hash, size_t n_bytes, uint8_t sum)
{
	if (n_bytes < 3)
		return PT_FIRST_MORE;
	return digit(hash[1]) >= 0 && digit(hash[2]) >= 0 && (digit(hash[1]) << 4 | digit(hash[2])) == sum
		       ? PT_FIRST_YES
		       : PT_FIRST_NO;
}

static enum pt_first check_packet(const uint8_t *payload, size_t n_bytes)
{
	static const char first[] = { 'q', 'Q', 'v', '?', '!', 'H', 'g', 'p', 'm', 'x', 'j' };
	uint8_t sum = 0;

	if (n_bytes == 0)
		return PT_FIRST_MORE;
	if (memchr(first, payload[0], sizeof(first)) == NULL)
		return PT_FIRST_NO;
	for (size_t i = 0; i < n_bytes; i++) {
		if (payload[i] == '#')
			return check_sum(payload + i, n_bytes - i, sum);
		if (payload[i] <= ' ' || payload[i] >= 0x7f || payload[i] == '$')
			return PT_FIRST_NO;
		sum = (uint8_t)(sum + payload[i]);
	}
	return PT_FIRST_MORE;
}

static size_t skip_marks(const uint8_t *bytes, size_t n_bytes, size_t at)
{
	while (at < n_bytes && (bytes[at] == '+' || bytes[at] == '-' || bytes[at] == INTERRUPT))
		at++;
	return at;
}

bool pt_first_rsp_alone(const uint8_t *bytes, size_t n_bytes)
{
	size_t first = skip_marks(bytes, n_bytes, 0), at = first, len = 0, n;

	while (first + len < n_bytes && bytes[first + len] != '#')
		len++;
	len += sizeof("#xx") - 1;
	while (at < n_bytes) {
		n = n_bytes - at < len ? n_bytes - at : len;
		if (memcmp(bytes + at, bytes + first, n) != 0)
			return false;
		at = skip_marks(bytes, n_bytes, at + n);
	}
	return true;
}

enum pt_first pt_first_rsp(const uint8_t *bytes, size_t n_bytes)
{
	size_t at = skip_marks(bytes, n_bytes, 0);

	if (at == n_bytes)
		return PT_FIRST_MORE;
	return bytes[at] == '$' ? check_packet(bytes + at + 1, n_bytes - at - 1) : PT_FIRST_NO;
}

enum pt_first pt_first_cmsis_dap(const uint8_t *bytes, size_t n_bytes)
{
	enum { TYPE_AT = 6, REQUEST = 1 };
	enum pt_first verdict = begins(bytes, n_bytes, "DAP", sizeof("DAP"));

	if (verdict != PT_FIRST_YES)
		return verdict;
	if (n_bytes <= TYPE_AT)
		return PT_FIRST_MORE;
	return bytes[TYPE_AT] == REQUEST ? PT_FIRST_YES : PT_FIRST_NO;
}

enum pt_first pt_first_xvc(const uint8_t *bytes, size_t n_bytes)
{
	static const char *const words[] = { "getinfo:", "settck:", "shift:" };
	enum pt_first best = PT_FIRST_NO;

	for (size_t i = 0; i < PT_LEN(words); i++) {
		enum pt_first verdict = begins(bytes, n_bytes, words[i], strlen(words[i]));

		best = verdict > best ? verdict : best;
	}
	return best;
}

/* --- for a person ------------------------------------------------------------------------------------------------- */

#define WORD(text) text, sizeof(text) - 1
static const struct { const char *begin; size_t len; const char *what; pt_first_fn *protocol; } known[] = {
	{ WORD("GET "), "an HTTP request", NULL },	{ WORD("POST "), "an HTTP request", NULL },
	{ WORD("HEAD "), "an HTTP request", NULL },	{ WORD("PUT "), "an HTTP request", NULL },
	{ WORD("DELETE "), "an HTTP request", NULL },	{ WORD("OPTIONS "), "an HTTP request", NULL },
	{ WORD("PATCH "), "an HTTP request", NULL },	{ WORD("CONNECT "), "an HTTP request", NULL },
	{ WORD("TRACE "), "an HTTP request", NULL },	{ WORD("PRI * HTTP/2"), "an HTTP request", NULL },
	{ WORD("\x16\x03"), "a TLS hello", NULL },	{ WORD("SSH-"), "an SSH client", NULL },
	{ WORD("\xff"), "a telnet client", NULL },	{ WORD("\x03\0"), "a remote desktop client", NULL },
	{ WORD("$"), "a GDB client", pt_first_rsp },	{ WORD("+$"), "a GDB client", pt_first_rsp },
	{ WORD("DAP\0"), "CMSIS-DAP over TCP", pt_first_cmsis_dap },
	{ WORD("getinfo:"), "an XVC client", pt_first_xvc },	{ WORD("settck:"), "an XVC client", pt_first_xvc },
	{ WORD("shift:"), "an XVC client", pt_first_xvc },
};

/* A method of any name, the target, and the version at the end of the first line. */
static bool has_http_version(const uint8_t *bytes, size_t n_bytes)
{
	static const char version[] = " HTTP/1.";
	const uint8_t *end = memchr(bytes, '\r', n_bytes);
	const size_t len = sizeof(version) - 1;	/* and one digit */

	return end != NULL && (size_t)(end - bytes) > len && memcmp(end - len - 1, version, len) == 0;
}

const char *pt_first_name(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes)
{
	if (has_http_version(bytes, n_bytes))
		return "an HTTP request";
	for (size_t i = 0; i < PT_LEN(known); i++)
		if ((known[i].protocol == NULL || known[i].protocol != is_ours) &&
		    begins(bytes, n_bytes, known[i].begin, known[i].len) == PT_FIRST_YES)
			return known[i].what;
	return NULL;
}

const char *pt_first_describe(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes, bool quote,
			      char text[PT_FIRST_TEXT_BYTES])
{
	const char *what = pt_first_name(is_ours, bytes, n_bytes);
	int n;

	if (what != NULL || !quote) {
		snprintf(text, PT_FIRST_TEXT_BYTES, "look like %s", what != NULL ? what : "no protocol known here");
		return text;
	}
	n = snprintf(text, PT_FIRST_TEXT_BYTES, "begin with \"");
	for (size_t i = 0; i < n_bytes && i < QUOTED_BYTES; i++) {
		bool visible = bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\';

		n += snprintf(text + n, PT_FIRST_TEXT_BYTES - (size_t)n, visible ? "%c" : "\\x%02x", bytes[i]);
	}
	snprintf(text + n, PT_FIRST_TEXT_BYTES - (size_t)n, n_bytes > QUOTED_BYTES ? "\"..." : "\"");
	return text;
}
