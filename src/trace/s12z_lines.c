/* The lengths of lines, and the search for a session. */
#include "trace/s12z_lines.h"
#include "base/util.h"

unsigned pt_s12z_line_bytes(uint8_t info, unsigned pthf_bytes)
{
	if ((info & PT_S12Z_ALWAYS_0) != 0)
		return 0;
	switch (info & PT_S12Z_FORMAT) {
	case PT_S12Z_PTS:
		return 4;
	case PT_S12Z_PTHF:
		return pthf_bytes;
	case PT_S12Z_PTIB:
	case PT_S12Z_PTVB:
	case PT_S12Z_PTW:
		return PT_S12Z_LINE_BYTES;
	default:
		return 0;
	}
}

uint32_t pt_s12z_direct(const uint8_t line[PT_S12Z_LINE_BYTES])
{
	return pt_le32(line + 1);
}

bool pt_s12z_line_is_possible(const uint8_t line[PT_S12Z_LINE_BYTES])
{
	if (pt_s12z_line_bytes(line[0], PT_S12Z_PTHF_BYTES) == 0)
		return false;
	if ((line[0] & PT_S12Z_FORMAT) == PT_S12Z_PTS)
		return (line[0] & (PT_S12Z_TBOVF | PT_S12Z_TSOVF)) == 0;
	return pt_s12z_direct(line) != 0;
}

static bool ends(const uint8_t *line)
{
	return pt_s12z_line_is_possible(line) && (line[0] & (PT_S12Z_TERM | PT_S12Z_TBOVF)) != 0;
}

/* The session that ends with line `last`. */
static struct pt_s12z_session back_from(const uint8_t *lines, size_t n_lines, size_t last)
{
	struct pt_s12z_session s = {
		.first = last, .n = 1, .overflow = (lines[last * PT_S12Z_LINE_BYTES] & PT_S12Z_TBOVF) != 0,
	};

	for (;;) {
		const uint8_t *line = lines + s.first * PT_S12Z_LINE_BYTES;
		size_t before = (s.first + n_lines - 1) % n_lines;

		s.whole = (line[0] & PT_S12Z_FORMAT) == PT_S12Z_PTS;
		line = lines + before * PT_S12Z_LINE_BYTES;
		if (s.whole || s.n == n_lines || !pt_s12z_line_is_possible(line) || ends(line))
			return s;
		s.first = before;
		s.n++;
	}
}

static bool is_start(const uint8_t *line)
{
	return pt_s12z_line_is_possible(line) && (line[0] & PT_S12Z_FORMAT) == PT_S12Z_PTS;
}

/* The session whose PTS is line first, if it comes to an end. */
static struct pt_s12z_session from_its_start(const uint8_t *lines, size_t n_lines, size_t first)
{
	const struct pt_s12z_session none = { 0 };

	for (size_t i = first; i < n_lines; i++) {
		const uint8_t *line = lines + i * PT_S12Z_LINE_BYTES;

		if (!pt_s12z_line_is_possible(line) || (i > first) == is_start(line))
			return none;
		if (ends(line))
			return (struct pt_s12z_session){ .first = first, .n = i + 1 - first, .whole = true,
							 .overflow = (line[0] & PT_S12Z_TBOVF) != 0 };
	}
	return none;
}

/* The last of those that follow each other without a gap from line 0 on. */
static struct pt_s12z_session first_in_line(const uint8_t *lines, size_t n_lines)
{
	struct pt_s12z_session found = { 0 }, next;

	while ((next = from_its_start(lines, n_lines, found.first + found.n)).n > 0)
		found = next;
	return found;
}

struct pt_s12z_session pt_s12z_locate(const uint8_t *lines, size_t n_lines)
{
	struct pt_s12z_session found = first_in_line(lines, n_lines);

	if (found.n > 0)
		return found;
	for (size_t i = 0; i < n_lines; i++) {
		struct pt_s12z_session s;

		if (!ends(lines + i * PT_S12Z_LINE_BYTES))
			continue;
		s = back_from(lines, n_lines, i);
		if (s.whole || !found.whole)
			found = s;
	}
	return found;
}
