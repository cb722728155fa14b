/* The profiling buffer of a core: its size, its range, its bins. See microblaze.h.
 * Source: UG984, "Non-Intrusive Profiling". */
#include <inttypes.h>
#include <string.h>

#include "targets/microblaze/microblaze.h"
#include "base/util.h"

enum { ENABLE = 0x80, DISABLE = 0x40, CYCLES = 0x20, MOST_SHIFT = 31, FEWEST_PBAR_BITS = 9 };
enum { FEWEST_IN_BUFFER = 1024, MEASURED = 32 }; /* bins that are read to measure the time per bin */
#define MARK_A UINT32_C(0xa5a5a5a5)
#define MARK_B UINT32_C(0x5a5a0f0f)

static struct pt_mdm_op write_op(uint8_t command, unsigned bits, uint64_t value)
{
	return (struct pt_mdm_op){ .what = PT_MDM_WRITE, .command = command, .bits = (uint8_t)bits, .value = value };
}

static uint64_t control(const struct pt_bins_unit *u, unsigned how)
{
	return how | (u->cycles ? CYCLES : 0u) | u->shift;
}

struct pt_mdm_op pt_bins_unit_command(const struct pt_bins_unit *u, bool on)
{
	return write_op(PCTRLR, PCTRLR_BITS, control(u, on ? ENABLE : DISABLE));
}

void pt_bins_unit_commanded(struct pt_bins_unit *u, bool on)
{
	u->written->pctrlr = (uint32_t)control(u, on ? ENABLE : DISABLE);
	u->written->prof = on;
}

int pt_bins_unit_enable(struct pt_bins_unit *u, bool on, struct pt_err *err)
{
	struct pt_mdm_op op = pt_bins_unit_command(u, on);

	pt_bins_unit_commanded(u, on);
	return pt_mdm_put(u->mdm, false, op.command, op.bits, op.value, err);
}

int pt_bins_unit_read(struct pt_bins_unit *u, uint32_t first, uint32_t n, uint64_t *values, struct pt_err *err)
{
	struct pt_mdm_op op[] = {
		write_op(PBAR, u->pbar_bits, first),
		{ .what = PT_MDM_READ, .command = PDRR, .bits = PDRR_BITS, .n = n, .values = values },
	};

	return pt_mdm_run(u->mdm, op, PT_LEN(op), NULL, err);
}

static int put_bin(struct pt_bins_unit *u, uint32_t i, uint32_t value, struct pt_err *err)
{
	struct pt_mdm_op op[] = { write_op(PBAR, u->pbar_bits, i), write_op(PDWR, PDWR_BITS, value) };

	return pt_mdm_run(u->mdm, op, PT_LEN(op), NULL, err);
}

int pt_bins_unit_clear(struct pt_bins_unit *u, struct pt_err *err)
{
	struct pt_mdm_op op[] = {
		write_op(PBAR, u->pbar_bits, 0),
		{ .what = PT_MDM_WRITE, .command = PDWR, .bits = PDWR_BITS, .n = u->n_bins },
	};

	return pt_mdm_run(u->mdm, op, PT_LEN(op), NULL, err) < 0 ? pt_wrap(err, "clear the profiling buffer") : 0;
}

/* --- detection */

enum seen { SEEN_NOTHING, SEEN_LOW_FIRST, SEEN_HIGH_FIRST };

/* Finds out which half of a bin is read first. A write sets the low 32 bits and clears the top 4, so the half with the
 * mark is the low one. */
static int read_mark(struct pt_bins_unit *u, uint32_t mark, enum seen *seen, struct pt_err *err)
{
	struct pt_mdm_axi *axi = &u->mdm->axi;
	bool as_set = axi->high_first;
	uint64_t value = 0;

	axi->high_first = false;
	if (pt_bins_unit_read(u, 0, 1, &value, err) < 0)
		return err->code;
	*seen = value == mark ? SEEN_LOW_FIRST : SEEN_NOTHING;
	axi->high_first = true;
	if (*seen == SEEN_NOTHING && u->mdm->access == &pt_mdm_axi) {
		if (pt_bins_unit_read(u, 0, 1, &value, err) < 0)
			return err->code;
		*seen = value == mark ? SEEN_HIGH_FIRST : SEEN_NOTHING;
	}
	axi->high_first = as_set;
	return 0;
}

