#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/table/units.h"
#include "base/harmless.h"
#include "base/util.h"

/* The precision of a printed number: four digits, or fewer. */
struct digits {
	double step;		/* step of the last digit at least; 0: any */
	bool down;		/* round down: a lower bound must not be rounded up */
};

/* The number of decimals for four digits, but not more than the step has. */
static int decimals_of(double value, double step)
{
	int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
	int finest = step > 0 ? (int)fmax(0, ceil(-log10(step) - 1e-9)) : decimals;

	return finest < decimals ? finest : decimals;
}

static double rounded(double value, struct digits digits, int decimals)
{
	double unit = pow(10, -decimals);

	if (digits.step > unit)
		unit = digits.step;
	if (digits.down)
		return floor(value / unit + 1e-9) * unit;
	return digits.step > 0 ? round(value / unit) * unit : value;
}

/* whole: value is not scaled, so a whole number needs no decimals. */
static void four_digits(char *out, size_t size, double value, const char *gap, const char *prefix, const char *unit,
			bool whole, struct digits digits)
{
	int decimals = decimals_of(value, digits.step);

	if (whole && value == floor(value))
		decimals = 0;
	snprintf(out, size, "%.*f%s%s%s", decimals, rounded(value, digits, decimals),
		 *prefix != '\0' || *unit != '\0' ? gap : "", prefix, unit);
}

/* The units for scaling a number by thousands. */
struct scale {
	const char *const *names;
	size_t n;
	const char *gap, *unit;	/* unit: printed after the name */
	double first_limit;	/* numbers below are not scaled */
};

static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" }, *const seconds[] = { "ns", "us", "ms", "s" },
	*const plain[] = { "" };

static size_t scale_of(const struct scale *scale, double value)
{
	double limit = scale->first_limit;
	size_t i = 0;

	for (; value >= limit && i + 1 < scale->n; limit = 999.95, i++)
		value /= 1000;
	return i;
}

static void print_scaled(char *out, size_t size, double value, const struct scale *scale, struct digits digits)
{
	size_t i = scale_of(scale, value);
	double factor = pow(1000, (double)i);

	digits.step /= factor;
	four_digits(out, size, value / factor, scale->gap, scale->names[i], scale->unit, i == 0, digits);
}

static struct scale by_prefix(const char *gap, const char *unit)
{
	/* a number without a unit may have five digits */
	return (struct scale){ prefixes, PT_LEN(prefixes), gap, unit, *unit == '\0' ? 99999.5 : 999.95 };
}

static struct scale by_second(const char *gap)
{
	return (struct scale){ seconds, PT_LEN(seconds), gap, "", 999.95 };
}

void pt_print_scaled(char *out, size_t size, double value, const char *gap, const char *unit)
{
	struct scale scale = by_prefix(gap, unit);

	print_scaled(out, size, value, &scale, (struct digits){ 0 });
}

void pt_print_ns(char *out, size_t size, uint64_t ns, const char *gap)
{
	struct scale scale = by_second(gap);

	if (ns == 0)
		snprintf(out, size, "0%ss", gap);
	else
		print_scaled(out, size, (double)ns, &scale, (struct digits){ 0 });
}

static void print_share(char *out, size_t size, const struct pt_value *value)
{
	if (!isnan(value->f))
		snprintf(out, size, "%.1f", value->f * 100);
}

/* The scale in which a column is printed, and the factor for its values. */
static void column_scale(const struct pt_profile *profile, enum pt_unit unit, struct scale *scale, double *factor)
{
	bool ticks = unit == PT_UNIT_TICKS || unit == PT_UNIT_MEAN;
	bool time = ticks && profile->core_hz != 0 && !profile->by_instructions;

	*factor = time ? 1e9 / (double)profile->core_hz : 1;
	if (time)
		*scale = by_second("");
	else if (ticks || unit == PT_UNIT_PER_S)
		*scale = by_prefix("", "");
	else if (unit == PT_UNIT_HZ)
		*scale = by_prefix(" ", "Hz");
	else if (unit == PT_UNIT_NS || unit == PT_UNIT_NS_MEAN)
		*scale = by_second(" ");
	else
		*scale = (struct scale){ plain, PT_LEN(plain), "", "", INFINITY };
}

