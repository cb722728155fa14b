#define _GNU_SOURCE	/* asprintf */
#include "session/limits_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/limits/limits.h"
#include "host/whole_file.h"

enum { MOST_BYTES = 64 << 10 };

static char *word_of(const char *path, const char *text, struct pt_err *err)
{
	struct pt_rules *rules = pt_alloc(sizeof(*rules));
	char *line = pt_rules_one_line(text), *word = NULL;

	if (line[0] == '\0' || (pt_rules_parse(rules, line, NULL) == 0 && rules->n == 0)) {
		pt_fail(err, PT_EARG, "%s has no rule such as gross(adc_convert) in 5us..7us", path);
	} else if (asprintf(&word, "limits=%s", line) < 0) {
		pt_fail(err, PT_ENOMEM, "no memory for timing rules");
		word = NULL;
	} else if (pt_rules_parse(rules, line, err) < 0) {
		pt_wrap(err, "%s", path);
		free(word);
		word = NULL;
	}
	free(line);
	free(rules);
	return word;
}

char *pt_limits_word(const char *path, bool pipes, struct pt_err *err)
{
	size_t len_bytes;
	uint8_t *text = pipes ? pt_file_read_text(path, MOST_BYTES, &len_bytes, err)
			      : pt_file_read(path, MOST_BYTES, &len_bytes, err);
	char *word = NULL;

	if (text == NULL)
		pt_advise(err, "a file of timing rules has one rule per line, such as gross(adc_convert) in 5us..7us");
	if (text != NULL && memchr(text, 0, len_bytes) != NULL)
		pt_fail(err, PT_EARG, "%s is not text: a file of timing rules has one rule per line", path);
	else if (text != NULL)
		word = word_of(path, (const char *)text, err);
	free(text);
	return word;
}
