#include "targets/cortexm/swo/swo_listen.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

enum { FEW_BYTES = 60, ENOUGH_BYTES = 120, READ_MS = 5, LEAST_LISTEN_MS = 12, SWEEP_DIVIDER = 256, MOST_DIVIDER = 0x2000, LEAST_DIVIDER = 8,
       MEASURE_MS = 1000, MOST_READS = 100000 };
#define LEAST_HZ 1e6
#define MOST_HZ 500e6
#define STEP 1.035		/* of the sweep: a receiver reads what is 4 % beside its rate, and more */
#define FEW_BPS 4000.0
#define SLOW_BPS 200000.0	/* that any probe follows */

/* --- one try ------------------------------------------------------------------------------------------------------ */

static bool is_expected(const struct pt_itm_packet *p)
{
	return p->kind == PT_ITM_SYNC || p->kind == PT_ITM_OVERFLOW ||
	       (p->kind == PT_ITM_HARDWARE && p->which == PT_ITM_PC_SAMPLE);
}

static void count_bytes(struct pt_swo_heard *heard, struct pt_itm_packets *packets, const uint8_t *bytes, size_t len)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];

	for (size_t at = 0; at < len;) {
		unsigned n;

		at += pt_itm_take(packets, bytes + at, len - at, packet, &n);
		for (unsigned i = 0; i < n; i++)
			heard->good_bytes += is_expected(&packet[i]) ? packet[i].total_bytes : 0;
	}
}

/* FF FF FF 7F again and again is a TPIU's frame that has nothing in it. */
static bool has_frames(const uint8_t *bytes, size_t len)
{
	static const uint8_t idle[] = { 0xff, 0xff, 0xff, 0x7f };
	unsigned n = 0;

	for (size_t i = 0; i + sizeof(idle) <= len; i++)
		n += memcmp(bytes + i, idle, sizeof(idle)) == 0;
	return n >= 2;
}

/* From the first read on, whose own bytes came before the time that is taken. */
static int hear(struct pt_swo *s, uint64_t for_ns, struct pt_swo_heard *heard, struct pt_err *err)
{
	struct pt_itm_packets packets = { .believed = true };
	uint8_t bytes[PT_SWO_READ_BYTES];
	uint64_t begin_ns = pt_mem_now_ns(s->mem), from_ns = 0, to_ns = 0, before = 0, error_ns = 0;

	for (int i = 0; i < MOST_READS && pt_mem_now_ns(s->mem) - begin_ns < for_ns; i++) {
		struct pt_stream_read what = { 0 };
		int n = s->stream.ops->read(s->stream.wire, bytes, sizeof(bytes), READ_MS, &what, err);

		if (n < 0)
			return n;
		heard->reads++;
		heard->silent_reads += n == 0;
		heard->bytes += (uint64_t)n;
		heard->bad_frames += what.bad_frames;
		heard->lost |= what.missing == PT_STREAM_SOME || what.missing == PT_STREAM_PERHAPS;
		heard->framed |= has_frames(bytes, (size_t)n);
		count_bytes(heard, &packets, bytes, (size_t)n);
		error_ns = what.error_ns > error_ns ? what.error_ns : error_ns;
		to_ns = what.to_ns;
		if (from_ns == 0 && n > 0) {
			from_ns = what.to_ns;
			before = heard->bytes;
		}
	}
	if (from_ns == 0 || to_ns <= from_ns)
		return 0;
	heard->bits_per_s = (double)(heard->bytes - before) * PT_SWO_BITS * 1e9 / (double)(to_ns - from_ns);
	heard->wrong =
		(2.0 * (double)error_ns + 2 * PT_SWO_BITS * 1e9 / (heard->bits_per_s + 1)) / (double)(to_ns - from_ns);
	return 0;
}

