#include "targets/cortexm/swo/swo_listen.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

enum { FEW_BYTES = 60, ENOUGH_BYTES = 120, READ_MS = 5, LEAST_LISTEN_MS = 12, MOST_DIVIDER = 0x2000, MEASURE_MS = 1000,
       MOST_MEASURE_MS = 10000, MOST_READS = 1000000, PIECES_MS = 20, MANY_SAMPLES = 500, FED_WORDS = 32, BATCH_MS = 1000 };
enum { SAMPLE = 0x17, ASLEEP = 0x15, OVERFLOW = 0x70, SAMPLE_BYTES = 5, ASLEEP_BYTES = 2 };
#define LEAST_HZ 1e6
#define MOST_HZ 500e6
#define STEP 1.035		/* step of the sweep: a receiver tolerates a difference of 4 % and more */
#define SLOW_BPS 200000.0	/* a rate that all probes support */
#define EXACT 0.0008
#define FED_WORD UINT32_C(0x5aa5c33c)
#define FED_BPS 25000.0		/* so slow that the bytes waiting in the chip bridge the time between two batches of
				 * words */
#define ITM UINT32_C(0xe0000000)

/* --- one try ------------------------------------------------------------------------------------------------------ */

static bool is_expected(const struct pt_itm_packet *p)
{
	return p->kind == PT_ITM_SYNC || p->kind == PT_ITM_OVERFLOW ||
	       (p->kind == PT_ITM_PORT && p->value == FED_WORD) ||
	       (p->kind == PT_ITM_HARDWARE && p->which == PT_ITM_PC_SAMPLE);
}

static void count_bytes(struct pt_swo_heard *heard, struct pt_itm_packets *packets, const uint8_t *bytes, size_t len)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];

	for (size_t at = 0; at < len;) {
		unsigned n;

		at += pt_itm_take(packets, bytes + at, len - at, packet, &n);
		for (unsigned i = 0; i < n; i++) {
			bool sample = packet[i].kind == PT_ITM_HARDWARE && packet[i].which == PT_ITM_PC_SAMPLE;

			heard->good_bytes += is_expected(&packet[i]) ? packet[i].total_bytes : 0;
			heard->samples += sample;
			heard->asleep += sample && packet[i].n_bytes == 1;
		}
	}
}

/* Repeated FF FF FF 7F are empty frames of a TPIU. */
static bool has_frames(const uint8_t *bytes, size_t len)
{
	static const uint8_t idle[] = { 0xff, 0xff, 0xff, 0x7f };
	unsigned n = 0;

	for (size_t i = 0; i + sizeof(idle) <= len; i++)
		n += memcmp(bytes + i, idle, sizeof(idle)) == 0;
	return n >= 2;
}

/* Counts samples that end where another packet begins: chance does not make many of these, and a damaged byte spoils
 * two at most. */
static void count_chains(struct pt_swo_heard *heard, uint8_t last[SAMPLE_BYTES], const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool begins = bytes[i] == SAMPLE || bytes[i] == ASLEEP || bytes[i] == OVERFLOW;

		if (begins && last[0] == SAMPLE)
			heard->chained_bytes += SAMPLE_BYTES;
		else if (begins && last[SAMPLE_BYTES - ASLEEP_BYTES] == ASLEEP && last[SAMPLE_BYTES - 1] == 0)
			heard->chained_bytes += ASLEEP_BYTES;
		memmove(last, last + 1, SAMPLE_BYTES - 1);
		last[SAMPLE_BYTES - 1] = bytes[i];
	}
}

struct hearing {
	struct pt_itm_packets packets;
	uint8_t last[SAMPLE_BYTES];
	/* from the first read on, whose own bytes came before the measured time */
	uint64_t from_ns, to_ns, before, error_ns;
};

