/* Lines of the S12Z's profiling: how long they are, and where a session is in a buffer. */
#include <string.h>

#include "harness.h"
#include "trace/s12z_lines.h"

static const struct { uint8_t info; unsigned want; } lengths[] = {
	{ 0x00, 4 }, { 0x01, 8 }, { 0x02, 6 }, { 0x03, 8 }, { 0x07, 8 }, { 0x17, 8 }, { 0x37, 8 }, { 0x47, 8 },
	{ 0x61, 8 }, { 0x52, 6 }, { 0x04, 0 }, { 0x05, 0 }, { 0x06, 0 }, { 0x08, 0 }, { 0x0f, 0 }, { 0x81, 0 },
	{ 0x80, 0 },
};

START_TEST(line_has_its_length)
{
	ck_assert_uint_eq(pt_s12z_line_bytes(lengths[_i].info, PT_S12Z_PTHF_BYTES), lengths[_i].want);
	if ((lengths[_i].info & 0x8f) == PT_S12Z_PTHF)
		ck_assert_uint_eq(pt_s12z_line_bytes(lengths[_i].info, 5), 5);
}
END_TEST

/* A buffer as letters, one a line, oldest first: S PTS, i PTIB, h PTHF, v PTVB, w PTW, T PTW with TERM, O PTW with
 * TBOVF, B with both, t PTIB with TERM, s PTS with TERM, p PTS with TBOVF, 0 zeros as after power-up, x reserved INFO, e empty field.
 * Source of the cases: the manual's 6.4.6; what arming does with the buffer is written at pt_s12z_locate(). */
static const struct {
	const char *name, *lines;
	size_t first, n;
	bool whole, overflow;
} sessions[] = {
	{ "the first since power-up", "SivT0000", 0, 4, true, false },
	{ "nothing but its end", "STxxxxxx", 0, 2, true, false },
	{ "armed and disarmed at once", "sxxxxxxx", 0, 1, true, false },
	{ "over an older one, whose end is left", "SiiTiviT", 0, 4, true, false },
	{ "over an older one and one older than that", "SiTiTivT", 0, 3, true, false },
	{ "stale lines first", "iviTSiiT", 4, 4, true, false },
	{ "two whole ones: the later", "SiTShivT", 3, 5, true, false },
	{ "rolled over, oldest line first", "ivhiiwvT", 0, 8, false, false },
	{ "rolled over, read from the middle", "ivTiiwvi", 3, 8, false, false },
	{ "whole, read from the middle", "ivT000Si", 6, 5, true, false },
	{ "overflow", "SivhivhO", 0, 8, true, true },
	{ "overflow and disarmed", "SivhivhB", 0, 8, true, true },
	{ "an overflow rolled over", "iivhivhO", 0, 8, false, true },
	{ "ended by a branch", "Siitxxxx", 0, 4, true, false },
	{ "a line that cannot be", "SiixiivT", 4, 4, false, false },
	{ "an empty field", "SieiivhT", 3, 5, false, false },
	{ "no end", "Siiiiiii", 0, 0, false, false },
	{ "never written", "00000000", 0, 0, false, false },
	{ "noise", "xxexxexx", 0, 0, false, false },
	{ "a PTS among zeros is not its own", "00000SiT", 5, 3, true, false },
	{ "noise behind it that looks like a session", "SwTxxSiO", 0, 3, true, false },
	{ "noise behind it that looks like another's end", "SwTxpxpx", 0, 3, true, false },
	{ "a PTS that overflows is noise", "ivTiiwpx", 0, 3, false, false },
};

static void write_line(uint8_t *line, char what)
{
	static const struct { char what; uint8_t info, direct; } kinds[] = {
		{ 'S', 0x00, 0x12 }, { 'i', 0x01, 0x05 }, { 'h', 0x02, 0xff }, { 'v', 0x03, 0x01 }, { 'w', 0x47, 0x01 },
		{ 'T', 0x17, 0x01 }, { 'O', 0x27, 0x01 }, { 'B', 0x37, 0x01 }, { 't', 0x11, 0x02 }, { 's', 0x10, 0x00 },
		{ 'p', 0x30, 0x00 },
		{ '0', 0x00, 0x00 }, { 'x', 0x04, 0x01 }, { 'e', 0x01, 0x00 },
	};

	memset(line, 0, PT_S12Z_LINE_BYTES);
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (kinds[i].what == what) {
			line[0] = kinds[i].info;
			line[1] = kinds[i].direct;
		}
}

START_TEST(session_is_found)
{
	uint8_t lines[PT_S12Z_LINES * PT_S12Z_LINE_BYTES];
	size_t n = strlen(sessions[_i].lines);
	struct pt_s12z_session got;

	for (size_t i = 0; i < n; i++)
		write_line(lines + i * PT_S12Z_LINE_BYTES, sessions[_i].lines[i]);
	got = pt_s12z_locate(lines, n);
	ck_assert_msg(got.n == sessions[_i].n, "%s: %zu lines", sessions[_i].name, got.n);
	if (got.n == 0)
		return;
	ck_assert_msg(got.first == sessions[_i].first, "%s: from %zu", sessions[_i].name, got.first);
	ck_assert_msg(got.whole == sessions[_i].whole, "%s: whole", sessions[_i].name);
	ck_assert_msg(got.overflow == sessions[_i].overflow, "%s: overflow", sessions[_i].name);
}
END_TEST

START_TEST(direct_field_is_little_endian)
{
	static const uint8_t line[8] = { 0x02, 0x01, 0x23, 0x45, 0x80 };

	ck_assert_uint_eq(pt_s12z_direct(line), 0x80452301u);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_lines");
	TCase *tc = tcase_create("lines");

	tcase_add_loop_test(tc, line_has_its_length, 0, PT_LEN(lengths));
	tcase_add_loop_test(tc, session_is_found, 0, PT_LEN(sessions));
	tcase_add_test(tc, direct_field_is_little_endian);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