/* Reads a mark through the window that was written by DBG_DATA: nothing is written through the window, which may not
 * exist. */
static int mark_in_window(struct pt_bins_unit *u, bool high_first, bool *seen, struct pt_err *err)
{
	struct pt_mdm_axi *axi = &u->mdm->axi;
	struct pt_err ignored = { 0 };
	uint64_t value = 0;

	if (put_bin(u, 0, MARK_B, err) < 0 || pt_mdm_put(u->mdm, false, PBAR, (uint8_t)u->pbar_bits, 0, err) < 0)
		return err->code;
	axi->window = true;
	axi->high_first = high_first;
	*seen = pt_mdm_get(u->mdm, false, PDRR, PDRR_BITS, &value, &ignored) == 0 && value == MARK_B;
	axi->window = *seen;
	return 0;
}

static int find_window(struct pt_bins_unit *u, struct pt_err *err)
{
	struct pt_mdm_axi *axi = &u->mdm->axi;
	bool as_pair = axi->high_first, seen = false;

	if (u->mdm->access != &pt_mdm_axi || axi->window_given)
		return 0;
	if (mark_in_window(u, false, &seen, err) < 0 || (!seen && mark_in_window(u, true, &seen, err) < 0))
		return err->code;
	axi->window_given = true;
	if (!seen)
		axi->high_first = as_pair;
	return 0;
}

/* Marks bin 0 and each bin whose address has a single bit set. If the address has fewer bits, or is shifted in wrong,
 * two marks fall on one bin. Bin k holds mark_of(k). */
enum { MARKED_MOST = 1 + 16 };

static uint32_t marked_bin(unsigned k)
{
	return k == 0 ? 0 : UINT32_C(1) << (k - 1);
}

static unsigned n_marked(const struct pt_bins_unit *u)
{
	return 1 + (unsigned)__builtin_ctz(u->n_bins);
}

static uint32_t mark_of(unsigned k)
{
	return MARK_A ^ k * UINT32_C(0x01030507);
}

static int write_marks(struct pt_bins_unit *u, struct pt_err *err)
{
	for (unsigned k = 0; k < n_marked(u); k++)
		if (put_bin(u, marked_bin(k), mark_of(k), err) < 0)
			return err->code;
	return 0;
}

/* The first three bins are all marked, which checks that consecutive reads give consecutive bins. */
static int look_at_marks(struct pt_bins_unit *u, bool *works, struct pt_err *err)
{
	uint64_t value[3] = { 0 };

	if (pt_bins_unit_read(u, 0, PT_LEN(value), value, err) < 0)
		return err->code;
	*works = value[0] == mark_of(0) && value[1] == mark_of(1) && value[2] == mark_of(2);
	for (unsigned k = 1; *works && k < n_marked(u); k++) {
		if (pt_bins_unit_read(u, marked_bin(k), 1, value, err) < 0)
			return err->code;
		*works = value[0] == mark_of(k);
	}
	return 0;
}

static int try_marks(struct pt_bins_unit *u, bool *works, struct pt_err *err)
{
	enum seen seen = SEEN_NOTHING;

	if (write_marks(u, err) < 0 || read_mark(u, mark_of(0), &seen, err) < 0)
		return err->code;
	if (seen == SEEN_NOTHING)
		return 0;
	if (u->mdm->access == &pt_mdm_axi)
		u->mdm->axi.high_first = seen == SEEN_HIGH_FIRST;
	return look_at_marks(u, works, err);
}

/* Tests this number of bins and this width of PBAR. keep: restores the old values by the same addresses, so that the
 * buffer is as before even if two addresses share a bin. */
