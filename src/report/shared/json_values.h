/* Shared by JSON formats: unknown values become null, and bytes that are not UTF-8 become '?'. */
#ifndef PT_REPORT_JSON_H
#define PT_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

json_t *pt_json_number(uint64_t u);	/* PT_UNKNOWN is null */
json_t *pt_json_real(double f);		/* NAN is null */
json_t *pt_json_text(const char *text);	/* NULL and "" are null; bytes that are not UTF-8 become '?' */
/* Append object and a newline to out, and free it. PT_ENOMEM. */
int pt_json_write(struct pt_text *out, json_t *object, struct pt_err *err);

#endif
