/* The code profiling of an S12Z from a recording of its pins PDO and PDOCLK, as a logic analyser or an oscilloscope wrote
 * it: what the source dbg-profile, mode=pdo, reads while the capture runs.
 *
 * A file has no BDC that says when the module was armed, so a session is what the pins show: it begins with its first
 * bit, and ends with its last line (TERM, TBOVF). Nothing marks where a line begins but a rest of the clock: a file that
 * begins amid lines, and one with levels that are not known, counts as lost until the clock rests next. What was observed
 * reaches as far as the pins show it: behind a rest all that was recorded until then has been sent, and without rests
 * lines are up to 64 late (trace/pdo_lines.h). */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "import/pdo_levels.h"
#include "import/stream.h"
#include "trace/loss.h"
#include "trace/pdo_bits.h"
#include "trace/pdo_lines.h"

enum { PDO, PDOCLK, EDGE, BUS_CLOCK, PTHF, SWAP24, STAMP_FROM, IVBR, SAMPLERATE, COLUMNS, TIME_COLUMN, TIME_UNIT };
static const struct pt_param rows[] = {
	[PDO] = { "pdo", PT_PARAM_TEXT, "pdo", NULL, 0, 0, "pdo: the line of the pin PDO" },
	[PDOCLK] = { "pdoclk", PT_PARAM_TEXT, "pdoclk", NULL, 0, 0, "pdo: the line of the pin PDOCLK" },
	[EDGE] = { "edge", PT_PARAM_CHOICE, "both", "both|rising|falling", 0, 0,
		   "pdo: the edges of PDOCLK at which there is a bit (not verified)" },
	[BUS_CLOCK] = { "bus-clock", PT_PARAM_HZ, NULL, NULL, 0, 0,
			"pdo: bus cycles per second; without it times are in cycles" },
	[PTHF] = { "pthf-bytes", PT_PARAM_NUMBER, "6", NULL, 5, 6, "pdo: bytes of a PTHF line on the pins" },
	[SWAP24] = { "swap24", PT_PARAM_FLAG, "off", NULL, 0, 0,
		     "pdo: addresses and stamps have their bytes the other way round (not verified)" },
	[STAMP_FROM] = { "stamp-from", PT_PARAM_CHOICE, "cof", "cof|line", 0, 0,
			 "pdo: stamps count from the change of flow before, or from the trace line before (not verified)" },
	[IVBR] = { "ivbr", PT_PARAM_NUMBER, "0xfffe", NULL, 0, UINT16_MAX, "pdo: the register IVBR, where the vectors lie" },
	[SAMPLERATE] = { "samplerate", PT_PARAM_HZ, NULL, NULL, 1, 1000000000000000,
			 "sr, csv: samples per second, where the file does not say" },
	[COLUMNS] = { "columns", PT_PARAM_LIST, NULL, NULL, 0, 0,
		      "csv: take only these columns, from 1, under these names (2:pdo,3:pdoclk)" },
	[TIME_COLUMN] = { "time-column", PT_PARAM_NUMBER, NULL, NULL, 0, 257,
			  "csv: the column that has the time, from 1 (0: none); else the one whose heading begins so" },
	[TIME_UNIT] = { "time-unit", PT_PARAM_CHOICE, NULL, "s|ms|us|ns|ps", 0, 0,
			"csv: unit of the time, where its heading does not say; else s" },
};

enum phase { CONFIG, DATA, LAST, END, OVER };
enum due { NOTHING, BYTES, GAP };	/* the chunk that is next */

struct pdo {
	struct pt_pdo_levels levels;
	struct pt_text config;
	struct pt_notes notes;
	enum phase phase;
	struct pt_pdo_bits bits;
	struct pt_pdo_lines lines;
	bool aligned;			/* it is known where lines begin */
	bool recording;			/* a session is open */
	bool restarts;			/* the next DATA is its first */
	uint64_t first_gap;		/* ticks without a bit before the first one since lines could not be told apart */
	uint64_t rested_ns;		/* a line began behind a rest then: all that was recorded before has been sent */
	uint64_t told_ns, to_ns;	/* chunks reach up to there; the one that is due, to there */
	enum pt_loss gap;		/* what the time up to the next session is */
	uint64_t lost_bytes;		/* of it */
	bool moved;			/* there was an edge of the clock */
	uint64_t n_kept;		/* bytes in chunks */
	enum due due;
	uint8_t held;			/* the byte behind the chunk that is due, if any */
	uint64_t held_ns;
	bool holds;
	uint8_t bytes[PT_CHUNK_BYTES];
	size_t n_bytes;
};

/* --- sessions ----------------------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct pdo *p, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * PT_NS_PER_S / p->levels.tick_hz;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* The session recorded at least up to then. */
static uint64_t recorded_ns(const struct pdo *p)
{
	uint64_t by_lines = pt_pdo_lines_recorded_ns(&p->lines);

	return by_lines > p->rested_ns ? by_lines : p->rested_ns;
}