static int width_works(struct pt_bins_unit *u, bool keep, bool *works, struct pt_err *err)
{
	uint64_t before[MARKED_MOST] = { 0 };
	int rc = 0;

	*works = false;
	for (unsigned k = 0; keep && rc == 0 && k < n_marked(u); k++) {
		rc = pt_bins_unit_read(u, marked_bin(k), 1, &before[k], err);
		if (rc == 0 && before[k] > UINT32_MAX)
			return pt_fail(err, PT_ESTATE,
				       "bin %u has more than 32 bits, which can be read but not put back: "
				       "without cumulate the buffer is cleared",
				       marked_bin(k));
	}
	if (rc == 0)
		rc = try_marks(u, works, err);
	for (unsigned k = 0; keep && rc == 0 && k < n_marked(u); k++)
		rc = put_bin(u, marked_bin(k), (uint32_t)before[k], err);
	return rc;
}

/* Tries both widths of PBAR that UG984 gives: log2 of the bins, and one less. */
static int size_works(struct pt_bins_unit *u, const struct pt_mb_design *design, uint32_t n_bins, bool keep,
		      bool *works, struct pt_err *err)
{
	u->n_bins = n_bins;
	u->pbar_bits = design->pbar_bits != 0 ? design->pbar_bits : (unsigned)__builtin_ctz(n_bins);
	if (width_works(u, keep, works, err) < 0)
		return err->code;
	if (*works || design->pbar_bits != 0 || u->pbar_bits <= FEWEST_PBAR_BITS)
		return 0;
	u->pbar_bits--;
	return width_works(u, keep, works, err);
}

/* Looks for another size than the setting's: with a wrong size, two bins of a range would share one in the buffer, and
 * both would show the sum. */
static int other_size(struct pt_bins_unit *u, const struct pt_mb_design *design, bool keep, struct pt_err *err)
{
	uint64_t value = 0;
	bool works = false;

	for (uint32_t n_bins = PT_BINS_MOST; n_bins >= FEWEST_IN_BUFFER; n_bins /= 2) {
		if (n_bins == design->prof_bytes / 4)
			continue;
		if (size_works(u, design, n_bins, keep, &works, err) < 0)
			return err->code;
		if (works)
			return pt_fail(err, PT_EARG,
				       "mb.prof.size=%" PRIu32 ", but the profiling buffer has %" PRIu32
				       " bytes: say mb.prof.size=%" PRIu32 " (C_DEBUG_PROFILE_SIZE)",
				       design->prof_bytes, 4 * n_bins, 4 * n_bins);
	}
	u->n_bins = design->prof_bytes / 4;
	if (pt_bins_unit_read(u, 0, 1, &value, err) < 0)
		return err->code;
	return pt_fail(err, PT_EUNSUPPORTED,
		       "no profiling buffer answers (a mark written to it reads 0x%09" PRIx64 "): the core has none "
		       "(C_DEBUG_PROFILE_SIZE=0, C_DEBUG_ENABLED<2), or is held in reset",
		       value);
}

static int find_width(struct pt_bins_unit *u, const struct pt_mb_design *design, bool keep, struct pt_err *err)
{
	bool works = false;

	if (size_works(u, design, design->prof_bytes / 4, keep, &works, err) < 0)
		return err->code;
	return works ? 0 : other_size(u, design, keep, err);
}

static int measure(struct pt_bins_unit *u, struct pt_err *err)
{
	uint64_t values[MEASURED], from_ns = pt_mdm_now_ns(u->mdm);

	if (pt_bins_unit_read(u, 0, MEASURED, values, err) < 0)
		return err->code;
	u->ns_per_bin = (pt_mdm_now_ns(u->mdm) - from_ns) / MEASURED + 1;
	return 0;
}