static void print_whole(char *out, size_t size, enum pt_unit unit, uint64_t u, double step)
{
	if (unit == PT_UNIT_ADDRESS)
		snprintf(out, size, "0x%08" PRIx64, u);
	else if (unit == PT_UNIT_STAMP)		/* all digits, to distinguish it from its neighbours */
		snprintf(out, size, "%" PRIu64 ".%06" PRIu64 " ms", u / PT_NS_PER_MS, u % PT_NS_PER_MS);
	else if (step >= 10)
		snprintf(out, size, "%.0f", round((double)u / step) * step);
	else
		snprintf(out, size, "%" PRIu64, u);
}

static bool is_within(const struct pt_value *value, double f)
{
	return value->lo <= f && f <= value->hi;
}

/* The step of the last digit of an estimate, of f times factor as printed: so coarse that the rounding error is small
 * against the interval, but so fine that the rounded value lies in it. At least one digit; three for a rough value. */
static double step_of(const struct pt_value *value, double f, double factor)
{
	double half = fmax(value->hi - f, f - value->lo) * factor, step;

	if (value->rough && f > 0)
		return pow(10, floor(log10(f * factor)) - 2);
	if (value->basis != PT_BASIS_ESTIMATED || value->lo > f || f > value->hi || !(half > 0))
		return 0;
	step = pow(10, floor(fmin(log10(half / 4), f > 0 ? log10(f * factor) : 0)));
	for (int finer = 0; finer < 3 && !is_within(value, round(f * factor / step) * step / factor); finer++)
		step /= 10;
	return step;
}

/* The limits of a figure that is 0 need their own unit. */
static void print_limits_of_zero(char *out, size_t size, const struct pt_value *value, const struct scale *scale,
				 double factor)
{
	char most[32];

	print_scaled(most, sizeof(most), value->hi * factor, scale, (struct digits){ .step = value->hi * factor / 100 });
	snprintf(out, size, " (0-%s)", most);
}

static void print_limits(char *out, size_t size, const struct pt_value *value, double f, const struct scale *scale,
			 double factor)
{
	size_t thousands = scale_of(scale, f * factor);
	double by = factor / pow(1000, (double)thousands);
	double step = step_of(value, f, factor) * by / factor;
	int decimals = decimals_of(fmax(value->hi, f) * by, step);
	double unit = fmax(pow(10, -decimals), step / 10);	/* at most a tenth of the step */

	/* without a unit the limits get the figure's prefix (k), which otherwise is read as a part of the unit */
	snprintf(out, size, " (%.*f-%.*f%s)", decimals, floor(value->lo * by / unit + 1e-9) * unit, decimals,
		 ceil(value->hi * by / unit - 1e-9) * unit, scale->names == prefixes ? scale->names[thousands] : "");
}

