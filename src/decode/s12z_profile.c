/* Code profiling of the S12Z: lines of four to eight bytes, from the trace buffer or as they came out of PDO.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.6; what it leaves open has a key of CONFIG (formats.h).
 *
 * A line has the direct branches since the line before, and what ended it. In the buffer each has 8 bytes, so one
 * that cannot be is lost and the next one is read. PDO has no framing: behind a line that cannot be, the next one is
 * looked for where PROOF_LINES lines follow each other that can; they are the price of finding it, and count as lost.
 * Time: PTVB and PTW have the bus cycles since the change of flow that was recorded last; all there is of time are
 * SINCE events, since between other lines an unknown time passes. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "trace/s12z_lines.h"
#include "base/util.h"

enum { PROOF_LINES = 4, ROLL_OVER = 65536, LAST_VECTOR = 0xfe };

struct profile {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PROOF_LINES * PT_S12Z_LINE_BYTES];
	uint8_t part_bytes;
	uint8_t pthf_bytes;
	bool pdo, swapped, by_line;	/* by_line: stamps count from the line before */
	bool fresh;		/* nothing came since the beginning, or since a gap */
	bool ended;		/* the session is over: a PTS comes next, if anything does */
	bool stopping;		/* it was disarmed: if the core is told to be halted next, it had been before */
	bool lost;		/* PDO: nobody knows where a line begins */
	bool padded;		/* PDO: a 0 that comes next is the sixth byte of a PTHF */
	uint64_t skipped;	/* bytes since it was lost */
	uint64_t rolled;	/* bus cycles since the last change of flow, by roll-overs alone */
};

static void add_gap(struct profile *s, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	pt_batch_add_gap(out, &s->blank, cause, ns, bytes);
	s->rolled = 0;
}

/* --- what lines say */

static uint64_t address(const struct profile *s, const uint8_t *bytes)
{
	unsigned high = s->swapped ? 0 : 2;

	return (uint64_t)bytes[high] << 16 | (uint64_t)bytes[1] << 8 | bytes[2 - high];
}

static uint64_t stamp(const struct profile *s, const uint8_t *line)
{
	return s->swapped ? (uint64_t)line[6] << 8 | line[7] : (uint64_t)line[7] << 8 | line[6];
}

static void add_since(struct profile *s, uint64_t exception, uint64_t cycles, enum pt_since_cause cause,
		      struct pt_batch *out)
{
	struct pt_event *e = pt_batch_add(out, &s->blank, PT_EV_SINCE, cause);

	e->value.at = exception;
	e->value.value = cycles;
}

/* Bits since the last line. The branches were changes of flow, too, and the counter began anew with each (which is not
 * documented for those inside a line; "relative to the previous COF" says so), unless CONFIG says
 * that lines alone count. */
static void direct(struct profile *s, const uint8_t *line, struct pt_batch *out)
{
	uint32_t field = pt_s12z_direct(line);
	unsigned n = 31 - (unsigned)__builtin_clz(field);
	struct pt_event *e;

	if (n == 0)
		return;
	e = pt_batch_add(out, &s->blank, PT_EV_ATOMS, PT_ATOMS_CONDITIONAL);
	e->n = (uint16_t)n;
	e->atoms.bits = field & ~(UINT32_C(1) << n);
	if (!s->by_line)
		s->rolled = 0;
}

/* A change of flow without a stamp: no more is known than how often the counter rolled over. */
static void unstamped(struct profile *s, struct pt_batch *out)
{
	if (s->rolled > 0)
		add_since(s, PT_UNKNOWN, s->rolled, PT_SINCE_AT_LEAST, out);
	s->rolled = 0;
}

static void vector(struct profile *s, const uint8_t *line, struct pt_batch *out)
{
	unsigned n = (LAST_VECTOR - line[5]) / 2;	/* bits 8:1 of its address; number n lies 4n below the last */
	struct pt_event *e;

	add_since(s, n, s->rolled + stamp(s, line), PT_SINCE_EXACTLY, out);
	s->rolled = 0;
	e = pt_batch_add(out, &s->blank, PT_EV_VECTOR, PT_ATOMS_CONDITIONAL);
	e->value.at = n;
	e->value.value = PT_UNKNOWN;
}

/* What was disarmed stood at pc, or nobody knows where. */
static void stop(struct profile *s, uint64_t pc, struct pt_batch *out)
{
	if (s->stopping)
		pt_batch_add(out, &s->blank, PT_EV_STOP, PT_ATOMS_CONDITIONAL)->branch.to = pc;
	s->stopping = false;
}

/* On PDO an overflow loses what would have come; a buffer that is read when it is full has lost nothing that it was to
 * hold. */
static void ends(struct profile *s, uint8_t info, struct pt_batch *out)
{
	if ((info & PT_S12Z_TBOVF) != 0 && s->pdo)
		add_gap(s, PT_GAP_OVERFLOW, PT_UNKNOWN, PT_UNKNOWN, out);
	else
		s->stopping = (info & (PT_S12Z_TERM | PT_S12Z_TBOVF)) != 0;
	s->ended = (info & (PT_S12Z_TBOVF | PT_S12Z_TERM)) != 0;
	if (s->ended)
		s->rolled = 0;
}

