/* A dump of a Micro Trace Buffer: the bytes of the trace RAM as a debugger saved them, and the registers that say
 * where in it the trace begins. Sources: Arm DDI 0486, 2.3.1 and tables 3-1 to 3-6; the equation from POSITION to an
 * address as quoted in the Traveo II TRM, 3.8.7.1.
 *
 * P = POSITION without its low three bits is where the next packet would have gone: an offset in the trace RAM's own
 * numbers, of AWIDTH bits. The buffer has 2^(MASK + 4) bytes and is aligned to its size in those numbers. Without WRAP
 * the packets are those before P; with it the oldest is at P. What bit 0 of each word says (A, S) the decoder knows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/stream.h"
#include "base/util.h"
#include "trace/loss.h"

enum { PACKET_BYTES = 8, LEAST_BYTES = 16, MOST_BYTES = 16 << 20, MASK_BITS = 0x1f, WRAP = 1 << 2 };

enum { BASE, POSITION, MASTER, SIZE, MTB_BASE, AWIDTH };
static const struct pt_param rows[] = {
	[BASE] = { "base", PT_PARAM_NUMBER, NULL, NULL, 0, 0,
		   "mtb: address of the file's first byte; else it is the buffer" },
	[POSITION] = { "position", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX,
		       "mtb: the register MTB_POSITION when the file was saved; else the oldest packet is first" },
	[MASTER] = { "master", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX,
		     "mtb: the register MTB_MASTER (only MASK is used)" },
	[SIZE] = { "size", PT_PARAM_NUMBER, NULL, NULL, LEAST_BYTES, MOST_BYTES,
		   "mtb: bytes of the buffer, if master= is not known" },
	[MTB_BASE] = { "mtb-base", PT_PARAM_NUMBER, NULL, NULL, 0, UINT32_MAX, "mtb: the register MTB_BASE; as base=" },
	[AWIDTH] = { "awidth", PT_PARAM_NUMBER, "15", NULL, 5, 32,
		     "mtb: bits of a trace RAM address; 15 on Kinetis L" },
};

struct mtb {
	struct pt_text config;
	uint8_t *bytes;
	size_t n_bytes, at, odd_bytes;	/* odd: behind the last whole packet */
	unsigned phase;
};

struct window { size_t at, n_bytes; uint64_t addr; };	/* in the file; addr: PT_UNKNOWN without base= */

/* --- the file ----------------------------------------------------------------------------------------------------- */

static int read_file(struct mtb *m, struct pt_infile *file, struct pt_err *err)
{
	const uint8_t *bytes;
	size_t n, room = 0;

	while ((n = pt_infile_look(file, 1, &bytes)) > 0) {
		if (m->n_bytes + n > MOST_BYTES)
			return pt_fail(err, PT_EARG, "more than %d MiB is no dump of an MTB", MOST_BYTES >> 20);
		if (m->n_bytes + n > room) {
			uint8_t *grown = realloc(m->bytes, room = 2 * (m->n_bytes + n));

			if (grown == NULL)
				return pt_fail(err, PT_ENOMEM, "no memory for a dump");
			m->bytes = grown;
		}
		memcpy(m->bytes + m->n_bytes, bytes, n);
		m->n_bytes += n;
		pt_infile_take(file, n);
	}
	return pt_infile_failed(file, err);
}

/* --- where the buffer is ------------------------------------------------------------------------------------------ */

