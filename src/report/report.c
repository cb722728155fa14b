/* The list of formats, and the function that makes a text from a query. To add a format: a file, and one word in the
 * list here. The first is the default. */
#include <string.h>

#include "profile/result/profile.h"
#include "report/report.h"
#include "report/views/views.h"

#define PT_FORMATS(X) \
	X(text) \
	X(json) \
	X(csv) \
	X(annotate) \
	X(folded) \
	X(pprof) \
	X(callgrind) \
	X(gmon) \
	X(lcov) \
	X(speedscope) \
	X(perfetto) \
	X(ctf) \
	X(cmsis_ctf) \
	X(btf) \
	X(svg) \
	X(html) \
	X(osdata) \
	X(junit) \
	X(summary) \
	X(details) \
	X(why)

#define X(format) extern const struct pt_format pt_format_##format;
PT_FORMATS(X)
#undef X

const struct pt_format *const pt_formats[] = {
#define X(format) &pt_format_##format,
	PT_FORMATS(X)
#undef X
	NULL,
};

const struct pt_format *pt_format_find(const char *name)
{
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		if (strcmp(pt_formats[i]->name, name) == 0)
			return pt_formats[i];
	return NULL;
}

const struct pt_format *pt_format_of_file(const char *path)
{
	const struct pt_format *best = NULL;
	size_t len = strlen(path), best_len = 0;

	for (size_t i = 0; pt_formats[i] != NULL; i++) {
		const char *suffix = pt_formats[i]->suffix;
		size_t n = suffix != NULL ? strlen(suffix) : 0;

		if (n > best_len && n < len && strcmp(path + len - n, suffix) == 0) {
			best = pt_formats[i];
			best_len = n;
		}
	}
	return best;
}

/* The view with the name of a source's format: bins, counters. NULL: there is none. */
static const struct pt_view *view_of_source(const struct pt_profile *profile)
{
	for (size_t i = 0; i < profile->n_sources; i++)
		for (size_t v = 0; pt_views[v] != NULL; v++)
			if (strcmp(profile->sources[i].format, pt_views[v]->name) == 0)
				return pt_views[v];
	return NULL;
}

enum { FIRST_ADDRESSES = 30 };	/* if they are shown because there are no names: there may be thousands */

/* The view, if the user names none: the default; if the sources do not show code (files of other instruments), or not
 * what ran, the first view that has rows. */
static const struct pt_view *usual_view(const struct pt_profile *profile)
{
	bool functions = !profile->no_code && !profile->no_flow;
	size_t n_addresses = pt_view_addresses.n_rows(profile);

	if (profile->program == NULL && n_addresses != 0 && n_addresses != (size_t)PT_NOT_MADE)
		return &pt_view_addresses;	/* samples without names: a single row "(no symbol)" would be useless */
	for (size_t i = 0; !functions && pt_views[i] != NULL; i++) {
		size_t n = pt_views[i]->n_rows(profile);
		bool of_code = pt_views[i] == &pt_view_coverage || pt_views[i] == &pt_view_timeline;

		if (n != 0 && n != (size_t)PT_NOT_MADE && pt_views[i] != &pt_view_gaps &&
		    !(profile->no_flow && of_code))
			return pt_views[i];
	}
	if (!functions && view_of_source(profile) != NULL)
		return view_of_source(profile);
	return !functions && profile->no_flow ? &pt_view_data : pt_views[0];	/* its text says what it needs */
}

int pt_report_render(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out,
		     struct pt_err *err)
{
	const struct pt_view *view = pt_view_find(query->view);
	const struct pt_format *format = pt_format_find(query->format);
	struct pt_query first = *query;
	int rc;

	if (format == NULL)
		format = pt_formats[0];
	if (view == NULL) {
		view = usual_view(profile);
		if (view == &pt_view_addresses && format == pt_formats[0] && first.first == 0)
			first.first = FIRST_ADDRESSES;
	}
	rc = format->write(profile, view, &first, out, err);
	if (rc == 0 && out->overflow)
		return pt_fail(err, PT_ENOMEM, "the report is too long; ask for fewer rows (top=N)");
	return rc;
}
