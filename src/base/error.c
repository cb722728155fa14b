/* Builds the sentence of an error: what happened, then each caller's prefix, then what to do. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/harmless.h"

int pt_fail(struct pt_err *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err == NULL)
		return code;
	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	pt_harmless(err->msg, "\n\t");	/* it may contain text from outside, and is printed on a terminal */
	return code;
}

int pt_wrap(struct pt_err *err, const char *fmt, ...)
{
	char was[sizeof(err->msg)];
	va_list args;
	int n;

	if (err == NULL)
		return PT_ESTATE;
	memcpy(was, err->msg, sizeof(was));
	va_start(args, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(err->msg))
		snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, ": %.*s", (int)sizeof(was) - n, was);
	pt_harmless(err->msg, "\n\t");
	return err->code;
}

int pt_advise(struct pt_err *err, const char *fmt, ...)
{
	va_list args;
	size_t at;

	if (err == NULL)
		return PT_ESTATE;
	at = strlen(err->msg);
	at += (size_t)snprintf(err->msg + at, sizeof(err->msg) - at, "; ");
	va_start(args, fmt);
	if (at < sizeof(err->msg))
		vsnprintf(err->msg + at, sizeof(err->msg) - at, fmt, args);
	va_end(args);
	pt_harmless(err->msg, "\n\t");
	return err->code;
}
