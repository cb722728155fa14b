/* See bdccsr.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "targets/s12z/core/bdccsr.h"
#include "base/util.h"

enum { BITS = 16 };

/* Finds the name of a bit in a list that begins with bit 15. */
static size_t name_of(const char *names, unsigned bit, const char **name)
{
	for (unsigned i = 15; i > bit; i--) {
		names += strcspn(names, ",");
		names += *names == ',';
	}
	*name = names;
	return strcspn(names, ",");
}

static bool is_named(const char *names, unsigned bit, const char *name, size_t len)
{
	const char *other;

	return name_of(names, bit, &other) == len && memcmp(other, name, len) == 0;
}

int pt_bdccsr_parse(struct pt_bdccsr *bits, const char *names, struct pt_err *err)
{
	for (unsigned bit = 0; bit < BITS; bit++) {
		unsigned n = 0;
		const char *name;
		size_t len = name_of(PT_BDCCSR_STANDARD, bit, &name);

		for (unsigned raw = 0; raw < BITS; raw++) {
			if (!is_named(names, raw, name, len))
				continue;
			bits->place[bit] = (uint8_t)raw;
			n++;
		}
		if (n != 1)
			return pt_fail(err, PT_EARG,
				       "bdccsr: %.*s is there %u times; the 16 bits from bit 15 down, "
				       "each once, are as in %s",
				       (int)len, name, n, PT_BDCCSR_STANDARD);
	}
	return 0;
}

uint16_t pt_bdccsr_seen(const struct pt_bdccsr *bits, uint16_t raw)
{
	unsigned value = 0;

	for (unsigned bit = 0; bit < BITS; bit++)
		value |= (raw >> bits->place[bit] & 1u) << bit;
	return (uint16_t)value;
}

uint16_t pt_bdccsr_sent(const struct pt_bdccsr *bits, uint16_t value)
{
	unsigned raw = 0;

	for (unsigned bit = 0; bit < BITS; bit++)
		raw |= (value >> bit & 1u) << bits->place[bit];
	return (uint16_t)raw;
}

void pt_bdccsr_print(uint16_t csr, char *line, size_t room)
{
	int len = snprintf(line, room, "BDCCSR 0x%04x:", csr);

	for (unsigned bit = BITS; bit-- > 0 && (size_t)len < room;) {
		const char *name;
		size_t n = name_of(PT_BDCCSR_STANDARD, bit, &name);

		if ((csr >> bit & 1) != 0)
			len += snprintf(line + len, room - (size_t)len, " %.*s", (int)n, name);
	}
}