static bool is_power_of_two(uint64_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static int buffer_size(const struct mtb *m, const struct pt_params *s, size_t *size, struct pt_err *err)
{
	uint64_t n = m->n_bytes;

	if (pt_params_given(s, &rows[MASTER]))
		n = UINT64_C(1) << ((pt_params_number(s, &rows[MASTER]) & MASK_BITS) + 4);
	else if (pt_params_given(s, &rows[SIZE]))
		n = pt_params_number(s, &rows[SIZE]);
	if (!is_power_of_two(n) || n < LEAST_BYTES)
		return pt_fail(err, PT_EARG,
			       "a trace buffer has a power of two of bytes, not %" PRIu64 ": give master= or size=", n);
	if (n > m->n_bytes)
		return pt_fail(err, PT_EARG, "the file has %zu bytes, the buffer (master=, size=) %" PRIu64, m->n_bytes,
			       n);
	*size = (size_t)n;
	return 0;
}

/* Source: Arm DDI 0486 as quoted above: addr = BASE + ((P + (2^AWIDTH - (BASE mod 2^AWIDTH))) mod 2^AWIDTH). */
static uint64_t address_of(uint64_t pointer, uint64_t base, unsigned awidth)
{
	uint64_t mask = (UINT64_C(1) << awidth) - 1;

	return base + ((pointer - (base & mask)) & mask);
}

static int find_window(const struct mtb *m, const struct pt_params *s, struct window *w, struct pt_err *err)
{
	uint64_t base = pt_params_number(s, &rows[BASE]), mtb_base = base;
	uint64_t pointer = pt_params_number(s, &rows[POSITION]) & ~UINT64_C(7);

	*w = (struct window){ .addr = PT_UNKNOWN };
	if (buffer_size(m, s, &w->n_bytes, err) < 0)
		return err->code;
	if (!pt_params_given(s, &rows[BASE])) {
		if (w->n_bytes == m->n_bytes)
			return 0;
		return pt_fail(err, PT_EARG,
			       "the file has more than the buffer's %zu bytes: give base=, the address "
			       "of its first",
			       w->n_bytes);
	}
	if (pt_params_given(s, &rows[MTB_BASE]))
		mtb_base = pt_params_number(s, &rows[MTB_BASE]);
	w->addr = address_of(pointer & ~(uint64_t)(w->n_bytes - 1), mtb_base,
			     (unsigned)pt_params_number(s, &rows[AWIDTH]));
	if (!pt_params_given(s, &rows[POSITION]))
		w->addr = base;		/* all of it, as it stands */
	if (w->addr < base || w->addr - base > m->n_bytes - w->n_bytes)
		return pt_fail(err, PT_EARG,
			       "the buffer is at 0x%08" PRIx64 ", the file has 0x%08" PRIx64 " to 0x%08" PRIx64
			       ": check position=, base= and awidth=",
			       w->addr, base, base + m->n_bytes - 1);
	w->at = (size_t)(w->addr - base);
	return 0;
}

/* The packets alone, the oldest first, at the front of m->bytes. */
static int rotate(struct mtb *m, const struct window *w, bool known, uint64_t position, struct pt_err *err)
{
	size_t next = (size_t)(position & ~UINT64_C(7)) & (w->n_bytes - 1), n = w->n_bytes;
	uint8_t *packets = malloc(n);

	if (packets == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for a dump");
	if (!known) {
		memcpy(packets, m->bytes + w->at, n);
	} else if ((position & WRAP) != 0) {
		memcpy(packets, m->bytes + w->at + next, n - next);
		memcpy(packets + n - next, m->bytes + w->at, next);
	} else {
		n = next;
		memcpy(packets, m->bytes + w->at, n);
	}
	free(m->bytes);
	m->bytes = packets;
	m->n_bytes = n;
	return 0;
}

/* --- a source ----------------------------------------------------------------------------------------------------- */

static void make_config(struct mtb *m, const struct window *w, const struct pt_input_setup *setup)
{
	pt_stream_config(&m->config, PT_FORMAT_MTB, "mtb", "dump", setup);
	if (w->addr != PT_UNKNOWN)
		pt_text_add(&m->config, "buffer=0x%08" PRIx64 "\n", w->addr);
	pt_text_add(&m->config, "size=%zu\nclock=none\n", w->n_bytes);
}

static void tell(const struct mtb *m, size_t odd_bytes, bool known, const struct pt_input_setup *setup)
{
	struct pt_notes notes;

	pt_notes_init(&notes, setup);
	if (odd_bytes > 0)
		pt_notes_add(&notes, "the last %zu bytes are no whole packet and were left out", odd_bytes);
	if (!known)
		pt_notes_add(&notes, "without --set position= the first packet is taken for the oldest");
	if (m->n_bytes == 0)
		pt_notes_add(&notes, "position= says that nothing was recorded");
}

static int prepare(struct mtb *m, const struct pt_input_setup *setup, struct pt_err *err)
{
	const struct pt_params *s = setup->settings;
	bool known = pt_params_given(s, &rows[POSITION]);
	size_t odd = m->n_bytes % PACKET_BYTES;
	struct window w = { .addr = PT_UNKNOWN };

	m->n_bytes -= odd;
	m->odd_bytes = odd;
	if (known || pt_params_given(s, &rows[MASTER]) || pt_params_given(s, &rows[SIZE])) {
		if (find_window(m, s, &w, err) < 0)
			return err->code;
	} else {		/* packets, and nothing is known about them */
		w.n_bytes = m->n_bytes;
		if (pt_params_given(s, &rows[BASE]))
			w.addr = pt_params_number(s, &rows[BASE]);
	}
	if (m->n_bytes == 0)
		return pt_fail(err, PT_EARG, "there is no packet in it");
	make_config(m, &w, setup);
	if (rotate(m, &w, known, pt_params_number(s, &rows[POSITION]), err) < 0)
		return err->code;
	tell(m, odd, known, setup);
	return 0;
}

static void close_mtb(void *state)
{
	struct mtb *m = state;

	free(m->bytes);
	pt_text_free(&m->config);
}

static int open_mtb(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct mtb *m = state;
	int rc = read_file(m, file, err);

	pt_infile_close(file);
	if (rc == 0)
		rc = prepare(m, setup, err);
	if (rc < 0)
		close_mtb(m);
	return rc;
}

static int put_packets(struct mtb *m, struct pt_chunk *chunk)
{
	size_t n = m->n_bytes - m->at < PT_CHUNK_BYTES ? m->n_bytes - m->at : PT_CHUNK_BYTES;

	*chunk = (struct pt_chunk){ .kind = PT_CHUNK_DATA, .len_bytes = (uint32_t)n,
				    .cause = m->at == 0 ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS };
	memcpy(chunk->bytes, m->bytes + m->at, n);
	m->at += n;
	return PT_INPUT_CHUNK;
}

/* Nobody knows when it was: all of it is at 0. */
static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	enum { CONFIG, DATA, OVER };
	struct mtb *m = state;

	(void)err;
	if (m->phase == CONFIG) {
		m->phase = DATA;
		pt_stream_put_config(chunk, &m->config, 0);
		return PT_INPUT_CHUNK;
	}
	if (m->phase == DATA && m->at < m->n_bytes)
		return put_packets(m, chunk);
	if (m->phase == OVER)
		return PT_INPUT_END;
	if (m->odd_bytes > 0) {
		*chunk = (struct pt_chunk){ .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_DAMAGED,
					    .lost_bytes = m->odd_bytes };
		m->odd_bytes = 0;
		return PT_INPUT_CHUNK;
	}
	m->phase = OVER;
	*chunk = (struct pt_chunk){ .kind = PT_CHUNK_END };
	return PT_INPUT_CHUNK;
}

const struct pt_input_ops pt_input_mtb = {
	.name = "mtb",
	.help = "bytes of a trace RAM",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct mtb),
	.open = open_mtb,
	.next = next,
	.close = close_mtb,
};