static void take_read(struct hearing *h, struct pt_swo_heard *heard, const uint8_t *bytes, size_t n,
		      const struct pt_stream_read *what)
{
	heard->bytes += n;
	heard->bad_frames += what->bad_frames;
	heard->lost |= what->missing == PT_STREAM_SOME || what->missing == PT_STREAM_PERHAPS;
	heard->framed |= has_frames(bytes, n);
	count_bytes(heard, &h->packets, bytes, n);
	count_chains(heard, h->last, bytes, n);
	h->error_ns = what->error_ns > h->error_ns ? what->error_ns : h->error_ns;
	h->to_ns = what->to_ns;
	if (h->from_ns == 0 && n > 0) {
		h->from_ns = what->to_ns;
		h->before = heard->bytes;
	}
	if (h->from_ns == 0 || h->to_ns <= h->from_ns)
		return;
	heard->bits_per_s = (double)(heard->bytes - h->before) * PT_SWO_BITS * 1e9 / (double)(h->to_ns - h->from_ns);
	heard->wrong = (2.0 * (double)h->error_ns + 2 * PT_SWO_BITS * 1e9 / (heard->bits_per_s + 1)) /
		       (double)(h->to_ns - h->from_ns);
}

/* Writes words to the user's stimulus port: more than the pin carries in this time. */
static int feed(struct pt_swo *s, struct pt_err *err)
{
	struct pt_mem_op op[FED_WORDS];
	uint8_t word[4];

	pt_put_le32(word, FED_WORD);
	for (size_t i = 0; i < PT_LEN(op); i++)
		op[i] = (struct pt_mem_op){ .what = PT_MEM_WRITE, .width_bytes = 4, .addr = ITM + 4 * (s->fed - 1), .bytes = word,
					    .len_bytes = 4 };
	return pt_mem_run(s->mem, op, PT_LEN(op), BATCH_MS, NULL, err);
}

static int listen_on(struct pt_swo *s, uint64_t for_ns, double wrong, struct pt_swo_heard *heard, struct pt_err *err)
{
	struct hearing h = { .packets = { .believed = true } };
	uint8_t bytes[PT_SWO_READ_BYTES];
	uint64_t begin_ns = pt_mem_now_ns(s->mem), most_ns = for_ns + MOST_MEASURE_MS * PT_NS_PER_MS, gone_ns = 0;

	heard->wrong = 1;
	for (int i = 0; i < MOST_READS && (gone_ns < for_ns || (heard->wrong > wrong && gone_ns < most_ns)); i++) {
		struct pt_stream_read what = { 0 };
		bool feeds = s->kinds == 0;
		int n = feeds ? feed(s, err) : 0;

		if (n == 0)
			n = s->stream.ops->read(s->stream.wire, bytes, sizeof(bytes), feeds ? 0 : READ_MS, &what, err);
		if (n < 0)
			return n;
		take_read(&h, heard, bytes, (size_t)n, &what);
		gone_ns = pt_mem_now_ns(s->mem) - begin_ns;
	}
	return pt_swo_check_written(s, err);
}

int pt_swo_hear(struct pt_swo *s, uint64_t for_ns, double wrong, struct pt_swo_heard *heard, struct pt_err *err)
{
	memset(heard, 0, sizeof(*heard));
	return pt_swo_program(s, err) < 0 ? err->code : listen_on(s, for_ns, wrong, heard, err);
}

int pt_swo_listen(struct pt_swo *s, uint32_t divider, double bits_per_s, uint64_t for_ns, double wrong,
		  struct pt_swo_heard *heard, struct pt_err *err)
{
	uint32_t actual_bps = 0;

	s->acpr = divider - 1;
	if (pt_swo_pause(s, err) < 0 || pt_swo_receive(s, (uint32_t)llround(bits_per_s), &actual_bps, err) < 0 ||
	    pt_swo_hear(s, for_ns, wrong, heard, err) < 0)
		return err->code;
	heard->actual_bps = actual_bps;
	return 0;
}

bool pt_swo_is_heard(const struct pt_swo_heard *heard)
{
	return heard->bytes >= FEW_BYTES && heard->good_bytes * 20 >= heard->bytes * 17 &&
	       heard->bad_frames * 50 <= heard->bytes;
}

bool pt_swo_is_in_pieces(const struct pt_swo_heard *heard)
{
	return heard->bytes >= FEW_BYTES && heard->chained_bytes * 3 >= heard->bytes;
}

