/* One page without external files: page.html with its style, its scripts and the data. The scripts insert each name as
 * text, and the data has no "<", so no name is executed. A reader without scripts shows the first screen. */
#include <string.h>

#include "base/util.h"
#include "profile/result/profile.h"
#include "report/page/page_data.h"
#include "report/page/page_files.h"
#include "report/shared/xml.h"
#include "report/table/format.h"
#include "report/text/headline.h"

extern const struct pt_format pt_format_html;

static int put_json(const char *bytes, size_t len_bytes, void *arg)
{
	struct pt_text *out = arg;

	for (size_t i = 0, from = 0; i <= len_bytes; i++) {
		if (i < len_bytes && bytes[i] != '<')
			continue;
		pt_text_bytes(out, bytes + from, i - from);
		if (i < len_bytes)
			pt_text_add(out, "\\u003c");
		from = i + 1;
	}
	return 0;
}

/* The lines of the first screen, as on a terminal. */
static void put_summary(const struct pt_headline *h, struct pt_text *out)
{
	pt_text_add(out, "<h1>");
	pt_xml_text(out, h->line[PT_HEADLINE_TITLE]);
	pt_text_add(out, "</h1>");
	for (int i = PT_HEADLINE_OBSERVED; i < PT_HEADLINE_LINES; i++) {
		if (h->line[i][0] == '\0')
			continue;
		pt_text_add(out, "\n<p>%s ", pt_headline_label((enum pt_headline_line)i));
		pt_xml_text(out, h->line[i]);
		pt_text_add(out, "</p>");
	}
}

/* Makes the page from its skeleton: replaces the placeholder of each part. */
static void put_page(const struct pt_headline *h, json_t *data, struct pt_text *out)
{
	const char *rest = pt_page_html, *at;

	while ((at = strstr(rest, "@@")) != NULL) {
		pt_text_bytes(out, rest, (size_t)(at - rest));
		if (strncmp(at, "@@TITLE@@", 9) == 0)
			pt_xml_text(out, h->line[PT_HEADLINE_TITLE]);
		else if (strncmp(at, "@@SUMMARY@@", 11) == 0)
			put_summary(h, out);
		else if (strncmp(at, "@@STYLE@@", 9) == 0)
			pt_text_bytes(out, pt_page_style, strlen(pt_page_style));
		else if (strncmp(at, "@@SCRIPT@@", 10) == 0)
			pt_text_bytes(out, pt_page_script, strlen(pt_page_script));
		else
			json_dump_callback(data, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
		rest = strstr(at + 2, "@@") + 2;
	}
	pt_text_bytes(out, rest, strlen(rest));
}

static int write_html(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	json_t *data = pt_page_data(profile, view, query, err);
	struct pt_headline h;

	if (data == NULL)
		return err != NULL ? err->code : PT_ESTATE;
	pt_headline_make(&h, profile);
	put_page(&h, data, out);
	json_decref(data);
	return 0;
}

const struct pt_format pt_format_html = {
	.name = "html", .suffix = ".html", .help = "one page: tables, flame graph, timeline", .needs = "tree,lines,timeline",
	.write = write_html,
};
