/* Timing rules as JUnit XML, for the test reports of CI systems (Jenkins' junit-4.xsd and variants): a rule is a test
 * case; undecided is an error, or skipped if the query is lenient, never passed. Texts are written to the attribute and
 * to the body, because readers show one or the other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "report/text/caption.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/shared/xml.h"

extern const struct pt_format pt_format_junit;

enum { MOST_SHOWN = 20 };	/* violations of one rule */

static void violations(const struct pt_profile *p, size_t rule, struct pt_text *out)
{
	static const struct pt_column ticks = { "", "", PT_UNIT_TICKS, true }, stamp = { "", "", PT_UNIT_STAMP, true };
	char value[PT_CELL_BYTES], at[PT_CELL_BYTES];
	unsigned shown = 0;

	for (size_t i = 0; i < p->limits->n_violations && shown < MOST_SHOWN; i++) {
		const struct pt_violation *v = &p->limits->violation[i];

		if (v->rule != rule)
			continue;
		pt_print_cell(value, sizeof(value), p, &ticks, &(struct pt_value){ .u = v->value });
		pt_print_cell(at, sizeof(at), p, &stamp, &(struct pt_value){ .u = v->at.ns });
		pt_xml_text(out, "\n");
		pt_xml_text(out, v->value != PT_UNKNOWN ? value : v->path);
		pt_text_add(out, " at %s", at[0] != '\0' ? at : "an unknown time");
		pt_xml_text(out, v->value != PT_UNKNOWN ? ": " : "");
		pt_xml_text(out, v->value != PT_UNKNOWN ? v->path : "");
		shown++;
	}
}

static void outcome(const struct pt_profile *p, size_t i, bool lenient, struct pt_text *out)
{
	const struct pt_limit *limit = &p->limits->limit[i];
	const char *element = limit->verdict == PT_VERDICT_FAILED ? "failure" : lenient ? "skipped" : "error";

	if (limit->verdict == PT_VERDICT_PASSED) {
		pt_text_add(out, "/>\n");
		return;
	}
	pt_text_add(out, ">\n      <%s message=\"", element);
	pt_xml_text(out, limit->why);
	pt_text_add(out, limit->verdict == PT_VERDICT_FAILED ? "\" type=\"timing\">"
			 : lenient			     ? "\">"
							     : "\" type=\"undecided\">");
	pt_xml_text(out, limit->rule->text);
	pt_text_add(out, ": ");
	pt_xml_text(out, limit->why);
	violations(p, i, out);
	pt_text_add(out, "</%s>\n    </testcase>\n", element);
}

static void properties(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_caption caption;

	pt_caption_make(&caption, p);
	pt_text_add(out, "    <properties>\n");
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++) {
		if (caption.line[i][0] == '\0')
			continue;
		pt_text_add(out, "      <property name=\"%s\" value=\"", pt_caption_key(i));
		pt_xml_text(out, caption.line[i]);
		pt_text_add(out, "\"/>\n");
	}
	pt_text_add(out, "    </properties>\n");
}

static void counts(const struct pt_profile *p, bool lenient, struct pt_text *out)
{
	size_t undecided = p->limits->n_undecided;

	pt_text_add(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\">\n",
		    p->limits->n_limits, p->limits->n_failed, lenient ? 0 : undecided, lenient ? undecided : 0,
		    (double)pt_profile_run_ns(p) / 1e9);
}

static int write_junit(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		       struct pt_text *out, struct pt_err *err)
{
	(void)view;
	if (profile->limits == NULL)
		return pt_report_lacks("junit", "limits", err);
	pt_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	counts(profile, query->lenient, out);
	pt_text_add(out, "  <testsuite name=\"timing\"");
	counts(profile, query->lenient, out);
	properties(profile, out);
	for (size_t i = 0; i < profile->limits->n_limits; i++) {
		const struct pt_rule *rule = profile->limits->limit[i].rule;

		pt_text_add(out, "    <testcase classname=\"timing.");
		pt_xml_text(out, rule->name[0] != '\0' ? rule->name : "profile");
		pt_text_add(out, "\" name=\"");
		pt_xml_text(out, rule->text);
		pt_text_add(out, "\" time=\"0\"");
		outcome(profile, i, query->lenient, out);
	}
	pt_text_add(out, "  </testsuite>\n</testsuites>\n");
	return 0;
}

const struct pt_format pt_format_junit = {
	.name = "junit", .help = "timing rules as JUnit XML", .needs = "limits", .write = write_junit,
};