/* The 95 % interval of an estimate: "±N%" if it is narrow enough, else its limits. */
static void print_interval(char *out, size_t size, const struct pt_value *value, double f, const struct scale *scale,
			   double factor)
{
	double error = fmax(value->hi / f - 1, 1 - value->lo / f);

	if (!(value->hi > value->lo) || value->interval_beside || value->about || value->basis != PT_BASIS_ESTIMATED)
		return;
	if (f == 0 && value->lo <= 0 && scale->n > 1)
		print_limits_of_zero(out, size, value, scale, factor);
	else if (isfinite(error) && error <= 0.5)
		snprintf(out, size, " ±%.0f%%", ceil(error * 100));
	else
		print_limits(out, size, value, f, scale, factor);
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

static void print_number(char *out, size_t size, const struct pt_value *value, double f, const struct scale *scale,
			 double factor)
{
	if (f == 0 && scale->names == seconds)
		snprintf(out, size, "0%ss", scale->gap);
	else
		print_scaled(out, size, f * factor, scale,
			     (struct digits){ step_of(value, f, factor), value->at_least });
}

/* Drops zeros after the point: they would look like known digits. */
static void print_stepped(char *out, size_t size, double f, double step)
{
	size_t len =
		(size_t)snprintf(out, size, "%.*f", (int)fmax(0, ceil(-log10(step) - 1e-9)), round(f / step) * step);

	if (strchr(out, '.') == NULL)
		return;
	while (out[len - 1] == '0')
		out[--len] = '\0';
	if (out[len - 1] == '.')
		out[len - 1] = '\0';
}

/* All digits of a whole number; otherwise six, or as many as the step allows. Large ones are scaled: exponents are
 * hard to compare. */
static void print_real(char *out, size_t size, double f, double step)
{
	struct scale scale = by_prefix("", "");

	if (f == trunc(f) && fabs(f) < 1e15 && step <= 1)
		snprintf(out, size, "%.0f", f);
	else if (f >= 1e5)
		print_scaled(out, size, f, &scale, (struct digits){ .step = step });
	else if (step > 0)
		print_stepped(out, size, f, step);
	else
		snprintf(out, size, "%.6g", f);
}

/* A count between two bounds is printed as these bounds: no value in between is better than another. */
static bool print_count_between(char *out, size_t size, enum pt_unit unit, const struct pt_value *value)
{
	if (unit != PT_UNIT_COUNT || !value->bounds || !(value->hi > value->lo) || value->at_least)
		return false;
	snprintf(out, size, "%.0f-%.0f", floor(value->lo), ceil(value->hi));
	return true;
}

static void print_value(char *out, size_t size, const struct pt_profile *profile, enum pt_unit unit,
			const struct pt_value *value)
{
	bool real = pt_unit_is_real(unit), known = real ? !isnan(value->f) : value->u != PT_UNKNOWN;
	double f = real ? value->f : (double)value->u, factor;
	struct scale scale;
	size_t len;

	if (!known)
		return;
	if (unit == PT_UNIT_SHARE) {
		print_share(out, size, value);
		return;
	}
	if (print_count_between(out, size, unit, value))
		return;
	column_scale(profile, unit, &scale, &factor);
	if (scale.names != plain)
		print_number(out, size, value, f, &scale, factor);
	else if (real)
		print_real(out, size, f, step_of(value, f, 1));
	else
		print_whole(out, size, unit, value->u, step_of(value, f, 1));
	len = strlen(out);
	print_interval(out + len, size - len, value, f, &scale, factor);
}

/* None where both limits print alike: then so does the value, and says as much. */
void pt_print_interval(char *out, size_t size, const struct pt_column *column, const struct pt_value *value)
{
	char lo[32], hi[32];

	out[0] = '\0';
	if (column->unit != PT_UNIT_SHARE || isnan(value->f) || !(value->hi > value->lo))
		return;
	snprintf(lo, sizeof(lo), "%.1f", value->lo * 100);
	snprintf(hi, sizeof(hi), "%.1f", value->hi * 100);
	if (strcmp(lo, hi) != 0)
		snprintf(out, size, "%s%s%s", lo, value->lo < 0 ? " to " : "-", hi);
}

void pt_print_cell(char *out, size_t size, const struct pt_profile *profile, const struct pt_column *column,
		   const struct pt_value *value)
{
	char interval[32];
	size_t len;

	pt_print_figure(out, size, profile, column, value);
	pt_print_interval(interval, sizeof(interval), column, value);
	len = strlen(out);
	if (interval[0] != '\0')
		snprintf(out + len, size - len, " (%s)", interval);
}

/* Names from the ELF are harmless already, but others may not be. */
static void print_text(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text != NULL ? text : "");
	pt_harmless(out, "");
}

void pt_print_figure(char *out, size_t size, const struct pt_profile *profile, const struct pt_column *column,
		     const struct pt_value *value)
{
	size_t len = 0;

	out[0] = '\0';
	if (value->at_least && value->u == 0)	/* also for real values: a lower bound of 0 says nothing */
		return;
	if (value->at_least)
		len = (size_t)snprintf(out, size, "≥");
	else if (value->about && value->u != PT_UNKNOWN)
		len = (size_t)snprintf(out, size, "~");
	if (column->unit == PT_UNIT_NONE)
		print_text(out, size, value->text);
	else if (value->not_there)
		snprintf(out, size, "n/a");
	else if (value->undecided_ns != 0)
		print_undecided(out, size, value->undecided_ns);
	else
		print_value(out + len, size - len, profile, column->unit, value);
}
