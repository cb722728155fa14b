#include "web/rules.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- Host --------------------------------------------------------------------------------------------------------- */

/* The host without its port: how many characters of it. An IPv6 address keeps its brackets. */
static size_t host_length(const char *host)
{
	const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

	return end != NULL ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool is_port(const char *text)
{
	return text[0] == '\0' || (text[0] == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
}

/* Four numbers with points, or something in brackets: a name that DNS cannot lead elsewhere. */
static bool is_address(const char *host, size_t len)
{
	size_t points = 0, digits = 0;

	if (len > 2 && host[0] == '[')
		return host[len - 1] == ']' && strspn(host + 1, "0123456789abcdefABCDEF:.") == len - 2;
	for (size_t i = 0; i < len; i++) {
		if (host[i] == '.' && digits > 0) {
			points++;
			digits = 0;
		} else if (isdigit((unsigned char)host[i]) && digits < 3) {
			digits++;
		} else {
			return false;
		}
	}
	return points == 3 && digits > 0;
}

static bool is_listed(const char *list, const char *host, size_t len)
{
	while (list != NULL && *list != '\0') {
		size_t n = strcspn(list, ",");

		if (n == len && n > 0 && strncasecmp(list, host, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool is_ours(const struct pt_web_rules *rules, const char *host)
{
	size_t len;

	if (rules->any_host)
		return true;
	if (host == NULL)
		return false;
	len = host_length(host);
	return len > 0 && is_port(host + len) &&
	       (is_address(host, len) || (len == strlen("localhost") && strncasecmp(host, "localhost", len) == 0) ||
		is_listed(rules->hosts, host, len));
}

/* --- pages of other sites ----------------------------------------------------------------------------------------- */

static bool is_same_origin(const char *origin, const char *host)
{
	const char *at = strstr(origin, "://");

	return at != NULL && host != NULL && strcasecmp(at + 3, host) == 0;
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t len = sizeof(json) - 1;

	return type != NULL && strncasecmp(type, json, len) == 0 &&
	       (type[len] == '\0' || type[len] == ';' || type[len] == ' ');
}

/* A click on a link of another page may show ours; its scripts and pictures may not. */
static bool is_of_another_site(const struct pt_web_head *head)
{
	bool navigates = head->fetch_mode != NULL && strcmp(head->fetch_mode, "navigate") == 0 &&
			 strcmp(head->method, "GET") == 0;

	if (head->origin != NULL && !is_same_origin(head->origin, head->host))
		return true;
	return head->fetch_site != NULL && strcmp(head->fetch_site, "same-origin") != 0 &&
	       strcmp(head->fetch_site, "none") != 0 && !navigates;
}

unsigned pt_web_refuses(const struct pt_web_rules *rules, const struct pt_web_head *head, struct pt_err *err)
{
	bool reads = strcmp(head->method, "GET") == 0 || strcmp(head->method, "HEAD") == 0;

	if (!is_ours(rules, head->host)) {
		pt_fail(err, PT_EPERM,
			"this server is not called %.60s: use an IP address or localhost, or give its name with --http-host",
			head->host != NULL ? head->host : "by a request without Host");
		return 421;
	}
	if (is_of_another_site(head)) {
		pt_fail(err, PT_EPERM, "a web page of another site may not ask this server");
		return 403;
	}
	if (!reads && strcmp(head->method, "POST") != 0) {
		pt_fail(err, PT_EARG, "this server knows GET, HEAD and POST");
		return strcmp(head->method, "OPTIONS") == 0 ? 403 : 405;
	}
	if (!reads && !is_json(head->content_type)) {
		pt_fail(err, PT_EARG, "a POST needs Content-Type: application/json");
		return 415;
	}
	return 0;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

const char *pt_web_bearer(const char *authorization)
{
	static const char scheme[] = "Bearer ";

	if (authorization == NULL || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	authorization += sizeof(scheme) - 1;
	return authorization + strspn(authorization, " ");
}

/* q as thousandths, of the media range of n characters. Source: RFC 9110, 12.4.2 */
static unsigned quality_of(const char *entry, size_t n)
{
	unsigned q = 0, weight = 1000;
	const char *at = NULL;

	for (size_t i = 0; i + 2 < n; i++)
		if ((entry[i] == ';' || entry[i] == ' ') && strncasecmp(entry + i + 1, "q=", 2) == 0)
			at = entry + i + 3;
	if (at == NULL)
		return 1000;
	for (; at < entry + n && (isdigit((unsigned char)*at) || *at == '.'); at++) {
		if (*at == '.')
			continue;
		q += (unsigned)(*at - '0') * weight;
		weight /= 10;
	}
	return q > 1000 ? 1000 : q;
}

static unsigned best_of(const char *accept, const char *type)
{
	unsigned best = 0;

	while (*accept != '\0') {
		size_t n = strcspn(accept, ","), skip = strspn(accept, " \t");

		if (skip < n && strncasecmp(accept + skip, type, strlen(type)) == 0) {
			unsigned q = quality_of(accept + skip, n - skip);

			best = q > best ? q : best;
		}
		accept += n + (accept[n] == ',');
	}
	return best;
}

bool pt_web_accepts(const char *accept, const char *type)
{
	return accept != NULL && best_of(accept, type) > best_of(accept, "text/plain");
}
