#include "report/shared/json_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/harmless.h"
#include "base/alloc.h"
#include "base/util.h"

json_t *pt_json_number(uint64_t u)
{
	return u == PT_UNKNOWN ? json_null() : json_integer((json_int_t)u);
}

json_t *pt_json_real(double f)
{
	return isfinite(f) ? json_real(f) : json_null();
}

json_t *pt_json_text(const char *text)
{
	json_t *string;
	char *plain;

	if (text == NULL || text[0] == '\0')
		return json_null();
	plain = pt_harmless(pt_strdup(text), "\n\t");
	string = json_string(plain);
	free(plain);
	return string;
}

int pt_json_write(struct pt_text *out, json_t *object, struct pt_err *err)
{
	char *bytes = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	json_decref(object);
	if (bytes == NULL)
		return pt_fail(err, PT_ENOMEM, "the report does not fit into memory");
	pt_text_bytes(out, bytes, strlen(bytes));
	pt_text_bytes(out, "\n", 1);
	free(bytes);
	return 0;
}
