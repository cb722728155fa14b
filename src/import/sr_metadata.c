/* See sr_metadata.h. Lines "key=value" in sections; blanks around the = do not count, # begins a comment. */
#include "import/sr_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "base/util.h"

enum { LINE_BYTES = 512 };

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	len = strlen(text);
	while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
		text[--len] = '\0';
	return text;
}

/* "12 MHz", "500 kHz", "1000000": as PT_PARAM_HZ, but for the blank, and "GHz". */
int pt_sr_rate(const char *value, uint64_t *hz, struct pt_err *err)
{
	char text[40] = "", *giga;
	uint64_t factor = 1;

	for (size_t n = 0; *value != '\0' && n + 1 < sizeof(text); value++)
		if (*value != ' ' && *value != '\r')
			text[n++] = *value;
	giga = strstr(text, "GHz");
	if (giga != NULL && giga[3] == '\0') {
		memcpy(giga, "MHz", 3);
		factor = 1000;
	}
	if (pt_params_parse(PT_PARAM_HZ, text, hz, err) < 0 || __builtin_mul_overflow(*hz, factor, hz))
		return pt_fail(err, PT_EARG, "metadata: samplerate '%s' is no frequency", text);
	return 0;
}

static int take_probe(struct pt_sr_metadata *m, unsigned long number, const char *name, struct pt_err *err)
{
	if (number < 1 || number > PT_SR_PROBES)
		return pt_fail(err, PT_EARG, "metadata: probe%lu: probes are numbered 1 to %d", number, PT_SR_PROBES);
	snprintf(m->name[number - 1], sizeof(m->name[0]), "%s", name);
	for (char *c = m->name[number - 1]; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || *c == ',')
			*c = '_';
	if (number > m->n_probes)
		m->n_probes = (uint32_t)number;
	return 0;
}

static int take_key(struct pt_sr_metadata *m, const char *key, const char *value, struct pt_err *err)
{
	char *end;

	if (strcmp(key, "capturefile") == 0) {
		if (strlen(value) >= sizeof(m->capturefile))
			return pt_fail(err, PT_EARG, "metadata: the name of the capturefile is too long");
		snprintf(m->capturefile, sizeof(m->capturefile), "%s", value);
	} else if (strcmp(key, "samplerate") == 0) {
		return pt_sr_rate(value, &m->samplerate_hz, err);
	} else if (strcmp(key, "unitsize") == 0) {
		m->unit_bytes = (uint32_t)strtoul(value, NULL, 10);
		if (m->unit_bytes < 1 || m->unit_bytes > PT_SR_PROBES / 8)
			return pt_fail(err, PT_EARG, "metadata: unitsize '%.20s' is not 1 to %d", value,
				       PT_SR_PROBES / 8);
	} else if (strcmp(key, "total analog") == 0) {
		m->n_analog = (uint32_t)strtoul(value, NULL, 10);
	} else if (strncmp(key, "probe", 5) == 0) {
		unsigned long number = strtoul(key + 5, &end, 10);

		if (end != key + 5 && *end == '\0')
			return take_probe(m, number, value, err);
	}
	return 0;
}

/* A new section begins; whether it is the one to read. The first device with data stays. */
static bool enter(struct pt_sr_metadata *m, const char *line)
{
	if (strncmp(line, "[device ", 8) != 0 || m->capturefile[0] != '\0')
		return false;
	memset(m, 0, sizeof(*m));
	return true;
}

static int take_line(struct pt_sr_metadata *m, char *line, bool *reading, struct pt_err *err)
{
	char *value;

	line = trim(line);
	if (line[0] == '[') {
		*reading = enter(m, line);
		return 0;
	}
	value = strchr(line, '=');
	if (!*reading || line[0] == '#' || value == NULL)
		return 0;
	*value++ = '\0';
	return take_key(m, trim(line), trim(value), err);
}

int pt_sr_metadata_parse(struct pt_sr_metadata *m, const char *text, size_t len_bytes, struct pt_err *err)
{
	bool reading = false;

	memset(m, 0, sizeof(*m));
	for (size_t at = 0, len; at < len_bytes; at += len + 1) {
		const char *end = memchr(text + at, '\n', len_bytes - at);
		char line[LINE_BYTES];

		len = end != NULL ? (size_t)(end - (text + at)) : len_bytes - at;
		snprintf(line, sizeof(line), "%.*s", len < LINE_BYTES ? (int)len : LINE_BYTES - 1, text + at);
		if (take_line(m, line, &reading, err) < 0)
			return err->code;
	}
	if (m->capturefile[0] == '\0')
		return pt_fail(err, PT_EARG, "metadata: no device has a capturefile: there are no lines in it");
	if (m->unit_bytes == 0)
		m->unit_bytes = (m->n_probes + 7) / 8;
	if (m->n_probes == 0 || m->n_probes > m->unit_bytes * 8)
		return pt_fail(err, PT_EARG, "metadata: %u probes do not fit samples of %u bytes", m->n_probes,
			       m->unit_bytes);
	return 0;
}
