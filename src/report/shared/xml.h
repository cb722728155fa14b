/* Text inside XML: characters with a meaning there are escaped, characters that XML 1.0 forbids even escaped are left
 * out, and bytes that are not UTF-8 become '?'. For svg, html, osdata and JUnit. Pure. */
#ifndef PT_REPORT_XML_H
#define PT_REPORT_XML_H

#include <stddef.h>

#include "base/text.h"

void pt_xml_text(struct pt_text *out, const char *text);
void pt_xml_text_n(struct pt_text *out, const char *text, size_t len_bytes);

#endif