static void bytes_due(struct pdo *p, uint64_t to_ns)
{
	p->to_ns = to_ns > p->told_ns ? to_ns : p->told_ns;
	p->due = BYTES;
}

/* Of one that the hardware ended, what it recorded last is known by its lines. */
static void end_session(struct pdo *p, enum pt_loss gap)
{
	uint64_t by_lines = pt_pdo_lines_recorded_ns(&p->lines);

	bytes_due(p, p->lines.full && by_lines != 0 ? by_lines : p->lines.byte_ns);
	p->recording = false;
	p->gap = gap;
	p->lost_bytes = gap == PT_LOSS_REARM ? 0 : PT_UNKNOWN;
}

/* Where lines begin is not known any more. */
static void lose(struct pdo *p, uint64_t n_bytes)
{
	if (p->recording)
		end_session(p, PT_LOSS_DAMAGED);
	p->gap = PT_LOSS_DAMAGED;
	p->lost_bytes = n_bytes != 0 ? n_bytes : PT_UNKNOWN;
	p->aligned = false;
	pt_pdo_begin(&p->bits);
	p->bits.known = false;
	p->first_gap = 0;
}

static void begin_session(struct pdo *p, uint64_t ns)
{
	pt_pdo_lines_begin(&p->lines);
	p->rested_ns = ns;
	p->recording = p->restarts = true;
	if (p->n_kept == 0 && p->gap == 0)
		p->told_ns = ns;	/* the file's first */
	else
		p->due = GAP;
	p->to_ns = ns;
}

/* A line that cannot be leaves it open where the next one begins, until the clock rests. */
static void keep(struct pdo *p, uint8_t byte, uint64_t ns)
{
	if (p->bits.rested && (p->lines.unsure || p->lines.left > 0))
		pt_pdo_lines_begin(&p->lines);
	if (p->bits.rested)
		p->rested_ns = ns;
	p->bytes[p->n_bytes++] = byte;
	p->n_kept++;
	pt_pdo_lines_byte(&p->lines, byte, ns);
	if (pt_pdo_lines_ended(&p->lines))
		end_session(p, p->lines.full ? PT_LOSS_FIFO : PT_LOSS_REARM);
	else if (p->n_bytes == sizeof(p->bytes))
		bytes_due(p, recorded_ns(p));
}

static void take_byte(struct pdo *p, uint8_t byte, uint64_t ns)
{
	uint64_t sent_ns = p->lines.byte_ns;

	if (!p->aligned && !p->bits.rested && p->first_gap <= p->bits.least_gap * PT_PDO_RESTS) {
		if (p->gap == 0)
			p->told_ns = ns;
		p->gap = PT_LOSS_DAMAGED;
		p->lost_bytes += p->lost_bytes != PT_UNKNOWN;
		return;
	}
	p->aligned = true;
	if (!p->recording)
		begin_session(p, ns);
	else if (p->bits.rested && p->n_bytes > 0 && sent_ns > p->told_ns + PT_STREAM_SPAN_NS)
		bytes_due(p, sent_ns);
	p->holds = p->due != NOTHING;
	if (!p->holds)
		keep(p, byte, ns);
	p->held = byte;
	p->held_ns = ns;
}

static void take_run(struct pdo *p, const struct pt_pdo_run *run)
{
	bool timed = p->bits.timed;
	uint64_t gap = p->bits.gap;
	uint8_t byte;
	bool complete = pt_pdo_run(&p->bits, run->levels, run->n, &byte);

	p->moved |= p->bits.timed;
	if (!timed && p->bits.timed)
		p->first_gap = gap;
	if (p->bits.damaged) {		/* the bit that was just read begins a line */
		p->bits.damaged = false;
		pt_notes_add(&p->notes, "at %" PRIu64 " ns the clock rests within a byte: bits are missing before it",
			     ns_of(p, run->from));
		if (p->recording)
			end_session(p, PT_LOSS_DAMAGED);
	}
	if (complete)
		take_byte(p, byte, ns_of(p, run->from));
}

