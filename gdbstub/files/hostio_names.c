#include "gdbstub/files/hostio_names.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/report.h"
#include "report/views/views.h"

static bool plain(const char *name, size_t len)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";

	return len > 0 && len < PT_HOSTIO_NAME_BYTES && name[0] != '.' && strspn(name, allowed) >= len;
}

/* --- profile/NAME ------------------------------------------------------------------------------------------------- */

/* Endings that files of a format usually have, besides its name. */
static const struct { const char *ending, *format; } endings[] = {
	{ ".txt", "text" }, { ".pb.gz", "pprof" }, { ".pb", "pprof" }, { "gmon.out", "gmon" }, { ".info", "lcov" },
	{ ".pftrace", "perfetto" }, { ".perfetto-trace", "perfetto" }, { ".tar", "ctf" }, { ".xml", "osdata" },
	{ ".htm", "html" },
};

static bool ends_in(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	return len >= n && strcmp(name + len - n, ending) == 0;
}

static const char *format_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot != NULL ? dot + 1 : name;

	if (strncmp(name, "callgrind.", strlen("callgrind.")) == 0)	/* callgrind.out, callgrind.out.7 */
		return "callgrind";
	for (size_t i = 0; i < PT_LEN(endings); i++)
		if (ends_in(name, endings[i].ending))
			return endings[i].format;
	return pt_format_find(last) != NULL ? pt_format_find(last)->name : NULL;
}

/* "calls.csv" is the view calls; for "flame.svg" only the ending matters. */
static void add_view(const char *name, const char **words, size_t *n_words, char *view, size_t room)
{
	snprintf(view, room, "%.*s", (int)strcspn(name, "."), name);
	if (pt_view_find(view) != NULL)
		words[(*n_words)++] = view;
}

static int parse_report(const char *name, struct pt_query *query, struct pt_err *err)
{
	char view[PT_HOSTIO_NAME_BYTES], format[48];
	const char *words[2];
	size_t n_words = 0;

	if (format_of(name) == NULL)
		return pt_fail(err, PT_EARG,
			       "no report is called %s; profile/json, profile/functions.csv, profile/flame.svg are",
			       name);
	snprintf(format, sizeof(format), "format=%s", format_of(name));
	words[n_words++] = format;
	add_view(name, words, &n_words, view, sizeof(view));
	return pt_query_parse(query, words, n_words, err);
}

/* --- all names ---------------------------------------------------------------------------------------------------- */

static const struct { const char *folder; enum pt_hostio_kind kind; } folders[] = {
	{ "profile/", PT_HOSTIO_PROFILE }, { "capture/", PT_HOSTIO_CAPTURE },
};

int pt_hostio_parse(const char *path, struct pt_hostio_name *out, struct pt_err *err)
{
	const char *name = path;

	*out = (struct pt_hostio_name){ .kind = PT_HOSTIO_FILE };
	if (strcmp(path, PT_HOSTIO_EXEC_FILE) == 0)
		name++;
	for (size_t i = 0; i < PT_LEN(folders); i++) {
		if (strncmp(name, folders[i].folder, strlen(folders[i].folder)) != 0)
			continue;
		name += strlen(folders[i].folder);
		out->kind = folders[i].kind;
		break;
	}
	if (!plain(name, strlen(name)))
		return pt_fail(err, PT_EPERM,
			       "%.80s leads out of the board's directory; there are firmware.elf, profile/..., "
			       "capture/... and plain names",
			       path);
	if (out->kind == PT_HOSTIO_FILE && strcmp(name, "firmware.elf") == 0)
		out->kind = PT_HOSTIO_FIRMWARE;
	snprintf(out->name, sizeof(out->name), "%s", name);
	return out->kind == PT_HOSTIO_PROFILE ? parse_report(name, &out->query, err) : 0;
}