/* --- the clock ---------------------------------------------------------------------------------------------------- */

static uint64_t long_enough(double bits_per_s)
{
	uint64_t ns = (uint64_t)(ENOUGH_BYTES * PT_SWO_BITS * 1e9 / bits_per_s);

	return ns > LEAST_LISTEN_MS * PT_NS_PER_MS ? ns : LEAST_LISTEN_MS * PT_NS_PER_MS;
}

/* The divider of this clock for the nearest rate. */
static uint32_t divider_for(double hz, double bits_per_s)
{
	double divider = round(hz / bits_per_s);

	return divider < 1 ? 1 : divider > MOST_DIVIDER ? MOST_DIVIDER : (uint32_t)divider;
}

/* Listens at this rate, or the nearest one. PT_EARG: the probe has no such rate. */
static int try_clock_at(struct pt_swo *s, double hz, double wanted_bps, uint64_t for_ns, struct pt_swo_heard *heard,
			struct pt_err *err)
{
	uint32_t divider = divider_for(hz, wanted_bps);
	double bits_per_s = hz / divider;
	int rc = pt_swo_listen(s, divider, bits_per_s, for_ns, 1, heard, err);

	if (rc == 0 && fabs(heard->actual_bps / bits_per_s - 1) > STEP - 1)
		return pt_fail(err, PT_EARG, "the probe has no rate near %.0f baud", bits_per_s);
	return rc;
}

/* Whether trace is received with a clock of hz. A rate that the probe does not have is not an error here. */
static int try_clock(struct pt_swo *s, double hz, bool pieces, struct pt_swo_pin *pin, struct pt_err *err)
{
	/* pieces: fast, so that most bytes are complete between two sleeps */
	static const double rates[] = { 4e6, 1.5e6 };
	struct pt_swo_heard heard;
	struct pt_err own = { 0 };
	int rc = pieces ? PT_EARG : try_clock_at(s, hz, SLOW_BPS, long_enough(SLOW_BPS), &heard, &own);

	for (size_t i = 0; pieces && i < PT_LEN(rates) && rc == PT_EARG; i++)
		rc = try_clock_at(s, hz, rates[i], PIECES_MS * PT_NS_PER_MS, &heard, &own);
	pin->tries++;
	if (rc == PT_EARG)
		return 0;
	if (rc < 0) {
		*err = own;
		return rc;
	}
	pin->any_bytes |= heard.bytes + heard.bad_frames > 0;
	pin->framed |= heard.framed;
	if (!(pieces ? pt_swo_is_in_pieces(&heard) : pt_swo_is_heard(&heard)))
		return 0;
	pin->found = true;
	pin->in_pieces = pieces;
	pin->read_part = (double)heard.chained_bytes / (double)heard.bytes;
	pin->clock_hz = hz;
	pin->wrong = (pieces ? 2 : 1) * (STEP - 1);
	return 0;
}

/* Counts the bytes of a second or more, at a rate without losses on any probe. */
static int measure_clock(struct pt_swo *s, struct pt_swo_pin *pin, struct pt_err *err)
{
	uint32_t divider = divider_for(pin->clock_hz, SLOW_BPS);
	struct pt_swo_heard heard;

	if (pt_swo_listen(s, divider, pin->clock_hz / divider, MEASURE_MS * PT_NS_PER_MS, EXACT, &heard, err) < 0)
		return err->code;
	pin->lost = heard.lost;
	pin->in_pieces = !pt_swo_is_heard(&heard);
	if (s->sleep.n_asleep > s->sleep.n_reads / 20 && heard.samples > MANY_SAMPLES && heard.asleep == 0)
		s->sleep.stands = true;
	if (s->sleep.stands || !pt_swo_is_heard(&heard) || heard.lost ||
	    fabs(heard.bits_per_s * divider / pin->clock_hz - 1) > 2 * (STEP - 1))
		return 0;	/* the result of the sweep is kept */
	pin->clock_hz = heard.bits_per_s * divider;
	pin->wrong = heard.wrong;
	return 0;
}

/* Measures the clock with words that the debugger writes, and again at half the rate: if the pin had paused between
 * batches, the pauses would be another part of the time. */