static void start(struct profile *s, const uint8_t *line, struct pt_batch *out)
{
	if (!s->fresh && !s->ended)	/* where the session before ended is not recorded */
		add_gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, 0, out);
	s->rolled = 0;
	pt_batch_add(out, &s->blank, PT_EV_START, PT_ATOMS_CONDITIONAL)->branch.to = address(s, line + 1);
}

/* A line that can be. */
static void line(struct profile *s, const uint8_t *bytes, struct pt_batch *out)
{
	uint8_t info = bytes[0], format = info & PT_S12Z_FORMAT;

	if (format == PT_S12Z_PTS)
		start(s, bytes, out);
	else
		direct(s, bytes, out);
	if ((info & PT_S12Z_TSOVF) != 0)
		s->rolled += ROLL_OVER;
	if (format == PT_S12Z_PTIB) {
		unstamped(s, out);
		pt_batch_add(out, &s->blank, PT_EV_INDIRECT, PT_ATOMS_CONDITIONAL)->branch.to = address(s, bytes + 5);
	} else if (format == PT_S12Z_PTVB) {
		vector(s, bytes, out);
	} else if (format == PT_S12Z_PTHF) {
		unstamped(s, out);
	} else if (format == PT_S12Z_PTW && (info & PT_S12Z_TSOVF) == 0) {
		add_since(s, PT_UNKNOWN, s->rolled + stamp(s, bytes), PT_SINCE_EXACTLY, out);
	} else if (format == PT_S12Z_PTW) {
		add_since(s, PT_UNKNOWN, s->rolled, PT_SINCE_GOES_ON, out);
	}
	ends(s, info, out);
	s->fresh = false;
}

/* Bytes that have one value. Entries of the vector table are 4 bytes long. */
static bool is_possible(const uint8_t *line)
{
	uint8_t format = line[0] & PT_S12Z_FORMAT;

	return pt_s12z_line_is_possible(line) && !(format == PT_S12Z_PTVB && (line[5] & 1) != 0) &&
	       !(format == PT_S12Z_PTW && line[5] != 0);
}

/* --- lines of the buffer */

static void take_from_buffer(struct profile *s, uint8_t byte, struct pt_batch *out)
{
	s->part[s->part_bytes++] = byte;
	if (s->part_bytes < PT_S12Z_LINE_BYTES)
		return;
	s->part_bytes = 0;
	if (is_possible(s->part))
		line(s, s->part, out);
	else
		add_gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, PT_S12Z_LINE_BYTES, out);
}

/* --- lines on PDO */

/* What makes a line of PDO as long as one in the buffer. */
static void widen(uint8_t wide[PT_S12Z_LINE_BYTES], const uint8_t *bytes, size_t n)
{
	memset(wide, 0, PT_S12Z_LINE_BYTES);
	memcpy(wide, bytes, n < PT_S12Z_LINE_BYTES ? n : PT_S12Z_LINE_BYTES);
}

enum proof { NO, PERHAPS, YES };

/* Do lines begin at bytes? A PTS comes first or behind an end alone. used: out: with YES, how many bytes they have;
 * ended: whether the last ends a session. */
static enum proof proves(const uint8_t *bytes, size_t n, size_t *used, bool *ended)
{
	*used = 0;
	*ended = true;
	for (unsigned lines = 0; lines < PROOF_LINES; lines++) {
		unsigned length = n > 0 ? pt_s12z_line_bytes(bytes[0], PT_S12Z_PTHF_BYTES) : 0;
		uint8_t wide[PT_S12Z_LINE_BYTES];

		if (n == 0)
			return PERHAPS;
		if (length == 0 || (lines > 0 && *ended != ((bytes[0] & PT_S12Z_FORMAT) == PT_S12Z_PTS)))
			return NO;
		if (n < length)
			return PERHAPS;
		if ((bytes[0] & PT_S12Z_FORMAT) == PT_S12Z_PTHF && bytes[5] != 0)
			length--;
		widen(wide, bytes, length);
		if (!is_possible(wide))
			return NO;
		*ended = (bytes[0] & (PT_S12Z_TERM | PT_S12Z_TBOVF)) != 0;
		*used += length;
		bytes += length;
		n -= length;
	}
	return YES;
}

static void drop(struct profile *s, size_t n)
{
	s->skipped += n;
	s->part_bytes = (uint8_t)(s->part_bytes - n);
	memmove(s->part, s->part + n, s->part_bytes);
}

/* Drop what no line begins with. Behind the proof lines are known to begin. */
static void search(struct profile *s, struct pt_batch *out)
{
	enum proof proof = NO;
	size_t used = 0;
	bool ended = false;

	while (s->part_bytes > 0 && (proof = proves(s->part, s->part_bytes, &used, &ended)) == NO)
		drop(s, 1);
	if (proof != YES)
		return;
	drop(s, used);
	add_gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, s->skipped, out);
	s->skipped = 0;
	s->lost = s->fresh = false;
	s->ended = ended;
}

