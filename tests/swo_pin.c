#include "swo_pin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"

enum { SURE_BYTES = 12 };	/* so many that fit are no chance */

uint8_t swo_pin_byte(uint64_t i)
{
	uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint8_t)(z >> 56 ^ z >> 29);
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	struct swo_pin *rig = (struct swo_pin *)board;
	uint64_t took_ns = rig->bit_ps * 10 / 1000;

	while (rig->begin_ns + took_ns <= to_ns && (rig->stop_at == 0 || rig->n_sent < rig->stop_at)) {
		struct pt_vswo_byte byte = { rig->begin_ns, rig->bit_ps, rig->coding, swo_pin_byte(rig->n_sent++) };

		rig->begin_ns += took_ns + rig->gap_ns;
		if (rig->off_ns > 0 && rig->begin_ns % (rig->on_ns + rig->off_ns) >= rig->on_ns)
			rig->begin_ns += rig->on_ns + rig->off_ns - rig->begin_ns % (rig->on_ns + rig->off_ns);
		if (rig->pin.listener != NULL)
			rig->pin.listener->byte(rig->pin.listener->arg, &byte);
	}
}

static struct pt_vswo *swo(struct pt_vboard *board)
{
	return &((struct swo_pin *)board)->pin;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return 0x2ba01477;
}

static struct pt_vap *ap(struct pt_vboard *board, unsigned apsel)
{
	(void)board, (void)apsel;
	return NULL;
}

static void ignore_reset(struct pt_vboard *board, bool asserted)
{
	(void)board, (void)asserted;
}

static const struct pt_vboard_ops board_ops = {
	.name = "pin", .advance = advance, .ap = ap, .dpidr = dpidr, .swo = swo, .set_nreset = ignore_reset,
};

void swo_pin_init(struct swo_pin *rig, uint32_t bits_per_s)
{
	*rig = (struct swo_pin){ .coding = PT_VSWO_UART, .bit_ps = UINT64_C(1000000000000) / bits_per_s };
	pt_vpace_init(&rig->pace, &board_ops, (struct pt_vboard *)rig, false);
}

void swo_got_init(struct swo_got *got)
{
	got->room = 1 << 22;
	got->bytes = malloc(got->room);
	ck_assert_ptr_nonnull(got->bytes);
	got->n = got->n_holes = 0;
	got->bad_frames = got->until_ns = 0;
	got->ended = got->any_unsaid = false;
}

void swo_got_fini(struct swo_got *got)
{
	free(got->bytes);
}

void swo_got_add(struct swo_got *got, const uint8_t *bytes, size_t n, const struct pt_stream_read *what)
{
	ck_assert_uint_le(got->n + n, got->room);
	ck_assert_uint_le(what->sure_bytes, n);
	ck_assert_uint_le(what->from_ns, what->to_ns);
	ck_assert_uint_ge(what->from_ns, got->until_ns);
	got->until_ns = what->to_ns;
	memcpy(got->bytes + got->n, bytes, n);
	if (what->missing == PT_STREAM_SOME || what->missing == PT_STREAM_PERHAPS) {
		ck_assert_uint_lt(got->n_holes, PT_LEN(got->hole));
		got->hole[got->n_holes].first = got->n + what->sure_bytes;
		got->hole[got->n_holes].last = got->n + n;
		got->hole[got->n_holes].missing = what->missing;
		got->hole[got->n_holes++].lost_bytes = what->lost_bytes;
	} else {
		ck_assert_uint_eq(what->sure_bytes, n);
	}
	got->any_unsaid |= what->missing == PT_STREAM_UNSAID;
	got->n += n;
	got->bad_frames += what->bad_frames;
	got->ended |= what->ended;
}

/* Up to the next hole behind at. */
static bool fits(const struct swo_got *got, size_t at, uint64_t i)
{
	size_t end = got->n - at < SURE_BYTES ? got->n : at + SURE_BYTES;

	for (size_t h = 0; h < got->n_holes; h++)
		if (got->hole[h].first > at && got->hole[h].first < end)
			end = got->hole[h].first;
	for (size_t k = at; k < end; k++)
		if (got->bytes[k] != swo_pin_byte(i + (k - at)))
			return false;
	return true;
}

/* A hole has to be there: some bytes behind it may fit by chance. Several may be, which meet at this place. */
static bool use_holes_at(const struct swo_got *got, size_t at, bool *used)
{
	bool any = false;

	for (size_t h = 0; h < got->n_holes; h++)
		if (at >= got->hole[h].first && at < got->hole[h].last + SURE_BYTES / 2)
			any = used[h] = true;
	return any;
}

static size_t false_holes(const struct swo_got *got, const bool *used)
{
	size_t n = 0;

	for (size_t h = 0; h < got->n_holes; h++)
		n += !used[h] && got->hole[h].missing == PT_STREAM_SOME && got->hole[h].last < got->n;
	return n;
}

/* The number of the byte that came here, i at least. */
static uint64_t number_of(const struct swo_got *got, size_t at, uint64_t i, uint64_t n_sent)
{
	while (i < n_sent && !fits(got, at, i))
		i++;
	ck_assert_msg(got->n == 0 || i < n_sent, "byte %zu of %zu: what comes from there on was never sent", at,
		      got->n);
	return i;
}

/* Where each read said how many may be missing, no more are. */
static void check_bounds(const struct swo_got *got, uint64_t n_missing)
{
	uint64_t most = 0;

	for (size_t h = 0; h < got->n_holes; h++) {
		if (got->hole[h].lost_bytes == PT_UNKNOWN)
			return;
		most += got->hole[h].lost_bytes;
	}
	ck_assert_uint_le(n_missing, most);
}

void swo_got_check(const struct swo_got *got, uint64_t from, uint64_t n_sent, struct swo_verdict *out)
{
	static bool used[PT_LEN(got->hole)];
	uint64_t i = number_of(got, 0, from, n_sent);

	memset(used, 0, sizeof(used));
	*out = (struct swo_verdict){ .first = i };
	for (size_t at = 0; at < got->n; at++, i++) {
		uint64_t next;

		if (got->bytes[at] == swo_pin_byte(i))
			continue;
		ck_assert_msg(use_holes_at(got, at, used),
			      "byte %zu of %zu is not number %" PRIu64 ", and no read said so", at, got->n, i);
		next = number_of(got, at, i, n_sent);
		out->n_missing += next - i;
		out->n_gaps++;
		i = next;
	}
	out->next = i;
	check_bounds(got, out->n_missing);
	out->n_false_holes = false_holes(got, used);
}