/* The end of the file. Of a session that goes on there, what was recorded is known as far as the pins show it. */
static void finish(struct pdo *p, uint64_t end_ns)
{
	p->phase = LAST;
	if (p->recording)
		bytes_due(p, pt_pdo_rests(&p->bits) ? p->lines.byte_ns : recorded_ns(p));
	if (!p->moved)
		pt_notes_add(
			&p->notes,
			"PDOCLK does not change in it, so nothing was recorded: is it the line of the pin, and was "
			"DBGTCRL.PDOE set?");
	else if (p->n_kept == 0)
		pt_notes_add(
			&p->notes,
			"no line of the trace can be read: the clock never rests, so that it is not known where one "
			"begins. Let the recording begin before the module is armed");
	p->held_ns = end_ns;
	pt_notes_end(&p->notes);
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

static void put_bytes(struct pdo *p, struct pt_chunk *chunk)
{
	*chunk = (struct pt_chunk){ .from_ns = p->told_ns, .to_ns = p->to_ns, .kind = PT_CHUNK_DATA,
				    .cause = p->restarts ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS,
				    .len_bytes = (uint32_t)p->n_bytes };
	memcpy(chunk->bytes, p->bytes, p->n_bytes);
	p->n_bytes = 0;
	p->restarts = false;
}

static void put_gap(struct pdo *p, struct pt_chunk *chunk)
{
	p->to_ns = p->to_ns > p->told_ns ? p->to_ns : p->told_ns;
	*chunk = (struct pt_chunk){ .from_ns = p->told_ns, .to_ns = p->to_ns, .kind = PT_CHUNK_LOSS,
				    .cause = (uint16_t)p->gap, .lost_bytes = p->lost_bytes };
	p->gap = 0;
	p->lost_bytes = 0;
}

static int put_due(struct pdo *p, struct pt_chunk *chunk)
{
	if (p->due == BYTES)
		put_bytes(p, chunk);
	else
		put_gap(p, chunk);
	p->told_ns = p->to_ns;
	p->due = NOTHING;
	if (p->holds) {
		p->holds = false;
		keep(p, p->held, p->held_ns);
	}
	return PT_INPUT_CHUNK;
}

/* What is left behind the last bit: a gap that no session closed. */
static int put_end(struct pdo *p, struct pt_chunk *chunk)
{
	if (pt_loss_is_fault(p->gap)) {
		p->to_ns = p->held_ns;
		put_gap(p, chunk);
		p->told_ns = p->to_ns;
		return PT_INPUT_CHUNK;
	}
	if (p->phase == OVER)
		return PT_INPUT_END;
	p->phase = OVER;
	*chunk = (struct pt_chunk){ .from_ns = p->told_ns, .to_ns = p->told_ns, .kind = PT_CHUNK_END };
	return PT_INPUT_CHUNK;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	struct pdo *p = state;
	struct pt_pdo_run run;

	if (p->phase == CONFIG) {
		p->phase = DATA;
		pt_stream_put_config(chunk, &p->config, 0);
		return PT_INPUT_CHUNK;
	}
	while (p->phase == DATA && p->due == NOTHING) {
		int what = pt_pdo_levels_next(&p->levels, &run, err);

		if (what < 0)
			return what;
		if (what == PT_PDO_LEVELS_RUN)
			take_run(p, &run);
		else if (what == PT_PDO_LEVELS_LOST)
			lose(p, run.lost_bytes);
		else
			finish(p, ns_of(p, p->levels.now));
	}
	return p->due != NOTHING ? put_due(p, chunk) : put_end(p, chunk);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static enum pt_pdo_edge edge_of(const char *word)
{
	return strcmp(word, "rising") == 0    ? PT_PDO_RISING
	       : strcmp(word, "falling") == 0 ? PT_PDO_FALLING
					      : PT_PDO_BOTH;
}

static void make_config(struct pdo *p, const struct pt_input_setup *setup)
{
	const struct pt_params *s = setup->settings;

	pt_stream_config(&p->config, PT_FORMAT_S12Z_PROFILE, "dbg-profile", "pdo", setup);
	pt_text_add(&p->config,
		    "title=S12Z profiling pins\nstream=pdo\nbus_hz=%" PRIu64 "\nivbr=0x%04" PRIx64
		    "\npthf_bytes=%" PRIu64 "\nswap24=%d\nstamp_from=%s\n",
		    pt_params_number(s, &rows[BUS_CLOCK]), pt_params_number(s, &rows[IVBR]),
		    pt_params_number(s, &rows[PTHF]), pt_params_flag(s, &rows[SWAP24]),
		    pt_params_text(s, &rows[STAMP_FROM]));
}

static int open_pdo(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct pdo *p = state;
	const struct pt_params *s = setup->settings;

	if (pt_pdo_levels_open(&p->levels, file, setup, pt_params_text(s, &rows[PDO]), pt_params_text(s, &rows[PDOCLK]),
			       err) < 0)
		return err->code;
	pt_notes_init(&p->notes, setup);
	pt_pdo_init(&p->bits, edge_of(pt_params_text(s, &rows[EDGE])));
	p->lines.pthf_bytes = (unsigned)pt_params_number(s, &rows[PTHF]);
	pt_pdo_lines_begin(&p->lines);
	make_config(p, setup);
	return 0;
}

static void close_pdo(void *state)
{
	struct pdo *p = state;

	pt_pdo_levels_close(&p->levels);
	pt_text_free(&p->config);
}

const struct pt_input_ops pt_input_pdo = {
	.name = "pdo",
	.help = "pins PDO and PDOCLK of an S12Z, in a VCD, a sigrok session or a CSV",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct pdo),
	.open = open_pdo,
	.next = next,
	.close = close_pdo,
};
