/* Who may ask the HTTP door what: rows of heads as browsers, scrapers and scripts send them. */
#include "harness.h"
#include "web/rules.h"

static const struct {
	const char *name;
	struct pt_web_rules rules;
	struct pt_web_head head;
	unsigned refused;
} heads[] = {
	{ "curl", { 0 }, { .method = "GET", .host = "127.0.0.1:8333" }, 0 },
	{ "HEAD", { 0 }, { .method = "HEAD", .host = "127.0.0.1" }, 0 },
	{ "IPv6", { 0 }, { .method = "GET", .host = "[::1]:8333" }, 0 },
	{ "localhost, another port (ssh -L)", { 0 }, { .method = "GET", .host = "LocalHost:9" }, 0 },
	{ "rebinding", { 0 }, { .method = "GET", .host = "evil.example:8333" }, 421 },
	{ "begins as an address", { 0 }, { .method = "GET", .host = "127.0.0.1.evil.example" }, 421 },
	{ "nearly an address", { 0 }, { .method = "GET", .host = "127.0.0.1x" }, 421 },
	{ "three numbers", { 0 }, { .method = "GET", .host = "127.0.1" }, 421 },
	{ "localhost of another", { 0 }, { .method = "GET", .host = "localhost.evil.example" }, 421 },
	{ "a user in front", { 0 }, { .method = "GET", .host = "evil@127.0.0.1" }, 421 },
	{ "brackets", { 0 }, { .method = "GET", .host = "[evil.example]" }, 421 },
	{ "an open bracket", { 0 }, { .method = "GET", .host = "[::1" }, 421 },
	{ "no port", { 0 }, { .method = "GET", .host = "127.0.0.1:80a" }, 421 },
	{ "an empty host", { 0 }, { .method = "GET", .host = "" }, 421 },
	{ "no host", { 0 }, { .method = "GET" }, 421 },
	{ "a unix socket", { .any_host = true }, { .method = "GET", .host = "evil.example" }, 0 },
	{ "a unix socket, no host", { .any_host = true }, { .method = "GET" }, 0 },
	{ "a listed name", { .hosts = "lab,lab.example" }, { .method = "GET", .host = "Lab.Example:8333" }, 0 },
	{ "a part of a listed name", { .hosts = "lab.example" }, { .method = "GET", .host = "lab" }, 421 },
	{ "an empty entry", { .hosts = "lab,,x" }, { .method = "GET", .host = ":80" }, 421 },
	{ "our own page", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .origin = "http://127.0.0.1:1", .fetch_site = "same-origin" }, 0 },
	{ "another port's page", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .origin = "http://127.0.0.1:2" }, 403 },
	{ "another site's page", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .origin = "http://evil.example", .fetch_site = "cross-site" }, 403 },
	{ "a page of a file", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .origin = "null" }, 403 },
	{ "a picture on another site's page", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .fetch_site = "cross-site", .fetch_mode = "no-cors" }, 403 },
	{ "the same site, another origin", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .fetch_site = "same-site", .fetch_mode = "no-cors" }, 403 },
	{ "a link on another site's page", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .fetch_site = "cross-site", .fetch_mode = "navigate" }, 0 },
	{ "typed by hand", { 0 }, { .method = "GET", .host = "127.0.0.1:1", .fetch_site = "none", .fetch_mode = "navigate" }, 0 },
	{ "a form of another site", { 0 }, { .method = "POST", .host = "127.0.0.1:1", .fetch_site = "cross-site", .fetch_mode = "navigate", .content_type = "application/json" }, 403 },
	{ "a form", { 0 }, { .method = "POST", .host = "127.0.0.1:1", .content_type = "application/x-www-form-urlencoded" }, 415 },
	{ "a POST without a type", { 0 }, { .method = "POST", .host = "127.0.0.1:1" }, 415 },
	{ "nearly JSON", { 0 }, { .method = "POST", .host = "127.0.0.1:1", .content_type = "application/jsonx" }, 415 },
	{ "JSON", { 0 }, { .method = "POST", .host = "127.0.0.1:1", .content_type = "application/json; charset=utf-8" }, 0 },
	{ "a question ahead", { 0 }, { .method = "OPTIONS", .host = "127.0.0.1:1", .origin = "http://127.0.0.1:1" }, 403 },
	{ "another method", { 0 }, { .method = "DELETE", .host = "127.0.0.1:1" }, 405 },
};

START_TEST(head_is_judged)
{
	struct pt_err err = { 0 };

	ck_assert_msg(pt_web_refuses(&heads[_i].rules, &heads[_i].head, &err) == heads[_i].refused, "%s: %s",
		      heads[_i].name, err.msg);
	ck_assert_msg((err.msg[0] != '\0') == (heads[_i].refused != 0), "%s", heads[_i].name);
}
END_TEST

static const struct { const char *authorization, *word; } tokens[] = {
	{ NULL, NULL }, { "Basic YTpi", NULL }, { "Bearer abc", "abc" }, { "bearer  abc", "abc" }, { "Bearer", NULL },
	{ "Bearer ", "" },
};

START_TEST(token_is_found)
{
	const char *word = pt_web_bearer(tokens[_i].authorization);

	ck_assert_int_eq(word != NULL, tokens[_i].word != NULL);
	if (word != NULL)
		ck_assert_str_eq(word, tokens[_i].word);
}
END_TEST

#define OPEN "application/openmetrics-text"

static const struct { const char *accept; bool open; } accepts[] = {
	{ NULL, false }, { "", false }, { "*/*", false }, { "text/plain", false }, { OPEN, true },
	{ OPEN ";version=1.0.0," OPEN ";version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true },
	{ OPEN ";q=0.4, text/plain;q=0.5", false }, { OPEN ";q=0", false }, { "text/plain;q=0.3, " OPEN "; q=0.9", true },
	{ OPEN ";q=", false },
};

START_TEST(chooses_format)
{
	ck_assert_msg(pt_web_accepts(accepts[_i].accept, OPEN) == accepts[_i].open, "%s", accepts[_i].accept);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("web_rules");
	TCase *tc = tcase_create("rules");

	tcase_add_loop_test(tc, head_is_judged, 0, PT_LEN(heads));
	tcase_add_loop_test(tc, token_is_found, 0, PT_LEN(tokens));
	tcase_add_loop_test(tc, chooses_format, 0, PT_LEN(accepts));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
