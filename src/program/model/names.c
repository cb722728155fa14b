/* Functions by name, as users type them. */
#include <string.h>

#include "program/model/program.h"

/* Returns the rest of name after text, ignoring spaces; NULL: name does not begin with text. */
static const char *behind(const char *name, const char *text, size_t len_bytes)
{
	for (size_t i = 0; i < len_bytes; i++) {
		if (text[i] == ' ')
			continue;
		name += strspn(name, " ");
		if (*name != text[i])
			return NULL;
		name++;
	}
	return name + strspn(name, " ");
}

bool pt_function_is(const struct pt_function *function, const char *text, size_t len_bytes)
{
	const char *rest = behind(function->name, text, len_bytes);

	if (rest != NULL && (*rest == '\0' || *rest == '('))
		return len_bytes > 0;
	return function->linkage != NULL && strlen(function->linkage) == len_bytes &&
	       memcmp(function->linkage, text, len_bytes) == 0;
}

size_t pt_function_list_first(const char *list)
{
	size_t i = 0;

	for (int depth = 0; list[i] != '\0' && (list[i] != ',' || depth > 0); i++) {
		if (strchr("(<[{", list[i]) != NULL)
			depth++;
		else if (strchr(")>]}", list[i]) != NULL)
			depth -= depth > 0;
	}
	return i;
}