int pt_bins_unit_check(struct pt_bins_unit *u, const struct pt_mb_design *design, bool keep, struct pt_err *err)
{
	uint32_t n_bins = design->prof_bytes / 4;
	uint64_t first = 0;
	int rc;

	if (design->prof_bytes == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mb.prof.size is 0: the core has no profiling buffer "
			       "(C_DEBUG_PROFILE_SIZE)");
	if (design->prof_bytes % 4 != 0 || (n_bins & (n_bins - 1)) != 0 || n_bins < FEWEST_IN_BUFFER)
		return pt_fail(err, PT_EARG, "mb.prof.size=%" PRIu32 ": C_DEBUG_PROFILE_SIZE is 4096, 8192, ... 131072",
			       design->prof_bytes);
	u->addr_bits = design->addr_bits;
	if (pt_bins_unit_enable(u, false, err) < 0 || find_width(u, design, keep, err) < 0)
		return err->code;
	if (keep && pt_bins_unit_read(u, 0, 1, &first, err) < 0)
		return err->code;
	rc = find_window(u, err);
	if (rc == 0)
		rc = measure(u, err);
	return rc == 0 && keep ? put_bin(u, 0, (uint32_t)first, err) : rc;
}

/* --- the range */

static uint64_t bin_bytes(const struct pt_bins_unit *u)
{
	return UINT64_C(4) << u->shift;
}

static bool fits(const struct pt_bins_unit *u, uint64_t low, uint64_t high)
{
	return ((high >> 2) - (low >> 2)) >> u->shift < u->n_bins;
}

/* If low is aligned to the whole buffer, every indexing rule finds the same bin; otherwise low is aligned as the rule
 * requires. */
static bool place(struct pt_bins_unit *u, enum pt_mb_index index, uint64_t low, uint64_t high)
{
	uint64_t aligned = low & ~(bin_bytes(u) * u->n_bins - 1);

	if (!fits(u, aligned, high))
		aligned = index == PT_MB_SUB_THEN_SHIFT ? low & ~UINT64_C(3) : low & ~(bin_bytes(u) - 1);
	u->low = aligned;
	u->high = high | 3;
	u->first = index == PT_MB_SHIFT_MASK ? (uint32_t)(aligned >> (u->shift + 2)) & (u->n_bins - 1) : 0;
	return fits(u, aligned, high);
}

int pt_bins_unit_range(struct pt_bins_unit *u, enum pt_mb_index index, uint64_t low, uint64_t high, int shift,
		       struct pt_err *err)
{
	if (high < low || (u->addr_bits < 64 && high >> u->addr_bits != 0))
		return pt_fail(err, PT_EARG,
			       "range 0x%" PRIx64 " to 0x%" PRIx64 ": the second is below the first, or beyond %u "
			       "bits of address",
			       low, high, u->addr_bits);
	for (u->shift = shift < 0 ? 0 : (unsigned)shift; u->shift <= MOST_SHIFT; u->shift++) {
		if (place(u, index, low, high)) {
			u->from = low - (low - u->low) % bin_bytes(u);
			u->skip = (uint32_t)((u->from - u->low) / bin_bytes(u));
			u->n_used = (uint32_t)((u->high - u->from) / bin_bytes(u)) + 1;
			return 0;
		}
		if (shift >= 0)
			break;
	}
	return pt_fail(err, PT_EARG, "range 0x%" PRIx64 " to 0x%" PRIx64 " takes more than %" PRIu32 " bins%s", low,
		       high, u->n_bins, shift >= 0 ? " of that size: leave bin-bytes away" : "");
}

int pt_bins_unit_program(struct pt_bins_unit *u, struct pt_err *err)
{
	unsigned bits = u->addr_bits - 2;
	uint64_t low = u->low >> 2, high = u->high >> 2;

	u->written->plar = (uint32_t)low;
	u->written->phar = (uint32_t)high;
	if (bits > 32)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mb.addr_size=%u: range registers of more than 32 bits are written in a way that "
			       "is not documented",
			       u->addr_bits);
	if (pt_bins_unit_enable(u, false, err) < 0 || pt_mdm_put(u->mdm, false, PLAR, (uint8_t)bits, low, err) < 0 ||
	    pt_mdm_put(u->mdm, false, PHAR, (uint8_t)bits, high, err) < 0)
		return pt_wrap(err, "set the profiling range");
	return 0;
}