/* What is in part begins no line, or what began before did not end here. */
static void lose(struct profile *s, struct pt_batch *out)
{
	s->lost = true;
	s->padded = false;
	search(s, out);
}

/* INFO is 0 at the beginning of a session only, so any other 0 behind a PTHF is padding. */
static void line_of_pdo(struct profile *s, const uint8_t *wide, struct pt_batch *out)
{
	line(s, wide, out);
	s->padded = (wide[0] & PT_S12Z_FORMAT) == PT_S12Z_PTHF && (!s->ended || s->pthf_bytes == PT_S12Z_PTHF_BYTES);
}

/* Does a line that begins with info come next, if all is well? */
static bool is_due(const struct profile *s, uint8_t info)
{
	return (s->fresh || s->ended) == ((info & PT_S12Z_FORMAT) == PT_S12Z_PTS);
}

static void take_from_pdo(struct profile *s, uint8_t byte, struct pt_batch *out)
{
	uint8_t wide[PT_S12Z_LINE_BYTES];
	bool padding = s->padded && byte == 0;

	s->padded = false;
	if (padding)
		return;
	s->part[s->part_bytes++] = byte;
	if (s->lost) {
		search(s, out);
	} else if (s->part_bytes == 1) {
		if (pt_s12z_line_bytes(byte, 5) == 0 || !is_due(s, byte))
			lose(s, out);
	} else if (s->part_bytes >= pt_s12z_line_bytes(s->part[0], 5)) {
		widen(wide, s->part, s->part_bytes);
		/* longer than its line: a search left it behind the lines that it proved */
		if (s->part_bytes > pt_s12z_line_bytes(s->part[0], 5) || !is_possible(wide)) {
			lose(s, out);
			return;
		}
		s->part_bytes = 0;
		line_of_pdo(s, wide, out);
	}
}

/* The same for a line that lies at bytes as a whole, with its padding: nearly all do. Of a shorter line what is behind
 * it is not looked at. Returns how many bytes; 0: byte by byte, then. */
static size_t take_line_from_pdo(struct profile *s, const uint8_t *bytes, size_t n, struct pt_batch *out)
{
	size_t length;

	if (n < PT_S12Z_LINE_BYTES || s->part_bytes > 0 || s->lost || (s->padded && bytes[0] == 0) ||
	    !is_due(s, bytes[0]) || !is_possible(bytes))
		return 0;
	length = pt_s12z_line_bytes(bytes[0], 5);
	line_of_pdo(s, bytes, out);
	if (!s->padded || s->stopping || bytes[length] != 0)
		return length;
	s->padded = false;
	return length + 1;
}

/* --- as in struct pt_decoder */

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct profile *s = state;
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		size_t n = 0;

		stop(s, PT_UNKNOWN, out);
		if (s->pdo)
			n = take_line_from_pdo(s, bytes + taken, len_bytes - taken, out);
		taken += n;
		if (n > 0)
			continue;
		if (s->pdo)
			take_from_pdo(s, bytes[taken++], out);
		else
			take_from_buffer(s, bytes[taken++], out);
	}
	return taken;
}

/* What was begun is not continued. */
static void cut(struct profile *s, struct pt_batch *out)
{
	stop(s, PT_UNKNOWN, out);
	if (s->skipped + s->part_bytes > 0)
		add_gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, s->skipped + s->part_bytes, out);
	s->skipped = 0;
	s->part_bytes = 0;
	s->lost = s->padded = s->ended = false;
	s->fresh = true;
	s->rolled = 0;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	cut(state, out);
	add_gap(state, cause, ns, bytes, out);
}

/* A line that is written while the core is held, or thereafter, still has what ran before; so nothing is known of where
 * in the lines the core stood, unless they were told first. What was interrupted goes on, but for what cannot. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	if (what == PT_STATE_HALT)
		stop(state, pc, out);
	else if (what == PT_STATE_RESET)
		gap(state, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN, out);
	else if (what == PT_STATE_PC_WRITTEN)
		add_gap(state, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN, out);
}

static void flush(void *state, struct pt_batch *out)
{
	cut(state, out);
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct profile *s = state;
	char stream[8], from[8];

	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
	s->fresh = true;
	s->pdo = strcmp(pt_config_text(config, "stream", stream, sizeof(stream)), "pdo") == 0;
	s->swapped = pt_config_number(config, "swap24", 0) != 0;
	s->by_line = strcmp(pt_config_text(config, "stamp_from", from, sizeof(from)), "line") == 0;
	s->pthf_bytes = pt_config_number(config, "pthf_bytes", PT_S12Z_PTHF_BYTES) == 5 ? 5 : PT_S12Z_PTHF_BYTES;
}

const struct pt_decoder pt_decoder_s12z_profile = {
	.name = PT_FORMAT_S12Z_PROFILE,
	.gives = PT_GIVES_FLOW | PT_GIVES_OTHER | PT_GIVES_FLOW_TIME,
	.state_bytes = sizeof(struct profile),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
