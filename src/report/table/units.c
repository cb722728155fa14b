#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/table/units.h"
#include "base/util.h"

/* whole: value is not scaled, so a whole number needs no decimals. */
static void four_digits(char *out, size_t size, double value, const char *gap, const char *prefix, const char *unit,
			bool whole)
{
	int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

	if (whole && value == floor(value))
		decimals = 0;
	snprintf(out, size, "%.*f%s%s%s", decimals, value, *prefix != '\0' || *unit != '\0' ? gap : "", prefix, unit);
}

void pt_print_scaled(char *out, size_t size, double value, const char *gap, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	double limit = *unit == '\0' ? 99999.5 : 999.95;	/* a bare number may have five digits */
	size_t i = 0;

	for (; value >= limit && i + 1 < PT_LEN(prefixes); limit = 999.95, i++)
		value /= 1000;
	four_digits(out, size, value, gap, prefixes[i], unit, i == 0);
}

static void print_seconds(char *out, size_t size, double ns, const char *gap)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	for (; ns >= 999.95 && i + 1 < PT_LEN(units); i++)
		ns /= 1000;
	four_digits(out, size, ns, gap, "", i == 0 && ns == 0 ? "s" : units[i], i == 0);
}

void pt_print_ns(char *out, size_t size, uint64_t ns, const char *gap)
{
	print_seconds(out, size, (double)ns, gap);
}

static void print_ticks(char *out, size_t size, const struct pt_profile *profile, double ticks)
{
	if (profile->core_hz != 0 && !profile->by_instructions)
		print_seconds(out, size, ticks * 1e9 / (double)profile->core_hz, "");
	else
		pt_print_scaled(out, size, ticks, "", "");
}

static void print_share(char *out, size_t size, const struct pt_value *value)
{
	if (isnan(value->f))
		snprintf(out, size, "%s", "");
	else if (value->hi > value->lo)
		snprintf(out, size, "%.1f (%.1f-%.1f)", value->f * 100, value->lo * 100, value->hi * 100);
	else
		snprintf(out, size, "%.1f", value->f * 100);
}

static void print_number(char *out, size_t size, const struct pt_profile *profile, enum pt_unit unit, uint64_t u)
{
	if (unit == PT_UNIT_ADDRESS)
		snprintf(out, size, "0x%08" PRIx64, u);
	else if (unit == PT_UNIT_STAMP)		/* all digits: it is to be told from its neighbours */
		snprintf(out, size, "%" PRIu64 ".%06" PRIu64 " ms", u / PT_NS_PER_MS, u % PT_NS_PER_MS);
	else if (unit == PT_UNIT_NS)
		pt_print_ns(out, size, u, " ");
	else if (unit == PT_UNIT_TICKS)
		print_ticks(out, size, profile, (double)u);
	else if (unit == PT_UNIT_HZ)
		pt_print_scaled(out, size, (double)u, " ", "Hz");
	else
		snprintf(out, size, "%" PRIu64, u);
}

static void print_real(char *out, size_t size, const struct pt_profile *profile, enum pt_unit unit, double f)
{
	if (unit == PT_UNIT_MEAN)
		print_ticks(out, size, profile, f);
	else if (unit == PT_UNIT_NS_MEAN)
		print_seconds(out, size, f, " ");
	else if (unit == PT_UNIT_PER_S)
		pt_print_scaled(out, size, f, "", "");
	else	/* an exponent is hard to compare with its neighbours */
		snprintf(out, size, fabs(f) >= 1e5 && fabs(f) < 1e15 ? "%.0f" : "%.6g", f);
}

/* An estimate: within so much of it with 95 %, on the wider side. */
static void print_error(char *out, size_t size, const struct pt_value *value)
{
	double error = fmax(value->hi / value->f - 1, 1 - value->lo / value->f);
	size_t len = strlen(out);

	if (value->hi > value->lo && isfinite(error))
		snprintf(out + len, size - len, " ±%.0f%%", ceil(error * 100));
}

static void print_undecided(char *out, size_t size, uint64_t ns)
{
	char text[32];

	if (ns == PT_UNKNOWN) {
		snprintf(out, size, "undecided (no common clock)");
		return;
	}
	pt_print_ns(text, sizeof(text), ns, " ");
	snprintf(out, size, "undecided (clocks ± %s)", text);
}

static void print_value(char *out, size_t size, const struct pt_profile *profile, enum pt_unit unit,
			const struct pt_value *value)
{
	if (unit == PT_UNIT_SHARE) {
		print_share(out, size, value);
	} else if (pt_unit_is_real(unit) && !isnan(value->f)) {
		print_real(out, size, profile, unit, value->f);
		print_error(out, size, value);
	} else if (!pt_unit_is_real(unit) && value->u != PT_UNKNOWN) {
		print_number(out, size, profile, unit, value->u);
	}
}

void pt_print_cell(char *out, size_t size, const struct pt_profile *profile, const struct pt_column *column,
		   const struct pt_value *value)
{
	size_t len = 0;

	out[0] = '\0';
	if (value->at_least)
		len = (size_t)snprintf(out, size, "≥");
	if (column->unit == PT_UNIT_NONE)
		snprintf(out, size, "%s", value->text != NULL ? value->text : "");
	else if (value->not_there)
		snprintf(out, size, "n/a");
	else if (value->undecided_ns != 0)
		print_undecided(out, size, value->undecided_ns);
	else
		print_value(out + len, size - len, profile, column->unit, value);
}
