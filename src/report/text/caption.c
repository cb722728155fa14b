#include "report/text/caption.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/table/facts.h"
#include "report/table/origin.h"
#include "report/table/units.h"
#include "base/harmless.h"

const char *pt_caption_key(enum pt_caption_line line)
{
	static const char *const keys[PT_CAPTION_LINES] = {
		[PT_CAPTION_PROFILE] = "profile", [PT_CAPTION_OBSERVED] = "observed",
		[PT_CAPTION_ACCURACY] = "accuracy", [PT_CAPTION_WARNING] = "warning",
		[PT_CAPTION_LARGEST] = "largest", [PT_CAPTION_METHOD] = "method",
		[PT_CAPTION_AGAIN] = "again",
	};

	return keys[line];
}

static const struct pt_profile_function *largest_estimate(const struct pt_profile *p)
{
	const struct pt_profile_function *most = NULL;

	for (size_t i = 0; i < p->n_functions && p->shares == PT_BASIS_ESTIMATED; i++)
		if (p->function[i].share.hi > p->function[i].share.lo &&
		    (most == NULL || p->function[i].share.share > most->share.share))
			most = &p->function[i];
	return most;
}

static void largest(const struct pt_profile *p, char *out)
{
	const struct pt_profile_function *most = largest_estimate(p);

	if (most != NULL)
		snprintf(out, PT_CAPTION_BYTES, "%.100s is %.1f %% (95 %% interval %.1f to %.1f %%)",
			 most->function != NULL ? most->function->name : "(no symbol)", most->share.share * 100,
			 most->share.lo * 100, most->share.hi * 100);
}

/* "source mtb, mode burst", for each source. */
static void sources_and_modes(const struct pt_profile *p, char *out, size_t room)
{
	size_t at = 0;
	char name[80];

	if (p->n_sources < 2) {
		snprintf(out, room, "source %s, mode %s", p->source, p->mode);
		return;
	}
	for (size_t i = 0; i < p->n_sources && at < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s %s, mode %s", i > 0 ? "; source" : "source",
				       pt_name_source(p, i, name, sizeof(name)), p->sources[i].mode);
}

static void method(const struct pt_profile *p, char *out)
{
	char origin[PT_PROFILE_TEXT + 80];
	char hz[32] = "core clock not known", sources[200];

	if (p->core_hz != 0)
		pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	pt_origin_text(p, origin, sizeof(origin));
	sources_and_modes(p, sources, sizeof(sources));
	snprintf(out, PT_CAPTION_BYTES, "%.200s, probe %.100s; %s%s%s%.220s", sources, p->probe,
		 p->no_code	      ? "times by the sources' stamps"
		 : p->by_instructions ? "times in instructions"
		 : p->by_bins	      ? "counted cycles, "
		 : p->awake_only      ? "modelled cycles, awake only, "
				      : "modelled cycles, ",
		 p->by_instructions || p->no_code ? "" : hz, origin[0] != '\0' ? "; made by " : "", origin);
}

/* A command that does not fit is left out: a part of it would be useless. */
static void again(const struct pt_profile *p, char *out)
{
	struct pt_text command = { 0 };

	if (pt_origin_command(p, &command) && command.len_bytes < PT_CAPTION_BYTES)
		memcpy(out, command.bytes, command.len_bytes + 1);
	pt_text_free(&command);
}

void pt_caption_make(struct pt_caption *caption, const struct pt_profile *p)
{
	struct pt_headline headline;

	memset(caption, 0, sizeof(*caption));
	pt_headline_make(&headline, p);
	for (unsigned i = 0; i < PT_HEADLINE_LINES; i++)
		memcpy(caption->line[i], headline.line[i], sizeof(headline.line[i]));
	largest(p, caption->line[PT_CAPTION_LARGEST]);
	method(p, caption->line[PT_CAPTION_METHOD]);
	again(p, caption->line[PT_CAPTION_AGAIN]);
	for (size_t i = 0; i < PT_CAPTION_LINES; i++)
		pt_harmless(caption->line[i], "");
}