int pt_swo_listen(struct pt_swo *s, uint32_t divider, double bits_per_s, uint64_t for_ns, struct pt_swo_heard *heard,
		  struct pt_err *err)
{
	memset(heard, 0, sizeof(*heard));
	s->acpr = divider - 1;
	if (pt_swo_pause(s, err) < 0 || pt_swo_receive(s, (uint32_t)llround(bits_per_s), &heard->actual_bps, err) < 0 ||
	    pt_swo_program(s, err) < 0)
		return err->code;
	return hear(s, for_ns, heard, err);
}

bool pt_swo_is_heard(const struct pt_swo_heard *heard)
{
	return heard->bytes >= FEW_BYTES && heard->good_bytes * 20 >= heard->bytes * 17 &&
	       heard->bad_frames * 50 <= heard->bytes;
}

/* --- the clock ---------------------------------------------------------------------------------------------------- */

static uint64_t long_enough(double bits_per_s)
{
	uint64_t ns = (uint64_t)(ENOUGH_BYTES * PT_SWO_BITS * 1e9 / bits_per_s);

	return ns > LEAST_LISTEN_MS * PT_NS_PER_MS ? ns : LEAST_LISTEN_MS * PT_NS_PER_MS;
}

/* Would a clock of hz be heard? A rate that the probe has not is no error here. */
static int try_clock(struct pt_swo *s, double hz, struct pt_swo_pin *pin, struct pt_err *err)
{
	double bits_per_s = hz / SWEEP_DIVIDER;
	struct pt_swo_heard heard;
	struct pt_err own = { 0 };
	int rc;

	if (bits_per_s < FEW_BPS)
		return 0;
	rc = pt_swo_listen(s, SWEEP_DIVIDER, bits_per_s, long_enough(bits_per_s), &heard, &own);
	pin->tries++;
	if (rc < 0 && rc != PT_EARG) {
		*err = own;
		return rc;
	}
	if (rc == PT_EARG || fabs(heard.actual_bps / bits_per_s - 1) > STEP - 1)
		return 0;
	pin->any_bytes |= heard.bytes + heard.bad_frames > 0;
	pin->framed |= heard.framed;
	if (!pt_swo_is_heard(&heard))
		return 0;
	pin->found = true;
	pin->clock_hz = hz;
	pin->wrong = STEP - 1;
	return 0;
}

/* By what arrives in a second, at a rate that no probe loses anything of. */
static int measure_clock(struct pt_swo *s, struct pt_swo_pin *pin, struct pt_err *err)
{
	uint32_t divider = SWEEP_DIVIDER;
	struct pt_swo_heard heard;

	while (divider < MOST_DIVIDER && pin->clock_hz / divider > SLOW_BPS)
		divider *= 2;
	while (divider > LEAST_DIVIDER && pin->clock_hz / divider < SLOW_BPS / 2)
		divider /= 2;		/* a byte more or less is to be a small part of all */
	if (pt_swo_listen(s, divider, pin->clock_hz / divider, MEASURE_MS * PT_NS_PER_MS, &heard, err) < 0)
		return err->code;
	if (!pt_swo_is_heard(&heard) || heard.lost ||
	    fabs(heard.bits_per_s * divider / pin->clock_hz - 1) > 2 * (STEP - 1))
		return 0;	/* it is known as well as the sweep says */
	pin->clock_hz = heard.bits_per_s * divider;
	pin->wrong = heard.wrong;
	return 0;
}

int pt_swo_find_pin(struct pt_swo *s, const double *likely_hz, size_t n_likely, struct pt_swo_pin *pin,
		    struct pt_err *err)
{
	memset(pin, 0, sizeof(*pin));
	for (size_t i = 0; i < n_likely && !pin->found; i++)
		if (try_clock(s, likely_hz[i], pin, err) < 0)
			return err->code;
	if (!pin->any_bytes)
		return 0;	/* at a wrong rate something would have come */
	for (double hz = LEAST_HZ; hz < MOST_HZ && !pin->found; hz *= STEP)
		if (try_clock(s, hz, pin, err) < 0)
			return err->code;
	return pin->found ? measure_clock(s, pin, err) : 0;
}
