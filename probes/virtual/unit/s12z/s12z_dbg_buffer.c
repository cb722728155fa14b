/* The trace RAM. DBGCNT counts half lines and goes round behind the 64th, which TBF remembers. Source: S12ZVHY/S12ZVHL
 * RM Rev. 1.05, pp. 191, 213, 222; that the error value is 0xee, and that the RAM is locked while PROFILE is set, is
 * UNVERIFIED. */
#include <string.h>

#include "probes/virtual/unit/s12z/s12z_dbg_parts.h"

enum { HALF_LINES = 2 * PT_VS12Z_DBG_LINES };

unsigned dbg_next_line(const struct pt_vs12z_dbg *dbg)
{
	return dbg->half_lines / 2;
}

static void count(struct pt_vs12z_dbg *dbg, unsigned half_lines)
{
	dbg->half_lines += half_lines;
	if (dbg->half_lines >= HALF_LINES) {
		dbg->half_lines -= HALF_LINES;
		dbg->tbf = true;
	}
}

static void line_written(struct pt_vs12z_dbg *dbg)
{
	dbg->n_lines++;
	if (dbg->profiling || !dbg->tracing)
		return;
	if ((dbg_align(dbg) != ALIGN_BEGIN || !dbg->tbf) && (dbg->after_trigger == 0 || --dbg->after_trigger > 0))
		return;
	dbg->pure.has_pending = false;		/* full: what is not in is not in */
	dbg->tracing = false;
	dbg->full = true;
}

void dbg_put_line(struct pt_vs12z_dbg *dbg, const uint8_t line[8])
{
	memcpy(dbg->line[dbg_next_line(dbg)], line, 8);
	count(dbg, 2);
	line_written(dbg);
}

void dbg_put_half(struct pt_vs12z_dbg *dbg, const uint8_t half[4])
{
	memcpy(dbg->line[dbg_next_line(dbg)] + dbg->half_lines % 2 * 4, half, 4);
	count(dbg, 1);
	if (dbg->half_lines % 2 == 0)
		line_written(dbg);
}

uint8_t dbg_count(const struct pt_vs12z_dbg *dbg)
{
	if (dbg->quirks.cnt_pending && dbg_profile_set(dbg))
		return (uint8_t)(2 * dbg->pending % HALF_LINES);
	return (uint8_t)dbg->half_lines;
}

/* --- reading */

static bool readable(struct pt_vs12z_dbg *dbg)
{
	dbg_transmit(dbg);
	return !dbg_armed(dbg) && !dbg->sending && (dbg->reg[DBGTCRH] & TSOURCE) != 0 && !dbg_profile_set(dbg) &&
	       !dbg->chip.secured(dbg->chip.arg) && !dbg->quirks.no_trace;
}

void dbg_unlock(struct pt_vs12z_dbg *dbg)
{
	if (!readable(dbg))
		return;
	dbg->unlocked = true;
	dbg->read_line = dbg->tbf ? dbg_next_line(dbg) : 0;
	dbg->read_word = 0;
}

/* A line is the words {1,0}, {3,2}, {5,4}, {7,6}. */
uint16_t dbg_read_word(struct pt_vs12z_dbg *dbg)
{
	const uint8_t *at = dbg->line[dbg->read_line] + 2 * dbg->read_word;

	if (!readable(dbg) || !dbg->unlocked)
		return ERROR_BYTE << 8 | ERROR_BYTE;
	if (++dbg->read_word == 4) {
		dbg->read_word = 0;
		dbg->read_line = (dbg->read_line + 1) % PT_VS12Z_DBG_LINES;
	}
	return (uint16_t)(at[1] << 8 | at[0]);
}

void pt_vs12z_dbg_read_line(struct pt_vs12z_dbg *dbg, uint8_t line[8])
{
	memset(line, dbg->quirks.no_trace ? 0 : ERROR_BYTE, 8);
	if (!readable(dbg) || !dbg->unlocked)
		return;
	memcpy(line, dbg->line[dbg->read_line], 8);
	dbg->read_word = 0;
	dbg->read_line = (dbg->read_line + 1) % PT_VS12Z_DBG_LINES;
}
