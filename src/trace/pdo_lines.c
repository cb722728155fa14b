/* See pdo_lines.h. */
#include "trace/pdo_lines.h"

void pt_pdo_lines_begin(struct pt_pdo_lines *lines)
{
	lines->byte_ns = 0;
	lines->n_lines = 0;
	lines->left = 0;
	lines->unsure = lines->full = lines->last = false;
}

static void begin_line(struct pt_pdo_lines *lines, uint8_t info, uint64_t ns)
{
	unsigned n_bytes = pt_s12z_line_bytes(info, lines->pthf_bytes);

	if (n_bytes == 0) {
		lines->unsure = true;
		return;
	}
	lines->begin_ns[lines->n_lines++ % PT_S12Z_LINES] = ns;
	lines->full |= (info & PT_S12Z_TBOVF) != 0;
	lines->last = (info & (PT_S12Z_TBOVF | PT_S12Z_TERM)) != 0;
	lines->left = n_bytes - 1;
}

void pt_pdo_lines_byte(struct pt_pdo_lines *lines, uint8_t byte, uint64_t ns)
{
	lines->byte_ns = ns;
	if (lines->unsure)
		return;
	if (lines->left > 0)
		lines->left--;
	else
		begin_line(lines, byte, ns);
}

uint64_t pt_pdo_lines_recorded_ns(const struct pt_pdo_lines *lines)
{
	if (lines->unsure || lines->n_lines < PT_S12Z_LINES)
		return 0;
	return lines->begin_ns[lines->n_lines % PT_S12Z_LINES];	/* the oldest of the ring */
}

bool pt_pdo_lines_ended(const struct pt_pdo_lines *lines)
{
	return lines->last && lines->left == 0 && !lines->unsure;
}
