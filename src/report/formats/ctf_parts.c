#include "report/formats/ctf_parts.h"

#include "base/util.h"
#include "config.h"
#include "report/text/caption.h"

void pt_ctf_string(struct pt_text *out, const char *text)
{
	pt_text_bytes(out, "\"", 1);
	for (; *text != '\0'; text++)
		pt_text_bytes(out, (unsigned char)*text < ' ' || *text == '"' || *text == '\\' ? " " : text, 1);
	pt_text_bytes(out, "\"", 1);
}

void pt_ctf_env(struct pt_text *out, const struct pt_profile *profile)
{
	struct pt_caption caption;

	pt_caption_make(&caption, profile);
	pt_text_add(out, " tracer_name = \"proftap\"; tracer_version = \"" PACKAGE_VERSION "\";");
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++) {
		if (caption.line[i][0] == '\0')
			continue;
		pt_text_add(out, " %s = ", pt_caption_key(i));
		pt_ctf_string(out, caption.line[i]);
		pt_text_add(out, ";");
	}
}

void pt_ctf_number(struct pt_text *out, uint64_t value, unsigned n_bytes)
{
	uint8_t bytes[8];

	pt_put_le64(bytes, value);
	pt_text_bytes(out, bytes, n_bytes);
}