static int measure_by_port(struct pt_swo *s, struct pt_swo_pin *pin, struct pt_err *err)
{
	double hz[2] = { 0 }, wrong = 0;
	unsigned kinds = s->kinds;
	int rc = 0;

	s->kinds = 0;
	for (unsigned i = 0; i < 2 && rc == 0; i++) {
		uint32_t divider = divider_for(pin->clock_hz, FED_BPS / (i + 1));
		struct pt_swo_heard heard;

		rc = pt_swo_listen(s, divider, pin->clock_hz / divider, MEASURE_MS * PT_NS_PER_MS, EXACT, &heard, err);
		if (rc == 0 && pt_swo_is_heard(&heard) && !heard.lost)
			hz[i] = heard.bits_per_s * divider;
		wrong = rc == 0 && heard.wrong > wrong ? heard.wrong : wrong;
	}
	s->kinds = kinds;
	if (rc < 0 || hz[0] == 0 || hz[1] == 0 || fabs(hz[0] / hz[1] - 1) > 2 * wrong)
		return rc == PT_EARG ? 0 : rc;
	pin->by_port = true;
	pin->clock_hz = hz[0];
	pin->wrong = wrong;
	return 0;
}

static int try_likely(struct pt_swo *s, const double *likely_hz, size_t n_likely, bool pieces, struct pt_swo_pin *pin,
		      struct pt_err *err)
{
	for (size_t i = 0; i < n_likely && !pin->found; i++)
		if (try_clock(s, likely_hz[i], pieces, pin, err) < 0)
			return err->code;
	return 0;
}

static int sweep(struct pt_swo *s, bool pieces, struct pt_swo_pin *pin, struct pt_err *err)
{
	for (double hz = LEAST_HZ; hz < MOST_HZ && !pin->found; hz *= STEP)
		if (try_clock(s, hz, pieces, pin, err) < 0)
			return err->code;
	return 0;
}

/* A signal in pieces can be read at rates that differ by more than a step of the sweep: finds the rate at which most of
 * it, or all, can be read. */
static int look_beside(struct pt_swo *s, struct pt_swo_pin *pin, struct pt_err *err)
{
	static const double beside[] = { 1, 1 / STEP, STEP, 1 / (STEP * STEP), STEP * STEP, 1 / (STEP * STEP * STEP), STEP * STEP * STEP };
	double hz = pin->clock_hz, best = 0;

	for (size_t i = 0; i < PT_LEN(beside); i++) {
		struct pt_swo_pin other = { 0 };

		if (try_clock(s, hz * beside[i], false, &other, err) < 0)
			return err->code;
		if (other.found) {
			other.any_bytes = true;
			*pin = other;
			return 0;
		}
		if (try_clock(s, hz * beside[i], true, &other, err) < 0)
			return err->code;
		if (other.found && other.read_part > best) {
			best = other.read_part;
			pin->clock_hz = other.clock_hz;
		}
	}
	return 0;
}

/* If CYCCNT stands in sleep the pin pauses, and if the trace clock stands its bytes are longer: then the number of
 * bytes per second does not show the rate. */
int pt_swo_find_pin(struct pt_swo *s, const double *likely_hz, size_t n_likely, struct pt_swo_pin *pin,
		    struct pt_err *err)
{
	bool sleeps = s->sleep.n_asleep > 0;

	memset(pin, 0, sizeof(*pin));
	if (try_likely(s, likely_hz, n_likely, false, pin, err) < 0)
		return err->code;
	if (!pin->any_bytes)
		return 0;	/* at a wrong rate something would have been received */
	if (sleeps && try_likely(s, likely_hz, n_likely, true, pin, err) < 0)
		return err->code;
	if (sweep(s, sleeps, pin, err) < 0)
		return err->code;
	if (!pin->found)
		return 0;
	if ((pin->in_pieces && look_beside(s, pin, err) < 0) || measure_clock(s, pin, err) < 0)
		return err->code;
	return s->fed != 0 && s->sleep.stands && !pin->in_pieces ? measure_by_port(s, pin, err) : 0;
}
